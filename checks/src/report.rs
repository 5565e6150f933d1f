//! The result of a run as plain data, in a fixed order.

use crate::check::Verdict;
use crate::finding::{Class, Finding};
use specs::Revision;
use std::time::Duration;

/// Whether the server speaks a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// It does.
    Yes,
    /// It does not, and said so by the rules; the words say how (`answered 2025-11-25 instead`).
    No(String),
    /// It could not be found out; the words say why.
    Unknown(String),
}

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// `serverInfo.name`.
    pub name: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// Number of tools, where they could be listed.
    pub tools: Option<usize>,
    /// Declared capabilities, sorted.
    pub capabilities: Vec<String>,
    /// Time from start to the first answer of the handshake.
    pub answered_after: Option<Duration>,
}

/// A server that could not be talked to at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadServer {
    /// What happened, in one sentence: `exited with code 1 before answering`.
    pub what: String,
    /// The last thing sent, compact and shortened.
    pub sent: Option<String>,
    /// What it wrote on stdout that was no answer, spelled out and shortened.
    pub stdout: Option<String>,
    /// The tail of its stderr.
    pub stderr: String,
    /// A likely remedy, where there is one.
    pub hint: Option<String>,
    /// How often the server was started (stdio) or a conversation opened (HTTP).
    pub starts: u32,
}

/// One check in one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// Id of the check.
    pub id: &'static str,
    /// What came of it.
    pub verdict: Verdict,
    /// How long the probe took.
    pub took: Duration,
}

/// Counts of verdicts and findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: usize,
    /// Checks that were broken.
    pub broken: usize,
    /// Checks that do not apply to this server.
    pub not_applicable: usize,
    /// Checks that could not be decided.
    pub unproven: usize,
    /// Checks left out by `--only` or `--skip`.
    pub skipped: usize,
}

/// All checks of one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionReport {
    /// The revision.
    pub revision: Revision,
    /// Whether the server speaks it.
    pub spoken: Spoken,
    /// How often the server was started (stdio) or a session opened (HTTP) for it.
    pub starts: u32,
    /// Results in table order; empty when it is not spoken.
    pub results: Vec<CheckResult>,
    /// Checks left out by `--only` or `--skip`.
    pub skipped: usize,
    /// How long it took.
    pub took: Duration,
}

/// How the run as a whole went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    /// To the end.
    Complete,
    /// The deadline of the run came first; the words say what was left.
    CutShort(String),
    /// The server never got as far as an answer.
    Dead(DeadServer),
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The target as the user would type it.
    pub target: String,
    /// `stdio`, `Streamable HTTP` or `HTTP+SSE`.
    pub transport: &'static str,
    /// What the server says of itself.
    pub server: ServerFacts,
    /// Every revision that was asked for, newest first.
    pub revisions: Vec<RevisionReport>,
    /// How the run went.
    pub ran: Ran,
    /// How long it took.
    pub took: Duration,
}

impl RevisionReport {
    /// Counts the verdicts.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { skipped: self.skipped, ..Tally::default() };
        for result in &self.results {
            match result.verdict {
                Verdict::Pass => tally.passed += 1,
                Verdict::Broken(_) => tally.broken += 1,
                Verdict::NotApplicable(_) => tally.not_applicable += 1,
                Verdict::Unproven(_) => tally.unproven += 1,
            }
        }
        tally
    }

    /// The findings, in table order.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.results
            .iter()
            .filter_map(|r| if let Verdict::Broken(f) = &r.verdict { Some(&**f) } else { None })
    }
}

impl Report {
    /// The findings, worst class first, then newest revision first, then table order.
    pub fn findings(&self) -> Vec<&Finding> {
        let mut all: Vec<_> = self.revisions.iter().flat_map(RevisionReport::findings).collect();
        all.sort_by_key(|finding| finding.class);
        all
    }

    /// The gravest class found.
    pub fn worst(&self) -> Option<Class> {
        self.findings().first().map(|finding| finding.class)
    }
}
