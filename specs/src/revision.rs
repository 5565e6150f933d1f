//! The five revisions of the protocol and what each can do. No other room knows a revision by its date.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A dated revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Revision {
    /// 2024-11-05: stdio and HTTP+SSE.
    #[serde(rename = "2024-11-05")]
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, tool annotations.
    #[serde(rename = "2025-03-26")]
    V2025_03_26,
    /// 2025-06-18: structured output, elicitation, the version header.
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// 2025-11-25: tasks, icons, tool name rules.
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// 2026-07-28: stateless, no handshake.
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// A string that is no known revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRevision(pub String);

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Revision::ALL.iter().map(|r| r.as_str()).collect();
        write!(f, "unknown revision `{}` (known: {})", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownRevision {}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28];

    /// The revisions that open with `initialize`, oldest first.
    pub const WITH_HANDSHAKE: [Self; 4] = [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25];

    /// The newest revision that opens with `initialize`.
    pub const NEWEST_WITH_HANDSHAKE: Self = V2025_11_25;

    /// The newest revision without a handshake.
    pub const NEWEST_STATELESS: Self = V2026_07_28;

    /// Returns the date as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            V2024_11_05 => "2024-11-05",
            V2025_03_26 => "2025-03-26",
            V2025_06_18 => "2025-06-18",
            V2025_11_25 => "2025-11-25",
            V2026_07_28 => "2026-07-28",
        }
    }

    /// Tells whether each request describes itself and no handshake exists.
    pub const fn is_stateless(self) -> bool {
        matches!(self, V2026_07_28)
    }

    /// Tells whether receivers must accept a JSON array of messages.
    pub const fn has_batches(self) -> bool {
        matches!(self, V2025_03_26)
    }

    /// Tells whether the text of this revision says what an array means (2024-11-05 is silent).
    pub const fn defines_batches(self) -> bool {
        !matches!(self, V2024_11_05)
    }

    /// Tells whether `ping` is a method.
    pub const fn has_ping(self) -> bool {
        !self.is_stateless()
    }

    /// Tells whether HTTP means one endpoint and POST rather than HTTP+SSE.
    pub const fn has_streamable_http(self) -> bool {
        self as u8 >= V2025_03_26 as u8
    }

    /// Tells whether HTTP requests after the handshake carry `MCP-Protocol-Version`.
    pub const fn has_version_header(self) -> bool {
        self as u8 >= V2025_06_18 as u8
    }

    /// Tells whether tools may declare `outputSchema` and answer `structuredContent`.
    pub const fn has_structured_content(self) -> bool {
        self as u8 >= V2025_06_18 as u8
    }

    /// Tells whether `structuredContent` may be any JSON value rather than an object.
    pub const fn has_free_structured_content(self) -> bool {
        self.is_stateless()
    }

    /// Tells whether the text recommends an alphabet and a length for tool names.
    pub const fn has_tool_name_rules(self) -> bool {
        self as u8 >= V2025_11_25 as u8
    }

    /// Tells whether list results carry `ttlMs` and `cacheScope`, and results a `resultType`.
    pub const fn has_typed_results(self) -> bool {
        self.is_stateless()
    }

    /// Tells whether a bad `Origin` must be answered with 403 rather than with any refusal.
    pub const fn has_origin_403(self) -> bool {
        self as u8 >= V2025_11_25 as u8
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL.into_iter().find(|r| r.as_str() == text).ok_or_else(|| UnknownRevision(text.into()))
    }
}

/// A set of revisions, for the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions(u8);

impl Revisions {
    /// Every revision.
    pub const ALL: Self = Self(0b1_1111);

    /// `first` and all later ones.
    pub const fn since(first: Revision) -> Self {
        Self(Self::ALL.0 & (0xff << first as u8))
    }

    /// `last` and all earlier ones.
    pub const fn until(last: Revision) -> Self {
        Self(Self::ALL.0 & !(0xfe << last as u8))
    }

    /// From `first` to `last`, both included.
    pub const fn between(first: Revision, last: Revision) -> Self {
        Self(Self::since(first).0 & Self::until(last).0)
    }

    /// Only `only`.
    pub const fn only(only: Revision) -> Self {
        Self(1 << only as u8)
    }

    /// Tells whether `revision` is in the set.
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & (1 << revision as u8) != 0
    }

    /// Lists the members, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |r| self.contains(*r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_their_bounds_say() {
        let middle: Vec<_> = Revisions::between(V2025_03_26, V2025_06_18).iter().collect();
        assert_eq!(middle, [V2025_03_26, V2025_06_18]);
        assert_eq!(Revisions::since(V2024_11_05), Revisions::ALL);
        assert_eq!(Revisions::until(V2026_07_28), Revisions::ALL);
        assert!(!Revisions::until(V2025_11_25).contains(V2026_07_28));
    }

    #[test]
    fn dates_read_back_as_the_revision_they_print() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        let wrong = "2025-03-27".parse::<Revision>().expect_err("no such revision");
        assert!(wrong.to_string().contains("2025-03-26"));
    }
}
