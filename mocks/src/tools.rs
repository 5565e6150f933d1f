//! Answers `tools/call`: the tools of the good server at work.

use crate::answer::Answer;
use crate::call::Call;
use crate::problem::Problem;
use crate::resources::{self, POINT};
use crate::session::Session;
use crate::step::Step;
use crate::surface::Surface;
use serde_json::{Map, Value, json};
use specs::Revision;
use std::time::Duration;

/// How long one part of the slow tool takes; it has three.
const PART: Duration = Duration::from_millis(35);

/// Calls a tool.
pub(crate) fn call(session: &mut Session, call: &Call, surface: &Surface) -> Answer {
    let arguments = match checked(session, call, surface) {
        Ok(arguments) => arguments,
        Err(outcome) => return outcome.into(),
    };
    match call.text("name").unwrap_or_default() {
        "slow" => slow(session, call, surface.revision),
        "touch_note" => touch(session, &arguments, surface),
        name => {
            let mut answer = Answer::from(Ok(result(name, &arguments, surface.revision)));
            answer.before.extend(session.log(call, "debug", &format!("called {name}")));
            answer
        }
    }
}

/// The arguments, if the tool exists and they fit; else the refusal that the revision wants.
fn checked(
    session: &Session,
    call: &Call,
    surface: &Surface,
) -> Result<Map<String, Value>, Result<Value, Problem>> {
    let name = call.text("name").ok_or_else(|| Err(Problem::params("name must be a string")))?;
    if !surface.tools.iter().any(|tool| tool["name"] == name) {
        return Err(Err(Problem::params(format!("unknown tool {name:?}"))));
    }
    let arguments = match call.params.get("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(Err(Problem::params("arguments must be an object"))),
    };
    // The good schema counts, so that a fault in a listed schema does not change the calls.
    let good = session.setup.good(surface.revision).tools.iter().find(|tool| tool["name"] == name);
    match good.and_then(|tool| misfit(&tool["inputSchema"], &arguments)) {
        None => Ok(arguments),
        // Spec 2025-11-25, server/tools: what a model can repair comes back as a tool error.
        Some(why) if surface.revision >= Revision::V2025_11_25 => Err(Ok(failed(&why))),
        Some(why) => Err(Err(Problem::params(why))),
    }
}

/// Says how `arguments` differ from what `schema` wants, as far as our own schemas go.
fn misfit(schema: &Value, arguments: &Map<String, Value>) -> Option<String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !arguments.contains_key(*name)) {
        return Some(format!("argument {name:?} is missing"));
    }
    arguments.iter().find_map(|(name, value)| {
        let Some(wanted) = schema["properties"].get(name) else {
            return Some(format!("argument {name:?} is unknown"));
        };
        (!fits(wanted, value)).then(|| format!("argument {name:?} does not fit its schema"))
    })
}

fn fits(wanted: &Value, value: &Value) -> bool {
    let kind = match wanted["type"].as_str().unwrap_or_default() {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        _ => true,
    };
    let chosen = wanted["enum"].as_array().is_none_or(|choices| choices.contains(value));
    let bound = |name: &str| wanted[name].as_i64();
    let number = value.as_i64();
    let inside = number.is_none_or(|n| {
        bound("minimum").is_none_or(|least| n >= least) && bound("maximum").is_none_or(|most| n <= most)
    });
    kind && chosen && inside
}

/// A tool error.
fn failed(why: &str) -> Value {
    json!({"content": [{"type": "text", "text": why}], "isError": true})
}

fn text(text: impl Into<String>) -> Value {
    json!({"content": [{"type": "text", "text": text.into()}]})
}

fn result(name: &str, arguments: &Map<String, Value>, revision: Revision) -> Value {
    let word = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match name {
        "echo" => text(word("text")),
        "add" => sum(arguments, revision),
        "fail" => failed("This tool always fails."),
        "gallery" => gallery(revision),
        "greet" => {
            let hello = if word("style") == "formal" { "Good day" } else { "Hello" };
            let times = arguments.get("times").and_then(Value::as_u64).unwrap_or(1).min(3) as usize;
            text(vec![format!("{hello}, {}.", word("name")); times].join(" "))
        }
        other => text(format!("{other} has nothing to say.")),
    }
}

fn sum(arguments: &Map<String, Value>, revision: Revision) -> Value {
    let number = |name: &str| arguments.get(name).and_then(Value::as_f64).unwrap_or_default();
    let sum = json!({"sum": whole(number("a") + number("b"))});
    let mut result = text(sum.to_string());
    if revision.has_structured_content() {
        result["structuredContent"] = sum;
    }
    result
}

/// Writes whole numbers without a fraction.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

fn gallery(revision: Revision) -> Value {
    let note = json!({"uri": "note:///apple", "mimeType": "text/plain", "text": "This is apple."});
    let mut blocks = vec![
        json!({"type": "text", "text": "One block of each kind."}),
        json!({"type": "image", "data": POINT, "mimeType": "image/png"}),
        json!({"type": "resource", "resource": note}),
    ];
    if revision >= Revision::V2025_03_26 {
        blocks.push(json!({"type": "audio", "data": "UklGRiQAAABXQVZF", "mimeType": "audio/wav"}));
    }
    if revision >= Revision::V2025_06_18 {
        let name = "apple";
        blocks.push(json!({"type": "resource_link", "uri": "note:///apple", "name": name}));
    }
    json!({"content": blocks})
}

/// Works in three parts, with progress after each if a token was given.
fn slow(session: &Session, call: &Call, revision: Revision) -> Answer {
    let mut before: Vec<_> = session.log(call, "info", "slow has started").into_iter().collect();
    for part in 1..=3 {
        before.push(Step::Wait(PART));
        let Some(token) = call.progress_token() else { continue };
        let mut params = json!({"progressToken": token, "progress": part, "total": 3});
        if revision >= Revision::V2025_03_26 {
            params["message"] = json!(format!("part {part} of 3"));
        }
        before.push(Step::notify("notifications/progress", params));
    }
    Answer { before, outcome: Ok(text("done")), after: Vec::new() }
}

fn touch(session: &Session, arguments: &Map<String, Value>, surface: &Surface) -> Answer {
    let uri = arguments.get("uri").and_then(Value::as_str).unwrap_or_default();
    if resources::listed(uri, surface).is_none() {
        return Ok(failed(&format!("There is no note {uri}."))).into();
    }
    Answer {
        before: session.updated(uri),
        outcome: Ok(text(format!("{uri} has changed."))),
        after: Vec::new(),
    }
}
