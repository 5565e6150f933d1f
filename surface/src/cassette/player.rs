//! Answers requests from a cassette, in the place of the server that was recorded. Bytes and sockets are for others.

use super::difference::{Difference, differences};
use super::model::{Cassette, Conversation, DISCOVER, Exchange, INITIALIZE, Outcome};
use crate::canonical::same_value;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where a request without a handshake says which revision it speaks.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What a client adds to `_meta` for one conversation only.
const OF_CONVERSATION: &str = "io.modelcontextprotocol/";

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const UNSUPPORTED_VERSION: i64 = -32022;

/// Calls, and the capability under which a server has them.
const CALLS: [(&str, &str); 4] = [
    ("tools/call", "/tools"),
    ("prompts/get", "/prompts"),
    ("resources/read", "/resources"),
    ("completion/complete", "/completions"),
];

/// Differences that an error names.
const NAMED: usize = 3;

/// One conversation with whoever plays the client.
#[derive(Clone, Debug)]
pub struct Player {
    cassette: Arc<Cassette>,
    /// Which recorded conversation the handshake led to, and its revision.
    open: Option<(usize, String)>,
    /// How often each exchange was played: what was asked twice is answered as it was, one after the other.
    played: BTreeMap<(usize, usize), usize>,
}

/// An error as JSON-RPC has it.
struct Problem {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Problem {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    fn to_json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

impl Player {
    /// Starts a conversation.
    pub fn new(cassette: Arc<Cassette>) -> Self {
        Self { cassette, open: None, played: BTreeMap::new() }
    }

    /// The revision that a handshake agreed on.
    pub fn revision(&self) -> Option<&str> {
        self.open.as_ref().map(|(_, revision)| revision.as_str())
    }

    /// Answers a message; notifications and responses get nothing.
    pub fn hear(&mut self, message: &Value) -> Option<Value> {
        let Some(members) = message.as_object() else {
            return Some(reply(Value::Null, Err(&Problem::new(INVALID_REQUEST, "a message is an object"))));
        };
        let id = members.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        let answers = members.contains_key("result") || members.contains_key("error");
        match (members.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => Some(self.request(method, members.get("params"), id)),
            (Some(_), None) if !members.contains_key("id") => None,
            (None, _) if answers => None,
            (_, id) => {
                let problem = Problem::new(INVALID_REQUEST, "a request has a `method` and an `id`");
                Some(reply(id.unwrap_or_default(), Err(&problem)))
            }
        }
    }

    /// Answers bytes that are no JSON.
    pub fn unreadable() -> Value {
        reply(Value::Null, Err(&Problem::new(PARSE_ERROR, "this is no JSON")))
    }

