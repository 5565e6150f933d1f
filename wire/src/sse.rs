//! Server-sent events by the rules of the WHATWG HTML standard, section 9.2.6.

/// One dispatched event, or what was pending when the stream ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field; empty means `message`.
    pub event: String,
    /// The `data` lines joined by newlines; `None` when no data field came.
    pub data: Option<String>,
    /// The `id` field of this event, if one came.
    pub id: Option<String>,
    /// The `retry` field in milliseconds, if a valid one came.
    pub retry: Option<u64>,
    /// Comment lines before it, without the colon.
    pub comments: Vec<String>,
    /// False when the stream ended before the blank line; the standard discards such an event.
    pub dispatched: bool,
}

/// Parses a stream of bytes into events.
#[derive(Debug, Default)]
pub struct SseReader {
    pending: Vec<u8>,
}

impl SseReader {
    /// Takes in bytes and returns the events that were dispatched.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        todo!("{bytes:?}")
    }

    /// The event that waits for its blank line, as far as it came.
    pub fn pending(&self) -> Option<SseEvent> {
        todo!("{:?}", self.pending)
    }
}
