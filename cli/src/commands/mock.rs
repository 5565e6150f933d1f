//! `mcpproof mock`: runs a built-in server.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::{printer, runtime};
use specs::{Revision, Revisions};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::time::Duration;
use tokio::io::{AsyncReadExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long a server may go without a connection before it ends, so that a forgotten one does not stay for ever.
const IDLE: Duration = Duration::from_secs(600);

const EXAMPLES: &str = "\
Over stdio it is a server like any other; it ends at the end of input or by its fault.
Over HTTP it prints its URL and ends after 10 minutes without a connection, or when a pipe on stdin closes.

Examples:
  mcpproof mock good
  mcpproof mock good --revision 2025-11-25
  mcpproof mock good --http
  mcpproof check mock:flawed";

/// What `mock` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MockArgs {
    /// The server; `mcpproof list mocks` shows all of them
    pub name: String,
    /// Speak this revision only
    #[arg(long, value_name = "DATE")]
    pub revision: Option<Revision>,
    /// Serve Streamable HTTP on 127.0.0.1 instead of stdio, and print the URL
    #[arg(long)]
    pub http: bool,
    /// Serve legacy HTTP+SSE on 127.0.0.1 instead of stdio, and print the URL
    #[arg(long, conflicts_with = "http")]
    pub sse: bool,
    /// The port; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Runs the command.
pub(crate) fn run(args: &MockArgs) -> Result<ExitStatus, Failure> {
    known(&args.name)?;
    let revisions = args.revision.map_or(Revisions::ALL, Revisions::only);
    let options = mocks::Options { revisions };
    let runtime = runtime::start()?;
    let code = runtime.block_on(async {
        if args.http || args.sse {
            tokio::select! {
                code = over_http(args, options) => code,
                () = input_closed() => Ok(0),
                () = runtime::interrupted() => Ok(0),
            }
        } else {
            Ok(mocks::serve_stdio(&args.name, options).await.expect("the name was looked up before"))
        }
    });
    // A thread may still wait for input.
    runtime.shutdown_background();
    Ok(ExitStatus::Mock(u8::try_from(code?).unwrap_or(1)))
}

/// Refuses a name that no mock has.
pub(crate) fn known(name: &str) -> Result<(), Failure> {
    if mocks::find(name).is_some() {
        return Ok(());
    }
    let hint = did_you_mean(name, mocks::names(), "`mcpproof list mocks` shows all of them");
    Err(Failure::usage(format!("no mock is named `{name}`"), hint))
}

/// Serves the mock in this process as long as the runtime lives; returns its address.
pub(crate) async fn serve_for_a_check(name: String) -> Result<SocketAddr, Failure> {
    let (listener, address) = listen(0).await?;
    tokio::spawn(async move { mocks::serve_http(&name, mocks::Options::default(), listener).await });
    Ok(address)
}

/// Listens on a port of this machine only.
pub(crate) async fn listen(port: u16) -> Result<(TcpListener, SocketAddr), Failure> {
    let hint = "choose another --port, or 0";
    let failed = |cause| Failure::file(format!("failed to listen on 127.0.0.1:{port}"), cause, hint);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// Serves until the mock ends by its fault or nobody has been connected for long.
async fn over_http(args: &MockArgs, options: mocks::Options) -> Result<i32, Failure> {
    let (outer, address) = listen(args.port).await?;
    let (inner, behind) = listen(0).await?;
    printer::out(&format!("http://{address}/{}\n", if args.sse { "sse" } else { "mcp" }));
    tokio::select! {
        code = mocks::serve_http(&args.name, options, inner) => Ok(code.expect("the name was looked up before")),
        () = forward_until_idle(outer, behind) => Ok(0),
    }
}

/// Hands connections on, which is how it knows whether there are any.
pub(crate) async fn forward_until_idle(outer: TcpListener, behind: SocketAddr) {
    let open = watch::Sender::new(());
    loop {
        let idle = async {
            while open.receiver_count() > 0 {
                open.closed().await;
            }
            tokio::time::sleep(IDLE).await;
        };
        let accepted = tokio::select! {
            accepted = outer.accept() => accepted,
            () = idle => return,
        };
        let Ok((mut front, _)) = accepted else { return };
        let counted = open.subscribe();
        tokio::spawn(async move {
            if let Ok(mut back) = TcpStream::connect(behind).await {
                // A connection that breaks is over either way.
                _ = copy_bidirectional(&mut front, &mut back).await;
            }
            drop(counted);
        });
    }
}

/// Waits until a pipe on stdin closes; for ever when stdin is something else, such as /dev/null.
pub(crate) async fn input_closed() {
    let file = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = file.and_then(|file| file.metadata()).map(|metadata| metadata.file_type());
    if !kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket()) {
        return std::future::pending().await;
    }
    let mut buffer = [0; 1024];
    while tokio::io::stdin().read(&mut buffer).await.is_ok_and(|n| n > 0) {}
}
