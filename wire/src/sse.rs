//! Server-sent events by the rules of the WHATWG HTML standard, section 9.2.6.

use std::borrow::Cow;
use std::mem;

use crate::deviation::{Deviation, DeviationKind};
use crate::json::BOM;
use crate::log::Log;
use crate::scan;

/// Bytes of one event that are kept unless the reader was made with another limit.
const LIMIT: usize = 64 * 1024 * 1024;

/// Comment lines of one event that are kept.
const COMMENTS: usize = 1000;

/// A block of lines that a blank line ended, or what was pending when the stream ended.
///
/// A reader that wants only what the standard dispatches keeps the events that have `dispatched`.
/// `data:` alone is dispatched with empty data, as the priming event of the 2025-11-25 revision is.
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
    /// Comment lines in it, without the colon and the space after it.
    pub comments: Vec<String>,
    /// False when the standard discards the event: no data field came, or the stream ended before the blank line.
    pub dispatched: bool,
    /// What is wrong with its bytes: not UTF-8, or over the limit.
    pub deviations: Vec<Deviation>,
}

/// Parses a stream of bytes into events.
#[derive(Debug)]
pub struct SseReader {
    limit: usize,
    /// The unfinished line, as far as the limit lets it be kept.
    line: Vec<u8>,
    /// Bytes of the unfinished line that were dropped.
    cut: usize,
    /// The lines of the block so far.
    block: Block,
    /// Tells whether the last byte was a carriage return, so that a line feed belongs to it.
    after_return: bool,
    /// Tells whether a line has ended yet; only before that a byte order mark is skipped.
    started: bool,
    last_event_id: String,
}

impl Default for SseReader {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl SseReader {
    /// Starts at the beginning of a stream; of an event only about `limit` bytes are kept, the rest is flagged.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            cut: 0,
            block: Block::default(),
            after_return: false,
            started: false,
            last_event_id: String::new(),
        }
    }

    /// Takes in bytes and returns the events that a blank line has ended, those without data too.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if mem::take(&mut self.after_return) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = scan::line_end(rest) else {
                self.append(rest);
                break;
            };
            self.append(&rest[..end]);
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.end_line(&mut events);
        }
        events
    }

    /// The event that waits for its blank line, as far as it came.
    pub fn pending(&self) -> Option<SseEvent> {
        let mut block = self.block.clone();
        block.line(self.text_of_line(), self.cut);
        (!block.is_empty()).then(|| block.into_event())
    }

    /// The last event ID, which a reconnecting client sends as `Last-Event-ID`; empty when there is none.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    fn append(&mut self, piece: &[u8]) {
        let room = self.limit.saturating_sub(self.block.size + self.line.len());
        let room = if self.cut > 0 { 0 } else { room };
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
        self.cut += piece.len().saturating_sub(room);
    }

    /// The unfinished line without the byte order mark of the stream.
    fn text_of_line(&self) -> &[u8] {
        if self.started { &self.line } else { self.line.strip_prefix(BOM).unwrap_or(&self.line) }
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let line = mem::take(&mut self.line);
        let text = if self.started { &line[..] } else { line.strip_prefix(BOM).unwrap_or(&line) };
        self.started = true;
        if text.is_empty() && self.cut == 0 {
            self.end_block(events);
        } else {
            self.block.line(text, mem::take(&mut self.cut));
        }
        self.line = line;
        self.line.clear();
    }

    fn end_block(&mut self, events: &mut Vec<SseEvent>) {
        let block = mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let mut event = block.into_event();
        event.dispatched = event.data.is_some();
        if let Some(id) = &event.id {
            self.last_event_id.clone_from(id);
        }
        events.push(event);
    }
}

/// The lines of a block while they come.
#[derive(Clone, Debug, Default)]
struct Block {
    event: SseEvent,
    /// Bytes of its lines that were kept.
    size: usize,
    /// Bytes of its lines that were dropped.
    dropped: usize,
    log: Log,
}

impl Block {
    fn is_empty(&self) -> bool {
        self.size == 0 && self.dropped == 0
    }

    fn into_event(self) -> SseEvent {
        let mut event = self.event;
        event.deviations = self.log.into_deviations();
        if self.dropped > 0 {
            let detail = format!("the event is over the limit; {} bytes of it were dropped", self.dropped);
            event.deviations.push(Deviation::new(DeviationKind::LineTooLong, detail));
        }
        event
    }

    /// Takes in a line that is not blank, of which `cut` bytes are missing at its end.
    fn line(&mut self, line: &[u8], cut: usize) {
        self.dropped += cut;
        let line = if cut > 0 { without_half_character(line) } else { line };
        if line.is_empty() {
            return;
        }
        // The line end counts, so that lines of few bytes cannot grow the data without end.
        self.size += line.len() + 1;
        let (name, value) = match scan::position(line, b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"" => self.comment(value),
            b"event" => self.event.event = self.text("event", value).into_owned(),
            b"data" => self.data(value),
            b"id" if !value.contains(&0) => self.event.id = Some(self.text("id", value).into_owned()),
            b"retry" => self.retry(value),
            // The standard ignores fields it does not know, and ids with NUL.
            _ => {}
        }
    }

    fn comment(&mut self, value: &[u8]) {
        let comment = self.text("comment", value).into_owned();
        if self.event.comments.len() < COMMENTS {
            self.event.comments.push(comment);
        } else {
            self.dropped += value.len() + 1;
        }
    }

    fn data(&mut self, value: &[u8]) {
        let text = self.text("data", value);
        match &mut self.event.data {
            Some(data) => {
                data.push('\n');
                data.push_str(&text);
            }
            None => self.event.data = Some(text.into_owned()),
        }
    }

    fn retry(&mut self, value: &[u8]) {
        if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
            return;
        }
        let digits = str::from_utf8(value).expect("digits are ASCII");
        self.event.retry = Some(digits.parse().unwrap_or(u64::MAX));
    }

    fn text<'v>(&mut self, field: &str, value: &'v [u8]) -> Cow<'v, str> {
        if let Err(error) = str::from_utf8(value) {
            let byte = value[error.valid_up_to()];
            self.log.add(DeviationKind::InvalidUtf8, |kind| {
                let detail = format!("byte 0x{byte:02X} in the {field} field of an event is not UTF-8");
                Deviation::new(kind, detail)
            });
        }
        String::from_utf8_lossy(value)
    }
}

/// Takes off the start of a character whose rest was dropped.
fn without_half_character(line: &[u8]) -> &[u8] {
    match str::from_utf8(line) {
        Err(error) if error.error_len().is_none() => &line[..error.valid_up_to()],
        _ => line,
    }
}
