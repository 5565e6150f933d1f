//! The faults, one table for each area, and what their closures share.

use crate::call::Call;
use crate::fault::{Fault, Heard};
use crate::problem::Problem;
use crate::step::Step;
use serde_json::{Value, json};
use specs::Revision;

mod cancel;
mod capabilities;
mod framing;
mod http;
mod http_auth;
mod http_edit;
mod http_stateless;
mod jsonrpc;
mod jsonrpc_input;
mod lifecycle;
mod pagination;
mod ping;
mod progress;
mod prompts;
mod quirks;
mod resources;
mod shutdown;
mod sse;
mod stateless;
mod tools_call;
mod tools_list;
mod tools_schema;
mod utilities;

pub(crate) use quirks::QUIRKS;

/// Every table of faults.
pub(crate) const TABLES: &[&[Fault]] = &[
    framing::FAULTS,
    jsonrpc::FAULTS,
    jsonrpc_input::FAULTS,
    lifecycle::FAULTS,
    ping::FAULTS,
    capabilities::FAULTS,
    tools_list::FAULTS,
    tools_schema::FAULTS,
    pagination::FAULTS,
    tools_call::FAULTS,
    prompts::FAULTS,
    resources::FAULTS,
    utilities::FAULTS,
    progress::FAULTS,
    cancel::FAULTS,
    shutdown::FAULTS,
    stateless::FAULTS,
    http::FAULTS,
    http_auth::FAULTS,
    http_stateless::FAULTS,
    sse::FAULTS,
];

/// The result in `reply`, if it has one and `call` asks for `method`.
fn result_of<'a>(call: &Call, reply: &'a mut Value, method: &str) -> Option<&'a mut Value> {
    if call.is(method) { reply.get_mut("result") } else { None }
}

/// The result of a successful call of the tool `name`.
fn tool_result<'a>(call: &Call, reply: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    let result = result_of(call, reply, "tools/call")?;
    (call.text("name") == Some(name)).then_some(result)
}

/// The code of the error in `reply`.
fn code(reply: &Value) -> Option<i64> {
    reply.get("error")?.get("code")?.as_i64()
}

/// Replaces the code of the error in `reply`, if it is `from`.
fn recode(reply: &mut Value, from: i64, to: i64) {
    if code(reply) == Some(from) {
        reply["error"]["code"] = json!(to);
    }
}

/// Makes `reply` a success, with what the era wants in a result.
fn succeed(call: &Call, reply: &mut Value, mut result: Value) {
    let marked = call.meta(crate::call::VERSION_KEY).is_some();
    if marked || call.revision.is_some_and(Revision::is_stateless) {
        crate::stateless::complete(&mut result, &call.method);
    }
    *reply = json!({"jsonrpc": "2.0", "id": call.id, "result": result});
}

/// Makes `reply` an error.
fn refuse(call: &Call, reply: &mut Value, problem: Problem) {
    *reply = problem.reply(call.id.clone());
}

/// Tells a method that nobody knows from one that only this revision or era does not know.
fn is_unknown(call: &Call, reply: &Value) -> bool {
    code(reply) == Some(-32601) && !["initialize", "server/discover", "ping"].contains(&call.method.as_str())
}

/// Tells a request that describes itself, as stateless ones do.
fn is_marked(heard: &Heard<'_>) -> bool {
    heard.at("/params/_meta").is_some_and(|meta| meta.get(crate::call::VERSION_KEY).is_some())
}

/// Drops the responses among `steps`.
fn silence(steps: &mut Vec<Step>) {
    steps.retain(|step| step.response().is_none());
}

/// The code of the error that `steps` answer with.
fn code_in(steps: &[Step]) -> Option<i64> {
    steps.iter().filter_map(Step::response).find_map(code)
}

/// Puts `message` after everything else.
fn also(steps: &mut Vec<Step>, message: Value) {
    steps.push(Step::Say(message));
}

/// An error that names no request.
fn nameless(code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}})
}
