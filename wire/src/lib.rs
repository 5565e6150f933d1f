//! JSON-RPC and MCP bytes: framing, messages and their deviations. No IO, no clock; nothing is refused that is merely wrong.

mod deviation;
mod envelope;
mod excerpt;
mod headers;
mod join;
mod json;
mod lines;
mod locate;
mod log;
mod message;
mod noise;
mod scan;
mod sse;
mod value;

pub use deviation::{Deviation, DeviationKind};
pub use excerpt::Excerpt;
pub use lines::LineReader;
pub use locate::locate;
pub use message::{Answer, Frame, Message, Notification, Request, Response};
pub use sse::{SseEvent, SseReader};
pub use value::{Number, Object, Value};
