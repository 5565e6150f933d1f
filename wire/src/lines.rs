//! Newline framing: a byte stream in, frames out, whatever the sender made of the rules.

use crate::message::Frame;

/// Cuts a byte stream into frames.
#[derive(Debug)]
pub struct LineReader {
    limit: usize,
    pending: Vec<u8>,
}

impl LineReader {
    /// Starts at the beginning of a stream; lines over `limit` bytes are cut and flagged.
    pub fn new(limit: usize) -> Self {
        Self { limit, pending: Vec::new() }
    }

    /// Takes in bytes and returns the frames that are now whole.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        todo!("{} {bytes:?}", self.limit)
    }

    /// Bytes that wait for their newline.
    pub fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// Ends the stream and returns what was left, flagged as unterminated.
    pub fn finish(&mut self) -> Vec<Frame> {
        todo!()
    }
}
