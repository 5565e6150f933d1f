//! Faults of Streamable HTTP: security, sessions, status codes and content types.

use super::http_edit::{body_text, is_posting, set_content_type, set_header};
use crate::fault::{Fault, Twist};
use serde_json::{Value, json};
use specs::{Revision, Revisions};
use transport::serve::{HttpAnswer, HttpBody};

const SESSIONS: Revisions = Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25);
const VERSIONED: Revisions = Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25);

pub(super) const FAULTS: &[Fault] = &[
    http(
        "http-accept-order",
        "Takes one spelling of Accept only and refuses the same types in another order.",
        Twist::HttpIn(|request| {
            let expected = "application/json, text/event-stream";
            if is_posting(request) && request.header("accept") != Some(expected) {
                set_header(request, "accept", Some("none/none"));
            }
        }),
    ),
    http(
        "http-bad-json-500",
        "Fails with status 500 when the body is not JSON.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && serde_json::from_slice::<Value>(&request.body).is_err() {
                *answer = HttpAnswer::empty(500);
            }
        }),
    ),
    http(
        "http-batch-500",
        "Fails with status 500 when the body is an array.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && request.body.first() == Some(&b'[') {
                *answer = HttpAnswer::empty(500);
            }
        }),
    ),
    http(
        "http-content-type-missing",
        "Answers requests without a Content-Type.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && answer.status == 200 {
                answer.headers.retain(|(name, _)| name != "content-type");
            }
        }),
    ),
    http(
        "http-content-type-wrong",
        "Answers requests with JSON that it calls plain text.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && answer.status == 200 && body_text(answer).is_some() {
                set_content_type(answer, "text/plain");
            }
        }),
    ),
    http(
        "http-delete-500",
        "Fails with status 500 when a client ends its session.",
        Twist::HttpOut(|request, answer| {
            if request.method == "DELETE" && answer.status == 204 {
                answer.status = 500;
            }
        }),
    )
    .within(SESSIONS),
    http(
        "http-get-html",
        "Answers a GET with a page for people instead of a stream or 405.",
        Twist::HttpOut(|request, answer| {
            if request.method == "GET" {
                let page = HttpBody::Whole(b"<html><body>It works.</body></html>".to_vec());
                *answer = HttpAnswer::new(200, "text/html", page);
            }
        }),
    )
    .within(SESSIONS),
    http(
        "http-host-unchecked",
        "Serves requests for any host name, so that a web page can rebind its own name to it.",
        Twist::HttpIn(|request| set_header(request, "host", Some("localhost"))),
    ),
    http(
        "http-notification-200",
        "Answers a notification with status 200 and an error.",
        Twist::HttpOut(|_, answer| {
            if answer.status == 202 {
                let error = json!({"code": -32601, "message": "Method not found"});
                let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
                *answer = HttpAnswer::new(200, "application/json", HttpBody::Whole(body.into_bytes()));
            }
        }),
    ),
    http(
        "http-notification-204",
        "Answers a notification with status 204 instead of 202.",
        Twist::HttpOut(|_, answer| {
            if answer.status == 202 {
                answer.status = 204;
            }
        }),
    ),
    http(
        "http-origin-null",
        "Serves requests of pages that have no origin, as any page in a sandbox is.",
        Twist::HttpIn(|request| {
            if request.header("origin") == Some("null") {
                set_header(request, "origin", None);
            }
        }),
    ),
    http(
        "http-origin-prefix",
        "Takes any Origin that begins like that of this machine.",
        Twist::HttpIn(|request| {
            if request.header("origin").is_some_and(|origin| origin.starts_with("http://localhost")) {
                set_header(request, "origin", None);
            }
        }),
    ),
    http(
        "http-origin-unchecked",
        "Serves requests from any web page.",
        Twist::HttpIn(|request| set_header(request, "origin", None)),
    ),
    http(
        "http-origin-wrong-status",
        "Refuses requests from foreign web pages with status 400 instead of 403.",
        Twist::HttpOut(|request, answer| {
            if request.header("origin").is_some() && answer.status == 403 {
                answer.status = 400;
            }
        }),
    )
    .since(Revision::V2025_11_25),
    http(
        "http-put-served",
        "Takes a PUT for a POST.",
        Twist::HttpOut(|request, answer| {
            if request.method == "PUT" {
                *answer = HttpAnswer::new(200, "application/json", HttpBody::Whole(b"{}".to_vec()));
            }
        }),
    ),
    http(
        "http-session-after-delete-alive",
        "Says that a session has ended and goes on serving it.",
        Twist::All(&[
            Twist::HttpIn(|request| {
                if request.method == "DELETE" {
                    request.method = "OPTIONS".to_owned();
                }
            }),
            Twist::HttpOut(|request, answer| {
                if request.method == "DELETE" && answer.status == 405 {
                    *answer = HttpAnswer::empty(204);
                }
            }),
        ]),
    )
    .within(SESSIONS),
    http(
        "http-session-gone-status",
        "Answers with status 503 when it does not know the session, so that clients try again for ever.",
        Twist::HttpOut(|request, answer| {
            if request.header("mcp-session-id").is_some() && answer.status == 404 {
                answer.status = 503;
            }
        }),
    )
    .within(SESSIONS),
    http(
        "http-session-id-not-ascii",
        "Gives out session ids with an accent.",
        Twist::All(&[
            Twist::HttpOut(|_, answer| {
                for (_, id) in answer.headers.iter_mut().filter(|(name, _)| name == "mcp-session-id") {
                    id.push('é');
                }
            }),
            Twist::HttpIn(|request| {
                let id = request.header("mcp-session-id").map(|id| id.trim_end_matches('é').to_owned());
                set_header(request, "mcp-session-id", id.as_deref());
            }),
        ]),
    )
    .within(SESSIONS),
    http(
        "http-session-missing-accepted",
        "Opens a session for whoever comes without one, whatever they ask.",
        Twist::HttpOut(|request, answer| {
            let lost = answer.status == 400 && request.header("mcp-session-id").is_none();
            let body = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
            if lost && body["method"] == "tools/list" {
                let reply = json!({"jsonrpc": "2.0", "id": body["id"], "result": {"tools": []}}).to_string();
                *answer = HttpAnswer::new(200, "application/json", HttpBody::Whole(reply.into_bytes()));
            }
        }),
    )
    .within(SESSIONS),
    http(
        "http-session-unknown-status",
        "Fails with status 500 on a session id that is not of the form it gives out.",
        Twist::HttpOut(|request, answer| {
            let own = |id: &str| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            if request.header("mcp-session-id").is_some_and(|id| !own(id)) && answer.status == 404 {
                answer.status = 500;
            }
        }),
    )
    .within(SESSIONS),
    http(
        "http-sse-data-not-json",
        "Opens each event stream with an event that is no message.",
        Twist::Event(|_, bytes| {
            bytes.splice(0..0, *b"event: message\ndata: connected\n\n");
        }),
    ),
    http(
        "http-sse-event-named",
        "Sends its messages as events of another name than message.",
        Twist::Event(|_, bytes| {
            if let Some(rest) = bytes.strip_prefix(b"event: message\n") {
                *bytes = [b"event: response\n", rest].concat();
            }
        }),
    ),
    http(
        "http-sse-other-request-answer",
        "Sends the answer to another request on the stream of this one.",
        Twist::Event(|message, bytes| {
            if message.get("result").is_some() {
                let other = json!({"jsonrpc": "2.0", "id": "another", "result": {"resultType": "complete"}});
                bytes.splice(0..0, format!("event: message\ndata: {other}\n\n").into_bytes());
            }
        }),
    ),
    http(
        "http-sse-raw-json",
        "Calls an event stream what is plain JSON.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && answer.status == 200 && body_text(answer).is_some() {
                set_content_type(answer, "text/event-stream");
            }
        }),
    ),
    http(
        "http-sse-unterminated",
        "Ends its event streams without the blank line that makes an event.",
        Twist::Event(|message, bytes| {
            if message.get("result").is_some() {
                bytes.pop();
            }
        }),
    ),
    http(
        "http-version-header-ignored",
        "Serves requests whatever MCP-Protocol-Version says.",
        Twist::HttpIn(|request| {
            let version = request.header("mcp-protocol-version").map(str::parse::<Revision>);
            if version.is_some_and(|version| version.is_err()) {
                set_header(request, "mcp-protocol-version", None);
            }
        }),
    )
    .within(VERSIONED),
    http(
        "http-version-header-required",
        "Refuses requests without MCP-Protocol-Version, the first one included.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) && request.header("mcp-protocol-version").is_none() {
                let reason = b"MCP-Protocol-Version is required".to_vec();
                *answer = HttpAnswer::new(400, "text/plain", HttpBody::Whole(reason));
            }
        }),
    )
    .within(SESSIONS),
];

const fn http(id: &'static str, story: &'static str, twist: Twist) -> Fault {
    Fault::new(id, story, twist).since(Revision::V2025_03_26).on("http")
}
