//! Rules about what a server says of itself: capabilities, revisions, its name.

use crate::change::Severity::{Breaking, Compatible, None as Harmless, Risky};
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &CAPABILITY_REMOVED,
    &CAPABILITY_ADDED,
    &CAPABILITY_REDUCED,
    &CAPABILITY_EXPERIMENTAL_CHANGED,
    &PROTOCOL_VERSION_LOWERED,
    &PROTOCOL_VERSION_RAISED,
    &PROTOCOL_VERSION_DROPPED,
    &PROTOCOL_VERSION_ADDED,
    &SERVER_NAME_CHANGED,
    &SERVER_VERSION_CHANGED,
    &VERSION_NOT_BUMPED,
];

/// A capability that is gone.
pub static CAPABILITY_REMOVED: Rule = Rule {
    id: "capability-removed",
    area: Area::Session,
    direction: Direction::Neither,
    action: Action::Removed,
    audience: Audience::Client,
    severity: Breaking,
    level: Level::Error,
    detects: "a capability that is no longer declared",
    fix: "keep declaring it, and answer its lists with nothing in them",
    explain: "Clients stop asking, or are told that there is no such method.",
    mirror: Mirror::Rule("capability-added"),
    counterpart: None,
};

/// A capability, or a part of one, that is new.
pub static CAPABILITY_ADDED: Rule = Rule {
    id: "capability-added",
    action: Action::Added,
    severity: Compatible,
    level: Level::Info,
    detects: "a capability that was not declared before, or a part of one",
    fix: "nothing to do",
    explain: "Clients that do not know of it do not use it.",
    mirror: Mirror::Rule("capability-removed"),
    ..CAPABILITY_REMOVED
};

/// A part of a capability that is gone.
pub static CAPABILITY_REDUCED: Rule = Rule {
    id: "capability-reduced",
    action: Action::Narrowed,
    detects: "a part of a capability that is no longer declared; `false` means the same as nothing",
    fix: "keep it",
    explain: "What it stands for is refused, or is no longer announced to clients that rely on it.",
    mirror: Mirror::Waived("a part that comes is told as capability-added"),
    ..CAPABILITY_REMOVED
};

/// Something without a promise.
pub static CAPABILITY_EXPERIMENTAL_CHANGED: Rule = Rule {
    id: "capability-experimental-changed",
    action: Action::Changed,
    severity: Risky,
    level: Level::Warn,
    detects: "an experimental capability that came, went or changed",
    fix: "tell those who use it",
    explain: "Only its users know what it means, and they may rely on it all the same.",
    mirror: Mirror::Itself,
    ..CAPABILITY_REMOVED
};

/// An older revision in the answer.
pub static PROTOCOL_VERSION_LOWERED: Rule = Rule {
    id: "protocol-version-lowered",
    action: Action::Narrowed,
    detects: "an answer in an older revision than before",
    fix: "speak the newer one too",
    explain: "Whatever the newer revision brought is gone, and clients that need it give up.",
    mirror: Mirror::Rule("protocol-version-raised"),
    ..CAPABILITY_REMOVED
};

/// A newer revision in the answer.
pub static PROTOCOL_VERSION_RAISED: Rule = Rule {
    id: "protocol-version-raised",
    action: Action::Widened,
    severity: Risky,
    level: Level::Warn,
    detects: "an answer in a newer revision than before",
    fix: "make sure that clients of the old one are still answered in it",
    explain: "Clients that ask for the old one may no longer be understood; one answer does not tell.",
    mirror: Mirror::Rule("protocol-version-lowered"),
    ..CAPABILITY_REMOVED
};

/// A revision that is no longer spoken.
pub static PROTOCOL_VERSION_DROPPED: Rule = Rule {
    id: "protocol-version-dropped",
    detects: "a revision in which the server answered and no longer answers",
    fix: "keep it until clients have moved",
    explain: "Clients that speak only this one cannot connect any more.",
    mirror: Mirror::Rule("protocol-version-added"),
    ..CAPABILITY_REMOVED
};

/// A revision that is spoken from now on.
pub static PROTOCOL_VERSION_ADDED: Rule = Rule {
    id: "protocol-version-added",
    detects: "a revision in which the server did not answer and now does",
    explain: "Clients of the others are answered as before.",
    mirror: Mirror::Rule("protocol-version-dropped"),
    ..CAPABILITY_ADDED
};

/// Another server.
pub static SERVER_NAME_CHANGED: Rule = Rule {
    id: "server-name-changed",
    action: Action::Changed,
    audience: Audience::User,
    severity: Risky,
    level: Level::Warn,
    detects: "another name or title of the server",
    fix: "check what is deployed",
    explain: "It may be another server; hosts and people keep what they trust under this name.",
    mirror: Mirror::Itself,
    ..CAPABILITY_REMOVED
};

/// Another build.
pub static SERVER_VERSION_CHANGED: Rule = Rule {
    id: "server-version-changed",
    severity: Compatible,
    level: Level::Hidden,
    detects: "another version of the server",
    fix: "nothing to do",
    explain: "A number only; what it stands for is told by the other rules.",
    ..SERVER_NAME_CHANGED
};

/// A number that promises too much. Off unless a severity is set for it.
pub static VERSION_NOT_BUMPED: Rule = Rule {
    id: "version-not-bumped",
    action: Action::Present,
    severity: Harmless,
    level: Level::Hidden,
    detects: "breaking changes under a version of the server that does not say so; give the rule a severity to use it",
    fix: "raise the major number, or the minor one below 1.0",
    explain: "Whoever pins a range of versions gets the break with the next update.",
    mirror: Mirror::Waived("it looks at all changes together"),
    ..SERVER_NAME_CHANGED
};
