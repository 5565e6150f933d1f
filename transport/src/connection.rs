//! One conversation with a server, whatever the transport: bytes out, frames in, and how it ended.

use crate::error::{ConnectError, SendError};
use crate::received::{Ending, Exit, Patience, Received};
use crate::scribe::Scribe;
use crate::stdio::Lines;
use crate::target::Target;
use crate::transcript::Transcript;
use specs::Revision;
use std::time::Duration;
use tokio::time::Instant;

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

/// One conversation with a server. Dropping it kills the server without asking; [`Connection::close`] asks.
#[derive(Debug)]
pub struct Connection {
    number: u32,
    sends: u64,
    link: Link,
}

/// What carries the messages.
#[derive(Debug)]
enum Link {
    Lines(Box<Lines>),
}

impl Connection {
    /// Starts the command or prepares the HTTP client. Streamable HTTP sends nothing yet.
    pub async fn open(target: &Target, options: &ConnectOptions) -> Result<Self, ConnectError> {
        let scribe = Scribe::new(&options.transcript);
        let number = scribe.number;
        let link = match target {
            Target::Stdio(command) => Link::Lines(Box::new(Lines::spawn(command, options.limit, scribe)?)),
            Target::InProcess(server) => {
                Link::Lines(Box::new(Lines::in_process(server, options.limit, scribe)))
            }
            Target::Http(endpoint) | Target::Sse(endpoint) => {
                let cause = "HTTP is not built yet".to_owned();
                return Err(ConnectError::Unreachable { url: endpoint.url.clone(), cause });
            }
        };
        Ok(Self { number, sends: 0, link })
    }

    /// Its number in the transcript.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// HTTP: from now on requests carry the headers of `revision` (version header, mirrored headers).
    pub fn adopt(&mut self, _revision: Revision) {
        match &mut self.link {
            Link::Lines(_) => {}
        }
    }

    /// Sends one message: with a newline on stdio, as a POST on HTTP. Returns the number of the POST.
    ///
    /// Waits until the server has taken it, but at most a few seconds: a server that does not read is not an error.
    pub async fn send(&mut self, message: &[u8]) -> Result<u64, SendError> {
        match &mut self.link {
            Link::Lines(lines) => {
                lines.send([message, b"\n"].concat()).await?;
                Ok(self.count())
            }
        }
    }

    /// Writes exactly these bytes to stdin (stdio and in-process only; a POST body elsewhere).
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<u64, SendError> {
        match &mut self.link {
            Link::Lines(lines) => {
                lines.send(bytes.to_vec()).await?;
                Ok(self.count())
            }
        }
    }

    fn count(&mut self) -> u64 {
        self.sends += 1;
        self.sends
    }

    /// Waits for what comes next, at most until `deadline`.
    pub async fn receive(&mut self, deadline: Instant) -> Received {
        match &mut self.link {
            Link::Lines(lines) => lines.receive(deadline).await,
        }
    }

    /// Bytes that came and still wait for their newline (or for the blank line of their event).
    pub fn pending(&self) -> Vec<u8> {
        match &self.link {
            Link::Lines(lines) => lines.pending(),
        }
    }

    /// The last lines of stderr, decoded leniently, at most about 4 KiB.
    pub fn stderr_tail(&self) -> String {
        match &self.link {
            Link::Lines(lines) => lines.stderr_tail(),
        }
    }

    /// The exit of the process if it has ended by itself.
    pub fn exited(&mut self) -> Option<Exit> {
        match &self.link {
            Link::Lines(lines) => lines.exited(),
        }
    }

    /// Ends the conversation: end of input, then SIGTERM, then SIGKILL to the whole process group; DELETE on HTTP.
    pub async fn close(self, patience: Patience) -> Ending {
        match self.link {
            Link::Lines(lines) => lines.close(patience).await,
        }
    }
}
