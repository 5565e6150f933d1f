//! `mcpproof catalog stats`, `set-summary` and `remove`: small looks at a catalog and small changes of it.

use super::PlaceArgs;
use crate::catalog::{counted, failure, held, now, open_held, open_to_read, place, subject};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::printer;
use retrieval::catalog::{SourceStats, Stats, Summary};

/// What `catalog stats` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What `catalog set-summary` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct SummaryArgs {
    /// The entry: SOURCE/NAME, its name, or an alias
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// Your words; leaving them out takes those away that were said before
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Search them beside the description, not in its place
    #[arg(long)]
    pub add: bool,
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// What `catalog remove` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArgs {
    /// The source
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// What `catalog prune` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct PruneArgs {
    /// Also all vectors of this embedder, as `catalog stats` calls it; repeatable
    #[arg(long, value_name = "NAME")]
    pub embedder: Vec<String>,
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// Counts what is there.
pub(crate) fn stats(args: &StatsArgs) -> Result<ExitStatus, Failure> {
    let path = place(args.place.catalog.as_deref());
    let stats = open_to_read(&path)?.stats().map_err(|error| failure(&error))?;
    if args.json {
        let json = serde_json::to_value(&stats).expect("counts and texts are JSON");
        printer::data(&format!("{json:#}\n"))?;
    } else {
        printer::out(&table(&path.display().to_string(), &stats));
    }
    Ok(ExitStatus::Clean)
}

fn table(shown: &str, stats: &Stats) -> String {
    let width = stats.sources.iter().map(|source| source.name.chars().count()).max().unwrap_or(0);
    let held = held(stats.entries, stats.sources.len());
    let mut text = format!("{shown}: {held}\n");
    for source in &stats.sources {
        let name = reports::plain(&source.name);
        text.push_str(&format!("  {name:width$}  {}\n", fares(source)));
    }
    let vectors = stats.vectors.iter().map(|(embedder, count)| (format!("vectors of {embedder}"), *count));
    let others = [
        ("pins", stats.pins),
        ("aliases", stats.aliases),
        ("summaries", stats.summaries),
        ("calls", stats.invocations),
        ("former versions", stats.versions),
        ("bytes", stats.bytes),
    ];
    let others = others.into_iter().map(|(word, count)| (word.to_owned(), count));
    let counts: Vec<_> = vectors.chain(others).filter(|(_, count)| *count > 0).collect();
    let counts: Vec<_> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    text.push_str(&format!("{}\n", counts.join(", ")));
    text
}

fn fares(source: &SourceStats) -> String {
    let held: Vec<_> = source.entries.iter().map(|(kind, count)| counted(*count, *kind)).collect();
    let held = if held.is_empty() { "nothing".to_owned() } else { held.join(", ") };
    let seen = match source.last_seen.and_then(|at| jiff::Timestamp::from_second(at).ok()) {
        Some(at) => format!("seen {}", at.to_zoned(jiff::tz::TimeZone::UTC).date()),
        None => "never seen".to_owned(),
    };
    let failed = source.last_error.as_ref().map(|error| format!("; failed since: {}", reports::plain(error)));
    format!("{held}; {seen}{}", failed.unwrap_or_default())
}

/// Sets or takes away the words of the user about an entry.
pub(crate) fn set_summary(args: &SummaryArgs) -> Result<ExitStatus, Failure> {
    let mut catalog = open_held(&place(args.place.catalog.as_deref()))?;
    let it = subject(&catalog, &args.entry)?;
    let text = args.text.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty());
    let summary = text.map(|text| Summary { text: text.to_owned(), adds: args.add });
    catalog.set_summary(&it, summary.as_ref()).map_err(|error| failure(&error))?;
    let done = match &summary {
        None => "is searched by its own description",
        Some(Summary { adds: true, .. }) => "is searched by your words and its description",
        Some(_) => "is searched by your words in place of its description",
    };
    printer::err(&format!("{} {done}\n", reports::plain(&it.to_string())));
    Ok(ExitStatus::Clean)
}

/// Takes a source out.
pub(crate) fn remove(args: &RemoveArgs) -> Result<ExitStatus, Failure> {
    let mut catalog = open_held(&place(args.place.catalog.as_deref()))?;
    if catalog.remove_source(&args.source, now()).map_err(|error| failure(&error))? {
        printer::err(&format!("removed {}\n", reports::plain(&args.source)));
        return Ok(ExitStatus::Clean);
    }
    let stats = catalog.stats().map_err(|error| failure(&error))?;
    let names: Vec<_> = stats.sources.iter().map(|source| source.name.as_str()).collect();
    let hint = did_you_mean(&args.source, names.iter().copied(), &format!("sources: {}", names.join(", ")));
    Err(Failure::usage(format!("the catalog has no source `{}`", args.source), hint))
}

/// Takes away what no search needs.
pub(crate) fn prune(args: &PruneArgs) -> Result<ExitStatus, Failure> {
    let mut catalog = open_held(&place(args.place.catalog.as_deref()))?;
    let told = |error| failure(&error);
    let before = catalog.stats().map_err(told)?;
    for name in &args.embedder {
        if !before.vectors.contains_key(name) {
            let known = before.vectors.keys().map(String::as_str);
            let all = format!("vectors are kept of: {}", known.clone().collect::<Vec<_>>().join(", "));
            let hint = if before.vectors.is_empty() { "no vectors are kept" } else { &all };
            let hint = did_you_mean(name, known, hint);
            return Err(Failure::usage(format!("--embedder: no vectors of `{name}` are kept"), hint));
        }
    }
    let mut gone = catalog.tidy_vectors().map_err(told)?;
    for name in &args.embedder {
        gone += catalog.forget_vectors(name).map_err(told)?;
    }
    catalog.shrink().map_err(told)?;
    let after = catalog.stats().map_err(told)?;
    printer::err(&format!("{gone} vectors forgotten; {} bytes before, {} now\n", before.bytes, after.bytes));
    Ok(ExitStatus::Clean)
}
