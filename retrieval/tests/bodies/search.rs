//! The laws of requests: whatever is asked, the answer is bounded, ordered, finite and the same again.

use mcpproof_retrieval::{Answer, Entry, Index, Kind, Method, Options, Query, Taste};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const LIMIT: usize = 3;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let tool = |source: &str, name: &str, description: &str| Entry {
        source: source.to_owned(),
        kind: Kind::Tool,
        name: name.to_owned(),
        title: None,
        description: description.to_owned(),
        input: json!({"type": "object", "properties": {"path": {"type": "string", "description": "Where it is"}}}),
        source_description: String::new(),
    };
    let entries = vec![
        tool("files", "read_file", "Reads a file from the disk."),
        tool("files", "readFile", "Reads a file from the disk."),
        tool("files", "writeFile", "Writes a file to the disk."),
        tool("web", "fetch-URL", "Gets a page of the web."),
        tool("web", "搜索", "使用必应搜索指定的关键词"),
        tool("nothing", "", ""),
    ];
    Index::build(entries, &Options::default())
});

fn ask(text: &str, method: Method) -> Answer {
    let query = Query { text, limit: LIMIT, sources: &[], kinds: &[], method };
    INDEX.search(&query, &Taste::default())
}

/// Asserts the laws for one text.
pub(crate) fn search(text: &str) {
    for method in [Method::Lexical, Method::Fused] {
        let answer = ask(text, method);
        assert!(answer.hits.len() <= LIMIT);
        assert!((0.0..=1.0).contains(&answer.confidence) && answer.margin.is_finite(), "{answer:?}");
        assert!(answer.hits.iter().all(|hit| hit.score.is_finite()), "{answer:?}");
        assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{answer:?}");
        let behind = answer.hits.iter().flat_map(|hit| hit.similar.iter().chain([&hit.entry]));
        let all: Vec<_> = behind.collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "an entry stands at one place only");
        assert_eq!(answer, ask(text, method));
    }
}
