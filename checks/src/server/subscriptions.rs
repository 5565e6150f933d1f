//! Subscriptions of the stateless revision: `subscriptions/listen` and what comes on it.

use super::http::is_mistyped;
use super::http_ask::exchanges;
use crate::check::{Check, Outcome, Stop};
use crate::evidence::Evidence;
use crate::log::Conversation;
use crate::peer::Peer;
use crate::session::{Outgoing, Session};
use crate::words::short;
use serde_json::json;
use specs::Revision::V2026_07_28;
use specs::Revisions;
use tokio::time::Instant;
use wire::{Message, Value};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "stateless-subscription-acknowledged",
    requirement: "subs.ack-first",
    revisions: Revisions::only(V2026_07_28),
    fault: "subscription-unacknowledged",
    explain: "Until the acknowledgement comes a client does not know what it will be told, and keeps polling.",
    probe: |peer| Box::pin(subscription_acknowledged(peer)),
    ..Check::BLANK
}];

/// Opens a subscription, waits for its acknowledgement, and cancels it.
async fn subscription_acknowledged(peer: &mut Peer) -> Outcome {
    let kinds = [
        ("tools", "toolsListChanged"),
        ("prompts", "promptsListChanged"),
        ("resources", "resourcesListChanged"),
    ];
    let declared = kinds.into_iter().find(|(kind, _)| peer.declares(&format!("{kind}.listChanged")));
    let Some((_, flag)) = declared else {
        return Err(Stop::NotApplicable("the server declares no listChanged".into()));
    };
    let within = peer.timing.answer;
    let session = peer.live()?;
    let message = session.build("subscriptions/listen", json!({"notifications": {flag: true}}));
    let id = Value::from(message["id"].clone());
    session.send(Outgoing::message(&message)).await;
    let deadline = Instant::now() + within;
    let outcome = wait_for_acknowledgement(peer, &id, deadline, &message.to_string()).await;
    peer.notify("notifications/cancelled", json!({"requestId": id.to_json()})).await?;
    outcome
}

async fn wait_for_acknowledgement(peer: &mut Peer, id: &Value, deadline: Instant, sent: &str) -> Outcome {
    let expected =
        "`notifications/subscriptions/acknowledged` with the id of the listen request, before all else";
    loop {
        let session = peer.live()?;
        if let Some(answer) = refusal(session, id) {
            return Err(Evidence::new(expected, answer).sent(sent).stop());
        }
        if let Some(seen) = first_of_subscription(session, id) {
            return if seen.is_empty() {
                Ok(())
            } else {
                Err(Evidence::new(expected, seen).sent(sent).stop())
            };
        }
        if session.closed || Instant::now() >= deadline {
            if peer.judges("http-request-content-type") && has_mistyped(&peer.live()?.log) {
                let why = "answers have no content type of a stream; `http-request-content-type` says so";
                return Err(Stop::Unproven(why.into()));
            }
            return Err(Evidence::new(expected, "nothing came for the subscription").sent(sent).stop());
        }
        session.pump(deadline).await;
    }
}

/// Tells whether the answers of the server have a content type that hides what they are.
fn has_mistyped(log: &Conversation) -> bool {
    exchanges(std::slice::from_ref(log)).any(|(_, exchange)| is_mistyped(exchange))
}

/// An answer to the listen request itself.
fn refusal(session: &Session, id: &Value) -> Option<String> {
    let (_, response, _) =
        session.log.responses().find(|(_, response, _)| response.id.as_ref() == Some(id))?;
    match &response.error {
        Some(error) => Some(format!("error {}", short(&error.to_string(), 160))),
        None => Some("the listen request was answered at once".into()),
    }
}

/// Empty when the first message of the subscription is its acknowledgement, else what it was.
fn first_of_subscription(session: &Session, id: &Value) -> Option<String> {
    let key = "/_meta/io.modelcontextprotocol~1subscriptionId";
    session.log.messages().find_map(|(_, _, message)| {
        let Message::Notification(notification) = message else { return None };
        let carried = notification.params.as_ref().and_then(|params| params.pointer(key));
        let acknowledges = notification.method == "notifications/subscriptions/acknowledged";
        match carried {
            Some(carried) if carried == id && acknowledges => Some(String::new()),
            Some(carried) if carried == id => Some(format!("`{}` came first", notification.method)),
            Some(carried) if acknowledges => Some(format!(
                "subscriptionId {carried} ({}) for request {id} ({})",
                carried.kind(),
                id.kind()
            )),
            None if acknowledges => Some("an acknowledgement without a subscriptionId".into()),
            _ => None,
        }
    })
}
