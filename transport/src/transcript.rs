//! A record of every byte both ways with its time, bounded in memory unless everything was asked for.

use crate::redact::Redactor;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A longer record is shortened.
const LONG: usize = 64 * 1024;

/// What is kept of the front of a long record.
const FRONT: usize = 16 * 1024;

/// What is kept of the end of a long record.
const BACK: usize = 1024;

/// Once all records together hold this much, further ones are shortened to [`GLIMPSE`]: someone is flooding us.
const BUDGET: usize = 4 * 1024 * 1024;

/// What is kept of a record beyond the budget.
const GLIMPSE: usize = 128;

/// After this many records the last one only counts the others.
const MANY: usize = 20_000;

/// Which way bytes went, or what else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From us to the server.
    Sent,
    /// From the server to us.
    Received,
    /// From the server's stderr.
    Stderr,
    /// Something that is not bytes: started, exited, signalled, failed.
    Event,
}

impl Direction {
    /// Names it as in a transcript file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Received => "received",
            Self::Stderr => "stderr",
            Self::Event => "event",
        }
    }
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
    /// The bytes, or the words of an event; of long ones both ends with a note of the length between them.
    pub bytes: Vec<u8>,
}

/// A shared, append-only transcript.
#[derive(Clone, Debug)]
pub struct Transcript {
    began: Instant,
    bounded: bool,
    kept: Arc<Mutex<Kept>>,
    connections: Arc<AtomicU32>,
}

#[derive(Debug, Default)]
struct Kept {
    records: Vec<Record>,
    bytes: usize,
    /// Records that were counted and not kept.
    uncounted: usize,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { began: Instant::now(), bounded: true, kept: Arc::default(), connections: Arc::default() }
    }
}

impl Transcript {
    /// Starts a transcript that keeps every byte, to be written to a file.
    pub fn keep_everything() -> Self {
        Self { bounded: false, ..Self::default() }
    }

    /// Appends a record and returns its index.
    pub fn push(&self, connection: u32, direction: Direction, bytes: &[u8]) -> usize {
        self.push_parts(connection, direction, &[bytes])
    }

    /// Appends one record made of several parts.
    pub(crate) fn push_parts(&self, connection: u32, direction: Direction, parts: &[&[u8]]) -> usize {
        let at = self.began.elapsed();
        let mut kept = self.kept();
        if self.bounded && kept.records.len() >= MANY {
            return kept.count_only(at, connection);
        }
        let total: usize = parts.iter().map(|part| part.len()).sum();
        let bytes = match self.bounded {
            true if kept.bytes > BUDGET && total > 2 * GLIMPSE => {
                shortened(parts, total, GLIMPSE, GLIMPSE / 4)
            }
            true if total > LONG => shortened(parts, total, FRONT, BACK),
            _ => parts.concat(),
        };
        kept.bytes += bytes.len();
        kept.records.push(Record { at, connection, direction, bytes });
        kept.records.len() - 1
    }

    /// Numbers a new connection.
    pub fn open_connection(&self) -> u32 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Copies the records out.
    pub fn records(&self) -> Vec<Record> {
        self.kept().records.clone()
    }

    /// Copies some of the records out; indices beyond the end are left out.
    pub fn range(&self, range: std::ops::Range<usize>) -> Vec<Record> {
        let kept = self.kept();
        let end = range.end.min(kept.records.len());
        kept.records.get(range.start..end).unwrap_or_default().to_vec()
    }

    /// Counts the records.
    pub fn len(&self) -> usize {
        self.kept().records.len()
    }

