//! Rules about types and listed values of arguments.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &INPUT_TYPE_NARROWED,
    &INPUT_TYPE_WIDENED,
    &INPUT_TYPE_CHANGED,
    &INPUT_NULL_REFUSED,
    &INPUT_NULL_ACCEPTED,
    &INPUT_ENUM_VALUE_REMOVED,
    &INPUT_ENUM_VALUE_ADDED,
    &INPUT_ENUM_INTRODUCED,
    &INPUT_ENUM_LIFTED,
    &INPUT_CONST_CHANGED,
];

/// Finds a type that is no longer taken.
pub static INPUT_TYPE_NARROWED: Rule = Rule {
    id: "input-type-narrowed",
    detects: "a type that is no longer taken",
    fix: "accept the old type and convert it",
    explain: "Callers keep sending values of the old type, and each such call is refused.",
    mirror: Mirror::Rule("input-type-widened"),
    counterpart: Some(Mirror::Rule("output-type-narrowed")),
    ..BASE
};

/// Finds another type that is taken as well.
pub static INPUT_TYPE_WIDENED: Rule = Rule {
    id: "input-type-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "another type that is taken as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-type-narrowed"),
    counterpart: Some(Mirror::Rule("output-type-widened")),
    ..BASE
};

/// Finds another type instead of the old one.
pub static INPUT_TYPE_CHANGED: Rule = Rule {
    id: "input-type-changed",
    action: Action::Changed,
    detects: "another type instead of the old one",
    fix: "accept the old type and convert it",
    explain: "No value of the old type is accepted, so every call that gives it fails.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-type-changed")),
    ..BASE
};

/// Finds null that is no longer taken.
pub static INPUT_NULL_REFUSED: Rule = Rule {
    id: "input-null-refused",
    detects: "null that is no longer taken",
    fix: "treat null as absent",
    explain: "Many clients send null for what was left out; those calls fail.",
    mirror: Mirror::Rule("input-null-accepted"),
    counterpart: Some(Mirror::Rule("output-null-dropped")),
    ..BASE
};

/// Finds null that is taken as well.
pub static INPUT_NULL_ACCEPTED: Rule = Rule {
    id: "input-null-accepted",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "null that is taken as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-null-refused"),
    counterpart: Some(Mirror::Rule("output-null-added")),
    ..BASE
};

/// Finds a listed value that is no longer taken.
pub static INPUT_ENUM_VALUE_REMOVED: Rule = Rule {
    id: "input-enum-value-removed",
    detects: "a listed value that is no longer taken",
    fix: "map old values to new ones in the server",
    explain: "Calls with that value were documented and are now refused.",
    mirror: Mirror::Rule("input-enum-value-added"),
    counterpart: Some(Mirror::Rule("output-enum-value-removed")),
    ..BASE
};

/// Finds another listed value.
pub static INPUT_ENUM_VALUE_ADDED: Rule = Rule {
    id: "input-enum-value-added",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "another listed value",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-enum-value-removed"),
    counterpart: Some(Mirror::Rule("output-enum-value-added")),
    ..BASE
};

/// Finds a list of values where any was taken.
pub static INPUT_ENUM_INTRODUCED: Rule = Rule {
    id: "input-enum-introduced",
    detects: "a list of values where any was taken",
    fix: "list the values in the description, and accept others",
    explain: "Calls with other values worked and are now refused.",
    mirror: Mirror::Rule("input-enum-lifted"),
    counterpart: Some(Mirror::Rule("output-enum-introduced")),
    ..BASE
};

/// Finds any value where only listed ones were taken.
pub static INPUT_ENUM_LIFTED: Rule = Rule {
    id: "input-enum-lifted",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "any value where only listed ones were taken",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-enum-introduced"),
    counterpart: Some(Mirror::Rule("output-enum-lifted")),
    ..BASE
};

/// Finds another fixed value.
pub static INPUT_CONST_CHANGED: Rule = Rule {
    id: "input-const-changed",
    action: Action::Changed,
    detects: "another fixed value",
    fix: "accept both values for a release",
    explain: "Every call with the old value is refused.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-const-changed")),
    ..BASE
};
