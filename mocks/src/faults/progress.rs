//! Faults of progress notifications.

use crate::fault::{Fault, Heard, Twist};
use crate::step::Step;
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "progress-after-response",
        "Sends the last progress after the response; some clients drop the connection then.",
        Twist::Steps(|heard, steps| {
            if let Some(token) = token(heard) {
                steps.push(progress(token, json!(4)));
            }
        }),
    ),
    Fault::new(
        "progress-invented-token",
        "Reports progress under a token of its own instead of the one it was given.",
        Twist::Steps(|heard, steps| {
            if let (Some(_), Some(id)) = (token(heard), heard.id()) {
                steps.insert(0, progress(&json!(format!("tool-call-{id}")), json!(1)));
            }
        }),
    ),
    Fault::new(
        "progress-not-a-number",
        "Reports progress as text with a percent sign.",
        Twist::Steps(|heard, steps| {
            if let Some(token) = token(heard) {
                steps.insert(0, progress(token, json!("10%")));
            }
        }),
    ),
    Fault::new(
        "progress-not-increasing",
        "Reports the same progress twice.",
        Twist::Steps(|heard, steps| {
            if let Some(token) = token(heard) {
                steps.splice(0..0, [progress(token, json!(0)), progress(token, json!(0))]);
            }
        }),
    ),
    Fault::new(
        "progress-token-retyped",
        "Sends the progress token back as another JSON type.",
        Twist::Steps(|heard, steps| {
            if let Some(token) = token(heard) {
                let other = match token {
                    Value::String(text) => json!(text.parse::<i64>().unwrap_or(0)),
                    number => json!(number.to_string()),
                };
                steps.insert(0, progress(&other, json!(0)));
            }
        }),
    ),
    Fault::new(
        "progress-unasked",
        "Reports progress on calls that gave no token.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call")
                && token(heard).is_none()
                && let Some(id) = heard.id()
            {
                steps.insert(0, progress(id, json!(1)));
            }
        }),
    ),
];

/// The token that a tool call gave.
fn token<'a>(heard: &Heard<'a>) -> Option<&'a Value> {
    if heard.asks("tools/call") { heard.message?.pointer("/params/_meta/progressToken") } else { None }
}

fn progress(token: &Value, progress: Value) -> Step {
    Step::notify("notifications/progress", json!({"progressToken": token, "progress": progress, "total": 4}))
}
