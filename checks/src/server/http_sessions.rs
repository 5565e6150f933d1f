//! Streamable HTTP with sessions: session ids, their end, and the version header.

use super::http_ask::{Ask, Took, harmless, not_the_server, seen, took};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::detect::{greeting_of, reply_words};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::peer::Peer;
use crate::session::Session;
use crate::words::quoted;
use specs::Revision::{V2025_03_26, V2025_06_18, V2025_11_25};
use specs::Revisions;
use transport::Exchange;

/// A row of this area.
const ROW: Check =
    Check { revisions: Revisions::between(V2025_03_26, V2025_11_25), needs: Needs::HTTP, ..Check::BLANK };

const VERSIONED: Revisions = Revisions::between(V2025_06_18, V2025_11_25);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "http-session-id-ascii",
        requirement: "http.session-id-ascii",
        fault: "http-session-id-not-ascii",
        explain: "Header values outside visible ASCII are changed or refused on the way.",
        probe: |peer| Box::pin(async move { session_id_ascii(peer) }),
        ..ROW
    },
    Check {
        id: "http-session-unknown",
        requirement: "http.session-unknown-404",
        level: Level::Should,
        fault: "http-session-unknown-status",
        explain: "Clients begin anew on 404 only; on anything else they keep trying a session that is gone.",
        probe: |peer| Box::pin(session_unknown(peer)),
        ..ROW
    },
    Check {
        id: "http-session-missing",
        requirement: "http.session-id-missing-400",
        level: Level::Should,
        fault: "http-session-missing-accepted",
        explain: "A client that lost its session should learn so from the status.",
        probe: |peer| Box::pin(session_missing(peer)),
        ..ROW
    },
    Check {
        id: "http-session-ended",
        requirement: "http.session-terminated-404",
        fault: "http-session-after-delete-alive",
        explain: "Clients begin anew on 404 only; on anything else they keep trying a session that is gone.",
        probe: |peer| Box::pin(session_ended(peer)),
        ..ROW
    },
    Check {
        id: "http-session-delete",
        requirement: "http.session-delete-405",
        level: Level::Should,
        fault: "http-delete-500",
        explain: "Clients say goodbye with DELETE, and report an error when it fails.",
        probe: |peer| Box::pin(session_delete(peer)),
        ..ROW
    },
    Check {
        id: "http-version-header-invalid",
        requirement: "version.header-invalid-400",
        revisions: VERSIONED,
        fault: "http-version-header-ignored",
        explain: "A client that mistakes the version gets answers of another revision, and no word of warning.",
        probe: |peer| Box::pin(version_header_invalid(peer)),
        ..ROW
    },
    Check {
        id: "http-version-header-absent",
        requirement: "version.header-absent-default",
        level: Level::Should,
        revisions: VERSIONED,
        fault: "http-version-header-required",
        explain: "Clients of 2025-03-26 do not know the header, and none has it before the handshake.",
        probe: |peer| Box::pin(version_header_absent(peer)),
        ..ROW
    },
];

fn session_of(peer: &mut Peer) -> Result<String, Stop> {
    let session = peer.live()?.connection().session();
    session.ok_or_else(|| Stop::NotApplicable("the server gives no session id".into()))
}

fn session_id_ascii(peer: &mut Peer) -> Outcome {
    let id = session_of(peer)?;
    if !id.is_empty() && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) {
        return Ok(());
    }
    Err(Evidence::new(
        "a session id of visible ASCII (0x21 to 0x7E)",
        format!("the session id {}", quoted(&id)),
    )
    .stop())
}

async fn session_unknown(peer: &mut Peer) -> Outcome {
    session_of(peer)?;
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let unknown = plain.with("Mcp-Session-Id", "mcpproof-0000-never-given");
    let exchange = unknown.send().await?;
    let evidence = unknown.evidence("HTTP status 404 for a session id that was never given", &exchange);
    match took(&exchange) {
        Took::Unclear(why) => Err(Stop::Unproven(why)),
        Took::Refused if exchange.status == 404 => Ok(()),
        Took::Refused if exchange.status == 400 => Err(evidence.class(Class::Note).stop()),
        _ if is_so_for_ended(peer, &exchange).await => Err(Stop::Unproven(
            "a session that has ended gets the same status; `http-session-ended` says so".into(),
        )),
        _ => Err(evidence.stop()),
    }
}

/// Tells whether a request for a session that DELETE has ended gets the same status, which has a check of its own.
async fn is_so_for_ended(peer: &mut Peer, unknown: &Exchange) -> bool {
    if !peer.judges("http-session-ended") {
        return false;
    }
    let Ok((session, ask, goodbye)) = deleted(peer).await else { return false };
    let after = if (200..300).contains(&goodbye.status) { ask.send().await.ok() } else { None };
    peer.opener.end_quickly(session).await;
    after.is_some_and(|after| after.status == unknown.status)
}

