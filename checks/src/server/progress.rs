//! Progress and cancellation.

use super::passive::{Offence, no_offence};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Excerpt;
use crate::log::{Conversation, Entry, Sent};
use crate::peer::Peer;
use crate::words::short;
use serde_json::json;
use std::time::Duration;
use transport::Arrived;
use wire::{Message, Value};

/// A row about progress, judged on everything that was recorded.
const ROW: Check = Check { phase: Phase::Afterwards, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "progress-token-given",
        requirement: "progress.valid-token-only",
        fault: "progress-invented-token",
        explain: "Clients drop progress they cannot match, or log it as a protocol error.",
        probe: |peer| Box::pin(async move { token_given(peer) }),
        ..ROW
    },
    Check {
        id: "progress-token-type",
        requirement: "progress.token-echoed",
        fault: "progress-token-retyped",
        explain: "Clients look tokens up by value and type: 4711 and \"4711\" are two keys.",
        probe: |peer| Box::pin(async move { token_type(peer) }),
        ..ROW
    },
    Check {
        id: "progress-shape",
        requirement: "shape.message-valid",
        fault: "progress-not-a-number",
        explain: "Typed clients fail to decode the notification.",
        probe: |peer| Box::pin(async move { shape(peer) }),
        ..ROW
    },
    Check {
        id: "progress-increases",
        requirement: "progress.increases",
        fault: "progress-not-increasing",
        explain: "A bar that stands still or jumps back; clients that reset their timeout on progress never give up.",
        probe: |peer| Box::pin(async move { increases(peer) }),
        ..ROW
    },
    Check {
        id: "progress-stops",
        requirement: "progress.stops-after-completion",
        fault: "progress-after-response",
        explain: "The token is gone when the late progress comes; strict clients report a protocol error.",
        probe: |peer| Box::pin(async move { stops(peer) }),
        ..ROW
    },
    Check {
        id: "cancel-unknown-ignored",
        requirement: "cancel.invalid-ignored",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "cancel-kills",
        explain: "Cancellation races with the answer, so servers get late ones all the time.",
        probe: |peer| Box::pin(unknown_ignored(peer)),
        ..ROW
    },
    Check {
        id: "cancel-no-answer",
        requirement: "cancel.receiver-no-response",
        level: Level::Note,
        needs: Needs::TOOLS,
        fault: "cancel-answered",
        explain: "The work goes on for nobody, and the answer hits a request that is no longer there; servers that \
                  cannot cancel may do so.",
        probe: |peer| Box::pin(async move { no_answer(peer) }),
        ..ROW
    },
    Check {
        id: "cancel-names-own-requests",
        requirement: "cancel.only-own-inflight",
        fault: "cancel-names-clients-request",
        explain: "A server can cancel only what it asked for itself; clients drop their own request by mistake.",
        probe: |peer| Box::pin(async move { names_own_requests(peer) }),
        ..ROW
    },
];

/// One progress notification with its place.
struct Progress<'a> {
    conversation: &'a Conversation,
    at: usize,
    arrived: &'a Arrived,
    token: Value,
    params: &'a Value,
}

fn all_progress(peer: &Peer) -> Vec<Progress<'_>> {
    let mut all = Vec::new();
    for conversation in peer.conversations() {
        for (at, arrived, message) in conversation.messages() {
            if let Message::Notification(notification) = message
                && notification.method == "notifications/progress"
                && let Some(params) = &notification.params
            {
                let token = params.get("progressToken").cloned().unwrap_or(Value::Null);
                all.push(Progress { conversation, at, arrived, token, params });
            }
        }
    }
    all
}

impl<'a> Progress<'a> {
    fn offence(&self, seen: String) -> Offence<'a> {
        Offence { conversation: self.conversation, arrived: self.arrived, seen }
    }

    /// The request that gave this very token, whatever its type.
    fn origin(&self) -> Option<(usize, &'a Sent)> {
        let conversation: &'a Conversation = self.conversation;
        let at = self.at;
        let wanted = plain(&self.token);
        let mut sent = conversation.all_sent().filter(|(from, _)| *from < at);
        sent.find(|(_, sent)| sent.progress_token.as_ref().is_some_and(|token| plain(token) == wanted))
    }
}

/// The token as text, whatever its type: 4711, 4711.0 and "4711" are alike.
fn plain(token: &Value) -> String {
    match (token.as_str(), token.as_f64()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => token.to_string(),
    }
}

fn token_given(peer: &Peer) -> Outcome {
    let all = all_progress(peer);
    let bad = all.iter().filter(|progress| progress.origin().is_none());
    let found = bad.map(|p| p.offence(format!("progress for token {}, which no request had given", p.token)));
    no_offence("progress only for tokens that a request has given", found.collect())
}

fn token_type(peer: &Peer) -> Outcome {
    let all = all_progress(peer);
    let retyped = all.iter().filter_map(|progress| {
        let ours = progress.origin()?.1.progress_token.as_ref()?;
        let seen =
            format!("token {} ({}) for {ours} ({})", progress.token, progress.token.kind(), ours.kind());
        (ours.kind() != progress.token.kind()).then(|| progress.offence(seen))
    });
    no_offence("the token as it was given, its JSON type included", retyped.collect())
}

