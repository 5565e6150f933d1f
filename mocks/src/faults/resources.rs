//! Faults of resources and their templates.

use super::{code, code_in, result_of, silence, succeed};
use crate::call::Call;
use crate::fault::{Fault, Twist};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "resource-listed-unreadable",
        "Lists a resource that it then cannot find.",
        Twist::Reply(|call, reply| {
            if call.is("resources/read") && call.text("uri") == Some("note:///apple") && code(reply).is_none()
            {
                super::refuse(call, reply, crate::problem::Problem::new(-32603, "Cannot read the resource"));
            }
        }),
    ),
    Fault::new(
        "resource-missing-empty-contents",
        "Answers with empty contents when a resource is not there.",
        Twist::Reply(|call, reply| {
            if is_missing(call, reply) {
                succeed(call, reply, json!({"contents": []}));
            }
        }),
    ),
    Fault::new(
        "resource-missing-wrong-code",
        "Says with the code 0 that a resource is not there.",
        Twist::Reply(|call, reply| {
            if is_missing(call, reply) {
                reply["error"]["code"] = json!(0);
            }
        }),
    ),
    Fault::new(
        "resource-read-shape",
        "Answers with one content instead of a list of contents.",
        Twist::Reply(|call, reply| {
            if let Some(contents) =
                result_of(call, reply, "resources/read").and_then(|result| result.get_mut("contents"))
            {
                *contents = contents[0].take();
            }
        }),
    ),
    Fault::new(
        "resource-read-silent",
        "Never answers when a resource that it lists is read.",
        Twist::Steps(|heard, steps| {
            if heard.asks("resources/read") && code_in(steps).is_none() {
                silence(steps);
            }
        }),
    ),
    Fault::new(
        "resource-read-wrong-uri",
        "Names another resource than the one that was asked for.",
        Twist::Reply(|call, reply| {
            if let Some(contents) =
                result_of(call, reply, "resources/read").and_then(|result| result.pointer_mut("/contents/0"))
            {
                contents["uri"] = json!("https://elsewhere.example/other");
            }
        }),
    ),
    Fault::new(
        "resources-list-shape",
        "Lists a resource without its address.",
        Twist::Surface(|surface| {
            if let Some(resource) = surface.resources.last_mut().and_then(Value::as_object_mut) {
                resource.remove("uri");
            }
        }),
    ),
    Fault::new(
        "templates-list-shape",
        "Lists a resource template under uri instead of uriTemplate.",
        Twist::Surface(|surface| {
            surface.templates = vec![json!({"uri": "note:///{title}", "name": "note"})];
        }),
    ),
];

fn is_missing(call: &Call, reply: &Value) -> bool {
    call.is("resources/read") && matches!(code(reply), Some(-32002 | -32602))
}
