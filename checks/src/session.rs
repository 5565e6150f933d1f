//! One live conversation: sends, matches answers to requests leniently, answers the server's own requests, logs everything.

use crate::check::Phase;
use crate::log::{Answer, Conversation, Entry, Reply, Sent, is_too_deep};
use serde_json::{Value as Json, json};
use specs::Revision;
use std::time::Duration;
use tokio::time::Instant;
use transport::{Arrived, Connection, Exchange, Patience, Received};
use wire::{Deviation, DeviationKind, Frame, Message, SseReader, Value};

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
    pub(crate) revision: Revision,
    pub(crate) timing: Timing,
    pub(crate) log: Conversation,
    pub(crate) closed: bool,
    /// True once the server left a request and a later sign-of-life request unanswered.
    pub(crate) mute: bool,
    /// During detection, the end of the run: no answer is waited for beyond it.
    pub(crate) until: Option<Instant>,
    over_sse: bool,
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

/// One request to send.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// The text on the wire.
    pub(crate) text: String,
    /// What we know of it.
    pub(crate) sent: Sent,
}

impl Outgoing {
    /// A message as JSON; id, method and token are read off it.
    pub(crate) fn message(message: &Json) -> Self {
        let value = Value::from(message.clone());
        let text = value.to_string();
        let sent = Sent {
            text: text.clone(),
            id: value.get("id").cloned(),
            method: value.get("method").and_then(Value::as_str).map(str::to_owned),
            progress_token: value.pointer("/params/_meta/progressToken").cloned(),
            answers: Vec::new(),
            cancelled: None,
            improper: false,
        };
        Self { text, sent }
    }

    /// Text that is deliberately no proper message; an answer to `id` counts as its answer.
    pub(crate) fn improper(text: &str, id: Option<Value>) -> Self {
        let sent = Sent {
            text: text.to_owned(),
            id,
            method: None,
            progress_token: None,
            answers: Vec::new(),
            cancelled: None,
            improper: true,
        };
        Self { text: text.to_owned(), sent }
    }
}

