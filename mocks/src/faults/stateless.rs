//! Faults of the revisions without a handshake: what each request and result carries.

use super::{code, is_marked, recode, refuse, result_of, succeed};
use crate::call::{CAPABILITIES_KEY, Call, VERSION_KEY};
use crate::fault::{Fault, Twist};
use crate::problem::Problem;
use crate::session::Session;
use crate::setup::server_info;
use crate::step::{Step, notification};
use serde_json::{Map, Value, json};
use specs::Revision;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "cache-hints-missing",
        "Leaves ttlMs and cacheScope out of lists.",
        Twist::Reply(|call, reply| {
            if let Some(result) = typed(call, reply) {
                result.retain(|name, _| name != "ttlMs" && name != "cacheScope");
            }
        }),
    )
    .stateless(),
    Fault::new(
        "cache-scope-unknown",
        "Says cacheScope shared, which is none of the two words.",
        Twist::Reply(|call, reply| replace(call, reply, "cacheScope", json!("shared"))),
    )
    .stateless(),
    Fault::new(
        "cache-ttl-negative",
        "Says that lists expire before they come.",
        Twist::Reply(|call, reply| replace(call, reply, "ttlMs", json!(-1))),
    )
    .stateless(),
    Fault::new(
        "discover-missing",
        "Does not know server/discover.",
        Twist::Reply(|call, reply| {
            if call.is("server/discover") {
                refuse(call, reply, Problem::method("server/discover"));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "discover-omits-own-version",
        "Leaves the revision it has just spoken out of the versions it supports.",
        Twist::Reply(|call, reply| replace(call, reply, "supportedVersions", json!(["2027-06-01"]))),
    )
    .stateless(),
    Fault::new(
        "discover-shape",
        "Names the versions it supports in a string instead of a list.",
        Twist::Reply(|call, reply| replace(call, reply, "supportedVersions", json!("2026-07-28"))),
    )
    .stateless(),
    Fault::new(
        "first-request-refused",
        "Insists on server/discover before anything else.",
        Twist::Hear(|message, session| {
            let marked = message.pointer("/params/_meta").is_some_and(|meta| meta.get(VERSION_KEY).is_some());
            let first = !session.turns.contains_key("server/discover");
            let other = message.get("method").is_some_and(|method| method != "server/discover");
            if marked && first && other {
                session.refusal = Some(Problem::request("server/discover comes first"));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "initialize-error-silent-on-versions",
        "Refuses initialize without a word about the versions it speaks.",
        Twist::Reply(|call, reply| {
            if call.is("initialize") && code(reply).is_some() {
                refuse(call, reply, Problem::new(-32601, "Method not found"));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "input-required-undeclared",
        "Asks for a form to be filled in though the client has no forms.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call") {
                let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
                let params = json!({"message": "Who are you?", "requestedSchema": schema});
                ask(result, json!({"who": {"method": "elicitation/create", "params": params}}));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "log-without-level",
        "Sends log messages although the request did not ask for any.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call") && is_marked(heard) {
                let params = json!({"level": "info", "logger": "mock", "data": "calling a tool"});
                steps.insert(0, Step::notify("notifications/message", params));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "meta-capabilities-missing-accepted",
        "Serves requests that do not say what the client can do.",
        Twist::Hear(|message, _| {
            let meta = message.pointer_mut("/params/_meta").and_then(Value::as_object_mut);
            if let Some(meta) = meta.filter(|meta| meta.contains_key(VERSION_KEY)) {
                meta.entry(CAPABILITIES_KEY).or_insert_with(|| json!({}));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "meta-missing-accepted",
        "Serves requests without _meta.",
        Twist::Hear(|message, session| {
            if message.pointer("/params/_meta").is_none() {
                describe(message, session);
            }
        }),
    )
    .stateless(),
    Fault::new(
        "meta-version-missing-accepted",
        "Serves requests that do not say which revision they speak.",
        Twist::Hear(|message, session| {
            if message.pointer("/params/_meta").is_some() {
                describe(message, session);
            }
        }),
    )
    .stateless(),
    Fault::new(
        "result-type-missing",
        "Leaves resultType out of its results.",
        Twist::Reply(|call, reply| {
            if let Some(result) = typed(call, reply) {
                result.remove("resultType");
            }
        }),
    )
    .stateless(),
    Fault::new(
        "result-type-unknown",
        "Says resultType done, which nobody knows.",
        Twist::Reply(|call, reply| replace(call, reply, "resultType", json!("done"))),
    )
    .stateless(),
    Fault::new(
        "retired-code-used",
        "Says with the retired code -32002 that a resource is not there.",
        Twist::Reply(|call, reply| {
            if call.is("resources/read") && call.revision.is_some_and(Revision::is_stateless) {
                recode(reply, -32602, -32002);
            }
        }),
    )
    .stateless(),
    Fault::new(
        "server-info-missing",
        "Leaves its name out of the _meta of its results.",
        Twist::Reply(|call, reply| {
            if let Some(result) = typed(call, reply) {
                result.remove("_meta");
            }
        }),
    )
    .stateless(),
    Fault::new(
        "stateless-initialize-served",
        "Answers initialize with a revision that has no initialize.",
        Twist::Reply(|call, reply| {
            if call.is("initialize") && call.text("protocolVersion") == Some("2026-07-28") {
                let result = json!({"protocolVersion": "2026-07-28", "capabilities": {"tools": {}},
                    "serverInfo": server_info()});
                *reply = json!({"jsonrpc": "2.0", "id": call.id, "result": result});
            }
        }),
    )
    .stateless(),
    Fault::new(
        "stateless-ping-served",
        "Answers a ping although there is no such method any more.",
        Twist::Reply(|call, reply| {
            if call.is("ping") && code(reply) == Some(-32601) {
                succeed(call, reply, json!({}));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "stateless-server-request",
        "Asks the client for its roots although servers ask nothing any more.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/list") && is_marked(heard) {
                let request = json!({"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"});
                steps.insert(0, Step::Say(request));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "subscription-id-missing",
        "Acknowledges a subscription without saying which one.",
        Twist::Steps(|_, steps| {
            for step in steps {
                if let Step::Say(message) = step
                    && message["method"] == ACKNOWLEDGED
                    && let Some(params) = message["params"].as_object_mut()
                {
                    params.remove("_meta");
                }
            }
        }),
    )
    .stateless(),
    Fault::new(
        "subscription-unacknowledged",
        "Opens a subscription without a word.",
        Twist::Steps(|_, steps| {
            steps.retain(|step| !matches!(step, Step::Say(message) if message["method"] == ACKNOWLEDGED));
        }),
    )
    .stateless(),
    Fault::new(
        "subscription-unrequested-types",
        "Sends a kind of notification that the subscription did not ask for.",
        Twist::Steps(|heard, steps| {
            let acknowledged = !steps.is_empty() && super::code_in(steps).is_none();
            if let (true, true, Some(id)) = (heard.asks("subscriptions/listen"), acknowledged, heard.id()) {
                let asked = heard.at("/params/notifications/promptsListChanged").is_some();
                let kind = if asked { "resources" } else { "prompts" };
                let params = json!({"_meta": crate::stateless::subscription(id)});
                let method = format!("notifications/{kind}/list_changed");
                steps.push(Step::Say(notification(&method, params)));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "version-data-missing",
        "Refuses a revision without naming those it speaks.",
        Twist::Reply(|call, reply| {
            if code(reply) == Some(-32022) {
                refuse(call, reply, Problem::new(-32022, "Unsupported protocol version"));
            }
        }),
    )
    .stateless(),
    Fault::new(
        "version-wrong-code",
        "Refuses a revision with the code for invalid params.",
        Twist::Reply(|_, reply| recode(reply, -32022, -32602)),
    )
    .stateless(),
];

/// The members of a result of this era.
fn typed<'a>(call: &Call, reply: &'a mut Value) -> Option<&'a mut Map<String, Value>> {
    let typed = call.revision.is_some_and(Revision::has_typed_results);
    if typed { result_of(call, reply, &call.method)?.as_object_mut() } else { None }
}

/// Replaces a member of a result of this era that has it.
fn replace(call: &Call, reply: &mut Value, member: &str, value: Value) {
    if let Some(old) = typed(call, reply).and_then(|result| result.get_mut(member)) {
        *old = value;
    }
}

/// Makes a result one that asks for something first.
fn ask(result: &mut Value, requests: Value) {
    let meta = result["_meta"].take();
    *result = json!({"resultType": "input_required", "inputRequests": requests, "_meta": meta});
}

/// Adds to a request what it should have said about itself, unless it belongs to a session.
fn describe(message: &mut Value, session: &Session) {
    let Some(newest) = session.setup.stateless().pop() else { return };
    let legacy = ["initialize", "ping"].iter().any(|method| message["method"] == *method);
    if session.agreed.is_some() || legacy || message.get("id").is_none() {
        return;
    }
    let Some(message) = message.as_object_mut() else { return };
    let params = message.entry("params").or_insert_with(|| json!({}));
    let Some(params) = params.as_object_mut() else { return };
    let Some(meta) = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut() else { return };
    let whole = meta.is_empty();
    meta.entry(VERSION_KEY).or_insert_with(|| json!(newest.as_str()));
    if whole {
        meta.insert(CAPABILITIES_KEY.into(), json!({}));
    }
}
