//! What can be said of a server behind a URL that lets nobody in, or that never says where to post.

use crate::check::Verdict;
use crate::detect::Detected;
use crate::finding::Finding;
use crate::held::HELD;
use crate::lane::Lane;
use crate::log::{Conversation, Reply};
use crate::opener::Opener;
use crate::report::RevisionReport;
use crate::run::{Event, RunOptions};
use crate::server::{WITHOUT_ACCESS, WITHOUT_ENDPOINT, lacks_endpoint};
use specs::Revision;
use transport::{Endpoint, Target};
use wire::Message;

/// What output that never was meant to be a message breaks, too.
const OF_NOISE: &[&str] = &["framing-stdout-only-messages", "framing-blank-lines"];

/// Judges a server that detection found dead; `None` when nothing can be decided.
pub(crate) async fn judge(
    found: &Detected,
    target: &Target,
    opener: &Opener,
    options: &RunOptions,
    events: &(dyn Fn(Event) + Send + Sync),
) -> Option<RevisionReport> {
    let report = if wants_authorization(found, target) {
        let asked = found.handshake.as_ref()?.asked;
        let why = "the server needs authorization (HTTP status 401); give it a token";
        let opener = opener.for_revision(opener.starts());
        Lane::new(asked, opener, options, events).run_closed(WITHOUT_ACCESS, why).await
    } else if let Some((asked, evidence)) = &found.held {
        let opener = opener.for_revision(opener.starts());
        let lane = Lane::new(*asked, opener, options, events).with_held(evidence.clone());
        lane.run_closed(&["framing-flushed"], HELD).await
    } else if let Some(conversation) = unintelligible(found) {
        let asked = found.handshake.as_ref()?.asked;
        let why = "nothing that the server wrote was an answer";
        let framing: Vec<_> = crate::AREAS[0].1.iter().map(|check| check.id).collect();
        let opener = opener.for_revision(opener.starts());
        let lane = Lane::new(asked, opener, options, events).with_past(conversation);
        let mut report = lane.run_closed(&framing, why).await;
        // Noise is what it looks like only beside something that was meant to be a message.
        let told = |finding: &Finding| !OF_NOISE.contains(&finding.id);
        if !report.findings().any(told) {
            return None;
        }
        for result in report.results.iter_mut().filter(|result| result.verdict == Verdict::Pass) {
            result.verdict = Verdict::Unproven(why.into());
        }
        report
    } else {
        let mut older = opener.for_revision(opener.starts().max(1));
        older.target = Target::Sse(stream_of(found, target)?);
        let asked = Revision::V2024_11_05;
        if !(options.revisions.is_empty() || options.revisions.contains(&asked))
            || !lacks_endpoint(&older).await
        {
            return None;
        }
        let why = "the stream never said where to post";
        Lane::new(asked, older, options, events).run_closed(WITHOUT_ENDPOINT, why).await
    };
    let tally = report.tally();
    let over_http = matches!(target, Target::Http(_) | Target::Sse(_));
    let decided = if over_http { tally.passed + tally.broken } else { tally.broken };
    (decided > 0).then_some(report)
}

/// What was said by a server that lives and writes, but nothing that is an answer.
fn unintelligible(found: &Detected) -> Option<Conversation> {
    let handshake = found.handshake.as_ref()?;
    let log = handshake.log()?;
    let noise = |message: &Message| matches!(message, Message::Noise | Message::Other(_));
    let noisy = log.frames().any(|(_, arrived)| noise(&arrived.frame.message));
    (noisy && matches!(handshake.reply, Reply::Silent { .. })).then(|| log.clone())
}

/// True when nobody gets in without a token, and the user has given none.
fn wants_authorization(found: &Detected, target: &Target) -> bool {
    let Target::Http(endpoint) = target else { return false };
    let given = endpoint.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let reply = found.handshake.as_ref().map(|handshake| &handshake.reply);
    !given && matches!(reply, Some(Reply::NoMessage(exchange)) if exchange.status == 401)
}

/// The URL of what looks like the stream of HTTP+SSE: named so by the user, or refusing POST as such a stream does.
fn stream_of(found: &Detected, target: &Target) -> Option<Endpoint> {
    let reply = found.handshake.as_ref().map(|handshake| &handshake.reply);
    match (target, reply) {
        (Target::Sse(endpoint), _) => Some(endpoint.clone()),
        (Target::Http(endpoint), Some(Reply::NoMessage(exchange))) => {
            matches!(exchange.status, 202 | 404 | 405).then(|| endpoint.clone())
        }
        _ => None,
    }
}
