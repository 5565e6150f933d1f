//! Waits for the answer to one request, and answers what the server asks meanwhile.

use super::Client;
use super::error::ClientError;
use crate::exchange::Exchange;
use crate::received::{Arrived, Received};
use serde_json::{Value as Json, json};
use std::time::Duration;
use tokio::time::Instant;
use wire::{Answer, Deviation, Frame, Message, Request, Response, Value};

/// How long the last words of a server that takes no more input are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Pending {
    method: String,
    id: Value,
    /// HTTP: the number of its POST.
    pub(super) post: u64,
    began: Instant,
    deadline: Instant,
    /// An error that names no request; ours may be meant.
    nameless: Option<Value>,
    /// What came meanwhile and could not be the answer, in words.
    odd: Option<String>,
}

impl Pending {
    pub(super) fn new(method: &str, id: i64, deadline: Instant) -> Self {
        Self {
            method: method.to_owned(),
            id: Value::from(json!(id)),
            post: 0,
            began: Instant::now(),
            deadline,
            nameless: None,
            odd: None,
        }
    }

    fn silent(&mut self) -> ClientError {
        match self.nameless.take() {
            Some(error) => refused(&self.method, error),
            None => ClientError::Silent {
                method: self.method.clone(),
                waited: self.began.elapsed(),
                odd: self.odd.take(),
            },
        }
    }
}

impl Client {
    /// Waits for the answer to `pending`.
    pub(super) async fn answer_to(&mut self, mut pending: Pending) -> Result<Value, ClientError> {
        loop {
            match self.connection.receive(pending.deadline).await {
                Received::Frame(arrived) => {
                    if let Some(outcome) = self.take(&mut pending, arrived).await {
                        return outcome;
                    }
                }
                Received::Exchange { id, exchange } if id == pending.post => {
                    // Over HTTP+SSE the POST is only acknowledged; the answer comes on the event stream.
                    if !(self.over_sse && exchange.status < 300) {
                        return from_body(&mut pending, &exchange);
                    }
                }
                Received::ExchangeFailed { id, cause } if id == pending.post => {
                    return Err(ClientError::Failed { method: pending.method, cause });
                }
                Received::Exchange { .. } | Received::ExchangeFailed { .. } => {}
                Received::Closed => return Err(self.gone(pending.method)),
                Received::Silence => return Err(pending.silent()),
            }
            // What has come already comes out even after the deadline, so a flood would go on for ever.
            if Instant::now() >= pending.deadline {
                return Err(pending.silent());
            }
        }
    }

    /// What a server that took no more input has said before.
    pub(super) async fn last_words(&mut self, mut pending: Pending) -> Result<Value, ClientError> {
        pending.deadline = pending.deadline.min(Instant::now() + LAST_WORDS);
        match self.answer_to(pending).await {
            Err(ClientError::Silent { method, .. }) => Err(self.gone(method)),
            said => said,
        }
    }

    fn gone(&mut self, method: String) -> ClientError {
        let (exit, stderr) = (self.connection.exited(), self.connection.stderr_tail());
        ClientError::Gone { method, exit, stderr }
    }

    /// Takes in a frame; gives the outcome when the answer is in it.
    async fn take(&mut self, pending: &mut Pending, arrived: Arrived) -> Option<Result<Value, ClientError>> {
        let ours = arrived.exchange == Some(pending.post);
        let outcome = outcome_in(pending, &arrived.frame, ours);
        let asked: Vec<Request> = match arrived.frame.message {
            Message::Request(request) => vec![request],
            Message::Batch(all) => all
                .into_iter()
                .filter_map(|one| if let Message::Request(request) = one { Some(request) } else { None })
                .collect(),
            _ => Vec::new(),
        };
        // Where there is no handshake a server may not ask, and a client never answers.
        if !self.revision.is_stateless() {
            for request in asked {
                self.reply_to(&request).await;
            }
        }
        outcome
    }

    /// Answers what the server asks, so that it is not left waiting.
    async fn reply_to(&mut self, request: &Request) {
        let id = request.id.to_json();
        let reply: Json = match request.method.as_str() {
            "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
            _ => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
            }
        };
        // A server that is gone is noticed where its answer stays away.
        let _ = self.connection.send(reply.to_string().as_bytes()).await;
    }
}

