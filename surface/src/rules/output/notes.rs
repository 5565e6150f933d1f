//! Rules about what a schema tells of results without promising it.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] =
    &[&OUTPUT_FORMAT_CHANGED, &OUTPUT_FORMAT_ADDED, &OUTPUT_ANNOTATION_CHANGED];

/// Finds another format, or none where there was one.
pub static OUTPUT_FORMAT_CHANGED: Rule = Rule {
    id: "output-format-changed",
    action: Action::Changed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "another format, or none where there was one",
    fix: "keep the format, or put the new form into a new member",
    explain: "Readers parse the text by its format.",
    mirror: Mirror::Rule("output-format-added"),
    counterpart: Some(Mirror::Rule("input-format-added-or-changed")),
    ..BASE
};

/// Finds a format that is now promised.
pub static OUTPUT_FORMAT_ADDED: Rule = Rule {
    id: "output-format-added",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a format that is now promised",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-format-changed"),
    counterpart: Some(Mirror::Rule("input-format-added-or-changed")),
    ..BASE
};

/// Finds another title, default, example or deprecation of a member.
pub static OUTPUT_ANNOTATION_CHANGED: Rule = Rule {
    id: "output-annotation-changed",
    action: Action::Changed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "another title, default, example or deprecation of a member",
    fix: "none needed",
    explain: "The results are the same.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Waived("each of these has a rule of its own on the side of input")),
    ..BASE
};
