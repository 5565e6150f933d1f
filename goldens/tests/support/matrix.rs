//! What the matrices of checks and faults share: the judgement of a run, and how it looks in a snapshot.

use checks::{Check, Report, Verdict, all_checks};
use mocks::Fault;
use specs::Revision;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Makes sure that each check of `revision` was run and none broke or stayed undecided.
pub(crate) fn assert_spotless(report: &Report, revision: Revision) {
    let spoken = report.revisions.iter().find(|r| r.revision == revision).expect("it was asked for");
    let due = all_checks().filter(|check| check.revisions.contains(revision)).count();
    assert_eq!(spoken.results.len(), due, "{revision} {:?}", report.ran);
    for result in &spoken.results {
        match &result.verdict {
            Verdict::Pass | Verdict::NotApplicable(_) => {}
            other => panic!("{revision} {}: {other:?}", result.id),
        }
    }
}

/// What a fault trips in each of its revisions, and which of its own checks missed it.
pub(crate) struct Trips {
    fault: &'static Fault,
    text: String,
    pub(crate) missed: Vec<String>,
    pub(crate) noticed: bool,
}

impl Trips {
    /// Starts with nothing seen.
    pub(crate) fn of(fault: &'static Fault) -> Self {
        Self { fault, text: format!("{}\n\n", fault.story), missed: Vec::new(), noticed: false }
    }

    /// Takes in the run of one revision over `transport`.
    pub(crate) fn add(&mut self, revision: Revision, report: &Report, transport: &str) {
        let findings = report.findings();
        let found: BTreeSet<_> = findings.iter().map(|finding| finding.id).collect();
        let own = |check: &&Check| {
            check.fault == self.fault.id
                && check.revisions.contains(revision)
                && check.needs.transport.is_none_or(|needed| needed == transport)
        };
        let missed = all_checks().filter(own).filter(|check| !found.contains(check.id));
        let words = |check: &Check| format!("{} does not see {} in {revision}", check.id, self.fault.id);
        self.missed.extend(missed.map(words));
        self.noticed |= !findings.is_empty();
        let dead = if findings.is_empty() { format!(" {:?}", report.ran) } else { String::new() };
        let _ = writeln!(self.text, "{revision}{dead}");
        for finding in findings {
            let _ = writeln!(self.text, "  {:9} {}", finding.class, finding.id);
        }
    }

    /// Compares with the snapshot in `folder`.
    pub(crate) fn compare(&self, folder: &str) {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
            snapshot_path => format!("../../snaps/{folder}") },
            { insta::assert_snapshot!(self.fault.id, self.text); });
    }
}
