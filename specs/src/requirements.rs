//! The requirement catalogue: every normative statement of the specification as a typed row.
//!
//! The rows stand in `specs/requirements/<area>.toml`; what a check does with them stands in `checks`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use crate::requirement_files::{FILES, File};
use crate::{Revision, Revisions, pages};

/// How strongly the specification words a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Level {
    /// An absolute demand.
    #[serde(rename = "MUST")]
    Must,
    /// An absolute prohibition.
    #[serde(rename = "MUST NOT")]
    MustNot,
    /// A demand that good reasons may override.
    #[serde(rename = "SHOULD")]
    Should,
    /// A prohibition that good reasons may override.
    #[serde(rename = "SHOULD NOT")]
    ShouldNot,
    /// A freedom that the other side has to live with.
    #[serde(rename = "MAY")]
    May,
}

impl Level {
    /// Tells whether good reasons cannot override the statement.
    pub const fn is_absolute(self) -> bool {
        matches!(self, Self::Must | Self::MustNot)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
        })
    }
}

/// Whom a statement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The server (or, in `auth.as.*`, the authorization server).
    Server,
    /// The client.
    Client,
    /// Either side.
    Both,
}

/// The transport a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Every transport.
    Any,
    /// Standard input and output of a child process.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP with server-sent events, the transport of the first revision.
    Sse,
}

/// Whether the other side of the wire can see that a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observable {
    /// A violation shows on the wire.
    Yes,
    /// Some violations show, or only with the peer's help.
    Partly,
    /// Nothing on the wire shows it.
    No,
}

/// A normative statement of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Dotted name; the first segment is the area.
    pub id: String,
    /// How strongly it is worded.
    pub level: Level,
    /// Whom it binds.
    pub role: Role,
    /// Where it applies.
    pub transport: Transport,
    /// The first revision in which it holds.
    pub since: Revision,
    /// The last revision in which it holds; none while it still does.
    #[serde(default)]
    pub until: Option<Revision>,
    /// Page in the newest revision in which it holds, `schema.ts` or `jsonrpc-2.0`.
    pub page: String,
    /// What it demands, in our words.
    pub summary: String,
    /// How a checker can tell.
    pub probe: String,
    /// Whether a checker can tell.
    pub observable: Observable,
    /// Follows from the text without standing there; a checker warns at most.
    #[serde(default)]
    pub derived: bool,
}

impl Requirement {
    /// Returns the first segment of the id.
    pub fn area(&self) -> &str {
        area_of(&self.id)
    }

    /// Returns the revisions in which the statement holds.
    pub fn revisions(&self) -> Revisions {
        self.until.map_or(Revisions::since(self.since), |last| Revisions::between(self.since, last))
    }

    /// Returns the address of the page that says so in `revision`.
    ///
    /// A revision in which the row does not hold gets the page of the nearest one in which it does.
    pub fn url(&self, revision: Revision) -> String {
        let revision = revision.max(self.since).min(self.until.unwrap_or(Revision::NEWEST_STATELESS));
        pages::url(self.page_in(revision), revision).expect("a test asks every row for every revision")
    }

    /// The first revision had a page of its own for the envelope.
    fn page_in(&self, revision: Revision) -> &str {
        let is_envelope = self.area() == "jsonrpc" && self.page == "basic/index.mdx";
        if is_envelope && revision == Revision::V2024_11_05 { "basic/messages.mdx" } else { &self.page }
    }
}

/// A requirement file that cannot be read as rows.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The file is no TOML.
    #[error("failed to read `requirements/{file}.toml`")]
    File {
        /// The file.
        file: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A row lacks a member, or has a wrong or unknown one.
    #[error("failed to read row {row} of `requirements/{file}.toml`")]
    Row {
        /// The file.
        file: String,
        /// The id of the row, or its position when it has none.
        row: String,
        /// Which member and why.
        source: Box<toml::de::Error>,
    },
}

/// Returns every row, sorted by file, then in the order of the file.
pub fn all() -> &'static [Requirement] {
    static ALL: OnceLock<Vec<Requirement>> = OnceLock::new();
    ALL.get_or_init(|| FILES.iter().flat_map(|file| rows(file.name, file.text)).collect())
}

/// Finds the row `id`, reading only its own lines: a run asks for a few rows, and a file has up to a hundred.
pub fn get(id: &str) -> Option<&'static Requirement> {
    static FOUND: Mutex<BTreeMap<String, &'static Requirement>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(row) = found.get(id) {
        return Some(row);
    }
    let line = format!("\nid = \"{id}\"\n");
    let of_area = FILES.iter().filter(|file| area_of_file(file.name) == area_of(id));
    let (file, at) =
        of_area.map(|file| (file, file.text.find(&line))).find_map(|(file, at)| Some((file, at?)))?;
    let row = rows(file.name, row_at(file, at)).into_iter().find(|row| row.id == id)?;
    // It lives as long as the program, and each row does so once.
    let row: &'static Requirement = Box::leak(Box::new(row));
    found.insert(id.to_owned(), row);
    Some(row)
}