    fn request(&mut self, method: &str, params: Option<&Value>, id: Value) -> Value {
        let params = params.cloned().unwrap_or_default();
        match self.answer(method, &params) {
            Ok(Outcome::Result(result)) => reply(id, Ok(result)),
            Ok(Outcome::Error(error)) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            Err(problem) => reply(id, Err(&problem)),
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Outcome, Problem> {
        if method == INITIALIZE {
            return self.initialize(params).map(Outcome::Result);
        }
        let described = params.get("_meta").and_then(|meta| meta.get(VERSION_KEY));
        let at = match described.and_then(Value::as_str) {
            Some(version) => self.without_handshake(version)?,
            None => match (&self.open, method) {
                (Some((at, _)), _) => *at,
                (None, "ping") => return Ok(Outcome::Result(json!({}))),
                (None, _) => return Err(self.not_open()),
            },
        };
        let cassette = Arc::clone(&self.cassette);
        let conversation = &cassette.conversations[at];
        match method {
            DISCOVER if conversation.opening.method == DISCOVER => {
                Ok(Outcome::Result(Value::Object(conversation.opening.result.clone())))
            }
            "ping" if described.is_none() => Ok(Outcome::Result(json!({}))),
            _ => self.recorded(at, conversation, method, params),
        }
    }

    /// The revisions that were recorded with `opening`, newest first.
    fn revisions(&self, opening: &'static str) -> impl Iterator<Item = (usize, &String)> {
        let all = self.cassette.conversations.iter().enumerate();
        let all = all.filter(move |(_, one)| one.opening.method == opening);
        all.flat_map(|(at, one)| one.revisions.iter().map(move |revision| (at, revision)))
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Problem> {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        let asked = asked.ok_or_else(|| Problem::new(INVALID_PARAMS, "protocolVersion is missing"))?;
        if self.open.is_some() {
            return Err(Problem::new(INVALID_REQUEST, "the conversation is open already"));
        }
        let same = self.revisions(INITIALIZE).find(|(_, revision)| *revision == asked);
        let found = same.or_else(|| self.revisions(INITIALIZE).max_by_key(|(_, revision)| *revision));
        let Some((at, revision)) = found.map(|(at, revision)| (at, revision.clone())) else {
            let known: Vec<_> = self.revisions(DISCOVER).map(|(_, revision)| revision.as_str()).collect();
            let message = format!("no handshake was recorded; this cassette speaks {}", known.join(", "));
            return Err(Problem::new(METHOD_NOT_FOUND, message));
        };
        let mut result = self.cassette.conversations[at].opening.result.clone();
        result.insert("protocolVersion".to_owned(), json!(revision));
        self.open = Some((at, revision));
        self.played.clear();
        Ok(Value::Object(result))
    }

    fn without_handshake(&self, version: &str) -> Result<usize, Problem> {
        if let Some((at, _)) = self.revisions(DISCOVER).find(|(_, revision)| *revision == version) {
            return Ok(at);
        }
        let supported: Vec<_> = self.revisions(DISCOVER).map(|(_, revision)| revision.as_str()).collect();
        if supported.is_empty() {
            return Err(Problem::new(METHOD_NOT_FOUND, "only conversations with a handshake were recorded"));
        }
        let data = json!({"supported": supported, "requested": version});
        Err(Problem::new(UNSUPPORTED_VERSION, format!("{version} was not recorded")).with(data))
    }

    fn not_open(&self) -> Problem {
        match self.revisions(INITIALIZE).next() {
            Some(_) => Problem::new(INVALID_REQUEST, "the conversation begins with initialize"),
            None => Problem::new(INVALID_PARAMS, format!("_meta lacks {VERSION_KEY}")),
        }
    }

    /// Finds what was recorded for a request.
    fn recorded(
        &mut self,
        at: usize,
        conversation: &Conversation,
        method: &str,
        params: &Value,
    ) -> Result<Outcome, Problem> {
        let asked = bare(params);
        let same = conversation.exchanges.iter().enumerate().filter(|(_, one)| one.method == method);
        let mut fitting = same.filter(|(_, one)| one.fits(&asked)).map(|(idx, _)| idx).peekable();
        let Some(first) = fitting.peek().copied() else {
            return self.unknown(conversation, method, &asked);
        };
        let all: Vec<usize> = fitting.collect();
        let turn = self.played.entry((at, first)).or_default();
        let idx = all[(*turn).min(all.len() - 1)];
        *turn += 1;
        Ok(conversation.exchanges[idx].outcome.clone())
    }

    /// Says that nothing was recorded for a request, and what comes nearest.
    fn unknown(&self, conversation: &Conversation, method: &str, asked: &Value) -> Result<Outcome, Problem> {
        // Clients send these as soon as they are declared, and nobody records them; nothing follows from them here.
        let is_idle = match method {
            "logging/setLevel" => conversation.opening.declares("/logging"),
            "resources/subscribe" | "resources/unsubscribe" => {
                conversation.opening.declares("/resources/subscribe")
            }
            _ => false,
        };
        if is_idle {
            return Ok(Outcome::Result(json!({})));
        }
        let Some((nearest, differ)) = nearest(conversation, method, asked) else {
            return Err(never_asked(conversation, method));
        };
        let called = nearest.name.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        let words: Vec<_> = differ.iter().take(NAMED).map(difference_in_words).collect();
        let more = differ.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        let message = format!(
            "this `{method}` was not recorded; the nearest that was{called} differs: {}{more}",
            words.join("; ")
        );
        let data = json!({"nearest": {"method": nearest.method, "params": nearest.params}});
        Err(Problem::new(INVALID_PARAMS, message).with(data))
    }
}

/// No request of this method was recorded.
fn never_asked(conversation: &Conversation, method: &str) -> Problem {
    let mut known: Vec<_> = conversation.exchanges.iter().map(|one| one.method.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
    // A server whose capability is declared has the method; only these params it does not know.
    let capability = CALLS.iter().find(|(call, _)| *call == method).map(|(_, capability)| *capability);
    let has_method = capability.is_some_and(|capability| conversation.opening.declares(capability));
    let code = if has_method { INVALID_PARAMS } else { METHOD_NOT_FOUND };
    Problem::new(code, format!("no `{method}` was recorded; recorded: {known}"))
}

fn reply(id: Value, outcome: Result<Value, &Problem>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(problem) => json!({"jsonrpc": "2.0", "id": id, "error": problem.to_json()}),
    }
}

impl super::model::Opening {
    /// Tells whether the capability at a JSON pointer is declared.
    fn declares(&self, capability: &str) -> bool {
        let found = self.result.get("capabilities").and_then(|all| all.pointer(capability));
        found.is_some_and(|value| *value != Value::Bool(false))
    }
}

impl Exchange {
    /// Makes an exchange of what was sent and what came, without what belongs to one conversation only.
    pub fn new(method: &str, params: &Value, outcome: Outcome) -> Self {
        let params = bare(params);
        let params = if params.as_object().is_some_and(Map::is_empty) { Value::Null } else { params };
        Self { name: None, method: method.to_owned(), params, outcome, redacted: Vec::new() }
    }

    /// Tells whether a request with the bare params `asked` is this one; what is redacted may differ.
    fn fits(&self, asked: &Value) -> bool {
        let mut recorded = bare(&self.params);
        if self.redacted.is_empty() {
            return same_value(&recorded, asked);
        }
        let mut asked = asked.clone();
        for pointer in &self.redacted {
            pointer.level(&mut asked);
            pointer.level(&mut recorded);
        }
        same_value(&recorded, &asked)
    }
}

/// Params without what belongs to one conversation only; an object that holds nothing is left out.
fn bare(params: &Value) -> Value {
    let mut members = params.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(meta)) = members.get_mut("_meta") {
        meta.retain(|key, _| key != "progressToken" && !key.starts_with(OF_CONVERSATION));
    }
    for name in ["_meta", "arguments"] {
        if members
            .get(name)
            .is_some_and(|value| value.is_null() || value.as_object().is_some_and(Map::is_empty))
        {
            members.remove(name);
        }
    }
    Value::Object(members)
}

/// The recorded exchange of `method` that is most like what was asked, and where they differ.
fn nearest<'a>(
    conversation: &'a Conversation,
    method: &str,
    asked: &Value,
) -> Option<(&'a Exchange, Vec<Difference>)> {
    let same = conversation.exchanges.iter().filter(|one| one.method == method);
    let compared = same.map(|one| (one, differences(&bare(&one.params), asked)));
    // Another tool is further away than any other arguments.
    let is_name = |one: &Difference| one.path == "/name" || one.path == "/uri";
    compared.min_by_key(|(_, differ)| (differ.iter().any(is_name), differ.len()))
}

fn difference_in_words(one: &Difference) -> String {
    let short = |value: &Value| {
        let text = value.to_string();
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    match (&one.before, &one.after) {
        (Some(recorded), Some(asked)) => {
            format!("{} is {}, recorded was {}", one.path, short(asked), short(recorded))
        }
        (Some(recorded), None) => format!("{} is absent, recorded was {}", one.path, short(recorded)),
        (None, Some(asked)) => format!("{} is {}, recorded was none", one.path, short(asked)),
        (None, None) => one.path.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
      "cassette": 1,
      "conversations": [
        {"revisions": ["2026-07-28"], "exchanges": [],
         "opening": {"method": "server/discover", "result": {"supportedVersions": ["2026-07-28"]}}},
        {"revisions": ["2025-11-25", "2025-06-18"],
         "opening": {"method": "initialize", "result": {"capabilities": {"tools": {}}}},
         "exchanges": [
           {"method": "tools/list", "result": {"tools": []}},
           {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}, "result": {"n": 3}},
           {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}, "result": {"n": 4}},
           {"name": "login", "method": "tools/call", "params": {"name": "login", "arguments": {"key": "X"}},
            "error": {"code": -1, "message": "no"}, "redacted": ["/params/arguments/key"]}
         ]}
      ]
    }"#;

