//! tools/call, tried on harmless tools that the server itself offers.

use super::dialogue::{at_part, of_answer};
use super::lifecycle::{first_place, shape_faults, well_shaped};
use crate::calls::{Call, arguments_for, is_harmless};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::log::{Answer, Reply};
use crate::peer::Peer;
use crate::words::{quoted, short};
use serde_json::{Value as Json, json};
use specs::Revision::{V2025_06_18, V2025_11_25};
use specs::Revisions;
use wire::Value;

/// A row of this area.
const ROW: Check = Check { needs: Needs::TOOLS, ..Check::BLANK };

/// A row about structured content.
const STRUCTURED: Check = Check { revisions: Revisions::since(V2025_06_18), ..ROW };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "call-answered",
        requirement: "jsonrpc.response.every-request-answered",
        level: Level::Should,
        fault: "call-never-answers",
        explain: "The model's turn hangs until the host gives up, and nobody learns why.",
        probe: |peer| Box::pin(answered(peer)),
        ..ROW
    },
    Check {
        id: "call-result-shape",
        requirement: "tools.result-content-array",
        fault: "call-content-missing",
        explain: "Typed clients cannot decode the result, so the model gets a decoding error instead of the answer.",
        probe: |peer| Box::pin(result_shape(peer)),
        ..ROW
    },
    Check {
        id: "call-structured-present",
        requirement: "tools.output-schema-missing-content",
        fault: "call-structured-missing",
        explain: "Clients on the official SDKs throw when a tool with an outputSchema answers without \
                  structuredContent.",
        probe: |peer| Box::pin(structured_present(peer)),
        ..STRUCTURED
    },
    Check {
        id: "call-structured-conforms",
        requirement: "tools.output-schema-conform",
        fault: "call-structured-mismatch",
        explain: "Clients that validate throw, and the others hand wrong data on.",
        probe: |peer| Box::pin(structured_conforms(peer)),
        ..STRUCTURED
    },
    Check {
        id: "call-structured-type",
        requirement: "tools.structured-type",
        revisions: Revisions::between(V2025_06_18, V2025_11_25),
        fault: "call-structured-null",
        explain: "Until 2025-11-25 structuredContent is an object or absent; null fails in typed clients.",
        probe: |peer| Box::pin(structured_type(peer)),
        ..STRUCTURED
    },
    Check {
        id: "call-structured-text",
        requirement: "tools.structured-text-copy",
        level: Level::Should,
        fault: "call-structured-without-text",
        explain: "Clients that do not read structuredContent give the model an empty answer.",
        probe: |peer| Box::pin(structured_text(peer)),
        ..STRUCTURED
    },
    Check {
        id: "call-progress-token",
        requirement: "progress.token-in-meta",
        level: Level::Should,
        fault: "call-progress-token-refused",
        explain: "Hosts ask for progress on each call, so that none of the tools can be used.",
        probe: |peer| Box::pin(progress_token(peer)),
        ..ROW
    },
    Check {
        id: "call-unknown-tool",
        requirement: "tools.unknown-tool",
        level: Level::Should,
        fault: "tool-unknown-is-error",
        explain: "The host cannot tell a tool that is gone from one that failed, and lets the model try again.",
        probe: |peer| Box::pin(unknown_tool(peer)),
        ..ROW
    },
    Check {
        id: "call-arguments-checked",
        requirement: "tools.validate-input",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "call-bad-arguments-accepted",
        explain: "A model that forgets an argument gets an answer to a question it did not ask.",
        probe: |peer| Box::pin(arguments_checked(peer)),
        ..ROW
    },
    Check {
        id: "call-name-required",
        requirement: "tools.malformed-call-protocol-error",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        phase: Phase::Hostile,
        fault: "call-name-missing-accepted",
        explain: "A call that names no tool is a client's bug, and a result hides it.",
        probe: |peer| Box::pin(name_required(peer)),
        ..ROW
    },
    Check {
        id: "call-without-arguments",
        requirement: "jsonrpc.error.invalid-params",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "call-arguments-missing-kills",
        explain: "`arguments` is optional, and hosts leave it out for tools without parameters.",
        probe: |peer| Box::pin(without_arguments(peer)),
        ..ROW
    },
];

