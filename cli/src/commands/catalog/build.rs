//! `mcpproof catalog build`: asks servers what they offer and files it.

use super::PlaceArgs;
use crate::catalog::gather::{self, Gathered, Origin};
use crate::catalog::{counted, embedders, failure, held, now, open, place, ready};
use crate::config::{self, Config};
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use crate::settings::Settings;
use crate::target::{self, TargetArgs};
use retrieval::Kind;
use retrieval::catalog::{Catalog, Replaced, Twins, lookalikes};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
TARGET is one of, with NAME= before it to choose the name of the source:
  NAME                 a [server.NAME] of mcpproof.toml; all of them when no target is given
  http(s)://...        a Streamable HTTP endpoint; --header is for one, mcpproof.toml has those of many
  mock:NAME            a built-in server
  FILE                 a lockfile, the result of tools/list as JSON, or JSON lines (.jsonl)

A source that cannot be read keeps what the catalog has of it; that is told here and in `catalog stats`.
Exit codes: 0 at least one source was filed, 2 wrong usage, 3 none could be read, or the embedder failed,
130 interrupted.";

/// What `catalog build` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BuildArgs {
    /// Servers or files
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// A program to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// The name of the source of COMMAND [default: the one that the server gives itself]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Which catalog.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Make the vectors that searches with this embedder need, too, so that none of them has to wait
    #[arg(long, value_name = "NAME")]
    pub embedder: Option<String>,
    /// The URL is a legacy HTTP+SSE endpoint; a mock: target is served as one
    #[arg(long, help_heading = "Server")]
    pub sse: bool,
    /// Send this header with each request; repeatable
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Server")]
    pub header: Vec<String>,
    /// Add this variable to the environment of the command; repeatable
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Server")]
    pub env: Vec<String>,
    /// Start the command in this directory
    #[arg(long, value_name = "DIR", help_heading = "Server")]
    pub cwd: Option<PathBuf>,
    /// Serve a mock: target over Streamable HTTP instead of stdio
    #[arg(long, help_heading = "Server")]
    pub http: bool,
    /// Read this file instead of mcpproof.toml
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub config: Option<PathBuf>,
    /// How servers are asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

impl BuildArgs {
    /// How the one server that is named is reached.
    fn reach(&self) -> TargetArgs {
        TargetArgs {
            target: None,
            command: Vec::new(),
            sse: self.sse,
            header: self.header.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            http: self.http,
            config: self.config.clone(),
        }
    }

    /// The flags among them that are there.
    fn reaching(&self) -> Option<&'static str> {
        let flags = [
            ("--sse", self.sse),
            ("--header", !self.header.is_empty()),
            ("--env", !self.env.is_empty()),
            ("--cwd", self.cwd.is_some()),
            ("--http", self.http),
        ];
        flags.into_iter().find(|(_, there)| *there).map(|(flag, _)| flag)
    }
}

/// Runs the command.
pub(crate) fn run(args: &BuildArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &ShowArgs::default())?;
    // A slip in its name is told before a server starts.
    let embedder = args.embedder.as_deref().map(|name| embedders::named(Some(name), settings.timeout_said()));
    let embedder = embedder.transpose()?.flatten();
    let origins = origins(args, &config)?;
    let path = place(args.place.catalog.as_deref());
    let mut catalog = open(&path)?;
    let mut filed = BTreeSet::new();
    let mut failed = 0;
    for origin in &origins {
        match file(origin, &mut catalog, &mut filed, &settings) {
            Ok(Some(())) => {}
            Ok(None) => return Ok(ExitStatus::Interrupted),
            // What is wrong with the catalog itself is no better with the next source.
            Err(Trouble::Catalog(failure)) => return Err(failure),
            Err(Trouble::Source(failure)) => {
                failed += 1;
                note(origin, &mut catalog, &failure)?;
            }
        }
    }
    catalog.tidy_vectors().map_err(|error| failure(&error))?;
    printer::err(&summary(&catalog, filed.len(), failed)?);
    if let Some(embedder) = embedder.filter(|_| !filed.is_empty()) {
        drop(catalog);
        let name = reports::plain(embedder.name());
        let entries = ready::embed(&path, embedder)?;
        printer::err(&format!("entries that {name} compares: {entries}\n"));
    }
    Ok(if filed.is_empty() { ExitStatus::CouldNotRun } else { ExitStatus::Clean })
}

