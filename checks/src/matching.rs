//! Takes frames into the log and finds out, leniently, which request each response answers.

use crate::log::{Conversation, Entry, Sent};
use transport::Arrived;
use wire::Response;

impl Conversation {
    /// Logs a frame and finds out what its responses answer.
    pub(crate) fn take_frame(&mut self, arrived: Arrived) {
        let at = self.entries.len();
        let responses: Vec<Response> = arrived.frame.responses().cloned().collect();
        let mut answers = Vec::new();
        for response in &responses {
            let to = self.matching(response);
            if let Some(Entry::Sent(sent)) = to.and_then(|to| self.entries.get_mut(to)) {
                sent.answers.push(at);
            }
            answers.push(to);
        }
        self.entries.push(Entry::Got { arrived, answers });
    }

    /// Finds what a response answers: by the same id, else by an id that is the same but for its type, else,
    /// when it has none, what still waits.
    fn matching(&self, response: &Response) -> Option<usize> {
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
            // An error without an id says that the id could not be read; else it answers a notification.
            return waiting().filter(|(_, sent)| sent.improper).last().map(|(at, _)| at);
        }
        let asked_null = |sent: &Sent| sent.improper && sent.text.contains("\"id\":null");
        if let Some((at, _)) = waiting().filter(|(_, sent)| asked_null(sent)).last() {
            return Some(at);
        }
        // A result without an id most likely answers what was asked last.
        waiting().last().map(|(at, _)| at)
    }
}
