//! A cassette as data and as text: pretty JSON with one exchange a block, so that a pull request shows what changed.

use super::redact::Pointer;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The version that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// Why a text is no cassette or golden file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct CassetteError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    /// What was expected and what is there.
    pub message: String,
}

/// What a server said, in each revision in which it was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    /// The version of the format.
    #[serde(rename = "cassette", deserialize_with = "version")]
    pub version: u64,
    /// The conversations, newest revision first.
    pub conversations: Vec<Conversation>,
}

/// What was said in one or more revisions, word for word the same in each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// The revisions, newest first.
    #[serde(deserialize_with = "at_least_one")]
    pub revisions: Vec<String>,
    /// How it was opened.
    pub opening: Opening,
    /// What was asked and answered, in order.
    pub exchanges: Vec<Exchange>,
}

/// The first exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// `initialize` or `server/discover`.
    #[serde(deserialize_with = "opener")]
    pub method: String,
    /// What the server said of itself. That of `initialize` has no `protocolVersion`: it is the revision.
    pub result: Map<String, Value>,
}

/// The method of an opening with a handshake.
pub(super) const INITIALIZE: &str = "initialize";

/// The method of an opening without.
pub(super) const DISCOVER: &str = "server/discover";

/// One request and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Exchange {
    /// Its name in the spec, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The method.
    pub method: String,
    /// The params without what belongs to one conversation only; null when there are none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub params: Value,
    /// The answer.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Where a placeholder stands for what differs each time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<Pointer>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The result.
    Result(Value),
    /// The error.
    Error(Value),
}

/// An exchange as it stands in the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Option<String>,
    method: String,
    #[serde(default)]
    params: Value,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Value>,
    #[serde(default)]
    redacted: Vec<Pointer>,
}

impl TryFrom<Written> for Exchange {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { name, method, params, result, error, redacted } = written;
        if !matches!(params, Value::Null | Value::Object(_)) {
            return Err("`params` must be an object");
        }
        let outcome = match (result, error) {
            (Some(result), None) => Outcome::Result(result),
            (None, Some(error)) => Outcome::Error(error),
            (None, None) => return Err("an exchange has a `result` or an `error`, and this has neither"),
            (Some(_), Some(_)) => return Err("an exchange has a `result` or an `error`, and this has both"),
        };
        Ok(Self { name, method, params, outcome, redacted })
    }
}

impl Cassette {
    /// Makes a cassette; revisions in which the same was said become one block.
    pub fn of(conversations: Vec<Conversation>) -> Self {
        let mut merged: Vec<Conversation> = Vec::new();
        for mut next in conversations {
            let same =
                |one: &&mut Conversation| one.opening == next.opening && one.exchanges == next.exchanges;
            match merged.iter_mut().find(same) {
                Some(one) => one.revisions.append(&mut next.revisions),
                None => merged.push(next),
            }
        }
        for one in &mut merged {
            one.revisions.sort_by(|a, b| b.cmp(a));
        }
        merged.sort_by(|a, b| b.revisions.cmp(&a.revisions));
        Self { version: VERSION, conversations: merged }
    }

    /// Reads the text of a cassette.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let cassette: Self = parse(text)?;
        match cassette.conversations.is_empty() {
            false => Ok(cassette),
            true => Err(CassetteError { line: 1, column: 1, message: "`conversations` is empty".into() }),
        }
    }

    /// Writes the text of a cassette.
    pub fn render(&self) -> String {
        render(self)
    }
}

/// Reads JSON of a known form.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, CassetteError> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(line) = bare.lines().position(|line| line.starts_with("<<<<<<< ")) {
        let message = "the marks of an unfinished merge stand here".to_owned();
        return Err(CassetteError { line: line + 1, column: 1, message });
    }
    serde_json::from_str(bare).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        CassetteError { line: error.line(), column: error.column(), message: message.to_owned() }
    })
}

/// Writes JSON for people.
pub(super) fn render(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("keys are texts and numbers are finite");
    text + "\n"
}

pub(super) fn version<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    match u64::deserialize(from)? {
        VERSION => Ok(VERSION),
        newer if newer > VERSION => Err(D::Error::custom(format!(
            "version {newer} of the format is newer than this program, which reads {VERSION}"
        ))),
        other => Err(D::Error::custom(format!(
            "version {other} of the format does not exist, it begins at {VERSION}"
        ))),
    }
}

fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let all = Vec::<String>::deserialize(from)?;
    if all.is_empty() { Err(D::Error::custom("`revisions` names no revision")) } else { Ok(all) }
}

fn opener<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let method = String::deserialize(from)?;
    if [INITIALIZE, DISCOVER].contains(&method.as_str()) {
        return Ok(method);
    }
    Err(D::Error::custom(format!("a conversation opens with `{INITIALIZE}` or `{DISCOVER}`, not `{method}`")))
}

/// Keeps a null apart from nothing.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
