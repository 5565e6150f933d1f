//! `mcpproof accept`: takes changes over into a lockfile, and says which.

use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::config::GateOptions;
use crate::drift::{lockfile, policy, report, source};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::printer;
use crate::target::TargetArgs;
use std::path::PathBuf;
use transport::shell_word;

const EXAMPLES: &str = "\
Examples:
  mcpproof accept -- node server.js
  mcpproof accept --lock locks/notes.lock https://example.org/mcp
  mcpproof accept my-server

It writes the lockfile and nothing else. To accept a single change for a while and keep the lock,
write an [[allow]] entry into mcpproof.toml:
  [[allow]]
  rule = \"tool-removed\"
  path = \"/tools/search_*\"        # optional; * stands for anything
  fingerprint = \"0123456789ab\"    # optional; just this one change
  reason = \"replaced by find; announced in 2.0\"
  until = \"2026-12-31\"            # optional, the last day it holds";

/// What `accept` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AcceptArgs {
    /// The server, or a file.
    #[command(flatten)]
    pub target: TargetArgs,
    /// The lockfile [default: mcp-surface.lock, or that of the [server.NAME]]
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// How servers are asked.
    #[command(flatten)]
    pub ask: AskArgs,
    /// What is written to standard output.
    #[command(flatten)]
    pub show: ShowArgs,
}

/// Runs the command.
pub(crate) fn run(args: &AcceptArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &args.show)?;
    let word = args.target.target.as_deref();
    let gate = policy::gate(
        &GateOptions { fail_on: Some("never".into()), ..GateOptions::default() },
        &config,
        word,
    )?;
    let source = source::named(&args.target, &config)?;
    let path = args.lock.clone().unwrap_or_else(|| lockfile::path(word, &config));
    let typed = shell_word(&path.to_string_lossy());
    let how = format!("mcpproof lock --output {typed} {}", source.args());
    let held = lockfile::read(&path, &how)?;
    let outputs = Outputs::open(&settings.outputs, None)?;
    let Some(surface) = source.surface(&settings)? else { return Ok(ExitStatus::Interrupted) };
    let lock = lockfile::render(&surface);
    let shown = path.display().to_string();
    let old = report::Shown { name: &shown, surface: &held.surface, tokens: Some(held.tokens) };
    let new = report::Shown { name: source.shown(), surface: &surface, tokens: Some(lock.tokens) };
    let (judgement, mut ctx) = report::compare(&old, &new, &gate);
    ctx.lines = Some(report::lines(&shown, held.lines));
    ctx.reproduce = format!("mcpproof diff {}{typed} {}", settings.again(&args::ASKED), source.args());
    report::write(&outputs, &judgement, &ctx, &settings, &args.show)?;
    if held.text == lock.text {
        printer::err(&format!("nothing to accept: {shown} is as it was\n"));
        return Ok(ExitStatus::Clean);
    }
    lockfile::write(&path, &lock.text)?;
    printer::err(&format!(
        "accepted all of this: wrote {shown} ({}, about {} tokens)\n",
        lockfile::summary(&surface),
        lock.tokens
    ));
    Ok(ExitStatus::Clean)
}
