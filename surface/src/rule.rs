//! What a drift rule is: a row of data. Finding the change stands in `schema` and `compare`.

use crate::change::Severity;
use crate::rules;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Tools, prompts, resources and templates as such.
    Items,
    /// Input schemas.
    Input,
    /// Output schemas.
    Output,
    /// Text that a model or a person reads.
    Text,
    /// Hints, execution and metadata of an item.
    Hints,
    /// Capabilities, revisions, the name of the server.
    Session,
    /// The settings of the gate itself.
    Gate,
}

impl Area {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Input => "input",
            Self::Output => "output",
            Self::Text => "text",
            Self::Hints => "hints",
            Self::Session => "session",
            Self::Gate => "gate",
        }
    }
}

/// Whom a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Whoever calls the tool.
    Caller,
    /// Whoever reads its results.
    Consumer,
    /// The model that chooses it and fills in its arguments.
    Model,
    /// The person who approves calls.
    User,
    /// The host program.
    Client,
    /// Nobody.
    None,
}

impl Audience {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Consumer => "consumer",
            Self::Model => "model",
            Self::User => "user",
            Self::Client => "client",
            Self::None => "none",
        }
    }
}

/// What a gate makes of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Shown only when all is asked for.
    Hidden,
    /// Shown.
    Info,
    /// Shown among the warnings.
    Warn,
    /// Fails the gate.
    Error,
}

impl Level {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// What is done to the set of values, or to the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It came.
    Added,
    /// It went.
    Removed,
    /// Less is possible than before.
    Narrowed,
    /// More is possible than before.
    Widened,
    /// It is another.
    Changed,
    /// It is there and should not be.
    Present,
}

impl Action {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Narrowed => "narrowed",
            Self::Widened => "widened",
            Self::Changed => "changed",
            Self::Present => "present",
        }
    }
}

/// On which side of a call a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// What goes to the server.
    Input,
    /// What comes back.
    Output,
    /// Neither.
    Neither,
}

impl Direction {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Neither => "neither",
        }
    }
}

/// The rule that reports the same change with old and new swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// Another rule.
    Rule(&'static str),
    /// The rule itself.
    Itself,
    /// None, with the reason.
    Waived(&'static str),
}

/// A drift rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// A stable name in kebab case that says what happened.
    pub id: &'static str,
    /// What it looks at.
    pub area: Area,
    /// On which side of a call.
    pub direction: Direction,
    /// What it says that happened.
    pub action: Action,
    /// Whom it touches.
    pub audience: Audience,
    /// How bad it is, where nothing makes it better or worse.
    pub severity: Severity,
    /// What the default profile makes of it.
    pub level: Level,
    /// What it detects, as a phrase.
    pub detects: &'static str,
    /// What to do about it, as an advice to the author of the server.
    pub fix: &'static str,
    /// What breaks in practice, in one or two sentences.
    pub explain: &'static str,
    /// Its opposite.
    pub mirror: Mirror,
    /// Its counterpart on the other side of a call (`input-x` and `output-x`), or why there is none; `None` outside schemas.
    pub counterpart: Option<Mirror>,
}

/// Every rule, by area in the order of the tables.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    rules::TABLES.iter().copied().flatten().copied()
}

/// Finds the rule `id`.
pub fn rule(id: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.id == id)
}
