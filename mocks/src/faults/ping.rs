//! Faults of `ping`.

use super::{refuse, result_of, silence, succeed};
use crate::fault::{Fault, Twist};
use crate::problem::Problem;
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "ping-chatty",
        "Answers a ping with a status instead of an empty result.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "ping") {
                *result = json!({"status": "ok", "uptime": 12});
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-error",
        "Answers a ping with an internal error, which makes clients reconnect in a loop.",
        Twist::Reply(|call, reply| {
            if call.is("ping") && reply.get("result").is_some() {
                refuse(call, reply, Problem::new(-32603, "Method not supported: ping"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-result-array",
        "Answers a ping with an empty array, as some languages write an empty map.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "ping") {
                *result = json!([]);
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-silent",
        "Never answers a ping, so that it looks dead.",
        Twist::Steps(|heard, steps| {
            if heard.asks("ping") {
                silence(steps);
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "ping-wrong-id",
        "Answers a ping with an id of its own.",
        Twist::Reply(|call, reply| {
            if call.is("ping") && reply.get("result").is_some() {
                succeed(call, reply, json!({}));
                reply["id"] = json!("pong");
            }
        }),
    )
    .with_handshake(),
];
