//! What a check is: a row of data and one probe.

use crate::finding::{Class, Finding};
use crate::peer::Peer;
use specs::Revisions;
use std::pin::Pin;

/// The keyword behind a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// MUST or MUST NOT, or the schema: a violation.
    Must,
    /// SHOULD or SHOULD NOT, or a derived rule: a warning.
    Should,
    /// Legal, but known to break hosts or providers.
    Interop,
    /// Worth knowing.
    Note,
}

impl Level {
    /// The class of a finding of this level.
    pub const fn class(self) -> Class {
        match self {
            Self::Must => Class::Violation,
            Self::Should => Class::Should,
            Self::Interop => Class::Interop,
            Self::Note => Class::Note,
        }
    }
}

/// On which conversation a probe runs, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// On a conversation of its own, before the handshake is done; the probe does the opening.
    Opening,
    /// On the one conversation that well-behaved probes share.
    Shared,
    /// On a second shared one, since it sends what may kill the server.
    Hostile,
    /// On no conversation: judges everything that was recorded, after all others.
    Afterwards,
}

/// What must be there for a probe to make sense; the runner answers NotApplicable otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// A declared capability, such as `tools` or `resources.subscribe`.
    pub capability: Option<&'static str>,
    /// `stdio`, `http` or `sse`; any when `None`.
    pub transport: Option<&'static str>,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Self = Self { capability: None, transport: None };
    /// The `tools` capability.
    pub const TOOLS: Self = Self { capability: Some("tools"), transport: None };
    /// A server that is a process.
    pub const STDIO: Self = Self { capability: None, transport: Some("stdio") };
    /// A server behind Streamable HTTP.
    pub const HTTP: Self = Self { capability: None, transport: Some("http") };
}

/// Why a probe stopped before it could pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The rule is broken; the runner adds what the row knows.
    Broken(Box<crate::evidence::Evidence>),
    /// The server offers nothing to try it on.
    NotApplicable(String),
    /// It could not be decided.
    Unproven(String),
}

/// What a probe returns.
pub type Outcome = Result<(), Stop>;

/// A probe: a short function over a peer.
pub type Probe = for<'a> fn(&'a mut Peer) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// One row of the check table.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Stable, kebab, area first.
    pub id: &'static str,
    /// Key of a row in specs/requirements; empty where no rule is broken, as [`Check::NO_RULE`] says.
    pub requirement: &'static str,
    /// Must fails, Should warns.
    pub level: Level,
    /// The revisions it holds in.
    pub revisions: Revisions,
    /// What must be there.
    pub needs: Needs,
    /// On which conversation it runs.
    pub phase: Phase,
    /// The fault of the mocks that it must catch.
    pub fault: &'static str,
    /// What breaks in practice, one sentence or two.
    pub explain: &'static str,
    /// The probe.
    pub probe: Probe,
}

impl Check {
    /// The requirement of a check that no rule stands behind.
    pub const NO_RULE: &'static str = "";

    /// Leaves everything open but what most checks have in common; the rows of an area start from it.
    pub const BLANK: Self = Self {
        id: "",
        requirement: "",
        level: Level::Must,
        revisions: Revisions::ALL,
        needs: Needs::NOTHING,
        phase: Phase::Shared,
        fault: "",
        explain: "",
        probe: |_| Box::pin(async { Ok(()) }),
    };
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The rule held.
    Pass,
    /// The rule is broken.
    Broken(Box<Finding>),
    /// The rule does not apply to this server; says why.
    NotApplicable(String),
    /// It could not be decided; says why.
    Unproven(String),
}
