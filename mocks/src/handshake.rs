//! The revisions that open with `initialize`: negotiation, the gate before it, and the methods only they have.

use crate::answer::{self, Answer};
use crate::call::{Call, VERSION_KEY};
use crate::problem::Problem;
use crate::resources;
use crate::session::{LEVELS, Session};
use crate::setup::server_info;
use serde_json::{Value, json};
use specs::Revision;

/// The methods that only these revisions have.
const METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Answers a request.
pub(crate) fn answer(session: &mut Session, call: &mut Call) -> Answer {
    call.revision = session.agreed;
    if !METHODS.contains(&call.method.as_str()) && !answer::is_shared(&call.method) {
        return Err(Problem::method(&call.method)).into();
    }
    let guess = if session.gate_open { session.setup.newest_with_handshake() } else { None };
    let opens = session.agreed.is_none() && call.is("initialize");
    let revision = match session.agreed.or(guess) {
        Some(revision) if !opens => revision,
        _ => return opening(session, call).into(),
    };
    match call.method.as_str() {
        "initialize" => Err(Problem::request("the session is open already")).into(),
        "ping" => Ok(json!({})).into(),
        "logging/setLevel" => set_level(session, call).into(),
        "resources/subscribe" => subscribe(session, call, revision).into(),
        "resources/unsubscribe" => unsubscribe(session, call).into(),
        _ => answer::answer(session, call, revision),
    }
}

fn opening(session: &mut Session, call: &mut Call) -> Result<Value, Problem> {
    match call.method.as_str() {
        "initialize" => initialize(session, call),
        "ping" => Ok(json!({})),
        _ => Err(early(session)),
    }
}

/// The refusal before `initialize`; where stateless requests are served too, it may be one that lacks its marks.
fn early(session: &Session) -> Problem {
    match session.setup.stateless().is_empty() {
        true => Problem::request("the session starts with initialize"),
        false => Problem::params(format!("_meta lacks {VERSION_KEY}, and no session is open")),
    }
}

fn initialize(session: &mut Session, call: &mut Call) -> Result<Value, Problem> {
    let asked = call.text("protocolVersion").ok_or_else(|| Problem::params("protocolVersion is missing"))?;
    for name in ["capabilities", "clientInfo"] {
        if !call.params.get(name).is_some_and(Value::is_object) {
            return Err(Problem::params(format!("{name} must be an object")));
        }
    }
    let newest = session.setup.newest_with_handshake();
    let known = asked.parse::<Revision>().ok();
    let spoken = known.filter(|known| session.setup.with_handshake().any(|r| r == *known));
    let revision = spoken.or(newest).ok_or_else(|| Problem::method("initialize"))?;
    session.agreed = Some(revision);
    call.revision = Some(revision);
    Ok(json!({
        "protocolVersion": revision.as_str(),
        "capabilities": session.surface(revision).capabilities,
        "serverInfo": server_info(),
        "instructions": "A server to try clients on.",
    }))
}

fn set_level(session: &mut Session, call: &Call) -> Result<Value, Problem> {
    let level = call.text("level").and_then(|level| LEVELS.iter().position(|known| *known == level));
    session.log_level = Some(level.ok_or_else(|| Problem::params("unknown log level"))?);
    Ok(json!({}))
}

fn subscribe(session: &mut Session, call: &Call, revision: Revision) -> Result<Value, Problem> {
    let uri = call.text("uri").ok_or_else(|| Problem::params("uri must be a string"))?;
    let surface = session.surface(revision);
    resources::listed(uri, &surface).ok_or_else(|| resources::missing(uri, &surface))?;
    session.subscribed.insert(uri.to_owned());
    Ok(json!({}))
}

fn unsubscribe(session: &mut Session, call: &Call) -> Result<Value, Problem> {
    let uri = call.text("uri").ok_or_else(|| Problem::params("uri must be a string"))?;
    session.subscribed.remove(uri);
    Ok(json!({}))
}
