//! All checks against the faults that only show over HTTP, on sockets of this machine and so in real time: the good
//! server passes over both transports, each check breaks on its fault, and what each fault trips is a snapshot.

#[path = "../support/matrix.rs"]
mod support;

use checks::{Class, Event, Report, RunOptions};
use mocks::Fault;
use specs::{Revision, Revisions};
use std::time::Duration;
use support::{Trips, assert_spotless};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use transport::{Endpoint, Target};

/// Runs the whole table against a mock behind a port of its own.
async fn run(mock: &'static str, over: &'static str, revision: Revision) -> Report {
    run_checks(mock, over, revision, RunOptions::default().checks).await
}

/// Runs some checks against a mock behind a port of its own.
async fn run_checks(
    mock: &'static str,
    over: &'static str,
    revision: Revision,
    checks: Vec<&'static str>,
) -> Report {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds a free port");
    let address = listener.local_addr().expect("is bound");
    let options = mocks::Options { revisions: Revisions::only(revision) };
    let server = tokio::spawn(mocks::serve_http(mock, options, listener));
    let endpoint = |path: &str| Endpoint { url: format!("http://{address}/{path}"), headers: Vec::new() };
    let target = if over == "sse" { Target::Sse(endpoint("sse")) } else { Target::Http(endpoint("mcp")) };
    // Waits are real here: long enough for a busy machine, short enough for what never answers.
    let options = RunOptions {
        revisions: vec![revision],
        checks,
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
            assert_spotless(&report, revision);
        }
    });
}

#[test]
fn what_is_odd_and_legal_over_http_is_worth_a_note_at_most() {
    block_on(async {
        let mut all = JoinSet::new();
        for quirk in mocks::quirks().filter(|quirk| quirk.transport != Some("stdio")) {
            for revision in quirk.revisions.iter().filter(|revision| revision.has_streamable_http()) {
                all.spawn(async move { (quirk.id, revision, run(quirk.id, "http", revision).await) });
            }
        }
        for (id, revision, report) in all.join_all().await {
            let findings = report.findings();
            let accused: Vec<_> = findings.iter().filter(|f| f.class != Class::Note).collect();
            assert!(accused.is_empty(), "{id} in {revision}: {accused:#?}");
            assert!(!report.revisions[0].results.is_empty(), "{id} in {revision}: {:?}", report.ran);
        }
    });
}

/// Calls tools, which are answered on streams; it breaks on none of the faults below.
const CALLS: &str = "call-answered";

#[test]
fn what_another_check_names_better_is_still_found_by_a_check_that_is_alone() {
    let (handshake, stateless) = (Revision::NEWEST_WITH_HANDSHAKE, Revision::NEWEST_STATELESS);
    let pairs = [
        ("http-notification-200", handshake, "jsonrpc-notification-unanswered"),
        ("http-sse-other-request-answer", handshake, "jsonrpc-no-orphan-answers"),
        ("http-session-gone-status", handshake, "http-session-unknown"),
        ("http-content-type-missing", stateless, "stateless-subscription-acknowledged"),
        ("http-header-missing-accepted", stateless, "http-header-name-missing"),
        ("http-header-mismatch-accepted", stateless, "http-header-values-case"),
        ("http-sse-raw-json", stateless, "http-sse-unbuffered"),
    ];
    block_on(async {
        let mut all = JoinSet::new();
        for (fault, revision, check) in pairs {
            all.spawn(async move {
                (fault, check, run_checks(fault, "http", revision, vec![CALLS, check]).await)
            });
        }
        for (fault, check, report) in all.join_all().await {
            let found: Vec<_> = report.findings().iter().map(|finding| finding.id).collect();
            assert_eq!(found, [check], "{fault}: {:?}", report.ran);
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
    let mut trips = Trips::of(fault);
    for (revision, report) in &reports {
        trips.add(*revision, report, over);
    }
    trips.compare("matrix_http");
    trips.missed
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
