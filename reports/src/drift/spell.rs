//! Spells what may come from a server: hidden characters as `[U+200B]`, and no more than a reader can take in.

use crate::plain::{is_hidden, plain_json};
use serde_json::Value;
use std::fmt::Write as _;

/// Tells whether `c` shows as nothing, beside what no terminal should see.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
            ..='\u{180f}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
    )
}

/// Spells out every hidden character of `text`, line ends included.
pub(crate) fn spell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) || is_blank(c) => _ = write!(out, "[U+{:04X}]", u32::from(c)),
            c => out.push(c),
        }
    }
    out
}

/// Spells the beginning of `text` in about `limit` characters, and says how long it is where that is not all.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    let head: String = text.chars().take(limit).collect();
    // Hidden characters are spelled in up to nine, so the limit holds for what is spelled as well.
    let spelled = spell(&head);
    if head.len() == text.len() && spelled.chars().count() <= limit.saturating_mul(2) {
        return spelled;
    }
    let shown: String = spelled.chars().take(limit).collect();
    format!("{shown}… ({} characters in all)", thousands(text.chars().count()))
}

/// Writes `value` as JSON on one line, in which hidden characters are escaped so that it can be copied.
pub(crate) fn compact(value: &Value) -> String {
    let json = plain_json(&surface::canonical(value));
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_blank(c) { _ = write!(out, "\\u{:04x}", u32::from(c)) } else { out.push(c) }
    }
    out
}

/// Writes a value for a reader: texts with their hidden characters spelled, all else as JSON.
pub(crate) fn value(value: &Value, limit: usize) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", clip(text, limit)),
        other => clip(&compact(other), limit),
    }
}

/// Writes a number with commas: `200,000`.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_seen_is_spelled() {
        assert_eq!(spell("a\u{200b}\x1b[1m\n\u{e0041}\u{3164}"), "a[U+200B][U+001B][1m\\n[U+E0041][U+3164]");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("abcd", 3), "abc… (4 characters in all)");
        assert_eq!(clip(&"x".repeat(200_000), 2), "xx… (200,000 characters in all)");
        assert!(clip(&"\u{e0041}".repeat(50), 50).chars().count() < 90);
    }

    #[test]
    fn json_can_be_copied() {
        let value = json!({ "b": "x\u{200b}\u{3164}", "a": 1.0 });
        assert_eq!(compact(&value), r#"{"a":1,"b":"x\u200b\u3164"}"#);
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!(
            [0, 999, 1000, 65_536, 1_234_567].map(thousands),
            ["0", "999", "1,000", "65,536", "1,234,567"]
        );
    }
}
