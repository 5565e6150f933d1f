//! The exit codes, in one place.

use std::process::ExitCode;

/// How a run of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// 0: it did what was asked, and nothing fails the run.
    Clean,
    /// 1: findings at or above `--fail-on`, a stale baseline entry, or what `--deny` forbids.
    Findings,
    /// 2: wrong usage or configuration; nothing was run.
    Usage,
    /// 3: it could not run to the end: the server is dead, or speaks no revision asked for, or time ran out.
    CouldNotRun,
    /// 4: a budget was spent before the end.
    BudgetSpent,
    /// 130: interrupted by SIGINT or SIGTERM.
    Interrupted,
    /// Whatever a mock server wants to end with.
    Mock(u8),
}

impl ExitStatus {
    /// The number the system sees.
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::CouldNotRun => 3,
            Self::BudgetSpent => 4,
            Self::Interrupted => 130,
            Self::Mock(code) => code,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
