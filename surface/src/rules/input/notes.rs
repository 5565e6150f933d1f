//! Rules about what a schema tells of arguments without demanding it.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &INPUT_FORMAT_ADDED_OR_CHANGED,
    &INPUT_FORMAT_REMOVED,
    &INPUT_DEFAULT_ADDED,
    &INPUT_DEFAULT_CHANGED,
    &INPUT_DEFAULT_REMOVED,
    &INPUT_DEPRECATED,
    &INPUT_EXAMPLES_CHANGED,
    &INPUT_TITLE_CHANGED,
];

/// Finds a format that was not demanded before.
pub static INPUT_FORMAT_ADDED_OR_CHANGED: Rule = Rule {
    id: "input-format-added-or-changed",
    action: Action::Changed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "a format that was not demanded before",
    fix: "say it in the description too, and accept the old form",
    explain: "Some validators hold values against the format and some do not, so the same call works with one host and fails with another.",
    mirror: Mirror::Rule("input-format-removed"),
    counterpart: Some(Mirror::Rule("output-format-changed")),
    ..BASE
};

/// Finds a format that is no longer demanded.
pub static INPUT_FORMAT_REMOVED: Rule = Rule {
    id: "input-format-removed",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a format that is no longer demanded",
    fix: "none needed",
    explain: "What was accepted is still accepted, however formats are read.",
    mirror: Mirror::Rule("input-format-added-or-changed"),
    counterpart: Some(Mirror::Rule("output-format-changed")),
    ..BASE
};

/// Finds a default that was not told before.
pub static INPUT_DEFAULT_ADDED: Rule = Rule {
    id: "input-default-added",
    action: Action::Added,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "a default that was not told before",
    fix: "give the behaviour a new argument, or name it in the description",
    explain: "A call without the argument is the same call, and may now do something else.",
    mirror: Mirror::Rule("input-default-removed"),
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};

/// Finds another default.
pub static INPUT_DEFAULT_CHANGED: Rule = Rule {
    id: "input-default-changed",
    action: Action::Changed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "another default",
    fix: "give the new behaviour an explicit value",
    explain: "A call without the argument is the same call, and may now do something else.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};

/// Finds a default that is no longer told.
pub static INPUT_DEFAULT_REMOVED: Rule = Rule {
    id: "input-default-removed",
    action: Action::Removed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "a default that is no longer told",
    fix: "say in the description what happens without it",
    explain: "A call without the argument is the same call, and may now do something else.",
    mirror: Mirror::Rule("input-default-added"),
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};

/// Finds an argument that is marked, or no longer marked, as deprecated.
pub static INPUT_DEPRECATED: Rule = Rule {
    id: "input-deprecated",
    action: Action::Changed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "an argument that is marked, or no longer marked, as deprecated",
    fix: "say what replaces it",
    explain: "It still works; callers are told to move.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};

/// Finds other examples.
pub static INPUT_EXAMPLES_CHANGED: Rule = Rule {
    id: "input-examples-changed",
    action: Action::Changed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "other examples",
    fix: "none needed",
    explain: "Models copy examples, but every call works as before.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};

/// Finds another title of an argument.
pub static INPUT_TITLE_CHANGED: Rule = Rule {
    id: "input-title-changed",
    action: Action::Changed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "another title of an argument",
    fix: "none needed",
    explain: "Forms show the title; every call works as before.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-annotation-changed")),
    ..BASE
};
