//! Rules about input schemas: what old calls meet.

pub mod limits;
pub mod members;
pub mod notes;
pub mod schemas;
pub mod values;

use crate::change::Severity;
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// What most rules of this side share.
const BASE: Rule = Rule {
    id: "",
    area: Area::Input,
    direction: Direction::Input,
    action: Action::Narrowed,
    audience: Audience::Caller,
    severity: Severity::Breaking,
    level: Level::Error,
    detects: "",
    fix: "",
    explain: "",
    mirror: Mirror::Itself,
    counterpart: None,
};
