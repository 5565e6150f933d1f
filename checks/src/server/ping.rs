//! Ping: either side may ask whether the other is still there.

use super::dialogue::of_answer;
use crate::check::{Check, Outcome};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::log::{Answer, Reply};
use crate::peer::Peer;
use crate::words::short;
use serde_json::json;
use specs::Revision::V2025_11_25;
use specs::Revisions;
use wire::Value;

/// A row of this area.
const ROW: Check =
    Check { requirement: "ping.responds", revisions: Revisions::until(V2025_11_25), ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "ping-answered",
        fault: "ping-silent",
        explain: "A server that does not answer looks dead; clients and gateways drop the connection.",
        probe: |peer| Box::pin(answered(peer)),
        ..ROW
    },
    Check {
        id: "ping-result-empty",
        fault: "ping-chatty",
        explain: "Typed clients decode an empty result object; [] or null fails, extra members may.",
        probe: |peer| Box::pin(result_empty(peer)),
        ..ROW
    },
];

async fn ping(peer: &mut Peer) -> Result<Answer, crate::check::Stop> {
    let id = peer.live()?.fresh_id();
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    match peer.probe_message(&message).await? {
        Reply::Answered(answer) => Ok(*answer),
        other => {
            let sent = Some(short(&message.to_string(), 200));
            Err(Evidence { expected: "an empty result".into(), sent, ..peer.unanswered(&other, "`ping`") }
                .stop())
        }
    }
}

async fn answered(peer: &mut Peer) -> Outcome {
    peer.ping_works = false;
    let answer = ping(peer).await?;
    peer.ping_works = !answer.is_error();
    if answer.is_error() { Err(of_answer(&answer, "an empty result").stop()) } else { Ok(()) }
}

async fn result_empty(peer: &mut Peer) -> Outcome {
    let Ok(answer) = ping(peer).await else {
        return Err(crate::check::Stop::Unproven("`ping` was not answered".into()));
    };
    match answer.result() {
        None => Err(crate::check::Stop::Unproven("`ping` was answered with an error".into())),
        Some(Value::Object(members)) if members.keys().all(|key| key == "_meta") => Ok(()),
        // More members than asked for are legal JSON-RPC, and the schema leaves results open.
        Some(Value::Object(_)) => Err(of_answer(&answer, "the result {}").class(Class::Should).stop()),
        Some(other) => {
            let seen = format!("the result is {} ({other})", other.kind());
            let hint = "an empty map that is encoded as [] is the usual cause";
            Err(Evidence { seen, ..of_answer(&answer, "the result {}") }.detail(hint).stop())
        }
    }
}
