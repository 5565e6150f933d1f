//! A record of every byte both ways with its time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which way bytes went, or what else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From us to the server.
    Sent,
    /// From the server to us.
    Received,
    /// From the server's stderr.
    Stderr,
    /// Something that is not bytes: started, exited, signalled, HTTP status and headers.
    Event,
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Time since the transcript began.
    pub at: Duration,
    /// Which connection, counted from 1 in order of opening.
    pub connection: u32,
    /// Which way.
    pub direction: Direction,
    /// The bytes, or the words of an event.
    pub bytes: Vec<u8>,
}

/// A shared, append-only transcript.
#[derive(Clone, Debug)]
pub struct Transcript {
    began: Instant,
    records: Arc<Mutex<Vec<Record>>>,
    connections: Arc<std::sync::atomic::AtomicU32>,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { began: Instant::now(), records: Arc::default(), connections: Arc::default() }
    }
}

impl Transcript {
    /// Appends a record and returns its index.
    pub fn push(&self, connection: u32, direction: Direction, bytes: &[u8]) -> usize {
        self.push_parts(connection, direction, &[bytes])
    }

    /// Appends one record made of several parts.
    pub(crate) fn push_parts(&self, connection: u32, direction: Direction, parts: &[&[u8]]) -> usize {
        let record = Record { at: self.began.elapsed(), connection, direction, bytes: parts.concat() };
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.push(record);
        records.len() - 1
    }

    /// Numbers a new connection.
    pub fn open_connection(&self) -> u32 {
        self.connections.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1
    }

    /// Copies the records out.
    pub fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
