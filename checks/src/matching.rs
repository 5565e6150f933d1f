//! Takes frames into the log and finds out, leniently, which request each response answers.

use crate::log::{Conversation, Entry, Sent};
use std::sync::atomic::Ordering;
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
            return self.unreadable(response.error_code(), exchange);
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
    fn unreadable(&self, code: Option<i64>, exchange: Option<u64>) -> Option<usize> {
        let waiting = || self.all_sent().filter(|(_, sent)| sent.answers.is_empty());
        let improper = || waiting().filter(|(_, sent)| sent.improper);
        let unparsed = improper().filter(|(_, sent)| !is_json(&sent.text)).last();
        let fitting = match code {
            // A parse error is about what cannot be parsed, however late it comes.
            Some(-32700) if unparsed.is_some() => unparsed,
            // Who names the method or its params has read them.
            Some(-32601 | -32602) if waiting().any(|(_, sent)| sent.is_request()) => {
                improper().filter(|(_, sent)| is_json(&sent.text)).last()
            }
            _ => improper().last(),
        };
        let (fitting, sent) = fitting?;
        if exchange.is_some() && sent.post != exchange {
            return None;
        }
        let request = waiting().filter(|(_, sent)| sent.is_request()).last();
        let gone_on = request.is_some_and(|(request, _)| {
            request > fitting && self.entries[fitting..request].iter().any(is_answer)
        });
        (!gone_on || (code == Some(-32700) && !is_json(&sent.text))).then_some(fitting)
    }

    /// Takes an error without an id for the answer to the request at `at`, if it can be meant for nothing else: over
    /// HTTP as the answer to its POST, elsewhere when all that was sent has been answered, or when it is too `late` for
    /// anything better to come. A server that is known to answer requests so is taken at its word.
    pub(crate) fn take_nameless_error(&mut self, at: usize, post: u64, late: bool) -> bool {
        if !self.sent(at).is_some_and(|sent| sent.is_request() && sent.answers.is_empty()) {
            return false;
        }
        let clear = self.is_clear_before(at) && (self.is_nameless() || self.is_alone(at));
        let nameless = |(_, entry): &(usize, &mut Entry)| match entry {
            Entry::Got { arrived, answers } => {
                let errors = arrived.frame.responses().filter(|r| r.result.is_none() && r.error.is_some());
                let unnamed = errors.filter(|r| r.id.as_ref().is_none_or(wire::Value::is_null)).count() == 1;
                let ours = arrived.exchange.map_or(clear || late, |exchange| exchange == post);
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
        self.nameless.fetch_or(clear, Ordering::Relaxed);
        true
    }

    /// Tells whether the server is known to leave the id out of errors about proper requests.
    fn is_nameless(&self) -> bool {
        self.nameless.load(Ordering::Relaxed)
    }

    /// Tells whether nothing but the request at `at` still waits for an answer that it could get.
    fn is_alone(&self, at: usize) -> bool {
        let waits = |sent: &Sent| sent.answers.is_empty() && (sent.improper || sent.is_request());
        !self.all_sent().any(|(other, sent)| other != at && waits(sent))
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

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn is_answer(entry: &Entry) -> bool {
    matches!(entry, Entry::Got { answers, .. } if answers.iter().any(Option::is_some))
}

#[cfg(test)]
mod tests {
    use crate::check::Phase;
    use crate::log::{Amount, Conversation, Entry};
    use crate::session::Outgoing;
    use serde_json::json;
    use std::time::Duration;
    use transport::Arrived;
    use wire::{Frame, Value};

    const GARBAGE: &str = "this is not JSON";
    const BATCH: &str = "[]";
    const PARSE_ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#;
    const INVALID: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}"#;
    const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"?"}}"#;

    /// Plays what we send (`7` is a request with that id, everything else improper) and what comes (`< text`).
    fn conversation(script: &[&str]) -> Conversation {
        let mut log = Conversation {
            phase: Phase::Hostile,
            entries: Vec::new(),
            capabilities: json!({}),
            initialized_at: None,
            ending: None,
            stderr: String::new(),
            nameless: std::sync::Arc::default(),
            refused_input: false,
            noise: Amount::default(),
            more_noise: Amount::default(),
        };
        for line in script {
            if let Some(text) = line.strip_prefix("< ") {
                let frame = Frame::read(text.as_bytes());
                log.take_frame(Arrived { frame, record: 0, at: Duration::ZERO, exchange: None });
                continue;
            }
            let sent = match line.parse::<i64>() {
                Ok(id) => Outgoing::message(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"})),
                Err(_) => Outgoing::improper(line, None::<Value>),
            };
            log.entries.push(Entry::Sent(sent.sent));
        }
        log
    }

    /// The entry that the last thing in `script` answers.
    fn answered(script: &[&str]) -> Option<usize> {
        match conversation(script).entries.pop() {
            Some(Entry::Got { answers, .. }) => answers[0],
            other => panic!("the script ends with {other:?}"),
        }
    }

    fn result(id: i64) -> String {
        format!(r#"< {{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
    }

    fn got(text: &str) -> String {
        format!("< {text}")
    }

    #[test]
    fn an_error_without_an_id_belongs_to_what_could_not_be_read() {
        for (script, to) in [
            (vec![GARBAGE, &got(INVALID)], Some(0)),
            (vec![GARBAGE, &got(UNKNOWN)], Some(0)),
            (vec![GARBAGE, "7", &got(PARSE_ERROR)], Some(0)),
            // The server has gone on, and a parse error is still not about a proper request.
            (vec![GARBAGE, "7", &result(7), "8", &got(PARSE_ERROR)], Some(0)),
            // It is about what is no JSON, whatever else was malformed since.
            (vec![GARBAGE, BATCH, &got(PARSE_ERROR)], Some(0)),
            (vec![GARBAGE, BATCH, &got(INVALID)], Some(1)),
            // Who says that the method is unknown has read it.
            (vec![GARBAGE, "7", &got(UNKNOWN)], None),
            (vec![GARBAGE, "7", &result(7), "8", &got(INVALID)], None),
        ] {
            assert_eq!(answered(&script), to, "{script:?}");
        }
    }

    #[test]
    fn a_request_gets_an_error_without_an_id_at_once_only_if_nothing_else_can_be_meant() {
        for (script, at, clear) in [
            (vec!["7", &got(UNKNOWN)], 0, true),
            (vec!["7", &result(7), "8", &got(UNKNOWN)], 2, true),
            // The late answer to something malformed, or the answer to the other of two requests.
            (vec![GARBAGE, "7", &result(7), "8", &got(INVALID)], 3, false),
            (vec!["7", "8", &got(UNKNOWN)], 0, false),
        ] {
            let taken = |late| conversation(&script).take_nameless_error(at, 0, late);
            assert_eq!((taken(false), taken(true)), (clear, true), "{script:?}");
        }
    }

    #[test]
    fn a_server_that_is_known_to_leave_ids_out_is_not_waited_for() {
        let error = got(UNKNOWN);
        let mut log = conversation(&["7", &error]);
        let mut later = conversation(&[GARBAGE, "8", &result(8), "9", &error]);
        later.nameless = std::sync::Arc::clone(&log.nameless);
        assert!(log.take_nameless_error(0, 0, false));
        assert!(later.take_nameless_error(3, 0, false));
    }
}
