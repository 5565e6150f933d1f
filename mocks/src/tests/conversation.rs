//! Talks to a mock without a transport: lines in, a transcript out.

use crate::fault::Twist;
use crate::mock::Mock;
use crate::session::Session;
use crate::setup::Setup;
use crate::step::{Flow, Step};
use serde_json::{Value, json};
use specs::{Revision, Revisions};
use std::sync::Arc;

/// A conversation with one server in one revision.
pub(super) struct Talk {
    pub(super) revision: Revision,
    pub(super) session: Session,
    next_id: i64,
}

impl Talk {
    /// Starts a server that speaks only `revision`.
    pub(super) fn with(mock: &Mock, revision: Revision) -> Self {
        Self::among(mock, Revisions::only(revision), revision)
    }

    /// Starts a server that speaks `revisions`, to talk in one of them.
    pub(super) fn among(mock: &Mock, revisions: Revisions, revision: Revision) -> Self {
        Self { revision, session: Session::new(mock.setup(revisions)), next_id: 1 }
    }

    /// Starts the good server and opens the session where there is one.
    pub(super) fn good(revision: Revision) -> Self {
        let mut talk = Self::with(&crate::find("good").expect("good is a mock"), revision);
        talk.open();
        talk
    }

    /// Does the handshake, if the revision has one.
    pub(super) fn open(&mut self) {
        if !self.revision.is_stateless() {
            let params = initialize_params(self.revision.as_str());
            self.ask("initialize", params);
            self.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
    }

    /// Asks and returns everything that is said about it.
    pub(super) fn ask_all(&mut self, method: &str, params: Value) -> Vec<Value> {
        let request = self.request(method, params);
        self.say(request)
    }

    /// Asks and returns the response.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.ask_all(method, params).pop().unwrap_or(Value::Null)
    }

    /// Asks and returns the code of the error.
    pub(super) fn code(&mut self, method: &str, params: Value) -> i64 {
        let reply = self.ask(method, params);
        reply["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} is no error: {reply}"))
    }

    /// Calls a tool and returns the result.
    pub(super) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))["result"].take()
    }

    /// Builds a request with the next id.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": describe(self.revision, params)})
    }

    /// Says one message and returns the messages that come back.
    pub(super) fn say(&mut self, message: Value) -> Vec<Value> {
        self.say_bytes(message.to_string().as_bytes())
    }

    /// Says bytes and returns the messages that come back.
    pub(super) fn say_bytes(&mut self, line: &[u8]) -> Vec<Value> {
        let Flow { steps, .. } = self.session.hear(line);
        let said = |step| if let Step::Say(m) | Step::Tell(m) = step { Some(m) } else { None };
        steps.into_iter().filter_map(said).collect()
    }
}

/// Adds what a stateless request says about itself.
pub(super) fn describe(revision: Revision, mut params: Value) -> Value {
    if revision.is_stateless() {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(revision.as_str());
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
    }
    params
}

/// The params of an initialize that asks for `version`.
pub(super) fn initialize_params(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// Writes down all that a mock does about a list of lines, piece by piece, up to its death.
pub(super) fn replay(setup: Arc<Setup>, lines: Vec<Vec<u8>>) -> impl Iterator<Item = String> {
    let start = |twist: &Twist| if let Twist::Start(text) = twist { Some((*text).to_owned()) } else { None };
    let banner: Vec<_> = setup.twists().filter_map(start).collect();
    let end = format!("(end of input: {:?})\n", setup.end());
    let mut session = Session::new(Arc::clone(&setup));
    let mut alive = true;
    let said = lines.into_iter().map(Some).chain([None]).map_while(move |line| {
        let line = alive.then_some(line)?;
        let Some(line) = line else { return Some(end.clone()) };
        let flow = session.hear(&line);
        alive = !flow.steps.iter().any(|step| matches!(step, Step::Exit(_)));
        Some(format!("> {}\n{}", String::from_utf8_lossy(&line), written(&setup, flow)))
    });
    banner.into_iter().chain(said)
}

/// The same as one text.
pub(super) fn transcript(setup: Arc<Setup>, lines: Vec<Vec<u8>>) -> String {
    replay(setup, lines).collect()
}

fn written(setup: &Setup, flow: Flow) -> String {
    let mut text = flow.cancels.map_or_else(String::new, |cancelled| format!("(drops {cancelled})\n"));
    for step in flow.steps {
        match step {
            Step::Say(message) | Step::Tell(message) if is_huge(&message) => text.push_str("(huge)\n"),
            Step::Say(message) | Step::Tell(message) => {
                text.push_str(&String::from_utf8_lossy(&setup.encode(&message)));
            }
            Step::Raw(bytes) => text.push_str(&String::from_utf8_lossy(&bytes)),
            Step::Wait(_) => text.push_str("(waits)\n"),
            Step::Exit(code) => {
                text.push_str(&format!("(exits with {code})\n"));
                break;
            }
        }
    }
    text
}

fn is_huge(message: &Value) -> bool {
    let text = message.pointer("/result/content/0/text").and_then(Value::as_str);
    text.is_some_and(|text| text.len() > 100_000)
}
