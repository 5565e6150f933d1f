//! `mcpproof catalog`: keeps what servers offer in one file that can be searched. How a catalog is stored stands in `retrieval`.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use clap::Subcommand;
use std::path::PathBuf;

mod build;
mod look;
mod transfer;

const EXAMPLES: &str = "\
The catalog is mcp-catalog.db in the working directory, or what MCPPROOF_CATALOG or --catalog names.

Examples:
  mcpproof catalog build                               # every server of mcpproof.toml
  mcpproof catalog build weather=https://example.org/mcp mock:good
  mcpproof catalog build --name notes -- node server.js
  mcpproof catalog stats
  mcpproof catalog export > tools.jsonl
  mcpproof catalog import tools.jsonl
  mcpproof catalog set-summary notes/search 'Finds what the team wrote down'
  mcpproof search 'what did we decide about the budget'";

/// What `catalog` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct CatalogArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: CatalogCommand,
}

/// Which catalog.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PlaceArgs {
    /// The catalog [default: MCPPROOF_CATALOG, or mcp-catalog.db here]
    #[arg(long, value_name = "FILE")]
    pub catalog: Option<PathBuf>,
}

/// What can be done with a catalog.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Ask servers what they offer and file it; sources that are not named stay as they are
    Build(Box<build::BuildArgs>),
    /// Write the catalog as JSON lines, with pins, aliases and summaries
    Export(transfer::ExportArgs),
    /// Read JSON lines, a lockfile, or the lists of a server as JSON
    Import(transfer::ImportArgs),
    /// Count what is there, and say how each source fares
    Stats(look::StatsArgs),
    /// Say in your own words what an entry does, for search
    SetSummary(look::SummaryArgs),
    /// Take a source out of the catalog
    Remove(look::RemoveArgs),
    /// Take vectors away that no search needs any more, and give their room back
    Prune(look::PruneArgs),
}

/// Runs the command.
pub(crate) fn run(args: &CatalogArgs) -> Result<ExitStatus, Failure> {
    match &args.what {
        CatalogCommand::Build(args) => build::run(args),
        CatalogCommand::Export(args) => transfer::export(args),
        CatalogCommand::Import(args) => transfer::import(args),
        CatalogCommand::Stats(args) => look::stats(args),
        CatalogCommand::SetSummary(args) => look::set_summary(args),
        CatalogCommand::Remove(args) => look::remove(args),
        CatalogCommand::Prune(args) => look::prune(args),
    }
}
