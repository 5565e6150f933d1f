//! Faults of cursors.

use super::{code_in, recode, result_of};
use crate::fault::{Fault, Twist};
use crate::listing;
use crate::step::Step;
use crate::surface::Surface;
use serde_json::{Value, json};

const LISTS: [(&str, &str); 3] =
    [("tools/list", "tools"), ("prompts/list", "prompts"), ("resources/list", "resources")];

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "cursor-empty-loops",
        "Ends its list of tools with an empty cursor and starts again when given it.",
        Twist::All(&[
            Twist::Reply(|call, reply| {
                if let Some(result) = result_of(call, reply, "tools/list")
                    && result.get("nextCursor").is_none()
                {
                    result["nextCursor"] = json!("");
                }
            }),
            Twist::Hear(|message, _| forget_cursor(message, |cursor| cursor == "")),
        ]),
    ),
    Fault::new(
        "cursor-garbage-accepted",
        "Takes any cursor it does not know for the start of the list.",
        Twist::Hear(|message, _| {
            let list = LISTS.iter().find(|(method, _)| message["method"] == *method);
            let Some((_, member)) = list else { return };
            forget_cursor(message, |cursor| {
                cursor.as_str().is_none_or(|text| listing::read(text, member).is_none())
            });
        }),
    ),
    Fault::new(
        "cursor-garbage-kills",
        "Crashes on a cursor it does not know.",
        Twist::Steps(|heard, steps| {
            if heard.at("/params/cursor").is_some() && code_in(steps) == Some(-32602) {
                *steps = vec![Step::Exit(1)];
            }
        }),
    ),
    Fault::new(
        "cursor-ignored",
        "Ignores cursors: the first page of tools comes again and again, and the second is out of reach.",
        Twist::Hear(|message, _| {
            if message["method"] == "tools/list" {
                forget_cursor(message, |_| true);
            }
        }),
    ),
    Fault::new(
        "cursor-loop",
        "Gives the last page of tools a cursor that leads to the same page.",
        Twist::Reply(|call, reply| {
            let cursor = call.params.get("cursor").cloned();
            if let (Some(result), Some(cursor)) = (result_of(call, reply, "tools/list"), cursor) {
                result["nextCursor"] = cursor;
            }
        }),
    ),
    Fault::new(
        "cursor-not-string",
        "Writes the cursor to the second page of tools as a number.",
        Twist::All(&[
            Twist::Reply(|call, reply| {
                if let Some(cursor) =
                    result_of(call, reply, "tools/list").and_then(|r| r.get_mut("nextCursor"))
                {
                    *cursor = json!(listing::PAGE);
                }
            }),
            Twist::Hear(|message, _| {
                if message["method"] == "tools/list"
                    && message.pointer("/params/cursor").is_some_and(Value::is_number)
                {
                    message["params"]["cursor"] = json!(listing::cursor("tools", listing::PAGE));
                }
            }),
        ]),
    ),
    Fault::new(
        "cursor-null",
        "Ends its list of tools with a cursor that is null.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "tools/list")
                && result.get("nextCursor").is_none()
            {
                result["nextCursor"] = Value::Null;
            }
        }),
    ),
    Fault::new(
        "cursor-page-overlap",
        "Lists the last tool of a page again on the next one.",
        Twist::Reply(|call, reply| {
            let (Some(revision), Some(_)) = (call.revision, call.params.get("cursor")) else { return };
            let tools = result_of(call, reply, "tools/list").and_then(|r| r["tools"].as_array_mut());
            if let (Some(tools), Some(last)) = (tools, Surface::good(revision).tools.get(listing::PAGE - 1)) {
                tools.insert(0, last.clone());
            }
        }),
    ),
    Fault::new(
        "cursor-wrong-code",
        "Refuses a cursor it does not know with an internal error.",
        Twist::Reply(|call, reply| {
            if call.params.get("cursor").is_some() {
                recode(reply, -32602, -32603);
            }
        }),
    ),
];

fn forget_cursor(message: &mut Value, when: impl Fn(&Value) -> bool) {
    let params = message.get_mut("params").and_then(Value::as_object_mut);
    if let Some(params) = params
        && params.get("cursor").is_some_and(when)
    {
        params.remove("cursor");
    }
}
