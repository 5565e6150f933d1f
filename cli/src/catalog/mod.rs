//! What the commands around the catalog share: where it lives, how servers and files become entries, and what its errors mean to a user.

pub(crate) mod embedders;
pub(crate) mod gather;
mod keeper;
pub(crate) mod ready;
pub(crate) mod synonyms;

use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::nearest::did_you_mean;
use crate::settings;
use retrieval::Kind;
use retrieval::catalog::{Catalog, CatalogError, LinesError, Subject};
use std::path::{Path, PathBuf};

/// The catalog where none is named.
const NAME: &str = "mcp-catalog.db";

/// The catalog that is meant: the one given, else that of `MCPPROOF_CATALOG`, else `mcp-catalog.db` here.
pub(crate) fn place(given: Option<&Path>) -> PathBuf {
    given.map(Path::to_owned).or_else(settings::catalog).unwrap_or_else(|| NAME.into())
}

/// Opens the catalog to change it; it is made where there is none.
pub(crate) fn open(path: &Path) -> Result<Catalog, Failure> {
    Catalog::open(path).map_err(|error| failure(&error))
}

/// Opens the catalog to change what it holds, so it has to be there.
pub(crate) fn open_held(path: &Path) -> Result<Catalog, Failure> {
    open_to_read(path)?;
    open(path)
}

/// Opens the catalog to read it.
pub(crate) fn open_to_read(path: &Path) -> Result<Catalog, Failure> {
    Catalog::open_to_read(path).map_err(|error| failure(&error))
}

/// Says what to do about an error of the catalog.
pub(crate) fn failure(error: &CatalogError) -> Failure {
    let (status, hint) = match error {
        CatalogError::Missing(_) => {
            (ExitStatus::Usage, "make one: `mcpproof catalog build TARGET...`; or name a file with --catalog")
        }
        CatalogError::NotAFile(_) | CatalogError::NoFolder(_) => {
            (ExitStatus::Usage, "name a file in a folder that is there, with --catalog")
        }
        CatalogError::Foreign { .. } => {
            (ExitStatus::Usage, "it was left as it is; name another file with --catalog")
        }
        CatalogError::Corrupt { .. } => {
            (ExitStatus::CouldNotRun, "move the file away, and build it again or import an export of it")
        }
        CatalogError::Newer { .. } => {
            (ExitStatus::Usage, "update mcpproof, or name another file with --catalog")
        }
        CatalogError::ReadOnly(_) => {
            (ExitStatus::CouldNotRun, "check the permissions of the file and its folder")
        }
        CatalogError::Full(_) => (ExitStatus::CouldNotRun, "make room; what the catalog held is still there"),
        CatalogError::Busy(_) => (ExitStatus::CouldNotRun, "try again when the other program is done"),
        CatalogError::Twice { .. } => (ExitStatus::Usage, "give one of them another name"),
        CatalogError::SourceThere(_) => (
            ExitStatus::Usage,
            "import it under another name with --rename OLD=NEW, or put it in its place with --replace",
        ),
        _ => (ExitStatus::CouldNotRun, "check the path, the disk and the permissions"),
    };
    let error = anyhow::Error::msg(error.to_string());
    Failure { status, about: About::Anything, error, hint: hint.to_owned() }
}

/// Says what to do about a file of lines.
pub(crate) fn lines_failure(error: &LinesError) -> Failure {
    let hint = match error {
        LinesError::Twice { .. } => {
            "give one of them another name; `mcpproof catalog import --number` calls them `name#2`, `name#3`"
        }
        _ => {
            "a line is {source, kind, name, description, input} as `catalog export` writes it, or {server, name, description, inputSchema}"
        }
    };
    Failure::usage(error.to_string(), hint)
}

/// The time, in seconds since 1970.
pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Finds the one entry that `word` names.
pub(crate) fn subject(catalog: &Catalog, word: &str) -> Result<Subject, Failure> {
    let found = catalog.find(word).map_err(|error| failure(&error))?;
    let mut subjects: Vec<_> = found.iter().map(|(subject, _)| subject).collect();
    // What is said about an entry is said about all kinds of that name.
    subjects.dedup();
    match subjects[..] {
        [only] => Ok(only.clone()),
        [] => {
            let entries = catalog.entries().map_err(|error| failure(&error))?;
            let names: Vec<_> =
                entries.iter().map(|entry| format!("{}/{}", entry.source, entry.name)).collect();
            let bare = entries.iter().map(|entry| entry.name.as_str());
            let known = names.iter().map(String::as_str).chain(bare);
            let hint = did_you_mean(word, known, "names are SOURCE/NAME; `mcpproof search` finds them");
            Err(Failure::usage(format!("the catalog has nothing named `{word}`"), hint))
        }
        _ => {
            let all: Vec<_> = subjects.iter().map(ToString::to_string).collect();
            Err(Failure::usage(
                format!("`{word}` is the name of several"),
                format!("say which: {}", all.join(", ")),
            ))
        }
    }
}

/// Writes how much there is: `1 entry of 1 source`.
pub(crate) fn held(entries: u64, sources: usize) -> String {
    let entry = if entries == 1 { "entry" } else { "entries" };
    format!("{entries} {entry} of {sources} source{}", if sources == 1 { "" } else { "s" })
}

/// Writes a count with its word: `1 tool`, `2 templates`.
pub(crate) fn counted(count: u64, kind: Kind) -> String {
    format!("{count} {kind}{}", if count == 1 { "" } else { "s" })
}
