//! Streamable HTTP: who may ask, by the Origin and Host of the request.

use super::http_ask::{Ask, Took, host_of, is_loopback, took};
use crate::check::{Check, Level, Needs, Outcome, Stop};
use crate::finding::Class;
use crate::peer::Peer;
use specs::Revision::{V2025_03_26, V2025_11_25};
use specs::Revisions;

/// A row of this area.
const ROW: Check = Check { revisions: Revisions::since(V2025_03_26), needs: Needs::HTTP, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "http-origin-validated",
        requirement: "http.origin-validated",
        fault: "http-origin-unchecked",
        explain: "Any web page that the user opens can talk to the server and use its tools.",
        probe: |peer| Box::pin(origin_validated(peer)),
        ..ROW
    },
    Check {
        id: "http-origin-403",
        requirement: "http.origin-invalid-403",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        fault: "http-origin-wrong-status",
        explain: "Another status looks like a fault of the request, and hides from logs that somebody knocked.",
        probe: |peer| Box::pin(origin_403(peer)),
        ..ROW
    },
    Check {
        id: "http-origin-lookalike",
        requirement: "http.origin-validated",
        fault: "http-origin-prefix",
        explain: "Whoever buys a name that begins like a trusted one gets in with any web page under it.",
        probe: |peer| Box::pin(origin_lookalike(peer)),
        ..ROW
    },
    Check {
        id: "http-host-validated",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        fault: "http-host-unchecked",
        explain: "A web page can rebind its own name to this machine; then the browser sends no foreign Origin, and \
                  only the Host header tells.",
        probe: |peer| Box::pin(host_validated(peer)),
        ..ROW
    },
];

/// An origin that no server knows.
const FOREIGN: &str = "http://evil.invalid";

async fn origin_validated(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let foreign = plain.clone().with("Origin", FOREIGN);
    let exchange = foreign.send().await?;
    match took(&exchange) {
        Took::Refused => Ok(()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
        Took::Served => {
            let evidence =
                foreign.evidence("a refusal: the Origin is not one that the server knows", &exchange);
            if is_loopback(plain.url()) {
                return Err(evidence.stop());
            }
            let why = "milder, since a public server may have decided to serve every origin";
            Err(evidence.class(Class::Should).detail(why).stop())
        }
    }
}

async fn origin_403(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let foreign = plain.with("Origin", FOREIGN);
    let exchange = foreign.send().await?;
    match took(&exchange) {
        Took::Refused if exchange.status == 403 => Ok(()),
        Took::Refused => Err(foreign.evidence("HTTP status 403", &exchange).stop()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
        Took::Served => {
            Err(Stop::NotApplicable("the Origin is not refused; `http-origin-validated` says so".into()))
        }
    }
}

/// Origins that contain a trusted one and are another, and `null`, which any page in a sandbox sends.
///
/// Only where a plainly foreign one is refused: that others get in has a check of its own.
async fn origin_lookalike(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    match took(&plain.clone().with("Origin", FOREIGN).send().await?) {
        Took::Refused => {}
        Took::Unclear(why) => return Err(Stop::Unproven(why)),
        Took::Served => {
            let why = "a foreign Origin is served; `http-origin-validated` says so";
            return Err(Stop::NotApplicable(why.into()));
        }
    }
    let own = host_of(plain.url()).to_owned();
    let alike = ["localhost", "127.0.0.1", &own].map(|host| format!("http://{host}.evil.invalid"));
    for origin in alike.iter().map(String::as_str).chain(["null"]) {
        let varied = plain.clone().with("Origin", origin);
        let exchange = varied.send().await?;
        if took(&exchange) != Took::Served {
            continue;
        }
        let evidence = varied.evidence(format!("a refusal, as for `Origin: {FOREIGN}`"), &exchange);
        let why = "milder, since a server may have decided to serve pages without an origin, such as files";
        return Err(match origin {
            "null" => evidence.class(Class::Should).detail(why),
            _ => evidence,
        }
        .stop());
    }
    Ok(())
}

async fn host_validated(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    if !is_loopback(plain.url()) {
        return Err(Stop::NotApplicable("only a server on this machine can be reached by rebinding".into()));
    }
    plain.control().await?;
    let foreign = plain.with("Host", "evil.invalid");
    let exchange = foreign.send().await?;
    match took(&exchange) {
        Took::Refused => Ok(()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
        Took::Served => {
            Err(foreign.evidence("a refusal: the Host is not one of this machine", &exchange).stop())
        }
    }
}
