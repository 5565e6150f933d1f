//! Reads bytes as a file of a catalog; the laws stand with the tests of retrieval.

#![no_main]

#[path = "../../retrieval/tests/bodies/catalog_import.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::catalog_import(bytes));
