//! `mcpproof mock`: runs a built-in server.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use specs::{Revision, Revisions};
use transport::Endpoint;

/// What `mock` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mcpproof mock good\n  mcpproof mock good --revision 2025-11-25\n  mcpproof check mock:flawed"
)]
pub(crate) struct MockArgs {
    /// The server; `mcpproof list mocks` shows all of them
    pub name: String,
    /// Speak this revision only
    #[arg(long, value_name = "DATE")]
    pub revision: Option<Revision>,
}

/// Runs the command.
pub(crate) fn run(args: &MockArgs) -> Result<ExitStatus, Failure> {
    known(&args.name)?;
    let revisions = args.revision.map_or(Revisions::ALL, Revisions::only);
    let runtime = super::check::runtime()?;
    let served = runtime.block_on(mocks::serve_stdio(&args.name, mocks::Options { revisions }));
    // A thread may still wait for input.
    runtime.shutdown_background();
    let code = served
        .map_err(|error| Failure::usage(error.to_string(), "`mcpproof list mocks` shows all of them"))?;
    Ok(ExitStatus::Mock(u8::try_from(code).unwrap_or(1)))
}

/// Refuses a name that no mock has.
pub(crate) fn known(name: &str) -> Result<(), Failure> {
    if mocks::find(name).is_some() {
        return Ok(());
    }
    let hint = did_you_mean(name, mocks::names(), "`mcpproof list mocks` shows all of them");
    Err(Failure::usage(format!("no mock is named `{name}`"), hint))
}

/// Serves the mock in this process as long as the runtime lives.
pub(super) async fn serve_for_a_check(name: &str) -> Result<Endpoint, Failure> {
    Err(Failure::usage(format!("mock:{name} has no HTTP end yet"), "leave --http out"))
}
