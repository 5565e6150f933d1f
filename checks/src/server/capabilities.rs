//! Capabilities against methods: what is declared is served, what is not declared is neither served nor sent.

use super::dialogue::of_answer;
use super::passive::{no_offence, offences};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::finding::Class;
use crate::log::{Conversation, Reply};
use crate::peer::Peer;
use serde_json::{Value as Json, json};
use specs::Revision::{V2025_03_26, V2025_11_25};
use specs::Revisions;
use wire::Message;

const DECLARED: &str =
    "Clients show and call what is declared; -32601 then looks like a broken server to the user.";

const fn needs(capability: &'static str) -> Needs {
    Needs { capability: Some(capability), transport: None }
}

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "capability-tools-served",
        requirement: "tools.capability-declared",
        needs: needs("tools"),
        fault: "capability-tools-without-method",
        explain: DECLARED,
        probe: |peer| Box::pin(served(peer, "tools/list", json!({}))),
        ..Check::BLANK
    },
    Check {
        id: "capability-prompts-served",
        requirement: "prompts.capability-declared",
        needs: needs("prompts"),
        fault: "capability-prompts-without-method",
        explain: DECLARED,
        probe: |peer| Box::pin(served(peer, "prompts/list", json!({}))),
        ..Check::BLANK
    },
    Check {
        id: "capability-resources-served",
        requirement: "resources.capability-declared",
        needs: needs("resources"),
        fault: "capability-resources-without-method",
        explain: DECLARED,
        probe: |peer| Box::pin(served(peer, "resources/list", json!({}))),
        ..Check::BLANK
    },
    Check {
        id: "capability-subscribe-served",
        requirement: "resources.subscribe-result",
        revisions: Revisions::until(V2025_11_25),
        needs: needs("resources.subscribe"),
        fault: "capability-subscribe-without-method",
        explain: DECLARED,
        probe: |peer| {
            Box::pin(served(peer, "resources/subscribe", json!({"uri": "mcpproof://no-such-resource"})))
        },
        ..Check::BLANK
    },
    Check {
        id: "capability-logging-served",
        requirement: "logging.capability-declared",
        level: Level::Should,
        revisions: Revisions::until(V2025_11_25),
        needs: needs("logging"),
        fault: "capability-logging-without-method",
        explain: DECLARED,
        probe: |peer| Box::pin(served(peer, "logging/setLevel", json!({"level": "error"}))),
        ..Check::BLANK
    },
    Check {
        id: "capability-completions-served",
        requirement: "completion.capability-declared",
        revisions: Revisions::since(V2025_03_26),
        needs: needs("completions"),
        fault: "capability-completions-without-method",
        explain: DECLARED,
        probe: |peer| Box::pin(served(peer, "completion/complete", completion())),
        ..Check::BLANK
    },
    Check {
        id: "capability-undeclared-refused",
        requirement: "lifecycle.undeclared-method-rejected",
        level: Level::Should,
        fault: "capability-undeclared-served",
        explain: "What is served without being declared is never seen by clients that read the declaration.",
        probe: |peer| Box::pin(undeclared_refused(peer)),
        ..Check::BLANK
    },
    Check {
        id: "capability-list-changed-declared",
        requirement: "tools.list-changed-undeclared",
        level: Level::Should,
        phase: Phase::Afterwards,
        fault: "list-changed-undeclared",
        explain: "Clients that trust the declaration do not listen, and keep showing the old list.",
        probe: |peer| Box::pin(async move { list_changed_declared(peer) }),
        ..Check::BLANK
    },
    Check {
        id: "capability-log-declared",
        requirement: "logging.capability-declared",
        phase: Phase::Afterwards,
        fault: "log-undeclared",
        explain: "Clients that trust the declaration drop log messages, or treat them as a protocol error.",
        probe: |peer| Box::pin(async move { log_declared(peer) }),
        ..Check::BLANK
    },
];

fn completion() -> Json {
    json!({"ref": {"type": "ref/prompt", "name": "mcpproof-no-such-prompt"}, "argument": {"name": "a", "value": "b"}})
}

/// Any answer but -32601 shows that the method is there; silence is the business of other checks.
async fn served(peer: &mut Peer, method: &'static str, params: Json) -> Outcome {
    match peer.try_request(method, params).await? {
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            Err(of_answer(&answer, &format!("`{method}` is served, since its capability is declared")).stop())
        }
        Reply::Answered(answer) if answer.is_error() && method == "logging/setLevel" => {
            Err(of_answer(&answer, "an empty result: `error` is a level").stop())
        }
        Reply::Answered(_) => Ok(()),
        other => {
            peer.unserved.push(method);
            Err(peer.unanswered(&other, &format!("`{method}`")).stop())
        }
    }
}

/// Lists what is not declared; something in the list is worse than an empty one.
async fn undeclared_refused(peer: &mut Peer) -> Outcome {
    if peer.greeting.get("capabilities").is_none() {
        return Err(Stop::Unproven(
            "no capabilities came in the greeting, which has a check of its own".into(),
        ));
    }
    let lists = [("tools", "tools/list"), ("prompts", "prompts/list"), ("resources", "resources/list")];
    let undeclared: Vec<_> = lists.into_iter().filter(|(capability, _)| !peer.declares(capability)).collect();
    if undeclared.is_empty() {
        return Err(Stop::NotApplicable("tools, prompts and resources are all declared".into()));
    }
    for (capability, method) in undeclared {
        let Reply::Answered(answer) = peer.try_request(method, json!({})).await? else { continue };
        let Some(result) = answer.result() else { continue };
        let items = result.get(capability).and_then(wire::Value::as_array).map_or(0, <[_]>::len);
        let expected = format!("error -32601 for `{method}`, since `{capability}` is not declared");
        let class = if items == 0 { Class::Note } else { Class::Should };
        return Err(of_answer(&answer, &expected).class(class).stop());
    }
    Ok(())
}

/// What was declared on a conversation, or in general where it never got as far as a greeting.
fn declared_in<'a>(peer: &'a Peer, conversation: &'a Conversation) -> &'a Json {
    if conversation.capabilities.is_null() { &peer.capabilities } else { &conversation.capabilities }
}

fn list_changed_declared(peer: &Peer) -> Outcome {
    let found = offences(peer, |conversation, _, message| {
        let Message::Notification(notification) = message else { return None };
        let kind = notification.method.strip_prefix("notifications/")?.strip_suffix("/list_changed")?;
        let declared =
            declared_in(peer, conversation).pointer(&format!("/{kind}/listChanged")) == Some(&json!(true));
        (!declared && kind != "roots")
            .then(|| format!("`{}`, although {kind}.listChanged is not declared", notification.method))
    });
    no_offence("list_changed only from servers that declare listChanged", found)
}

fn log_declared(peer: &Peer) -> Outcome {
    let found = offences(peer, |conversation, _, message| match message {
        Message::Notification(notification)
            if notification.method == "notifications/message"
                && conversation.initialized_at.is_some()
                && declared_in(peer, conversation).get("logging").is_none() =>
        {
            Some("`notifications/message`, although `logging` is not declared".into())
        }
        _ => None,
    });
    no_offence("log messages only from servers that declare `logging`", found)
}
