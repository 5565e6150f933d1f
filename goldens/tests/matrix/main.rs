//! All checks against all faults of the mocks: the good server passes, each check breaks on its fault, and what each
//! fault trips is a snapshot of its own, so that a double report shows in review. Time is paused: waits cost nothing.

use checks::{Check, Event, Report, RunOptions, Verdict, all_checks};
use mocks::Fault;
use specs::{Revision, Revisions};
use std::collections::BTreeSet;
use std::fmt::Write as _;

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

/// The ids of all broken checks, notes included.
fn broken(report: &Report) -> BTreeSet<&'static str> {
    report.findings().iter().map(|finding| finding.id).collect()
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
        let report = block_on(run("good", revision));
        let spoken = report.revisions.iter().find(|r| r.revision == revision).expect("it was asked for");
        assert_eq!(
            spoken.results.len(),
            all_checks().filter(|c| c.revisions.contains(revision)).count(),
            "{revision}"
        );
        for result in &spoken.results {
            match &result.verdict {
                Verdict::Pass | Verdict::NotApplicable(_) => {}
                other => panic!("{revision} {}: {other:?}", result.id),
            }
        }
    }
}

/// Runs every fault of one share and snapshots what it trips; returns what each check missed.
fn run_share(share: usize, shares: usize) {
    let mine = |at: usize| at % shares == share;
    let here = |fault: &&Fault| over_stdio(fault.transport) && !OF_PROCESSES.contains(&fault.id);
    let faults: Vec<&Fault> = mocks::faults().filter(here).collect();
    let mut missed = Vec::new();
    for (_, fault) in faults.iter().enumerate().filter(|(at, _)| mine(*at)) {
        let mut text = format!("{}\n\n", fault.story);
        let mut noticed = false;
        for revision in fault.revisions.iter() {
            let report = block_on(run(fault.id, revision));
            let found = broken(&report);
            missed.extend(unnoticed(fault, revision, &found));
            noticed |= !found.is_empty();
            write_row(&mut text, revision, &report);
        }
        if noticed == LEGAL.contains(&fault.id) {
            missed.push(format!("{} trips {} check", fault.id, if noticed { "a" } else { "no" }));
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
            snapshot_path => "../../snaps/matrix" }, { insta::assert_snapshot!(fault.id, text); });
    }
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
}

/// The checks that exist for this fault and did not break on it.
fn unnoticed(fault: &Fault, revision: Revision, found: &BTreeSet<&'static str>) -> Vec<String> {
    let own = |check: &&Check| {
        check.fault == fault.id && check.revisions.contains(revision) && over_stdio(check.needs.transport)
    };
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
