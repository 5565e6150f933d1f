//! Rules about output schemas: what old readers meet.

pub mod limits;
pub mod members;
pub mod notes;
pub mod values;

use crate::change::Severity;
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// What most rules of this side share.
const BASE: Rule = Rule {
    id: "",
    area: Area::Output,
    direction: Direction::Output,
    action: Action::Widened,
    audience: Audience::Consumer,
    severity: Severity::Breaking,
    level: Level::Error,
    detects: "",
    fix: "",
    explain: "",
    mirror: Mirror::Itself,
    counterpart: None,
};
