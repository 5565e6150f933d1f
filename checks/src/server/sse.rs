//! HTTP+SSE of 2024-11-05: the stream, its first event, and who may open it.

use super::http_ask::{is_loopback, seen};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::opener::Opener;
use crate::peer::Peer;
use crate::words::{count, quoted, seconds};
use specs::Revision::V2024_11_05;
use specs::Revisions;
use std::time::Duration;
use transport::{BodyEnd, Connection, Exchange, HttpClient, RawRequest, Target};
use wire::{Frame, Message, SseEvent, SseReader};

/// A row of this area.
const ROW: Check = Check {
    revisions: Revisions::only(V2024_11_05),
    needs: Needs { capability: None, transport: Some("sse") },
    // A server with one queue for all streams gives the answers of a live conversation to any of them.
    phase: Phase::Afterwards,
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "sse-endpoint-event",
        requirement: "sse.endpoint-event",
        fault: "sse-endpoint-missing",
        explain: "The client does not know where to post, and waits for ever.",
        probe: |peer| Box::pin(endpoint_event(peer)),
        ..ROW
    },
    Check {
        id: "sse-endpoint-first",
        requirement: "sse.endpoint-event",
        level: Level::Should,
        fault: "sse-endpoint-late-message",
        explain: "Clients wait for this event before they listen to others, and lose what came before it.",
        probe: |peer| Box::pin(endpoint_first(peer)),
        ..ROW
    },
    Check {
        id: "sse-endpoint-own-origin",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        fault: "sse-endpoint-foreign",
        explain: "Clients refuse to post to another origin than that of the stream, since it would get their tokens.",
        probe: |peer| Box::pin(own_origin(peer)),
        ..ROW
    },
    Check {
        id: "sse-origin-validated",
        requirement: "sse.origin-validated",
        // The server may still look at the Origin of each POST, so that the stream alone proves no breach.
        level: Level::Should,
        fault: "sse-origin-unchecked",
        explain: "Any web page that the user opens can talk to the server and use its tools.",
        probe: |peer| Box::pin(origin_validated(peer)),
        ..ROW
    },
    Check {
        id: "sse-message-events",
        requirement: "sse.message-events",
        fault: "sse-message-type-wrong",
        explain: "Clients listen to `message` events, and never hear of others.",
        probe: |peer| Box::pin(async move { message_events(peer) }),
        ..ROW
    },
];

/// What can be decided about a stream that never says where to post.
pub(crate) const WITHOUT_ENDPOINT: &[&str] =
    &["sse-endpoint-event", "sse-endpoint-first", "sse-endpoint-own-origin"];

/// How long the `endpoint` event may take once the stream is open.
const WITHIN: Duration = Duration::from_secs(8);

/// Tells whether the URL of `opener` gives an event stream that names no place to post to, or one elsewhere.
pub(crate) async fn lacks_endpoint(opener: &Opener) -> bool {
    let Ok(exchange) = first_events(opener).await else { return false };
    let usable = endpoint_in(&exchange).is_some_and(|place| !is_foreign(&exchange.url, &place));
    is_stream(&exchange) && !usable
}

/// The first events of a stream, looked at once.
async fn first_events(opener: &Opener) -> Result<Exchange, Stop> {
    let look = async || open(opener, &[]).await;
    opener.first_events.get_or_init(look).await.clone().map_err(Stop::Unproven)
}

/// Opens the stream for a moment: what a POST before it has led to belongs to nobody.
pub(crate) async fn flush(opener: &Opener) {
    if let Ok((client, request)) = request(opener, &[]).await {
        let within = Duration::from_millis(500);
        // What comes of it is of no interest; the next stream tells.
        let _ = client.exchange(RawRequest { within, stop_after: None, ..request }).await;
        opener.streams.ended();
    }
}

/// Opens the stream and reads its first event.
async fn open(opener: &Opener, extra: &[(&str, &str)]) -> Result<Exchange, String> {
    let (client, request) = request(opener, extra).await?;
    opener.streams.unnoticed(None).await;
    client.exchange(request).await.map_err(|failure| failure.to_string())
}