impl Session {
    pub(crate) fn new(
        connection: Connection,
        revision: Revision,
        phase: Phase,
        timing: Timing,
        over_sse: bool,
    ) -> Self {
        let log = Conversation {
            phase,
            entries: Vec::new(),
            capabilities: Json::Null,
            initialized_at: None,
            ending: None,
            stderr: String::new(),
        };
        let began = Instant::now();
        Self {
            connection,
            revision,
            timing,
            log,
            closed: false,
            mute: false,
            until: None,
            over_sse,
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
            Ok(post) => Some((at, post)),
            Err(_) => None,
        }
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

    /// Sends a request and waits for its answer at most `within`.
    pub(crate) async fn request_within(&mut self, outgoing: Outgoing, within: Duration) -> Reply {
        let began = Instant::now();
        let deadline = self.until.map_or(began + within, |end| end.min(began + within));
        match self.send(outgoing).await {
            Some((at, post)) => self.answer_to(at, post, began, deadline).await,
            None => self.gone_after_send().await,
        }
    }

    /// Takes in the last words of a server that no longer takes input.
    pub(crate) async fn gone_after_send(&mut self) -> Reply {
        self.drain(Instant::now() + Duration::from_millis(500)).await;
        self.gone()
    }

    /// Waits for the answer to entry `at`.
    pub(crate) async fn answer_to(
        &mut self,
        at: usize,
        post: u64,
        began: Instant,
        deadline: Instant,
    ) -> Reply {
        let mut unfinished_since = None;
        loop {
            if let Some(answer) = self.answer_at(at, post, began) {
                return Reply::Answered(Box::new(answer));
            }
            if let Some(ended) = self.without_message(post) {
                let served = matches!(&ended, Reply::NoMessage(exchange) if exchange.status < 300);
                if served && self.log.take_nameless_error(at, post, false) {
                    continue;
                }
                return ended;
            }
            if self.is_unread(at) {
                return self.silent(at, began);
            }
            if self.closed {
                return self.gone();
            }
            let next = deadline.min(Instant::now() + Duration::from_millis(250));
            if !self.pump(next).await {
                if self.log.take_nameless_error(at, post, Instant::now() >= deadline) {
                    continue;
                }
                if let Some(answer) = self.unfinished(at, post, began, &mut unfinished_since) {
                    return Reply::Answered(Box::new(answer));
                }
                if Instant::now() >= deadline {
                    return self.silent(at, began);
                }
            }
        }
    }

    fn silent(&self, at: usize, began: Instant) -> Reply {
        let (pending, unread) = (self.connection.pending(), self.is_unread(at));
        Reply::Silent { waited: began.elapsed(), alive: false, pending, unread }
    }

    /// Tells whether something came after entry `at` that is nested too deeply to be read.
    fn is_unread(&self, at: usize) -> bool {
        self.unreadable.is_some_and(|entry| entry >= at)
    }

    /// An answer that came whole but for its newline or blank line counts once nothing followed for a while.
    fn unfinished(
        &mut self,
        at: usize,
        post: u64,
        began: Instant,
        since: &mut Option<(usize, Instant)>,
    ) -> Option<Answer> {
        const PATIENCE: Duration = Duration::from_millis(600);
        let pending = self.connection.pending();
        let over_http = self.connection.http().is_some();
        let waiting = if over_http { unfinished_events(&pending) } else { self.unfinished_lines(&pending) };
        let id = self.log.sent(at)?.id.as_ref();
        let ours =
            |frame: &Frame| frame.responses().next().is_some_and(|response| response.id.as_ref() == id);
        let frame = waiting.into_iter().find(ours)?;
        let response = frame.responses().next()?.clone();
        let (length, seen) = *since.get_or_insert((pending.len(), Instant::now()));
        if length != pending.len() {
            *since = None;
            return None;
        }
        if seen.elapsed() < PATIENCE {
            return None;
        }
        if !over_http && self.take_returns() {
            *since = None;
            return None;
        }
        let sent = self.log.sent(at)?.text.clone();
        let arrived = Arrived { frame, record: 0, at: self.age(), exchange: Some(post) };
        Some(Answer { response, arrived, sent, took: began.elapsed(), post })
    }

    /// The lines in bytes that wait for their newline, which a server that ends them by CR alone never sends.
    fn unfinished_lines(&mut self, pending: &[u8]) -> Vec<Frame> {
        if pending.len() < self.returns_read {
            // A newline came after all.
            self.returns_read = 0;
        }
        let lines = pending[self.returns_read..].split(|byte| *byte == b'\r');
        lines.filter(|line| !line.trim_ascii().is_empty()).map(Frame::read).collect()
    }

    /// Takes in the messages of a server that ends its lines by CR alone, of which the reader of lines makes nothing.
    fn take_returns(&mut self) -> bool {
        let pending = self.connection.pending();
        let last = pending.iter().rposition(|byte| *byte == b'\r');
        let Some(end) = last.filter(|end| *end >= self.returns_read || pending.len() < self.returns_read)
        else {
            return false;
        };
        let frames = self.unfinished_lines(&pending[..end]);
        self.returns_read = end + 1;
        let some = !frames.is_empty();
        for mut frame in frames {
            frame.raw.push(b'\r');
            let detail = "the message ends in CR alone";
            frame.deviations.push(Deviation::new(DeviationKind::MissingFinalNewline, detail));
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: None });
        }
        some
    }

    fn answer_at(&self, at: usize, post: u64, began: Instant) -> Option<Answer> {
        let sent = self.log.sent(at)?;
        let entry = *sent.answers.first()?;
        let Entry::Got { arrived, answers } = self.log.entries.get(entry)? else { return None };
        let which = answers.iter().position(|answer| *answer == Some(at))?;
        let response = arrived.frame.responses().nth(which)?.clone();
        let (arrived, sent) = (arrived.clone(), sent.text.clone());
        Some(Answer { response, arrived, sent, took: began.elapsed(), post })
    }

    /// HTTP: the POST ended or failed, and no message came on it.
    fn without_message(&self, number: u64) -> Option<Reply> {
        if let Some((_, cause)) = self.failures.iter().find(|(post, _)| *post == number) {
            return Some(Reply::Failed(cause.clone()));
        }
        let (_, at) = self.exchanges.iter().rev().find(|(post, _)| *post == number)?;
        let Entry::Exchange { exchange, .. } = self.log.entries.get(*at)? else { return None };
        // Over HTTP+SSE the POST is only acknowledged; the answer comes on the event stream.
        if self.over_sse && exchange.status < 300 { None } else { Some(Reply::NoMessage(exchange.clone())) }
    }

    fn gone(&mut self) -> Reply {
        self.closed = true;
        Reply::Gone { exit: self.connection.exited(), stderr: self.connection.stderr_tail() }
    }

    /// Takes in whatever comes until `deadline`.
    pub(crate) async fn drain(&mut self, deadline: Instant) {
        while !self.closed && self.pump(deadline).await {}
    }

    /// Takes in one thing, logs it, and answers requests of the server; false when nothing came until `deadline`.
    pub(crate) async fn pump(&mut self, deadline: Instant) -> bool {
        // A server that ends its lines by CR alone is looked after more often.
        const GLANCE: Duration = Duration::from_millis(20);
        let next = if self.returns_read > 0 { deadline.min(Instant::now() + GLANCE) } else { deadline };
        match self.connection.receive(next).await {
            Received::Frame(arrived) => {
                let answer = answer_to(&arrived.frame.message);
                if is_unreadable(&arrived.frame) {
                    self.unreadable = Some(self.log.entries.len());
                }
                self.log.take_frame(arrived);
                if let Some(answer) = answer {
                    self.send(answer).await;
                }
            }
            Received::Exchange { id, exchange } => self.take_exchange(id, exchange),
            Received::ExchangeFailed { id, cause } => self.failures.push((id, cause)),
            Received::Closed => {
                if !self.closed {
                    self.log.entries.push(Entry::Closed);
                }
                self.closed = true;
            }
            Received::Silence => {
                return (self.returns_read > 0 && self.take_returns()) || Instant::now() < deadline;
            }
        }
        true
    }

    fn take_exchange(&mut self, post: u64, exchange: Box<Exchange>) {
        // A JSON-RPC body under another content type is still read; the content type has a check of its own.
        let media = exchange.media_type();
        if media != "application/json" && media != "text/event-stream" {
            let frame = Frame::read(&exchange.body);
            let events = SseReader::with_limit(exchange.body.len() + 1).push(&exchange.body);
            let frames = events.into_iter().filter_map(|event| Some(Frame::of(event.data?.into_bytes())));
            let is_one = frame.responses().next().is_some();
            let frames = if is_one { vec![frame] } else { frames.collect() };
            for frame in frames
                .into_iter()
                .filter(|frame| !matches!(frame.message, Message::Noise | Message::Other(_)))
            {
                self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
            }
        }
        // So are messages without `data:` in what is called an event stream, and an event whose blank line never
        // came; they have checks, too.
        for frame in crate::server::raw_messages(&exchange) {
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
        }
        let unfinished = exchange.unterminated.as_ref().and_then(|event| event.data.as_ref());
        if let Some(data) =
            unfinished.filter(|data| Frame::read(data.as_bytes()).responses().next().is_some())
        {
            let frame = Frame::read(data.as_bytes());
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
        }
        self.exchanges.push((post, self.log.entries.len()));
        self.log.entries.push(Entry::Exchange { post, exchange });
    }

    /// Ends the conversation and returns all that was said.
    pub(crate) async fn end(mut self, linger: Duration, patience: Patience) -> Conversation {
        if !self.closed && !linger.is_zero() {
            self.drain(Instant::now() + linger).await;
        }
        self.log.stderr = self.connection.stderr_tail();
        self.log.ending = Some(self.connection.close(patience).await);
        if self.over_sse {
            // Until then a server with one queue for all streams gives the answers of the next one to this one.
            tokio::time::sleep(crate::server::UNNOTICED).await;
        }
        self.log
    }
}

