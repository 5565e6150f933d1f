//! Rules about which members results have.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &OUTPUT_SCHEMA_REMOVED,
    &OUTPUT_SCHEMA_ADDED,
    &OUTPUT_PROPERTY_REMOVED,
    &OUTPUT_PROPERTY_RENAMED,
    &OUTPUT_PROPERTY_ADDED,
    &OUTPUT_NOW_OPTIONAL,
    &OUTPUT_NOW_GUARANTEED,
    &OUTPUT_OPENED,
    &OUTPUT_CLOSED,
    &OUTPUT_DEPENDENCY_REMOVED,
    &OUTPUT_DEPENDENCY_ADDED,
];

/// Finds results without a schema where there was one.
pub static OUTPUT_SCHEMA_REMOVED: Rule = Rule {
    id: "output-schema-removed",
    action: Action::Removed,
    detects: "results without a schema where there was one",
    fix: "keep the schema; clients validate against it",
    explain: "Typed clients generate their types from it, and hosts refuse structured results that they cannot check.",
    mirror: Mirror::Rule("output-schema-added"),
    counterpart: Some(Mirror::Waived("tools always have an input schema")),
    ..BASE
};

/// Finds a schema for results.
pub static OUTPUT_SCHEMA_ADDED: Rule = Rule {
    id: "output-schema-added",
    action: Action::Added,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a schema for results",
    fix: "none needed",
    explain: "Results that were free before are promised now.",
    mirror: Mirror::Rule("output-schema-removed"),
    counterpart: Some(Mirror::Waived("tools always have an input schema")),
    ..BASE
};

/// Finds a member that results no longer have.
pub static OUTPUT_PROPERTY_REMOVED: Rule = Rule {
    id: "output-property-removed",
    action: Action::Removed,
    detects: "a member that results no longer have",
    fix: "keep sending it for a release",
    explain: "Readers that rely on it find nothing.",
    mirror: Mirror::Rule("output-property-added"),
    counterpart: Some(Mirror::Rule("input-property-removed")),
    ..BASE
};

/// Finds a member under another name.
pub static OUTPUT_PROPERTY_RENAMED: Rule = Rule {
    id: "output-property-renamed",
    action: Action::Changed,
    detects: "a member under another name",
    fix: "send both names for a release",
    explain: "Readers look for the old name.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("input-property-renamed")),
    ..BASE
};

/// Finds another member.
pub static OUTPUT_PROPERTY_ADDED: Rule = Rule {
    id: "output-property-added",
    action: Action::Added,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "another member",
    fix: "open the object a release before",
    explain: "Readers that ignore unknown members go on; strict ones refuse the result.",
    mirror: Mirror::Rule("output-property-removed"),
    counterpart: Some(Mirror::Rule("input-property-added")),
    ..BASE
};

/// Finds a member that may now be missing.
pub static OUTPUT_NOW_OPTIONAL: Rule = Rule {
    id: "output-now-optional",
    detects: "a member that may now be missing",
    fix: "keep sending it",
    explain: "Readers take it without looking whether it is there.",
    mirror: Mirror::Rule("output-now-guaranteed"),
    counterpart: Some(Mirror::Rule("input-now-optional")),
    ..BASE
};

/// Finds a member that is now always there.
pub static OUTPUT_NOW_GUARANTEED: Rule = Rule {
    id: "output-now-guaranteed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a member that is now always there",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-now-optional"),
    counterpart: Some(Mirror::Rule("input-now-required")),
    ..BASE
};

/// Finds unknown members that may now appear.
pub static OUTPUT_OPENED: Rule = Rule {
    id: "output-opened",
    level: Level::Warn,
    detects: "unknown members that may now appear",
    fix: "keep the object closed, or list the new members",
    explain: "Readers that hold results against the old schema refuse unknown members.",
    mirror: Mirror::Rule("output-closed"),
    counterpart: Some(Mirror::Rule("input-opened")),
    ..BASE
};

/// Finds unknown members that no longer appear.
pub static OUTPUT_CLOSED: Rule = Rule {
    id: "output-closed",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "unknown members that no longer appear",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-opened"),
    counterpart: Some(Mirror::Rule("input-closed")),
    ..BASE
};

/// Finds a member that no longer comes with another.
pub static OUTPUT_DEPENDENCY_REMOVED: Rule = Rule {
    id: "output-dependency-removed",
    level: Level::Warn,
    detects: "a member that no longer comes with another",
    fix: "keep sending both",
    explain: "Readers that found the one expected the other.",
    mirror: Mirror::Rule("output-dependency-added"),
    counterpart: Some(Mirror::Rule("input-dependency-removed")),
    ..BASE
};

/// Finds a member that now comes with another.
pub static OUTPUT_DEPENDENCY_ADDED: Rule = Rule {
    id: "output-dependency-added",
    action: Action::Narrowed,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a member that now comes with another",
    fix: "none needed",
    explain: "Every result is one that readers knew.",
    mirror: Mirror::Rule("output-dependency-removed"),
    counterpart: Some(Mirror::Rule("input-dependency-added")),
    ..BASE
};
