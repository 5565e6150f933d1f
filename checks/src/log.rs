//! Everything that was said on one conversation, in order, and how it ended.

use crate::check::Phase;
use serde_json::Value as Json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use transport::{Arrived, Ending, Exchange, Exit};
use wire::{Message, Response, Value};

/// Something we sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The text as sent, without its newline.
    pub text: String,
    /// The id, when it was a request.
    pub id: Option<Value>,
    /// The method, when it had one.
    pub method: Option<String>,
    /// `params._meta.progressToken`, when it had one.
    pub progress_token: Option<Value>,
    /// Entries that carried an answer to it, in order.
    pub answers: Vec<usize>,
    /// Entry after which it was cancelled, and when, since the connection opened.
    pub cancelled: Option<(usize, Duration)>,
    /// True when the text was deliberately no proper message.
    pub improper: bool,
    /// HTTP: the number of its POST.
    pub post: Option<u64>,
}

impl Sent {
    /// Tells whether it was a proper request.
    pub(crate) fn is_request(&self) -> bool {
        !self.improper && self.method.is_some() && self.id.as_ref().is_some_and(|id| !id.is_null())
    }
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Entry {
    /// We sent something.
    Sent(Sent),
    /// A frame came; the indexes are the entries its responses answer.
    Got {
        /// The frame.
        arrived: Arrived,
        /// For each response in it, the entry it answers.
        answers: Vec<Option<usize>>,
    },
    /// The answer to a POST ended.
    Exchange {
        /// The number of the POST.
        post: u64,
        /// All of it.
        exchange: Box<Exchange>,
    },
    /// The server closed its output.
    Closed,
}

/// One conversation from opening to end.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// What it was for.
    pub phase: Phase,
    /// Everything that happened.
    pub entries: Vec<Entry>,
    /// What the handshake or discovery declared; null when there was none.
    pub capabilities: Json,
    /// Entry after which `notifications/initialized` had been sent.
    pub initialized_at: Option<usize>,
    /// How the server ended, once it did.
    pub ending: Option<Ending>,
    /// The tail of its stderr.
    pub stderr: String,
    /// True once the server is known to leave the id out of errors about proper requests; all conversations share it.
    pub(crate) nameless: Arc<AtomicBool>,
    /// The server no longer took what was sent.
    pub(crate) refused_input: bool,
    /// What was no message and is kept among the entries.
    pub noise: Amount,
    /// What was no message and came when enough of it was kept: it is only counted.
    pub more_noise: Amount,
}

/// How much there was of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Lines, or events.
    pub lines: usize,
    /// Bytes, newlines left out.
    pub bytes: usize,
}

impl Amount {
    /// Adds one line of so many bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes;
    }

    /// Tells whether there is enough to show what kind of output this is.
    pub(crate) fn is_plenty(self) -> bool {
        self.lines >= 2000 || self.bytes >= 1024 * 1024
    }
}

impl Conversation {
    /// Every frame with its entry index.
    pub fn frames(&self) -> impl Iterator<Item = (usize, &Arrived)> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| match entry {
            Entry::Got { arrived, .. } => Some((at, arrived)),
            _ => None,
        })
    }

    /// Every frame, those after the end of input included.
    pub fn all_frames(&self) -> impl Iterator<Item = &Arrived> {
        self.frames().map(|(_, arrived)| arrived)
    }

    /// Every message of the server, through batches, with its entry index.
    pub fn messages(&self) -> impl Iterator<Item = (usize, &Arrived, &Message)> {
        self.frames().flat_map(|(at, arrived)| {
            let all: &[Message] = match &arrived.frame.message {
                Message::Batch(messages) => messages,
                one => std::slice::from_ref(one),
            };
            all.iter().map(move |message| (at, arrived, message))
        })
    }

    /// Every response with what it answers.
    pub fn responses(&self) -> impl Iterator<Item = (&Arrived, &Response, Option<&Sent>)> {
        self.entries.iter().flat_map(move |entry| {
            let (arrived, answers) = match entry {
                Entry::Got { arrived, answers } => (arrived, answers),
                _ => return Vec::new(),
            };
            let pairs = arrived.frame.responses().zip(answers);
            pairs.map(|(response, at)| (arrived, response, at.and_then(|at| self.sent(at)))).collect()
        })
    }

    /// What we sent at entry `at`.
    pub fn sent(&self, at: usize) -> Option<&Sent> {
        if let Entry::Sent(sent) = self.entries.get(at)? { Some(sent) } else { None }
    }

    /// Everything we sent with its entry index.
    pub fn all_sent(&self) -> impl Iterator<Item = (usize, &Sent)> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| match entry {
            Entry::Sent(sent) => Some((at, sent)),
            _ => None,
        })
    }

    /// The last thing we sent before entry `at`.
    pub fn sent_before(&self, at: usize) -> Option<&Sent> {
        self.entries[..at.min(self.entries.len())].iter().rev().find_map(|entry| match entry {
            Entry::Sent(sent) => Some(sent),
            _ => None,
        })
    }
}