/// Answers what the server asks of us, so that it is not left hanging.
fn answer_to(message: &Message) -> Option<Outgoing> {
    let Message::Request(request) = message else { return None };
    let id = request.id.to_json();
    let answer = match request.method.as_str() {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
        }
    };
    let mut outgoing = Outgoing::message(&answer);
    outgoing.sent.id = None;
    Some(outgoing)
}

/// Tells whether a frame is nothing that could be read because of its nesting.
pub(crate) fn is_unreadable(frame: &Frame) -> bool {
    matches!(frame.message, Message::Noise) && is_too_deep(&frame.raw)
}

fn version_header(version: &str) -> Vec<(String, String)> {
    vec![("mcp-protocol-version".to_owned(), version.to_owned())]
}

/// The messages in events that wait for their blank line, of all streams that are open.
fn unfinished_events(pending: &[u8]) -> Vec<Frame> {
    let lines = pending.split(|byte| matches!(byte, b'\n' | b'\r'));
    let messages = lines.filter_map(|line| match line {
        // What stands there without `data:` is read as well.
        [b'{', ..] => Some(line),
        _ => line.strip_prefix(b"data:"),
    });
    messages.map(|data| Frame::read(data.trim_ascii())).collect()
}

/// The `_meta` of a request in the stateless revision.
pub(crate) fn client_meta(version: &str) -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "mcpproof", "version": env!("CARGO_PKG_VERSION")},
    })
}
