//! Takes frames into the log and finds out, leniently, which request each response answers.

use crate::log::{Conversation, Entry, Sent};
use transport::Arrived;
use wire::{Message, Response};

impl Conversation {
    /// Logs a frame and finds out what its responses answer. Of a flood of what is no message the rest is counted.
    pub(crate) fn take_frame(&mut self, arrived: Arrived) {
        if matches!(arrived.frame.message, Message::Noise | Message::Other(_)) {
            if self.noise.is_plenty() {
                self.more_noise.add(arrived.frame.raw.len());
                return;
            }
            self.noise.add(arrived.frame.raw.len());
        }
        let at = self.entries.len();
        let responses: Vec<Response> = arrived.frame.responses().cloned().collect();
        let mut answers = Vec::new();
        for response in &responses {
            let to = self.matching(response, arrived.exchange);
            if let Some(Entry::Sent(sent)) = to.and_then(|to| self.entries.get_mut(to)) {
                sent.answers.push(at);
            }
            answers.push(to);
        }
        self.entries.push(Entry::Got { arrived, answers });
    }

    /// Finds what a response answers: by the same id, else by an id that is the same but for its type, else,
    /// when it has none, what still waits.
    fn matching(&self, response: &Response, exchange: Option<u64>) -> Option<usize> {
        let candidates = || self.all_sent().filter(|(_, sent)| sent.id.is_some() || sent.improper);
        let id = response.id.as_ref().filter(|id| !id.is_null());
        if let Some(id) = id {
            let exact = candidates().filter(|(_, sent)| sent.id.as_ref() == Some(id)).last();
            // The same id in another JSON type still names its request.
            let changed =
                |sent: &Sent| sent.id.as_ref().is_some_and(|ours| response.answers(ours) != wire::Answer::No);
            let alike = || candidates().filter(|(_, sent)| changed(sent)).last();
            return exact.or_else(alike).map(|(at, _)| at);
        }
        let waiting = || candidates().filter(|(_, sent)| sent.answers.is_empty());
        if response.result.is_none() {
            return self.unreadable(exchange);
        }
        let asked_null = |sent: &Sent| sent.improper && sent.text.contains("\"id\":null");
        if let Some((at, _)) = waiting().filter(|(_, sent)| asked_null(sent)).last() {
            return Some(at);
        }
        // A result without an id most likely answers what was asked last.
        waiting().last().map(|(at, _)| at)
    }

    /// What an error without an id complains of: it says that the id could not be read, so something improper, unless
    /// the server has gone on to other requests since, or it came in answer to another POST.
    fn unreadable(&self, exchange: Option<u64>) -> Option<usize> {
        let waiting = || self.all_sent().filter(|(_, sent)| sent.answers.is_empty());
        let (improper, _) = waiting().filter(|(_, sent)| sent.improper).last()?;
        if exchange.is_some() && self.sent(improper)?.post != exchange {
            return None;
        }
        let request = waiting().filter(|(_, sent)| sent.is_request()).last();
        let gone_on = request.is_some_and(|(request, _)| {
            request > improper && self.entries[improper..request].iter().any(is_answer)
        });
        (!gone_on).then_some(improper)
    }

    /// Takes an error without an id for the answer to the request at `at`, if it can be meant for nothing else: over
    /// HTTP as the answer to its POST, elsewhere when all that was sent before has been answered, or when it is too
    /// `late` for anything better to come.
    pub(crate) fn take_nameless_error(&mut self, at: usize, post: u64, late: bool) -> bool {
        if !self.sent(at).is_some_and(|sent| sent.is_request() && sent.answers.is_empty()) {
            return false;
        }
        let clear = late || self.is_clear_before(at);
        let nameless = |(_, entry): &(usize, &mut Entry)| match entry {
            Entry::Got { arrived, answers } => {
                let errors = arrived.frame.responses().filter(|r| r.result.is_none() && r.error.is_some());
                let unnamed = errors.filter(|r| r.id.as_ref().is_none_or(wire::Value::is_null)).count() == 1;
                let ours = arrived.exchange.map_or(clear, |exchange| exchange == post);
                unnamed && ours && answers[..] == [None]
            }
            _ => false,
        };
        let found = self.entries.iter_mut().enumerate().skip(at).find(nameless);
        let Some((got, Entry::Got { answers, .. })) = found else { return false };
        answers[0] = Some(at);
        if let Some(Entry::Sent(sent)) = self.entries.get_mut(at) {
            sent.answers.push(got);
        }
        true
    }

    /// Tells whether no notification, and nothing else that was never answered, stands between entry `at` and the
    /// answer before it.
    fn is_clear_before(&self, at: usize) -> bool {
        let back = self.entries[..at].iter().rev().take_while(|entry| !is_answer(entry));
        // What answers a request of the server has no method.
        let mut sent = back.filter_map(|entry| if let Entry::Sent(sent) = entry { Some(sent) } else { None });
        !sent.any(|sent| sent.improper || sent.method.is_some())
    }
}

fn is_answer(entry: &Entry) -> bool {
    matches!(entry, Entry::Got { answers, .. } if answers.iter().any(Option::is_some))
}
