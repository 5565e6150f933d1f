//! All checks against the faults that only show over HTTP, on sockets of this machine and so in real time: the good
//! server passes over both transports, each check breaks on its fault, and what each fault trips is a snapshot.

use checks::{Check, Event, Report, RunOptions, Verdict, all_checks};
use mocks::Fault;
use specs::{Revision, Revisions};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use transport::{Endpoint, Target};

/// Runs the whole table against a mock behind a port of its own.
async fn run(mock: &'static str, over: &'static str, revision: Revision) -> Report {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds a free port");
    let address = listener.local_addr().expect("is bound");
    let options = mocks::Options { revisions: Revisions::only(revision) };
    let server = tokio::spawn(mocks::serve_http(mock, options, listener));
    let endpoint = |path: &str| Endpoint { url: format!("http://{address}/{path}"), headers: Vec::new() };
    let target = if over == "sse" { Target::Sse(endpoint("sse")) } else { Target::Http(endpoint("mcp")) };
    // Waits are real here: long enough for a busy machine, short enough for what never answers.
    let options = RunOptions {
        revisions: vec![revision],
        answer_within: Duration::from_secs(5),
        start_within: Duration::from_secs(10),
        ..RunOptions::default()
    };
    let report = checks::run(&target, &options, &|_: Event| {}).await;
    server.abort();
    report
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().expect("a runtime").block_on(future)
}

/// The transport that carries `revision` over HTTP.
fn carrier(revision: Revision) -> &'static str {
    if revision.has_streamable_http() { "http" } else { "sse" }
}

#[test]
fn the_good_server_passes_everything_over_http() {
    block_on(async {
        let mut all = JoinSet::new();
        for revision in Revision::ALL {
            all.spawn(async move { (revision, run("good", carrier(revision), revision).await) });
        }
        for (revision, report) in all.join_all().await {
            let spoken = &report.revisions[0];
            let due = all_checks().filter(|check| check.revisions.contains(revision)).count();
            assert_eq!(spoken.results.len(), due, "{revision} {:?}", report.ran);
            for result in &spoken.results {
                match &result.verdict {
                    Verdict::Pass | Verdict::NotApplicable(_) => {}
                    other => panic!("{revision} {}: {other:?}", result.id),
                }
            }
        }
    });
}

/// Runs every fault of one share and snapshots what it trips.
fn run_share(share: usize, shares: usize) {
    let of_http = |fault: &&Fault| matches!(fault.transport, Some("http" | "sse"));
    let mine = |(at, _): &(usize, &Fault)| at % shares == share;
    let faults: Vec<&'static Fault> =
        mocks::faults().filter(of_http).enumerate().filter(mine).map(|(_, f)| f).collect();
    let missed = block_on(async {
        let mut missed = Vec::new();
        for fault in faults {
            missed.extend(snapshot(fault).await);
        }
        missed
    });
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
}

/// Snapshots what a fault trips in each of its revisions; returns what its checks missed.
async fn snapshot(fault: &'static Fault) -> Vec<String> {
    let over = fault.transport.expect("chosen for its transport");
    let mut runs = JoinSet::new();
    for revision in fault.revisions.iter() {
        runs.spawn(async move { (revision, run(fault.id, over, revision).await) });
    }
    let mut reports = runs.join_all().await;
    reports.sort_by_key(|(revision, _)| *revision);
    let mut text = format!("{}\n\n", fault.story);
    let mut missed = Vec::new();
    for (revision, report) in &reports {
        let found: BTreeSet<_> = report.findings().iter().map(|finding| finding.id).collect();
        missed.extend(unnoticed(fault, *revision, &found));
        write_row(&mut text, *revision, report);
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
        snapshot_path => "../../snaps/matrix_http" }, { insta::assert_snapshot!(fault.id, text); });
    missed
}

/// The checks that exist for this fault and did not break on it.
fn unnoticed(fault: &Fault, revision: Revision, found: &BTreeSet<&'static str>) -> Vec<String> {
    let own = |check: &&Check| check.fault == fault.id && check.revisions.contains(revision);
    let missed = all_checks().filter(own).filter(|check| !found.contains(check.id));
    missed.map(|check| format!("{} does not see {} in {revision}", check.id, fault.id)).collect()
}

fn write_row(text: &mut String, revision: Revision, report: &Report) {
    let findings = report.findings();
    let dead = if findings.is_empty() { format!(" {:?}", report.ran) } else { String::new() };
    let _ = writeln!(text, "{revision}{dead}");
    for finding in findings {
        let _ = writeln!(text, "  {:9} {}", finding.class, finding.id);
    }
}

#[test]
fn each_fault_of_the_first_share_is_noticed_over_http() {
    run_share(0, 4);
}

#[test]
fn each_fault_of_the_second_share_is_noticed_over_http() {
    run_share(1, 4);
}

#[test]
fn each_fault_of_the_third_share_is_noticed_over_http() {
    run_share(2, 4);
}

#[test]
fn each_fault_of_the_fourth_share_is_noticed_over_http() {
    run_share(3, 4);
}
