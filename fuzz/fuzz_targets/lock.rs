//! Feeds a text to the readers of surfaces and lockfiles; the laws stand with the tests of surface.

#![no_main]

#[path = "../../surface/tests/bodies/lock.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|text: &str| bodies::lock(text));
