//! Rules about limits of arguments.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &INPUT_RANGE_NARROWED,
    &INPUT_RANGE_WIDENED,
    &INPUT_LENGTH_NARROWED,
    &INPUT_LENGTH_WIDENED,
    &INPUT_ITEMS_NARROWED,
    &INPUT_ITEMS_WIDENED,
    &INPUT_SIZE_NARROWED,
    &INPUT_SIZE_WIDENED,
    &INPUT_PATTERN_NARROWED,
    &INPUT_PATTERN_WIDENED,
    &INPUT_PATTERN_CHANGED,
    &INPUT_COMPOSITION_NARROWED,
    &INPUT_COMPOSITION_WIDENED,
];

/// Finds a number that is no longer in range.
pub static INPUT_RANGE_NARROWED: Rule = Rule {
    id: "input-range-narrowed",
    detects: "a number that is no longer in range",
    fix: "clamp the number in the server",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-range-widened"),
    counterpart: Some(Mirror::Rule("output-range-narrowed")),
    ..BASE
};

/// Finds a wider range of numbers.
pub static INPUT_RANGE_WIDENED: Rule = Rule {
    id: "input-range-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a wider range of numbers",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-range-narrowed"),
    counterpart: Some(Mirror::Rule("output-range-widened")),
    ..BASE
};

/// Finds a shorter range of lengths for a text.
pub static INPUT_LENGTH_NARROWED: Rule = Rule {
    id: "input-length-narrowed",
    detects: "a shorter range of lengths for a text",
    fix: "cut the text in the server, or explain the limit in the error",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-length-widened"),
    counterpart: Some(Mirror::Rule("output-length-narrowed")),
    ..BASE
};

/// Finds a wider range of lengths for a text.
pub static INPUT_LENGTH_WIDENED: Rule = Rule {
    id: "input-length-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a wider range of lengths for a text",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-length-narrowed"),
    counterpart: Some(Mirror::Rule("output-length-widened")),
    ..BASE
};

/// Finds a list that is no longer taken: its length, its uniqueness or what it holds.
pub static INPUT_ITEMS_NARROWED: Rule = Rule {
    id: "input-items-narrowed",
    detects: "a list that is no longer taken: its length, its uniqueness or what it holds",
    fix: "cut or clean the list in the server",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-items-widened"),
    counterpart: Some(Mirror::Rule("output-items-narrowed")),
    ..BASE
};

/// Finds lists that are taken as well.
pub static INPUT_ITEMS_WIDENED: Rule = Rule {
    id: "input-items-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "lists that are taken as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-items-narrowed"),
    counterpart: Some(Mirror::Rule("output-items-widened")),
    ..BASE
};

/// Finds an object that is no longer taken: its size, or what its free members hold.
pub static INPUT_SIZE_NARROWED: Rule = Rule {
    id: "input-size-narrowed",
    detects: "an object that is no longer taken: its size, or what its free members hold",
    fix: "accept what was accepted, and clean it in the server",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-size-widened"),
    counterpart: Some(Mirror::Rule("output-size-narrowed")),
    ..BASE
};

/// Finds objects that are taken as well.
pub static INPUT_SIZE_WIDENED: Rule = Rule {
    id: "input-size-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "objects that are taken as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-size-narrowed"),
    counterpart: Some(Mirror::Rule("output-size-widened")),
    ..BASE
};

/// Finds a text that the pattern no longer takes.
pub static INPUT_PATTERN_NARROWED: Rule = Rule {
    id: "input-pattern-narrowed",
    detects: "a text that the pattern no longer takes",
    fix: "loosen the pattern, and check inside the server",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-pattern-widened"),
    counterpart: Some(Mirror::Rule("output-pattern-narrowed")),
    ..BASE
};

/// Finds texts that the pattern takes as well.
pub static INPUT_PATTERN_WIDENED: Rule = Rule {
    id: "input-pattern-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "texts that the pattern takes as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-pattern-narrowed"),
    counterpart: Some(Mirror::Rule("output-pattern-widened")),
    ..BASE
};

/// Finds another pattern, which refuses texts that the old one took.
pub static INPUT_PATTERN_CHANGED: Rule = Rule {
    id: "input-pattern-changed",
    action: Action::Changed,
    detects: "another pattern, which refuses texts that the old one took",
    fix: "accept both forms for a release",
    explain: "Texts that were valid are refused now.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-pattern-changed")),
    ..BASE
};

/// Finds a value that no alternative takes any more.
pub static INPUT_COMPOSITION_NARROWED: Rule = Rule {
    id: "input-composition-narrowed",
    detects: "a value that no alternative takes any more",
    fix: "keep the alternative that took it",
    explain: "Calls with such a value were valid by the old schema and are now refused.",
    mirror: Mirror::Rule("input-composition-widened"),
    counterpart: Some(Mirror::Rule("output-composition-narrowed")),
    ..BASE
};

/// Finds values that an alternative takes as well.
pub static INPUT_COMPOSITION_WIDENED: Rule = Rule {
    id: "input-composition-widened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "values that an alternative takes as well",
    fix: "none needed",
    explain: "What was accepted is still accepted.",
    mirror: Mirror::Rule("input-composition-narrowed"),
    counterpart: Some(Mirror::Rule("output-composition-widened")),
    ..BASE
};
