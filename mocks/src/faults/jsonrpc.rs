//! Faults of the JSON-RPC envelope: ids, results and errors. How bad input is taken stands in `jsonrpc_input`.

use super::{also, code, is_unknown, result_of};
use crate::call::Call;
use crate::fault::{Fault, Heard, Twist};
use crate::step::{Step, notification};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "error-code-reserved",
        "Refuses unknown tools with -32650, a code that JSON-RPC keeps for itself.",
        Twist::Reply(|call, reply| {
            if call.is("tools/call") && code(reply).is_some() {
                reply["error"]["code"] = json!(-32650);
            }
        }),
    ),
    Fault::new(
        "error-code-string",
        "Names errors about unknown methods by a word instead of a number.",
        Twist::Reply(|call, reply| {
            if is_unknown(call, reply) {
                reply["error"]["code"] = json!("METHOD_NOT_FOUND");
            }
        }),
    ),
    Fault::new(
        "error-code-unassigned",
        "Refuses unknown tools with -32050, which the specification keeps for itself.",
        Twist::Reply(|call, reply| {
            if call.is("tools/call") && code(reply).is_some() {
                reply["error"]["code"] = json!(-32050);
            }
        }),
    )
    .stateless(),
    Fault::new(
        "error-id-missing",
        "Leaves the id out of errors, though it could read it.",
        Twist::Reply(|call, reply| {
            if is_late(call)
                && reply.get("error").is_some()
                && let Some(reply) = reply.as_object_mut()
            {
                reply.remove("id");
            }
        }),
    ),
    Fault::new(
        "error-id-null",
        "Gives errors the id null, though it could read the id.",
        Twist::Reply(|call, reply| {
            if is_late(call) && reply.get("error").is_some() {
                reply["id"] = Value::Null;
            }
        }),
    ),
    Fault::new(
        "error-message-missing",
        "Leaves the message out of errors about unknown methods.",
        Twist::Reply(|call, reply| {
            if is_unknown(call, reply) {
                reply["error"] = json!({"code": -32601});
            }
        }),
    ),
    Fault::new(
        "error-object-missing",
        "Writes errors about unknown methods as plain text.",
        Twist::Reply(|call, reply| {
            if is_unknown(call, reply) {
                reply["error"] = json!("Method not found");
            }
        }),
    ),
    Fault::new(
        "id-becomes-float",
        "Gives the id 1 back as 1.0, since its numbers have no integers.",
        Twist::Reply(|_, reply| {
            if let Some(number) = reply["id"].as_f64() {
                reply["id"] = json!(number);
            }
        }),
    ),
    Fault::new(
        "id-becomes-string",
        "Gives integer ids back as strings, on which some clients wait for ever.",
        Twist::Reply(|_, reply| {
            if reply["id"].is_number() {
                reply["id"] = json!(reply["id"].to_string());
            }
        }),
    ),
    Fault::new(
        "id-missing",
        "Leaves the id out of results after the opening.",
        Twist::Reply(|call, reply| {
            if is_late(call)
                && reply.get("result").is_some()
                && let Some(reply) = reply.as_object_mut()
            {
                reply.remove("id");
            }
        }),
    ),
    Fault::new(
        "id-null-in-result",
        "Answers with the id null after the opening.",
        Twist::Reply(|call, reply| {
            if is_late(call) && reply.get("result").is_some() {
                reply["id"] = Value::Null;
            }
        }),
    ),
    Fault::new(
        "id-string-becomes-number",
        "Gives the string id \"7\" back as the number 7.",
        Twist::Reply(|_, reply| {
            if let Some(number) = reply["id"].as_str().and_then(|text| text.parse::<i64>().ok()) {
                reply["id"] = json!(number);
            }
        }),
    ),
    Fault::new(
        "jsonrpc-version-missing",
        "Leaves the member jsonrpc out of its responses.",
        Twist::Reply(|_, reply| {
            if let Some(reply) = reply.as_object_mut() {
                reply.remove("jsonrpc");
            }
        }),
    ),
    Fault::new(
        "jsonrpc-version-wrong",
        "Says jsonrpc 1.0 in its responses.",
        Twist::Reply(|_, reply| reply["jsonrpc"] = json!("1.0")),
    ),
    Fault::new(
        "notification-params-scalar",
        "Sends a notification whose params is a word whenever tools are listed.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/list") {
                steps.insert(0, Step::notify("notifications/tools/list_changed", json!("now")));
            }
        }),
    ),
    Fault::new(
        "response-duplicated",
        "Answers each request after the opening twice.",
        Twist::Steps(|heard, steps| {
            if heard.id().is_some() && !OPENING.contains(&heard.method()) {
                let again: Vec<_> = steps.iter().filter(|step| step.response().is_some()).cloned().collect();
                steps.extend(again);
            }
        }),
    ),
    Fault::new(
        "response-duplicated-late",
        "Answers the list of tools once more a moment later.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/list") {
                let again: Vec<_> = steps.iter().filter(|step| step.response().is_some()).cloned().collect();
                steps.push(Step::Wait(Duration::from_millis(300)));
                steps.extend(again);
            }
        }),
    ),
    Fault::new(
        "response-orphan",
        "Answers a request that nobody sent whenever tools are listed.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/list") {
                let result = json!({"resultType": "complete"});
                also(steps, json!({"jsonrpc": "2.0", "id": "never-sent", "result": result}));
            }
        }),
    ),
    Fault::new(
        "response-with-method",
        "Repeats the method of the request in each result, as if it asked for something.",
        Twist::Encode(|message, line| {
            if message.get("result").is_some() {
                line.splice(0..1, *b"{\"method\":\"result\",");
            }
        }),
    ),
    Fault::new(
        "result-and-error",
        "Answers tool calls with a result and an error at once.",
        Twist::Reply(|call, reply| {
            if result_of(call, reply, "tools/call").is_some() {
                reply["error"] = json!({"code": -32603, "message": "Something went wrong too"});
            }
        }),
    ),
    Fault::new(
        "result-error-null",
        "Puts error: null beside each result.",
        Twist::Reply(|_, reply| {
            if reply.get("result").is_some() {
                reply["error"] = Value::Null;
            }
        }),
    ),
    Fault::new(
        "result-neither",
        "Answers tool calls with neither a result nor an error.",
        Twist::Reply(|call, reply| {
            if result_of(call, reply, "tools/call").is_some() {
                *reply = json!({"jsonrpc": "2.0", "id": call.id});
            }
        }),
    ),
    Fault::new(
        "result-not-object",
        "Answers tool calls with the bare content instead of a result object.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call") {
                *result = result["content"].take();
            }
        }),
    ),
    Fault::new(
        "server-request-id-null",
        "Sends a ping with the id null once the session is open.",
        Twist::Steps(|heard, steps| {
            if opened(heard) {
                also(steps, json!({"jsonrpc": "2.0", "id": null, "method": "ping"}));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "server-request-reused-id",
        "Sends two pings with the same id once the session is open.",
        Twist::Steps(|heard, steps| {
            if opened(heard) {
                let ping = json!({"jsonrpc": "2.0", "id": "server-1", "method": "ping"});
                steps.extend([Step::Tell(ping.clone()), Step::Tell(ping)]);
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "server-request-undeclared",
        "Asks for the client's roots whenever tools are listed, whether the client has roots or not.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/list") {
                let mut request = notification("roots/list", json!({}));
                request["id"] = json!(format!("roots-{}", heard.id().unwrap_or(&Value::Null)));
                steps.insert(0, Step::Say(request));
            }
        }),
    ),
    Fault::new(
        "unknown-method-silent",
        "Drops requests for methods it does not know.",
        Twist::Steps(|heard, steps| {
            let opening = OPENING.contains(&heard.method());
            if !opening && super::code_in(steps) == Some(-32601) {
                super::silence(steps);
            }
        }),
    ),
    Fault::new(
        "unknown-method-succeeds",
        "Answers methods it does not know with an empty result.",
        Twist::Reply(|call, reply| {
            if is_unknown(call, reply) {
                super::succeed(call, reply, json!({}));
            }
        }),
    ),
    Fault::new(
        "unknown-method-wrong-code",
        "Answers methods it does not know with an internal error.",
        Twist::Reply(|call, reply| {
            if is_unknown(call, reply) {
                super::recode(reply, -32601, -32603);
            }
        }),
    ),
];

const OPENING: [&str; 2] = ["initialize", "server/discover"];

fn is_late(call: &Call) -> bool {
    !OPENING.contains(&call.method.as_str())
}

fn opened(heard: &Heard<'_>) -> bool {
    heard.notifies() && heard.method() == "notifications/initialized"
}