/// Answers of calls that came back, with the call.
fn answers(calls: &[Call]) -> impl Iterator<Item = (&Call, &Answer)> {
    calls.iter().filter_map(|call| match &call.reply {
        Reply::Answered(answer) => Some((call, &**answer)),
        _ => None,
    })
}

async fn answered(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    let unanswered = calls.iter().find(|call| !matches!(call.reply, Reply::Answered(_)));
    let Some(call) = unanswered else { return Ok(()) };
    let sent = json!({"name": call.tool, "arguments": call.arguments}).to_string();
    let what = format!("the call of {}", quoted(&call.tool));
    let evidence = Evidence { sent: Some(short(&sent, 300)), ..peer.unanswered(&call.reply.clone(), &what) };
    Err(evidence.detail("a tool may need longer: raise --timeout to give it more time").stop())
}

/// Judges the result but for structuredContent and what the stateless revision adds, which have checks of their own.
async fn result_shape(peer: &mut Peer) -> Outcome {
    let revision = peer.revision();
    let calls = peer.calls().await?;
    for (call, answer) in answers(&calls) {
        let Some(result) = answer.result().filter(|result| result.as_object().is_some()) else { continue };
        let json = result.to_json();
        let definition =
            specs::schema::claimed_definition("tools/call", revision, &json).unwrap_or("CallToolResult");
        let mut faults = shape_faults(revision, definition, &json);
        let elsewhere = ["structuredContent", "resultType", "ttlMs", "cacheScope"];
        faults.retain(|f| !elsewhere.iter().any(|m| f.pointer.contains(m) || f.expected.contains(m)));
        if faults.is_empty() {
            continue;
        }
        let mut evidence = at_part(answer, &first_place(&faults), "");
        if let Some(members) = result.as_object() {
            let keys: Vec<_> = members.keys().collect();
            evidence.details.push(format!(
                "{} answered with the members: {}",
                quoted(&call.tool),
                keys.join(", ")
            ));
        }
        return well_shaped(&faults, "a CallToolResult", evidence);
    }
    any_answer(&calls)
}

/// Unproven when no call was answered, since there was nothing to look at.
fn any_answer(calls: &[Call]) -> Outcome {
    match answers(calls).next() {
        Some(_) => Ok(()),
        None => Err(Stop::Unproven("no call was answered; `call-answered` says so".into())),
    }
}

/// Successful results of tools that declare an output schema.
fn structured(calls: &[Call]) -> Result<Vec<(&Call, &Answer, Json)>, Stop> {
    let with_schema = answers(calls).filter_map(|(call, answer)| {
        let schema = call.definition.get("outputSchema")?.to_json();
        let readable = answer.result().is_some_and(|result| result.as_object().is_some());
        (readable && !call.is_error_result()).then_some((call, answer, schema))
    });
    let found: Vec<_> = with_schema.collect();
    if found.is_empty() {
        return Err(Stop::NotApplicable(
            "no called tool with an outputSchema gave a successful result".into(),
        ));
    }
    Ok(found)
}

async fn structured_present(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    for (call, answer, _) in structured(&calls)? {
        let result = answer.result();
        if is_input_required(result) || result.and_then(|r| r.get("structuredContent")).is_some() {
            continue;
        }
        let seen =
            format!("{} declares an outputSchema and answered without structuredContent", quoted(&call.tool));
        return Err(Evidence { seen, ..of_answer(answer, "structuredContent beside content") }.stop());
    }
    Ok(())
}

fn is_input_required(result: Option<&Value>) -> bool {
    result.and_then(|result| result.get("resultType")).and_then(Value::as_str) == Some("input_required")
}

