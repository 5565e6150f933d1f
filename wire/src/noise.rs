//! Names what a line is that is not JSON, so that a reader sees at once where it came from.

use crate::deviation::{Deviation, DeviationKind as Kind};
use crate::envelope::count;
use crate::json::{BOM, Fault, FaultKind, quoted};

/// Bytes that are looked at; what a line is shows at its start.
const LOOK: usize = 400;

/// Describes a line in which reading JSON stopped at `fault`.
pub(crate) fn describe(raw: &[u8], fault: Fault) -> Deviation {
    let bytes = raw.strip_prefix(BOM).unwrap_or(raw);
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOK)]);
    let text = text.trim_start();
    if text.get(..15).is_some_and(|name| name.eq_ignore_ascii_case("content-length:")) {
        return Deviation::new(
            Kind::ContentLengthFraming,
            format!("{} is a header as in LSP", quoted(text.trim())),
        );
    }
    let detail = if let Some(known) = known(raw, text) {
        format!("{known}: {}", quoted(text))
    } else if looks_like_json(text) {
        broken_json(raw, fault)
    } else {
        format!("plain text: {}", quoted(text))
    };
    Deviation::new(Kind::NotJson, detail).at(fault.offset)
}

/// Tells JSON with a fault in it from a log line such as `[info] ready`.
fn looks_like_json(text: &str) -> bool {
    let inner = text.trim_start_matches('[').trim();
    text.starts_with('{') || (text.starts_with('[') && (inner.is_empty() || inner.starts_with(['{', '"'])))
}

fn known(raw: &[u8], text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let opens = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    Some(
        if raw.starts_with(b"\xFF\xFE")
            || raw.starts_with(b"\xFE\xFF")
            || matches!(raw, [_, 0, ..] | [0, _, ..])
        {
            "text in UTF-16 or binary bytes"
        } else if text.starts_with("\u{1b}[") {
            "a log line with ANSI colours"
        } else if opens(&["<!doctype html", "<html", "<head", "<body", "</html"]) {
            "HTML"
        } else if opens(&["<?xml"]) {
            "XML"
        } else if text.starts_with("HTTP/1.") || text.starts_with("HTTP/2") {
            "an HTTP status line"
        } else if opens(&["data:", "event:"]) {
            "a line of server-sent events"
        } else if text.starts_with("Traceback (most recent call last)") || python_frame(text) {
            "a Python traceback"
        } else if node_frame(text) {
            "a Node.js stack trace"
        } else if text.starts_with("(node:") {
            "a Node.js warning"
        } else if text.starts_with("thread '") && text.contains("panicked at") {
            "a Rust panic"
        } else if text.starts_with("{'") || text.starts_with("[{'") {
            "a Python dict printed with single quotes"
        } else if js_object(text) {
            "a JavaScript object printed without quotes around its names"
        } else {
            return None;
        },
    )
}

fn python_frame(text: &str) -> bool {
    text.starts_with("File \"") && text.contains("\", line ")
}

fn node_frame(text: &str) -> bool {
    let place = text.trim_end().trim_end_matches(')');
    let digits_end = place.ends_with(|char: char| char.is_ascii_digit());
    text.starts_with("at ") && (place.contains("node:") || (place.contains(':') && digits_end))
}

fn js_object(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('{') else { return false };
    let Some((name, _)) = inner.split_once(':') else { return false };
    let name = name.trim();
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '$')
}

fn broken_json(raw: &[u8], fault: Fault) -> String {
    let Fault { kind, offset, expected } = fault;
    match kind {
        FaultKind::Truncated => {
            format!("JSON that ends too early: after {} {expected} should follow", count(offset, "byte"))
        }
        FaultKind::TooDeep => {
            format!("JSON nested too deep to follow: more than {expected} at byte {offset}")
        }
        FaultKind::Malformed => {
            let rest = raw.get(offset..).unwrap_or_default();
            let found = String::from_utf8_lossy(&rest[..rest.len().min(24)]);
            format!("broken JSON: at byte {offset} {expected} should stand, not {}", quoted(&found))
        }
    }
}
