//! The surface of a server, which is everything a client sees before it calls anything: its model, its lockfile, and the rules that say what a change breaks. It does no IO and reads no clock.

mod canonical;
pub mod cassette;
mod change;
pub mod compare;
mod json;
pub mod lock;
mod model;
pub mod policy;
mod read;
mod rule;
pub mod rules;
pub mod schema;
mod text;
pub mod tokens;

pub use canonical::{canonical, content_hash, same_value};
pub use change::{Change, Diff, Severity, Witness, pointer};
pub use model::{Item, Kind, Session, Surface, View};
pub use read::{ReadError, item, read};
pub use rule::{Action, Area, Audience, Direction, Level, Mirror, Rule, all_rules, rule};
