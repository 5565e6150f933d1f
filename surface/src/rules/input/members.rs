//! Rules about which arguments there are.

use super::BASE;
use crate::change::Severity;
use crate::rule::{Action, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &INPUT_REQUIRED_ADDED,
    &INPUT_NOW_REQUIRED,
    &INPUT_NOW_OPTIONAL,
    &INPUT_PROPERTY_ADDED,
    &INPUT_PROPERTY_REMOVED,
    &INPUT_PROPERTY_IGNORED,
    &INPUT_PROPERTY_RENAMED,
    &INPUT_PROPERTIES_SWAPPED,
    &INPUT_CLOSED,
    &INPUT_OPENED,
    &INPUT_DEPENDENCY_ADDED,
    &INPUT_DEPENDENCY_REMOVED,
];

/// Finds a new argument that every call must give.
pub static INPUT_REQUIRED_ADDED: Rule = Rule {
    id: "input-required-added",
    detects: "a new argument that every call must give",
    fix: "make it optional, and put the default into the server",
    explain: "Every call written for the old schema lacks it and is refused. A default in the schema does not help: it is a note, not a value that validators fill in.",
    mirror: Mirror::Waived(
        "its opposite is a removed argument, which is judged by what becomes of calls that send it",
    ),
    counterpart: Some(Mirror::Waived("a new member that results always have is output-property-added")),
    ..BASE
};

/// Finds an optional argument that is now required.
pub static INPUT_NOW_REQUIRED: Rule = Rule {
    id: "input-now-required",
    detects: "an optional argument that is now required",
    fix: "keep it optional, and put the default into the server",
    explain: "Calls that left it out worked and are now refused.",
    mirror: Mirror::Rule("input-now-optional"),
    counterpart: Some(Mirror::Rule("output-now-guaranteed")),
    ..BASE
};

/// Finds a required argument that may now be left out.
pub static INPUT_NOW_OPTIONAL: Rule = Rule {
    id: "input-now-optional",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a required argument that may now be left out",
    fix: "none needed",
    explain: "Calls that give it work as before.",
    mirror: Mirror::Rule("input-now-required"),
    counterpart: Some(Mirror::Rule("output-now-optional")),
    ..BASE
};

/// Finds a new optional argument.
pub static INPUT_PROPERTY_ADDED: Rule = Rule {
    id: "input-property-added",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a new optional argument",
    fix: "none needed",
    explain: "Calls that do not know it work as before.",
    mirror: Mirror::Rule("input-property-removed"),
    counterpart: Some(Mirror::Rule("output-property-added")),
    ..BASE
};

/// Finds an argument that is gone, so that calls with it are refused.
pub static INPUT_PROPERTY_REMOVED: Rule = Rule {
    id: "input-property-removed",
    detects: "an argument that is gone, so that calls with it are refused",
    fix: "keep accepting it for a release, and ignore it in the server",
    explain: "Callers still send it, from saved prompts, scripts and memory, and each such call fails.",
    mirror: Mirror::Rule("input-property-added"),
    counterpart: Some(Mirror::Rule("output-property-removed")),
    ..BASE
};

/// Finds an argument that is gone where unknown arguments are accepted.
pub static INPUT_PROPERTY_IGNORED: Rule = Rule {
    id: "input-property-ignored",
    action: Action::Removed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "an argument that is gone where unknown arguments are accepted",
    fix: "refuse it with a clear error, or keep it",
    explain: "Calls with it still succeed, but no longer do what was asked, and nobody is told.",
    mirror: Mirror::Rule("input-property-added"),
    counterpart: Some(Mirror::Rule("output-property-removed")),
    ..BASE
};

/// Finds an argument under another name with the same schema and text.
pub static INPUT_PROPERTY_RENAMED: Rule = Rule {
    id: "input-property-renamed",
    action: Action::Changed,
    detects: "an argument under another name with the same schema and text",
    fix: "accept both names for a release",
    explain: "Callers keep sending the old name; it is refused, or silently ignored where unknown arguments are accepted.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Rule("output-property-renamed")),
    ..BASE
};

/// Finds two properties that stand for one another.
pub static INPUT_PROPERTIES_SWAPPED: Rule = Rule {
    id: "input-properties-swapped",
    action: Action::Changed,
    severity: Severity::Risky,
    level: Level::Warn,
    detects: "two properties of which each is what the other was, words included; what changed with them is told as well",
    fix: "put them back, or give both new names, so that a call fails instead of meaning something else",
    explain: "A recorded call is still taken where both have one type, and its two values trade their meaning.",
    mirror: Mirror::Itself,
    counterpart: Some(Mirror::Waived("results that trade two members are told member by member")),
    ..BASE
};

/// Finds unknown arguments that are now refused.
pub static INPUT_CLOSED: Rule = Rule {
    id: "input-closed",
    detects: "unknown arguments that are now refused",
    fix: "stay open for a release; models send extra arguments",
    explain: "Models often add an argument of their own invention; such calls worked and now fail.",
    mirror: Mirror::Rule("input-opened"),
    counterpart: Some(Mirror::Rule("output-closed")),
    ..BASE
};

/// Finds unknown arguments that are now accepted.
pub static INPUT_OPENED: Rule = Rule {
    id: "input-opened",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "unknown arguments that are now accepted",
    fix: "none needed",
    explain: "More calls are accepted than before.",
    mirror: Mirror::Rule("input-closed"),
    counterpart: Some(Mirror::Rule("output-opened")),
    ..BASE
};

/// Finds an argument that now needs another, or a condition between arguments.
pub static INPUT_DEPENDENCY_ADDED: Rule = Rule {
    id: "input-dependency-added",
    detects: "an argument that now needs another, or a condition between arguments",
    fix: "fill in the missing argument in the server",
    explain: "Calls that gave one without the other worked and are now refused.",
    mirror: Mirror::Rule("input-dependency-removed"),
    counterpart: Some(Mirror::Rule("output-dependency-added")),
    ..BASE
};

/// Finds an argument that no longer needs another.
pub static INPUT_DEPENDENCY_REMOVED: Rule = Rule {
    id: "input-dependency-removed",
    action: Action::Widened,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "an argument that no longer needs another",
    fix: "none needed",
    explain: "More calls are accepted than before.",
    mirror: Mirror::Rule("input-dependency-added"),
    counterpart: Some(Mirror::Rule("output-dependency-removed")),
    ..BASE
};