    fn player() -> Player {
        Player::new(Arc::new(Cassette::parse(TEXT).expect("a cassette")))
    }

    fn ask(player: &mut Player, method: &str, params: Value) -> Value {
        player
            .hear(&json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params}))
            .expect("an answer")
    }

    fn opened() -> Player {
        let mut player = player();
        ask(&mut player, "initialize", json!({"protocolVersion": "2025-06-18"}));
        player
    }

    #[test]
    fn the_revision_asked_for_is_answered_where_it_was_recorded() {
        let answered = |version: &str| {
            ask(&mut player(), "initialize", json!({"protocolVersion": version}))["result"]["protocolVersion"]
                .clone()
        };
        assert_eq!(answered("2025-06-18"), "2025-06-18");
        assert_eq!(answered("2024-11-05"), "2025-11-25");
        let discover =
            |version: &str| ask(&mut player(), "server/discover", json!({"_meta": {VERSION_KEY: version}}));
        assert!(discover("2026-07-28").get("result").is_some());
        assert_eq!(discover("2030-01-01")["error"]["code"], UNSUPPORTED_VERSION);
    }

    #[test]
    fn what_was_recorded_is_answered_whatever_the_id_and_the_token() {
        let mut player = opened();
        let mut call = || {
            let params = json!({"name": "add", "arguments": {"b": 2, "a": 1}, "_meta": {"progressToken": 7}});
            ask(&mut player, "tools/call", params)["result"]["n"].clone()
        };
        // What was asked twice was answered twice; from then on the last answer stays.
        assert_eq!([call(), call(), call()], [json!(3), json!(4), json!(4)]);
        let key = json!({"name": "login", "arguments": {"key": "another"}});
        assert_eq!(ask(&mut opened(), "tools/call", key)["error"]["code"], -1);
    }

