//! Writes down what one connection does. Each connection has one; the transcript is shared by all.

use crate::received::Arrived;
use crate::transcript::{Direction, Transcript};
use tokio::time::Instant;
use wire::Frame;

/// The transcript as one connection sees it.
#[derive(Clone, Debug)]
pub(crate) struct Scribe {
    /// Where it writes.
    pub(crate) transcript: Transcript,
    /// The connection's number.
    pub(crate) number: u32,
    /// When the connection opened.
    pub(crate) opened: Instant,
}

impl Scribe {
    /// Numbers a new connection.
    pub(crate) fn new(transcript: &Transcript) -> Self {
        let number = transcript.open_connection();
        Self { transcript: transcript.clone(), number, opened: Instant::now() }
    }

    /// Notes something that is not bytes.
    pub(crate) fn event(&self, words: &str) {
        self.transcript.push(self.number, Direction::Event, words.as_bytes());
    }

    /// Notes bytes and returns the index of the record.
    pub(crate) fn bytes(&self, direction: Direction, bytes: &[u8]) -> usize {
        self.transcript.push(self.number, direction, bytes)
    }

    /// Notes a frame that came on a stream of lines, with `end` as its delimiter.
    pub(crate) fn line(&self, frame: Frame, end: &[u8]) -> Arrived {
        let record = self.transcript.push_parts(self.number, Direction::Received, &[&frame.raw, end]);
        Arrived { frame, record, at: self.opened.elapsed(), exchange: None }
    }
}