/// Cuts the row out of a file in whose lines `at` lies.
fn row_at(file: &File, at: usize) -> &'static str {
    const HEAD: &str = "[[requirement]]";
    let start = file.text[..at].rfind(HEAD).unwrap_or(0);
    let end = file.text[at..].find(HEAD).map_or(file.text.len(), |end| at + end);
    &file.text[start..end]
}

fn rows(file: &str, text: &str) -> Vec<Requirement> {
    parse(file, text).expect("a test reads every compiled-in file, and each row alone")
}

/// Reads the rows in the TOML `text` of `file`.
fn parse(file: &str, text: &str) -> Result<Vec<Requirement>, CatalogueError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rows {
        requirement: Vec<toml::Table>,
    }
    let rows: Rows = toml::from_str(text)
        .map_err(|source| CatalogueError::File { file: file.into(), source: Box::new(source) })?;
    let typed = |(idx, row): (usize, toml::Table)| {
        let name = row.get("id").map_or(format!("number {}", idx + 1), |id| format!("`{id}`"));
        row.try_into().map_err(|source| CatalogueError::Row {
            file: file.into(),
            row: name,
            source: Box::new(source),
        })
    };
    rows.requirement.into_iter().enumerate().map(typed).collect()
}

fn area_of(id: &str) -> &str {
    id.split_once('.').map_or(id, |(area, _)| area)
}

fn area_of_file(name: &str) -> &str {
    name.split_once('-').map_or(name, |(area, _)| area)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_parses_and_holds_rows_of_its_area() {
        for file in FILES {
            let rows = parse(file.name, file.text).expect("parses");
            assert!(!rows.is_empty(), "{} is empty", file.name);
            for row in rows {
                assert_eq!(row.area(), area_of_file(file.name), "{} in {}", row.id, file.name);
            }
        }
    }

    #[test]
    fn the_catalogue_has_977_rows_with_ids_of_their_own() {
        let ids: BTreeSet<_> = all().iter().map(|row| &row.id).collect();
        assert_eq!((all().len(), ids.len()), (977, 977));
        assert_eq!(all().iter().filter(|row| row.derived).count(), 32);
    }

    #[test]
    fn every_row_says_what_it_demands_and_ends_after_it_begins() {
        for row in all() {
            assert!(row.until.is_none_or(|last| row.since <= last), "{}", row.id);
            assert!(!row.summary.is_empty() && !row.probe.is_empty(), "{}", row.id);
        }
    }

    #[test]
    fn every_row_has_a_page_in_each_revision_in_which_it_holds() {
        for row in all() {
            for revision in row.revisions().iter() {
                let url = pages::url(row.page_in(revision), revision);
                assert!(url.is_some(), "{}: no page `{}` in {revision}", row.id, row.page);
            }
        }
    }

    #[test]
    fn each_row_is_found_by_its_id() {
        for row in all() {
            assert_eq!(get(&row.id), Some(row));
        }
        assert_eq!(get("ping.respond"), None);
        assert_eq!(get("nonsense"), None);
    }

    #[test]
    fn a_row_holds_between_its_bounds_and_points_to_the_page_of_the_time() {
        let row = get("stdio.stdout-only-mcp").expect("exists");
        assert_eq!(row.revisions(), Revisions::ALL);
        assert!(row.url(Revision::V2024_11_05).ends_with("/2024-11-05/basic/transports"));
        let ping = get("ping.responds").expect("exists");
        assert!(ping.url(Revision::V2026_07_28).ends_with("/2025-11-25/basic/utilities/ping"));
        let envelope = get("jsonrpc.request.id-not-null").expect("exists");
        assert!(envelope.url(Revision::V2024_11_05).ends_with("/basic/messages"));
    }

    #[test]
    fn an_error_names_the_file_and_the_row() {
        let text = FILES[0].text.replacen("level = \"MUST\"", "level = \"SHALL\"", 1);
        let message = parse("auth-as", &text).expect_err("SHALL is no level").to_string();
        assert!(message.contains("requirements/auth-as.toml") && message.contains("auth.as."), "{message}");
        let nameless = parse("ping", "[[requirement]]\nlevel = \"MUST\"").expect_err("no id").to_string();
        assert!(nameless.contains("row number 1"), "{nameless}");
        assert!(parse("ping", "[[requirement]").expect_err("no TOML").to_string().contains("ping.toml"));
    }
}
