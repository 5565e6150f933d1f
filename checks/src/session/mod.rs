//! One live conversation: opens, sends, and ends with all that was said. What is sent, waiting and taking in have files of their own.

mod intake;
mod outgoing;
mod waiting;

use crate::check::Phase;
use crate::log::{Amount, Conversation, Entry};
use crate::streams::Streams;
use outgoing::version_header;
use serde_json::{Value as Json, json};
use specs::Revision;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use transport::{Connection, Patience, Record, Transcript};

pub(crate) use intake::is_unreadable;
pub(crate) use outgoing::{Outgoing, client_meta};

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// One answer.
    pub(crate) answer: Duration,
    /// The first answer of a fresh server.
    pub(crate) start: Duration,
    /// An answer that needs no work; then the server is asked whether it is alive.
    pub(crate) quick: Duration,
}

/// One live conversation.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Connection,
    /// Where the bytes of all connections are written down.
    pub(crate) transcript: Transcript,
    pub(crate) revision: Revision,
    pub(crate) timing: Timing,
    pub(crate) log: Conversation,
    pub(crate) closed: bool,
    /// True once the server left a request and a later sign-of-life request unanswered.
    pub(crate) mute: bool,
    /// During detection, the end of the run: no answer is waited for beyond it.
    pub(crate) until: Option<Instant>,
    /// HTTP+SSE: what is known of the streams of this server.
    streams: Option<Streams>,
    /// HTTP: headers that each message carries beyond what the revision wants.
    extra: Vec<(String, String)>,
    /// The same for the next message only.
    once: Option<Vec<(String, String)>>,
    next_id: i64,
    began: Instant,
    failures: Vec<(u64, String)>,
    /// How much of an endless line has been read as lines that end by CR alone.
    returns_read: usize,
    /// HTTP: the entry of each exchange that has ended; in a flood nobody can look through all entries each time.
    exchanges: Vec<(u64, usize)>,
    /// The last entry that is nested too deeply to be read.
    unreadable: Option<usize>,
}

impl Session {
    pub(crate) fn new(
        connection: Connection,
        revision: Revision,
        phase: Phase,
        timing: Timing,
        streams: Option<Streams>,
    ) -> Self {
        let log = Conversation {
            phase,
            entries: Vec::new(),
            capabilities: Json::Null,
            initialized_at: None,
            ending: None,
            stderr: String::new(),
            nameless: Arc::default(),
            refused_input: false,
            noise: Amount::default(),
            more_noise: Amount::default(),
        };
        let began = Instant::now();
        Self {
            connection,
            transcript: Transcript::default(),
            revision,
            timing,
            log,
            closed: false,
            mute: false,
            until: None,
            streams,
            extra: Vec::new(),
            once: None,
            next_id: 1,
            began,
            failures: Vec::new(),
            returns_read: 0,
            exchanges: Vec::new(),
            unreadable: None,
        }
    }

    /// Time since the connection opened.
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// HTTP: from now on requests carry the headers of `revision`.
    pub(crate) fn adopt(&mut self, revision: Revision) {
        self.revision = revision;
        self.connection.adopt(revision);
        if !self.extra.is_empty() {
            self.say_version_always();
        }
    }

    /// HTTP: from now on each message names the revision, also where no text asks for it.
    pub(crate) fn say_version_always(&mut self) {
        self.extra = version_header(self.revision.as_str());
    }

    /// HTTP: sends one message whose header names `version`, as its body does; elsewhere headers mean nothing.
    pub(crate) fn say_version_once(&mut self, version: &str) {
        self.once = Some(version_header(version));
    }

    /// The connection, for what only one transport can do.
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Tells a conversation over stdin and stdout from one over HTTP.
    pub(crate) fn is_over_lines(&self) -> bool {
        self.streams.is_none() && self.connection.http().is_none()
    }

    /// The last records of the transcript, of all connections.
    pub(crate) fn last_records(&self, most: usize) -> Vec<Record> {
        let length = self.transcript.len();
        self.transcript.range(length.saturating_sub(most)..length)
    }

    /// Bytes that wait for their newline.
    pub(crate) fn connection_pending(&self) -> Vec<u8> {
        self.connection.pending()
    }

    /// A fresh request id.
    pub(crate) fn fresh_id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Builds a request; in the stateless revision `_meta` describes the client.
    pub(crate) fn build(&mut self, method: &str, params: Json) -> Json {
        let id = self.fresh_id();
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": self.with_meta(params)})
    }

    /// Adds what each request of the stateless revision must carry.
    pub(crate) fn with_meta(&self, mut params: Json) -> Json {
        if !self.revision.is_stateless() {
            return params;
        }
        if params.is_null() {
            params = json!({});
        }
        let wanted = client_meta(self.revision.as_str());
        if let (Some(object), Some(wanted)) = (params.as_object_mut(), wanted.as_object()) {
            let meta = object.entry("_meta").or_insert_with(|| json!({}));
            for (key, value) in wanted {
                if let Some(meta) = meta.as_object_mut() {
                    meta.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        params
    }

    /// Sends and returns the entry and the number of the POST, or `None` when the server is gone.
    pub(crate) async fn send(&mut self, outgoing: Outgoing) -> Option<(usize, u64)> {
        let at = self.log.entries.len();
        let bytes = outgoing.text.into_bytes();
        self.log.entries.push(Entry::Sent(outgoing.sent));
        let extra = self.once.take().unwrap_or_else(|| self.extra.clone());
        match self.connection.send_with_headers(&bytes, &extra).await {
            Ok(post) => {
                if let Some(Entry::Sent(sent)) = self.log.entries.get_mut(at) {
                    sent.post = Some(post);
                }
                Some((at, post))
            }
            Err(_) => {
                self.log.refused_input = true;
                None
            }
        }
    }

    /// Sends two requests before either can be answered: over lines in one go. Returns what [`Self::send`] does.
    pub(crate) async fn send_pair(&mut self, pair: [Outgoing; 2]) -> Option<[(usize, u64); 2]> {
        let [mut first, second] = pair;
        if !self.is_over_lines() {
            return Some([self.send(first).await?, self.send(second).await?]);
        }
        let at = self.log.entries.len();
        self.log.entries.push(Entry::Sent(first.sent.clone()));
        first.text = format!("{}\n{}", first.text, second.text);
        first.sent = second.sent;
        let (next, post) = self.send(first).await?;
        Some([(at, post), (next, post)])
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Json) -> bool {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        let params = self.with_meta(params);
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(Outgoing::message(&message)).await.is_some()
    }

    /// Ends the conversation and returns all that was said.
    pub(crate) async fn end(mut self, linger: Duration, patience: Patience) -> Conversation {
        if !self.closed && !linger.is_zero() {
            self.drain(Instant::now() + linger).await;
        }
        self.log.stderr = self.connection.stderr_tail();
        self.log.ending = Some(self.connection.close(patience).await);
        if let Some(streams) = self.streams {
            streams.ended();
        }
        self.log
    }
}
