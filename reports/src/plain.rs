//! Makes words from outside harmless: what a terminal would obey or an eye would not see is spelled out.

use std::fmt::Write as _;

/// Tells whether `c` moves a cursor, reorders text or shows as nothing.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Spells out every hidden character of `text`, line ends included: `\n`, `\x1b`, `\u{202e}`.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if !is_hidden(c) => out.push(c),
            c if c.is_ascii() => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c => _ = write!(out, "\\u{{{:x}}}", u32::from(c)),
        }
    }
    out
}

/// The lines of `text`, each made harmless; tabs become spaces.
pub(crate) fn plain_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| plain(&line.replace('\t', "    "))).collect()
}

/// Escapes hidden characters inside the strings of a JSON document that is indented by spaces.
pub(crate) fn plain_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(
            plain("a\x1b[31mred\r\n\u{202e}x\u{9b}\u{7f}\0"),
            r"a\x1b[31mred\r\n\u{202e}x\u{9b}\x7f\x00"
        );
        assert_eq!(plain("naïve 日本 ok"), "naïve 日本 ok");
        assert_eq!(plain_lines("a\tb\nc\x07"), ["a    b", r"c\x07"]);
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "a": "x\u{1b}\u{9b}\u{202e}\u{e0041}\n" });
        let text = plain_json(&serde_json::to_string_pretty(&value).expect("a value prints"));
        assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{e0041}']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("still JSON"), value);
    }
}
