//! The conformance table and its runner. It knows nothing of mocks, of how findings look, or of the command line.

mod calls;
mod check;
mod closed;
mod death;
mod detect;
mod ends;
mod evidence;
mod finding;
mod held;
mod lane;
mod listing;
mod log;
mod matching;
mod opener;
mod pace;
mod peer;
mod plan;
mod quiet;
mod report;
mod run;
mod schema_walk;
mod server;
mod session;
mod streams;
mod words;

pub use calls::Call;
pub use check::{Check, Level, Needs, Outcome, Phase, Probe, Stop, Verdict};
pub use evidence::Evidence;
pub use finding::{Class, Excerpt, Finding, Profile};
pub use listing::{ListEnd, Listing, Page};
pub use log::{Answer, Conversation, Entry, Reply, Sent};
pub use peer::Peer;
pub use report::{CheckResult, DeadServer, Ran, Report, RevisionReport, ServerFacts, Spoken, Tally};
pub use run::{Event, RunOptions, all_checks, run};
pub use server::AREAS;
