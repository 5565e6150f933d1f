//! Cassettes with random damage are refused with a place or played; nothing panics.

mod bodies;

use proptest::prelude::*;

const TEXT: &str = r#"{"cassette": 1, "conversations": [
  {"revisions": ["2025-11-25"], "opening": {"method": "initialize", "result": {"capabilities": {"tools": {}}}},
   "exchanges": [
     {"method": "tools/list", "params": {"cursor": "a"}, "result": {"tools": [{"name": "x"}, 1.5, null]}},
     {"name": "n", "method": "tools/call", "params": {"name": "x", "arguments": {"a": [1, 2]}},
      "error": {"code": -1, "message": "one\ntwo"}, "redacted": ["/params/arguments/a/*", "/error/message"]}
   ]}]}"#;

#[test]
fn the_undamaged_text_keeps_the_laws() {
    mcpproof_surface::cassette::Cassette::parse(TEXT).expect("a cassette");
    bodies::cassette(TEXT);
}

proptest! {
    #[test]
    fn damaged_texts_keep_the_laws(
        at in 0..TEXT.len(),
        cut in 0..40_usize,
        put in prop::sample::select(vec!["", "\"", "{", "}", "[", "]", ",", "null", "1e999", "\\u0000", "-", "\"*\"", "/"]),
    ) {
        let end = (at + cut).min(TEXT.len());
        bodies::cassette(&format!("{}{put}{}", &TEXT[..at], &TEXT[end..]));
    }

    #[test]
    fn any_text_keeps_the_laws(text in "\\PC*") {
        bodies::cassette(&text);
    }
}
