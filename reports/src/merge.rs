//! Joins the same fault found in several revisions, so that a person reads it once.

use checks::{Finding, Report};
use specs::Revision;

/// One fault, and where it was found.
#[derive(Debug)]
pub(crate) struct Fault<'a> {
    /// The finding that speaks for all: that of the newest revision.
    pub finding: &'a Finding,
    /// Every revision it was found in, newest first.
    pub revisions: Vec<Revision>,
}

impl Fault<'_> {
    /// Lists the revisions in one line.
    pub(crate) fn revision_list(&self) -> String {
        self.revisions.iter().map(|r| r.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The faults among those findings of `report` that `keep` keeps, worst class first, then in report order.
pub(crate) fn faults(report: &Report, keep: impl Fn(&Finding) -> bool) -> Vec<Fault<'_>> {
    let mut faults: Vec<Fault<'_>> = Vec::new();
    for finding in report.findings().into_iter().filter(|finding| keep(finding)) {
        match faults.iter_mut().find(|fault| is_same(fault.finding, finding)) {
            Some(fault) => fault.revisions.push(finding.revision),
            None => faults.push(Fault { finding, revisions: vec![finding.revision] }),
        }
    }
    faults
}

/// Two findings are one fault when the same check expected the same; what was seen differs by times and ids.
fn is_same(a: &Finding, b: &Finding) -> bool {
    let expected = |f: &Finding| f.expected.replace(f.revision.as_str(), "(revision)");
    a.id == b.id && a.class == b.class && expected(a) == expected(b)
}
