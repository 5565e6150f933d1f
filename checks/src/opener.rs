//! Opens conversations, counts the starts of the server, and shares what all revisions share.

use crate::check::Phase;
use crate::evidence::Evidence;
use crate::log::{Conversation, Reply, Sent};
use crate::pace::Pace;
use crate::session::{Outgoing, Session, Timing};
use crate::streams::{Streams, place_in};
use serde_json::{Value as Json, json};
use specs::Revision;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use transport::{ConnectError, ConnectOptions, Connection, Exchange, Patience, Target};

/// Starts of the server allowed per revision.
pub(crate) const START_LIMIT: u32 = 8;

/// How long the first words are waited for before it is looked at whether the server holds its answers back.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// Opens conversations with one target.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) target: Target,
    pub(crate) options: ConnectOptions,
    pub(crate) timing: Timing,
    /// What the server answered to a revision that does not exist; asked once per run.
    pub(crate) counteroffer: Arc<OnceCell<Reply>>,
    /// The newest revision with a handshake that the server speaks, once detection has found it.
    pub(crate) newest_spoken: Option<Revision>,
    /// The server ended when `server/discover` was the first thing it heard.
    pub(crate) died_of_discovery: bool,
    /// HTTP: how `initialize` was refused for want of `MCP-Protocol-Version`; then every request carries it.
    pub(crate) needs_version_header: Arc<OnceLock<String>>,
    /// HTTP+SSE: the first events of a stream; looked at once per run.
    pub(crate) first_events: Arc<OnceCell<Result<Exchange, String>>>,
    /// HTTP+SSE: when the next stream may be opened.
    pub(crate) streams: Streams,
    /// True once the server has been seen to outlive the end of its input; then nobody waits for it again.
    pub(crate) lingers: Arc<AtomicBool>,
    /// How fast the server answers, as seen in all revisions.
    pub(crate) pace: Arc<Pace>,
    /// True once the server is known to leave the id out of errors about proper requests.
    nameless: Arc<AtomicBool>,
    /// The end of the run: detection waits for nothing beyond it.
    until: Option<Instant>,
    starts: Arc<AtomicU32>,
}

impl Opener {
    pub(crate) fn new(target: Target, options: ConnectOptions, timing: Timing) -> Self {
        Self {
            target,
            options,
            timing,
            counteroffer: Arc::default(),
            newest_spoken: None,
            died_of_discovery: false,
            needs_version_header: Arc::default(),
            first_events: Arc::default(),
            streams: Streams::default(),
            lingers: Arc::default(),
            pace: Arc::default(),
            nameless: Arc::default(),
            until: None,
            starts: Arc::default(),
        }
    }

    /// For detection: lets no wait outlast the run.
    pub(crate) fn cut_at(self, deadline: Instant) -> Self {
        Self { until: Some(deadline), ..self }
    }

    /// The same target with a count of starts of its own.
    pub(crate) fn for_revision(&self, starts_so_far: u32) -> Self {
        Self { starts: Arc::new(AtomicU32::new(starts_so_far)), until: None, ..self.clone() }
    }

