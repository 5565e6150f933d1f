//! Faults of `tools/call`.

use super::{code, result_of, silence, succeed, tool_result};
use crate::call::Call;
use crate::fault::{Fault, Twist};
use crate::problem::Problem;
use crate::step::Step;
use serde_json::{Value, json};
use specs::{Revision, Revisions};

const OBJECTS_ONLY: Revisions = Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25);

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "call-arguments-missing-kills",
        "Crashes when a tool without arguments is called without arguments.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call") && heard.at("/params/arguments").is_none() {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "call-bad-arguments-accepted",
        "Calls a tool with arguments that do not fit its schema.",
        Twist::Reply(|call, reply| {
            let as_error = message(reply).is_some_and(|text| text.starts_with("Invalid params: argument"));
            let text = reply.pointer("/result/content/0/text").and_then(Value::as_str);
            let as_result = text.is_some_and(|text| text.starts_with("argument "));
            if call.is("tools/call") && (as_error || as_result) {
                succeed(call, reply, fine(call));
            }
        }),
    ),
    Fault::new(
        "call-content-bad-block",
        "Answers with a content block of a kind that does not exist.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call") {
                result["content"] = json!([{"type": "hologram", "shape": "cube"}]);
            }
        }),
    ),
    Fault::new(
        "call-content-block-no-text",
        "Answers with a text block without the text.",
        Twist::Reply(|call, reply| {
            if let Some(result) = tool_result(call, reply, "echo") {
                result["content"] = json!([{"type": "text"}]);
            }
        }),
    ),
    Fault::new(
        "call-content-missing",
        "Answers with a bare object that has no content.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call").and_then(Value::as_object_mut) {
                result.remove("content");
                result.insert("text".into(), json!("done"));
            }
        }),
    ),
    Fault::new(
        "call-content-not-array",
        "Answers with one content block instead of a list of them.",
        Twist::Reply(|call, reply| {
            if let Some(content) = result_of(call, reply, "tools/call").and_then(|r| r.get_mut("content")) {
                *content = content[0].take();
            }
        }),
    ),
    Fault::new(
        "call-is-error-not-bool",
        "Writes isError as a word.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/call") {
                result["isError"] = json!("false");
            }
        }),
    ),
    Fault::new(
        "call-name-missing-accepted",
        "Calls some tool when no name is given.",
        Twist::Reply(|call, reply| {
            if call.is("tools/call") && call.params.get("name").is_none() && code(reply) == Some(-32602) {
                succeed(call, reply, fine(call));
            }
        }),
    ),
    Fault::new(
        "call-never-answers",
        "Never answers a tool call.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call") {
                silence(steps);
            }
        }),
    ),
    Fault::new(
        "call-progress-token-refused",
        "Refuses calls that ask for progress.",
        Twist::Hear(|message, session| {
            let token = message.pointer("/params/_meta/progressToken");
            if message["method"] == "tools/call" && token.is_some() {
                session.refusal = Some(Problem::params("unexpected member progressToken"));
            }
        }),
    ),
    Fault::new(
        "call-structured-mismatch",
        "Answers with structured content of another type than its output schema says.",
        Twist::Reply(|call, reply| {
            if let Some(result) = tool_result(call, reply, "add").filter(|r| is_structured(r)) {
                result["structuredContent"] = json!({"sum": "five"});
                result["content"] = json!([{"type": "text", "text": "{\"sum\":\"five\"}"}]);
            }
        }),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "call-structured-missing",
        "Declares an output schema and answers with text only.",
        Twist::Reply(|call, reply| {
            if let Some(result) = tool_result(call, reply, "add").and_then(Value::as_object_mut) {
                result.remove("structuredContent");
            }
        }),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "call-structured-not-object",
        "Answers with structured content that is a list.",
        Twist::Reply(|call, reply| structure(call, reply, json!(["a", "list"]))),
    )
    .within(OBJECTS_ONLY),
    Fault::new(
        "call-structured-null",
        "Answers with structured content that is null.",
        Twist::Reply(|call, reply| structure(call, reply, Value::Null)),
    )
    .within(OBJECTS_ONLY),
    Fault::new(
        "call-structured-without-text",
        "Answers with structured content and an empty list of blocks, so that hosts show nothing.",
        Twist::Reply(|call, reply| {
            if let Some(result) = tool_result(call, reply, "add").filter(|r| is_structured(r)) {
                result["content"] = json!([]);
            }
        }),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "tool-unknown-is-error",
        "Answers a call of an unknown tool with a tool error instead of a protocol error.",
        Twist::Reply(|call, reply| {
            if is_unknown_tool(reply) {
                let block = json!({"type": "text", "text": "There is no such tool."});
                succeed(call, reply, json!({"content": [block], "isError": true}));
            }
        }),
    ),
    Fault::new(
        "tool-unknown-silent",
        "Never answers a call of an unknown tool.",
        Twist::Steps(|heard, steps| {
            if heard.asks("tools/call") && steps.iter().filter_map(Step::response).any(is_unknown_tool) {
                silence(steps);
            }
        }),
    ),
    Fault::new(
        "tool-unknown-succeeds",
        "Answers a call of an unknown tool as if it had worked.",
        Twist::Reply(|call, reply| {
            if is_unknown_tool(reply) {
                succeed(call, reply, fine(call));
            }
        }),
    ),
];

fn message(reply: &Value) -> Option<&str> {
    reply.pointer("/error/message")?.as_str()
}

fn is_unknown_tool(reply: &Value) -> bool {
    message(reply).is_some_and(|text| text.starts_with("Invalid params: unknown tool"))
}

/// A result as if all had gone well.
fn fine(call: &Call) -> Value {
    let structured = call.text("name") == Some("add");
    if structured && call.revision.is_some_and(Revision::has_structured_content) {
        let block = json!({"type": "text", "text": "{\"sum\":0}"});
        return json!({"content": [block], "structuredContent": {"sum": 0}});
    }
    json!({"content": [{"type": "text", "text": "done"}]})
}

fn is_structured(result: &Value) -> bool {
    result.get("structuredContent").is_some()
}

/// Adds structured content to tools that have no output schema.
fn structure(call: &Call, reply: &mut Value, value: Value) {
    let schemaless = call.text("name") != Some("add");
    if let (true, Some(result)) = (schemaless, result_of(call, reply, "tools/call")) {
        result["structuredContent"] = value;
    }
}
