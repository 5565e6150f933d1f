//! The headers that the protocol puts on a POST, and how values are written that a header cannot carry.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use specs::Revision;
use wire::{Frame, Message, Value};

/// Writes `text` as the value of `Mcp-Name` or `Mcp-Param-*`: as it is where a header can carry it, else in base64.
///
/// Spec 2026-07-28, transports: outside visible ASCII, with blanks at its edges, or looking like the encoded form.
pub fn header_value(text: &str) -> String {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text;
    if plain && !(text.starts_with("=?base64?") && text.ends_with("?=")) {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    }
}

/// What a client that speaks `revision` in `session` puts on the POST of `frame`.
pub(super) fn of_post(
    frame: &Frame,
    revision: Option<Revision>,
    session: Option<&str>,
) -> Vec<(String, String)> {
    let mut headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
    ];
    // The handshake comes before there is a session or a version.
    if is_initialize(frame) {
        return headers;
    }
    headers.extend(of_conversation(revision, session));
    if revision.is_some_and(Revision::is_stateless)
        && let Some((method, params)) = method_of(frame)
    {
        headers.push(("mcp-method".to_owned(), method.to_owned()));
        let name = named_by(method).and_then(|member| params?.get(member)?.as_str());
        headers.extend(name.map(|name| ("mcp-name".to_owned(), header_value(name))));
    }
    headers
}

/// What every request of a conversation carries once it is under way.
pub(super) fn of_conversation(revision: Option<Revision>, session: Option<&str>) -> Vec<(String, String)> {
    let version = revision.filter(|revision| revision.has_version_header());
    let version = version.map(|version| ("mcp-protocol-version".to_owned(), version.to_string()));
    let session = session.map(|session| ("mcp-session-id".to_owned(), session.to_owned()));
    session.into_iter().chain(version).collect()
}

/// Tells whether the frame opens a conversation.
pub(super) fn is_initialize(frame: &Frame) -> bool {
    method_of(frame).is_some_and(|(method, _)| method == "initialize")
}

/// Tells whether an answer with a message is due.
pub(super) fn wants_answer(frame: &Frame) -> bool {
    match &frame.message {
        Message::Request(_) | Message::Other(_) | Message::Noise => true,
        Message::Batch(all) => all.iter().any(|message| matches!(message, Message::Request(_))),
        Message::Notification(_) | Message::Response(_) => false,
    }
}

/// Replaces the headers of `headers` that `overriding` names, and adds the others.
pub(super) fn merge(headers: &mut Vec<(String, String)>, overriding: &[(String, String)]) {
    headers.retain(|(name, _)| !overriding.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    headers.extend(overriding.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
}

fn method_of(frame: &Frame) -> Option<(&str, Option<&Value>)> {
    match &frame.message {
        Message::Request(request) => Some((&request.method, request.params.as_ref())),
        Message::Notification(notification) => Some((&notification.method, notification.params.as_ref())),
        _ => None,
    }
}

/// The member of `params` that `Mcp-Name` mirrors.
fn named_by(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_header_cannot_carry_are_encoded() {
        assert_eq!(header_value("get_weather"), "get_weather");
        assert_eq!(header_value("two words"), "two words");
        assert_eq!(header_value(" edge"), "=?base64?IGVkZ2U=?=");
        assert_eq!(header_value("é"), "=?base64?w6k=?=");
        assert_eq!(header_value("a\r\nb"), "=?base64?YQ0KYg==?=");
        assert_eq!(header_value("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
    }

    #[test]
    fn a_stateless_request_mirrors_its_method_and_name() {
        let call = Frame::read(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#);
        let stateless = of_post(&call, Some(Revision::NEWEST_STATELESS), None);
        let has = |name: &str, value: &str| stateless.iter().any(|(n, v)| n == name && v == value);
        assert!(has("mcp-method", "tools/call") && has("mcp-name", "x"));
        assert!(has("mcp-protocol-version", Revision::NEWEST_STATELESS.as_str()));
        let older = of_post(&call, Some(Revision::NEWEST_WITH_HANDSHAKE), Some("s1"));
        assert!(!older.iter().any(|(name, _)| name == "mcp-method"));
        assert!(older.contains(&("mcp-session-id".to_owned(), "s1".to_owned())));
    }

    #[test]
    fn given_headers_replace_ours() {
        let mut headers = vec![("accept".to_owned(), "a".to_owned()), ("x".to_owned(), "1".to_owned())];
        merge(&mut headers, &[("Accept".to_owned(), "b".to_owned())]);
        assert_eq!(headers, [("x".to_owned(), "1".to_owned()), ("accept".to_owned(), "b".to_owned())]);
    }
}
