//! `mcpproof lock`: writes the lockfile of a surface for the first time.

use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::{lockfile, source};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use crate::target::TargetArgs;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The lockfile holds all that a client sees of the server: each tool, prompt, resource and template,
its capabilities and instructions, in every revision it speaks. It holds no paths, times or commands.
Commit it; `mcpproof diff` and `mcpproof gate` compare with it, and `mcpproof accept` rewrites it.

Examples:
  mcpproof lock -- node server.js
  mcpproof lock --output locks/notes.lock https://example.org/mcp
  mcpproof lock tools.json";

/// What `lock` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LockArgs {
    /// The server, or a file.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Where to write; `-` is standard output [default: mcp-surface.lock, or that of the [server.NAME]]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write over a lockfile that says something else
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// Runs the command.
pub(crate) fn run(args: &LockArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &ShowArgs::default())?;
    let word = args.target.target.as_deref();
    let source = source::named(&args.target, &config)?;
    let path = args.output.clone().unwrap_or_else(|| lockfile::path(word, &config));
    let Some(surface) = source.surface(&settings)? else { return Ok(ExitStatus::Interrupted) };
    let lock = lockfile::render(&surface);
    if path == Path::new("-") {
        printer::out(&lock.text);
        return Ok(ExitStatus::Clean);
    }
    let shown = path.display();
    let held = std::fs::read_to_string(&path).ok();
    let what = format!("{}, about {} tokens", lockfile::summary(&surface), lock.tokens);
    match held {
        Some(held) if held == lock.text => {
            printer::err(&format!("{shown} holds just this already: {what}\n"))
        }
        Some(_) if !args.force => {
            let hint = format!(
                "see what changed with `mcpproof diff {shown} {0}`, take it over with `mcpproof accept --lock {shown} {0}`, or add --force",
                source.args()
            );
            return Err(Failure::usage(format!("`{shown}` is there already and says something else"), hint));
        }
        _ => {
            lockfile::write(&path, &lock.text)?;
            // A server with a name is judged by its name; its lock stands in the settings.
            let by_name = word.filter(|name| args.output.is_none() && config.server.contains_key(*name));
            let command = match by_name {
                Some(name) => format!("mcpproof gate {name}"),
                None => format!("mcpproof diff {shown} {}", source.args()),
            };
            printer::err(&format!("locked {what}\nwrote {shown}; commit it, and let CI run `{command}`\n"));
        }
    }
    Ok(ExitStatus::Clean)
}
