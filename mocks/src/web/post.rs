//! Streamable HTTP: a posted message and its answer, with sessions and without.

use super::stream::{self, Sink};
use super::{Seat, Web, headers, new_id, refusal};
use crate::call::{CAPABILITIES_KEY, VERSION_KEY};
use crate::problem::Problem;
use crate::session::Session;
use crate::step::{Flow, Step};
use serde_json::Value;
use specs::Revision;
use std::sync::Arc;
use std::time::Duration;
use transport::serve::{HttpAnswer, HttpBody, HttpRequest};

impl Web {
    /// Takes a message of any era.
    pub(super) fn post(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        if !headers::brings_json(request) {
            return Some(refusal(415, Problem::request("send application/json"), Value::Null));
        }
        if !["application/json", "text/event-stream"].iter().all(|kind| headers::accepts(request, kind)) {
            let why = "accept application/json and text/event-stream";
            return Some(refusal(406, Problem::request(why), Value::Null));
        }
        let body = serde_json::from_slice::<Value>(&request.body).ok();
        if self.is_stateless(request, body.as_ref()) {
            return self.post_stateless(request, body);
        }
        let opens = body.as_ref().is_some_and(|body| body["method"] == "initialize");
        if body.is_none() || (opens && request.header("mcp-session-id").is_none()) {
            return self.open_session(request, body);
        }
        let priming = self.priming();
        let seat = match self.seat(request) {
            Ok(seat) => seat,
            Err(answer) => return Some(answer),
        };
        let flow = seat.session.hear(&request.body);
        let reply = respond(seat, body.as_ref(), flow, priming);
        self.finish(reply)
    }

    fn is_stateless(&self, request: &HttpRequest, body: Option<&Value>) -> bool {
        let can = self.stateless.session.setup.spoken().next().is_some();
        let must = self.sessions.spoken().next().is_none();
        let opens = body.is_some_and(|body| body["method"] == "initialize");
        let meta = body.and_then(|body| body.pointer("/params/_meta"));
        let marked = meta.is_some_and(|meta| meta.get(VERSION_KEY).is_some());
        can && (must || (!opens && (marked || headers::is_stateless(request))))
    }

    /// Takes the first message of a session, or one that cannot be read.
    fn open_session(&mut self, request: &HttpRequest, body: Option<Value>) -> Option<HttpAnswer> {
        let mut seat = Seat::new(Session::new(Arc::clone(&self.sessions)));
        let flow = seat.session.hear(&request.body);
        let priming = self.priming();
        let reply = respond(&mut seat, body.as_ref(), flow, priming);
        let mut answer = self.finish(reply)?;
        if seat.session.agreed.is_some() {
            let id = new_id();
            answer = answer.with("mcp-session-id", &id);
            self.seats.insert(id, seat);
        }
        Some(answer)
    }

    fn post_stateless(&mut self, request: &HttpRequest, body: Option<Value>) -> Option<HttpAnswer> {
        let asks = body.as_ref().filter(|body| body.get("id").is_some() && body["method"].is_string());
        // What is asked of other eras is refused for what it is, not for its headers.
        let asks = asks.filter(|body| body["method"] != "initialize");
        if let Some(problem) = asks.and_then(|body| headers::mismatch(request, body)) {
            return Some(refusal(400, problem, asks.map_or(Value::Null, |body| body["id"].clone())));
        }
        let flow = self.stateless.session.hear(&request.body);
        let reply = respond(&mut self.stateless, body.as_ref(), flow, Vec::new());
        self.finish(reply)
    }

    /// Ends the server where the steps say so.
    fn finish(&mut self, reply: Result<HttpAnswer, i32>) -> Option<HttpAnswer> {
        reply.map_err(|code| self.exit.send(code)).ok()
    }
}

