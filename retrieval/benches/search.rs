//! How long searching and indexing take. `cargo bench -p mcpproof-retrieval --bench search`; with a set of queries in
//! MCPPROOF_RETRIEVAL_DATA, its catalog and requests stand for the made ones of the smaller size.

mod made;

use criterion::{Criterion, criterion_group, criterion_main};
use mcpproof_retrieval::embed::StaticTable;
use mcpproof_retrieval::eval::{Source, read_set};
use mcpproof_retrieval::{Entry, Index, Method, Options, Query, Taste};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

const SMALL: usize = 4_000;
const LARGE: usize = 100_000;

/// A catalog and what is asked of it.
struct Asked {
    entries: Vec<Entry>,
    requests: Vec<String>,
}

fn made(count: usize) -> Asked {
    let entries: Vec<Entry> = made::tools(count).collect();
    let descriptions: Vec<&str> = entries.iter().map(|entry| entry.description.as_str()).collect();
    let requests = made::requests(&descriptions, 200);
    Asked { entries, requests }
}

/// The set of the environment, where there is one.
fn given() -> Option<Asked> {
    let folder = PathBuf::from(std::env::var_os("MCPPROOF_RETRIEVAL_DATA")?);
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a set has both files");
    let (catalog, queries) = (text("catalog.jsonl"), text("queries.jsonl"));
    let catalog = Source { file: "catalog.jsonl", text: &catalog };
    let set =
        read_set("given", catalog, Source { file: "queries.jsonl", text: &queries }).expect("it is right");
    let requests = set.cases.into_iter().map(|case| case.text).collect();
    Some(Asked { entries: set.entries, requests })
}

fn with_vectors() -> Options<'static> {
    Options { embedder: Some(Arc::new(StaticTable::built_in())), ..Options::default() }
}

fn search(c: &mut Criterion, name: &str, asked: &Asked, method: Method, options: &Options<'_>) {
    let index = Index::build(asked.entries.clone(), options);
    let taste = Taste::default();
    let mut at = 0;
    c.bench_function(name, |b| {
        b.iter(|| {
            at = (at + 1) % asked.requests.len();
            let query = Query { text: &asked.requests[at], limit: 10, sources: &[], kinds: &[], method };
            index.search(black_box(&query), &taste)
        });
    });
}

fn benches(c: &mut Criterion) {
    let small = given().unwrap_or_else(|| made(SMALL));
    search(c, "lexical_4k", &small, Method::Lexical, &Options::default());
    search(c, "fused_4k", &small, Method::Fused, &with_vectors());
    let mut slow = c.benchmark_group("index");
    slow.sample_size(10);
    slow.bench_function("index_build_4k", |b| {
        b.iter_with_setup(|| small.entries.clone(), |entries| Index::build(entries, &Options::default()));
    });
    slow.finish();
    search(c, "fused_100k", &made(LARGE), Method::Fused, &with_vectors());
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(50);
    targets = benches
}
criterion_main!(all);
