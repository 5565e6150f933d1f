//! Rules about hints, execution, icons and metadata of an item.

use crate::change::Severity::{Breaking, Compatible, None as Harmless, Risky};
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &ANNOTATION_SAFETY_LOST,
    &ANNOTATION_SAFETY_CLAIMED,
    &ANNOTATION_CHANGED,
    &ANNOTATION_RESTATED,
    &TASK_SUPPORT_NARROWED,
    &TASK_SUPPORT_WIDENED,
    &ICONS_CHANGED,
    &ICONS_UNSAFE_URI,
    &META_CHANGED,
    &META_KNOWN_KEY_CHANGED,
];

/// A promise that is taken back.
pub static ANNOTATION_SAFETY_LOST: Rule = Rule {
    id: "annotation-safety-lost",
    area: Area::Hints,
    direction: Direction::Neither,
    action: Action::Removed,
    audience: Audience::User,
    severity: Risky,
    level: Level::Error,
    detects: "a tool that no longer says it is read-only, harmless, repeatable or closed to the outside; defaults count",
    fix: "put the unsafe form into a tool of its own",
    explain: "Hosts run tools without asking on the strength of such a promise, and may go on doing so.",
    mirror: Mirror::Rule("annotation-safety-claimed"),
    counterpart: None,
};

/// A promise that is new.
pub static ANNOTATION_SAFETY_CLAIMED: Rule = Rule {
    id: "annotation-safety-claimed",
    action: Action::Added,
    level: Level::Warn,
    detects: "a tool that says from now on it is read-only, harmless, repeatable or closed to the outside",
    fix: "prove it with a test",
    explain: "Nobody verifies the claim, and hosts ask less because of it.",
    mirror: Mirror::Rule("annotation-safety-lost"),
    ..ANNOTATION_SAFETY_LOST
};

/// A hint that has no effect.
pub static ANNOTATION_CHANGED: Rule = Rule {
    id: "annotation-changed",
    action: Action::Changed,
    severity: Compatible,
    level: Level::Info,
    detects: "a hint that another one makes moot, or that no specification knows",
    fix: "nothing to do",
    explain: "A read-only tool destroys nothing, whatever its other hints say.",
    mirror: Mirror::Itself,
    ..ANNOTATION_SAFETY_LOST
};

/// A default that is spelt out.
pub static ANNOTATION_RESTATED: Rule = Rule {
    id: "annotation-restated",
    audience: Audience::None,
    severity: Harmless,
    level: Level::Hidden,
    detects: "a default that is now spelt out, or no longer",
    explain: "What is left out means the default, so nothing changed.",
    ..ANNOTATION_CHANGED
};

/// A way of calling that is gone.
pub static TASK_SUPPORT_NARROWED: Rule = Rule {
    id: "task-support-narrowed",
    action: Action::Narrowed,
    audience: Audience::Caller,
    severity: Breaking,
    detects: "a tool that may no longer be called plainly, or as a task",
    fix: "make it `optional`, which takes both",
    explain: "Calls of the kind that is no longer taken are refused.",
    mirror: Mirror::Rule("task-support-widened"),
    ..ANNOTATION_SAFETY_LOST
};

/// A way of calling that is new.
pub static TASK_SUPPORT_WIDENED: Rule = Rule {
    id: "task-support-widened",
    action: Action::Widened,
    severity: Compatible,
    level: Level::Info,
    detects: "a tool that may also be called plainly, or as a task",
    fix: "nothing to do",
    explain: "It can be called as before.",
    mirror: Mirror::Rule("task-support-narrowed"),
    ..TASK_SUPPORT_NARROWED
};

/// Other pictures.
pub static ICONS_CHANGED: Rule = Rule {
    id: "icons-changed",
    detects: "other icons",
    explain: "People may know it by its picture.",
    ..ANNOTATION_CHANGED
};

/// A picture from where it should not come.
pub static ICONS_UNSAFE_URI: Rule = Rule {
    id: "icons-unsafe-uri",
    action: Action::Present,
    severity: Risky,
    level: Level::Warn,
    detects: "a new icon that is neither https nor an image in a data URI, or comes from another host than before",
    fix: "use https from your own host, or a data URI",
    explain: "The host program loads it: scripts may run, and the request tells a stranger who looks.",
    mirror: Mirror::Waived("an icon that is put right is told as icons-changed"),
    ..ICONS_CHANGED
};

/// Metadata that is nobody's business.
pub static META_CHANGED: Rule = Rule {
    id: "meta-changed",
    audience: Audience::None,
    level: Level::Hidden,
    detects: "another `_meta` entry, or another member that no specification knows",
    explain: "It is opaque to whoever did not agree on it, and often differs with each build.",
    ..ANNOTATION_CHANGED
};

/// Metadata that hosts act on.
pub static META_KNOWN_KEY_CHANGED: Rule = Rule {
    id: "meta-known-key-changed",
    severity: Risky,
    level: Level::Warn,
    detects: "another `_meta` entry that hosts are known to act on: user interface, security, provider keys",
    fix: "try it in the host that reads the key",
    explain: "Hosts show other components, or ask for other permissions, because of it.",
    ..ANNOTATION_CHANGED
};
