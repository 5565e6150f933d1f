//! One word for a revision. Whether the whole run fails is the caller's to decide.

use crate::RenderContext;
use checks::{Class, Finding, RevisionReport, Spoken};

/// How a revision fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fared {
    /// Something fails the run.
    Fail,
    /// Findings, all milder than what fails the run.
    Warn,
    /// Nothing to say.
    Pass,
    /// Not spoken, or nothing was decided.
    None,
}

impl Fared {
    /// The word used in machine formats.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Pass => "pass",
            Self::None => "none",
        }
    }
}

impl RenderContext {
    /// Judges `revision`.
    pub(crate) fn verdict(&self, revision: &RevisionReport) -> Fared {
        let tally = revision.tally();
        if self.open(revision).any(|finding| self.fails(finding))
            || (self.deny_unproven && tally.unproven > 0)
        {
            Fared::Fail
        } else if self.open(revision).any(|finding| finding.class < Class::Note) {
            Fared::Warn
        } else if revision.spoken != Spoken::Yes || tally.passed + tally.broken == 0 {
            Fared::None
        } else {
            Fared::Pass
        }
    }

    /// The findings of `revision` that no baseline accepts.
    pub(crate) fn open<'a>(&'a self, revision: &'a RevisionReport) -> impl Iterator<Item = &'a Finding> {
        revision.findings().filter(|finding| self.is_open(finding))
    }

    /// Tells whether no baseline accepts `finding`.
    pub(crate) fn is_open(&self, finding: &Finding) -> bool {
        self.baseline.accepts(finding).is_none()
    }
}
