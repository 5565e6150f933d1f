//! Newline framing: a byte stream in, frames out, whatever the sender made of the rules.

use std::borrow::Cow;
use std::mem;

use crate::deviation::{Deviation, DeviationKind};
use crate::envelope;
use crate::headers::{self, Block};
use crate::join::{Follower, Progress};
use crate::json::{self, FaultKind};
use crate::message::{Frame, Message, Notification, Parts, Request, Response, is_blank};
use crate::scan;
use crate::value::Value;

/// Bytes that are kept of a line over the limit.
const KEPT: usize = 64 * 1024;

/// Bytes that are kept of its end.
const TAIL: usize = 256;

/// Lines over which one JSON value is followed at most.
const JOINED_LINES: usize = 10_000;

/// Cuts a byte stream into frames.
#[derive(Debug)]
pub struct LineReader {
    limit: usize,
    /// Every byte that came and is in no frame yet: the held lines, then the unfinished line.
    pending: Vec<u8>,
    /// Where the unfinished line starts in `pending`.
    line_start: usize,
    /// Bytes of the unfinished line that were dropped because it is over the limit.
    dropped: usize,
    /// The last of the dropped bytes, where an id may stand.
    tail: Vec<u8>,
    held: Held,
}

/// Why whole lines wait in `pending`.
#[derive(Debug)]
enum Held {
    Nothing,
    /// A JSON value that is not whole yet, over this many lines.
    Value(Follower, usize),
    /// Headers before a body.
    Headers,
    /// A body after its headers, until `pending` has this many bytes.
    Body(usize),
}

impl LineReader {
    /// Starts at the beginning of a stream; lines over `limit` bytes are cut and flagged.
    pub fn new(limit: usize) -> Self {
        Self { limit, pending: Vec::new(), line_start: 0, dropped: 0, tail: Vec::new(), held: Held::Nothing }
    }

