//! All checks against all faults of the mocks: the good server passes, each check breaks on its fault, and what each
//! fault trips is a snapshot of its own, so that a double report shows in review. Time is paused: waits cost nothing.

#[path = "../support/matrix.rs"]
mod support;

use checks::{Class, Event, Report, RunOptions};
use mocks::Fault;
use specs::{Revision, Revisions};
use support::{Trips, assert_spotless};

/// Runs the whole table against a mock in this process.
async fn run(mock: &str, revision: Revision) -> Report {
    let target =
        mocks::in_process(mock, Revisions::only(revision)).expect("the name comes from the table of mocks");
    // The stateless revision is asked for as well, as detection does it for users: discovery comes first.
    let mut revisions = vec![revision, Revision::NEWEST_STATELESS];
    revisions.dedup();
    let options = RunOptions { revisions, ..RunOptions::default() };
    checks::run(&target, &options, &|_: Event| {}).await
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().expect("a runtime").block_on(future)
}

/// Faults that only a process has: how it ends. They are judged on real processes, in tests/processes.
const OF_PROCESSES: &[&str] = &["eof-and-term-ignored", "eof-exit-code", "eof-grandchild"];

/// Behaviour that looks wrong and is legal; no check may break on it as more than a note.
const LEGAL: &[&str] = &[
    // One revision is enough: that the others are not spoken is one line each.
    "version-hardcoded",
];

fn over_stdio(transport: Option<&str>) -> bool {
    transport.is_none_or(|transport| transport == "stdio")
}

#[test]
fn the_good_server_passes_everything_in_every_revision() {
    for revision in Revision::ALL {
        assert_spotless(&block_on(run("good", revision)), revision);
    }
}

#[test]
fn what_is_odd_and_legal_is_worth_a_note_at_most() {
    for quirk in mocks::quirks().filter(|quirk| over_stdio(quirk.transport)) {
        for revision in quirk.revisions.iter() {
            let report = block_on(run(quirk.id, revision));
            let findings = report.findings();
            let accused: Vec<_> = findings.iter().filter(|f| f.class != Class::Note).collect();
            assert!(accused.is_empty(), "{} in {revision}: {accused:#?}", quirk.id);
            assert!(report.revisions.iter().any(|r| r.revision == revision && !r.results.is_empty()));
        }
    }
}

#[test]
fn the_end_of_a_server_is_waited_for_only_where_a_check_judges_it() {
    let revision = Revision::NEWEST_WITH_HANDSHAKE;
    let took = |checks: Vec<&'static str>| {
        let target = mocks::in_process("eof-ignored", Revisions::only(revision)).expect("it is a mock");
        let options = RunOptions { revisions: vec![revision], checks, ..RunOptions::default() };
        block_on(checks::run(&target, &options, &|_: Event| {})).took
    };
    // The clock is paused: nothing but waits takes time.
    assert!(took(vec!["ping-answered"]) < took(vec!["ping-answered", "shutdown-on-end-of-input"]) / 2);
}

/// Runs every fault of one share and snapshots what it trips; returns what each check missed.
fn run_share(share: usize, shares: usize) {
    let mine = |at: usize| at % shares == share;
    let here = |fault: &&Fault| over_stdio(fault.transport) && !OF_PROCESSES.contains(&fault.id);
    let faults: Vec<&'static Fault> = mocks::faults().filter(here).collect();
    let mut missed = Vec::new();
    for (_, fault) in faults.iter().enumerate().filter(|(at, _)| mine(*at)) {
        let mut trips = Trips::of(fault);
        for revision in fault.revisions.iter() {
            trips.add(revision, &block_on(run(fault.id, revision)), "stdio");
        }
        if trips.noticed == LEGAL.contains(&fault.id) {
            missed.push(format!("{} trips {} check", fault.id, if trips.noticed { "a" } else { "no" }));
        }
        trips.compare("matrix");
        missed.append(&mut trips.missed);
    }
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
}

#[test]
fn each_fault_of_the_first_share_is_noticed() {
    run_share(0, 4);
}

#[test]
fn each_fault_of_the_second_share_is_noticed() {
    run_share(1, 4);
}

#[test]
fn each_fault_of_the_third_share_is_noticed() {
    run_share(2, 4);
}

#[test]
fn each_fault_of_the_fourth_share_is_noticed() {
    run_share(3, 4);
}
