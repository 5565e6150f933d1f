//! Rules about a schema as a whole; they hold on both sides of a call.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] =
    &[&SCHEMA_UNDECIDED, &SCHEMA_INVALID, &SCHEMA_EXTERNAL_REF, &SCHEMA_DIALECT_CHANGED, &SCHEMA_REWRITTEN];

/// Finds a change that could neither be proven harmless nor be shown to break.
pub static SCHEMA_UNDECIDED: Rule = Rule {
    id: "schema-undecided",
    action: Action::Changed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "a change that could neither be proven harmless nor be shown to break",
    fix: "simplify the schema, or accept the change by its fingerprint",
    explain: "No proof was found that the new schema takes what the old one took, and no value that shows the contrary.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Waived("it stands on both sides")),
    ..BASE
};

/// Finds a schema that is no valid JSON Schema, or refers to nothing.
pub static SCHEMA_INVALID: Rule = Rule {
    id: "schema-invalid",
    action: Action::Changed,
    detects: "a schema that is no valid JSON Schema, or refers to nothing",
    fix: "correct the schema; hosts leave such tools out",
    explain: "Hosts compile schemas before they show tools; one that does not compile makes the tool, or the whole list, disappear.",
    mirror: Mirror::Waived("its opposite is a repaired schema, which is compared as a new one"),
    counterpart: Some(Mirror::Waived("it stands on both sides")),
    ..BASE
};

/// Finds a reference that leads out of the schema.
pub static SCHEMA_EXTERNAL_REF: Rule = Rule {
    id: "schema-external-ref",
    action: Action::Changed,
    severity: Severity::Risky,
    detects: "a reference that leads out of the schema",
    fix: "bundle what it refers to into $defs",
    explain: "What stands there can change at any time, few hosts fetch it, and no lock can pin it.",
    mirror: Mirror::Waived("a reference that is resolved is compared by what it says"),
    counterpart: Some(Mirror::Waived("it stands on both sides")),
    ..BASE
};

/// Finds another draft with the same meaning.
pub static SCHEMA_DIALECT_CHANGED: Rule = Rule {
    id: "schema-dialect-changed",
    action: Action::Changed,
    severity: Severity::None,
    level: Level::Hidden,
    detects: "another draft with the same meaning",
    fix: "none needed",
    explain: "Both drafts take the same values here.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Waived("it stands on both sides")),
    ..BASE
};

/// Finds another spelling of the same values.
pub static SCHEMA_REWRITTEN: Rule = Rule {
    id: "schema-rewritten",
    action: Action::Changed,
    severity: Severity::None,
    level: Level::Hidden,
    detects: "another spelling of the same values",
    fix: "none needed",
    explain: "The same values are taken as before.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Waived("it stands on both sides")),
    ..BASE
};
