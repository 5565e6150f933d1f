//! Faults of cancellation.

use super::{also, nameless};
use crate::fault::{Fault, Twist};
use crate::step::Step;
use serde_json::json;

const CANCELLED: &str = "notifications/cancelled";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "cancel-answered",
        "Works on after a cancellation and answers the cancelled request.",
        Twist::Hear(|message, _| {
            if message["method"] == CANCELLED {
                message["method"] = json!("notifications/unheard");
            }
        }),
    ),
    Fault::new(
        "cancel-kills",
        "Crashes when a request is cancelled.",
        Twist::Steps(|heard, steps| {
            if heard.notifies() && heard.method() == CANCELLED {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "cancel-names-clients-request",
        "Cancels the call it is about to answer, as if it had sent it itself.",
        Twist::Steps(|heard, steps| {
            if let (true, Some(id)) = (heard.asks("tools/call"), heard.id()) {
                steps.insert(0, Step::notify(CANCELLED, json!({"requestId": id})));
            }
        }),
    ),
    Fault::new(
        "cancel-unknown-answered",
        "Answers a cancellation with an error that names no request.",
        Twist::Steps(|heard, steps| {
            if heard.notifies() && heard.method() == CANCELLED {
                also(steps, nameless(-32602, "No such request"));
            }
        }),
    ),
];
