//! Follows a JSON value over several lines without keeping or building it; the last word has the parser.

use crate::json::DEPTH;
use crate::scan;

/// What is known after some more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The value goes on.
    Open,
    /// The value has ended; whatever follows it was not looked at.
    Complete,
    /// No bytes can make this a value.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Name,
    NameOrEnd,
    Colon,
    CommaOrEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Between,
    String,
    Escape,
    Scalar,
}

/// The state of a value that is not whole yet.
#[derive(Debug)]
pub(crate) struct Follower {
    /// The open brackets: true for an object, false for an array.
    open: Vec<bool>,
    expect: Expect,
    token: Token,
}

impl Follower {
    /// Starts before the first byte of a value.
    pub(crate) fn new() -> Self {
        Self { open: Vec::new(), expect: Expect::Value, token: Token::Between }
    }

    /// Takes in the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Progress {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match self.token {
                Token::Escape => self.token = Token::String,
                Token::String => {
                    at += self.in_string(byte, &bytes[at..]);
                }
                Token::Scalar if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => {}
                Token::Scalar | Token::Between => {
                    self.token = Token::Between;
                    match self.between(byte) {
                        Progress::Open => {}
                        end => return end,
                    }
                }
            }
        }
        Progress::Open
    }

    /// Handles one byte of a string and returns how many plain bytes after it need no look.
    fn in_string(&mut self, byte: u8, rest: &[u8]) -> usize {
        match byte {
            b'"' => self.token = Token::Between,
            b'\\' => self.token = Token::Escape,
            _ => return scan::plain_len(rest),
        }
        0
    }

    fn between(&mut self, byte: u8) -> Progress {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Progress::Open;
        }
        match (self.expect, byte) {
            (Expect::ValueOrEnd, b']') | (Expect::NameOrEnd, b'}') => return self.close(byte),
            (Expect::Value | Expect::ValueOrEnd, b'{') => return self.push(true),
            (Expect::Value | Expect::ValueOrEnd, b'[') => return self.push(false),
            (Expect::Value | Expect::ValueOrEnd, b'"') => {
                (self.token, self.expect) = (Token::String, Expect::CommaOrEnd);
            }
            (Expect::Value | Expect::ValueOrEnd, b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N' | b'I') => {
                (self.token, self.expect) = (Token::Scalar, Expect::CommaOrEnd);
            }
            (Expect::Name | Expect::NameOrEnd, b'"') => {
                (self.token, self.expect) = (Token::String, Expect::Colon)
            }
            (Expect::Colon, b':') => self.expect = Expect::Value,
            (Expect::CommaOrEnd, b',') => match self.open.last() {
                Some(true) => self.expect = Expect::Name,
                Some(false) => self.expect = Expect::Value,
                None => return Progress::Broken,
            },
            (Expect::CommaOrEnd, b']' | b'}') => return self.close(byte),
            _ => return Progress::Broken,
        }
        Progress::Open
    }

    fn push(&mut self, object: bool) -> Progress {
        self.open.push(object);
        self.expect = if object { Expect::NameOrEnd } else { Expect::ValueOrEnd };
        if self.open.len() <= DEPTH { Progress::Open } else { Progress::Broken }
    }

    fn close(&mut self, byte: u8) -> Progress {
        if self.open.pop() != Some(byte == b'}') {
            return Progress::Broken;
        }
        self.expect = Expect::CommaOrEnd;
        if self.open.is_empty() { Progress::Complete } else { Progress::Open }
    }
}
