//! Requests that come together: each is answered, in any order. What comes one at a time is checked elsewhere.

use super::dialogue::harmless_request;
use crate::check::{Check, Level, Outcome, Stop};
use crate::evidence::Evidence;
use crate::log::Reply;
use crate::peer::Peer;
use crate::session::Outgoing;
use crate::words::{seconds, short};
use serde_json::json;
use tokio::time::Instant;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "jsonrpc-pipelined",
    requirement: "jsonrpc.response.every-request-answered",
    level: Level::Should,
    fault: "pipelined-second-dropped",
    explain: "Hosts ask for tools, prompts and resources at once; a server that takes one message of what it reads and \
              drops the rest leaves them waiting.",
    probe: |peer| Box::pin(pipelined(peer)),
    ..Check::BLANK
}];

/// On stdio both are written in one go; over HTTP the second is posted before the first is answered.
async fn pipelined(peer: &mut Peer) -> Outcome {
    let ids = ["mcpproof-together-1", "mcpproof-together-2"];
    let pair = ids.map(|id| Outgoing::message(&harmless_request(peer, json!(id))));
    let text = pair.iter().map(|one| short(&one.text, 140)).collect::<Vec<_>>().join("\n");
    let (began, within) = (Instant::now(), peer.timing.answer);
    let session = peer.live()?;
    let Some(sent) = session.send_pair(pair).await else {
        let reply = session.gone_after_send().await;
        return Err(unanswered(peer, &reply, "none of the two was answered", text).stop());
    };
    let mut replies = Vec::new();
    for (at, post) in sent {
        replies.push(peer.live()?.answer_to(at, post, began, began + within).await);
    }
    let mut missed = replies.iter().zip(ids).filter(|(reply, _)| !matches!(reply, Reply::Answered(_)));
    let Some((reply, id)) = missed.next() else { return Ok(()) };
    let words = match missed.next() {
        Some(_) => "none of the two was answered".to_owned(),
        None => format!("the request with id \"{id}\" was not answered, the other was"),
    };
    let evidence = unanswered(peer, reply, &words, text);
    drop(missed);
    if matches!(reply, Reply::Silent { .. }) {
        // A request alone shows that it is the company that matters.
        let alone = harmless_request(peer, json!("mcpproof-alone"));
        if !matches!(peer.probe_message(&alone).await?, Reply::Answered(_)) {
            return Err(Stop::Unproven("a request alone was not answered either".into()));
        }
    }
    Err(evidence.stop())
}

fn unanswered(peer: &mut Peer, reply: &Reply, words: &str, text: String) -> Evidence {
    let mut why = peer.unanswered(reply, "");
    if let Reply::Silent { waited, .. } = reply {
        why.seen = format!("no answer in {}, although a request alone is answered", seconds(*waited));
    }
    let expected = "an answer to each of two requests that are sent together, in any order".into();
    Evidence { expected, seen: words.into(), sent: Some(text), ..why.clone() }.detail(why.seen)
}
