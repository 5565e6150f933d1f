//! `mcpproof eval`: judges parts of the program on data. What is judged and how stands in the rooms.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use clap::Subcommand;

mod folder;
mod leave_one_out;
mod methods;
mod retrieval;
mod table;

/// What `eval` takes.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct EvalArgs {
    /// What to judge.
    #[command(subcommand)]
    pub what: EvalCommand,
}

/// What can be judged.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Judge search: how often the right tool is among the first hits, and how long that takes
    Retrieval(Box<retrieval::RetrievalArgs>),
}

/// Runs the command.
pub(crate) fn run(args: &EvalArgs) -> Result<ExitStatus, Failure> {
    match &args.what {
        EvalCommand::Retrieval(args) => retrieval::run(args),
    }
}
