//! `mcpproof diff`: says what changed between two surfaces, and what that breaks.

use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::config::GateOptions;
use crate::drift::source::{self, Source};
use crate::drift::{policy, report};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::settings;
use crate::target::TargetArgs;
use reports::drift::DriftContext;
use std::collections::BTreeMap;
use surface::Surface;
use transport::shell_word;

const EXAMPLES: &str = "\
OLD and TARGET are each one of:
  FILE                 a lockfile, or JSON with `tools` (and `prompts`, `resources`, ...)
  -                    the same from standard input
  git:REF:PATH         a file of a git revision, from the top of the repository
  http(s)://...        a server to ask; with --sse, a legacy HTTP+SSE one
  mock:NAME            a built-in server
  NAME                 a [server.NAME] of mcpproof.toml
  -- COMMAND ARGS...   a program that speaks MCP over stdin and stdout (TARGET only)

Examples:
  mcpproof diff mcp-surface.lock -- node server.js
  mcpproof diff git:main:mcp-surface.lock mcp-surface.lock
  mcpproof diff before.json after.json --format json
  mcpproof diff --profile model mcp-surface.lock https://example.org/mcp

Settings come from mcpproof.toml ([gate], [rules], [[allow]]), then MCPPROOF_GATE_*, then flags.
Exit codes: 0 passes, 1 changes at or above --fail-on, 2 wrong usage or lock, 3 surface not readable.";

/// What `diff` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// What was: a lockfile, JSON, git:REF:PATH, or a server
    #[arg(value_name = "OLD")]
    pub old: String,
    /// What is now.
    #[command(flatten)]
    pub target: TargetArgs,
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

/// Runs the command.
pub(crate) fn run(args: &DiffArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &args.show)?;
    let named = args.target.target.as_deref();
    let gate = policy::gate(&args.gate, &config, named)?;
    if args.old == "-" && named == Some("-") {
        let hint = "put one of the two into a file";
        return Err(Failure::usage("OLD and TARGET are both `-`, and there is one standard input", hint));
    }
    let old = source::find(&args.old, &args.target, &config)?;
    let new = newer(args, &config)?;
    let outputs = Outputs::open(&settings.outputs, None)?;
    let Some(old_surface) = old.surface(&settings)? else { return Ok(ExitStatus::Interrupted) };
    let Some(new_surface) = new.surface(&settings)? else { return Ok(ExitStatus::Interrupted) };
    let (judgement, mut ctx) = report::compare(&shown(&old, &old_surface), &shown(&new, &new_surface), &gate);
    let how = settings::gate_again(&args.gate)? + &settings.again(&args::ASKED);
    ctx.reproduce = format!("mcpproof diff {how}{}", words(args, &old, &new));
    if let (_, Source::Live(named)) | (Source::Live(named), _) = (&old, &new) {
        ctx.hidden.clone_from(&named.hidden);
    }
    place(&mut ctx, (&old, &old_surface), (&new, &new_surface));
    let status = report::status(&judgement, &ctx);
    report::write(&outputs, &judgement, &ctx, &settings, &args.show)?;
    Ok(status)
}

/// The two sides as the user typed them; the flags of a server come once.
fn words(args: &DiffArgs, old: &Source, new: &Source) -> String {
    let bare = |source: &Source, word: Option<&str>| match source {
        Source::Live(named) => named.bare().to_owned(),
        Source::Text { shown, .. } => shell_word(word.unwrap_or(shown)),
    };
    let flags = [old, new].into_iter().find_map(|source| match source {
        Source::Live(named) => Some(named.flags.clone()),
        Source::Text { .. } => None,
    });
    // Settings may also say how strict the gate is.
    let flags = flags.or_else(|| {
        args.target.config.as_ref().map(|path| format!("--config {} ", shell_word(&path.to_string_lossy())))
    });
    let (old, new) = (bare(old, Some(&args.old)), bare(new, args.target.target.as_deref()));
    format!("{}{old} {new}", flags.unwrap_or_default())
}

/// Says where changes can be looked at: in the lock where the old side is one, else in the new file.
fn place(
    ctx: &mut DriftContext,
    (old, old_surface): (&Source, &Surface),
    (new, new_surface): (&Source, &Surface),
) {
    let is_lock = |text: &str| text.contains("\"lockVersion\"");
    let lines = |surface: &Surface| surface::lock::render(surface, &|_| 0).lines;
    match (old, new) {
        (Source::Text { text, path: Some(path), .. }, _) if is_lock(text) => {
            ctx.lines = Some(report::lines(old.shown(), lines(old_surface)));
            if let Source::Live(named) = new {
                ctx.accept = Some(format!(
                    "mcpproof accept --lock {} {}",
                    shell_word(&path.to_string_lossy()),
                    named.args
                ));
            }
        }
        (_, Source::Text { text, path: Some(_), .. }) => {
            let lines = if is_lock(text) { lines(new_surface) } else { BTreeMap::default() };
            ctx.lines = Some(report::lines(new.shown(), lines));
        }
        _ => {}
    }
}

fn shown<'a>(source: &'a Source, surface: &'a Surface) -> report::Shown<'a> {
    report::Shown { name: source.shown(), surface, tokens: None }
}

fn newer(args: &DiffArgs, config: &config::Config) -> Result<Source, Failure> {
    match &args.target.target {
        Some(word) if args.target.command.is_empty() => source::find(word, &args.target, config),
        Some(word) => Err(Failure::usage(
            format!("two things to compare with: `{word}` and a command"),
            "name one of them",
        )),
        None if args.target.command.is_empty() => {
            Err(Failure::usage(format!("nothing to compare `{}` with", args.old), source::SYNTAX))
        }
        None => source::live(&args.target, config),
    }
}
