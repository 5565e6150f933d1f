//! Faults of the ear: notifications answered, and bad input that kills or is taken for good.

use super::{also, nameless};
use crate::fault::{Fault, Heard, Twist};
use crate::step::Step;
use serde_json::{Map, Value, json};
use specs::{Revision, Revisions};

const BATCHES: Revisions = Revisions::only(Revision::V2025_03_26);

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "batch-accepted-late",
        "Answers batches although they were abolished.",
        Twist::Hear(|_, session| session.batches = Some(true)),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "batch-kills",
        "Crashes on an array of messages.",
        Twist::Steps(|heard, steps| {
            if heard.message.is_some_and(Value::is_array) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "batch-partly-answered",
        "Forgets the last request of a batch.",
        Twist::Steps(|heard, steps| {
            let whole = heard.message.and_then(Value::as_array).is_some_and(|items| items.len() > 1);
            for step in steps {
                if let (true, Step::Say(Value::Array(replies))) = (whole, step) {
                    replies.pop();
                }
            }
        }),
    )
    .within(BATCHES),
    Fault::new(
        "batch-refused",
        "Refuses batches in the one revision that demands them.",
        Twist::Hear(|_, session| session.batches = Some(false)),
    )
    .within(BATCHES),
    Fault::new(
        "empty-batch-silent",
        "Says nothing about an empty batch.",
        Twist::Steps(|heard, steps| {
            if heard.message == Some(&json!([])) {
                steps.clear();
            }
        }),
    ),
    Fault::new(
        "id-zero-ignored",
        "Drops requests with the id 0, which it takes for none.",
        Twist::Steps(|heard, steps| {
            if heard.id() == Some(&json!(0)) {
                steps.clear();
            }
        }),
    ),
    Fault::new(
        "invalid-request-kills",
        "Crashes on a request without a method.",
        Twist::Steps(|heard, steps| {
            if lacks_method(heard) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "invalid-request-wrong-code",
        "Calls a request without a method an internal error.",
        Twist::Steps(|heard, steps| {
            if lacks_method(heard) {
                recode_all(steps);
            }
        }),
    ),
    Fault::new(
        "member-names-caseless",
        "Takes Method and ID for method and id.",
        Twist::Hear(|message, _| {
            let Some(members) = message.as_object_mut() else { return };
            let lower = |(name, value): (String, Value)| (name.to_ascii_lowercase(), value);
            *members = std::mem::take(members).into_iter().map(lower).collect::<Map<_, _>>();
        }),
    ),
    Fault::new(
        "notification-answered",
        "Answers notifications/initialized with an error that names no request.",
        Twist::Steps(|heard, steps| {
            if heard.notifies() && heard.method() == "notifications/initialized" {
                also(steps, nameless(-32601, "Method not found: notifications/initialized"));
            }
        }),
    )
    .with_handshake(),
    Fault::new(
        "notification-kills",
        "Crashes on a notification it does not know.",
        Twist::Steps(|heard, steps| {
            if notifies_news(heard) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "notification-unknown-answered",
        "Answers notifications it does not know with an error that names no request.",
        Twist::Steps(|heard, steps| {
            if notifies_news(heard) {
                also(steps, nameless(-32601, "Method not found"));
            }
        }),
    ),
    Fault::new(
        "params-array-kills",
        "Crashes when params is an array.",
        Twist::Steps(|heard, steps| {
            if heard.at("/params").is_some_and(Value::is_array) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "params-scalar-kills",
        "Crashes when params is a string or a number.",
        Twist::Steps(|heard, steps| {
            if heard.at("/params").is_some_and(|params| params.is_string() || params.is_number()) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "parse-error-silent-death",
        "Dies without a word when a line is not JSON.",
        Twist::Steps(|heard, steps| {
            if heard.message.is_none() {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "parse-error-wrong-code",
        "Calls a line that is not JSON an internal error.",
        Twist::Steps(|heard, steps| {
            if heard.message.is_none() {
                recode_all(steps);
            }
        }),
    ),
    Fault::new(
        "pipelined-second-dropped",
        "Takes one request of all that it reads at once, and drops those behind it.",
        Twist::OneAtATime,
    )
    .on("stdio"),
    Fault::new(
        "request-id-null-answered-ok",
        "Serves requests with the id null as if they were fine.",
        Twist::Steps(|heard, steps| {
            if heard.id() == Some(&Value::Null) && !heard.method().is_empty() {
                let result = json!({"resultType": "complete"});
                *steps = vec![Step::Say(json!({"jsonrpc": "2.0", "id": null, "result": result}))];
            }
        }),
    ),
];

/// Tells a message that has neither a method nor an outcome.
fn lacks_method(heard: &Heard<'_>) -> bool {
    let has = |name: &str| heard.message.and_then(|message| message.get(name)).is_some();
    let object = heard.message.is_some_and(Value::is_object);
    object && heard.method().is_empty() && !has("result") && !has("error")
}

/// Tells a notification that no revision knows.
fn notifies_news(heard: &Heard<'_>) -> bool {
    let known = ["initialized", "cancelled", "progress", "roots/list_changed"];
    let name = heard.method().strip_prefix("notifications/");
    heard.notifies() && !name.is_some_and(|name| known.contains(&name))
}

fn recode_all(steps: &mut [Step]) {
    for step in steps {
        if let Step::Say(message) = step
            && message.get("error").is_some()
        {
            message["error"]["code"] = json!(-32603);
        }
    }
}
