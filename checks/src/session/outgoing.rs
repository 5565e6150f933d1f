//! What we send: requests, deliberate nonsense, and answers to what the server asks. Sending lives in the session.

use crate::log::Sent;
use serde_json::{Value as Json, json};
use wire::{Message, Value};

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
            post: None,
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
            post: None,
        };
        Self { text: text.to_owned(), sent }
    }
}

/// Answers what the server asks of us, so that it is not left hanging.
pub(super) fn answer_to(message: &Message) -> Option<Outgoing> {
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

pub(super) fn version_header(version: &str) -> Vec<(String, String)> {
    vec![("mcp-protocol-version".to_owned(), version.to_owned())]
}

/// The `_meta` of a request in the stateless revision.
pub(crate) fn client_meta(version: &str) -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "mcpproof", "version": env!("CARGO_PKG_VERSION")},
    })
}
