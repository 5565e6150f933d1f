//! Recorded conversations: their text, the specs that make them, and how a recording answers in the place of the server. Talking to servers stands elsewhere.

mod difference;
mod golden;
mod model;
mod player;
mod redact;
mod spec;

pub use difference::{Difference, differences, in_lines};
pub use golden::{Golden, GoldenCall, Judged, Verdict, compare};
pub use model::{Cassette, CassetteError, Conversation, Exchange, Opening, Outcome, VERSION};
pub use player::Player;
pub use redact::{Pointer, Redaction};
pub use spec::{Call, Compare, Spec};