/// Says what is odd about a frame that is not the answer, if anything is.
fn oddity(frame: &Frame) -> Option<String> {
    let shown = || short(&String::from_utf8_lossy(&frame.raw));
    match frame.message {
        Message::Noise if frame.raw.iter().all(u8::is_ascii_whitespace) => None,
        Message::Noise | Message::Other(_) => {
            Some(format!("{} bytes that are no message: {}", frame.raw.len(), shown()))
        }
        Message::Response(_) => Some(format!("a response to something else: {}", shown())),
        _ => None,
    }
}

/// Says that a frame with a result is nested deeper than is followed, if it is.
fn too_deep(frame: &Frame) -> Option<&str> {
    let is_result = || frame.raw.windows(8).any(|window| window == b"\"result\"");
    let deep = |deviation: &&Deviation| deviation.detail.starts_with("JSON nested too deep");
    let found = frame.deviations.iter().find(deep).filter(|_| is_result())?;
    Some(&found.detail)
}

/// Finds the answer to `pending` in a frame; `ours` says that it came as the answer to our POST.
fn outcome_in(pending: &mut Pending, frame: &Frame, ours: bool) -> Option<Result<Value, ClientError>> {
    for response in frame.responses() {
        if response.answers(&pending.id) != Answer::No {
            return Some(outcome(&pending.method, response));
        }
        let nameless = matches!(response.id, None | Some(Value::Null));
        if let (true, Some(error)) = (nameless, &response.error) {
            if ours {
                return Some(Err(refused(&pending.method, error.clone())));
            }
            pending.nameless = Some(error.clone());
        }
    }
    if let Some(limit) = too_deep(frame) {
        // Nothing else can come that would be the answer, so waiting for it tells nobody more.
        let what = format!("could not be read: {limit}");
        return Some(Err(ClientError::Misshapen { method: pending.method.clone(), what }));
    }
    if pending.odd.is_none() {
        pending.odd = oddity(frame);
    }
    None
}

fn outcome(method: &str, response: &Response) -> Result<Value, ClientError> {
    match (&response.error, &response.result) {
        // Serialisers of some languages write out what is absent.
        (Some(Value::Null), Some(result)) => Ok(result.clone()),
        (Some(error), _) => Err(refused(method, error.clone())),
        (None, Some(result)) => Ok(result.clone()),
        (None, None) => {
            let what = "is missing, and so is an error".to_owned();
            Err(ClientError::Misshapen { method: method.to_owned(), what })
        }
    }
}

fn refused(method: &str, error: Value) -> ClientError {
    let code = error.get("code").and_then(Value::as_i64);
    let message = error.get("message").and_then(Value::as_str);
    let words = match (code, message) {
        (Some(code), Some(message)) => format!("error {code}, {}", short(message)),
        _ => format!("error {}", short(&error.to_string())),
    };
    ClientError::Refused { method: method.to_owned(), code, error, words }
}

/// The outcome of an HTTP answer whose body was not delivered as messages: another content type, or a refusal.
fn from_body(pending: &mut Pending, exchange: &Exchange) -> Result<Value, ClientError> {
    let unfinished = exchange.unterminated.as_ref().and_then(|event| event.data.as_ref());
    let bytes = unfinished.map_or(exchange.body.as_slice(), |data| data.as_bytes());
    outcome_in(pending, &Frame::read(bytes), true).unwrap_or_else(|| {
        let kind = exchange.header("content-type").unwrap_or("no content type");
        let location = exchange.header("location").map(|to| format!(", it redirects to {to}"));
        let body = short(&String::from_utf8_lossy(&exchange.body));
        let body = if body.is_empty() { "an empty body".to_owned() } else { format!("`{body}`") };
        Err(ClientError::NoMessage {
            method: pending.method.clone(),
            status: exchange.status,
            seen: format!("{kind}, {body}{}", location.unwrap_or_default()),
        })
    })
}

/// The first words of `text`, on one line.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 120;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
