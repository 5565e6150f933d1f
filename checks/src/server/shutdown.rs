//! The end: what the server's process does when its input ends, and when it is told to.

use super::dialogue::harmless_request;
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::ends::{self, Blame, End, messages};
use crate::evidence::Evidence;
use crate::log::{Conversation, Reply};
use crate::peer::{Peer, exit_words, last_lines};
use crate::words::seconds;
use serde_json::json;
use specs::Revision::{V2025_11_25, V2026_07_28};
use specs::Revisions;
use transport::{Ending, Exit};

/// A row of this area.
const ROW: Check = Check {
    requirement: "lifecycle.exit-on-stdin-eof-legacy",
    level: Level::Should,
    revisions: Revisions::until(V2025_11_25),
    needs: Needs::STDIO,
    phase: Phase::Afterwards,
    ..Check::BLANK
};

/// Rows that differ between the eras only in the text they stand on.
const STATELESS: Check =
    Check { requirement: "lifecycle.exit-on-stdin-eof", revisions: Revisions::only(V2026_07_28), ..ROW };

const LINGERS: &str = "Hosts close stdin and leave; a server that stays becomes an orphan that eats memory, and some \
                       hosts start a new one for each window.";

const DEAF: &str = "Hosts send SIGTERM next; a server that ignores it has to be killed and cannot clean up.";

/// The check of ends that nothing is to blame for.
pub(crate) const NOT_BY_ITSELF: &str = "shutdown-not-by-itself";

/// How many messages a server is sent at least before it counts as one that stays.
const MANY: usize = 64;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: NOT_BY_ITSELF,
        requirement: "jsonrpc.response.every-request-answered",
        revisions: Revisions::ALL,
        phase: Phase::Shared,
        fault: "ends-after-messages",
        explain: "Each session breaks off in the middle of the work, and what was asked last is never answered.",
        probe: |peer| Box::pin(not_by_itself(peer)),
        ..ROW
    },
    Check {
        id: "shutdown-on-end-of-input",
        fault: "eof-ignored",
        explain: LINGERS,
        probe: |peer| Box::pin(async move { on_end_of_input(peer) }),
        ..ROW
    },
    Check {
        id: "shutdown-on-end-of-input-stateless",
        fault: "eof-ignored",
        explain: LINGERS,
        probe: |peer| Box::pin(async move { on_end_of_input(peer) }),
        ..STATELESS
    },
    Check {
        id: "shutdown-on-sigterm",
        fault: "eof-and-term-ignored",
        explain: DEAF,
        probe: |peer| Box::pin(async move { on_sigterm(peer) }),
        ..ROW
    },
    Check {
        id: "shutdown-on-sigterm-stateless",
        fault: "eof-and-term-ignored",
        explain: DEAF,
        probe: |peer| Box::pin(async move { on_sigterm(peer) }),
        ..STATELESS
    },
    Check {
        id: "shutdown-leaves-nobody",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        fault: "eof-grandchild",
        explain: "Hosts know only the process they started; what it leaves behind is nobody's to end.",
        probe: |peer| Box::pin(async move { leaves_nobody(peer) }),
        ..ROW
    },
    Check {
        id: "shutdown-exit-code",
        requirement: Check::NO_RULE,
        level: Level::Note,
        fault: "eof-exit-code",
        explain: "Supervisors take an exit code other than 0 for a crash, and restart or report it.",
        probe: |peer| Box::pin(async move { exit_code(peer) }),
        ..ROW
    },
];

/// Tells whether a check looks at how the shared conversation ended, so that its end is given time.
pub(crate) fn judges_endings(check: &Check) -> bool {
    CHECKS.iter().any(|own| own.id == check.id && own.phase == Phase::Afterwards)
}

/// The messages of the other checks count; what is missing is sent here.
async fn not_by_itself(peer: &mut Peer) -> Outcome {
    while peer.ends.is_empty() && messages(&peer.live()?.log) < MANY {
        let id = format!("mcpproof-stay-{}", messages(&peer.live()?.log));
        let message = harmless_request(peer, json!(id));
        match peer.probe_message(&message).await? {
            Reply::Gone { .. } => {
                let end = End::of(peer.live()?, Blame::Repeated);
                peer.ends.push(end);
            }
            Reply::Silent { .. } => {
                return Err(Stop::Unproven("the server had stopped answering before".into()));
            }
            _ => {}
        }
    }
    ends::evidence(&peer.ends, &peer.killers).map_or(Ok(()), |evidence| Err(evidence.stop()))
}

/// The ending that was given time: that of the shared conversation.
fn ending(peer: &Peer) -> Result<(&Conversation, &Ending), Stop> {
    let shared = peer.conversations().iter().filter(|c| c.phase == Phase::Shared);
    let judged = shared.filter_map(|c| Some((c, c.ending.as_ref()?))).find(|(_, ending)| !ending.before_eof);
    judged.ok_or_else(|| Stop::Unproven("the server had ended by itself before its input was closed".into()))
}

fn on_end_of_input(peer: &Peer) -> Outcome {
    let (conversation, ending) = ending(peer)?;
    if ending.by_eof.is_some() {
        return Ok(());
    }
    let patience = seconds(crate::lane::full_patience().after_eof);
    let then = match ending.by_term {
        Some(took) => format!("SIGTERM ended it after {}", seconds(took)),
        None => "SIGTERM did not end it either, SIGKILL did".into(),
    };
    let expected = format!("the process exits within {patience} of the end of its input");
    let mut evidence = Evidence::new(expected, format!("it was still there; {then}"));
    if !conversation.stderr.trim().is_empty() {
        evidence = evidence.detail(format!("stderr ended with: {}", last_lines(&conversation.stderr, 2)));
    }
    Err(evidence.stop())
}

fn on_sigterm(peer: &Peer) -> Outcome {
    let (_, ending) = ending(peer)?;
    if ending.by_eof.is_some() {
        return Err(Stop::NotApplicable(
            "it exits at the end of its input, so SIGTERM was not needed".into(),
        ));
    }
    if ending.exit == Exit::NoProcess {
        return Err(Stop::NotApplicable("there is no process to signal".into()));
    }
    if ending.by_term.is_some() {
        return Ok(());
    }
    let patience = seconds(crate::lane::full_patience().after_term);
    let seen = "it was still there, and SIGKILL was needed";
    Err(Evidence::new(format!("the process exits within {patience} of SIGTERM"), seen).stop())
}

fn leaves_nobody(peer: &Peer) -> Outcome {
    let (_, ending) = ending(peer)?;
    if !ending.left_children {
        return Ok(());
    }
    let seen = "processes of its group outlived it and were killed";
    Err(Evidence::new("no process stays behind when the server has exited", seen).stop())
}

fn exit_code(peer: &Peer) -> Outcome {
    let (conversation, ending) = ending(peer)?;
    match ending.exit {
        Exit::Code(0) | Exit::NoProcess => Ok(()),
        _ if ending.by_eof.is_none() => Err(Stop::NotApplicable("it had to be ended by a signal".into())),
        exit => {
            let evidence =
                Evidence::new("exit code 0 at the end of input", format!("it {}", exit_words(Some(exit))));
            Err(evidence.detail(format!("stderr ended with: {}", last_lines(&conversation.stderr, 2))).stop())
        }
    }
}
