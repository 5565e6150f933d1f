//! Asks an index a text; the laws stand with the tests of retrieval.

#![no_main]

#[path = "../../retrieval/tests/bodies/search.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|text: &str| bodies::search(text));