async fn structured_conforms(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    let mut undecided = None;
    for (call, answer, schema) in structured(&calls)? {
        let Some(content) = answer.result().and_then(|result| result.get("structuredContent")) else {
            continue;
        };
        let Ok(validator) = jsonschema::validator_for(&schema) else {
            undecided = Some(format!("the outputSchema of {} does not compile", quoted(&call.tool)));
            continue;
        };
        let json = content.to_json();
        let Some(error) = validator.iter_errors(&json).next() else { continue };
        let place = format!("/structuredContent{}", error.instance_path());
        let expected =
            format!("structuredContent that conforms to the outputSchema of {}", quoted(&call.tool));
        let seen = format!("at {place}: {}", short(&error.to_string(), 200));
        let evidence = Evidence { seen, ..at_part(answer, &format!("/result{place}"), &expected) };
        return Err(evidence.detail(format!("the schema: {}", short(&schema.to_string(), 300))).stop());
    }
    undecided.map_or(Ok(()), |why| Err(Stop::Unproven(why)))
}

async fn structured_type(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    for (call, answer) in answers(&calls) {
        let content = answer.result().and_then(|result| result.get("structuredContent"));
        let Some(content) = content.filter(|content| content.as_object().is_none()) else { continue };
        let seen =
            format!("{} answered with structuredContent of type {}", quoted(&call.tool), content.kind());
        return Err(Evidence {
            seen,
            ..at_part(answer, "/result/structuredContent", "an object, or no structuredContent at all")
        }
        .stop());
    }
    any_answer(&calls)
}

async fn structured_text(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    let mut seen_any = false;
    for (call, answer) in answers(&calls).filter(|(call, _)| !call.is_error_result()) {
        let Some(result) = answer.result() else { continue };
        let Some(content) = result.get("structuredContent").filter(|content| !content.is_null()) else {
            continue;
        };
        seen_any = true;
        let blocks = result.get("content").and_then(Value::as_array).unwrap_or(&[]);
        let mut texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
        let same =
            |text: &str| serde_json::from_str::<Json>(text).is_ok_and(|json| json == content.to_json());
        if texts.clone().any(same) {
            continue;
        }
        let any_text = texts.next().is_some();
        let what = if any_text { "no text block that holds the same JSON" } else { "no text block at all" };
        let seen = format!("{}: structuredContent, but {what}", quoted(&call.tool));
        let evidence = Evidence { seen, ..of_answer(answer, "the same JSON, serialized, in a text block") };
        // Text that says the same in other words serves old clients as well.
        return Err(if any_text { evidence.class(Class::Note) } else { evidence }.stop());
    }
    if seen_any { Ok(()) } else { Err(Stop::NotApplicable("no call gave structuredContent".into())) }
}

/// Tells whether a call came to nothing: by an error, or by a result that says so.
fn is_refused(reply: &Reply) -> bool {
    let Reply::Answered(answer) = reply else { return false };
    let flag = answer.result().and_then(|result| result.get("isError")).and_then(Value::as_bool);
    answer.is_error() || flag == Some(true)
}

/// Repeats a call that failed with a progress token, without one and with one again: only the token may have been to
/// blame where it fails, works and fails.
async fn progress_token(peer: &mut Peer) -> Outcome {
    let calls = peer.calls().await?;
    let Some(call) = calls.iter().find(|call| call.token.is_some() && is_refused(&call.reply)) else {
        return any_answer(&calls);
    };
    let mut params = json!({"name": call.tool, "arguments": call.arguments});
    let plain = peer.try_request("tools/call", params.clone()).await?;
    if is_refused(&plain) || !matches!(plain, Reply::Answered(_)) {
        let why = format!("{} fails without a progress token as well", quoted(&call.tool));
        return Err(Stop::NotApplicable(why));
    }
    params["_meta"] = json!({"progressToken": "mcpproof-token-again"});
    let again = peer.try_request("tools/call", params).await?;
    let (Reply::Answered(answer), true) = (&again, is_refused(&again)) else { return Ok(()) };
    let expected = format!("the result that {} gives without a progress token", quoted(&call.tool));
    Err(of_answer(answer, &expected)
        .detail("the same call without the token is answered with a result")
        .stop())
}

