//! Streamable HTTP: what is answered in which form, and what a server must cope with.

use super::http_ask::{Ask, Took, asked, exchanges, not_the_server, of_exchange, raw_messages, seen, took};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::log::Conversation;
use crate::peer::Peer;
use crate::words::{count, seconds};
use specs::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use specs::Revisions;
use std::time::Duration;
use transport::{Arrived, BodyEnd, Exchange, HttpFailure};
use wire::{Frame, Message, Value};

/// A row of this area.
const ROW: Check = Check { revisions: Revisions::since(V2025_03_26), needs: Needs::HTTP, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "http-accept-order",
        requirement: "http.accept-both",
        fault: "http-accept-order",
        explain: "Clients write the same list in other orders and with weights; they are refused by a server that \
                  compares texts.",
        probe: |peer| Box::pin(accept_order(peer)),
        ..ROW
    },
    Check {
        id: "http-get-answered",
        requirement: "http.get-sse-or-405",
        revisions: Revisions::between(V2025_03_26, V2025_11_25),
        fault: "http-get-html",
        explain: "Clients open this stream right after the handshake, and fail on what is neither a stream nor 405.",
        probe: |peer| Box::pin(get_answered(peer)),
        ..ROW
    },
    Check {
        id: "http-unsupported-method",
        requirement: "http.unsupported-method-405",
        level: Level::Should,
        fault: "http-put-served",
        explain: "A method that the protocol does not define must not do anything.",
        probe: |peer| Box::pin(unsupported_method(peer)),
        ..ROW
    },
    Check {
        id: "http-sse-terminated",
        requirement: "http.request-content-type",
        fault: "http-sse-unterminated",
        explain: "An event counts once its blank line has come; clients that keep to the standard never see it.",
        probe: |peer| Box::pin(sse_terminated(peer)),
        ..ROW
    },
    Check {
        id: "http-bad-json-status",
        requirement: "jsonrpc.error.parse-error",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "http-bad-json-500",
        explain: "A 5xx says that the server is broken, so that clients and gateways try again.",
        probe: |peer| Box::pin(bad_json(peer)),
        ..ROW
    },
    Check {
        id: "http-batch-status",
        requirement: "http.post-body-single",
        level: Level::Should,
        revisions: Revisions::between(V2025_06_18, V2025_11_25),
        phase: Phase::Hostile,
        fault: "http-batch-500",
        explain: "Clients of 2025-03-26 send arrays; a refusal must tell them so.",
        probe: |peer| Box::pin(batch(peer)),
        ..ROW
    },
    Check {
        id: "http-batch-status-stateless",
        requirement: "http.post-body-single-stateless",
        level: Level::Should,
        revisions: Revisions::since(specs::Revision::V2026_07_28),
        phase: Phase::Hostile,
        fault: "http-batch-500",
        explain: "Clients of 2025-03-26 send arrays; a refusal must tell them so.",
        probe: |peer| Box::pin(batch(peer)),
        ..ROW
    },
    Check {
        id: "http-request-content-type",
        requirement: "http.request-content-type",
        phase: Phase::Afterwards,
        fault: "http-content-type-wrong",
        explain: "Clients choose how to read a body by its Content-Type, and drop what they do not know.",
        probe: |peer| Box::pin(async move { content_type(peer) }),
        ..ROW
    },
    Check {
        id: "http-notification-202",
        requirement: "http.notification-202",
        phase: Phase::Afterwards,
        fault: "http-notification-200",
        explain: "Clients try to read another answer as a message, and report an error where all is well.",
        probe: |peer| Box::pin(async move { notification_202(peer) }),
        ..ROW
    },
    Check {
        id: "http-sse-framed",
        requirement: "http.request-content-type",
        phase: Phase::Afterwards,
        fault: "http-sse-raw-json",
        explain: "Clients read the `data:` lines of an event stream, and skip a body that has none.",
        probe: |peer| Box::pin(async move { sse_framed(peer) }),
        ..ROW
    },
    Check {
        id: "http-sse-event-name",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        phase: Phase::Afterwards,
        fault: "http-sse-event-named",
        explain: "Clients listen to `message` events, as browsers do by default, and drop events of other names.",
        probe: |peer| Box::pin(async move { sse_event_name(peer) }),
        ..ROW
    },
    Check {
        id: "http-sse-data",
        requirement: "http.sse-event-data-json",
        level: Level::Should,
        phase: Phase::Afterwards,
        fault: "http-sse-data-not-json",
        explain: "Clients parse the data of each event; some give up the whole stream when they cannot.",
        probe: |peer| Box::pin(async move { sse_data(peer) }),
        ..ROW
    },
    Check {
        id: "http-response-own-stream",
        requirement: "http.response-id-on-own-stream",
        level: Level::Should,
        phase: Phase::Afterwards,
        fault: "http-sse-other-request-answer",
        explain: "Clients wait for the answer on the stream of the request, and miss it or mix it up elsewhere.",
        probe: |peer| Box::pin(async move { own_stream(peer) }),
        ..ROW
    },
];

