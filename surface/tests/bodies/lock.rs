//! The laws that reading any text as a surface or a lockfile must keep, for the fuzz target and the property tests.

use mcpproof_surface::lock;

/// Asserts that what can be read can be written as a lockfile, and that this lockfile is read and written the same.
pub(crate) fn lock(text: &str) {
    let surfaces = [mcpproof_surface::read(text).ok(), lock::parse(text).ok()];
    for surface in surfaces.into_iter().flatten() {
        let written = lock::render(&surface, &str::len).text;
        let again = lock::parse(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(lock::render(&again, &str::len).text, written);
    }
}
