//! The answer to one request while it comes: its events one by one, its body up to a limit.

use super::pool::{Line, Pool};
use crate::exchange::{BodyEnd, Exchange};
use crate::scribe::Scribe;
use crate::transcript::Direction;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Instant, timeout_at};
use wire::{SseEvent, SseReader};

/// How much of a stream of events is kept in its exchange, as bytes and again as events.
const STREAM_KEPT: usize = 256 * 1024;

/// Bytes of an event stream that wait for their blank line.
pub(super) type Rest = Arc<Mutex<Vec<u8>>>;

/// The length and the first bytes of a body that is no event stream and has not ended; of several, the last to grow.
pub(super) type OpenBody = Arc<Mutex<Option<(usize, Vec<u8>)>>>;

/// How much of an unfinished body is shown.
const SHOWN: usize = 1024;

/// How far a body is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Longest body, or event of a stream.
    pub(super) limit: usize,
    /// The end of patience; none means as long as the server likes.
    pub(super) until: Option<Instant>,
    /// Where the bytes that wait for their blank line are shown.
    pub(super) rest: Rest,
    /// Where a body that has not ended is shown.
    pub(super) open_body: OpenBody,
}

/// An answer whose headers have come.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) exchange: Exchange,
    pub(super) scribe: Scribe,
    pub(super) reading: Reading,
    /// The record in the transcript that holds the last bytes.
    pub(super) record: usize,
    pub(super) sent_at: Instant,
    body: Option<(Incoming, Line)>,
    /// Where the connection goes when the answer has come whole.
    pool: Pool,
    events: Option<SseReader>,
    ready: VecDeque<SseEvent>,
    events_kept: usize,
}

impl Answer {
    pub(super) fn new(
        exchange: Exchange,
        body: (Incoming, Line),
        pool: Pool,
        scribe: Scribe,
        record: usize,
        sent_at: Instant,
    ) -> Self {
        Self {
            exchange,
            scribe,
            record,
            sent_at,
            reading: Reading::default(),
            body: Some(body),
            pool,
            events: None,
            ready: VecDeque::new(),
            events_kept: 0,
        }
    }

    /// Says how far the body is to be read.
    pub(super) fn reading(mut self, reading: Reading) -> Self {
        let is_stream = self.exchange.media_type() == "text/event-stream";
        self.events = is_stream.then(|| SseReader::with_limit(reading.limit));
        self.reading = reading;
        self
    }

    /// The next event with the record that ended it; `None` at the end of the body, at once when it is no event stream.
    pub(super) async fn next_event(&mut self) -> Option<(SseEvent, usize)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((event, self.record));
            }
            match self.next_chunk().await {
                Ok(chunk) => self.take_in(&chunk),
                Err(end) => {
                    self.finish(end);
                    return None;
                }
            }
        }
    }

    async fn next_chunk(&mut self) -> Result<Bytes, BodyEnd> {
        let Some((body, _)) = &mut self.body else { return Err(self.exchange.end) };
        loop {
            let frame = match self.reading.until {
                Some(deadline) => timeout_at(deadline, body.frame()).await.map_err(|_| BodyEnd::Deadline)?,
                None => body.frame().await,
            };
            match frame {
                None => return Err(BodyEnd::Complete),
                Some(Err(_)) => return Err(BodyEnd::Cut),
                // Trailers carry nothing here.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data)
                        if data.len() + self.exchange.body.len() > self.reading.limit
                            && self.events.is_none() =>
                    {
                        let room = self.reading.limit - self.exchange.body.len();
                        self.exchange.body.extend_from_slice(&data[..room]);
                        return Err(BodyEnd::TooLong);
                    }
                    Ok(data) => return Ok(data),
                    Err(_) => {}
                },
            }
        }
    }

    fn take_in(&mut self, chunk: &[u8]) {
        let Some(reader) = &mut self.events else {
            let body = &mut self.exchange.body;
            body.extend_from_slice(chunk);
            let shown = body[..body.len().min(SHOWN)].to_vec();
            *self.reading.open_body.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((body.len(), shown));
            return;
        };
        self.record = self.scribe.bytes(Direction::Received, chunk);
        let room = STREAM_KEPT.saturating_sub(self.exchange.body.len()).min(chunk.len());
        self.exchange.body.extend_from_slice(&chunk[..room]);
        let events = reader.push(chunk);
        show_rest(&self.reading.rest, chunk, !events.is_empty(), self.reading.limit);
        for event in &events {
            self.events_kept += event.data.as_ref().map_or(0, String::len) + 64;
            if self.events_kept <= STREAM_KEPT {
                self.exchange.events.push(event.clone());
            }
        }
        self.ready.extend(events);
    }

    /// Ends reading because enough was seen.
    pub(super) fn stop(&mut self) {
        self.finish(BodyEnd::Stopped);
    }

    fn finish(&mut self, end: BodyEnd) {
        let Some((_, line)) = self.body.take() else { return };
        // After a refusal what was sent may still lie unread there, and spoil the next request.
        if end == BodyEnd::Complete && self.exchange.status < 400 {
            self.pool.give(line);
        }
        if self.events.is_none() {
            *self.reading.open_body.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        match &self.events {
            None if !self.exchange.body.is_empty() => {
                self.record = self.scribe.bytes(Direction::Received, &self.exchange.body);
            }
            None => {}
            Some(reader) => self.exchange.unterminated = reader.pending(),
        }
        if end != BodyEnd::Complete {
            self.scribe.event(&format!("the body {end}"));
        }
        self.exchange.end = end;
        self.exchange.took = self.sent_at.elapsed();
    }
}

/// Keeps what follows the last blank line.
fn show_rest(rest: &Rest, chunk: &[u8], some_ended: bool, limit: usize) {
    let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
    let after = if some_ended {
        rest.clear();
        let blank = |at: &usize| {
            let before = &chunk[..*at];
            before.ends_with(b"\n\n") || before.ends_with(b"\r\r") || before.ends_with(b"\r\n\r\n")
        };
        // Where the blank line is split over two chunks, its second half opens this one.
        (1..=chunk.len()).rev().find(blank).unwrap_or(usize::from(matches!(chunk[0], b'\r' | b'\n')))
    } else {
        0
    };
    let room = limit.saturating_sub(rest.len()).min(chunk.len() - after);
    rest.extend_from_slice(&chunk[after..after + room]);
}
