//! Rules about types and listed values of results.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &OUTPUT_TYPE_WIDENED,
    &OUTPUT_TYPE_NARROWED,
    &OUTPUT_TYPE_CHANGED,
    &OUTPUT_NULL_ADDED,
    &OUTPUT_NULL_DROPPED,
    &OUTPUT_ENUM_VALUE_ADDED,
    &OUTPUT_ENUM_VALUE_REMOVED,
    &OUTPUT_ENUM_LIFTED,
    &OUTPUT_ENUM_INTRODUCED,
    &OUTPUT_CONST_CHANGED,
];

/// Finds a type that readers do not know.
pub static OUTPUT_TYPE_WIDENED: Rule = Rule {
    id: "output-type-widened",
    detects: "a type that readers do not know",
    fix: "put the new form into a new member",
    explain: "Readers that expect the old type fail on the new one.",
    mirror: Mirror::Rule("output-type-narrowed"),
    counterpart: Some(Mirror::Rule("input-type-widened")),
    ..BASE
};

/// Finds a type that no longer comes.
pub static OUTPUT_TYPE_NARROWED: Rule = Rule {
    id: "output-type-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a type that no longer comes",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-type-widened"),
    counterpart: Some(Mirror::Rule("input-type-narrowed")),
    ..BASE
};

/// Finds another type.
pub static OUTPUT_TYPE_CHANGED: Rule = Rule {
    id: "output-type-changed",
    action: Action::Changed,
    detects: "another type",
    fix: "put the new form into a new member",
    explain: "Readers that expect the old type fail on every result.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("input-type-changed")),
    ..BASE
};

/// Finds null that may now come.
pub static OUTPUT_NULL_ADDED: Rule = Rule {
    id: "output-null-added",
    detects: "null that may now come",
    fix: "leave the member out, or keep sending a value",
    explain: "Readers take the value without looking for null.",
    mirror: Mirror::Rule("output-null-dropped"),
    counterpart: Some(Mirror::Rule("input-null-accepted")),
    ..BASE
};

/// Finds null that no longer comes.
pub static OUTPUT_NULL_DROPPED: Rule = Rule {
    id: "output-null-dropped",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "null that no longer comes",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-null-added"),
    counterpart: Some(Mirror::Rule("input-null-refused")),
    ..BASE
};

/// Finds another listed value.
pub static OUTPUT_ENUM_VALUE_ADDED: Rule = Rule {
    id: "output-enum-value-added",
    level: Level::Warn,
    detects: "another listed value",
    fix: "tell readers to expect new values",
    explain: "Readers that handle each listed value meet one that they do not know.",
    mirror: Mirror::Rule("output-enum-value-removed"),
    counterpart: Some(Mirror::Rule("input-enum-value-added")),
    ..BASE
};

/// Finds a listed value that no longer comes.
pub static OUTPUT_ENUM_VALUE_REMOVED: Rule = Rule {
    id: "output-enum-value-removed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a listed value that no longer comes",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-enum-value-added"),
    counterpart: Some(Mirror::Rule("input-enum-value-removed")),
    ..BASE
};

/// Finds any value where only listed ones came.
pub static OUTPUT_ENUM_LIFTED: Rule = Rule {
    id: "output-enum-lifted",
    level: Level::Warn,
    detects: "any value where only listed ones came",
    fix: "keep the list, or tell readers to expect new values",
    explain: "Readers that handle each listed value meet ones that they do not know.",
    mirror: Mirror::Rule("output-enum-introduced"),
    counterpart: Some(Mirror::Rule("input-enum-lifted")),
    ..BASE
};

/// Finds a list of the values that can come.
pub static OUTPUT_ENUM_INTRODUCED: Rule = Rule {
    id: "output-enum-introduced",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a list of the values that can come",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-enum-lifted"),
    counterpart: Some(Mirror::Rule("input-enum-introduced")),
    ..BASE
};

/// Finds another fixed value.
pub static OUTPUT_CONST_CHANGED: Rule = Rule {
    id: "output-const-changed",
    action: Action::Changed,
    detects: "another fixed value",
    fix: "put the new value into a new member",
    explain: "Readers tell results apart by that value.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("input-const-changed")),
    ..BASE
};
