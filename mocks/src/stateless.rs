//! The revisions without a handshake: each request describes itself.

use crate::answer::{self, Answer};
use crate::call::{CAPABILITIES_KEY, Call, LOG_LEVEL_KEY, VERSION_KEY};
use crate::problem::Problem;
use crate::session::{LEVELS, Session};
use crate::setup::server_info;
use crate::step::Step;
use serde_json::{Value, json};
use specs::Revision;

/// The methods whose results may be cached.
const CACHED: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Tells whether `call` is to be read without a handshake.
pub(crate) fn is_meant(session: &Session, call: &Call) -> bool {
    if session.setup.stateless().is_empty() {
        return false;
    }
    let only = session.setup.newest_with_handshake().is_none();
    let marked = call.meta(VERSION_KEY).is_some() || call.is("server/discover");
    only || (marked && !call.is("initialize"))
}

/// Answers a request.
pub(crate) fn answer(session: &mut Session, call: &mut Call) -> Answer {
    let revision = match accepted(session, call) {
        Ok(revision) => revision,
        Err(problem) => return Err(problem).into(),
    };
    call.revision = Some(revision);
    let mut answer = match call.method.as_str() {
        "server/discover" => Ok(discovery(session, revision)).into(),
        "subscriptions/listen" => listen(session, call),
        _ => answer::answer(session, call, revision),
    };
    if let Ok(result) = &mut answer.outcome {
        complete(result, &call.method);
    }
    answer
}

/// The revision of a request that has all it needs.
fn accepted(session: &Session, call: &Call) -> Result<Revision, Problem> {
    let spoken = session.setup.stateless();
    let names: Vec<_> = spoken.iter().map(|r| r.as_str()).collect();
    let version = call.meta(VERSION_KEY).and_then(Value::as_str);
    let revision = spoken.iter().find(|r| Some(r.as_str()) == version);
    if let (Some(version), None) = (version, revision) {
        let data = json!({"supported": names, "requested": version});
        return Err(Problem::new(-32022, "Unsupported protocol version").with(data));
    }
    if call.is("initialize") {
        let text = format!("Method not found: initialize (this server speaks {})", names.join(", "));
        return Err(Problem::new(-32601, text).with(json!({"supported": names})));
    }
    let own = ["server/discover", "subscriptions/listen"].contains(&call.method.as_str());
    if !own && !answer::is_shared(&call.method) {
        return Err(Problem::method(&call.method));
    }
    let revision = revision.ok_or_else(|| Problem::params(format!("_meta lacks {VERSION_KEY}")))?;
    if !call.meta(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(Problem::params(format!("_meta lacks {CAPABILITIES_KEY}")));
    }
    match call.meta(LOG_LEVEL_KEY) {
        Some(level) if !LEVELS.iter().any(|known| level == known) => {
            Err(Problem::params("unknown log level"))
        }
        _ => Ok(*revision),
    }
}

fn discovery(session: &Session, revision: Revision) -> Value {
    let supported: Vec<_> = session.setup.stateless().iter().map(|r| r.as_str()).collect();
    json!({
        "supportedVersions": supported,
        "capabilities": session.surface(revision).capabilities,
        "instructions": "A server to try clients on.",
    })
}

/// Adds what every result of this era has.
pub(crate) fn complete(result: &mut Value, method: &str) {
    result["resultType"] = json!("complete");
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
    if CACHED.contains(&method) {
        result["ttlMs"] = json!(60_000);
        result["cacheScope"] = json!("public");
    }
}

/// The `_meta` of everything that belongs to a subscription.
pub(crate) fn subscription(id: &Value) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": id})
}

fn listen(session: &mut Session, call: &Call) -> Answer {
    let Some(wanted) = call.params.get("notifications").and_then(Value::as_object) else {
        return Err(Problem::params("notifications must be an object")).into();
    };
    let known = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
    let mut honoured = json!({});
    for (name, value) in wanted {
        if (known.contains(&name.as_str()) && *value == true) || name == "resourceSubscriptions" {
            honoured[name] = value.clone();
        }
    }
    session.listening.retain(|(id, _)| *id != call.id);
    session.listening.push((call.id.clone(), honoured.clone()));
    let params = json!({"_meta": subscription(&call.id), "notifications": honoured});
    let mut answer = Answer::from(Ok(json!({})));
    answer.before.push(Step::notify("notifications/subscriptions/acknowledged", params));
    answer
}
