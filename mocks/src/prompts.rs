//! Answers `prompts/get` and `completion/complete`.

use crate::call::Call;
use crate::problem::Problem;
use crate::surface::Surface;
use serde_json::{Value, json};

/// Fills in a prompt.
pub(crate) fn get(call: &Call, surface: &Surface) -> Result<Value, Problem> {
    let name = call.text("name").ok_or_else(|| Problem::params("name must be a string"))?;
    let prompt = surface.prompts.iter().find(|prompt| prompt["name"] == name);
    let prompt = prompt.ok_or_else(|| Problem::params(format!("unknown prompt {name:?}")))?;
    let given = call.params.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let all_text = given.as_object().is_some_and(|given| given.values().all(Value::is_string));
    if !all_text {
        return Err(Problem::params("arguments must be an object of strings"));
    }
    for argument in prompt["arguments"].as_array().into_iter().flatten() {
        let argument_name = argument["name"].as_str().unwrap_or_default();
        if argument["required"] == true && given.get(argument_name).is_none() {
            return Err(Problem::params(format!("argument {argument_name:?} is missing")));
        }
    }
    let about = given.get("topic").and_then(Value::as_str).unwrap_or("anything");
    let text = format!("Write a {name} about {about}.");
    Ok(json!({
        "description": prompt["description"],
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }))
}

const TOPICS: [&str; 5] = ["apple", "birch", "cedar", "dune", "picture"];
const TONES: [&str; 3] = ["calm", "cheerful", "grave"];

/// Completes an argument of a prompt or of a template.
pub(crate) fn complete(call: &Call) -> Result<Value, Problem> {
    let text = |pointer: &str| call.params.pointer(pointer).and_then(Value::as_str);
    let (Some(kind), Some(argument), Some(typed)) =
        (text("/ref/type"), text("/argument/name"), text("/argument/value"))
    else {
        return Err(Problem::params("ref and argument must be complete"));
    };
    let choices: &[&str] = match (kind, text("/ref/name"), text("/ref/uri"), argument) {
        ("ref/prompt", Some("summary" | "poem"), _, "topic") => &TOPICS,
        ("ref/prompt", Some("poem"), _, "tone") => &TONES,
        ("ref/resource", _, Some("note:///{title}"), "title") => &TOPICS,
        _ => return Err(Problem::params("nothing is known by this reference")),
    };
    let values: Vec<_> = choices.iter().filter(|choice| choice.starts_with(typed)).collect();
    Ok(json!({"completion": {"values": values, "total": values.len(), "hasMore": false}}))
}