/// Does what `flow` says and builds the answer; the error is an exit code.
fn respond(seat: &mut Seat, body: Option<&Value>, flow: Flow, priming: Vec<u8>) -> Result<HttpAnswer, i32> {
    let Flow { key, cancels, steps } = flow;
    if let Some(Step::Exit(code)) = steps.iter().find(|step| matches!(step, Step::Exit(_))) {
        return Err(*code);
    }
    let (told, steps): (Vec<_>, Vec<_>) = steps.into_iter().partition(|step| matches!(step, Step::Tell(_)));
    for step in told {
        if let Step::Tell(message) = step {
            tell(seat, &message);
        }
    }
    if let Some(key) = cancels {
        cancel(seat, &key);
    }
    let said: Vec<_> =
        steps.iter().filter_map(|step| if let Step::Say(m) = step { Some(m) } else { None }).collect();
    let asks = body.is_none_or(is_asking);
    let listens = body.is_some_and(|body| body["method"] == "subscriptions/listen");
    let answered = steps.iter().any(|step| step.response().is_some());
    let calls = body.is_some_and(|body| body["method"] == "tools/call" && body.get("id").is_some());
    let answer = match said[..] {
        [] if !asks => HttpAnswer::empty(202),
        // A server that never answers sends no headers either.
        [] if !listens => HttpAnswer { after: Duration::from_secs(24 * 60 * 60), ..HttpAnswer::empty(200) },
        [message] if answered && !(calls && message.get("result").is_some()) => whole(seat, body, message),
        _ => streamed(seat, body, key, steps, priming, listens && !answered),
    };
    Ok(answer)
}

/// Tells whether a message wants an answer.
fn is_asking(body: &Value) -> bool {
    match body {
        Value::Array(items) => items.is_empty() || items.iter().any(is_asking),
        Value::Object(members) => {
            let outcome = members.contains_key("result") || members.contains_key("error");
            !outcome && (members.contains_key("id") || !members.contains_key("method"))
        }
        _ => true,
    }
}

/// One message as the whole body.
fn whole(seat: &Seat, body: Option<&Value>, message: &Value) -> HttpAnswer {
    let mut bytes = seat.session.setup.encode(message);
    bytes.pop_if(|last| *last == b'\n');
    HttpAnswer::new(status(seat, body, message), "application/json", HttpBody::Whole(bytes))
}

/// The status that a message has as an answer.
fn status(seat: &Seat, body: Option<&Value>, message: &Value) -> u16 {
    let code = message.pointer("/error/code").and_then(Value::as_i64);
    let stateless = seat.session.setup.spoken().any(Revision::is_stateless);
    let meta = body.and_then(|body| body.pointer("/params/_meta"));
    let described =
        [VERSION_KEY, CAPABILITIES_KEY].iter().all(|key| meta.is_some_and(|m| m.get(*key).is_some()));
    match code {
        Some(-32700 | -32600) => 400,
        // Spec 2026-07-28, transports: an unknown method is 404, a request that does not describe itself 400.
        Some(-32601) if stateless => 404,
        Some(-32602) if stateless && !described => 400,
        Some(-32022..=-32020) => 400,
        _ => 200,
    }
}

/// The messages as events, each when it is due.
fn streamed(
    seat: &mut Seat,
    body: Option<&Value>,
    key: Option<String>,
    steps: Vec<Step>,
    priming: Vec<u8>,
    stays: bool,
) -> HttpAnswer {
    let (sink, events) = Sink::open();
    if seat.session.agreed == Some(Revision::V2025_11_25) {
        sink.bytes(priming);
    }
    if let (true, Some(id)) = (stays, body.and_then(|body| body.get("id"))) {
        seat.subscriptions.retain(|(_, sink)| sink.is_open());
        seat.subscriptions.push((id.clone(), sink.clone()));
    }
    let work = stream::play(Arc::clone(&seat.session.setup), steps, sink);
    seat.running.retain(|_, work| !work.is_finished());
    seat.running.extend(key.map(|key| (key, work)));
    let stateless = seat.session.setup.spoken().any(Revision::is_stateless);
    stream::answer(events, stateless)
}

/// Sends a message that belongs to no request where somebody listens.
fn tell(seat: &mut Seat, message: &Value) {
    let id =
        message.pointer("/params/_meta").and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId"));
    let setup = Arc::clone(&seat.session.setup);
    if let Some(id) = id {
        seat.subscriptions.retain(|(_, sink)| sink.is_open());
        if let Some((_, sink)) = seat.subscriptions.iter().find(|(listening, _)| listening == id) {
            sink.message(&setup, message);
        }
        return;
    }
    // Spec 2025-03-26, transports: a message goes to one stream only.
    seat.streams.retain(Sink::is_open);
    if let Some(sink) = seat.streams.last() {
        sink.message(&setup, message);
    }
}

fn cancel(seat: &mut Seat, key: &str) {
    if let Some(work) = seat.running.remove(key) {
        work.abort();
    }
    seat.subscriptions.retain(|(id, _)| crate::call::key(id) != key);
}
