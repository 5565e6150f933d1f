//! Feeds two schemas to their comparison; the laws stand with the tests of surface.

#![no_main]

#[path = "../../surface/tests/bodies/schema.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|text: &str| bodies::schemas(text));
