//! One conversation with a server, whatever the transport: bytes out, frames in, and how it ended.

use crate::exchange::Exchange;
use crate::target::Target;
use crate::transcript::Transcript;
use specs::Revision;
use std::time::Duration;
use tokio::time::Instant;
use wire::Frame;

/// Limits and the transcript of a connection.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// Longest line, event or body in bytes.
    pub limit: usize,
    /// How long opening may take: resolving, connecting, the `endpoint` event of HTTP+SSE.
    pub open_within: Duration,
    /// Where every byte is written down.
    pub transcript: Transcript,
}

/// Why no connection came to be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program is not in PATH or no such file.
    #[error("command not found: `{program}`")]
    CommandNotFound {
        /// The program as given.
        program: String,
    },
    /// The file exists but cannot be executed.
    #[error("cannot execute `{program}`: {cause}")]
    CannotExecute {
        /// The program as given.
        program: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The working directory does not exist.
    #[error("no such directory: `{path}`")]
    NoSuchDirectory {
        /// The path as given.
        path: String,
    },
    /// The URL does not parse or has another scheme.
    #[error("not an http(s) URL: `{url}`: {cause}")]
    BadUrl {
        /// The URL as given.
        url: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A header name or value is not allowed in HTTP.
    #[error("not a valid header: `{name}`")]
    BadHeader {
        /// The header's name.
        name: String,
    },
    /// Name resolution, TCP or TLS failed, or a redirect loop.
    #[error("cannot reach {url}: {cause}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The whole chain of causes in one line.
        cause: String,
    },
    /// HTTP+SSE: the stream opened but the `endpoint` event did not come.
    #[error("no `endpoint` event on {url}: {seen}")]
    NoEndpointEvent {
        /// The URL.
        url: String,
        /// What came instead.
        seen: String,
    },
}

/// A frame with its place in the transcript.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The frame.
    pub frame: Frame,
    /// Index of its record in the transcript.
    pub record: usize,
    /// When it came, since the connection opened.
    pub at: Duration,
    /// HTTP: the id of the POST (see [`Connection::send`]) on whose answer it came; `None` on stdio or a GET stream.
    pub exchange: Option<u64>,
}

/// What came next.
#[derive(Clone, Debug)]
pub enum Received {
    /// A frame.
    Frame(Arrived),
    /// HTTP: the answer to one POST has ended, or its headers said that no message will come.
    Exchange {
        /// The number [`Connection::send`] gave.
        id: u64,
        /// All of it.
        exchange: Box<Exchange>,
    },
    /// HTTP: a POST got no answer at all.
    ExchangeFailed {
        /// The number [`Connection::send`] gave.
        id: u64,
        /// The chain of causes in one line.
        cause: String,
    },
    /// The server closed its end; nothing more will come.
    Closed,
    /// The deadline passed first.
    Silence,
}

/// How the server's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// There is no process: HTTP, or a server in this process.
    NoProcess,
}

/// How long to wait at each step of ending a process.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From closing stdin to SIGTERM.
    pub after_eof: Duration,
    /// From SIGTERM to SIGKILL.
    pub after_term: Duration,
}

/// What it took to end the server.
#[derive(Clone, Debug)]
pub struct Ending {
    /// How the process ended.
    pub exit: Exit,
    /// True when it had ended before we closed stdin.
    pub before_eof: bool,
    /// Time from closing stdin to its exit, if end of input was enough.
    pub by_eof: Option<Duration>,
    /// Time from SIGTERM to its exit, if that was needed and enough.
    pub by_term: Option<Duration>,
    /// True when SIGKILL was needed.
    pub killed: bool,
    /// True when processes of its group outlived it and had to be killed.
    pub left_children: bool,
    /// Frames that came after stdin was closed.
    pub late_frames: Vec<Arrived>,
}

/// Sending failed because the server's end is gone.
#[derive(Debug, thiserror::Error)]
#[error("the server closed its input")]
pub struct SendError;

/// One conversation with a server.
#[derive(Debug)]
pub struct Connection {}

impl Connection {
    /// Starts the command or prepares the HTTP client. HTTP sends nothing yet.
    pub async fn open(target: &Target, options: &ConnectOptions) -> Result<Self, ConnectError> {
        todo!("{target:?} {options:?}")
    }

    /// Its number in the transcript.
    pub fn number(&self) -> u32 {
        todo!()
    }

    /// HTTP: from now on requests carry the headers of `revision` (version header, mirrored headers).
    pub fn adopt(&mut self, revision: Revision) {
        todo!("{revision}")
    }

    /// Sends one message: with a newline on stdio, as a POST on HTTP. Returns the number of the POST.
    pub async fn send(&mut self, message: &[u8]) -> Result<u64, SendError> {
        todo!("{message:?}")
    }

    /// Writes exactly these bytes to stdin (stdio and in-process only; a POST body elsewhere).
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<u64, SendError> {
        todo!("{bytes:?}")
    }

    /// Waits for what comes next, at most until `deadline`.
    pub async fn receive(&mut self, deadline: Instant) -> Received {
        todo!("{deadline:?}")
    }

    /// Bytes that came and still wait for their newline (or for the blank line of their event).
    pub fn pending(&self) -> Vec<u8> {
        todo!()
    }

    /// The last lines of stderr, decoded leniently, at most about 4 KiB.
    pub fn stderr_tail(&self) -> String {
        todo!()
    }

    /// The exit of the process if it has ended by itself.
    pub fn exited(&mut self) -> Option<Exit> {
        todo!()
    }

    /// Ends the conversation: end of input, then SIGTERM, then SIGKILL to the whole process group; DELETE on HTTP.
    pub async fn close(self, patience: Patience) -> Ending {
        todo!("{patience:?}")
    }
}