async fn session_missing(peer: &mut Peer) -> Outcome {
    session_of(peer)?;
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let lost = plain.without("Mcp-Session-Id");
    let exchange = lost.send().await?;
    let evidence = lost.evidence("HTTP status 400 for a request without its session id", &exchange);
    match took(&exchange) {
        Took::Unclear(why) => Err(Stop::Unproven(why)),
        Took::Refused if exchange.status == 400 => Ok(()),
        Took::Refused => Err(evidence.stop()),
        Took::Served => {
            let why = "legal, since only a server that requires the id has to refuse";
            Err(evidence.class(Class::Note).detail(why).stop())
        }
    }
}

/// Opens a session of its own, and ends it by DELETE.
async fn deleted(peer: &mut Peer) -> Result<(Session, Ask, Exchange), Stop> {
    session_of(peer)?;
    let (opener, revision) = (peer.opener.clone(), peer.revision());
    let opened = opener.open(revision, Phase::Opening).await;
    let mut session = opened.map_err(|error| Stop::Unproven(error.to_string()))?;
    let reply = session.initialize(revision.as_str()).await;
    let greeting = greeting_of(&reply);
    let message = harmless(peer)?;
    if greeting.is_null() || session.connection().session().is_none() {
        let why = format!("a second session could not be opened: {}", reply_words(&reply));
        opener.end_quickly(session).await;
        return Err(Stop::Unproven(why));
    }
    session.settle(revision, &greeting).await;
    let ask = Ask::post(&mut session, &message)?;
    let control = ask.control().await;
    let goodbye = ask.clone().method("DELETE").send().await;
    match control.and(goodbye) {
        Ok(exchange) => Ok((session, ask, exchange)),
        Err(stop) => {
            opener.end_quickly(session).await;
            Err(stop)
        }
    }
}

async fn session_ended(peer: &mut Peer) -> Outcome {
    let (session, ask, goodbye) = deleted(peer).await?;
    let after = if (200..300).contains(&goodbye.status) { Some(ask.send().await) } else { None };
    peer.opener.end_quickly(session).await;
    let Some(after) = after else {
        return Err(Stop::NotApplicable(format!("DELETE does not end a session: {}", seen(&goodbye))));
    };
    let exchange = after?;
    if exchange.status == 404 {
        return Ok(());
    }
    if let Some(why) = not_the_server(&exchange) {
        return Err(Stop::Unproven(why));
    }
    let evidence = ask.evidence("HTTP status 404 for a session that DELETE has ended", &exchange);
    Err(evidence.detail(format!("DELETE had got HTTP status {}", goodbye.status)).stop())
}

async fn session_delete(peer: &mut Peer) -> Outcome {
    let (session, ask, goodbye) = deleted(peer).await?;
    peer.opener.end_quickly(session).await;
    if goodbye.status < 500 || goodbye.status == 501 {
        return Ok(());
    }
    let ask = ask.method("DELETE");
    Err(ask.evidence("a status of 2xx, or 405 where clients cannot end sessions", &goodbye).stop())
}

async fn version_header_invalid(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let mut wrong = Vec::new();
    for version in ["mcpproof-garbage", "1999-01-01", "2099-12-31"] {
        let ask = plain.clone().with("MCP-Protocol-Version", version);
        let exchange = ask.send().await?;
        if let Took::Unclear(why) = took(&exchange) {
            return Err(Stop::Unproven(why));
        }
        if exchange.status != 400 {
            wrong.push((ask, exchange));
        }
    }
    let Some((ask, exchange)) = wrong.first() else { return Ok(()) };
    let mut evidence = ask.evidence("HTTP status 400 for a version that does not exist", exchange);
    for (ask, exchange) in wrong.iter().skip(1) {
        evidence = evidence.detail(format!("{}: {}", ask.words(), seen(exchange)));
    }
    Err(evidence.stop())
}

async fn version_header_absent(peer: &mut Peer) -> Outcome {
    let expected = "the request is served: without the header a server assumes 2025-03-26";
    if let Some(refusal) = peer.opener.needs_version_header.get() {
        let seen = format!("`initialize` without `MCP-Protocol-Version` got {refusal}");
        return Err(Evidence::new(expected, seen).detail("with the header it was answered").stop());
    }
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let bare = plain.without("MCP-Protocol-Version");
    let exchange = bare.send().await?;
    match took(&exchange) {
        Took::Served => Ok(()),
        Took::Refused => Err(bare.evidence(expected, &exchange).stop()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}
