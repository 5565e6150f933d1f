//! Faults of completion and logging.

use super::{code, code_in, result_of, silence, succeed};
use crate::fault::{Fault, Twist};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "completion-over-100",
        "Offers 101 completions at once.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "completion/complete") {
                let values: Vec<_> = (0..101).map(|n| format!("choice-{n}")).collect();
                result["completion"] = json!({"values": values, "total": 101, "hasMore": false});
            }
        }),
    ),
    Fault::new(
        "completion-shape",
        "Offers completions as a bare list.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "completion/complete") {
                result["completion"] = json!(["apple", "birch"]);
            }
        }),
    ),
    Fault::new(
        "completion-silent",
        "Never answers when an argument of a prompt that it lists is to be completed.",
        Twist::Steps(|heard, steps| {
            if heard.asks("completion/complete") && code_in(steps).is_none() {
                silence(steps);
            }
        }),
    )
    .since(specs::Revision::V2025_03_26),
    Fault::new(
        "completion-unknown-succeeds",
        "Offers no completions for a prompt that does not exist, instead of saying so.",
        Twist::Reply(|call, reply| {
            if call.is("completion/complete") && code(reply) == Some(-32602) {
                succeed(call, reply, json!({"completion": {"values": []}}));
            }
        }),
    ),
    Fault::new(
        "log-level-invalid-accepted",
        "Takes any word for a log level.",
        Twist::Reply(|call, reply| {
            if call.is("logging/setLevel") && code(reply) == Some(-32602) {
                succeed(call, reply, json!({}));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "log-level-unheard",
        "Refuses every log level.",
        Twist::Reply(|call, reply| {
            if result_of(call, reply, "logging/setLevel").is_some() {
                super::refuse(call, reply, crate::problem::Problem::new(-32603, "Cannot set the level"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "log-level-unknown",
        "Sends log messages with the level warn, which does not exist.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call") && heard.revision.is_some() {
                let params = json!({"level": "warn", "logger": "mock", "data": "calling a tool"});
                steps.insert(0, crate::step::Step::notify("notifications/message", params));
            }
        }),
    )
    .with_handshake(),
];
