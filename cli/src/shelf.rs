//! The HTTP end of a replayed cassette: which request belongs to which conversation. What is answered stands in `surface`.

use serde_json::{Value, json};
use specs::Revision;
use std::collections::BTreeMap;
use std::sync::Arc;
use surface::cassette::{Cassette, Player};
use transport::serve::{HttpAnswer, HttpBody, HttpHandler, HttpRequest};

/// Sessions that are kept; the oldest makes room.
const SESSIONS: usize = 1000;

/// The header of a session.
const SESSION: &str = "mcp-session-id";

const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;
const METHOD_NOT_FOUND: i64 = -32601;

/// A cassette and the conversations that are going on over it.
pub(crate) struct Shelf {
    cassette: Arc<Cassette>,
    sessions: BTreeMap<u64, Player>,
    opened: u64,
    /// Answers what needs no session.
    without: Player,
}

/// Answers one message, or a batch in the revision that has them.
pub(crate) fn hear(player: &mut Player, message: &Value) -> Option<Value> {
    let batches = player.revision().and_then(|revision| revision.parse::<Revision>().ok());
    match message.as_array() {
        Some(all) if !all.is_empty() && batches.is_some_and(Revision::has_batches) => {
            let answers: Vec<_> = all.iter().filter_map(|one| player.hear(one)).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        _ => player.hear(message),
    }
}

impl HttpHandler for Shelf {
    fn answer(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        Some(self.route(request))
    }
}

impl Shelf {
    /// Puts up a cassette.
    pub(crate) fn new(cassette: Arc<Cassette>) -> Self {
        let without = Player::new(Arc::clone(&cassette));
        Self { cassette, sessions: BTreeMap::new(), opened: 0, without }
    }

    fn route(&mut self, request: &HttpRequest) -> HttpAnswer {
        if !is_local(request) {
            return HttpAnswer::empty(403);
        }
        if request.path.split('?').next() != Some("/mcp") {
            return HttpAnswer::empty(404);
        }
        match request.method.as_str() {
            "POST" => self.post(request),
            "DELETE" => match session_of(request).and_then(|id| self.sessions.remove(&id)) {
                Some(_) => HttpAnswer::empty(204),
                None => HttpAnswer::empty(404),
            },
            _ => HttpAnswer::empty(405).with("allow", "POST, DELETE"),
        }
    }

    fn post(&mut self, request: &HttpRequest) -> HttpAnswer {
        let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
            return json_answer(400, &Player::unreadable());
        };
        if message.get("method").is_some_and(|method| method == "initialize") {
            return self.open(&message);
        }
        if let Some(version) = described(&message) {
            return self.stateless(request, &message, version);
        }
        let Some(id) = request.header(SESSION) else {
            // Says what is missing, in the words of the conversation that was recorded.
            let answer = Player::new(Arc::clone(&self.cassette)).hear(&message);
            return answer.map_or_else(|| HttpAnswer::empty(400), |answer| json_answer(400, &answer));
        };
        let Some(player) = id.parse().ok().and_then(|id: u64| self.sessions.get_mut(&id)) else {
            return HttpAnswer::empty(404);
        };
        let version = request.header("mcp-protocol-version");
        // Spec 2025-06-18, transports: a version that is not supported gets a 400; none means an older client.
        if player.revision().and_then(|own| own.parse().ok()).is_some_and(Revision::has_version_header)
            && version.is_some_and(|version| Some(version) != player.revision())
        {
            return HttpAnswer::empty(400);
        }
        match hear(player, &message) {
            Some(answer) => json_answer(200, &answer),
            None => HttpAnswer::empty(202),
        }
    }

    fn open(&mut self, message: &Value) -> HttpAnswer {
        let mut player = Player::new(Arc::clone(&self.cassette));
        let answer = player.hear(message).map(|answer| json_answer(200, &answer));
        let answer = answer.unwrap_or_else(|| HttpAnswer::empty(400));
        if player.revision().is_none() {
            return answer;
        }
        self.opened += 1;
        self.sessions.insert(self.opened, player);
        if self.sessions.len() > SESSIONS {
            self.sessions.pop_first();
        }
        answer.with(SESSION, &self.opened.to_string())
    }

    // Spec 2026-07-28, transports: headers mirror the body; these errors have a status.
    fn stateless(&mut self, request: &HttpRequest, message: &Value, version: &str) -> HttpAnswer {
        let differs = |(name, value): &(&'static str, String)| {
            let said = request.header(name);
            // A name may be encoded without need; what it says then is not looked at.
            let is_encoded = *name == "mcp-name" && said.is_some_and(|said| said.starts_with("=?base64?"));
            !is_encoded && said != Some(transport::header_value(value).as_str())
        };
        if let Some((name, _)) = mirrored(message, version).into_iter().find(differs) {
            let words = format!("{name} does not say what the body says");
            let error = json!({"code": HEADER_MISMATCH, "message": words});
            return json_answer(400, &json!({"jsonrpc": "2.0", "id": message.get("id"), "error": error}));
        }
        let Some(answer) = self.without.hear(message) else { return HttpAnswer::empty(202) };
        let status = match answer.pointer("/error/code").and_then(Value::as_i64) {
            Some(UNSUPPORTED_VERSION) => 400,
            Some(METHOD_NOT_FOUND) => 404,
            _ => 200,
        };
        json_answer(status, &answer)
    }
}

fn session_of(request: &HttpRequest) -> Option<u64> {
    request.header(SESSION)?.parse().ok()
}

/// The headers of a request without a handshake, and what they have to say.
fn mirrored(message: &Value, version: &str) -> Vec<(&'static str, String)> {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let method = text("/method");
    let name = match method.as_deref() {
        Some("tools/call" | "prompts/get") => text("/params/name"),
        Some("resources/read") => text("/params/uri"),
        _ => None,
    };
    let headers =
        [("mcp-protocol-version", Some(version.to_owned())), ("mcp-method", method), ("mcp-name", name)];
    headers.into_iter().filter_map(|(header, value)| Some((header, value?))).collect()
}

/// The revision that a request without a handshake names.
fn described(message: &Value) -> Option<&str> {
    message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")?.as_str()
}

fn json_answer(status: u16, body: &Value) -> HttpAnswer {
    HttpAnswer::new(status, "application/json", HttpBody::Whole(body.to_string().into_bytes()))
}

/// Refuses what a foreign page in a browser sends.
fn is_local(request: &HttpRequest) -> bool {
    let Some(origin) = request.header("origin") else { return true };
    let host = origin.strip_prefix("http://").unwrap_or(origin);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    ["127.0.0.1", "localhost", "[::1]"].contains(&host)
}
