//! The mocks by name, and how each is started.

use crate::fault::Fault;
use crate::faults::{QUIRKS, TABLES};
use crate::setup::Setup;
use crate::stdio::{self, Place};
use crate::web;
use specs::Revisions;
use std::fmt;
use std::sync::Arc;
use tokio::net::TcpListener;
use transport::{InProcess, Pipes, Target};

/// What `flawed` does wrong, all at once.
pub(crate) const FLAWED: &[&str] = &[
    "stdout-banner",
    "id-string-becomes-number",
    "notification-unknown-answered",
    "unknown-method-wrong-code",
    "version-echoes-anything",
    "ping-chatty",
    "tool-name-spaces",
    "tool-schema-dangling-ref",
    "cursor-garbage-accepted",
    "call-structured-mismatch",
    "progress-after-response",
    "resource-missing-empty-contents",
    "version-data-missing",
    "cache-hints-missing",
    "eof-ignored",
];

/// A server by name.
#[derive(Clone, Debug)]
pub struct Mock {
    /// `good`, `flawed`, or the id of a fault.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub story: &'static str,
    /// The faults it has.
    pub faults: Vec<&'static Fault>,
}

/// How to start a mock.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The revisions it speaks.
    pub revisions: Revisions,
}

impl Default for Options {
    fn default() -> Self {
        Self { revisions: Revisions::ALL }
    }
}

/// No mock has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMock(pub String);

impl fmt::Display for UnknownMock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no mock is called `{}`", self.0)
    }
}

impl std::error::Error for UnknownMock {}

/// Lists every fault, by area.
pub fn faults() -> impl Iterator<Item = &'static Fault> {
    TABLES.iter().copied().flatten()
}

/// Lists what is odd and yet legal; a checker must be silent about each.
pub fn quirks() -> impl Iterator<Item = &'static Fault> {
    QUIRKS.iter()
}

/// Lists the names of all mocks: `good`, `flawed`, the legal oddities, then every fault.
pub fn names() -> impl Iterator<Item = &'static str> {
    ["good", "flawed"].into_iter().chain(quirks().chain(faults()).map(|fault| fault.id))
}

/// Finds a mock.
pub fn find(name: &str) -> Option<Mock> {
    let by_id = |id: &str| quirks().chain(faults()).find(|fault| fault.id == id);
    match name {
        "good" => Some(Mock { name: "good", story: "Does everything right.", faults: Vec::new() }),
        "flawed" => {
            let faults = FLAWED.iter().filter_map(|id| by_id(id)).collect();
            Some(Mock { name: "flawed", story: "Does a dozen things wrong and still works.", faults })
        }
        id => by_id(id).map(|fault| Mock { name: fault.id, story: fault.story, faults: vec![fault] }),
    }
}

impl Mock {
    pub(crate) fn setup(&self, revisions: Revisions) -> Arc<Setup> {
        Arc::new(Setup::new(revisions, self.faults.clone()))
    }

    /// Makes a target that starts this server anew for each connection, inside this process.
    pub fn in_process(&self, revisions: Revisions) -> Target {
        let setup = self.setup(revisions);
        Target::InProcess(InProcess(Arc::new(move || pipes(Arc::clone(&setup)))))
    }
}

/// Makes a target of the mock `name`, if there is one.
pub fn in_process(name: &str, revisions: Revisions) -> Option<Target> {
    find(name).map(|mock| mock.in_process(revisions))
}

/// How many bytes a pipe holds before its writer waits.
const PIPE: usize = 64 * 1024;

fn pipes(setup: Arc<Setup>) -> Pipes {
    let (client_input, server_output) = tokio::io::duplex(PIPE);
    let (client_output, server_input) = tokio::io::duplex(PIPE);
    tokio::spawn(stdio::run(server_input, server_output, setup, Place::InProcess));
    (Box::new(client_input), Box::new(client_output))
}

/// Serves the mock `name` over stdin and stdout, and returns the exit code for the process.
///
/// The caller should end the process at once: a thread may still wait for input.
pub async fn serve_stdio(name: &str, options: Options) -> Result<i32, UnknownMock> {
    let mock = find(name).ok_or_else(|| UnknownMock(name.to_owned()))?;
    let setup = mock.setup(options.revisions);
    Ok(stdio::run(tokio::io::stdin(), tokio::io::stdout(), setup, Place::Process).await)
}

/// Serves the mock `name` on `listener` until it ends by a fault of its own, and returns the exit code.
///
/// Streamable HTTP is at `/mcp`, HTTP+SSE at `/sse`, each with the revisions that it can carry.
pub async fn serve_http(name: &str, options: Options, listener: TcpListener) -> Result<i32, UnknownMock> {
    let mock = find(name).ok_or_else(|| UnknownMock(name.to_owned()))?;
    Ok(web::run(&mock.setup(options.revisions), listener).await)
}
