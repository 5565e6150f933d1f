//! Replays the committed fuzz corpus through the bodies of the fuzz targets.

mod bodies;

use std::fs;
use std::path::Path;

fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).expect("the corpus is committed");
    let streams: Vec<_> = files.map(|file| fs::read(file.expect("a readable entry").path())).collect();
    assert!(streams.len() >= 20, "the corpus of {target} has {} files", streams.len());
    for stream in streams {
        body(&stream.expect("a readable file"));
    }
}

#[test]
fn the_corpus_of_wire_line_keeps_the_laws() {
    replay("wire_line", bodies::wire_line);
}

#[test]
fn the_corpus_of_sse_keeps_the_laws() {
    replay("sse", bodies::sse);
}
