//! Why a client did not get what it asked for.

use crate::error::ConnectError;
use crate::received::Exit;
use specs::Revision;
use std::time::Duration;

/// Why a request, a list or a whole conversation came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// There was no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server answered that it does not speak the revision.
    #[error("the server does not speak {revision}: {why}")]
    NotSpoken {
        /// The revision asked for.
        revision: Revision,
        /// What it said.
        why: String,
    },
    /// The answer was an error.
    #[error("`{method}` was refused: {words}")]
    Refused {
        /// The method.
        method: String,
        /// The code of the error, if it has one.
        code: Option<i64>,
        /// The whole error, as the server sent it.
        error: wire::Value,
        /// The error in a few words.
        words: String,
    },
    /// The deadline passed.
    #[error("`{method}` got no answer within {}{}", seconds(*.waited), meanwhile(.odd))]
    Silent {
        /// The method.
        method: String,
        /// How long was waited.
        waited: Duration,
        /// The first thing that came meanwhile and was not the answer, in words.
        odd: Option<String>,
    },
    /// The server ended or closed its output.
    #[error("the server {} before it answered `{method}`{}", ended(*.exit), last_line(.stderr))]
    Gone {
        /// The method.
        method: String,
        /// How it ended, where that is known.
        exit: Option<Exit>,
        /// The end of its stderr.
        stderr: String,
    },
    /// HTTP: an answer without a JSON-RPC message.
    #[error("`{method}` got HTTP status {status} and no answer in it: {seen}")]
    NoMessage {
        /// The method.
        method: String,
        /// The status.
        status: u16,
        /// The content type and the first words of the body.
        seen: String,
    },
    /// HTTP: no answer at all.
    #[error("`{method}` failed: {cause}")]
    Failed {
        /// The method.
        method: String,
        /// The chain of causes in one line.
        cause: String,
    },
    /// A result that is not what the method gives.
    #[error("the result of `{method}` {what}")]
    Misshapen {
        /// The method.
        method: String,
        /// What is wrong, as the end of a sentence.
        what: String,
    },
    /// The pages of a list do not end.
    #[error("the pages do not end: {what}")]
    Endless {
        /// What was seen.
        what: String,
    },
    /// A list that could not be read to its end. What was read is no list, so it is not given.
    #[error("`{method}` could not be read whole: page {page}{}, after {items} items: {cause}", at(.cursor))]
    List {
        /// The method.
        method: String,
        /// Which page, counted from 1.
        page: usize,
        /// The cursor it was asked with.
        cursor: Option<String>,
        /// How many items the pages before it had.
        items: usize,
        /// What went wrong there.
        cause: Box<ClientError>,
    },
}

impl ClientError {
    /// The code of the JSON-RPC error behind it, if there is one.
    pub fn code(&self) -> Option<i64> {
        match self {
            Self::Refused { code, .. } => *code,
            Self::List { cause, .. } => cause.code(),
            _ => None,
        }
    }

    /// The JSON-RPC error behind it as the server sent it, if there is one.
    pub fn refusal(&self) -> Option<&wire::Value> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::List { cause, .. } => cause.refusal(),
            _ => None,
        }
    }

    /// Tells whether the server was heard: it has answered, if only with a refusal.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::NotSpoken { .. }
            | Self::Refused { .. }
            | Self::NoMessage { .. }
            | Self::Misshapen { .. } => true,
            Self::List { cause, .. } => cause.is_answer(),
            _ => false,
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn meanwhile(odd: &Option<String>) -> String {
    odd.as_ref().map_or_else(String::new, |odd| format!("; there came {odd}"))
}

fn ended(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("ended with exit code {code}"),
        Some(Exit::Signal(signal)) => format!("was ended by signal {signal}"),
        Some(Exit::NoProcess) | None => "closed its output".to_owned(),
    }
}

fn last_line(stderr: &str) -> String {
    match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => {
            format!("; its last words on stderr: {}", line.trim().chars().take(200).collect::<String>())
        }
        None => String::new(),
    }
}

fn at(cursor: &Option<String>) -> String {
    cursor.as_ref().map_or_else(String::new, |cursor| {
        format!(" (cursor {})", serde_json::Value::from(cursor.chars().take(60).collect::<String>()))
    })
}
