//! Feeds a stream of server-sent events to its reader; the laws stand with the tests of wire.

#![no_main]

#[expect(dead_code, reason = "each target uses one body")]
#[path = "../../wire/tests/bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|stream: &[u8]| bodies::sse(stream));
