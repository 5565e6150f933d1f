//! Finds servers that do not flush: their answers come only with the next message, or at the end of input. What they
//! are accused of lives with the checks.

use crate::evidence::Evidence;
use crate::log::{Conversation, Reply, Sent};
use crate::opener::Opener;
use crate::session::{Outgoing, Session};
use crate::words::{seconds, short};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use wire::Value;

/// Why nothing else is asked of such a server.
pub(crate) const HELD: &str = "the server holds its answers back; `framing-flushed` says so";

/// How soon after its cause an answer comes that was only waiting for it.
const PROMPT: Duration = Duration::from_millis(300);

/// How long each answer is waited for before the next message is sent: pauses that differ, so that no server that is
/// only slow fits all of them.
const PAUSES: [Duration; 3] = [Duration::ZERO, Duration::from_millis(1500), Duration::from_millis(800)];

/// How long to wait for an answer before the input is ended to see what comes then.
const BEFORE_END: Duration = Duration::from_secs(2);

const EXPECTED: &str = "each answer is written out at once, whatever is sent afterwards";

impl Session {
    /// Tells whether the answer to the silent request at `at`, and that to each further one, comes with the next message.
    pub(crate) async fn holds_back(&mut self, at: usize) -> Option<Evidence> {
        if !self.is_over_lines() || self.until.is_some_and(|end| Instant::now() >= end) {
            return None;
        }
        let (mut silent, waited) = (at, self.age());
        for pause in PAUSES {
            self.drain(Instant::now() + pause).await;
            if self.is_answered(silent) || self.closed {
                return None;
            }
            let message = self.sign_of_life();
            let (next, _) = self.send(Outgoing::message(&message)).await?;
            let deadline = Instant::now() + PROMPT;
            while !self.is_answered(silent) {
                if self.closed || Instant::now() >= deadline {
                    return None;
                }
                self.pump(deadline).await;
            }
            silent = next;
        }
        let sent = self.log.sent(at)?;
        let seen = format!("unflushed: {} came only after the next message was sent", answer_words(sent));
        let more = "the same again with two further requests, after pauses of 1.5 s and 0.8 s";
        let evidence = Evidence::new(EXPECTED, seen).sent(short(&sent.text, 300));
        Some(evidence.detail(format!("nothing had come in the first {}", seconds(waited))).detail(more))
    }

    /// A request that any server answers at once, if only with an error.
    fn sign_of_life(&mut self) -> serde_json::Value {
        let method = if self.revision.is_stateless() { "server/discover" } else { "ping" };
        self.build(method, json!({}))
    }

    fn is_answered(&self, at: usize) -> bool {
        self.log.sent(at).is_some_and(|sent| !sent.answers.is_empty())
    }
}

/// Ends a conversation whose last request was not answered; with it comes the evidence if the answer came with one more
/// message or with the end of input, this time and once more on a fresh start.
pub(crate) async fn end_of_silence(
    opener: &Opener,
    mut session: Session,
) -> (Conversation, Option<Evidence>) {
    let last = session.log.all_sent().filter(|(_, sent)| sent.is_request()).last().map(|(at, _)| at);
    if let Some(last) = last
        && let Some(evidence) = session.holds_back(last).await
    {
        return (opener.end_quickly(session).await, Some(evidence));
    }
    // What was sent to find out is no answer that a client waits for.
    let first = ended(opener, session, last.unwrap_or(0)).await;
    let Some(Released { request, waited, .. }) = first.1 else { return (first.0, None) };
    let evidence = match again(opener, &request).await {
        Some(()) => {
            let seen = format!("unflushed: {} came only when stdin was closed", answer_words(&request));
            let evidence = Evidence::new(EXPECTED, seen).sent(short(&request.text, 300));
            let detail = format!("nothing had come in {}; the same on a second start", seconds(waited));
            Some(evidence.detail(detail))
        }
        None => None,
    };
    (first.0, evidence)
}

/// An answer that came right after the end of input.
struct Released {
    request: Sent,
    /// How long the conversation had lasted by then.
    waited: Duration,
}

async fn ended(opener: &Opener, session: Session, last: usize) -> (Conversation, Option<Released>) {
    let (over_lines, closed_at) = (session.is_over_lines() && !session.closed, session.age());
    let conversation = opener.end_quickly(session).await;
    let unanswered: Vec<_> =
        conversation.all_sent().filter(|(at, sent)| *at <= last && sent.answers.is_empty()).collect();
    let late = conversation.ending.iter().flat_map(|ending| &ending.late_frames);
    let prompt = late.filter(|late| late.at.saturating_sub(closed_at) <= PROMPT);
    let ids: Vec<&Value> =
        prompt.flat_map(|late| late.frame.responses()).filter_map(|response| response.id.as_ref()).collect();
    let request =
        unanswered.iter().rev().find(|(_, sent)| sent.id.as_ref().is_some_and(|id| ids.contains(&id)));
    let released = request.filter(|_| over_lines);
    let released = released.map(|(_, sent)| Released { request: (*sent).clone(), waited: closed_at });
    (conversation, released)
}

/// Tells whether a fresh server answers `request` at the end of input, too, and not before.
async fn again(opener: &Opener, request: &Sent) -> Option<()> {
    let revision = specs::Revision::NEWEST_WITH_HANDSHAKE;
    let mut session = opener.open(revision, crate::check::Phase::Shared).await.ok()?;
    let message = serde_json::from_str(&request.text).ok()?;
    let reply = session.request_within(Outgoing::message(&message), BEFORE_END).await;
    if !matches!(reply, Reply::Silent { .. }) {
        opener.end_quickly(session).await;
        return None;
    }
    sleep(PROMPT).await;
    ended(opener, session, 0).await.1.map(|_| ())
}

/// Names the answer to a request: ``the answer to `initialize` (id 1)``.
fn answer_words(sent: &Sent) -> String {
    let id = sent.id.as_ref().map(Value::to_string).unwrap_or_default();
    format!("the answer to `{}` (id {id})", sent.method.as_deref().unwrap_or_default())
}
