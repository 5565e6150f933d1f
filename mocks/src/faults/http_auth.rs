//! Faults of servers that want authorization: where they say that tokens come from.

use super::http_edit::is_posting;
use crate::fault::{Fault, Twist};
use serde_json::json;
use specs::{Revision, Revisions};
use transport::serve::{HttpAnswer, HttpBody, HttpRequest};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

pub(super) const FAULTS: &[Fault] = &[
    auth(
        "auth-metadata-missing",
        "Lets nobody in and does not say where to get a token.",
        Twist::HttpOut(|request, answer| {
            if is_posting(request) {
                *answer = HttpAnswer::empty(401);
            }
        }),
    )
    .within(Revisions::between(Revision::V2025_11_25, Revision::V2025_11_25)),
    auth(
        "auth-resource-mismatch",
        "Says of its whole origin where to get a token, so that clients drop the document.",
        Twist::HttpOut(|request, answer| {
            let origin = format!("http://{}", request.header("host").unwrap_or_default());
            if is_posting(request) {
                let challenge = format!("Bearer resource_metadata=\"{origin}{WELL_KNOWN}/mcp\"");
                *answer = HttpAnswer::empty(401).with("www-authenticate", &challenge);
            } else if is_metadata(request) {
                let document = json!({"resource": origin, "authorization_servers": [origin]}).to_string();
                *answer = HttpAnswer::new(200, "application/json", HttpBody::Whole(document.into_bytes()));
            }
        }),
    ),
];

const fn auth(id: &'static str, story: &'static str, twist: Twist) -> Fault {
    let revisions = Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25);
    Fault::new(id, story, twist).within(revisions).on("http")
}

fn is_metadata(request: &HttpRequest) -> bool {
    request.method == "GET" && request.path.starts_with(WELL_KNOWN)
}
