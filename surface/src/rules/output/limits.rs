//! Rules about limits of results.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &OUTPUT_RANGE_WIDENED,
    &OUTPUT_RANGE_NARROWED,
    &OUTPUT_LENGTH_WIDENED,
    &OUTPUT_LENGTH_NARROWED,
    &OUTPUT_ITEMS_WIDENED,
    &OUTPUT_ITEMS_NARROWED,
    &OUTPUT_SIZE_WIDENED,
    &OUTPUT_SIZE_NARROWED,
    &OUTPUT_PATTERN_WIDENED,
    &OUTPUT_PATTERN_NARROWED,
    &OUTPUT_PATTERN_CHANGED,
    &OUTPUT_COMPOSITION_WIDENED,
    &OUTPUT_COMPOSITION_NARROWED,
];

/// Finds numbers outside of the range that was promised.
pub static OUTPUT_RANGE_WIDENED: Rule = Rule {
    id: "output-range-widened",
    level: Level::Warn,
    detects: "numbers outside of the range that was promised",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-range-narrowed"),
    counterpart: Some(Mirror::Rule("input-range-widened")),
    ..BASE
};

/// Finds a narrower range of numbers.
pub static OUTPUT_RANGE_NARROWED: Rule = Rule {
    id: "output-range-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a narrower range of numbers",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-range-widened"),
    counterpart: Some(Mirror::Rule("input-range-narrowed")),
    ..BASE
};

/// Finds texts of a length that was not promised.
pub static OUTPUT_LENGTH_WIDENED: Rule = Rule {
    id: "output-length-widened",
    level: Level::Warn,
    detects: "texts of a length that was not promised",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-length-narrowed"),
    counterpart: Some(Mirror::Rule("input-length-widened")),
    ..BASE
};

/// Finds a narrower range of lengths.
pub static OUTPUT_LENGTH_NARROWED: Rule = Rule {
    id: "output-length-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a narrower range of lengths",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-length-widened"),
    counterpart: Some(Mirror::Rule("input-length-narrowed")),
    ..BASE
};

/// Finds lists that were not promised: their length, their uniqueness or what they hold.
pub static OUTPUT_ITEMS_WIDENED: Rule = Rule {
    id: "output-items-widened",
    level: Level::Warn,
    detects: "lists that were not promised: their length, their uniqueness or what they hold",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-items-narrowed"),
    counterpart: Some(Mirror::Rule("input-items-widened")),
    ..BASE
};

/// Finds fewer kinds of lists.
pub static OUTPUT_ITEMS_NARROWED: Rule = Rule {
    id: "output-items-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "fewer kinds of lists",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-items-widened"),
    counterpart: Some(Mirror::Rule("input-items-narrowed")),
    ..BASE
};

/// Finds objects that were not promised: their size, or what their free members hold.
pub static OUTPUT_SIZE_WIDENED: Rule = Rule {
    id: "output-size-widened",
    level: Level::Warn,
    detects: "objects that were not promised: their size, or what their free members hold",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-size-narrowed"),
    counterpart: Some(Mirror::Rule("input-size-widened")),
    ..BASE
};

/// Finds fewer kinds of objects.
pub static OUTPUT_SIZE_NARROWED: Rule = Rule {
    id: "output-size-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "fewer kinds of objects",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-size-widened"),
    counterpart: Some(Mirror::Rule("input-size-narrowed")),
    ..BASE
};

/// Finds texts outside of the pattern that was promised.
pub static OUTPUT_PATTERN_WIDENED: Rule = Rule {
    id: "output-pattern-widened",
    level: Level::Warn,
    detects: "texts outside of the pattern that was promised",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-pattern-narrowed"),
    counterpart: Some(Mirror::Rule("input-pattern-widened")),
    ..BASE
};

/// Finds a narrower pattern.
pub static OUTPUT_PATTERN_NARROWED: Rule = Rule {
    id: "output-pattern-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a narrower pattern",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-pattern-widened"),
    counterpart: Some(Mirror::Rule("input-pattern-narrowed")),
    ..BASE
};

/// Finds another pattern.
pub static OUTPUT_PATTERN_CHANGED: Rule = Rule {
    id: "output-pattern-changed",
    action: Action::Changed,
    level: Level::Warn,
    detects: "another pattern",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old pattern refuse them.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("input-pattern-changed")),
    ..BASE
};

/// Finds values that no alternative promised.
pub static OUTPUT_COMPOSITION_WIDENED: Rule = Rule {
    id: "output-composition-widened",
    level: Level::Warn,
    detects: "values that no alternative promised",
    fix: "keep the promise, or put the new form into a new member",
    explain: "Readers that hold results against the old schema refuse them.",
    mirror: Mirror::Rule("output-composition-narrowed"),
    counterpart: Some(Mirror::Rule("input-composition-widened")),
    ..BASE
};

/// Finds fewer alternatives.
pub static OUTPUT_COMPOSITION_NARROWED: Rule = Rule {
    id: "output-composition-narrowed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "fewer alternatives",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-composition-widened"),
    counterpart: Some(Mirror::Rule("input-composition-narrowed")),
    ..BASE
};
