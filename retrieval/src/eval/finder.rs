//! What can be judged: anything that answers a request with entries of a set. Who answers stands in `ours.rs`, `fts5.rs` and `lazy_tool.rs`.

use thiserror::Error;

/// Why a method could not be tried.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FinderError(pub String);

impl From<rusqlite::Error> for FinderError {
    fn from(error: rusqlite::Error) -> Self {
        Self(format!("SQLite: {error}"))
    }
}

/// What a finder answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Places in the entries of the set, best first, each at most once.
    pub entries: Vec<usize>,
    /// Whether it says that nothing fits. Who has no way to say so says it by finding nothing.
    pub abstain: bool,
}

impl Found {
    /// Makes an answer of one that cannot abstain except by being empty.
    pub fn plain(entries: Vec<usize>) -> Self {
        Self { abstain: entries.is_empty(), entries }
    }
}

/// Answers requests over the entries it was built from.
pub trait Finder {
    /// Finds at most `limit` entries for a request in anyone's words.
    ///
    /// # Errors
    /// When what it stands on fails; finding nothing is no error.
    fn find(&self, text: &str, limit: usize) -> Result<Found, FinderError>;
}
