//! Waiting for one answer: whatever comes of a request, and when it counts as silence. What comes is taken in elsewhere.

use super::intake::BACKLOG;
use super::{Outgoing, Session};
use crate::log::{Answer, Entry, Reply};
use std::time::Duration;
use tokio::time::Instant;
use transport::Arrived;
use wire::Frame;

impl Session {
    /// Sends a request and waits for its answer at most `within`.
    pub(crate) async fn request_within(&mut self, outgoing: Outgoing, within: Duration) -> Reply {
        let began = Instant::now();
        let deadline = self.until.map_or(began + within, |end| end.min(began + within));
        match self.send(outgoing).await {
            Some((at, post)) => self.answer_to(at, post, began, deadline).await,
            None => self.gone_after_send().await,
        }
    }

    /// Takes in the last words of a server that no longer takes input.
    pub(crate) async fn gone_after_send(&mut self) -> Reply {
        self.drain(Instant::now() + Duration::from_millis(500)).await;
        self.gone()
    }

    /// Waits for the answer to entry `at`.
    pub(crate) async fn answer_to(
        &mut self,
        at: usize,
        post: u64,
        began: Instant,
        deadline: Instant,
    ) -> Reply {
        let (mut unfinished_since, mut overdue) = (None, 0);
        loop {
            if let Some(answer) = self.answer_at(at, post, began) {
                return Reply::Answered(Box::new(answer));
            }
            if let Some(ended) = self.without_message(post) {
                let served = matches!(&ended, Reply::NoMessage(exchange) if exchange.status < 300);
                if served && self.log.take_nameless_error(at, post, false) {
                    continue;
                }
                return ended;
            }
            if self.is_unread(at) {
                return self.silent(at, began);
            }
            if self.closed {
                return self.gone();
            }
            let next = deadline.min(Instant::now() + Duration::from_millis(250));
            if self.pump(next).await {
                // In a flood there is always something; what waited unread when the time was over has its chance.
                overdue += usize::from(Instant::now() >= deadline);
                if overdue >= BACKLOG {
                    return self.silent(at, began);
                }
            } else {
                if self.log.take_nameless_error(at, post, Instant::now() >= deadline) {
                    continue;
                }
                if let Some(answer) = self.unfinished(at, post, began, &mut unfinished_since) {
                    return Reply::Answered(Box::new(answer));
                }
                if Instant::now() >= deadline {
                    return self.silent(at, began);
                }
            }
        }
    }

    fn silent(&self, at: usize, began: Instant) -> Reply {
        let (pending, unread) = (self.connection.pending(), self.is_unread(at));
        Reply::Silent { waited: began.elapsed(), alive: false, pending, unread }
    }

    /// Tells whether something came after entry `at` that is nested too deeply to be read.
    fn is_unread(&self, at: usize) -> bool {
        self.unreadable.is_some_and(|entry| entry >= at)
    }

    /// An answer that came whole but for its newline or blank line counts once nothing followed for a while.
    fn unfinished(
        &mut self,
        at: usize,
        post: u64,
        began: Instant,
        since: &mut Option<(usize, Instant)>,
    ) -> Option<Answer> {
        const PATIENCE: Duration = Duration::from_millis(600);
        let pending = self.connection.pending();
        let over_http = self.connection.http().is_some();
        let waiting = if over_http { unfinished_events(&pending) } else { self.unfinished_lines(&pending) };
        let id = self.log.sent(at)?.id.as_ref();
        let ours =
            |frame: &Frame| frame.responses().next().is_some_and(|response| response.id.as_ref() == id);
        let frame = waiting.into_iter().find(ours)?;
        let response = frame.responses().next()?.clone();
        let (length, seen) = *since.get_or_insert((pending.len(), Instant::now()));
        if length != pending.len() {
            *since = None;
            return None;
        }
        if seen.elapsed() < PATIENCE {
            return None;
        }
        if !over_http && self.take_returns() {
            *since = None;
            return None;
        }
        let sent = self.log.sent(at)?.text.clone();
        let arrived = Arrived { frame, record: 0, at: self.age(), exchange: Some(post) };
        Some(Answer { response, arrived, sent, took: began.elapsed(), post })
    }

    fn answer_at(&self, at: usize, post: u64, began: Instant) -> Option<Answer> {
        let sent = self.log.sent(at)?;
        let entry = *sent.answers.first()?;
        let Entry::Got { arrived, answers } = self.log.entries.get(entry)? else { return None };
        let which = answers.iter().position(|answer| *answer == Some(at))?;
        let response = arrived.frame.responses().nth(which)?.clone();
        let (arrived, sent) = (arrived.clone(), sent.text.clone());
        Some(Answer { response, arrived, sent, took: began.elapsed(), post })
    }

    /// HTTP: the POST ended or failed, and no message came on it.
    fn without_message(&self, number: u64) -> Option<Reply> {
        if let Some((_, cause)) = self.failures.iter().find(|(post, _)| *post == number) {
            return Some(Reply::Failed(cause.clone()));
        }
        let (_, at) = self.exchanges.iter().rev().find(|(post, _)| *post == number)?;
        let Entry::Exchange { exchange, .. } = self.log.entries.get(*at)? else { return None };
        // Over HTTP+SSE the POST is only acknowledged; the answer comes on the event stream.
        if self.streams.is_some() && exchange.status < 300 {
            None
        } else {
            Some(Reply::NoMessage(exchange.clone()))
        }
    }

    fn gone(&mut self) -> Reply {
        let exit = self.connection.exited();
        let deaf = !self.closed && exit.is_none();
        self.closed = true;
        Reply::Gone { exit, deaf, stderr: self.connection.stderr_tail() }
    }
}

/// The messages in events that wait for their blank line, of all streams that are open.
fn unfinished_events(pending: &[u8]) -> Vec<Frame> {
    let lines = pending.split(|byte| matches!(byte, b'\n' | b'\r'));
    let messages = lines.filter_map(|line| match line {
        // What stands there without `data:` is read as well.
        [b'{', ..] => Some(line),
        _ => line.strip_prefix(b"data:"),
    });
    messages.map(|data| Frame::read(data.trim_ascii())).collect()
}