/// What came in answer to one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer.
    Answered(Box<Answer>),
    /// Nothing, although the server was still there.
    Silent {
        /// How long we waited.
        waited: Duration,
        /// Whether it answered something else afterwards.
        alive: bool,
        /// Bytes that came and were never finished.
        pending: Vec<u8>,
        /// Something came that is nested too deeply to be read: it may have been the answer.
        unread: bool,
    },
    /// The server ended.
    Gone {
        /// How its process ended, if it did.
        exit: Option<Exit>,
        /// It has closed its input only, and lives on.
        deaf: bool,
        /// The tail of its stderr.
        stderr: String,
    },
    /// HTTP: the answer to the POST held no message.
    NoMessage(Box<Exchange>),
    /// HTTP: the POST failed.
    Failed(String),
}

/// An answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The response.
    pub response: Response,
    /// The frame it came in.
    pub arrived: Arrived,
    /// The request as sent.
    pub sent: String,
    /// How long it took.
    pub took: Duration,
    /// HTTP: the number of the POST.
    pub post: u64,
}

impl Answer {
    /// The result, if it is one.
    pub fn result(&self) -> Option<&Value> {
        self.response.result.as_ref()
    }

    /// The error code, if it is an error with an integer code.
    pub fn code(&self) -> Option<i64> {
        self.response.error_code()
    }

    /// Tells whether it is an error.
    pub fn is_error(&self) -> bool {
        self.response.error.is_some() && self.response.result.is_none()
    }

    /// Says in a few words what it is: `error -32601 "Method not found"`, `a result`.
    pub fn in_words(&self) -> String {
        match (&self.response.result, &self.response.error) {
            (None, Some(error)) => {
                let code = error.get("code").map_or("without code".into(), ToString::to_string);
                let text = self.response.error_message().map(crate::words::quoted).unwrap_or_default();
                format!("error {code} {text}").trim_end().to_owned()
            }
            (Some(result), None) => format!("a result: {}", crate::words::short(&result.to_string(), 120)),
            (Some(_), Some(_)) => "a response with both result and error".into(),
            (None, None) => "a response with neither result nor error".into(),
        }
    }
}

/// Levels of nesting that are read.
const DEPTH: usize = 512;

/// Tells whether a line or body is nested deeper than anything that is read here; then nothing can be said of it.
pub(crate) fn is_too_deep(raw: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in raw {
        match byte {
            _ if depth > DEPTH => break,
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth > DEPTH && matches!(raw.trim_ascii_start().first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::is_too_deep;
    use wire::{Frame, Message};

    #[test]
    fn what_is_too_deep_is_what_the_wire_does_not_read() {
        for (depth, deep) in [(3, false), (509, false), (520, true)] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"x":{}{}}}}}"#,
                "[".repeat(depth),
                "]".repeat(depth)
            );
            assert_eq!(is_too_deep(text.as_bytes()), deep, "{depth}");
            assert_eq!(matches!(Frame::read(text.as_bytes()).message, Message::Noise), deep, "{depth}");
        }
        let brackets = format!(r#"{{"text":"\"{}"}}"#, "[".repeat(600));
        assert!(!is_too_deep(brackets.as_bytes()));
        assert!(!is_too_deep(&b"[".repeat(600)[..0]));
    }
}
