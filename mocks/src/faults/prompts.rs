//! Faults of prompts.

use super::{code, code_in, recode, result_of, silence, succeed};
use crate::fault::{Fault, Twist};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "prompt-argument-missing-accepted",
        "Fills in a prompt although a required argument is missing.",
        Twist::Reply(|call, reply| {
            let known = call.text("name") != Some("") && call.params.get("arguments").is_none();
            let missing = reply.pointer("/error/message").and_then(|text| text.as_str());
            if call.is("prompts/get") && known && missing.is_some_and(|text| text.contains("is missing")) {
                succeed(call, reply, json!({"messages": []}));
            }
        }),
    ),
    Fault::new(
        "prompt-get-shape",
        "Writes the content of a prompt's message as plain text.",
        Twist::Reply(|call, reply| {
            if let Some(result) = result_of(call, reply, "prompts/get") {
                result["messages"] = json!([{"role": "user", "content": "Write a poem."}]);
            }
        }),
    ),
    Fault::new(
        "prompt-get-silent",
        "Never answers when a prompt that it lists is asked for.",
        Twist::Steps(|heard, steps| {
            if heard.asks("prompts/get") && code_in(steps).is_none() {
                silence(steps);
            }
        }),
    ),
    Fault::new(
        "prompt-unknown-succeeds",
        "Answers with an empty prompt when it does not know the name.",
        Twist::Reply(|call, reply| {
            if call.is("prompts/get") && code(reply) == Some(-32602) {
                succeed(call, reply, json!({"messages": []}));
            }
        }),
    ),
    Fault::new(
        "prompt-unknown-wrong-code",
        "Calls an unknown prompt an internal error.",
        Twist::Reply(|call, reply| {
            if call.is("prompts/get") {
                recode(reply, -32602, -32603);
            }
        }),
    ),
    Fault::new(
        "prompts-list-shape",
        "Lists the arguments of a prompt as a map instead of a list.",
        Twist::Surface(|surface| {
            if let Some(prompt) = surface.prompts.first_mut() {
                prompt["arguments"] = json!({"topic": {"required": true}});
            }
        }),
    ),
];
