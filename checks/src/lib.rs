//! The conformance table and its runner. It knows nothing of mocks, of how findings look, or of the command line.

mod check;
mod evidence;
mod finding;
mod peer;
mod report;
mod run;
mod server;

pub use check::{Check, Level, Needs, Outcome, Phase, Probe, Stop, Verdict};
pub use evidence::Evidence;
pub use finding::{Class, Excerpt, Finding, Profile};
pub use peer::Peer;
pub use report::{CheckResult, DeadServer, Ran, Report, RevisionReport, ServerFacts, Spoken, Tally};
pub use run::{Event, RunOptions, all_checks, run};
pub use server::AREAS;
