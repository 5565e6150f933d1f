//! Rules about the gate's own settings.

use crate::change::Severity;
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[&ALLOW_UNUSED, &ALLOW_EXPIRED];

/// An entry of the allow list without a change.
pub static ALLOW_UNUSED: Rule = Rule {
    id: "allow-unused",
    area: Area::Gate,
    direction: Direction::Neither,
    action: Action::Present,
    audience: Audience::None,
    severity: Severity::None,
    level: Level::Warn,
    detects: "an allow entry that matches no change",
    fix: "delete the entry",
    explain: "It would silently accept the change it was written for when that comes a second time.",
    mirror: Mirror::Waived("it looks at the settings, not at the surface"),
    counterpart: None,
};

/// An entry of the allow list that no longer holds.
pub static ALLOW_EXPIRED: Rule = Rule {
    id: "allow-expired",
    detects: "an allow entry whose last day is over",
    fix: "accept the change with `mcpproof accept`, undo it, or set a new date",
    explain: "The change was accepted for a time only, and that time is over.",
    ..ALLOW_UNUSED
};
