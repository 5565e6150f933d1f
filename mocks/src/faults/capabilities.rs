//! Faults of what is declared against what is there.

use super::refuse;
use crate::call::Call;
use crate::fault::{Fault, Twist};
use crate::problem::Problem;
use crate::step::{Step, notification};
use serde_json::{Value, json};
use specs::Revision;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "capability-completions-without-method",
        "Declares completions and does not know completion/complete.",
        Twist::Reply(|call, reply| deny(call, reply, &["completion/complete"])),
    )
    .since(Revision::V2025_03_26),
    Fault::new(
        "capability-logging-without-method",
        "Declares logging and does not know logging/setLevel.",
        Twist::Reply(|call, reply| deny(call, reply, &["logging/setLevel"])),
    )
    .with_handshake(),
    Fault::new(
        "capability-not-object",
        "Declares the capability tools as true instead of an object.",
        Twist::Surface(|surface| surface.capabilities["tools"] = json!(true)),
    ),
    Fault::new(
        "capability-prompts-without-method",
        "Declares prompts and knows no method of theirs.",
        Twist::Reply(|call, reply| deny(call, reply, &["prompts/list", "prompts/get"])),
    ),
    Fault::new(
        "capability-resources-without-method",
        "Declares resources and knows no method of theirs.",
        Twist::Reply(|call, reply| {
            deny(call, reply, &["resources/list", "resources/read", "resources/templates/list"]);
        }),
    ),
    Fault::new(
        "capability-subscribe-without-method",
        "Declares that resources can be subscribed to and does not know resources/subscribe.",
        Twist::Reply(|call, reply| deny(call, reply, &["resources/subscribe", "resources/unsubscribe"])),
    )
    .with_handshake(),
    Fault::new(
        "capability-tools-without-method",
        "Declares tools and knows no method of theirs.",
        Twist::Reply(|call, reply| deny(call, reply, &["tools/list", "tools/call"])),
    ),
    Fault::new(
        "capability-undeclared-served",
        "Serves prompts without declaring them, so that clients never look.",
        Twist::Surface(|surface| forget(&mut surface.capabilities, "prompts")),
    ),
    Fault::new(
        "list-changed-undeclared",
        "Says that its prompts have changed although it never declared that it would.",
        Twist::Steps(|heard, steps| {
            if heard.notifies() && heard.method() == "notifications/initialized" {
                steps.push(Step::Tell(notification("notifications/prompts/list_changed", json!({}))));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "log-undeclared",
        "Sends log messages without declaring logging.",
        Twist::All(&[
            Twist::Surface(|surface| forget(&mut surface.capabilities, "logging")),
            Twist::Steps(|heard, steps| {
                if heard.asks("tools/call") && heard.revision.is_some() {
                    let params = json!({"level": "info", "logger": "mock", "data": "calling a tool"});
                    steps.insert(0, Step::notify("notifications/message", params));
                }
            }),
        ]),
    )
    .with_handshake(),
];

fn deny(call: &Call, reply: &mut Value, methods: &[&str]) {
    if methods.contains(&call.method.as_str()) && call.revision.is_some() {
        refuse(call, reply, Problem::method(&call.method));
    }
}

fn forget(capabilities: &mut Value, name: &str) {
    if let Some(capabilities) = capabilities.as_object_mut() {
        capabilities.remove(name);
    }
}
