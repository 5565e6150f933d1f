//! Faults of the list of tools: names, texts and order. Their schemas stand in `tools_schema`.

use super::result_of;
use crate::fault::{Fault, Twist};
use crate::surface::Surface;
use serde_json::{Value, json};
use specs::Revision;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "tool-annotations-wrong-type",
        "Writes the hint readOnlyHint as a word.",
        Twist::Surface(|surface| extra(surface, "annotations", json!({"readOnlyHint": "yes"}))),
    )
    .since(Revision::V2025_03_26),
    Fault::new(
        "tool-description-missing",
        "Describes one of its tools with no word.",
        Twist::Surface(|surface| {
            surface.tools.push(json!({"name": "clock", "inputSchema": {"type": "object"}}));
        }),
    ),
    Fault::new(
        "tool-description-not-string",
        "Describes one of its tools with a list.",
        Twist::Surface(|surface| extra(surface, "description", json!(["Tells", "the time."]))),
    ),
    Fault::new(
        "tool-icon-bad-scheme",
        "Gives a tool an icon whose address would run a script.",
        Twist::Surface(|surface| extra(surface, "icons", json!([{"src": "javascript:alert(1)"}]))),
    )
    .since(Revision::V2025_11_25),
    Fault::new(
        "tool-meta-key-bad",
        "Uses a _meta key that breaks the naming rules.",
        Twist::Surface(|surface| extra(surface, "_meta", json!({"-mock.example/ bad key": 1}))),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "tool-name-dots",
        "Names a tool with a dot, which model providers refuse.",
        Twist::Surface(|surface| extra(surface, "name", json!("clock.now"))),
    ),
    Fault::new(
        "tool-name-duplicate",
        "Lists two different tools under one name.",
        Twist::Surface(|surface| extra(surface, "name", json!("greet"))),
    ),
    Fault::new(
        "tool-name-empty",
        "Names a tool with the empty string.",
        Twist::Surface(|surface| extra(surface, "name", json!(""))),
    ),
    Fault::new(
        "tool-name-long",
        "Names a tool with 140 letters.",
        Twist::Surface(|surface| extra(surface, "name", json!("n".repeat(140)))),
    ),
    Fault::new(
        "tool-name-missing",
        "Lists a tool without a name.",
        Twist::Surface(|surface| {
            surface.tools.push(json!({"description": "Tells the time.", "inputSchema": {"type": "object"}}));
        }),
    ),
    Fault::new(
        "tool-name-over-64",
        "Names a tool with 65 letters, one more than model providers take.",
        Twist::Surface(|surface| extra(surface, "name", json!("n".repeat(65)))),
    ),
    Fault::new(
        "tool-name-spaces",
        "Names a tool with spaces.",
        Twist::Surface(|surface| extra(surface, "name", json!("Tell Time"))),
    ),
    Fault::new(
        "tool-title-not-string",
        "Writes the title of a tool as a number.",
        Twist::Surface(|surface| extra(surface, "title", json!(42))),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "tools-list-once",
        "Answers the first request for its tools and drops all later ones.",
        Twist::All(&[
            Twist::Reply(|call, reply| {
                if call.is("tools/list") && call.turn > 0 {
                    *reply = json!({"jsonrpc": "2.0", "id": "dropped", "result": {}});
                }
            }),
            Twist::Steps(|_, steps| {
                steps.retain(|step| step.response().is_none_or(|reply| reply["id"] != "dropped"));
            }),
        ]),
    ),
    Fault::new(
        "tools-missing",
        "Answers tools/list without the list.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/list").and_then(Value::as_object_mut) {
                result.remove("tools");
            }
        }),
    ),
    Fault::new(
        "tools-not-array",
        "Answers tools/list with a map from names to tools.",
        Twist::Reply(|call, reply| {
            let Some(tools) = result_of(call, reply, "tools/list").and_then(|r| r.get_mut("tools")) else {
                return;
            };
            let all = tools.as_array().into_iter().flatten();
            let named = all.map(|tool| (tool["name"].as_str().unwrap_or_default().to_owned(), tool.clone()));
            *tools = Value::Object(named.collect());
        }),
    ),
    Fault::new(
        "tools-order-unstable",
        "Lists its tools in another order each time.",
        Twist::Reply(|call, reply| {
            let turn = call.turn;
            if let Some(tools) = result_of(call, reply, "tools/list").and_then(|r| r["tools"].as_array_mut())
            {
                let by = turn % tools.len().clamp(1, 3);
                tools.rotate_left(by);
            }
        }),
    ),
];

/// Lists one more tool, which is fine but for one member.
fn extra(surface: &mut Surface, member: &str, value: Value) {
    let mut tool = json!({"name": "clock", "description": "Tells the time.",
        "inputSchema": {"type": "object", "additionalProperties": false}});
    tool[member] = value;
    surface.tools.push(tool);
}