fn shape(peer: &Peer) -> Outcome {
    let revision = peer.revision();
    let all = all_progress(peer);
    let definition = specs::schema::params_definition("notifications/progress", revision);
    let faulty = all.iter().filter_map(|progress| {
        let faults = definition.map(|d| specs::schema::violations(revision, d, &progress.params.to_json()));
        let fault = faults?.into_iter().next()?;
        Some(
            progress
                .offence(format!("at {}: expected {}, seen {}", fault.pointer, fault.expected, fault.seen)),
        )
    });
    no_offence("progress params as the schema has them", faulty.collect())
}

fn increases(peer: &Peer) -> Outcome {
    let all = all_progress(peer);
    let value = |progress: &Progress<'_>| progress.params.get("progress").and_then(Value::as_f64);
    let falling = all.iter().enumerate().filter_map(|(at, later)| {
        let origin = later.origin()?.0;
        let same = |p: &&Progress<'_>| {
            std::ptr::eq(p.conversation, later.conversation) && p.origin().is_some_and(|(at, _)| at == origin)
        };
        let earlier = all[..at].iter().rev().find(same)?;
        let (before, now) = (value(earlier)?, value(later)?);
        let seen = format!("progress {now} after {before} for token {}", later.token);
        (now <= before).then(|| later.offence(seen))
    });
    no_offence("progress that rises with each notification", falling.collect())
}

fn stops(peer: &Peer) -> Outcome {
    let all = all_progress(peer);
    let late = all.iter().filter_map(|progress| {
        let (_, sent) = progress.origin()?;
        let answered = *sent.answers.first()?;
        let method = sent.method.as_deref().unwrap_or("the request");
        let id = sent.id.as_ref().map(ToString::to_string).unwrap_or_default();
        let seen = format!("progress for token {} after the answer to `{method}` (id {id})", progress.token);
        (progress.at > answered).then(|| progress.offence(seen))
    });
    no_offence("no progress after the answer", late.collect())
}

/// Cancels what was never asked, what is long done, and nothing at all; then the server must still be there.
async fn unknown_ignored(peer: &mut Peer) -> Outcome {
    let done = peer.live()?.log.all_sent().find_map(|(_, s)| s.id.clone().filter(|_| !s.answers.is_empty()));
    let done = done.map_or(json!(1), |id| id.to_json());
    for params in
        [json!({"requestId": "mcpproof-no-such-id"}), json!({"requestId": done}), json!({"reason": "none"})]
    {
        peer.notify("notifications/cancelled", params.clone()).await?;
        if !peer.is_alive().await {
            let session = peer.live()?;
            let what = if session.closed { "the server ended" } else { "the server stopped answering" };
            let sent = json!({"method": "notifications/cancelled", "params": params}).to_string();
            let expected = "cancellations of unknown or finished requests are ignored";
            return Err(Evidence::new(expected, what).sent(sent).stop());
        }
    }
    Ok(())
}

/// Judges the one call that was cancelled on its way: an answer that came later than the cancellation could reach it.
fn no_answer(peer: &Peer) -> Outcome {
    let all = peer.conversations().iter().flat_map(|c| c.all_sent().map(move |(_, sent)| (c, sent)));
    let Some((conversation, sent, (_, cancelled))) =
        all.filter_map(|(c, s)| Some((c, s, s.cancelled?))).next()
    else {
        return Err(Stop::NotApplicable("each harmless tool answers too fast to be cancelled".into()));
    };
    // An answer may cross the cancellation on its way; one that comes well after it was made in spite of it.
    const CROSSING: Duration = Duration::from_millis(50);
    let answer = sent.answers.first().and_then(|at| conversation.entries.get(*at));
    let Some(Entry::Got { arrived, .. }) = answer else { return Ok(()) };
    if arrived.at < cancelled + CROSSING {
        return Err(Stop::NotApplicable("the answer crossed the cancellation".into()));
    }
    let mut evidence =
        Evidence::new("no answer to a request that was cancelled", "it was answered all the same");
    evidence.bytes = Some(Excerpt::of(&arrived.frame.raw, None));
    evidence.sent = Some(short(&sent.text, 200));
    Err(evidence
        .detail("the call was one that had taken its time before, cancelled after a quarter of it")
        .stop())
}

fn names_own_requests(peer: &Peer) -> Outcome {
    let stateless = peer.revision().is_stateless();
    let mut found = Vec::new();
    for conversation in peer.conversations() {
        for (at, arrived, message) in conversation.messages() {
            let Message::Notification(notification) = message else { continue };
            if notification.method != "notifications/cancelled" {
                continue;
            }
            let id = notification.params.as_ref().and_then(|params| params.get("requestId")).cloned();
            let Some(id) = id else { continue };
            let own = conversation
                .messages()
                .any(|(before, _, m)| matches!(m, Message::Request(r) if r.id == id) && before < at);
            let listening = conversation.all_sent().any(|(_, sent)| {
                sent.id.as_ref() == Some(&id) && sent.method.as_deref() == Some("subscriptions/listen")
            });
            if !(own || stateless && listening) {
                let seen = format!("it cancelled request {id}, which it had not sent");
                found.push(Offence { conversation, arrived, seen });
            }
        }
    }
    no_offence("cancellations only of requests of one's own", found)
}
