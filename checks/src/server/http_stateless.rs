//! Streamable HTTP without sessions: the headers that mirror the body, status codes, and what is gone.

use super::http::first_of;
use super::http_ask::{Ask, Took, code_of, harmless, not_the_server, raw_messages, seen, took};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::peer::Peer;
use crate::session::client_meta;
use serde_json::{Value as Json, json};
use specs::Revision::{V2025_11_25, V2026_07_28};
use specs::Revisions;
use transport::{Exchange, header_value};

/// A row of this area.
const ROW: Check = Check {
    revisions: Revisions::only(V2026_07_28),
    needs: Needs::HTTP,
    phase: Phase::Hostile,
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "http-unknown-method-404",
        requirement: "http.unknown-method-404",
        fault: "http-unknown-method-200-stateless",
        explain: "Gateways and clients tell an old server from a new one by the status of an unknown method.",
        probe: |peer| Box::pin(unknown_method(peer)),
        ..ROW
    },
    Check {
        id: "http-meta-missing-400",
        requirement: "meta.missing-fields-http-400",
        fault: "http-meta-missing-200",
        explain: "Gateways count a refusal with status 200 as a success.",
        probe: |peer| Box::pin(meta_missing(peer)),
        ..ROW
    },
    Check {
        id: "http-version-unsupported-400",
        requirement: "version.unsupported-http-400",
        fault: "http-version-unsupported-200",
        explain: "Clients look for the versions of a server in the body of a 400.",
        probe: |peer| Box::pin(version_unsupported(peer)),
        ..ROW
    },
    Check {
        id: "http-header-mismatch-refused",
        requirement: "http.header-mismatch-rejected",
        fault: "http-header-mismatch-accepted",
        explain: "Gateways decide by the header what the server then does by the body: a way around their rules.",
        probe: |peer| Box::pin(mismatch_refused(peer)),
        ..ROW
    },
    Check {
        id: "http-header-mismatch-400",
        requirement: "http.header-mismatch-400",
        fault: "http-header-mismatch-wrong-status",
        explain: "Gateways count a refusal with status 200 as a success.",
        probe: |peer| Box::pin(mismatch_400(peer)),
        ..ROW
    },
    Check {
        id: "http-header-mismatch-code",
        requirement: "http.header-mismatch-code",
        fault: "http-header-mismatch-wrong-code",
        explain: "Clients repeat a request with fresh headers on -32020 only.",
        probe: |peer| Box::pin(mismatch_code(peer)),
        ..ROW
    },
    Check {
        id: "http-header-method-missing",
        requirement: "http.header-method-missing-rejected",
        fault: "http-header-missing-accepted",
        explain: "A request without the header passes gateways that decide by it.",
        probe: |peer| Box::pin(method_missing(peer)),
        ..ROW
    },
    Check {
        id: "http-header-name-missing",
        requirement: "http.header-name-missing-rejected",
        needs: HTTP_TOOLS,
        fault: "http-header-name-missing-accepted",
        explain: "A call without the header passes gateways that decide by the name of the tool.",
        probe: |peer| Box::pin(name_missing(peer)),
        ..ROW
    },
    Check {
        id: "http-header-name-base64",
        requirement: "http.header-decode-before-compare",
        needs: HTTP_TOOLS,
        fault: "http-header-base64-unread",
        explain: "Names that a header cannot carry come in Base64; their tools cannot be called.",
        probe: |peer| Box::pin(name_base64(peer)),
        ..ROW
    },
    Check {
        id: "http-header-values-case",
        requirement: "http.header-values-case-sensitive",
        fault: "http-header-values-caseless",
        explain: "A gateway compares the case, the server does not, and each sees another request.",
        probe: |peer| Box::pin(values_case(peer)),
        ..ROW
    },
    Check {
        id: "http-no-session",
        requirement: "http.session-header-removed",
        phase: Phase::Afterwards,
        fault: "http-stateless-mints-session",
        explain: "Clients and gateways that see a session id tie the client to one process.",
        probe: |peer| Box::pin(async move { no_session(peer) }),
        ..ROW
    },
    Check {
        id: "http-get-delete-gone",
        requirement: "http.legacy-get-delete-405",
        level: Level::Should,
        fault: "http-stateless-get-200",
        explain: "Older clients wait on a stream on which nothing ever comes.",
        probe: |peer| Box::pin(get_delete_gone(peer)),
        ..ROW
    },
    Check {
        id: "http-sse-unbuffered",
        requirement: "http.sse-x-accel-buffering",
        level: Level::Should,
        phase: Phase::Afterwards,
        fault: "http-buffering-header-missing",
        explain: "Proxies hold events back until their buffer is full, so that progress comes with the result.",
        probe: |peer| Box::pin(async move { unbuffered(peer) }),
        ..ROW
    },
];

