//! `mcpproof gate`: what CI runs. Every server of mcpproof.toml against the specification and against its lock; it writes no lock.

use crate::baseline::Baseline;
use crate::commands::check;
use crate::config::{self, Config};
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::config::GateOptions;
use crate::drift::lockfile::Locked;
use crate::drift::policy::{self, Gate};
use crate::drift::source::Source;
use crate::drift::{lockfile, report};
use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::nearest::did_you_mean;
use crate::outputs::Outputs;
use crate::printer;
use crate::settings::{self, Settings};
use crate::target::{self, Named, TargetArgs};
use checks::Report;
use clap::ValueEnum;
use reports::RenderContext;
use reports::drift::DriftContext;
use reports::drift::gate::{self, GateContext, GateEntry, Outcome};
use std::path::PathBuf;
use surface::policy::Judgement;
use transport::shell_word;

mod allow;

const EXAMPLES: &str = "\
For each [server.NAME] of mcpproof.toml: `check` with its baselines, and `diff` against its lock.

  [server.notes]
  command = [\"node\", \"server.js\"]
  lock = \"mcp-surface.lock\"         # this one where it is left out
  baseline = [\"accepted.toml\"]      # findings of `check` that are accepted

  [gate]
  profile = \"contract\"              # calls, contract, model or exact
  fail-on = \"error\"                 # error, warn, info or never

  [rules]                           # other severities: breaking, risky, compatible, none or off
  input-default-changed = \"breaking\"

  [[allow]]
  rule = \"tool-removed\"
  path = \"/tools/search_*\"
  reason = \"replaced by find; announced in 2.0\"
  until = \"2026-12-31\"

Examples:
  mcpproof gate
  mcpproof gate notes --format github --format sarif=mcpproof.sarif
  mcpproof gate --skip check --profile model

A server whose lock cannot be read is not started; the others are judged all the same.

Exit codes, the first that fits: 1 findings or drift, 2 wrong usage or lock, 3 a server could not be
judged, 0 passes.";

/// What `gate` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GateArgs {
    /// Only these servers of mcpproof.toml [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Read this file instead of mcpproof.toml
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub config: Option<PathBuf>,
    /// Leave one of the two out
    #[arg(long, value_name = "WHAT")]
    pub skip: Option<Part>,
    /// How strict to be.
    #[command(flatten)]
    pub gate: GateOptions,
    /// How servers are asked.
    #[command(flatten)]
    pub ask: AskArgs,
    /// What is written.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// The two halves of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The specification
    Check,
    /// The lock
    Drift,
}

/// What is known of one server.
#[derive(Debug)]
pub(super) struct Judged {
    pub name: String,
    check: Option<(Report, RenderContext)>,
    pub drift: Option<(Judgement, DriftContext)>,
    failure: Option<Failure>,
}

/// Runs the command.
pub(crate) fn run(args: &GateArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &args.show)?;
    let how = settings::gate_again(&args.gate)? + &settings.again(&args::ASKED);
    let jobs = jobs(args, &config)?;
    let outputs = Outputs::open(&settings.outputs, None)?;
    let mut judged = Vec::new();
    for job in jobs {
        match judge(job, args, &settings) {
            Some(one) => judged.push(one),
            None => return Ok(ExitStatus::Interrupted),
        }
    }
    allow::settle(&mut judged, &config);
    let entries: Vec<_> = judged.iter().map(Judged::entry).collect();
    let status = status(&judged, &entries);
    let ctx = GateContext {
        color: false,
        detail: args.show.detail(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        exit_code: status.code(),
        width: printer::WIDTH,
        reproduce: reproduce(args, &how),
    };
    outputs.write(&|format, on_stdout| {
        let (color, width) =
            if on_stdout { (settings.color, printer::columns()) } else { (false, ctx.width) };
        gate::render(format, &entries, &GateContext { color, width, ..ctx.clone() })
    })?;
    Ok(status)
}

/// The command that does the same again; `how` are the options that were given.
fn reproduce(args: &GateArgs, how: &str) -> String {
    let file = args.config.as_ref().map(|path| format!(" --config {}", shell_word(&path.to_string_lossy())));
    let skip = args
        .skip
        .and_then(|part| part.to_possible_value())
        .map(|part| format!(" --skip {}", part.get_name()));
    let names = args.names.iter().map(|name| format!(" {}", shell_word(name)));
    let words = file.into_iter().chain(skip).chain(names).collect::<String>();
    format!("mcpproof gate {how}{}", words.trim_start()).trim_end().to_owned()
}

/// A server to judge, with all that can be wrong in the settings found out before anything starts.
#[derive(Debug)]
struct Job {
    name: String,
    named: Result<Named, Failure>,
    gate: Gate,
    baseline: Baseline,
    lock: PathBuf,
    /// Nothing where drift is left out.
    held: Option<Locked>,
}

fn jobs(args: &GateArgs, config: &Config) -> Result<Vec<Job>, Failure> {
    if config.server.is_empty() {
        let hint = "`mcpproof init` writes the file, or add a [server.NAME] with `command` or `url`";
        let error = match config.source.0.as_str() {
            "" => "there is no mcpproof.toml here".to_owned(),
            file => format!("{file} names no server to gate"),
        };
        return Err(Failure::usage(error, hint));
    }
    let names: Vec<_> =
        if args.names.is_empty() { config.server.keys().cloned().collect() } else { args.names.clone() };
    names.iter().map(|name| job(name, args, config)).collect()
}

fn job(name: &str, args: &GateArgs, config: &Config) -> Result<Job, Failure> {
    let Some(server) = config.server.get(name) else {
        let known: Vec<_> = config.server.keys().map(String::as_str).collect();
        let hint = did_you_mean(name, known.iter().copied(), &format!("servers: {}", known.join(", ")));
        return Err(Failure::usage(format!("{} has no [server.{name}]", config.source.0), hint));
    };
    let target =
        TargetArgs { target: Some(name.to_owned()), config: args.config.clone(), ..TargetArgs::default() };
    // A variable that is missing here says nothing about the other servers.
    let named = match target::resolve(&target, config) {
        Err(failure) if failure.about == About::Anything => return Err(failure),
        named => named,
    };
    let baselines = config.check.baseline.iter().flatten().map(PathBuf::from);
    let baselines: Vec<_> =
        baselines.chain(server.baseline.iter().map(|path| config.folder.join(path))).collect();
    let lock = lockfile::path(Some(name), config);
    let wants_lock = args.skip != Some(Part::Drift);
    let (named, held) = match named {
        Ok(named) if wants_lock => match lockfile::read(&lock, &format!("mcpproof lock {}", named.args)) {
            Ok(held) => (Ok(named), Some(held)),
            Err(failure) => (Err(failure), None),
        },
        named => (named, None),
    };
    Ok(Job {
        name: name.to_owned(),
        named,
        lock,
        held,
        gate: gate_of(args, config, name)?,
        baseline: Baseline::read(&baselines)?,
    })
}

/// The gate of one server. Entries that match nothing are looked at when all are judged.
fn gate_of(args: &GateArgs, config: &Config, name: &str) -> Result<Gate, Failure> {
    let mut gate = policy::gate(&args.gate, config, Some(name))?;
    gate.policy.shared_allow = false;
    Ok(gate)
}

/// Judges one server; nothing comes back when the user interrupts it.
fn judge(job: Job, args: &GateArgs, settings: &Settings) -> Option<Judged> {
    let mut judged = Judged { name: job.name.clone(), check: None, drift: None, failure: None };
    let named = match &job.named {
        Ok(named) => named,
        Err(_) => return Some(Judged { failure: job.named.err(), ..judged }),
    };
    if args.skip != Some(Part::Check) {
        match check::proofed(named, settings, &job.baseline, args.show.detail()) {
            Ok(Some(proofed)) => judged.check = Some(proofed),
            Ok(None) => return None,
            Err(failure) => judged.failure = Some(failure),
        }
    }
    if let Some(held) = &job.held {
        match drift(&job, named, held, args, settings) {
            Ok(Some(drift)) => judged.drift = Some(drift),
            Ok(None) => return None,
            Err(failure) => judged.failure = Some(failure),
        }
    }
    Some(judged)
}

fn drift(
    job: &Job,
    named: &Named,
    held: &Locked,
    args: &GateArgs,
    settings: &Settings,
) -> Result<Option<(Judgement, DriftContext)>, Failure> {
    let how = settings::gate_again(&args.gate)? + &settings.again(&args::ASKED);
    let source = Source::Live(Box::new(named.clone()));
    let Some(surface) = source.surface(settings)? else { return Ok(None) };
    let shown = job.lock.display().to_string();
    let tokens = lockfile::cost(&surface, held);
    let old = report::Shown { name: &shown, surface: &held.surface, tokens: Some(held.tokens) };
    let new = report::Shown { name: &job.name, surface: &surface, tokens: Some(tokens) };
    let (judgement, ctx) = report::compare(&old, &new, &job.gate);
    let ctx = DriftContext {
        lines: Some(report::lines(&shown, held.lines.clone())),
        reproduce: format!("mcpproof gate --skip check {how}{}", named.args),
        accept: Some(format!("mcpproof accept {}", named.args)),
        hidden: named.hidden.clone(),
        detail: args.show.detail(),
        ..ctx
    };
    Ok(Some((judgement, ctx)))
}

impl Judged {
    fn entry(&self) -> GateEntry<'_> {
        GateEntry {
            name: self.name.clone(),
            check: self.check.as_ref().map(|(report, ctx)| (report, ctx)),
            drift: self.drift.as_ref().map(|(judgement, ctx)| (judgement, ctx)),
            error: self.failure.as_ref().map(printer::failure_line),
        }
    }
}

/// What fails counts first, then what is wrong in files, then what could not run.
fn status(judged: &[Judged], entries: &[GateEntry<'_>]) -> ExitStatus {
    let failures = || judged.iter().filter_map(|one| one.failure.as_ref());
    if entries.iter().any(|entry| entry.outcome() == Outcome::Fail) {
        ExitStatus::Findings
    } else if failures().any(|failure| failure.status == ExitStatus::Usage) {
        ExitStatus::Usage
    } else if entries.iter().any(|entry| entry.outcome() == Outcome::Error) {
        ExitStatus::CouldNotRun
    } else {
        ExitStatus::Clean
    }
}
