//! One HTTP request and everything that came back.

use std::fmt;
use std::time::Duration;
use wire::SseEvent;

/// How the body of an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyEnd {
    /// As HTTP says it should.
    Complete,
    /// The connection broke in the middle.
    Cut,
    /// The deadline came first.
    Deadline,
    /// The body grew over the limit.
    TooLong,
    /// We had seen enough and closed the connection.
    Stopped,
}

impl fmt::Display for BodyEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Complete => "came whole",
            Self::Cut => "broke off: the connection was closed in the middle",
            Self::Deadline => "was still open at the deadline",
            Self::TooLong => "grew over the limit",
            Self::Stopped => "was not read further, enough was seen",
        })
    }
}

/// One HTTP request and its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The request's method.
    pub method: String,
    /// The request's URL.
    pub url: String,
    /// The request's headers, names in lower case, secrets included.
    pub sent_headers: Vec<(String, String)>,
    /// The request's body.
    pub sent: Vec<u8>,
    /// The status of the answer.
    pub status: u16,
    /// The headers of the answer, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body of the answer, up to a limit; for an event stream its bytes too.
    pub body: Vec<u8>,
    /// The events, when the answer was an event stream.
    pub events: Vec<SseEvent>,
    /// An event that still waited for its blank line when the body ended.
    pub unterminated: Option<SseEvent>,
    /// How the body ended.
    pub end: BodyEnd,
    /// Time from sending to the headers.
    pub first_byte: Duration,
    /// Time from sending to the end.
    pub took: Duration,
}

impl Exchange {
    /// The value of header `name` (lower case) of the answer; of repeated ones the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The media type of the answer without parameters, in lower case; empty when absent.
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or("");
        value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }
}
