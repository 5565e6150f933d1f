//! Taking in what comes: frames, exchanges, and what was not quite a message, into the log. Nothing is waited for by name.

use super::Session;
use super::outgoing::answer_to;
use crate::log::{Entry, is_too_deep};
use std::time::Duration;
use tokio::time::Instant;
use transport::{Arrived, Exchange, Received};
use wire::{Deviation, DeviationKind, Frame, Message, SseReader};

/// More than can wait unread at one moment: whatever comes after so much came later, in a flood that has no end.
pub(super) const BACKLOG: usize = 10_000;

impl Session {
    /// Takes in whatever comes until `deadline`, and what waits unread by then.
    pub(crate) async fn drain(&mut self, deadline: Instant) {
        let mut overdue = 0;
        while !self.closed && overdue < BACKLOG && self.pump(deadline).await {
            overdue += usize::from(Instant::now() >= deadline);
        }
    }

    /// Takes in one thing, logs it, and answers requests of the server; false when nothing came until `deadline`.
    pub(crate) async fn pump(&mut self, deadline: Instant) -> bool {
        // A server that ends its lines by CR alone is looked after more often.
        const GLANCE: Duration = Duration::from_millis(20);
        let next = if self.returns_read > 0 { deadline.min(Instant::now() + GLANCE) } else { deadline };
        match self.connection.receive(next).await {
            Received::Frame(arrived) => {
                let answer = answer_to(&arrived.frame.message);
                if is_unreadable(&arrived.frame) {
                    self.unreadable = Some(self.log.entries.len());
                }
                self.log.take_frame(arrived);
                if let Some(answer) = answer {
                    self.send(answer).await;
                }
            }
            Received::Exchange { id, exchange } => self.take_exchange(id, exchange),
            Received::ExchangeFailed { id, cause } => self.failures.push((id, cause)),
            Received::Closed => {
                if !self.closed {
                    self.log.entries.push(Entry::Closed);
                }
                self.closed = true;
            }
            Received::Silence => {
                return (self.returns_read > 0 && self.take_returns()) || Instant::now() < deadline;
            }
        }
        true
    }

    fn take_exchange(&mut self, post: u64, exchange: Box<Exchange>) {
        // Over HTTP+SSE messages come on the event stream only; the answer to a POST may echo ours, and is no message.
        if self.streams.is_none() {
            self.take_messages(post, &exchange);
        }
        self.exchanges.push((post, self.log.entries.len()));
        self.log.entries.push(Entry::Exchange { post, exchange });
    }

    /// Takes in the messages of a body in which the transport saw none.
    fn take_messages(&mut self, post: u64, exchange: &Exchange) {
        // A JSON-RPC body under another content type is still read; the content type has a check of its own.
        let media = exchange.media_type();
        if media != "application/json" && media != "text/event-stream" {
            let frame = Frame::read(&exchange.body);
            let events = SseReader::with_limit(exchange.body.len() + 1).push(&exchange.body);
            let frames = events.into_iter().filter_map(|event| Some(Frame::of(event.data?.into_bytes())));
            let is_one = frame.responses().next().is_some();
            let frames = if is_one { vec![frame] } else { frames.collect() };
            for frame in frames
                .into_iter()
                .filter(|frame| !matches!(frame.message, Message::Noise | Message::Other(_)))
            {
                self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
            }
        }
        // So are messages without `data:` in what is called an event stream, and an event whose blank line never
        // came; they have checks, too.
        for frame in crate::server::raw_messages(exchange) {
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
        }
        let unfinished = exchange.unterminated.as_ref().and_then(|event| event.data.as_ref());
        if let Some(data) =
            unfinished.filter(|data| Frame::read(data.as_bytes()).responses().next().is_some())
        {
            let frame = Frame::read(data.as_bytes());
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: Some(post) });
        }
    }

    /// The lines in bytes that wait for their newline, which a server that ends them by CR alone never sends.
    pub(super) fn unfinished_lines(&mut self, pending: &[u8]) -> Vec<Frame> {
        if pending.len() < self.returns_read {
            // A newline came after all.
            self.returns_read = 0;
        }
        let lines = pending[self.returns_read..].split(|byte| *byte == b'\r');
        lines.filter(|line| !line.trim_ascii().is_empty()).map(Frame::read).collect()
    }

    /// Takes in the messages of a server that ends its lines by CR alone, of which the reader of lines makes nothing.
    pub(super) fn take_returns(&mut self) -> bool {
        let pending = self.connection.pending();
        let last = pending.iter().rposition(|byte| *byte == b'\r');
        let Some(end) = last.filter(|end| *end >= self.returns_read || pending.len() < self.returns_read)
        else {
            return false;
        };
        let frames = self.unfinished_lines(&pending[..end]);
        self.returns_read = end + 1;
        let some = !frames.is_empty();
        for mut frame in frames {
            frame.raw.push(b'\r');
            let detail = "the message ends in CR alone";
            frame.deviations.push(Deviation::new(DeviationKind::MissingFinalNewline, detail));
            self.log.take_frame(Arrived { frame, record: 0, at: self.age(), exchange: None });
        }
        some
    }
}

/// Tells whether a frame is nothing that could be read because of its nesting.
pub(crate) fn is_unreadable(frame: &Frame) -> bool {
    matches!(frame.message, Message::Noise) && is_too_deep(&frame.raw)
}
