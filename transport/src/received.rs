//! What comes out of a connection: frames, ended exchanges, and how the server ended.

use crate::exchange::Exchange;
use std::time::Duration;
use wire::Frame;

/// A frame with its place in the transcript.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The frame.
    pub frame: Frame,
    /// Index of its record in the transcript.
    pub record: usize,
    /// When it came, since the connection opened.
    pub at: Duration,
    /// HTTP: the id of the POST (see [`crate::Connection::send`]) on whose answer it came; `None` on stdio or a GET stream.
    pub exchange: Option<u64>,
}

/// What came next.
#[derive(Clone, Debug)]
pub enum Received {
    /// A frame.
    Frame(Arrived),
    /// HTTP: the answer to one POST has ended, or its headers said that no message will come.
    Exchange {
        /// The number [`crate::Connection::send`] gave.
        id: u64,
        /// All of it.
        exchange: Box<Exchange>,
    },
    /// HTTP: a POST got no answer at all.
    ExchangeFailed {
        /// The number [`crate::Connection::send`] gave.
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
    /// Time from closing stdin to its exit, if end of input was enough; in process, to the end of its output.
    pub by_eof: Option<Duration>,
    /// Time from SIGTERM to its exit, if that was needed and enough.
    pub by_term: Option<Duration>,
    /// True when SIGKILL was needed.
    pub killed: bool,
    /// True when processes of its group outlived it and had to be killed.
    pub left_children: bool,
    /// Frames that came after stdin was closed, up to some thousands of them.
    pub late_frames: Vec<Arrived>,
}

impl Ending {
    /// The ending of something that has no process.
    pub(crate) fn without_process() -> Self {
        Self {
            exit: Exit::NoProcess,
            before_eof: false,
            by_eof: None,
            by_term: None,
            killed: false,
            left_children: false,
            late_frames: Vec::new(),
        }
    }
}
