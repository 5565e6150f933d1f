//! The official Rust SDK as an independent peer: a server on it is clean, or each finding is explained here.

#[path = "../examples/rmcp_server.rs"]
#[expect(dead_code, reason = "its main is for the example")]
mod rmcp_server;

use checks::{Event, RunOptions, Verdict};
use rmcp::ServiceExt;
use rmcp_server::Abacus;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use transport::{InProcess, Target};

/// Findings on a server of the SDK, each with the reason why it is true.
const EXPLAINED: &[(&str, &str)] = &[
    (
        "jsonrpc-batch-answered",
        "2025-03-26 says that batches MUST be received; the SDK refuses the array with -32600",
    ),
    ("jsonrpc-parse-error", "the SDK logs a line that is not JSON and says nothing on the wire"),
    ("pagination-unknown-cursor", "the tool router gives no cursors and does not look at those it gets"),
    (
        "stateless-server-info",
        "results other than that of server/discover carry no serverInfo, which is a SHOULD",
    ),
];

fn abacus() -> Target {
    Target::InProcess(InProcess(Arc::new(|| {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            if let Ok(service) = Abacus::default().serve(theirs).await {
                // How the service ends is for the checker to judge.
                drop(service.waiting().await);
            }
        });
        let (read, write) = tokio::io::split(ours);
        (Box::new(read), Box::new(write))
    })))
}

#[test]
fn a_server_on_the_official_sdk_has_explained_findings_only() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let options = RunOptions::default();
    let report = runtime.block_on(async { checks::run(&abacus(), &options, &|_: Event| {}).await });
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for finding in report.findings() {
        let line = format!("{} {}: {} / {}", finding.revision, finding.class, finding.expected, finding.seen);
        found.entry(finding.id).or_insert(line);
    }
    let explained: BTreeSet<_> = EXPLAINED.iter().map(|(id, _)| *id).collect();
    let unexplained: Vec<_> = found.iter().filter(|(id, _)| !explained.contains(*id)).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let stale: Vec<_> = explained.iter().filter(|id| !found.contains_key(*id)).collect();
    assert!(stale.is_empty(), "explained, and no longer found: {stale:?}");
    let spoken = report.revisions.iter().filter(|revision| !revision.results.is_empty());
    let passed = spoken.flat_map(|r| &r.results).filter(|result| result.verdict == Verdict::Pass).count();
    assert!(passed > 100, "only {passed} checks passed");
}
