//! Faults of Streamable HTTP without sessions: the headers that mirror the body, and the status codes.

use super::http_edit::{body_text, set_header};
use crate::fault::{Fault, Twist};
use serde_json::Value;
use transport::serve::{HttpAnswer, HttpBody, HttpRequest};

pub(super) const FAULTS: &[Fault] = &[
    http(
        "http-buffering-header-missing",
        "Leaves X-Accel-Buffering out of its streams, so that proxies hold events back.",
        Twist::HttpOut(|_, answer| answer.headers.retain(|(name, _)| name != "x-accel-buffering")),
    ),
    http(
        "http-header-base64-unread",
        "Compares names in Base64 with the body as they stand.",
        Twist::HttpIn(|request| {
            let name = request.header("mcp-name").filter(|name| name.starts_with("=?base64?"));
            if let Some(name) = name.map(|name| format!(" {name}")) {
                set_header(request, "mcp-name", Some(&name));
            }
        }),
    ),
    http(
        "http-header-mismatch-accepted",
        "Serves requests whose headers say something else than the body.",
        Twist::HttpIn(|request| mirror(request, false)),
    ),
    http(
        "http-header-mismatch-wrong-code",
        "Refuses headers that differ from the body with -32001, the code of a draft.",
        Twist::HttpOut(|_, answer| {
            if let Some(text) = body_text(answer).filter(|text| text.contains("-32020")) {
                answer.body = HttpBody::Whole(text.replace("-32020", "-32001").into_bytes());
            }
        }),
    ),
    http(
        "http-header-mismatch-wrong-status",
        "Refuses headers that differ from the body with status 200.",
        Twist::HttpOut(|_, answer| all_is_well(answer, 400, "-32020")),
    ),
    http(
        "http-header-missing-accepted",
        "Serves requests that lack the headers they must have.",
        Twist::HttpIn(|request| mirror(request, true)),
    ),
    http(
        "http-header-name-missing-accepted",
        "Serves calls that do not name their tool in a header.",
        Twist::HttpIn(|request| {
            if request.header("mcp-method").is_some() {
                mirror(request, true);
            }
        }),
    ),
    http(
        "http-header-values-caseless",
        "Takes Mcp-Method in any case.",
        Twist::HttpIn(|request| {
            let lower = request.header("mcp-method").map(str::to_lowercase);
            set_header(request, "mcp-method", lower.as_deref());
        }),
    ),
    http(
        "http-meta-missing-200",
        "Refuses requests that do not describe themselves with status 200.",
        Twist::HttpOut(|_, answer| all_is_well(answer, 400, "-32602")),
    ),
    http(
        "http-stateless-get-200",
        "Opens a stream on GET although there is none any more.",
        Twist::HttpOut(|request, answer| {
            if request.method == "GET" && answer.status == 405 {
                let body = HttpBody::Whole(b": nothing to say\n\n".to_vec());
                *answer = HttpAnswer::new(200, "text/event-stream", body);
            }
        }),
    ),
    http(
        "http-stateless-mints-session",
        "Gives out a session id although there are no sessions.",
        Twist::HttpOut(|request, answer| {
            if super::http_edit::is_posting(request) {
                answer.headers.push(("mcp-session-id".into(), "0123456789abcdef".into()));
            }
        }),
    ),
    http(
        "http-unknown-method-200-stateless",
        "Answers an unknown method with status 200 instead of 404.",
        Twist::HttpOut(|_, answer| all_is_well(answer, 404, "-32601")),
    ),
    http(
        "http-version-unsupported-200",
        "Refuses a revision with status 200 instead of 400.",
        Twist::HttpOut(|_, answer| all_is_well(answer, 400, "-32022")),
    ),
];

const fn http(id: &'static str, story: &'static str, twist: Twist) -> Fault {
    Fault::new(id, story, twist).stateless().on("http")
}

/// Says status 200 about an error of this code, which has the status `from`.
fn all_is_well(answer: &mut HttpAnswer, from: u16, code: &str) {
    if answer.status == from && body_text(answer).is_some_and(|text| text.contains(code)) {
        answer.status = 200;
    }
}

/// Writes the headers that the body demands: those that are missing, or those that differ.
fn mirror(request: &mut HttpRequest, missing: bool) {
    let body = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let version = body.pointer("/params/_meta").and_then(|meta| meta.get(crate::call::VERSION_KEY));
    let Some(version) = version.and_then(Value::as_str) else { return };
    let headers = [
        ("mcp-protocol-version", Some(version.to_owned())),
        ("mcp-method", text("/method")),
        ("mcp-name", text("/params/name").or_else(|| text("/params/uri"))),
    ];
    for (name, value) in headers {
        if request.header(name).is_none() == missing {
            set_header(request, name, value.as_deref());
        }
    }
}