    /// The word for the transport that `Needs` uses.
    pub(crate) fn transport(&self) -> &'static str {
        match self.target {
            Target::Stdio(_) | Target::InProcess(_) => "stdio",
            Target::Http(_) => "http",
            Target::Sse(_) => "sse",
        }
    }

    /// How often the server was started so far.
    pub(crate) fn starts(&self) -> u32 {
        self.starts.load(Ordering::Relaxed)
    }

    /// Tells whether one more start is allowed.
    pub(crate) fn may_start(&self) -> bool {
        // Over HTTP nothing is started: a session more costs nothing.
        self.transport() != "stdio" || self.starts() < START_LIMIT
    }

    /// Ends a conversation whose ending nobody judges.
    pub(crate) async fn end_quickly(&self, session: Session) -> Conversation {
        self.end_after(session, Duration::ZERO).await
    }

    /// The same after it was listened to for what comes late.
    pub(crate) async fn end_after(&self, session: Session, linger: Duration) -> Conversation {
        let after_eof = if self.lingers.load(Ordering::Relaxed) { 50 } else { 1000 };
        let patience =
            Patience { after_eof: Duration::from_millis(after_eof), after_term: Duration::from_millis(300) };
        let conversation = session.end(linger, patience).await;
        if conversation.ending.as_ref().is_some_and(|ending| ending.by_term.is_some() || ending.killed) {
            self.lingers.store(true, Ordering::Relaxed);
        }
        conversation
    }

    /// Starts the server, or opens an HTTP session.
    pub(crate) async fn open(&self, revision: Revision, phase: Phase) -> Result<Session, ConnectError> {
        let mut options = self.options.clone();
        if let Some(end) = self.until {
            options.open_within = options.open_within.min(end.saturating_duration_since(Instant::now()));
        }
        let over_sse = matches!(self.target, Target::Sse(_));
        let connection = if over_sse {
            self.open_stream(&options).await?
        } else {
            Connection::open(&self.target, &options).await?
        };
        // What could not be started was not started.
        self.starts.fetch_add(1, Ordering::Relaxed);
        let streams = over_sse.then(|| self.streams.clone());
        let mut session = Session::new(connection, revision, phase, self.timing, streams);
        session.until = self.until;
        session.transcript = self.options.transcript.clone();
        session.log.nameless = Arc::clone(&self.nameless);
        if self.needs_version_header.get().is_some() {
            session.say_version_always();
        }
        Ok(session)
    }

    /// HTTP+SSE: opens a stream that does not share its queue with one that was given up just now.
    async fn open_stream(&self, options: &ConnectOptions) -> Result<Connection, ConnectError> {
        if !self.streams.can_tell() {
            self.streams.unnoticed(self.until).await;
        }
        let before = options.transcript.len();
        let connection = Connection::open(&self.target, options).await?;
        let records = options.transcript.range(before..options.transcript.len());
        if self.streams.named(place_in(&records, connection.number())) {
            return Ok(connection);
        }
        connection.close(Patience { after_eof: Duration::ZERO, after_term: Duration::ZERO }).await;
        self.streams.ended();
        self.streams.unnoticed(self.until).await;
        Connection::open(&self.target, options).await
    }
}

impl Session {
    /// Sends `initialize` asking for `version` and waits as long as a cold start may take.
    pub(crate) async fn initialize(&mut self, version: &str) -> Reply {
        let message = initialize_message(self.fresh_id(), version);
        let within = self.timing.start;
        self.request_within(Outgoing::message(&message), within).await
    }

    /// As [`Self::initialize`], for the first words to a server, of which nothing is known yet: evidence when it turns
    /// out to hold its answers back.
    pub(crate) async fn initialize_first(&mut self, version: &str) -> Result<Reply, Box<Evidence>> {
        let message = initialize_message(self.fresh_id(), version);
        let began = Instant::now();
        let at = self.log.entries.len();
        let reply = self.request_within(Outgoing::message(&message), self.timing.start.min(FIRST_LOOK)).await;
        let (Reply::Silent { .. }, Some(post)) = (&reply, self.log.sent(at).and_then(|sent| sent.post))
        else {
            return Ok(reply);
        };
        let released = |(_, sent): (usize, &Sent)| sent.answers.iter().any(|answer| *answer > at);
        let earlier = self.log.all_sent().take_while(|(entry, _)| *entry < at);
        // What was asked before is answered only now: what is asked now may be answered by the next.
        if earlier.filter(|one| released(*one)).count() > 0
            && let Some(evidence) = self.holds_back(at).await
        {
            return Err(Box::new(evidence));
        }
        let deadline = began + self.timing.start;
        Ok(self.answer_to(at, post, began, self.until.map_or(deadline, |end| end.min(deadline))).await)
    }

    /// Takes over what the handshake or discovery declared, and ends the handshake where there is one.
    pub(crate) async fn settle(&mut self, revision: Revision, greeting: &Json) {
        self.adopt(revision);
        self.log.capabilities = greeting.get("capabilities").cloned().unwrap_or(json!({}));
        if !revision.is_stateless() {
            self.notify("notifications/initialized", Json::Null).await;
        }
        self.log.initialized_at = Some(self.log.entries.len());
    }

    /// Sends `server/discover` with everything the stateless revision wants and waits at most `within`.
    pub(crate) async fn discover(&mut self, within: std::time::Duration) -> Reply {
        let message = self.build("server/discover", json!({}));
        self.request_within(Outgoing::message(&message), within).await
    }
}

/// An `initialize` request as a well-behaved client sends it.
pub(crate) fn initialize_message(id: i64, version: &str) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "mcpproof", "version": env!("CARGO_PKG_VERSION")},
    }})
}
