//! Prompts: the list, what is got, and what is refused.

use super::dialogue::{at_part, of_answer};
use super::lifecycle::{first_place, well_shaped};
use super::offerings::{LIST, TRIED, faults_of, list_shape};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::log::Reply;
use crate::peer::Peer;
use crate::words::quoted;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;
use wire::Value;

/// A row of this area.
const ROW: Check = Check {
    requirement: "shape.message-valid",
    needs: Needs { capability: Some("prompts"), transport: None },
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "prompts-list-shape",
        fault: "prompts-list-shape",
        explain: LIST,
        probe: |peer| Box::pin(list_shape(peer, "prompts/list", "ListPromptsResult")),
        ..ROW
    },
    Check {
        id: "prompts-get-answered",
        requirement: "prompts.listed-gettable",
        level: Level::Should,
        fault: "prompt-get-silent",
        explain: "The user picks the prompt, and the host waits until it gives up.",
        probe: |peer| Box::pin(get_answered(peer)),
        ..ROW
    },
    Check {
        id: "prompts-get-shape",
        fault: "prompt-get-shape",
        explain: "The user picks the prompt and gets a decoding error.",
        probe: |peer| Box::pin(get_shape(peer)),
        ..ROW
    },
    Check {
        id: "prompts-unknown-name",
        requirement: "prompts.unknown-name",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "prompt-unknown-succeeds",
        explain: "A client with an outdated list gets an empty prompt instead of an error.",
        probe: |peer| Box::pin(unknown_name(peer)),
        ..ROW
    },
    Check {
        id: "prompts-arguments-required",
        requirement: "prompts.missing-argument",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "prompt-argument-missing-accepted",
        explain: "The prompt goes out with a hole in it, and the model makes something up.",
        probe: |peer| Box::pin(arguments_required(peer)),
        ..ROW
    },
];

/// Gets the first few listed prompts, once per revision; one that is not answered is the last.
async fn gets(peer: &mut Peer) -> Result<Arc<Vec<(String, Reply)>>, Stop> {
    if let Some(known) = &peer.gets {
        return Ok(known.clone());
    }
    let list = peer.list("prompts/list").await?;
    let mut gets = Vec::new();
    for (name, prompt) in list.named().take(TRIED) {
        let params = json!({"name": name, "arguments": arguments_for(prompt)});
        let reply = peer.try_request("prompts/get", params).await?;
        let answered = matches!(reply, Reply::Answered(_));
        gets.push((name, reply));
        if !answered {
            break;
        }
    }
    let gets = Arc::new(gets);
    peer.gets = Some(gets.clone());
    Ok(gets)
}

async fn get_answered(peer: &mut Peer) -> Outcome {
    let gets = gets(peer).await?;
    if gets.is_empty() {
        return Err(Stop::NotApplicable("no prompt is listed".into()));
    }
    let Some((name, reply)) = gets.iter().find(|(_, reply)| !matches!(reply, Reply::Answered(_))) else {
        return Ok(());
    };
    let what = format!("`prompts/get` of the listed prompt {}", quoted(name));
    Err(peer.unanswered(reply, &what).stop())
}

async fn get_shape(peer: &mut Peer) -> Outcome {
    let gets = gets(peer).await?;
    if gets.is_empty() {
        return Err(Stop::NotApplicable("no prompt is listed".into()));
    }
    let mut tried = false;
    for (name, reply) in gets.iter() {
        let Reply::Answered(answer) = reply else { continue };
        let Some(result) = answer.result() else { continue };
        tried = true;
        let claimed = specs::schema::claimed_definition("prompts/get", peer.revision(), &result.to_json());
        let definition = claimed.unwrap_or("GetPromptResult");
        let faults = faults_of(peer, definition, answer);
        well_shaped(
            &faults,
            &format!("a {definition} for {}", quoted(name)),
            at_part(answer, &first_place(&faults), ""),
        )?;
    }
    if tried { Ok(()) } else { Err(Stop::Unproven("no listed prompt was answered with a result".into())) }
}

fn arguments_for(prompt: &Value) -> Json {
    let arguments = prompt.get("arguments").and_then(Value::as_array).unwrap_or(&[]);
    let required = |argument: &&Value| argument.get("required").and_then(Value::as_bool) == Some(true);
    let names = arguments.iter().filter(required).filter_map(|argument| argument.get("name")?.as_str());
    Json::Object(names.map(|name| (name.to_owned(), json!("mcpproof"))).collect::<Map<_, _>>())
}

async fn unknown_name(peer: &mut Peer) -> Outcome {
    let expected = "error -32602 (invalid params): unknown prompt";
    match peer.try_request("prompts/get", json!({"name": "mcpproof-no-such-prompt"})).await? {
        Reply::Answered(answer) if answer.code() == Some(-32602) => Ok(()),
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            Err(Stop::Unproven("not served; `capability-prompts-served` says so".into()))
        }
        Reply::Answered(answer) => Err(of_answer(&answer, expected).stop()),
        Reply::NoMessage(_) => Ok(()),
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}

/// The first required argument of the first prompt that has one, left out.
async fn arguments_required(peer: &mut Peer) -> Outcome {
    let list = peer.list("prompts/list").await?;
    let demanding = list.named().find(|(_, prompt)| arguments_for(prompt) != json!({}));
    let Some((name, _)) = demanding else {
        return Err(Stop::NotApplicable("no listed prompt has a required argument".into()));
    };
    let expected =
        format!("error -32602 (invalid params): {} requires arguments, and none were given", quoted(&name));
    match peer.try_request("prompts/get", json!({"name": name})).await? {
        Reply::Answered(answer) if answer.is_error() => Ok(()),
        Reply::Answered(answer) => Err(of_answer(&answer, &expected).stop()),
        other => Err(Stop::Unproven(format!("`prompts/get`: {}", crate::detect::reply_words(&other)))),
    }
}
