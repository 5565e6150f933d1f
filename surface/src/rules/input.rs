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

/// The table.
pub(crate) const RULES: &[&Rule] = &joined();

const PARTS: [&[&Rule]; 5] = [members::RULES, values::RULES, limits::RULES, notes::RULES, schemas::RULES];

const fn count() -> usize {
    let (mut total, mut part) = (0, 0);
    while part < PARTS.len() {
        total += PARTS[part].len();
        part += 1;
    }
    total
}

const fn joined() -> [&'static Rule; count()] {
    let mut all = [PARTS[0][0]; count()];
    let (mut at, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut row = 0;
        while row < PARTS[part].len() {
            all[at] = PARTS[part][row];
            at += 1;
            row += 1;
        }
        part += 1;
    }
    all
}