const HTTP_TOOLS: Needs = Needs { capability: Some("tools"), transport: Some("http") };

/// A method that no harmless request has.
const OTHER_METHOD: &str = "prompts/list";

/// A tool that no server has, so that nothing is done when the header is not looked at.
const NO_TOOL: &str = "mcpproof-no-such-tool";

/// A POST of `method`, described as this revision wants it.
fn described(peer: &mut Peer, method: &str, params: Json) -> Result<Ask, Stop> {
    let session = peer.live()?;
    let message = session.build(method, params);
    Ask::post(session, &message)
}

/// A call that has been answered with a result before, and so may be made again.
async fn a_call(peer: &mut Peer) -> Result<Option<Ask>, Stop> {
    if !peer.declares("tools") {
        return Ok(None);
    }
    let Ok(calls) = peer.calls().await else { return Ok(None) };
    let Some(call) = calls.iter().find(|call| call.result().is_some() && !call.is_error_result()) else {
        return Ok(None);
    };
    let params = json!({"name": call.tool, "arguments": call.arguments});
    described(peer, "tools/call", params).map(Some)
}

/// Says that an answer of a gateway proves nothing.
fn from_server(exchange: Exchange) -> Result<Exchange, Stop> {
    match not_the_server(&exchange) {
        Some(why) => Err(Stop::Unproven(why)),
        None => Ok(exchange),
    }
}

async fn unknown_method(peer: &mut Peer) -> Outcome {
    let ask = described(peer, "mcpproof/unknown", json!({}))?;
    let exchange = from_server(ask.send().await?)?;
    match code_of(&exchange) {
        _ if exchange.status == 404 => Ok(()),
        Some(-32601) => Err(ask.evidence("HTTP status 404 with error -32601", &exchange).stop()),
        _ => Err(Stop::Unproven(format!("the method was not refused as unknown: {}", seen(&exchange)))),
    }
}

