//! JSON-RPC as a dialogue: what must be answered, what must not, and with which code.

use super::http::notification_answered;
use super::http_ask::exchanges;
use super::passive::moment;
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::log::{Answer, Reply};
use crate::peer::Peer;
use crate::words::{seconds, short};
use serde_json::{Value as Json, json};
use specs::Revision::{self, V2025_03_26, V2025_06_18};
use specs::Revisions;
use transport::Arrived;
use wire::Value;

/// A row of this area: probes that may upset the server, on a conversation of their own.
const ROW: Check = Check { level: Level::Should, phase: Phase::Hostile, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc-unknown-method",
        requirement: "jsonrpc.error.method-not-found",
        level: Level::Must,
        phase: Phase::Shared,
        fault: "unknown-method-wrong-code",
        explain: "Clients probe for features and fall back on -32601; with silence they hang until a timeout, with \
                  another code they give up.",
        probe: |peer| Box::pin(unknown_method(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-id-kinds",
        requirement: "jsonrpc.response.id-echo",
        level: Level::Must,
        phase: Phase::Shared,
        fault: "id-zero-ignored",
        explain: "Ids may be strings or integers, 0 included; a server that tests an id for truth loses the first \
                  request of clients that count from 0.",
        probe: |peer| Box::pin(id_kinds(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-notification-unanswered",
        requirement: "jsonrpc.notification.no-response",
        level: Level::Must,
        phase: Phase::Shared,
        fault: "notification-answered",
        explain: "The answer hits no request. Strict clients disconnect; others take it for the answer to the request \
                  that is in flight.",
        probe: |peer| Box::pin(notification_unanswered(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-parse-error",
        requirement: "jsonrpc.error.parse-error",
        level: Level::Note,
        fault: "parse-error-wrong-code",
        explain: "Without -32700 the author of a broken client learns nothing; many servers only log it.",
        probe: |peer| Box::pin(parse_error(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-survives-garbage",
        requirement: "jsonrpc.error.survives-parse-error",
        fault: "parse-error-silent-death",
        explain: "One broken line ends the session and everything that was in flight with it.",
        probe: |peer| Box::pin(survives_garbage(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-invalid-request",
        requirement: "jsonrpc.error.invalid-request",
        fault: "invalid-request-kills",
        explain: "A message that is no valid request is a client's bug; it must not take the server down.",
        probe: |peer| Box::pin(invalid_request(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-params-kinds",
        requirement: "jsonrpc.error.invalid-params",
        level: Level::Must,
        fault: "params-array-kills",
        explain: "JSON-RPC lets `params` be an array, so that a generic client may send one: then it waits for ever, or \
                  ends the server for everybody.",
        probe: |peer| Box::pin(params_kinds(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-params-list",
        requirement: "jsonrpc.error.invalid-params",
        needs: Needs::TOOLS,
        fault: "params-array-kills",
        explain: "An array where an object is expected is a client's bug; it must not end the session of others.",
        probe: |peer| Box::pin(list_params_kinds(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-null-id",
        requirement: "jsonrpc.request.id-not-null",
        fault: "request-id-null-answered-ok",
        explain: "A request with a null id is invalid; answering it with a result hides the client's bug.",
        probe: |peer| Box::pin(null_id(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-member-case",
        requirement: "jsonrpc.member-names-case-sensitive",
        level: Level::Must,
        fault: "member-names-caseless",
        explain: "A server that reads `Method` as `method` accepts what every other server rejects.",
        probe: |peer| Box::pin(member_case(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-batch-answered",
        requirement: "jsonrpc.batch.receive",
        level: Level::Must,
        revisions: Revisions::only(V2025_03_26),
        needs: Needs { capability: None, transport: Some("stdio") },
        fault: "batch-refused",
        explain: "In this revision clients may send batches; a server that refuses them leaves each request in it \
                  unanswered.",
        probe: |peer| Box::pin(batch_answered(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-batch-empty",
        requirement: "jsonrpc.batch.empty-array",
        revisions: Revisions::only(V2025_03_26),
        needs: Needs { capability: None, transport: Some("stdio") },
        fault: "empty-batch-silent",
        explain: "A client that sends an empty batch by mistake waits for an answer that never comes.",
        probe: |peer| Box::pin(batch_empty(peer)),
        ..ROW
    },
    Check {
        id: "jsonrpc-batch-survived",
        requirement: "jsonrpc.batch.removed",
        revisions: Revisions::since(V2025_06_18),
        needs: Needs { capability: None, transport: Some("stdio") },
        fault: "batch-kills",
        explain: "Batches are gone from this revision, but an older client may still send one; an error is the answer.",
        probe: |peer| Box::pin(batch_survived(peer)),
        ..ROW
    },
];

async fn unknown_method(peer: &mut Peer) -> Outcome {
    let reply = peer.probe("mcpproof/no-such-method", json!({})).await?;
    let expected = "error -32601 (method not found)";
    let answer = match reply {
        Reply::Answered(answer) => answer,
        other => return Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    };
    match answer.code() {
        Some(-32601) => Ok(()),
        None if answer.is_error() => {
            Err(Stop::Unproven("the error has no integer code, which has a check of its own".into()))
        }
        _ => Err(of_answer(&answer, expected).stop()),
    }
}

async fn id_kinds(peer: &mut Peer) -> Outcome {
    for id in
        [json!(0), json!("mcpproof-id-\u{e9}\u{2713}"), json!("70007"), json!(9_007_199_254_740_991_i64)]
    {
        let message = harmless_request(peer, id.clone());
        match peer.probe_message(&message).await? {
            Reply::Answered(_) => {}
            other => {
                let expected = format!("an answer with id {id}");
                return Err(Evidence { expected, ..peer.unanswered(&other, "") }.stop());
            }
        }
    }
    Ok(())
}

/// A request that every server of the revision answers at once.
pub(super) fn harmless_request(peer: &Peer, id: Json) -> Json {
    if peer.revision().has_ping() {
        let method = if peer.ping_works { "ping" } else { "tools/list" };
        json!({"jsonrpc": "2.0", "id": id, "method": method})
    } else {
        let meta = crate::session::client_meta(peer.revision().as_str());
        json!({"jsonrpc": "2.0", "id": id, "method": "server/discover", "params": {"_meta": meta}})
    }
}

/// Sends three notifications, then asks for a sign of life: its answer must be the only one.
async fn notification_unanswered(peer: &mut Peer) -> Outcome {
    peer.notify("notifications/mcpproof-unknown", json!({})).await?;
    peer.notify("notifications/cancelled", json!({"requestId": "mcpproof-never-sent", "reason": "probe"}))
        .await?;
    if !peer.is_alive().await {
        let what = match peer.live()?.closed {
            true => "the server ended",
            false => "the server stopped answering",
        };
        let sent = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/mcpproof-unknown\",\"params\":{}}";
        return Err(Evidence::new("unknown notifications are ignored", what).sent(sent).stop());
    }
    let status_judged = peer.judges("http-notification-202");
    let log = &peer.live()?.log;
    let by_status = |arrived: &Arrived| {
        let mut own =
            exchanges(std::slice::from_ref(log)).filter(|(post, _)| arrived.exchange == Some(*post));
        status_judged && own.any(|(_, exchange)| notification_answered(exchange).is_some())
    };
    let mut unmatched = log.responses().filter(|(_, response, sent)| {
        sent.is_none()
            && response
                .id
                .as_ref()
                .is_none_or(|id| id.is_null() || id.as_str() == Some("mcpproof-never-sent"))
    });
    let first = unmatched.next();
    let Some((arrived, _, _)) =
        first.into_iter().chain(unmatched).find(|(arrived, _, _)| !by_status(arrived))
    else {
        return match first {
            Some(_) => {
                Err(Stop::Unproven("it came with the wrong status; `http-notification-202` says so".into()))
            }
            None => Ok(()),
        };
    };
    let mut evidence = Evidence::new("no answer to a notification", "a response that belongs to no request");
    evidence.bytes = Some(Excerpt::of(&arrived.frame.raw, None));
    let at = log.frames().find(|(_, a)| a.record == arrived.record).map_or(0, |(at, _)| at);
    let notifications =
        log.all_sent().filter(|(from, sent)| *from < at && sent.id.is_none() && sent.method.is_some());
    if let Some((_, sent)) = notifications.last() {
        evidence.sent = Some(short(&sent.text, 200));
    }
    Err(evidence.detail(moment(log, arrived)).stop())
}

async fn parse_error(peer: &mut Peer) -> Outcome {
    let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":";
    peer.time_an_error().await?;
    let reply = peer.probe_text(text, None).await?;
    match peer.look_again(reply).await? {
        Reply::Answered(answer) if answer.code() == Some(-32700) => Ok(()),
        Reply::Answered(answer) => Err(of_answer(&answer, "error -32700 (parse error)").stop()),
        Reply::NoMessage(exchange) if exchange.status >= 400 => Ok(()),
        Reply::Gone { .. } => {
            Err(Stop::Unproven("the server ended; `jsonrpc-survives-garbage` says so".into()))
        }
        other => {
            let expected = "error -32700 (parse error)".into();
            Err(Evidence { expected, sent: Some(text.into()), ..peer.unanswered(&other, "") }.stop())
        }
    }
}

async fn survives_garbage(peer: &mut Peer) -> Outcome {
    let text = "this is not JSON";
    let reply = peer.probe_text(text, None).await?;
    still_alive(peer, &reply, "a line that is not JSON", text).await
}

/// Breaks when the server did not outlive what it was sent.
async fn still_alive(peer: &mut Peer, reply: &Reply, what: &str, text: &str) -> Outcome {
    let expected = format!("the server outlives {what}");
    if let Reply::Gone { .. } = reply {
        return Err(Evidence { expected, sent: Some(short(text, 200)), ..peer.unanswered(reply, "") }.stop());
    }
    if peer.is_alive().await {
        return Ok(());
    }
    peer.live()?.mute = true;
    Err(Evidence::new(expected, "it stopped answering afterwards").sent(short(text, 200)).stop())
}

async fn invalid_request(peer: &mut Peer) -> Outcome {
    let text = r#"{"jsonrpc":"2.0","id":"mcpproof-invalid"}"#;
    let reply = peer.probe_text(text, Some(Value::from("mcpproof-invalid"))).await?;
    if let Reply::Answered(answer) = &reply
        && answer.result().is_some()
    {
        return Err(of_answer(answer, "error -32600 (invalid request)").stop());
    }
    still_alive(peer, &reply, "an object without a method", text).await?;
    match reply {
        Reply::Answered(answer) if answer.code() != Some(-32600) => {
            Err(of_answer(&answer, "error -32600 (invalid request)").class(Class::Note).stop())
        }
        _ => Ok(()),
    }
}

/// `ping` needs no params, so a server that ends over them reads them before it knows what they are for.
async fn params_kinds(peer: &mut Peer) -> Outcome {
    if peer.revision().has_ping() && !peer.ping_works {
        return Err(Stop::Unproven("`ping` does not work, which has a check of its own".into()));
    }
    peer.time_an_error().await?;
    for params in ["[1]", "\"x\"", "42"] {
        let id = Value::from(format!("mcpproof-params-{}", params.trim_matches(['[', ']', '"'])));
        let method = if peer.revision().has_ping() { "ping" } else { "server/discover" };
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let reply = peer.probe_text(&text, Some(id)).await?;
        let survived = still_alive(peer, &reply, &format!("`params` that are {params}"), &text).await;
        if !peer.revision().has_ping() {
            // Without the metadata in `params` this request is invalid twice over.
            survived.map_err(|stop| milder(stop, Class::Should))?;
        } else {
            survived?;
        }
        let reply = peer.look_again(reply).await?;
        if let Reply::Silent { waited, .. } = &reply {
            let seen = format!("no answer within {}", seconds(*waited));
            let mut evidence = Evidence::new("error -32602 (invalid params) or -32600", seen);
            evidence.details.extend(peer.waited_before(&reply));
            return Err(evidence.sent(text).class(Class::Should).stop());
        }
    }
    Ok(())
}

/// Lowers the class of a finding.
fn milder(stop: Stop, class: Class) -> Stop {
    match stop {
        Stop::Broken(evidence) => evidence.class(class).stop(),
        other => other,
    }
}

/// A method that reads its params must survive an array there, too.
async fn list_params_kinds(peer: &mut Peer) -> Outcome {
    let text = r#"{"jsonrpc":"2.0","id":"mcpproof-params-list","method":"tools/list","params":[1]}"#;
    let reply = peer.probe_text(text, Some(Value::from("mcpproof-params-list"))).await?;
    still_alive(peer, &reply, "`tools/list` with `params` that are an array", text).await
}

async fn null_id(peer: &mut Peer) -> Outcome {
    let message = harmless_request(peer, Json::Null);
    let text = message.to_string();
    let reply = peer.probe_text(&text, None).await?;
    match &reply {
        Reply::Answered(answer) if answer.result().is_some() => {
            Err(of_answer(answer, "an error, or nothing: a null id makes the request invalid").stop())
        }
        _ => still_alive(peer, &reply, "a request whose id is null", &text).await,
    }
}

async fn member_case(peer: &mut Peer) -> Outcome {
    // A server that answers anything with a result is not caseless; it takes messages without a method, too.
    let control = r#"{"jsonrpc":"2.0","id":"mcpproof-case-control"}"#;
    let answered = peer.probe_text(control, Some(Value::from("mcpproof-case-control"))).await?;
    if matches!(&answered, Reply::Answered(answer) if answer.result().is_some()) {
        return Err(Stop::Unproven("it answers a message without a method with a result as well".into()));
    }
    let mut text = harmless_request(peer, json!("mcpproof-case")).to_string();
    text = text.replace("\"method\"", "\"Method\"").replace("\"jsonrpc\"", "\"JSONRPC\"");
    match peer.probe_text(&text, Some(Value::from("mcpproof-case"))).await? {
        Reply::Answered(answer) if answer.result().is_some() => {
            Err(of_answer(&answer, "an error: `Method` is not `method`").stop())
        }
        Reply::Gone { .. } => {
            Err(Stop::Unproven("the server ended; `jsonrpc-invalid-request` says so".into()))
        }
        _ => Ok(()),
    }
}

async fn batch_answered(peer: &mut Peer) -> Outcome {
    let ids = ["mcpproof-batch-1", "mcpproof-batch-2"];
    let batch: Json = ids.iter().map(|id| harmless_request(peer, json!(id))).collect();
    let text = batch.to_string();
    peer.time_an_error().await?;
    let first = peer.probe_text(&text, Some(Value::from(ids[0]))).await?;
    let first = peer.look_again(first).await?;
    let expected = "an array with an answer to each of the two requests";
    let answer = match first {
        Reply::Answered(answer) if answer.result().is_some() => answer,
        Reply::Answered(answer) => {
            return Err(refused_by(peer.newest_spoken, of_answer(&answer, expected)).stop());
        }
        other => {
            let sent = Some(short(&text, 200));
            let evidence = Evidence { expected: expected.into(), sent, ..peer.unanswered(&other, "") };
            return Err(refused_by(peer.newest_spoken, evidence).stop());
        }
    };
    peer.is_alive().await;
    let second = Value::from(ids[1]);
    if peer.comes(&second).await? {
        Ok(())
    } else {
        Err(of_answer(&answer, expected).detail("the second request was not answered").stop())
    }
}

/// Batches came with one revision and went with the next: a server that speaks newer ones is judged mildly.
fn refused_by(newest: Option<Revision>, evidence: Evidence) -> Evidence {
    match newest {
        Some(newest) if newest > V2025_03_26 => {
            let why = format!("milder, since the server also speaks {newest}, which has no batches");
            evidence.detail(why).class(Class::Should)
        }
        _ => evidence,
    }
}

async fn batch_survived(peer: &mut Peer) -> Outcome {
    let batch = json!([harmless_request(peer, json!("mcpproof-batch"))]);
    let text = batch.to_string();
    let reply = peer.probe_text(&text, Some(Value::from("mcpproof-batch"))).await?;
    if let Reply::Answered(answer) = &reply
        && answer.result().is_some()
    {
        // Being generous to older clients hurts nobody.
        return Err(of_answer(answer, "an error: this revision has no batches").class(Class::Note).stop());
    }
    still_alive(peer, &reply, "a batch", &text).await
}

async fn batch_empty(peer: &mut Peer) -> Outcome {
    let expected = "one error -32600 (invalid request)";
    peer.time_an_error().await?;
    let reply = peer.probe_text("[]", None).await?;
    match peer.look_again(reply).await? {
        Reply::Answered(answer) if answer.code() == Some(-32600) => Ok(()),
        Reply::Answered(answer) => Err(of_answer(&answer, expected).stop()),
        other => Err(Evidence {
            expected: expected.into(),
            sent: Some("[]".into()),
            ..peer.unanswered(&other, "")
        }
        .stop()),
    }
}

/// Evidence from an answer that is not the expected one.
pub(super) fn of_answer(answer: &Answer, expected: &str) -> Evidence {
    at_part(answer, if answer.is_error() { "/error" } else { "/result" }, expected)
}

/// Evidence from an answer, with the bytes around the part of it at `pointer`.
pub(super) fn at_part(answer: &Answer, pointer: &str, expected: &str) -> Evidence {
    let mut evidence = Evidence::new(expected, answer.in_words()).sent(short(&answer.sent, 300));
    evidence.bytes = Some(Excerpt::at(&answer.arrived.frame.raw, pointer));
    evidence.records = Some((answer.arrived.record, answer.arrived.record));
    evidence
}