    /// Takes in bytes and returns the frames that are now whole.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if let Held::Body(end) = self.held {
                let (body, after) = rest.split_at(rest.len().min(end - self.pending.len()));
                self.pending.extend_from_slice(body);
                rest = after;
                self.end_body(end, &mut frames);
                continue;
            }
            let Some(newline) = scan::position(rest, b'\n') else {
                self.append(rest);
                break;
            };
            self.end_line(&rest[..newline], &mut frames);
            rest = &rest[newline + 1..];
        }
        frames
    }

    /// Bytes that wait for their newline, or for the lines that make them whole.
    pub fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// The length of [`Self::pending`], with the bytes that were dropped of a line over the limit.
    pub fn pending_length(&self) -> usize {
        self.pending.len() + self.dropped
    }

    /// Ends the stream and returns what was left, flagged as unterminated.
    pub fn finish(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        let last = self.take_line();
        if self.dropped > 0 {
            self.release(&mut frames);
            frames.push(self.cut(last));
        } else if let Held::Body(_) = self.held {
            frames.push(Frame::of(mem::take(&mut self.pending)));
        } else if let Some(joined) = self.join(&last) {
            frames.push(joined);
        } else {
            self.release(&mut frames);
            if last.is_empty() {
                return frames;
            }
            frames.push(Frame::of(last));
        }
        self.forget();
        if let Some(frame) = frames.last_mut() {
            frame.deviations.push(Deviation::new(
                DeviationKind::MissingFinalNewline,
                "the stream ended without a newline after the last message",
            ));
        }
        frames
    }

    /// Adds to the unfinished line; of a line over the limit only the start and the last bytes are kept.
    fn append(&mut self, piece: &[u8]) {
        let length = self.pending.len() - self.line_start;
        if self.dropped == 0 && length + piece.len() <= self.limit {
            self.pending.extend_from_slice(piece);
            return;
        }
        let keep = self.limit.min(KEPT);
        let (start, rest) = piece.split_at(keep.saturating_sub(length).min(piece.len()));
        self.pending.extend_from_slice(start);
        let over = self.pending.split_off(self.pending.len().min(self.line_start + keep));
        self.pending.shrink_to(self.line_start + keep);
        for dropped in [&over, rest] {
            self.dropped += dropped.len();
            self.tail.extend_from_slice(&dropped[dropped.len().saturating_sub(TAIL)..]);
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        }
    }

    /// Takes the unfinished line out of `pending`.
    fn take_line(&mut self) -> Vec<u8> {
        if self.line_start == 0 {
            mem::take(&mut self.pending)
        } else {
            self.pending.split_off(self.line_start)
        }
    }

    /// Handles the newline after `piece`.
    fn end_line(&mut self, piece: &[u8], frames: &mut Vec<Frame>) {
        if self.pending.is_empty() && piece.len() <= self.limit {
            return self.line(Cow::Borrowed(piece), frames);
        }
        self.append(piece);
        let line = self.take_line();
        if self.dropped == 0 {
            return self.line(Cow::Owned(line), frames);
        }
        self.release(frames);
        frames.push(with_return(self.cut(line), &self.tail));
        self.forget();
    }

    /// Handles a whole line while `pending` has the held lines only.
    fn line(&mut self, line: Cow<'_, [u8]>, frames: &mut Vec<Frame>) {
        let content = content(&line);
        match &mut self.held {
            Held::Headers if content.is_empty() => {
                self.hold(&line);
                return self.start_body(frames);
            }
            Held::Headers
                if headers::is_header(content) && self.pending.len() + line.len() < headers::MAX =>
            {
                return self.hold(&line);
            }
            Held::Value(..) => match self.follow(&line) {
                Progress::Open => return self.hold(&line),
                Progress::Complete => {
                    if let Some(frame) = self.join_whole(&line) {
                        frames.push(frame);
                        return self.forget();
                    }
                }
                Progress::Broken => {}
            },
            _ => {}
        }
        self.release(frames);
        self.fresh(line, frames);
    }

    /// Follows the held value through one more line.
    fn follow(&mut self, line: &[u8]) -> Progress {
        let Held::Value(follower, lines) = &mut self.held else { return Progress::Broken };
        *lines += 1;
        let fits = *lines <= JOINED_LINES && self.pending.len() + line.len() <= self.limit;
        if !fits || is_message(line) {
            return Progress::Broken;
        }
        match follower.feed(line) {
            Progress::Open => follower.feed(b"\n"),
            end => end,
        }
    }

    /// Handles a whole line with nothing held before it.
    fn fresh(&mut self, line: Cow<'_, [u8]>, frames: &mut Vec<Frame>) {
        let content = content(&line);
        let text = content.strip_prefix(json::BOM).unwrap_or(content);
        if headers::opens(text) {
            self.held = Held::Headers;
            return self.hold(&line);
        }
        if is_blank(content) {
            return frames.push(framed(line, Frame::of));
        }
        match Parts::read(content) {
            Ok(parts) => frames.push(framed(line, |raw| Frame::of_parts(raw, parts))),
            Err(fault) if fault.kind == FaultKind::Truncated && opens_value(text) => {
                self.held = Held::Value(Follower::new(), 0);
                match self.follow(text) {
                    Progress::Open => self.hold(&line),
                    _ => {
                        self.held = Held::Nothing;
                        frames.push(framed(line, |raw| Frame::of_fault(raw, fault)));
                    }
                }
            }
            Err(fault) => frames.push(framed(line, |raw| Frame::of_fault(raw, fault))),
        }
    }

    fn hold(&mut self, line: &[u8]) {
        self.pending.extend_from_slice(line);
        self.pending.push(b'\n');
        self.line_start = self.pending.len();
    }

    /// Gives up on the held lines: each becomes a frame of its own.
    fn release(&mut self, frames: &mut Vec<Frame>) {
        let held = mem::take(&mut self.pending);
        for line in held.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            frames.push(framed(Cow::Borrowed(line), Frame::of));
        }
        self.held = Held::Nothing;
        self.line_start = 0;
    }

    fn forget(&mut self) {
        *self = Self::new(self.limit);
    }

    /// Joins the held lines with the unterminated `last` one, if that makes the value whole.
    fn join(&mut self, last: &[u8]) -> Option<Frame> {
        if self.follow(last) == Progress::Complete { self.join_whole(last) } else { None }
    }

    /// Joins the held lines with `line`, which ends the value, if the whole has a meaning.
    fn join_whole(&mut self, line: &[u8]) -> Option<Frame> {
        let Held::Value(_, lines) = self.held else { return None };
        self.pending.extend_from_slice(content(line));
        let Ok(mut parts) = Parts::read(&self.pending) else {
            self.pending.truncate(self.line_start);
            return None;
        };
        parts.deviations.push(Deviation::new(
            DeviationKind::EmbeddedNewline,
            format!("the message is spread over {lines} lines"),
        ));
        Some(with_return(Frame::of_parts(mem::take(&mut self.pending), parts), line))
    }

    /// Looks at the header block in `pending`, which a blank line has just ended.
    fn start_body(&mut self, frames: &mut Vec<Frame>) {
        match headers::block(&self.pending) {
            Some(Block { header, body }) if body <= self.limit => {
                let end = header + body;
                self.held = Held::Body(end);
                self.end_body(end, frames);
            }
            _ => self.release(frames),
        }
    }

    fn end_body(&mut self, end: usize, frames: &mut Vec<Frame>) {
        if self.pending.len() == end {
            frames.push(Frame::of(mem::take(&mut self.pending)));
            self.forget();
        }
        self.line_start = self.pending.len();
    }

    /// Makes a frame of what was kept of a line over the limit.
    ///
    /// An id in the kept bytes tells which request it belongs to, so that nobody waits for an answer that came.
    fn cut(&self, kept: Vec<u8>) -> Frame {
        let total = kept.len() + self.dropped;
        let mut detail =
            format!("the line has {total} bytes, over the limit of {}; the rest was dropped", self.limit);
        let members = json::leading_members(&kept);
        let id = members.get("id").cloned().or_else(|| json::closing_id(&self.tail));
        if let Some(id) = &id {
            detail.push_str(&format!("; its id is {}", envelope::seen(id)));
        }
        let mut frame = Frame::noise(kept, vec![Deviation::new(DeviationKind::LineTooLong, detail)]);
        let method = members.get("method").and_then(Value::as_str).map(str::to_owned);
        frame.message = match (id, method) {
            (Some(id), Some(method)) => Message::Request(Request { id, method, params: None }),
            (None, Some(method)) => Message::Notification(Notification { method, params: None }),
            (Some(id), None) => Message::Response(Response { id: Some(id), result: None, error: None }),
            (None, None) => Message::Noise,
        };
        frame
    }
}

/// A line without its carriage return.
fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Makes the frame of a line that ends in a newline.
fn framed(line: Cow<'_, [u8]>, read: impl FnOnce(Vec<u8>) -> Frame) -> Frame {
    let mut raw = line.into_owned();
    let returns = raw.pop_if(|last| *last == b'\r').is_some();
    with_return(read(raw), if returns { b"\r" } else { b"" })
}

/// Flags the carriage return that stood before the newline of `line`.
fn with_return(mut frame: Frame, line: &[u8]) -> Frame {
    if line.ends_with(b"\r") {
        frame.deviations.push(Deviation::new(DeviationKind::CarriageReturn, "the line ends in CR LF"));
    }
    frame
}

/// Tells whether a line that is no whole value opens an object or array.
fn opens_value(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Tells whether a line alone is a whole message, so that it cannot belong to a value around it.
fn is_message(line: &[u8]) -> bool {
    line.starts_with(b"{") && Parts::read(line).is_ok_and(|parts| !matches!(parts.message, Message::Other(_)))
}