async fn accept_order(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    for accept in ["text/event-stream;q=0.9, application/json", "application/json;q=1.0,text/event-stream"] {
        let varied = plain.clone().with("Accept", accept);
        let exchange = varied.send().await?;
        match took(&exchange) {
            Took::Served => {}
            Took::Unclear(why) => return Err(Stop::Unproven(why)),
            Took::Refused => {
                let evidence =
                    varied.evidence("the same answer as to `application/json, text/event-stream`", &exchange);
                let why = "Accept is a list: order, blanks and parameters do not change what it lists";
                return Err(evidence.detail(why).stop());
            }
        }
    }
    Ok(())
}

async fn get_answered(peer: &mut Peer) -> Outcome {
    let ask = Ask::harmless(peer)?.method("GET").header("accept", "text/event-stream");
    let ask = ask.within(Duration::from_secs(2)).events(1);
    let exchange = match ask.try_send().await {
        Ok(exchange) => exchange,
        Err(HttpFailure::Deadline { .. }) => {
            // Some servers hold the headers back until there is an event.
            return Err(Stop::Unproven(format!("no headers within {}", seconds(ask.patience()))));
        }
        Err(failure) => return Err(Stop::Unproven(failure.to_string())),
    };
    let is_stream = (200..300).contains(&exchange.status) && exchange.media_type() == "text/event-stream";
    if exchange.status == 405 || is_stream {
        return Ok(());
    }
    // 409: another stream of this session is open.
    if matches!(exchange.status, 403 | 409) || not_the_server(&exchange).is_some() {
        return Err(Stop::Unproven(seen(&exchange)));
    }
    Err(ask.evidence("content type text/event-stream, or HTTP status 405", &exchange).stop())
}

async fn unsupported_method(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    for method in ["PUT", "PATCH"] {
        let ask = plain.clone().method(method);
        let exchange = ask.send().await?;
        if exchange.status < 300 || (exchange.status >= 500 && exchange.status != 501) {
            return Err(ask.evidence("HTTP status 405", &exchange).stop());
        }
    }
    Ok(())
}

/// Looks at the answer to a request of its own, which may stay open, and at those of the conversation so far.
async fn sse_terminated(peer: &mut Peer) -> Outcome {
    let expected = "a blank line after the data of each event";
    let ask = Ask::harmless(peer)?;
    let exchange = ask.send().await?;
    if let Some(seen) = unterminated(&exchange) {
        return Err(Evidence { seen, ..ask.evidence(expected, &exchange) }.stop());
    }
    let session = peer.live()?;
    let all = || exchanges(std::slice::from_ref(&session.log)).map(|(_, exchange)| exchange);
    if let Some((exchange, seen)) = all().find_map(|exchange| Some((exchange, unterminated(exchange)?))) {
        return Err(of_exchange(expected, seen, exchange).stop());
    }
    let is_stream = |exchange: &Exchange| exchange.media_type() == "text/event-stream";
    if is_stream(&exchange) || all().any(is_stream) {
        return Ok(());
    }
    Err(Stop::NotApplicable("no request was answered with an event stream".into()))
}

/// Words for data at the end of a stream that no blank line made an event.
fn unterminated(exchange: &Exchange) -> Option<String> {
    let event = exchange.unterminated.as_ref()?;
    event.data.as_ref().filter(|data| !data.is_empty())?;
    match exchange.end {
        BodyEnd::Complete => Some("event data came, then the stream ended without a blank line".into()),
        BodyEnd::Deadline => {
            let waited = seconds(Duration::from_secs(exchange.took.as_secs()));
            Some(format!("event data came, but no blank line within {waited}"))
        }
        _ => None,
    }
}