    /// Tells whether nothing was recorded yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes one JSON object per line: `at_ms`, `connection`, `direction`, and `text`, or `base64` of what is not UTF-8.
    ///
    /// The literal `secrets`, the values of headers such as `Authorization`, and query parameters that sound secret
    /// are replaced.
    pub fn write_json_lines(&self, mut writer: impl Write, secrets: &[String]) -> io::Result<()> {
        let redactor = Redactor::new(secrets);
        for record in &self.kept().records {
            let bytes = match record.direction {
                Direction::Event => redactor.words(&record.bytes),
                _ => redactor.bytes(&record.bytes),
            };
            let millis = record.at.as_secs_f64() * 1000.0;
            let (connection, direction) = (record.connection, record.direction.as_str());
            write!(writer, r#"{{"at_ms":{millis:.3},"connection":{connection},"direction":"{direction}","#)?;
            match String::from_utf8(bytes) {
                Ok(text) => writeln!(writer, r#""text":{}}}"#, serde_json::Value::from(text))?,
                Err(other) => writeln!(writer, r#""base64":"{}"}}"#, STANDARD.encode(other.as_bytes()))?,
            }
        }
        writer.flush()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn count_only(&mut self, at: Duration, connection: u32) -> usize {
        self.uncounted += 1;
        let words = format!("{} further records are not kept", self.uncounted);
        let last = Record { at, connection, direction: Direction::Event, bytes: words.into_bytes() };
        if self.uncounted == 1 {
            self.records.push(last);
        } else if let Some(old) = self.records.last_mut() {
            *old = last;
        }
        self.records.len() - 1
    }
}

/// The first `front` and the last `back` bytes of `parts`, which have `total` bytes, with a note between them.
fn shortened(parts: &[&[u8]], total: usize, front: usize, back: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter()).take(front).copied().collect();
    let note = format!("\n[… {} of {total} bytes left out …]\n", total - front - back);
    bytes.extend_from_slice(note.as_bytes());
    let mut skip = total - back;
    for part in parts {
        bytes.extend_from_slice(&part[skip.min(part.len())..]);
        skip = skip.saturating_sub(part.len());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_record_keeps_both_ends_and_its_length() {
        let transcript = Transcript::default();
        let long = [vec![b'a'; FRONT], vec![b'b'; LONG], vec![b'c'; BACK - 1]].concat();
        transcript.push_parts(1, Direction::Received, &[&long, b"\n"]);
        let kept = transcript.records().remove(0).bytes;
        let kept = String::from_utf8_lossy(&kept);
        assert!(kept.starts_with("aaa") && kept.ends_with("ccc\n") && !kept.contains('\u{fffd}'));
        let note = format!("[… {LONG} of {} bytes left out …]", long.len() + 1);
        assert!(kept.contains(&note) && kept.len() < FRONT + BACK + 100, "{}", kept.len());
        let everything = Transcript::keep_everything();
        everything.push(1, Direction::Received, &long);
        assert_eq!(everything.records()[0].bytes, long);
    }

    #[test]
    fn a_flood_of_records_stays_within_bounds() {
        let transcript = Transcript::default();
        (0..MANY + 10).for_each(|_| assert!(transcript.push(1, Direction::Received, &[b'x'; 1000]) <= MANY));
        let records = transcript.records();
        assert_eq!(records.len(), MANY + 1);
        assert_eq!(records[MANY].bytes, b"10 further records are not kept");
        let bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
        assert!(bytes < 10 * 1024 * 1024, "{bytes}");
    }

    #[test]
    fn a_transcript_file_has_one_object_per_record_and_no_secret() {
        let transcript = Transcript::default();
        transcript.push(1, Direction::Sent, b"POST / HTTP/1.1\r\ncookie: c\r\n\r\n{\"k\":\"hunter22\"}");
        transcript.push(2, Direction::Stderr, b"\xffhunter22");
        transcript.push(2, Direction::Event, b"went to http://h/?token=abc");
        let mut file = Vec::new();
        transcript.write_json_lines(&mut file, &["hunter22".to_owned()]).expect("writes to memory");
        let lines: Vec<serde_json::Value> = String::from_utf8(file)
            .expect("is UTF-8")
            .lines()
            .map(|line| serde_json::from_str(line).expect("is JSON"))
            .collect();
        assert_eq!(lines[0]["text"], "POST / HTTP/1.1\r\ncookie: [redacted]\r\n\r\n{\"k\":\"[redacted]\"}");
        assert_eq!(lines[1]["base64"], STANDARD.encode(b"\xff[redacted]"));
        assert_eq!(lines[2]["text"], "went to http://h/?token=[redacted]");
        assert_eq!((&lines[1]["connection"], &lines[1]["direction"]), (&2.into(), &"stderr".into()));
        assert!(lines[0]["at_ms"].is_number());
    }
}