/// Every source that is meant, so that a slip in a name is told before a server starts.
fn origins(args: &BuildArgs, config: &Config) -> Result<Vec<Origin>, Failure> {
    let flags = args.reach();
    let all: Vec<_> = config.server.keys().cloned().collect();
    let words = if args.targets.is_empty() && args.command.is_empty() { &all } else { &args.targets };
    let count = words.len() + usize::from(!args.command.is_empty());
    if let Some(flag) = args.reaching().filter(|_| count != 1) {
        // What is a secret of one server must not reach the others.
        let hint = "build them one after the other, or list them in mcpproof.toml, each with its own";
        return Err(Failure::usage(format!("{flag} is for one target, and {count} are named"), hint));
    }
    let mut origins =
        words.iter().map(|word| gather::find(word, &flags, config)).collect::<Result<Vec<_>, _>>()?;
    if !args.command.is_empty() {
        let server = TargetArgs { command: args.command.clone(), ..flags };
        let server = Box::new(target::resolve(&server, config)?);
        origins.push(Origin::Server { name: args.name.clone(), server });
    } else if args.name.is_some() {
        return Err(Failure::usage("--name is for a command after `--`", "for others write NAME=TARGET"));
    }
    if origins.is_empty() {
        let hint =
            "name servers or files: `mcpproof catalog build TARGET...`, or list servers in mcpproof.toml";
        return Err(Failure::usage("no source: nothing to file", hint));
    }
    let mut names = BTreeSet::new();
    match origins.iter().filter_map(Origin::name).find(|name| !names.insert(*name)) {
        Some(name) => Err(twice(name)),
        None => Ok(origins),
    }
}

fn twice(name: &str) -> Failure {
    let hint = "give one of them another name: NAME=TARGET";
    Failure::usage(format!("two sources are called `{name}`"), hint)
}

/// What went wrong.
enum Trouble {
    Catalog(Failure),
    Source(Failure),
}

/// Reads one source and files it.
fn file(
    origin: &Origin,
    catalog: &mut Catalog,
    filed: &mut BTreeSet<String>,
    settings: &Settings,
) -> Result<Option<()>, Trouble> {
    let Some(haul) = origin.read(settings, Twins::Refuse).map_err(Trouble::Source)? else { return Ok(None) };
    haul.notes.iter().for_each(|note| printer::err(&format!("note: {}\n", reports::plain(note))));
    if !haul.wishes.is_empty() {
        printer::err(
            "note: its pins, aliases and summaries are left out; `mcpproof catalog import` takes them over\n",
        );
    }
    // Names that servers give themselves are known only now.
    if let Some(source) = haul.sources.iter().find(|source| filed.contains(&source.name)) {
        return Err(Trouble::Source(twice(&source.name)));
    }
    for source in haul.sources {
        let done = catalog.replace_source(&source.filed(), now());
        let done = done.map_err(|error| Trouble::Catalog(failure(&error)))?;
        printer::err(&line(&source, &done));
        filed.insert(source.name);
    }
    Ok(Some(()))
}

/// What became of a source, in a line, with what may surprise in its names.
fn line(source: &Gathered, done: &Replaced) -> String {
    let count = |kind: Kind| source.entries.iter().filter(|entry| entry.kind == kind).count() as u64;
    let counts = Kind::ALL.map(|kind| (kind, count(kind)));
    let held: Vec<_> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| counted(*count, *kind)).collect();
    let held = if held.is_empty() { "nothing".to_owned() } else { held.join(", ") };
    let changes = [("new", done.added), ("changed", done.changed), ("gone", done.removed)];
    let changes: Vec<_> =
        changes.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
    let changes = if changes.is_empty() { "as before".to_owned() } else { changes.join(", ") };
    let mut text = format!("{}: {held}; {changes}\n", reports::plain(&source.name));
    for (_, names) in lookalikes(&source.entries) {
        let names =
            names.iter().map(|name| format!("`{}`", reports::plain(name))).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("note: {names} differ in case or punctuation only; all of them are kept\n"));
    }
    text
}

/// Tells of a source that could not be read, here and in the catalog.
fn note(origin: &Origin, catalog: &mut Catalog, told: &Failure) -> Result<(), Failure> {
    let shown = origin.shown();
    let line = printer::failure_line(told);
    printer::err(&format!("failed: {}: {}\n", reports::plain(&shown), reports::plain(&line)));
    let cause = told.error.to_string();
    match origin.name() {
        Some(name) => catalog.note_failure(name, &cause).map_err(|error| failure(&error)),
        None => Ok(()),
    }
}

fn summary(catalog: &Catalog, filed: usize, failed: usize) -> Result<String, Failure> {
    let stats = catalog.stats().map_err(|error| failure(&error))?;
    let sources = |n: usize| format!("{n} source{}", if n == 1 { "" } else { "s" });
    let failed = if failed == 0 { String::new() } else { format!(", {} failed", sources(failed)) };
    let held = held(stats.entries, stats.sources.len());
    Ok(format!("filed {}{failed}; the catalog holds {held}\n", sources(filed)))
}
