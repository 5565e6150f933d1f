//! What a broken check says, for a person to act on.

use serde::Serialize;
use specs::Revision;
use std::fmt;
use std::str::FromStr;

/// How grave a finding is, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A MUST or the schema is broken.
    Violation,
    /// A SHOULD is broken, or a rule that the text does not state in so many words.
    Should,
    /// Legal, but known to break hosts or providers.
    Interop,
    /// Worth knowing; never fails a run.
    Note,
}

impl Class {
    /// Every class, gravest first.
    pub const ALL: [Self; 4] = [Self::Violation, Self::Should, Self::Interop, Self::Note];

    /// The word used in reports and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::Should => "should",
            Self::Interop => "interop",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|c| c.as_str() == text);
        found.ok_or_else(|| format!("no class `{text}` (violation, should, interop, note)"))
    }
}

/// A host or provider whose known limits become interop findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// OpenAI function calling and the Responses API.
    Openai,
    /// The Anthropic Messages API.
    Anthropic,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [Self::Openai, Self::Anthropic, Self::ClaudeCode, Self::Cursor];

    /// The word used in reports and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The bytes to blame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The bytes as text, shortened around the fault, unprintables spelled out.
    pub text: String,
    /// Length of the whole frame, event or body in bytes.
    pub length: usize,
    /// Byte offset of the fault in it, where one byte is to blame.
    pub offset: Option<usize>,
}

/// One broken check in one revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Id of the check.
    pub id: &'static str,
    /// How grave.
    pub class: Class,
    /// Key of the requirement row; empty when no rule is broken.
    pub requirement: &'static str,
    /// The revision it was found in.
    #[serde(serialize_with = "as_text")]
    pub revision: Revision,
    /// What was expected, in one sentence.
    pub expected: String,
    /// What was seen instead, in one sentence.
    pub seen: String,
    /// The request that provoked it, compact and shortened; `None` when nothing was sent before.
    pub sent: Option<String>,
    /// The bytes to blame.
    pub bytes: Option<Excerpt>,
    /// What else helps: JSON pointers, the second and third instance, a suggestion.
    pub details: Vec<String>,
    /// Hosts or providers that are known to break on it.
    pub profiles: Vec<Profile>,
    /// What breaks in practice.
    pub breaks: &'static str,
    /// Public page of the rule; empty when no rule is broken.
    pub page: String,
    /// What the rule demands, in one sentence.
    pub rule: String,
    /// First and last record in the transcript.
    pub records: Option<(usize, usize)>,
}

fn as_text<S: serde::Serializer>(revision: &Revision, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(revision.as_str())
}

impl Excerpt {
    /// Shows `bytes` around `offset`, shortened to about two lines of a report.
    pub fn of(bytes: &[u8], offset: Option<usize>) -> Self {
        Self { text: wire::Excerpt::around(bytes, offset, 150), length: bytes.len(), offset }
    }

    /// Shows `bytes` around the part at the JSON `pointer`; no single byte of it is to blame.
    pub fn at(bytes: &[u8], pointer: &str) -> Self {
        Self { offset: None, ..Self::of(bytes, Some(wire::locate(bytes, pointer))) }
    }
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn long_bytes_are_cut_around_the_part_that_a_pointer_names() {
        let frame =
            format!(r#"{{"result":{{"a":"{}","wanted":7,"z":"{}"}}}}"#, "x".repeat(300), "y".repeat(300));
        let excerpt = Excerpt::at(frame.as_bytes(), "/result/wanted");
        assert!(excerpt.text.contains(r#""wanted":7,"#), "{}", excerpt.text);
        assert_eq!((excerpt.length, excerpt.offset), (frame.len(), None));
        assert!(Excerpt::at(frame.as_bytes(), "/result/missing").text.starts_with(r#"{"result":"#));
    }
}
