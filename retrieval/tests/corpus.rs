//! Replays the committed fuzz corpus through the bodies of the fuzz targets.

mod bodies;

use std::path::Path;

fn replay(target: &str, law: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut seen = 0;
    for item in std::fs::read_dir(&folder).expect("the corpus is committed") {
        law(&std::fs::read(item.expect("a file").path()).expect("it can be read"));
        seen += 1;
    }
    assert!(seen > 0, "{} is empty", folder.display());
}

#[test]
fn the_requests_of_the_corpus_keep_the_laws() {
    replay("search", |bytes| bodies::search(&String::from_utf8_lossy(bytes)));
}

#[test]
fn the_catalogs_of_the_corpus_keep_the_laws() {
    replay("catalog_import", bodies::catalog_import);
}

#[test]
fn a_long_request_keeps_the_laws() {
    bodies::search(&"please read the file at this path ".repeat(300));
    bodies::search(&"readFile".repeat(1500));
    bodies::search(&"搜索".repeat(2500));
    bodies::search("");
}
