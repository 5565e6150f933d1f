//! `mcpproof eval retrieval`: asks every method the queries of every set, and says how good the answers were.

use super::{folder, leave_one_out, methods, table};
use crate::catalog::synonyms;
use crate::commands::eval::methods::Ready;
use crate::config::Config;
use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::printer;
use crate::progress::bar;
use indicatif::ProgressBar;
use retrieval::eval::{self, FinderError, MethodName, Outcome, Row, Set, SplitMix, Vectors};
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
--data is a set, or a folder of sets. A set is a folder with two files of JSON lines:
  catalog.jsonl  {id, server, name, description, inputSchema?, server_description?, title?, kind?}
  queries.jsonl  {id, text, gold: [id], alt?: {gold id: [id]}}
A gold counts when it or one of its alternatives is found; an empty gold says that nothing fits.

Methods:
  lexical              words
  dense[:EMBEDDER]     meaning
  fused[:EMBEDDER]     both, as a weighted sum of z-scores
  rrf[:EMBEDDER]       both, by reciprocal ranks
  fts5                 SQLite's full-text search alone
  lazy-tool[:EMBEDDER] the ranking of lazy-tool, as described; by words only, or with vectors
EMBEDDER is static (built in), minilm, ollama:MODEL or openai:MODEL.

R@k is the share of the gold among the first k hits; intervals are 95 % bootstrap intervals over
queries, differences are paired. An answer abstains when it says that nothing fits, or is empty;
besides queries without gold, up to 200 queries of unrelated sets are asked, of which some may
find something all the same. The precision of abstaining is given for equal numbers of both.

Examples:
  mcpproof eval retrieval --data my-catalog
  mcpproof eval retrieval --data sets --method fused --method fused:minilm --json
  mcpproof eval retrieval --data sets --leave-one-out";

/// What `eval retrieval` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RetrievalArgs {
    /// A set, or a folder of sets
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// A method to judge; the first one is what the others are compared with
    #[arg(long = "method", value_name = "METHOD")]
    pub methods: Vec<MethodName>,
    /// Print JSON lines, one row for each set and method, instead of tables
    #[arg(long)]
    pub json: bool,
    /// Ask at most so many queries of each set, drawn with the seed
    #[arg(long, value_name = "N")]
    pub limit_queries: Option<usize>,
    /// What all that is drawn depends on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Words that mean much the same, a group a line, for the methods that are not baselines
    #[arg(long, value_name = "FILE")]
    pub synonyms: Option<PathBuf>,
    /// Choose the weight of fusion on the other sets, and judge it on the one that was left out
    #[arg(long)]
    pub leave_one_out: bool,
}

/// Runs the command.
pub(crate) fn run(args: &RetrievalArgs) -> Result<ExitStatus, Failure> {
    let mut sets = folder::read(&args.data)?;
    if let Some(most) = args.limit_queries {
        sets.iter_mut().for_each(|set| limit(set, most, args.seed));
    }
    // What is judged depends on the command alone, and not on an mcpproof.toml that happens to be here.
    let synonyms = synonyms::read(args.synonyms.as_deref(), &Config::default())?;
    let methods = methods::ready(&args.methods, &synonyms)?;
    for (name, reason) in &methods.skipped {
        printer::err(&format!("{name}: skipped, {reason}\n"));
    }
    let watch = Watch::start();
    let vectors = Vectors::default();
    if args.leave_one_out {
        return leave_one_out::run(&sets, &methods.ready, &vectors, args.json, &watch);
    }
    let mut all: Vec<Row> = Vec::new();
    for at in 0..sets.len() {
        let rows = judge_set(&sets, at, &methods.ready, &vectors, args.seed, &watch)?;
        watch.pause(|| {
            printer::data(&if args.json { table::lines(&rows) } else { table::of_set(&sets[at], &rows) })
        })?;
        all.extend(rows);
    }
    if !args.json && sets.len() > 1 {
        watch.pause(|| printer::data(&table::means(&all)))?;
    }
    Ok(ExitStatus::Clean)
}

/// Keeps at most so many queries, the same ones for a seed.
fn limit(set: &mut Set, most: usize, seed: u64) {
    let kept = SplitMix::new(seed).sample(set.cases.len(), most);
    set.cases = kept.into_iter().map(|at| set.cases[at].clone()).collect();
}

fn judge_set(
    sets: &[Set],
    at: usize,
    methods: &[Ready],
    vectors: &Vectors,
    seed: u64,
    watch: &Watch,
) -> Result<Vec<Row>, Failure> {
    let set = &sets[at];
    let strangers = eval::strangers(sets, at, seed);
    let mut rows = Vec::new();
    let mut first: Option<(String, Outcome)> = None;
    for method in methods {
        let name = method.name.to_string();
        let failed = |error| failure(set, &name, error);
        watch.begin(&format!("{} {name}", set.name), set.cases.len() + strangers.len());
        let begun = Instant::now();
        let finder = method.build(set, vectors, &|done, all| watch.embedded(done, all)).map_err(failed)?;
        let build_ms = begun.elapsed().as_secs_f64() * 1e3;
        let outcome = eval::run(set, finder.as_ref(), &strangers, &mut || watch.asked()).map_err(failed)?;
        let versus = first.as_ref().map(|(name, outcome)| (name.as_str(), outcome));
        rows.push(Row { build_ms, ..Row::new(&set.name, &name, &outcome, versus, seed) });
        if first.is_none() {
            first = Some((name, outcome));
        }
    }
    Ok(rows)
}

/// Says which method failed on which set.
pub(crate) fn failure(set: &Set, method: &str, error: FinderError) -> Failure {
    Failure {
        status: ExitStatus::CouldNotRun,
        about: About::Anything,
        error: anyhow::Error::new(error).context(format!("`{method}` failed on the set `{}`", set.name)),
        hint: "leave the method out, or name others with --method".to_owned(),
    }
}

/// What a person sees on standard error while it runs.
pub(crate) struct Watch(Option<ProgressBar>);

impl Watch {
    fn start() -> Self {
        Self(bar())
    }

    /// Begins a step of so many queries. Where nobody watches a terminal, a line in the log says so.
    pub(crate) fn begin(&self, what: &str, queries: usize) {
        let Some(bar) = &self.0 else { return printer::err(&format!("{what}: {queries} queries\n")) };
        bar.set_position(0);
        bar.set_length(queries as u64);
        bar.set_message(what.to_owned());
    }

    fn embedded(&self, done: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_prefix(format!("vectors {done}/{all} "));
        }
    }

    /// Counts a query.
    pub(crate) fn asked(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Takes the display away while something is printed.
    fn pause<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
