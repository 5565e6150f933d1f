//! The good server over HTTP: who may ask, and which path and method lead where.

mod headers;
mod legacy;
mod post;
mod stream;

use crate::fault::Twist;
use crate::problem::Problem;
use crate::session::Session;
use crate::setup::Setup;
use serde_json::Value;
use specs::{Revision, Revisions};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use stream::Sink;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use transport::serve::{self, HttpAnswer, HttpBody, HttpHandler, HttpRequest};

/// Serves until a fault ends the process, and returns the exit code.
pub(crate) async fn run(setup: &Setup, listener: TcpListener) -> i32 {
    let (exit, mut exited) = mpsc::unbounded_channel();
    tokio::select! {
        () = serve::http(listener, Web::new(setup, exit)) => 0,
        code = exited.recv() => code.unwrap_or(0),
    }
}

/// All that the server remembers.
pub(crate) struct Web {
    /// Streamable HTTP with sessions.
    sessions: Arc<Setup>,
    /// HTTP+SSE.
    legacy: Arc<Setup>,
    /// The stateless requests; they share what a server may know, such as open subscriptions.
    stateless: Seat,
    /// The sessions by their id.
    seats: BTreeMap<String, Seat>,
    exit: mpsc::UnboundedSender<i32>,
    events: u64,
}

/// One session and what it has open.
struct Seat {
    session: Session,
    /// The streams for messages that belong to no request.
    streams: Vec<Sink>,
    /// The streams of subscriptions, by the id of their request.
    subscriptions: Vec<(Value, Sink)>,
    /// What still works on a request, by its key.
    running: HashMap<String, AbortHandle>,
}

impl Seat {
    fn new(session: Session) -> Self {
        Self { session, streams: Vec::new(), subscriptions: Vec::new(), running: HashMap::new() }
    }
}

impl HttpHandler for Web {
    fn answer(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        let mut seen = request.clone();
        let setup = Arc::clone(&self.sessions);
        for twist in setup.twists() {
            if let Twist::HttpIn(edit) = twist {
                edit(&mut seen);
            }
        }
        let mut answer = self.route(&seen)?;
        for twist in setup.twists() {
            if let Twist::HttpOut(edit) = twist {
                edit(request, &mut answer);
            }
        }
        Some(answer)
    }
}

impl Web {
    pub(crate) fn new(setup: &Setup, exit: mpsc::UnboundedSender<i32>) -> Self {
        let streamable = Revisions::between(Revision::V2025_03_26, Revision::NEWEST_WITH_HANDSHAKE);
        let stateless = setup.reaching(Revisions::since(Revision::V2026_07_28));
        Self {
            sessions: setup.reaching(streamable),
            legacy: setup.reaching(Revisions::until(Revision::V2024_11_05)),
            stateless: Seat::new(Session::new(stateless)),
            seats: BTreeMap::new(),
            exit,
            events: 0,
        }
    }

    fn route(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        if !headers::is_local(request) {
            return Some(refusal(
                403,
                Problem::request("the origin or the host is not allowed"),
                Value::Null,
            ));
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let has_sessions = self.sessions.spoken().next().is_some();
        let has_legacy = self.legacy.spoken().next().is_some();
        let has_stateless = self.stateless.session.setup.spoken().next().is_some();
        match (path, request.method.as_str()) {
            ("/sse", "GET") if has_legacy => Some(self.open_legacy()),
            ("/messages", "POST") if has_legacy => self.post_legacy(request),
            ("/mcp", "POST") if has_sessions || has_stateless => self.post(request),
            ("/mcp", "GET") if has_sessions && !headers::is_stateless(request) => Some(self.get(request)),
            ("/mcp", "DELETE") if has_sessions && !headers::is_stateless(request) => {
                Some(self.delete(request))
            }
            ("/mcp", _) if has_sessions => Some(HttpAnswer::empty(405).with("allow", "POST, GET, DELETE")),
            ("/mcp", _) if has_stateless => Some(HttpAnswer::empty(405).with("allow", "POST")),
            _ => Some(HttpAnswer::empty(404)),
        }
    }

    /// Opens a stream for messages that belong to no request.
    fn get(&mut self, request: &HttpRequest) -> HttpAnswer {
        if !headers::accepts(request, "text/event-stream") {
            return refusal(406, Problem::request("accept text/event-stream"), Value::Null);
        }
        let first = self.priming();
        let seat = match self.seat(request) {
            Ok(seat) => seat,
            Err(answer) => return answer,
        };
        let (sink, body) = Sink::open();
        if seat.session.agreed == Some(Revision::V2025_11_25) {
            sink.bytes(first);
        }
        seat.streams.push(sink);
        stream::answer(body, false)
    }

    fn delete(&mut self, request: &HttpRequest) -> HttpAnswer {
        match self.seat(request) {
            Ok(_) => {}
            Err(answer) => return answer,
        }
        self.seats.remove(request.header("mcp-session-id").unwrap_or_default());
        HttpAnswer::empty(204)
    }

    /// The session that a request belongs to, or the refusal.
    fn seat(&mut self, request: &HttpRequest) -> Result<&mut Seat, HttpAnswer> {
        let Some(id) = request.header("mcp-session-id") else {
            return Err(refusal(400, Problem::request("Mcp-Session-Id is missing"), Value::Null));
        };
        let gone = || refusal(404, Problem::request("the session is not known"), Value::Null);
        let seat = self.seats.get_mut(id).ok_or_else(gone)?;
        let names_version = seat.session.agreed.is_some_and(Revision::has_version_header);
        match request.header("mcp-protocol-version") {
            // Spec 2025-06-18, transports: no header means 2025-03-26, which is served the same way here.
            Some(version) if names_version && !self.sessions.spoken().any(|r| r.as_str() == version) => {
                Err(refusal(400, Problem::request("MCP-Protocol-Version is not supported"), Value::Null))
            }
            _ => Ok(seat),
        }
    }

    /// An event that gives the client an id to come back with.
    fn priming(&mut self) -> Vec<u8> {
        self.events += 1;
        format!("id: event-{}\ndata:\n\n", self.events).into_bytes()
    }
}

/// An HTTP error with a JSON-RPC error in it.
fn refusal(status: u16, problem: Problem, id: Value) -> HttpAnswer {
    let body = problem.reply(id).to_string().into_bytes();
    HttpAnswer::new(status, "application/json", HttpBody::Whole(body))
}

/// A session id that nobody guesses.
fn new_id() -> String {
    // The keys of a `RandomState` come from the system's random numbers.
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}
