//! Decides the exit code of a check.

use crate::exit::ExitStatus;
use crate::settings::Settings;
use checks::{Ran, Report, Spoken};
use reports::BaselineOutcome;

/// Findings fail a run whatever else happened; what could not run is no success.
pub(crate) fn judge(report: &Report, settings: &Settings, baseline: &BaselineOutcome) -> ExitStatus {
    let fails = |finding: &checks::Finding| {
        settings.fail_on.class().is_some_and(|mildest| finding.class <= mildest)
            && baseline.accepts(finding).is_none()
    };
    let unproven = report.revisions.iter().any(|revision| revision.tally().unproven > 0);
    let spoken = report.revisions.iter().any(|revision| revision.spoken == Spoken::Yes);
    if report.findings().into_iter().any(fails)
        || !baseline.stale.is_empty()
        || (settings.deny_unproven && unproven)
    {
        ExitStatus::Findings
    } else if report.ran != Ran::Complete || !spoken {
        ExitStatus::CouldNotRun
    } else {
        ExitStatus::Clean
    }
}