    #[test]
    fn an_unknown_call_is_told_with_the_nearest_one_and_what_differs() {
        let params = json!({"name": "add", "arguments": {"a": 1, "b": 5}});
        let error = ask(&mut opened(), "tools/call", params)["error"].clone();
        let message = error["message"].as_str().expect("words");
        assert!(message.contains("/arguments/b is 5, recorded was 2"), "{message}");
        assert_eq!(error["data"]["nearest"]["params"]["name"], "add");
        let error = ask(&mut opened(), "prompts/get", json!({"name": "x"}))["error"].clone();
        let message = error["message"].as_str().expect("words");
        assert!(message.ends_with("recorded: tools/call, tools/list"), "{message}");
        assert_eq!(error["code"], METHOD_NOT_FOUND);
    }

    #[test]
    fn nothing_is_answered_before_the_handshake_and_odd_messages_get_an_error() {
        assert_eq!(ask(&mut player(), "tools/list", json!({}))["error"]["code"], INVALID_REQUEST);
        assert_eq!(player().hear(&json!([])).expect("an answer")["error"]["code"], INVALID_REQUEST);
        assert_eq!(player().hear(&json!({"method": "x", "id": null})).expect("an answer")["id"], Value::Null);
        assert_eq!(player().hear(&json!({"method": "notifications/initialized"})), None);
        assert_eq!(player().hear(&json!({"id": 1, "result": {}})), None);
    }

    #[test]
    fn a_cassette_read_and_written_again_is_the_same_and_mistakes_have_a_line() {
        let cassette = Cassette::parse(TEXT).expect("a cassette");
        assert_eq!(Cassette::parse(&cassette.render()), Ok(cassette));
        let mistake = |from: &str, to: &str| {
            Cassette::parse(&TEXT.replacen(from, to, 1)).expect_err("a mistake").to_string()
        };
        let told = mistake("\"result\": {\"n\": 3}", "\"reslt\": 3");
        assert!(told.starts_with("line 10,") && told.contains("unknown field `reslt`"), "{told}");
        assert!(mistake("\"result\": {\"n\": 3}", "\"name\": \"a\"").contains("this has neither"));
        assert!(mistake("\"cassette\": 1", "\"cassette\": 2").contains("newer than this program"));
        assert!(
            mistake("[\"2026-07-28\"], \"exchanges\"", "[], \"exchanges\"").contains("names no revision")
        );
        assert!(mistake("initialize", "hello").contains("not `hello`"));
    }

    #[test]
    fn revisions_with_the_same_words_become_one_block() {
        let cassette = Cassette::parse(TEXT).expect("a cassette");
        let [modern, older] = <[Conversation; 2]>::try_from(cassette.conversations.clone()).expect("two");
        let apart: Vec<_> = ["2025-06-18", "2025-11-25"]
            .map(|revision| Conversation { revisions: vec![revision.into()], ..older.clone() })
            .into_iter()
            .chain([modern])
            .collect();
        assert_eq!(Cassette::of(apart), cassette);
    }
}
