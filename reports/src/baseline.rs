//! What a baseline did to a report, as data for the renderers. Reading and matching baselines is the caller's.

use checks::Finding;
use serde::Serialize;
use specs::Revision;

/// One entry of a baseline and the revisions it matters in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The file it stands in.
    pub file: String,
    /// The line it begins on, counted from 1.
    pub line: usize,
    /// Id of the check.
    pub check: String,
    /// Why somebody accepted the finding.
    pub reason: String,
    /// The last day it holds, where it has one.
    pub until: Option<String>,
    /// The revisions of this run that it is about.
    pub revisions: Vec<Revision>,
}

/// What became of the entries of the baselines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BaselineOutcome {
    /// The files that were read.
    pub files: Vec<String>,
    /// Entries that accept findings of this run.
    pub accepted: Vec<Entry>,
    /// Entries whose day is over; their findings count.
    pub expired: Vec<Entry>,
    /// Entries whose check passes now.
    pub stale: Vec<Entry>,
    /// Entries that say what one before them says.
    pub repeated: Vec<Entry>,
}

impl BaselineOutcome {
    /// Finds the entry that accepts `finding`.
    pub fn accepts(&self, finding: &Finding) -> Option<&Entry> {
        let covers =
            |entry: &&Entry| entry.check == finding.id && entry.revisions.contains(&finding.revision);
        self.accepted.iter().find(covers)
    }
}
