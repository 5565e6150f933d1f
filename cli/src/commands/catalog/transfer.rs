//! `mcpproof catalog export` and `import`: the catalog as JSON lines.

use super::PlaceArgs;
use crate::catalog::gather::{Gathered, Origin};
use crate::catalog::{failure, held, lines_failure, now, open, open_to_read, place};
use crate::config::Config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::{lockfile, source};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use retrieval::catalog::{Lines, Source, Taken, Twins, Wish, lookalikes};
use std::path::{Path, PathBuf};

/// What `catalog export` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const IMPORT_HELP: &str = "\
FILE holds, by its ending:
  .jsonl   a line for each entry: {source, kind, name, title?, description, input?, source_description?}
           as `catalog export` writes it, or {server, name, description, inputSchema?, server_description?}
  other    a lockfile, or the result of tools/list (prompts, resources) as JSON; --name names its source

All of the file is taken over, or nothing.";

/// What `catalog import` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = IMPORT_HELP)]
pub(crate) struct ImportArgs {
    /// The file; `-` reads JSON lines from standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The name of the source, of a file that does not say it
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Call a source of the file otherwise; repeatable
    #[arg(long, value_name = "OLD=NEW")]
    pub rename: Vec<String>,
    /// Put sources in the place of those of the same name
    #[arg(long)]
    pub replace: bool,
    /// Call entries of one name `name#2`, `name#3`, instead of refusing the file
    #[arg(long)]
    pub number: bool,
}

/// Writes the catalog.
pub(crate) fn export(args: &ExportArgs) -> Result<ExitStatus, Failure> {
    let catalog = open_to_read(&place(args.place.catalog.as_deref()))?;
    let entries = catalog.entries().map_err(|error| failure(&error))?;
    let wishes = catalog.wishes().map_err(|error| failure(&error))?;
    let text = Lines::write(&entries, &wishes);
    match &args.output {
        None => printer::data(&text)?,
        Some(path) => {
            lockfile::write(path, &text)?;
            printer::err(&format!("wrote {} entries to {}\n", entries.len(), path.display()));
        }
    }
    Ok(ExitStatus::Clean)
}

/// Reads a file into the catalog.
pub(crate) fn import(args: &ImportArgs) -> Result<ExitStatus, Failure> {
    let mut lines = read(args)?;
    for word in &args.rename {
        rename(&mut lines, word)?;
    }
    let path = place(args.place.catalog.as_deref());
    let mut catalog = open(&path)?;
    let taken = if args.replace { Taken::Replace } else { Taken::Refuse };
    let sources = lines.sources();
    let left = catalog.import(&sources, &lines.wishes, taken, now()).map_err(|error| failure(&error))?;
    left.iter().for_each(|wish| printer::err(&format!("note: {}\n", reports::plain(&kept(wish)))));
    for (source, names) in lookalikes(&lines.entries) {
        printer::err(&format!(
            "note: {}: {} differ in case or punctuation only; all of them are kept\n",
            reports::plain(&source),
            reports::plain(&names.join(", "))
        ));
    }
    if lines.numbered > 0 {
        printer::err(&format!("note: numbered where a name was taken already: {}\n", lines.numbered));
    }
    let held = held(lines.entries.len() as u64, sources.len());
    let said = said(lines.wishes.iter().filter(|wish| !left.contains(wish)));
    printer::err(&format!("filed {held}{said} in {}\n", path.display()));
    Ok(ExitStatus::Clean)
}

/// Counts what a user said elsewhere.
fn said<'a>(wishes: impl Iterator<Item = &'a Wish>) -> String {
    let mut counts = [0; 3];
    for wish in wishes {
        counts[match wish {
            Wish::Pin(_) => 0,
            Wish::Alias { .. } => 1,
            Wish::Summary { .. } => 2,
        }] += 1;
    }
    let words = [("pin", "pins"), ("alias", "aliases"), ("summary", "summaries")];
    let counts = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    counts.map(|(count, (one, many))| format!(", {count} {}", if *count == 1 { one } else { many })).collect()
}

/// Says what stays as it is, though the file says otherwise.
fn kept(wish: &Wish) -> String {
    let what = match wish {
        Wish::Pin(subject) => format!("the pin of {subject}"),
        Wish::Alias { alias, .. } => format!("the alias `{alias}`"),
        Wish::Summary { source, name, .. } => format!("the summary of {source}/{name}"),
    };
    format!("{what} is another one in the file; yours is kept, --replace takes that of the file")
}

fn read(args: &ImportArgs) -> Result<Lines, Failure> {
    let path = Path::new(&args.file);
    let is_lines = args.file == "-" || path.extension().is_some_and(|ending| ending == "jsonl");
    if is_lines && args.name.is_some() {
        let hint = "lines name their sources themselves; --rename OLD=NEW calls one otherwise";
        return Err(Failure::usage("--name does not fit JSON lines", hint));
    }
    let twins = if args.number { Twins::Number } else { Twins::Refuse };
    if is_lines {
        let read = if args.file == "-" { source::stdin() } else { source::file(path) };
        let source::Source::Text { shown, text, .. } = read? else { return Ok(Lines::default()) };
        return Lines::read(&shown, &text, twins).map_err(|error| lines_failure(&error));
    }
    let settings = args::settings(&Config::default(), &AskArgs::default(), &ShowArgs::default())?;
    let origin = Origin::File { name: args.name.clone(), path: path.to_owned() };
    let haul = origin.read(&settings, twins)?.unwrap_or_default();
    haul.notes.iter().for_each(|note| printer::err(&format!("note: {}\n", reports::plain(note))));
    let entries = haul.sources.into_iter().flat_map(|Gathered { entries, .. }| entries).collect();
    Ok(Lines { entries, ..Lines::default() })
}

fn rename(lines: &mut Lines, word: &str) -> Result<(), Failure> {
    let Some((old, new)) = word.split_once('=').filter(|(_, new)| !new.is_empty()) else {
        return Err(Failure::usage(format!("--rename: `{word}` has no `=` and name"), "--rename OLD=NEW"));
    };
    if lines.entries.iter().any(|entry| entry.source == new) {
        let hint = "choose a name that no source of the file has";
        return Err(Failure::usage(format!("--rename: the file has a source `{new}` already"), hint));
    }
    if lines.rename(old, new) {
        return Ok(());
    }
    let known = lines.sources().iter().map(|source: &Source<'_>| source.name).collect::<Vec<_>>().join(", ");
    Err(Failure::usage(format!("--rename: the file has no source `{old}`"), format!("sources: {known}")))
}