async fn meta_missing(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let mut message = harmless(peer)?;
    message["params"] = json!({});
    let ask = plain.body(&message.to_string());
    let exchange = from_server(ask.send().await?)?;
    match took(&exchange) {
        Took::Refused if exchange.status == 400 => Ok(()),
        Took::Refused => {
            Err(ask.evidence("HTTP status 400 for a request that does not describe itself", &exchange).stop())
        }
        Took::Served => Err(Stop::NotApplicable("it was served; `stateless-meta-required` says so".into())),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}

async fn version_unsupported(peer: &mut Peer) -> Outcome {
    let mut message = harmless(peer)?;
    message["params"]["_meta"] = client_meta("1999-01-01");
    let ask = Ask::post(peer.live()?, &message)?.header("mcp-protocol-version", "1999-01-01");
    let exchange = from_server(ask.send().await?)?;
    match took(&exchange) {
        Took::Refused if exchange.status == 400 => Ok(()),
        Took::Refused => {
            Err(ask.evidence("HTTP status 400 for a version that does not exist", &exchange).stop())
        }
        Took::Served => Err(Stop::NotApplicable("it was served; `stateless-version-refused` says so".into())),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}

/// The requests whose headers differ from the body, one header each, and what came of them.
async fn mismatches(peer: &mut Peer) -> Result<Vec<(Ask, Exchange)>, Stop> {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let mut asks = vec![plain.with("Mcp-Method", OTHER_METHOD)];
    if let Some(call) = a_call(peer).await? {
        asks.push(call.with("Mcp-Name", NO_TOOL));
    }
    let mut all = Vec::new();
    for ask in asks {
        let exchange = from_server(ask.send().await?)?;
        all.push((ask, exchange));
    }
    Ok(all)
}

/// Tells whether an answer refuses the request for its headers, in whatever form.
fn is_for_headers(exchange: &Exchange) -> bool {
    // -32001 was the number in drafts; a 4xx without a readable error is a refusal of the transport.
    let code = code_of(exchange);
    matches!(code, Some(-32020 | -32001 | -32600 | -32000))
        || (exchange.status == 400 && code != Some(-32602))
}

async fn mismatch_refused(peer: &mut Peer) -> Outcome {
    for (ask, exchange) in mismatches(peer).await? {
        if took(&exchange) == Took::Served {
            let evidence =
                ask.evidence("HTTP status 400 with error -32020: header and body differ", &exchange);
            return Err(evidence.stop());
        }
    }
    Ok(())
}

async fn mismatch_400(peer: &mut Peer) -> Outcome {
    refused_mismatches(peer, "HTTP status 400", |exchange| exchange.status == 400).await
}

async fn mismatch_code(peer: &mut Peer) -> Outcome {
    let expected = "error -32020 (header mismatch; -32001 was the number in drafts)";
    refused_mismatches(peer, expected, |exchange| code_of(exchange) == Some(-32020)).await
}

/// Looks at those answers that refuse the request for its headers.
async fn refused_mismatches(peer: &mut Peer, expected: &str, is_right: fn(&Exchange) -> bool) -> Outcome {
    let all = mismatches(peer).await?;
    let mut refused =
        all.iter().filter(|(_, exchange)| took(exchange) == Took::Refused && is_for_headers(exchange));
    if refused.clone().next().is_none() {
        return Err(Stop::NotApplicable(
            "nothing was refused; `http-header-mismatch-refused` says so".into(),
        ));
    }
    match refused.find(|(_, exchange)| !is_right(exchange)) {
        Some((ask, exchange)) => Err(ask.evidence(expected, exchange).stop()),
        None => Ok(()),
    }
}

async fn method_missing(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let bare = plain.without("Mcp-Method");
    let exchange = from_server(bare.send().await?)?;
    match took(&exchange) {
        Took::Served => Err(bare.evidence("HTTP status 400 with error -32020", &exchange).stop()),
        Took::Refused => Ok(()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}

async fn name_missing(peer: &mut Peer) -> Outcome {
    let call = a_call(peer).await?;
    let call = call.ok_or_else(|| Stop::NotApplicable("no tool could be called without asking".into()))?;
    let bare = call.without("Mcp-Name");
    let exchange = from_server(bare.send().await?)?;
    match took(&exchange) {
        Took::Served if peer.judges("http-header-method-missing") && takes_all(peer, None).await? => {
            let why = "`Mcp-Method` is not missed either; `http-header-method-missing` says so";
            Err(Stop::Unproven(why.into()))
        }
        Took::Served => Err(bare.evidence("HTTP status 400 with error -32020", &exchange).stop()),
        Took::Refused => Ok(()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}

/// Tells whether a request is served without its `Mcp-Method`, or with that of another.
async fn takes_all(peer: &mut Peer, method: Option<&str>) -> Result<bool, Stop> {
    let plain = Ask::harmless(peer)?;
    let varied = match method {
        Some(method) => plain.with("Mcp-Method", method),
        None => plain.without("Mcp-Method"),
    };
    Ok(took(&varied.send().await?) == Took::Served)
}

/// The plain header must not be refused for what it is, and neither must the same in Base64.
async fn name_base64(peer: &mut Peer) -> Outcome {
    let call = described(peer, "tools/call", json!({"name": NO_TOOL, "arguments": {}}))?;
    let plain = from_server(call.send().await?)?;
    if code_of(&plain) == Some(-32020) || !call.has("mcp-name") {
        return Err(Stop::Unproven(format!("the plain header is refused, too: {}", seen(&plain))));
    }
    let encoded = call.with("Mcp-Name", &encoded(NO_TOOL));
    let exchange = from_server(encoded.send().await?)?;
    if code_of(&exchange) == code_of(&plain) && exchange.status == plain.status {
        return Ok(());
    }
    let evidence = encoded.evidence(format!("the same as for the plain name: {}", seen(&plain)), &exchange);
    Err(evidence.detail(format!("the value is Base64 of {NO_TOOL:?}")).stop())
}

/// `name` in Base64, although a header could carry it.
fn encoded(name: &str) -> String {
    // The trailing blank makes the encoder encode; three bytes are four letters, so it is cut off with its letters.
    debug_assert_eq!(name.len() % 3, 0);
    let whole = header_value(&format!("{name}   "));
    whole.strip_suffix("ICAg?=").map(|front| format!("{front}?=")).unwrap_or(whole)
}

async fn values_case(peer: &mut Peer) -> Outcome {
    let plain = Ask::harmless(peer)?;
    plain.control().await?;
    let method = harmless(peer)?["method"].as_str().unwrap_or_default().to_uppercase();
    let loud = plain.with("Mcp-Method", &method);
    let exchange = from_server(loud.send().await?)?;
    match took(&exchange) {
        Took::Served
            if peer.judges("http-header-mismatch-refused") && takes_all(peer, Some(OTHER_METHOD)).await? =>
        {
            let why = "any other value is served as well; `http-header-mismatch-refused` says so";
            Err(Stop::Unproven(why.into()))
        }
        Took::Served => {
            Err(loud.evidence("a refusal: the values of these headers have a case", &exchange).stop())
        }
        Took::Refused => Ok(()),
        Took::Unclear(why) => Err(Stop::Unproven(why)),
    }
}

fn no_session(peer: &Peer) -> Outcome {
    first_of(peer, "no Mcp-Session-Id: this revision has no sessions", |exchange| {
        let stateless = exchange.sent_headers.iter().any(|(name, _)| name == "mcp-method");
        let minted = exchange.header("mcp-session-id").filter(|_| stateless)?;
        Some(format!("`Mcp-Session-Id: {minted}` on the answer"))
    })
}

/// Only for servers without sessions: those of both eras serve GET and DELETE to older clients.
async fn get_delete_gone(peer: &mut Peer) -> Outcome {
    let initialize = crate::opener::initialize_message(1, V2025_11_25.as_str());
    let older = Ask::post(peer.live()?, &initialize)?;
    if took(&older.send().await?) == Took::Served {
        return Err(Stop::NotApplicable("the server serves older clients, too".into()));
    }
    let plain = Ask::harmless(peer)?;
    for method in ["GET", "DELETE"] {
        let ask = plain.clone().method(method).header("accept", "text/event-stream").events(1);
        let ask = ask.within(std::time::Duration::from_secs(2));
        let exchange = from_server(ask.send().await?)?;
        if (200..300).contains(&exchange.status) || exchange.status >= 500 && exchange.status != 501 {
            return Err(ask.evidence("HTTP status 405: POST is the only method left", &exchange).stop());
        }
    }
    Ok(())
}

fn unbuffered(peer: &Peer) -> Outcome {
    let framing_judged = peer.judges("http-sse-framed");
    first_of(peer, "`X-Accel-Buffering: no` on event streams", |exchange| {
        let stateless = exchange.sent_headers.iter().any(|(name, _)| name == "mcp-method");
        let bare = exchange.header("x-accel-buffering").is_none_or(|value| !value.eq_ignore_ascii_case("no"));
        let is_stream = exchange.media_type() == "text/event-stream";
        let value = exchange.header("x-accel-buffering").unwrap_or("absent");
        // What is called a stream and is none has a check of its own.
        let is_stream = is_stream && (!framing_judged || raw_messages(exchange).is_empty());
        (stateless && is_stream && bare).then(|| format!("X-Accel-Buffering is {value}"))
    })
}
