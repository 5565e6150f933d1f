//! One conversation with a server, whatever the transport: bytes out, frames in, and how it ended.

use crate::error::{ConnectError, SendError};
use crate::http::{HttpClient, Legacy, Streamable};
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
    Streamable(Box<Streamable>),
    Legacy(Box<Legacy>),
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
            Target::Http(endpoint) => {
                let client = HttpClient::new(endpoint, options.limit, options.open_within, scribe)?;
                Link::Streamable(Box::new(Streamable::new(client)))
            }
            Target::Sse(endpoint) => {
                let client = HttpClient::new(endpoint, options.limit, options.open_within, scribe)?;
                Link::Legacy(Box::new(Legacy::open(client, options.open_within).await?))
            }
        };
        Ok(Self { number, sends: 0, link })
    }

    /// Its number in the transcript.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// HTTP: the client for single requests of any shape to the same URL.
    pub fn http(&self) -> Option<HttpClient> {
        match &self.link {
            Link::Lines(_) => None,
            Link::Streamable(http) => Some(http.client().clone()),
            Link::Legacy(sse) => Some(sse.client().clone()),
        }
    }

    /// Streamable HTTP: the session the server has given, if it has.
    pub fn session(&self) -> Option<String> {
        if let Link::Streamable(http) = &self.link { http.session() } else { None }
    }

    /// Streamable HTTP: the headers that [`Self::send`] would put on `message`, to vary them in a raw request.
    pub fn headers_for(&self, message: &[u8]) -> Vec<(String, String)> {
        if let Link::Streamable(http) = &self.link { http.headers_for(message) } else { Vec::new() }
    }

    /// HTTP: from now on requests carry the headers of `revision` (version header, mirrored headers).
    pub fn adopt(&mut self, revision: Revision) {
        if let Link::Streamable(http) = &mut self.link {
            http.adopt(revision);
        }
    }

    /// Sends one message: with a newline on stdio, as a POST on HTTP. Returns the number of the POST.
    ///
    /// Waits until the server has taken it, but at most a few seconds: a server that does not read is not an error.
    /// A request over HTTP is not waited for: its answer is what [`Self::receive`] gives.
    pub async fn send(&mut self, message: &[u8]) -> Result<u64, SendError> {
        self.send_with_headers(message, &[]).await
    }

    /// Sends one message; over HTTP `extra` headers replace those of the same name. Elsewhere they mean nothing.
    pub async fn send_with_headers(
        &mut self,
        message: &[u8],
        extra: &[(String, String)],
    ) -> Result<u64, SendError> {
        match &mut self.link {
            Link::Lines(_) => self.send_bytes(&[message, b"\n"].concat()).await,
            Link::Streamable(http) => Ok(http.post(message, extra).await),
            Link::Legacy(sse) => Ok(sse.post(message, extra).await),
        }
    }

    /// Writes exactly these bytes to stdin (stdio and in-process only; a POST body elsewhere).
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<u64, SendError> {
        match &mut self.link {
            Link::Lines(lines) => {
                lines.send(bytes.to_vec()).await?;
                self.sends += 1;
                Ok(self.sends)
            }
            Link::Streamable(http) => Ok(http.post(bytes, &[]).await),
            Link::Legacy(sse) => Ok(sse.post(bytes, &[]).await),
        }
    }

    /// Streamable HTTP: starts the GET stream. Its frames come with no exchange, its end or refusal with this number.
    /// `None` on the other transports.
    pub fn open_stream(&mut self, extra: &[(String, String)]) -> Option<u64> {
        if let Link::Streamable(http) = &mut self.link { Some(http.open_stream(extra)) } else { None }
    }

    /// Streamable HTTP: closes the connection on which the answer to POST `id` comes; nothing more comes of it.
    pub fn abandon(&mut self, id: u64) {
        if let Link::Streamable(http) = &mut self.link {
            http.abandon(id);
        }
    }

    /// Waits for what comes next, at most until `deadline`. Streamable HTTP is never [`Received::Closed`].
    pub async fn receive(&mut self, deadline: Instant) -> Received {
        match &mut self.link {
            Link::Lines(lines) => lines.receive(deadline).await,
            Link::Streamable(http) => http.receive(deadline).await,
            Link::Legacy(sse) => sse.receive(deadline).await,
        }
    }

    /// Bytes that came and still wait for their newline (or for the blank line of their event).
    pub fn pending(&self) -> Vec<u8> {
        match &self.link {
            Link::Lines(lines) => lines.pending(),
            Link::Streamable(http) => http.pending(),
            Link::Legacy(sse) => sse.pending(),
        }
    }

    /// The length of what is pending, bytes that were dropped because a line is over the limit included.
    pub fn pending_length(&self) -> usize {
        match &self.link {
            Link::Lines(lines) => lines.pending_length(),
            Link::Streamable(_) | Link::Legacy(_) => self.pending().len(),
        }
    }

    /// Streamable HTTP: how many bytes came of a body that is no event stream and has not ended, and its first ones.
    pub fn open_body(&self) -> Option<(usize, Vec<u8>)> {
        if let Link::Streamable(http) = &self.link { http.open_body() } else { None }
    }

    /// The last lines of stderr, decoded leniently, at most about 4 KiB.
    pub fn stderr_tail(&self) -> String {
        if let Link::Lines(lines) = &self.link { lines.stderr_tail() } else { String::new() }
    }

    /// The exit of the process if it has ended by itself.
    pub fn exited(&mut self) -> Option<Exit> {
        if let Link::Lines(lines) = &self.link { lines.exited() } else { None }
    }

    /// Ends the conversation: end of input, then SIGTERM, then SIGKILL to the whole process group; DELETE on HTTP.
    pub async fn close(self, patience: Patience) -> Ending {
        match self.link {
            Link::Lines(lines) => lines.close(patience).await,
            Link::Streamable(http) => http.close().await,
            Link::Legacy(sse) => sse.close().await,
        }
    }
}
