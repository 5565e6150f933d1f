//! What the headers of a request say, and whether they agree with its body.

use crate::call::VERSION_KEY;
use crate::problem::Problem;
use serde_json::Value;
use specs::Revision;
use transport::serve::HttpRequest;

/// Tells whether a browser on this machine, or no browser, sent the request.
pub(super) fn is_local(request: &HttpRequest) -> bool {
    let host = request.header("host").is_none_or(is_local_host);
    let origin = request.header("origin").is_none_or(|origin| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(is_local_host)
    });
    host && origin
}

fn is_local_host(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| host.eq_ignore_ascii_case(known));
    local && port.chars().all(|c| c.is_ascii_digit())
}

/// Tells whether `Accept` takes answers of this media type.
pub(super) fn accepts(request: &HttpRequest, media_type: &str) -> bool {
    let kind = media_type.split('/').next().unwrap_or_default();
    let all = request.headers.iter().filter(|(name, _)| name == "accept");
    all.flat_map(|(_, value)| value.split(',')).any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        range == media_type || range == "*/*" || range == format!("{kind}/*")
    })
}

/// Tells whether the body is said to be JSON.
pub(super) fn brings_json(request: &HttpRequest) -> bool {
    let value = request.header("content-type").unwrap_or_default();
    let media_type = value.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

/// Tells whether the headers name a revision without a handshake.
pub(super) fn is_stateless(request: &HttpRequest) -> bool {
    let version = request.header("mcp-protocol-version").and_then(|text| text.parse::<Revision>().ok());
    version.is_some_and(Revision::is_stateless)
}

/// Says how the headers of a stateless request differ from its body.
pub(super) fn mismatch(request: &HttpRequest, body: &Value) -> Option<Problem> {
    let version = body.pointer("/params/_meta").and_then(|meta| meta.get(VERSION_KEY));
    let method = body["method"].as_str()?;
    let name = match method {
        "tools/call" | "prompts/get" => body.pointer("/params/name"),
        "resources/read" => body.pointer("/params/uri"),
        _ => None,
    };
    let differs = |header: &'static str, wanted: Option<&str>| match (request.header(header), wanted) {
        (None, _) => Some(format!("{header} is missing")),
        (Some(value), Some(wanted)) if decoded(header, value).as_deref() != Some(wanted) => {
            Some(format!("{header} does not agree with the body"))
        }
        _ => None,
    };
    let why = differs("mcp-protocol-version", version.and_then(Value::as_str))
        .or_else(|| differs("mcp-method", Some(method)))
        .or_else(|| differs("mcp-name", Some(name?.as_str()?)))?;
    Some(Problem::new(-32020, format!("Header mismatch: {why}")))
}

/// The value behind a header; only names may stand in Base64.
fn decoded(header: &str, value: &str) -> Option<String> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) if header == "mcp-name" => String::from_utf8(base64(encoded)?).ok(),
        _ => Some(value.to_owned()),
    }
}

/// Decodes Base64 with padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=').bytes();
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for digit in digits {
        let value = ALPHABET.iter().position(|known| *known == digit)?;
        bits = (bits << 6 | value as u32) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_back_what_was_encoded() {
        assert_eq!(base64("bm90ZTovLy9hcHBsZQ=="), Some(b"note:///apple".to_vec()));
        assert_eq!(base64("w6k="), Some("é".as_bytes().to_vec()));
        assert_eq!((base64("abc"), base64("a-c=")), (None, None));
    }

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:80", "127.0.0.1:9", "[::1]:8080", "[::1]"] {
            assert!(is_local_host(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "localhost:x", ""]
        {
            assert!(!is_local_host(host), "{host}");
        }
    }
}
