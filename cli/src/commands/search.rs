//! `mcpproof search`: finds tools, prompts and resources by what somebody wants to do. Ranking stands in `retrieval`, the layout in `search/show.rs`.

use crate::catalog::ready::{self, Asked, Ready};
use crate::catalog::synonyms;
use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::{catalog, printer};
use clap::ValueEnum;
use retrieval::{Kind, Method, Query};
use std::path::PathBuf;

mod show;

const EXAMPLES: &str = "\
QUERY is anyone's words; it has no syntax. The name of an entry puts it first.
Without --catalog the catalog is what MCPPROOF_CATALOG names, or mcp-catalog.db here; `mcpproof catalog
build` makes it. A file (.jsonl, JSON, a lockfile) or a live server is indexed in memory.

Examples:
  mcpproof search 'list the pods of my cluster'
  mcpproof search 'send a message' --source slack --kind tool --limit 3
  mcpproof search 'add two numbers' --catalog mock:good --explain-scores
  mcpproof search 'open an issue' --catalog tools.jsonl --json

Exit codes: 0 searched, be there hits or not, 2 wrong usage, 3 could not run, 130 interrupted.";

/// What `search` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SearchArgs {
    /// What is wanted, in anyone's words
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,
    /// Where to search: a catalog, a file, or a server
    #[arg(long, value_name = "FILE|TARGET")]
    pub catalog: Option<String>,
    /// How many hits at most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub limit: u16,
    /// Only this source; repeatable
    #[arg(long, value_name = "NAME")]
    pub source: Vec<String>,
    /// Only this kind; repeatable
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<KindArg>,
    /// Say where each score comes from
    #[arg(long)]
    pub explain_scores: bool,
    /// Compare words only
    #[arg(long, conflicts_with = "embedder")]
    pub lexical: bool,
    /// Who compares meanings
    #[arg(long, value_name = "NAME")]
    pub embedder: Option<String>,
    /// Words that mean much the same to you, a group a line [default: [search] synonyms of mcpproof.toml]
    #[arg(long, value_name = "FILE")]
    pub synonyms: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Read this file instead of mcpproof.toml
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub config: Option<PathBuf>,
    /// How a server is asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// A kind, as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// Something a model may call
    Tool,
    /// A prompt with arguments
    Prompt,
    /// A resource at a fixed address
    Resource,
    /// A template of resource addresses
    Template,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Tool => Self::Tool,
            KindArg::Prompt => Self::Prompt,
            KindArg::Resource => Self::Resource,
            KindArg::Template => Self::Template,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &SearchArgs) -> Result<ExitStatus, Failure> {
    let text = args.query.join(" ");
    if text.trim().is_empty() {
        return Err(Failure::usage(
            "the query is empty",
            "say what you want to do: mcpproof search 'send a message'",
        ));
    }
    let config = config::read(args.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &ShowArgs::default())?;
    let place = args.catalog.clone().unwrap_or_else(|| catalog::place(None).to_string_lossy().into_owned());
    let embedder = if args.lexical { Some("none") } else { args.embedder.as_deref() };
    let synonyms = synonyms::read(args.synonyms.as_deref(), &config)?;
    let asked = Asked { word: &place, query: &text, embedder, synonyms: &synonyms };
    let Some(ready) = ready::ready(&asked, &config, &settings)? else {
        return Ok(ExitStatus::Interrupted);
    };
    check_sources(args, &ready)?;
    let kinds: Vec<Kind> = args.kind.iter().map(|kind| (*kind).into()).collect();
    let method = if args.lexical { Method::Lexical } else { Method::Fused };
    let query = Query { text: &text, limit: args.limit.into(), sources: &args.source, kinds: &kinds, method };
    let answer = ready.index.search(&query, &ready.taste);
    if let Some(degraded) = &answer.degraded {
        printer::err(&format!("note: {}\n", reports::plain(degraded)));
    }
    let found = show::Found { query: &query, ready: &ready, answer: &answer };
    printer::data(&if args.json { found.json() } else { found.text(args.explain_scores) })?;
    Ok(ExitStatus::Clean)
}

/// A source that is not there would find nothing and look like an answer.
fn check_sources(args: &SearchArgs, ready: &Ready) -> Result<(), Failure> {
    if ready.sources.is_empty() {
        return Ok(());
    }
    match args.source.iter().find(|source| !ready.sources.contains(*source)) {
        None => Ok(()),
        Some(unknown) => {
            let known = ready.sources.iter().map(String::as_str);
            let hint = did_you_mean(unknown, known, "`mcpproof catalog stats` names the sources");
            Err(Failure::usage(format!("--source: no source is named `{unknown}`"), hint))
        }
    }
}
