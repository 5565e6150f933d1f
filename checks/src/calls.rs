//! Which tools of a foreign server may be called, with which arguments, and what came of it.

use crate::check::Stop;
use crate::log::Reply;
use crate::peer::Peer;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use wire::Value;

/// Tools called per revision.
const TOOL_LIMIT: usize = 5;

/// Words in a name that promise a look without a touch.
const HARMLESS: &[&str] = &[
    "calculate",
    "compare",
    "count",
    "current",
    "describe",
    "diff",
    "echo",
    "explain",
    "find",
    "get",
    "greet",
    "hello",
    "help",
    "info",
    "inspect",
    "list",
    "lookup",
    "now",
    "parse",
    "ping",
    "read",
    "reverse",
    "search",
    "show",
    "slow",
    "status",
    "structured",
    "sum",
    "summarize",
    "time",
    "validate",
    "version",
    "weather",
    "whoami",
];

/// Words that are harmless where every argument is a number: `add` adds numbers, or a user.
const ARITHMETIC: &[&str] = &["add", "convert", "divide", "multiply", "subtract"];

/// Words in a name that rule a call out, whatever else it says.
const HARMFUL: &[&str] = &[
    "append",
    "apply",
    "approve",
    "archive",
    "assign",
    "book",
    "buy",
    "call",
    "cancel",
    "charge",
    "clear",
    "click",
    "clone",
    "close",
    "comment",
    "commit",
    "create",
    "delete",
    "deploy",
    "destroy",
    "disable",
    "download",
    "drop",
    "edit",
    "email",
    "enable",
    "enroll",
    "exec",
    "execute",
    "generate",
    "grant",
    "import",
    "in",
    "insert",
    "install",
    "invite",
    "kill",
    "log",
    "mark",
    "merge",
    "message",
    "modify",
    "move",
    "navigate",
    "notify",
    "off",
    "on",
    "open",
    "order",
    "out",
    "pay",
    "post",
    "publish",
    "purge",
    "push",
    "put",
    "refund",
    "register",
    "reject",
    "remove",
    "rename",
    "replace",
    "reply",
    "request",
    "reset",
    "restart",
    "revoke",
    "run",
    "save",
    "schedule",
    "send",
    "set",
    "share",
    "shell",
    "shutdown",
    "sign",
    "start",
    "stop",
    "submit",
    "subscribe",
    "sync",
    "terminate",
    "toggle",
    "transfer",
    "trigger",
    "type",
    "uninstall",
    "unsubscribe",
    "update",
    "upload",
    "upsert",
    "write",
];

/// One call and what came of it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its definition as listed.
    pub definition: Value,
    /// The arguments.
    pub arguments: Json,
    /// The progress token it was given.
    pub token: Option<Json>,
    /// What came of it.
    pub reply: Reply,
}

impl Call {
    /// The result, if it was answered with one.
    pub fn result(&self) -> Option<&Value> {
        if let Reply::Answered(answer) = &self.reply { answer.result() } else { None }
    }

    /// Tells whether the tool itself reports a failure.
    pub fn is_error_result(&self) -> bool {
        self.result().and_then(|result| result.get("isError")).and_then(Value::as_bool) == Some(true)
    }
}

/// Tells whether a tool may be called without asking its owner: it says that it only reads, or says nothing and its
/// name promises so.
pub(crate) fn is_harmless(tool: &Value) -> bool {
    let hint = |name: &str| tool.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
    if hint("readOnlyHint") == Some(true) {
        return true;
    }
    let warns = ["destructiveHint", "openWorldHint"].iter().any(|name| hint(name) == Some(true));
    if warns || hint("readOnlyHint") == Some(false) {
        return false;
    }
    let words = words_of(tool.get("name").and_then(Value::as_str).unwrap_or(""));
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    !any(HARMFUL) && (any(HARMLESS) || any(ARITHMETIC) && takes_numbers_only(tool))
}

/// Tells whether a tool takes arguments, and each of them is a number.
fn takes_numbers_only(tool: &Value) -> bool {
    let properties = tool.pointer("/inputSchema/properties").and_then(Value::as_object);
    let is_number =
        |schema: &Value| matches!(schema.get("type").and_then(Value::as_str), Some("number" | "integer"));
    properties.is_some_and(|properties| {
        !properties.is_empty() && properties.iter().all(|(_, schema)| is_number(schema))
    })
}