async fn request(opener: &Opener, extra: &[(&str, &str)]) -> Result<(HttpClient, RawRequest), String> {
    let (Target::Http(endpoint) | Target::Sse(endpoint)) = &opener.target else {
        return Err("it is no URL".into());
    };
    // Streamable HTTP sends nothing by itself.
    let opened = Connection::open(&Target::Http(endpoint.clone()), &opener.options).await;
    let client = opened.map_err(|error| error.to_string())?.http().ok_or("it is no URL")?;
    let mut headers = client.given_headers().to_vec();
    headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
    headers.extend(extra.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let within = WITHIN.min(opener.timing.start);
    Ok((
        client,
        RawRequest { method: "GET".into(), headers, within, stop_after: Some(1), ..RawRequest::default() },
    ))
}

fn is_stream(exchange: &Exchange) -> bool {
    exchange.status == 200 && exchange.media_type() == "text/event-stream"
}

fn dispatched(exchange: &Exchange) -> impl Iterator<Item = &SseEvent> {
    exchange.events.iter().filter(|event| event.dispatched)
}

/// The data of the `endpoint` event.
fn endpoint_in(exchange: &Exchange) -> Option<String> {
    let event = dispatched(exchange).find(|event| event.event == "endpoint")?;
    event.data.as_deref().map(|data| data.trim().to_owned())
}

/// Tells whether a place to post to is on another server than the stream.
fn is_foreign(url: &str, place: &str) -> bool {
    let origin = |url: &str| url.split('/').take(3).collect::<Vec<_>>().join("/").to_ascii_lowercase();
    place.contains("://") && origin(place) != origin(url)
}

async fn endpoint_event(peer: &Peer) -> Outcome {
    let exchange = first_events(&peer.opener).await?;
    let url = &exchange.url;
    if !is_stream(&exchange) {
        return Err(Stop::Unproven(seen(&exchange)));
    }
    if dispatched(&exchange).next().is_some() {
        // A message before it has a check of its own.
        return Ok(());
    }
    let comments = exchange.events.iter().map(|event| event.comments.len()).sum();
    let waited = seconds(Duration::from_secs(exchange.took.as_secs()));
    let end = match exchange.end {
        BodyEnd::Deadline => format!("no `endpoint` event within {waited}"),
        _ => "then it ended without an `endpoint` event".to_owned(),
    };
    let seen = format!("the stream is open, {} came, {end}", count(comments, "ping"));
    let mut evidence = Evidence::new("an `endpoint` event that says where to post", seen);
    if !exchange.body.is_empty() {
        evidence.bytes = Some(Excerpt::of(&exchange.body, None));
    }
    let hint = "maybe this is a Streamable HTTP URL: it would answer a POST of `initialize` with the result";
    Err(evidence.sent(format!("GET {url}")).detail(hint).stop())
}

async fn endpoint_first(peer: &Peer) -> Outcome {
    let exchange = first_events(&peer.opener).await?;
    let url = &exchange.url;
    match dispatched(&exchange).next() {
        Some(event) if event.event == "endpoint" => Ok(()),
        Some(event) => {
            let name = if event.event.is_empty() { "message" } else { &event.event };
            let data = event.data.as_deref().unwrap_or("");
            let seen = format!("a `{name}` event first: {}", quoted(data));
            Err(Evidence::new("the `endpoint` event before all others", seen)
                .sent(format!("GET {url}"))
                .stop())
        }
        None => Err(Stop::NotApplicable("no event came; `sse-endpoint-event` says so".into())),
    }
}

async fn own_origin(peer: &Peer) -> Outcome {
    let exchange = first_events(&peer.opener).await?;
    let url = &exchange.url;
    let Some(place) = endpoint_in(&exchange) else {
        return Err(Stop::NotApplicable("the first event is not `endpoint`; other checks say so".into()));
    };
    if !is_foreign(url, &place) {
        return Ok(());
    }
    let evidence = Evidence::new(
        format!("a place to post to on the server of {url}"),
        format!("the event says {}", quoted(&place)),
    );
    Err(evidence.sent(format!("GET {url}")).stop())
}

async fn origin_validated(peer: &Peer) -> Outcome {
    let opened = open(&peer.opener, &[("origin", "http://evil.invalid")]).await;
    let exchange = opened.map_err(Stop::Unproven)?;
    let url = &exchange.url;
    if endpoint_in(&exchange).is_none() {
        return Ok(());
    }
    let evidence = Evidence::new("a refusal: the Origin is not one that the server knows", seen(&exchange));
    let evidence = evidence.sent(format!("GET {url} with `Origin: http://evil.invalid`"));
    if is_loopback(url) {
        return Err(evidence.stop());
    }
    let why = "milder, since a public server may have decided to serve every origin";
    Err(evidence.class(Class::Note).detail(why).stop())
}

/// Looks at the chunks of the stream as they came: the messages do not tell the type of their event.
fn message_events(peer: &Peer) -> Outcome {
    let records = peer.opener.options.transcript.records();
    for conversation in peer.conversations() {
        for (_, arrived) in conversation.frames() {
            let Some(record) = records.get(arrived.record) else { continue };
            let events = SseReader::with_limit(record.bytes.len() + 1).push(&record.bytes);
            let wrong = events.iter().find(|event| {
                let named = !matches!(event.event.as_str(), "" | "message" | "endpoint");
                named && event.data.as_ref().is_some_and(|data| is_message(data))
            });
            if let Some(event) = wrong {
                let mut evidence = Evidence::new(
                    "messages as `message` events",
                    format!("a message as a `{}` event", event.event),
                );
                evidence.bytes = Some(Excerpt::of(&record.bytes, None));
                evidence.records = Some((arrived.record, arrived.record));
                return Err(evidence.stop());
            }
        }
    }
    Ok(())
}

fn is_message(data: &str) -> bool {
    !matches!(Frame::read(data.as_bytes()).message, Message::Noise | Message::Other(_))
}
