//! `mcpproof schema`: prints the JSON Schema of an output.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use clap::ValueEnum;

/// What `schema` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mcpproof schema report > report.schema.json\n  mcpproof schema gate")]
pub(crate) struct SchemaArgs {
    /// The output
    pub of: Of,
}

/// An output with a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Of {
    /// What `check --format json` prints
    Report,
    /// What `diff --format json` prints
    Drift,
    /// What `gate --format json` prints; its parts are those of the other two
    Gate,
}

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs) -> Result<ExitStatus, Failure> {
    match args.of {
        Of::Report => printer::out(reports::SCHEMA),
        Of::Drift => printer::out(reports::drift::SCHEMA),
        Of::Gate => printer::out(reports::drift::gate::SCHEMA),
    }
    Ok(ExitStatus::Clean)
}
