//! No faults: things that are legal and yet mistaken for faults. A checker must be silent about each of them.

use super::{result_of, tool_result};
use crate::fault::{Fault, Twist};
use crate::listing;
use crate::step::Step;
use serde_json::{Value, json};
use specs::Revision;
use std::time::Duration;

/// The legal oddities.
pub(crate) const QUIRKS: &[Fault] = &[
    Fault::new(
        "legal-completion-refused",
        "Has no completions for some arguments, and says so with an error.",
        Twist::Reply(|call, reply| {
            if result_of(call, reply, "completion/complete").is_some() {
                super::refuse(
                    call,
                    reply,
                    crate::problem::Problem::params("this argument has no completions"),
                );
            }
        }),
    ),
    Fault::new(
        "legal-deep-nesting",
        "Lists its tools in a result with hundreds of arrays in each other, which no rule forbids.",
        Twist::Encode(|message, line| {
            if message.pointer("/result/tools").is_some() {
                let deep = format!("\"deep\":{}{},\"tools\":", "[".repeat(600), "]".repeat(600));
                let text = String::from_utf8_lossy(line).replacen("\"tools\":", &deep, 1);
                *line = text.into_bytes();
            }
        }),
    ),
    Fault::new(
        "legal-empty-cursor",
        "Leads to its second page of tools by an empty cursor, which is as good as any other.",
        Twist::All(&[
            Twist::Reply(|call, reply| {
                if let Some(cursor) =
                    result_of(call, reply, "tools/list").and_then(|r| r.get_mut("nextCursor"))
                {
                    *cursor = json!("");
                }
            }),
            Twist::Hear(|message, _| {
                if message["method"] == "tools/list" && message.pointer("/params/cursor") == Some(&json!(""))
                {
                    message["params"]["cursor"] = json!(listing::cursor("tools", listing::PAGE));
                }
            }),
        ]),
    ),
    Fault::new(
        "legal-error-without-structured",
        "Fails in a tool with an output schema, and says so in text only.",
        Twist::Reply(|call, reply| {
            if let Some(result) = tool_result(call, reply, "add").and_then(Value::as_object_mut) {
                result.remove("structuredContent");
                result.insert("isError".into(), json!(true));
                result.insert("content".into(), json!([{"type": "text", "text": "The backend is down."}]));
            }
        }),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "legal-escapes",
        "Escapes the characters of its texts that are not ASCII.",
        Twist::Encode(|message, line| {
            // A text twin of structured content must stay the same JSON.
            let twin = message.pointer("/result/structuredContent").is_some();
            if !twin && message.pointer("/result/content").is_some() {
                let text = String::from_utf8_lossy(line).replacen(
                    "\"text\":\"",
                    "\"text\":\"\\u00e9\\ud83d\\ude00 ",
                    1,
                );
                *line = text.into_bytes();
            }
        }),
    ),
    Fault::new(
        "legal-experimental-capability",
        "Declares an experimental capability.",
        Twist::Surface(|surface| surface.capabilities["experimental"] = json!({"example.com/x": {}})),
    ),
    Fault::new(
        "legal-jitter",
        "Takes up to 0.6 s for each answer, and so answers in another order than it was asked.",
        Twist::Steps(|heard, steps| {
            let mix = heard.line.iter().fold(7_u64, |mix, byte| (mix * 31 + u64::from(*byte)) % 601);
            wait_first(steps, |_| true, Duration::from_millis(mix));
        }),
    )
    .on("stdio"),
    Fault::new(
        "legal-meta",
        "Puts _meta with a key of its own on every result.",
        Twist::Reply(|_, reply| {
            if let Some(result) = reply.get_mut("result").filter(|result| result.is_object()) {
                result["_meta"]["example.com/trace"] = json!("abc");
            }
        }),
    ),
    Fault::new(
        "legal-request-state",
        "Wants to be asked again before it does anything, with a state and no questions.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call") {
                let meta = result["_meta"].take();
                *result = json!({"resultType": "input_required", "requestState": "s1", "_meta": meta});
            }
        }),
    )
    .stateless(),
    Fault::new(
        "legal-slow-errors",
        "Works on other requests while it takes 2.6 s for each error.",
        Twist::Steps(|_, steps| {
            wait_first(steps, |answer| answer.get("error").is_some(), Duration::from_millis(2600));
        }),
    )
    .on("stdio"),
    Fault::new(
        "legal-slow-start",
        "Needs two seconds before it reads its input.",
        Twist::Delay(Duration::from_secs(2)),
    )
    .on("stdio"),
    Fault::new(
        "legal-spaces",
        "Writes blanks around its messages, which JSON allows.",
        Twist::Encode(|_, line| {
            line.insert(0, b' ');
            line.insert(line.len() - 1, b' ');
        }),
    ),
    Fault::new(
        "legal-sse-comments",
        "Keeps its event streams alive with comments.",
        Twist::Event(|_, bytes| {
            bytes.splice(0..0, *b": keep-alive\n\n");
        }),
    )
    .since(Revision::V2025_03_26)
    .on("http"),
    Fault::new(
        "legal-sse-data-only",
        "Sends events without their type, which is message by default.",
        Twist::Event(|_, bytes| {
            if let Some(rest) = bytes.strip_prefix(b"event: message\n") {
                *bytes = rest.to_vec();
            }
        }),
    )
    .since(Revision::V2025_03_26)
    .on("http"),
    Fault::new(
        "legal-tool-busy",
        "Is busy when its tools are called for the second time.",
        Twist::Reply(|call, reply| {
            if call.turn == 1
                && let Some(result) = result_of(call, reply, "tools/call").and_then(Value::as_object_mut)
            {
                result.remove("structuredContent");
                result.insert("isError".into(), json!(true));
                result.insert("content".into(), json!([{"type": "text", "text": "Try again later."}]));
            }
        }),
    ),
];

/// Waits before anything is done about a message whose answer is one of those `meant`.
fn wait_first(steps: &mut Vec<Step>, meant: fn(&Value) -> bool, pause: Duration) {
    if steps.iter().filter_map(Step::response).any(meant) {
        steps.insert(0, Step::Wait(pause));
    }
}
