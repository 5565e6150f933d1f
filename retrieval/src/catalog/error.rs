//! Why a catalog could not be opened, read or changed. What to do about it is said by whoever shows it.

use crate::entry::Kind;
use rusqlite::ErrorCode;
use std::path::Path;
use thiserror::Error;

/// Why a catalog could not be used. Whatever it held before is still there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// There is no file.
    #[error("there is no catalog at `{0}`")]
    Missing(String),
    /// The path leads to something else than a file.
    #[error("`{0}` is no file")]
    NotAFile(String),
    /// The folder that the file would stand in is not there.
    #[error("there is no folder for `{0}`")]
    NoFolder(String),
    /// The file belongs to somebody else; it is left alone.
    #[error("`{shown}` is no catalog: {what}")]
    Foreign {
        /// The path.
        shown: String,
        /// How that was seen.
        what: String,
    },
    /// The file is ours and broken.
    #[error("the catalog `{shown}` is damaged: {what}")]
    Corrupt {
        /// The path.
        shown: String,
        /// What was found.
        what: String,
    },
    /// A later version of the program wrote it.
    #[error(
        "the catalog `{shown}` was made by a newer mcpproof (version {seen} of its tables, this one knows {known})"
    )]
    Newer {
        /// The path.
        shown: String,
        /// The version of its tables.
        seen: i64,
        /// The newest version known here.
        known: i64,
    },
    /// It may not be written.
    #[error("the catalog `{0}` cannot be written")]
    ReadOnly(String),
    /// No room is left.
    #[error("no room is left on the disk of `{0}`")]
    Full(String),
    /// Another program holds it.
    #[error("the catalog `{0}` is in use by another program, which did not let go")]
    Busy(String),
    /// One source has two entries of one name.
    #[error("the source `{source_name}` has two {kind}s named `{name}`")]
    Twice {
        /// The source.
        source_name: String,
        /// The kind of both.
        kind: Kind,
        /// The name of both.
        name: String,
    },
    /// A source is there already, and it was not said that it may go.
    #[error("the catalog has a source `{0}` already")]
    SourceThere(String),
    /// Anything else that SQLite or the file system said.
    #[error("the catalog `{shown}` failed: {cause}")]
    Failed {
        /// The path.
        shown: String,
        /// What was said.
        cause: String,
    },
}

impl CatalogError {
    /// Turns what SQLite says about the file `shown` into words.
    pub(super) fn of(shown: &str, error: &rusqlite::Error) -> Self {
        let shown = shown.to_owned();
        match (error, error.sqlite_error_code()) {
            (_, Some(ErrorCode::NotADatabase)) => {
                Self::Foreign { shown, what: "SQLite does not take it for a database".into() }
            }
            (_, Some(ErrorCode::DatabaseCorrupt)) => Self::Corrupt { shown, what: first_line(error) },
            (_, Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied)) => Self::ReadOnly(shown),
            (_, Some(ErrorCode::DiskFull)) => Self::Full(shown),
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => Self::Busy(shown),
            // What stands in our own tables in another form than we write it was not written by us.
            (
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..),
                _,
            ) => Self::Corrupt { shown, what: error.to_string() },
            _ => Self::Failed { shown, cause: error.to_string() },
        }
    }

    /// Turns what the file system says about `path` into words.
    pub(super) fn of_io(path: &Path, error: &std::io::Error) -> Self {
        Self::Failed { shown: path.display().to_string(), cause: error.to_string() }
    }
}

/// What SQLite says, without the list of pages that may follow.
fn first_line(error: &rusqlite::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("***"));
    lines.take(1).collect()
}
