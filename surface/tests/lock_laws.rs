//! Surfaces and lockfiles with random damage are refused with a place or read; nothing panics.

#[path = "bodies/lock.rs"]
mod bodies;

use proptest::prelude::*;

const LISTS: &str = r#"{"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
 "tools": [{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b", "description": "é"}],
 "prompts": [{"name": "p"}], "resources": [{"uri": "file:///r"}], "resourceTemplates": [{"uriTemplate": "x:{y}"}]}"#;

fn lock() -> String {
    let surface = mcpproof_surface::read(LISTS).expect("a surface");
    mcpproof_surface::lock::render(&surface, &str::len).text
}

fn damaged(text: &str, at: usize, cut: usize, put: &str) -> String {
    let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (from, to) = (floor(at % (text.len() + 1)), floor((at % (text.len() + 1)) + cut));
    format!("{}{put}{}", &text[..from], &text[to.max(from)..])
}

#[test]
fn the_undamaged_texts_keep_the_laws() {
    bodies::lock(LISTS);
    bodies::lock(&lock());
    mcpproof_surface::lock::parse(&lock()).expect("a lockfile");
}

proptest! {
    #[test]
    fn damaged_texts_keep_the_laws(
        at in any::<usize>(),
        cut in 0..40_usize,
        put in prop::sample::select(vec!["", "\"", "{", "}", "[", "]", ",", "null", "1e999", "\\u0000", "<<<<<<< a\n", "/"]),
    ) {
        bodies::lock(&damaged(LISTS, at, cut, put));
        bodies::lock(&damaged(&lock(), at, cut, put));
    }

    #[test]
    fn any_text_keeps_the_laws(text in "\\PC*") {
        bodies::lock(&text);
    }
}