/// Splits a name at case changes, digits and punctuation.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let edge = !c.is_alphabetic() || (c.is_uppercase() && before.is_lowercase());
        if edge {
            words.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Makes up the smallest arguments that a schema asks for.
pub(crate) fn arguments_for(tool: &Value) -> Json {
    let schema = tool.get("inputSchema").map_or(Json::Null, Value::to_json);
    object_for(&schema, 0)
}

fn object_for(schema: &Json, depth: usize) -> Json {
    let mut members = Map::new();
    let required = schema.get("required").and_then(Json::as_array);
    for name in required.into_iter().flatten().filter_map(Json::as_str) {
        let property = schema.pointer(&format!("/properties/{}", escaped(name))).unwrap_or(&Json::Null);
        members.insert(name.to_owned(), instance_for(property, depth + 1));
    }
    Json::Object(members)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Makes up a small instance of `schema`; what it cannot see through becomes a plain string.
fn instance_for(schema: &Json, depth: usize) -> Json {
    if depth > 8 {
        return Json::Null;
    }
    let given = ["const", "default"].iter().find_map(|keyword| schema.get(keyword));
    let listed = ["enum", "examples"].iter().find_map(|keyword| schema.get(keyword)?.as_array()?.first());
    if let Some(value) = given.or(listed) {
        return value.clone();
    }
    let branch =
        ["anyOf", "oneOf", "allOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array()?.first());
    match (type_of(schema), branch) {
        (None, Some(branch)) => instance_for(branch, depth + 1),
        (Some("integer" | "number"), _) => number_for(schema),
        (Some("boolean"), _) => json!(false),
        (Some("null"), _) => Json::Null,
        (Some("array"), _) => array_for(schema, depth),
        (Some("object"), _) => object_for(schema, depth),
        _ => text_for(schema),
    }
}

fn type_of(schema: &Json) -> Option<&str> {
    match schema.get("type")? {
        Json::String(name) => Some(name),
        Json::Array(names) => names.iter().filter_map(Json::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn number_for(schema: &Json) -> Json {
    let bound = schema.get("minimum").or_else(|| schema.get("maximum"));
    let above = schema.get("exclusiveMinimum").and_then(Json::as_i64).map(|n| json!(n + 1));
    bound.cloned().or(above).unwrap_or(json!(1))
}

fn array_for(schema: &Json, depth: usize) -> Json {
    let wanted = schema.get("minItems").and_then(Json::as_u64).unwrap_or(0).min(4);
    let item = schema.get("items").unwrap_or(&Json::Null);
    (0..wanted).map(|_| instance_for(item, depth + 1)).collect()
}

fn text_for(schema: &Json) -> Json {
    let text = match schema.get("format").and_then(Json::as_str) {
        Some("uri" | "url") => "https://example.invalid/",
        Some("date") => "2026-01-01",
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("email") => "nobody@example.invalid",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "mcpproof",
    };
    let shortest = schema.get("minLength").and_then(Json::as_u64).unwrap_or(0).min(1000) as usize;
    json!(format!("{text:x<shortest$}"))
}

impl Peer {
    /// Calls a few harmless tools, with and without a progress token, once per revision.
    pub async fn calls(&mut self) -> Result<Arc<Vec<Call>>, Stop> {
        if let Some(known) = &self.calls {
            return self.some_call(known.clone());
        }
        let tools = self.tools().await?;
        let mut calls = Vec::new();
        let stopped = self.call_all(&chosen(&tools.items), &mut calls).await.err();
        self.cancel_a_slow_call(&calls).await;
        // What was called stays known, also when the server gave up on the way: tokens are never used twice.
        let calls = Arc::new(calls);
        self.calls = Some(calls.clone());
        match stopped {
            Some(stop) if calls.is_empty() => Err(stop),
            _ => self.some_call(calls),
        }
    }

    async fn call_all(&mut self, tools: &[(String, Value)], calls: &mut Vec<Call>) -> Result<(), Stop> {
        for (at, (name, definition)) in tools.iter().enumerate() {
            let tokens = if at == 0 {
                vec![None, Some(json!("mcpproof-token")), Some(json!(4711))]
            } else {
                vec![Some(json!(format!("mcpproof-token-{at}")))]
            };
            for token in tokens {
                calls.push(self.call(name, definition, token).await?);
                // One call without an answer says it all; waiting for more would take the time of other checks.
                if !matches!(calls.last(), Some(Call { reply: Reply::Answered(_), .. })) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Calls a tool again that has been seen to take its time, and cancels it on the way; judged when all is over.
    async fn cancel_a_slow_call(&mut self, calls: &[Call]) {
        const SLOW: Duration = Duration::from_millis(100);
        let is_slow = |reply: &Reply| matches!(reply, Reply::Answered(a) if a.took >= SLOW && !a.is_error());
        let Some(call) = calls.iter().find(|call| is_slow(&call.reply)) else { return };
        // The first call may only have been cold: it must take its time again.
        let params = json!({"name": call.tool, "arguments": call.arguments});
        let Ok(again) = self.try_request("tools/call", params.clone()).await else { return };
        let (Reply::Answered(answer), true) = (&again, is_slow(&again)) else { return };
        let took = answer.took;
        let Some(session) = self.session.as_mut() else { return };
        let message = session.build("tools/call", params);
        let Some((at, _)) = session.send(crate::session::Outgoing::message(&message)).await else { return };
        session.drain(Instant::now() + took / 4).await;
        session
            .notify("notifications/cancelled", json!({"requestId": message["id"], "reason": "probe"}))
            .await;
        let cancelled = (session.log.entries.len(), session.age());
        if let Some(crate::log::Entry::Sent(sent)) = session.log.entries.get_mut(at) {
            sent.cancelled = Some(cancelled);
        }
        self.linger_until = Some(Instant::now() + took + took / 4);
    }

    fn some_call(&self, calls: Arc<Vec<Call>>) -> Result<Arc<Vec<Call>>, Stop> {
        if calls.is_empty() {
            return Err(Stop::NotApplicable("no tool is harmless enough to be called without asking".into()));
        }
        Ok(calls)
    }

    async fn call(&mut self, name: &str, definition: &Value, token: Option<Json>) -> Result<Call, Stop> {
        let arguments = arguments_for(definition);
        let mut params = json!({"name": name, "arguments": arguments});
        if let Some(token) = &token {
            params["_meta"] = json!({"progressToken": token});
        }
        let reply = self.try_request("tools/call", params).await?;
        Ok(Call { tool: name.to_owned(), definition: definition.clone(), arguments, token, reply })
    }
}

/// The tools to call: the first harmless ones, those with an output schema before others.
pub(crate) fn chosen(tools: &[Value]) -> Vec<(String, Value)> {
    let mut harmless: Vec<_> = tools.iter().filter(|tool| is_harmless(tool)).collect();
    harmless.sort_by_key(|tool| tool.get("outputSchema").is_none());
    let named = harmless.into_iter().filter_map(|t| Some((t.get("name")?.as_str()?.to_owned(), t.clone())));
    named.take(TOOL_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_read_are_called() {
        let tool = |json: Json| Value::from(json);
        for (harmless, definition) in [
            (true, json!({"name": "echo"})),
            (true, json!({"name": "getWeather"})),
            (true, json!({"name": "anything", "annotations": {"readOnlyHint": true}})),
            (false, json!({"name": "get_and_delete"})),
            (false, json!({"name": "list_files", "annotations": {"destructiveHint": true}})),
            (false, json!({"name": "add_entry", "annotations": {"readOnlyHint": false}})),
            (false, json!({"name": "search", "annotations": {"openWorldHint": true}})),
            (true, json!({"name": "add", "inputSchema": {"properties": {"a": {"type": "integer"}}}})),
            (false, json!({"name": "add", "inputSchema": {"properties": {"user": {"type": "string"}}}})),
            (false, json!({"name": "check_out"})),
            (false, json!({"name": "frobnicate"})),
        ] {
            assert_eq!(is_harmless(&tool(definition.clone())), harmless, "{definition}");
        }
    }

    #[test]
    fn arguments_hold_what_the_schema_requires() {
        let tool = json!({"name": "x", "inputSchema": {"type": "object", "required": ["a", "b", "c"], "properties": {
            "a": {"type": "string", "minLength": 12}, "b": {"enum": ["one", "two"]},
            "c": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 3}}}}});
        let arguments = arguments_for(&Value::from(tool));
        assert_eq!(arguments, json!({"a": "mcpproofxxxx", "b": "one", "c": [3]}));
    }
}
