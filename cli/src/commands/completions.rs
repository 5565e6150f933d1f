//! `mcpproof completions`: prints a completion script.

use crate::args::Cli;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use clap::CommandFactory;
use clap_complete::Shell;

/// What `completions` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mcpproof completions bash > ~/.local/share/bash-completion/completions/mcpproof\n  mcpproof completions zsh > ~/.zfunc/_mcpproof"
)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in
    pub shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mcpproof", &mut script);
    printer::out(&String::from_utf8_lossy(&script));
    Ok(ExitStatus::Clean)
}