async fn unknown_tool(peer: &mut Peer) -> Outcome {
    peer.tools().await?;
    let params = json!({"name": "mcpproof-no-such-tool", "arguments": {}});
    let expected = "error -32602 (invalid params): unknown tool";
    match peer.try_request("tools/call", params).await? {
        Reply::Answered(answer) if answer.is_error() => Ok(()),
        Reply::Answered(answer) => {
            let flag = answer.result().and_then(|result| result.get("isError")).and_then(Value::as_bool);
            let evidence = of_answer(&answer, expected);
            Err(match flag {
                Some(true) => {
                    evidence.detail("the failure is reported as the result of a tool that does not exist")
                }
                _ => evidence.detail("the result claims success for a tool that does not exist"),
            }
            .stop())
        }
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}

/// Leaves out a required argument of a harmless tool; success means that nobody looked.
async fn arguments_checked(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let required = |tool: &Value| tool.pointer("/inputSchema/required")?.as_array().map(<[Value]>::len);
    let fit = |tool: &&Value| is_harmless(tool) && required(tool).is_some_and(|n| n > 0);
    let Some(tool) = listing.items.iter().find(fit) else {
        return Err(Stop::NotApplicable("no harmless tool has a required argument".into()));
    };
    let name = tool.get("name").and_then(Value::as_str).unwrap_or("");
    let params = json!({"name": name, "arguments": {}});
    let Reply::Answered(answer) = peer.try_request("tools/call", params).await? else {
        return Err(Stop::Unproven("the call was not answered".into()));
    };
    let result = answer.result();
    if result.and_then(Value::as_object).is_none() && !answer.is_error() {
        return Err(Stop::Unproven("the answer holds no result that could be read".into()));
    }
    // Whatever stands in isError but false is meant as a failure; its type has a check of its own.
    let flag = result.and_then(|result| result.get("isError"));
    if answer.is_error()
        || flag.is_some_and(|flag| flag.as_bool() != Some(false))
        || is_input_required(result)
    {
        return Ok(());
    }
    let expected = format!("a failure: {} requires arguments, and none were given", quoted(name));
    Err(of_answer(&answer, &expected).stop())
}

async fn name_required(peer: &mut Peer) -> Outcome {
    peer.tools().await?;
    let expected = "a JSON-RPC error, since `name` is missing";
    match peer.probe("tools/call", json!({"arguments": {}})).await? {
        Reply::Answered(answer) if answer.is_error() => Ok(()),
        Reply::Answered(answer) => Err(of_answer(&answer, expected).stop()),
        Reply::NoMessage(_) => Ok(()),
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}

/// Tells whether a tool has been seen to take its time.
fn is_slow(peer: &Peer, tool: &Value) -> bool {
    let name = tool.get("name").and_then(Value::as_str);
    let calls = peer.calls.iter().flat_map(|calls| calls.iter());
    calls.filter(|call| Some(call.tool.as_str()) == name).any(|call| match &call.reply {
        Reply::Answered(answer) => answer.took.as_millis() >= 100,
        _ => true,
    })
}

/// Calls a harmless tool without `arguments`; any answer will do.
async fn without_arguments(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let harmless = || listing.items.iter().filter(|tool| is_harmless(tool));
    let bare = |tool: &&Value| arguments_for(tool) == json!({});
    let quick = |tool: &&Value| !is_slow(peer, tool);
    let Some(tool) = harmless().filter(quick).find(bare).or_else(|| harmless().find(quick)) else {
        return Err(Stop::NotApplicable("no tool is harmless enough to be called without asking".into()));
    };
    let name = tool.get("name").and_then(Value::as_str).unwrap_or("");
    let reply = peer.try_request("tools/call", json!({"name": name})).await?;
    match &reply {
        Reply::Answered(_) => Ok(()),
        other => Err(peer.unanswered(other, "a call without `arguments`").stop()),
    }
}
