//! Faults of HTTP+SSE.

use crate::fault::{Fault, Twist};
use serde_json::Value;
use specs::{Revision, Revisions};

pub(super) const FAULTS: &[Fault] = &[
    sse(
        "sse-endpoint-foreign",
        "Sends the client to another server to post its messages.",
        Twist::Event(|address, bytes| {
            if address.is_string() {
                *bytes = b"event: endpoint\ndata: http://elsewhere.invalid/messages\n\n".to_vec();
            }
        }),
    ),
    sse(
        "sse-endpoint-late-message",
        "Sends a message before it says where to post.",
        Twist::Event(|address, bytes| {
            if address.is_string() {
                let ping = br#"event: message
data: {"jsonrpc":"2.0","id":"early-1","method":"ping"}

"#;
                bytes.splice(0..0, *ping);
            }
        }),
    ),
    sse(
        "sse-endpoint-missing",
        "Opens its stream with pings and never says where to post.",
        Twist::Event(|address, bytes| {
            if address.is_string() {
                *bytes = b": ping\n\n: ping\n\n".to_vec();
            }
        }),
    ),
    sse(
        "sse-message-type-wrong",
        "Sends its messages as events of a type of its own.",
        Twist::Event(|message, bytes| {
            if let (false, Some(rest)) =
                (matches!(message, Value::String(_)), bytes.strip_prefix(b"event: message"))
            {
                *bytes = [b"event: mcp".as_slice(), rest].concat();
            }
        }),
    ),
    sse(
        "sse-origin-unchecked",
        "Opens its stream for any web page.",
        Twist::HttpIn(|request| super::http_edit::set_header(request, "origin", None)),
    ),
];

const fn sse(id: &'static str, story: &'static str, twist: Twist) -> Fault {
    Fault::new(id, story, twist).within(Revisions::only(Revision::V2024_11_05)).on("sse")
}
