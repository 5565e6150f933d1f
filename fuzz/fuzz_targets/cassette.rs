//! Feeds a text to the reader of cassettes and plays what it is; the laws stand with the tests of surface.

#![no_main]

#[path = "../../surface/tests/bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|text: &str| bodies::cassette(text));
