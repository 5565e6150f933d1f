//! `mcpproof replay`: serves a cassette as a server, over stdio or HTTP.

use super::mock::{forward_until_idle, input_closed, listen};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::shelf::{Shelf, hear};
use crate::texts;
use crate::{printer, runtime, tape};
use std::path::PathBuf;
use std::sync::Arc;
use surface::cassette::{Cassette, Player};
use transport::serve::{self, Action, Handler};

const EXAMPLES: &str = "\
What was recorded is answered as it was, whatever the id and the progress token; what was asked twice is
answered in the order of the recording. Anything else gets an error that names the nearest recorded
request and where it differs. Over HTTP it prints its URL and ends after 10 minutes without a
connection, or when a pipe on stdin closes.

Examples:
  mcpproof replay notes.cassette.json
  mcpproof replay --http notes.cassette.json
  mcpproof check -- mcpproof replay notes.cassette.json";

/// What `replay` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// The file that `mcpproof record` wrote
    #[arg(value_name = "CASSETTE")]
    pub cassette: PathBuf,
    /// Serve Streamable HTTP on 127.0.0.1 instead of stdio, and print the URL
    #[arg(long)]
    pub http: bool,
    /// The port; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<ExitStatus, Failure> {
    let cassette = Arc::new(read(args)?);
    let runtime = runtime::start()?;
    let code = runtime.block_on(async {
        if args.http {
            tokio::select! {
                served = over_http(args.port, cassette) => served.map(|()| 0),
                () = input_closed() => Ok(0),
                () = runtime::interrupted() => Ok(0),
            }
        } else {
            Ok(serve::process(Lines(Player::new(cassette))).await)
        }
    });
    // A thread may still wait for input.
    runtime.shutdown_background();
    Ok(ExitStatus::Mock(u8::try_from(code?).unwrap_or(1)))
}

fn read(args: &ReplayArgs) -> Result<Cassette, Failure> {
    let shown = args.cassette.display().to_string();
    let text = texts::read(&args.cassette).map_err(|cause| {
        Failure::file(format!("failed to read cassette `{shown}`"), cause, "write it with `mcpproof record`")
    })?;
    Cassette::parse(&text).map_err(|error| tape::malformed(&shown, &error))
}

async fn over_http(port: u16, cassette: Arc<Cassette>) -> Result<(), Failure> {
    let (outer, address) = listen(port).await?;
    let (inner, behind) = listen(0).await?;
    printer::out(&format!("http://{address}/mcp\n"));
    tokio::select! {
        () = serve::http(inner, Shelf::new(cassette)) => {}
        () = forward_until_idle(outer, behind) => {}
    }
    Ok(())
}

/// One conversation over lines.
struct Lines(Player);

impl Handler for Lines {
    fn input(&mut self, line: &[u8]) -> Vec<Action> {
        let answer = match serde_json::from_slice(line) {
            Ok(message) => hear(&mut self.0, &message),
            Err(_) => Some(Player::unreadable()),
        };
        answer.map(|answer| Action::Write(format!("{answer}\n").into_bytes())).into_iter().collect()
    }
}
