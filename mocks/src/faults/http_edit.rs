//! What the closures of the HTTP faults share.

use transport::serve::{HttpAnswer, HttpBody, HttpRequest};

/// Tells a POST to Streamable HTTP.
pub(super) fn is_posting(request: &HttpRequest) -> bool {
    request.method == "POST" && request.path.starts_with("/mcp")
}

/// Gives a header another value, or takes it away.
pub(super) fn set_header(request: &mut HttpRequest, name: &str, value: Option<&str>) {
    request.headers.retain(|(known, _)| known != name);
    request.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
}

/// Gives the answer another content type.
pub(super) fn set_content_type(answer: &mut HttpAnswer, value: &str) {
    answer.headers.retain(|(name, _)| name != "content-type");
    answer.headers.push(("content-type".to_owned(), value.to_owned()));
}

/// The body of an answer that comes as a whole.
pub(super) fn body_text(answer: &HttpAnswer) -> Option<String> {
    match &answer.body {
        HttpBody::Whole(bytes) if !bytes.is_empty() => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}
