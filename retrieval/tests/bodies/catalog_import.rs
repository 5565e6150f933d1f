//! The laws of catalog files: any bytes are refused with a place, or taken, and then written and read the same.

use mcpproof_retrieval::catalog::{Catalog, Lines, Taken, Twins};

/// Asserts the laws for one file.
pub(crate) fn catalog_import(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for twins in [Twins::Refuse, Twins::Number] {
        let Ok(lines) = Lines::read("fuzz", &text, twins) else { continue };
        let written = Lines::write(&lines.entries, &lines.wishes);
        let again = Lines::read("again", &written, Twins::Refuse)
            .unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!((&again.entries, &again.wishes), (&lines.entries, &lines.wishes));
        if lines.entries.is_empty() && lines.wishes.is_empty() {
            continue;
        }
        let mut catalog = Catalog::in_memory().expect("memory is there");
        if catalog.import(&lines.sources(), &lines.wishes, Taken::Refuse, 0).is_ok() {
            assert_eq!(catalog.entries().expect("what was written can be read"), lines.entries);
            catalog.fts_search(&text, 5).expect("no text is syntax");
        }
    }
}
