//! Faults of the opening: `initialize`, negotiation, and what comes before it.

use super::{code_in, is_marked, result_of, silence};
use crate::fault::{Fault, Heard, Twist};
use crate::problem::Problem;
use crate::session::Session;
use crate::step::Step;
use serde_json::{Value, json};
use specs::{Revision, Revisions};

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "dies-on-unknown-first-method",
        "Exits when server/discover is the first thing it hears, before a client can fall back to initialize.",
        Twist::Steps(|heard, steps| {
            if heard.asks("server/discover") && heard.revision.is_none() {
                *steps = vec![Step::Exit(1)];
            }
        }),
    )
    .on("stdio"),
    Fault::new(
        "initialize-no-capabilities",
        "Leaves the capabilities out of the result of initialize.",
        Twist::Reply(|call, reply| forget(result_of(call, reply, "initialize"), "capabilities")),
    )
    .with_handshake(),
    Fault::new(
        "initialize-protocol-version-missing",
        "Leaves the protocol version out of the result of initialize.",
        Twist::Reply(|call, reply| forget(result_of(call, reply, "initialize"), "protocolVersion")),
    )
    .with_handshake(),
    Fault::new(
        "initialize-rejects-meta",
        "Refuses an initialize that carries _meta.",
        Twist::Hear(|message, session| {
            if initializes(message) && message.pointer("/params/_meta").is_some() {
                session.refusal = Some(Problem::params("_meta is not expected here"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "initialize-rejects-unknown-capability",
        "Refuses an initialize that declares a capability it does not know.",
        Twist::Hear(|message, session| {
            let known = ["experimental", "roots", "sampling", "elicitation", "tasks", "extensions"];
            let declared = message.pointer("/params/capabilities").and_then(Value::as_object);
            let odd = declared.is_some_and(|all| all.keys().any(|name| !known.contains(&name.as_str())));
            if initializes(message) && odd {
                session.refusal = Some(Problem::params("unknown capability"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "initialize-result-no-server-info",
        "Leaves its name and version out of the result of initialize.",
        Twist::Reply(|call, reply| forget(result_of(call, reply, "initialize"), "serverInfo")),
    )
    .with_handshake(),
    Fault::new(
        "initialize-twice-crashes",
        "Crashes on a second initialize.",
        Twist::Steps(|heard, steps| {
            if heard.asks("initialize") && heard.revision.is_some() {
                *steps = vec![Step::Exit(1)];
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-before-initialize-refused",
        "Refuses a ping before initialize.",
        Twist::Hear(|message, session| {
            if message["method"] == "ping" && session.agreed.is_none() {
                session.refusal = Some(Problem::request("the session starts with initialize"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-before-initialized-refused",
        "Refuses a ping until the client has said that it is ready.",
        Twist::Hear(|message, session| {
            if message["method"] == "ping" && session.agreed.is_some() && !session.ready {
                session.refusal = Some(Problem::request("the client is not ready"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "requests-before-initialize-hang",
        "Never answers what is asked before initialize.",
        Twist::Steps(|heard, steps| {
            if is_early(heard) && matches!(code_in(steps), Some(-32600 | -32602)) && !is_marked(heard) {
                silence(steps);
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "requests-before-initialize-served",
        "Serves requests before initialize as if the session were open.",
        Twist::Hear(|_, session| session.gate_open = true),
    )
    .with_handshake(),
    Fault::new(
        "sends-before-initialized",
        "Asks for the client's roots before the client has said that it is ready.",
        Twist::Steps(|heard, steps| {
            if heard.asks("initialize") && code_in(steps).is_none() {
                let request = json!({"jsonrpc": "2.0", "id": "early-1", "method": "roots/list"});
                steps.push(Step::Say(request));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "version-echoes-anything",
        "Agrees to any protocol version, even one that does not exist.",
        Twist::Reply(|call, reply| {
            let asked = call.params.get("protocolVersion").cloned();
            if let (Some(result), Some(asked)) = (result_of(call, reply, "initialize"), asked) {
                result["protocolVersion"] = asked;
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "version-error-on-unknown",
        "Refuses a protocol version it does not know instead of offering one it speaks.",
        Twist::Hear(refuse_unknown_version),
    )
    .with_handshake(),
    Fault::new(
        "version-hardcoded",
        "Answers every protocol version with the oldest one it speaks.",
        Twist::Hear(|message, session| {
            let oldest = session.setup.with_handshake().next();
            if let (true, Some(oldest)) = (initializes(message), oldest)
                && message.pointer("/params/protocolVersion").is_some()
            {
                message["params"]["protocolVersion"] = json!(oldest.as_str());
            }
        }),
    )
    .within(Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25)),
    Fault::new(
        "version-unknown-answered",
        "Answers initialize with 1999-01-01, a revision that does not exist.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "initialize") {
                result["protocolVersion"] = json!("1999-01-01");
            }
        }),
    )
    .with_handshake(),
];

fn initializes(message: &Value) -> bool {
    message.get("method").is_some_and(|method| method == "initialize")
}

fn is_early(heard: &Heard<'_>) -> bool {
    heard.revision.is_none() && heard.id().is_some() && heard.method() != "initialize"
}

fn forget(result: Option<&mut Value>, member: &str) {
    if let Some(result) = result.and_then(Value::as_object_mut) {
        result.remove(member);
    }
}

fn refuse_unknown_version(message: &mut Value, session: &mut Session) {
    let asked = message.pointer("/params/protocolVersion").and_then(Value::as_str);
    let spoken = || session.setup.with_handshake();
    if let Some(asked) = asked
        && initializes(message)
        && !spoken().any(|revision| revision.as_str() == asked)
    {
        let supported: Vec<_> = spoken().map(Revision::as_str).collect();
        let data = json!({"supported": supported, "requested": asked});
        session.refusal = Some(Problem::new(-32602, "Unsupported protocol version").with(data));
    }
}
