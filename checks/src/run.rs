//! Runs the table against a target.

use crate::check::Check;
use crate::finding::Profile;
use crate::report::Report;
use specs::Revision;
use std::time::Duration;
use transport::{Target, Transcript};

/// What to run and how long to wait.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The revisions to check; empty means every one the server speaks.
    pub revisions: Vec<Revision>,
    /// Ids of the checks to run, in table order; the others count as skipped.
    pub checks: Vec<&'static str>,
    /// Whose limits become interop findings; empty means all.
    pub profiles: Vec<Profile>,
    /// How long one answer may take.
    pub answer_within: Duration,
    /// How long the first answer of a fresh server may take.
    pub start_within: Duration,
    /// How long the whole run may take.
    pub run_within: Duration,
    /// Conversations in parallel.
    pub jobs: usize,
    /// Longest message in bytes.
    pub limit: usize,
    /// Where every byte is written down.
    pub transcript: Transcript,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            revisions: Vec::new(),
            checks: all_checks().map(|check| check.id).collect(),
            profiles: Vec::new(),
            answer_within: Duration::from_secs(10),
            start_within: Duration::from_secs(30),
            run_within: Duration::from_secs(150),
            jobs: 2,
            limit: 16 * 1024 * 1024,
            transcript: Transcript::default(),
        }
    }
}

/// What happens during a run, for progress displays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The revisions the server speaks are being found out.
    Detecting,
    /// These revisions will be checked, with so many checks in all.
    Planned {
        /// The revisions.
        revisions: Vec<Revision>,
        /// The checks of all of them.
        checks: usize,
    },
    /// A check began.
    Began {
        /// The revision.
        revision: Revision,
        /// The check.
        id: &'static str,
    },
    /// A check ended.
    Ended {
        /// The revision.
        revision: Revision,
        /// The check.
        id: &'static str,
        /// True when it is broken.
        broken: bool,
    },
}

/// Every check of the table, in table order.
pub fn all_checks() -> impl Iterator<Item = &'static Check> {
    crate::server::AREAS.iter().flat_map(|(_, table)| table.iter())
}

/// Proofs the server at `target` and reports every verdict. Never fails: a dead server is a report too.
pub async fn run(target: &Target, options: &RunOptions, events: &(dyn Fn(Event) + Send + Sync)) -> Report {
    events(Event::Detecting);
    todo!("{target:?} {options:?}")
}