async fn bad_json(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    client_fault(&plain.body("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": "), "a body that is not JSON")
        .await
}

async fn batch(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let one = super::http_ask::harmless(peer)?;
    client_fault(&plain.body(&serde_json::json!([one]).to_string()), "an array").await
}

/// Breaks when a fault of the client leads to silence or to a 5xx.
async fn client_fault(ask: &Ask, what: &str) -> Outcome {
    let expected = format!("HTTP status 400 or a JSON-RPC error for {what}");
    match ask.try_send().await {
        Ok(exchange) if (500..600).contains(&exchange.status) && exchange.status != 501 => {
            Err(ask.evidence(expected, &exchange).stop())
        }
        Ok(_) => Ok(()),
        Err(failure) => Err(Evidence::new(expected, failure.to_string()).sent(ask.words()).stop()),
    }
}

fn content_type(peer: &Peer) -> Outcome {
    let words = |exchange: &Exchange| match exchange.header("content-type") {
        Some(value) => format!("`Content-Type: {value}` on the answer to a request"),
        None => "no Content-Type on the answer to a request".to_owned(),
    };
    first_of(peer, "content type application/json or text/event-stream", |e| is_mistyped(e).then(|| words(e)))
}

/// Tells whether the answer to a request has a content type that no client expects.
pub(super) fn is_mistyped(exchange: &Exchange) -> bool {
    let answers = (200..300).contains(&exchange.status) && !exchange.body.is_empty();
    let known = matches!(exchange.media_type().as_str(), "application/json" | "text/event-stream");
    answers && !known && asked(exchange).is_some()
}

/// Breaks on the first exchange that `judge` has words for, and counts the others.
pub(super) fn first_of(peer: &Peer, expected: &str, judge: impl Fn(&Exchange) -> Option<String>) -> Outcome {
    let mut all =
        exchanges(peer.conversations()).filter_map(|(_, exchange)| Some((exchange, judge(exchange)?)));
    let Some((exchange, seen)) = all.next() else { return Ok(()) };
    let more = all.count();
    let evidence = of_exchange(expected, seen, exchange);
    Err(if more > 0 {
        evidence.detail(format!("{} of this kind in all", count(more + 1, "answer")))
    } else {
        evidence
    }
    .stop())
}

fn notification_202(peer: &Peer) -> Outcome {
    first_of(peer, "HTTP status 202 and no body for a notification that is accepted", notification_answered)
}

/// Words for a notification that was accepted with more than status 202.
pub(super) fn notification_answered(exchange: &Exchange) -> Option<String> {
    let accepted = (200..300).contains(&exchange.status);
    if !accepted || (exchange.status == 202 && exchange.body.is_empty()) {
        return None;
    }
    let Message::Notification(notification) = Frame::read(&exchange.sent).message else { return None };
    Some(format!("`{}` got {}", notification.method, seen(exchange)))
}

/// Looks for messages in the body of an event stream that stand there as they are.
fn sse_framed(peer: &Peer) -> Outcome {
    let expected = "events with `data:` lines in an answer of type text/event-stream";
    first_of(peer, expected, |exchange| {
        let raw = !raw_messages(exchange).is_empty();
        raw.then(|| "a JSON-RPC message in the body as it is, without `data:`".to_owned())
    })
}

fn sse_event_name(peer: &Peer) -> Outcome {
    let judge = |exchange: &Exchange| {
        let mut full = exchange.events.iter().filter(|event| event.dispatched);
        let named = full.find(|event| {
            let is_message = |data: &String| {
                !matches!(Frame::read(data.as_bytes()).message, Message::Noise | Message::Other(_))
            };
            !matches!(event.event.as_str(), "" | "message") && event.data.as_ref().is_some_and(is_message)
        })?;
        Some(format!("a message in an event of the name {}", crate::words::quoted(&named.event)))
    };
    first_of(peer, "messages in events without a name, or of the name message", judge)
}

fn sse_data(peer: &Peer) -> Outcome {
    let judge = |exchange: &Exchange| {
        let full =
            exchange.events.iter().filter(|event| event.dispatched).filter_map(|event| event.data.as_ref());
        let bad = full.filter(|data| !data.is_empty()).find(|data| {
            matches!(Frame::read(data.as_bytes()).message, Message::Noise | Message::Other(_))
        })?;
        Some(format!("an event whose data is no message: {}", crate::words::quoted(bad)))
    };
    first_of(peer, "JSON-RPC messages as the data of events", judge)
}

fn own_stream(peer: &Peer) -> Outcome {
    for conversation in peer.conversations() {
        let all = exchanges(std::slice::from_ref(conversation)).map(|(_, exchange)| exchange);
        let mut found =
            all.filter_map(|exchange| Some((exchange, foreign_ids(exchange).into_iter().next()?)));
        if let Some((exchange, (own, other))) = found.next() {
            let seen = format!("an answer with the id {other} on the stream of the request {own}");
            let evidence = of_exchange("only the answer to its own request on each stream", seen, exchange);
            let asked = conversation.all_sent().any(|(_, sent)| sent.id.as_ref() == Some(&other));
            // An answer to nothing that was ever asked breaks JSON-RPC itself.
            return Err(if asked { evidence } else { evidence.class(Class::Violation) }.stop());
        }
    }
    Ok(())
}

/// The ids of answers on the stream of a request that answer another one, each with that of the request.
fn foreign_ids(exchange: &Exchange) -> Vec<(Value, Value)> {
    let Message::Request(request) = Frame::read(&exchange.sent).message else { return Vec::new() };
    let data = exchange.events.iter().filter_map(|event| event.data.as_deref());
    let frames = data.map(|data| Frame::read(data.as_bytes()));
    let ids = frames.flat_map(|frame| frame.responses().filter_map(|r| r.id.clone()).collect::<Vec<_>>());
    let answers = |id: &Value| {
        let response = wire::Response { id: Some(id.clone()), result: None, error: None };
        !matches!(response.answers(&request.id), wire::Answer::No)
    };
    let foreign = ids.filter(|id| !id.is_null() && !answers(id));
    foreign.map(|id| (request.id.clone(), id)).collect()
}

/// Tells whether an answer with this id came on the stream of another request.
pub(super) fn is_on_foreign_stream(conversation: &Conversation, arrived: &Arrived, id: &Value) -> bool {
    let mut all = exchanges(std::slice::from_ref(conversation));
    arrived.exchange.is_some_and(|post| {
        all.any(|(own, exchange)| own == post && foreign_ids(exchange).iter().any(|(_, other)| other == id))
    })
}
