//! Reads what the catalog holds: entries, former versions, and how it fares. Ranking is done elsewhere.

use super::write::kind;
use super::{Catalog, CatalogError};
use crate::entry::{Entry, Kind};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What an entry said before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Version {
    /// The hash of what it said.
    pub content_hash: String,
    /// When it began to say so, in seconds since 1970.
    pub since: i64,
    /// When it said something else, or was gone.
    pub until: i64,
}

/// How one source fares. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceStats {
    /// Its name.
    pub name: String,
    /// How many entries it has of each kind; kinds that it has none of are left out.
    pub entries: BTreeMap<Kind, u64>,
    /// When it was put into the catalog.
    pub built_at: Option<i64>,
    /// When it last answered.
    pub last_seen: Option<i64>,
    /// Why it could not be read the last time, where that failed.
    pub last_error: Option<String>,
}

/// How much the catalog holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Each source, by name.
    pub sources: Vec<SourceStats>,
    /// Entries of all sources.
    pub entries: u64,
    /// Former versions of entries.
    pub versions: u64,
    /// Kept vectors, by embedder.
    pub vectors: BTreeMap<String, u64>,
    /// Pins.
    pub pins: u64,
    /// Aliases.
    pub aliases: u64,
    /// Summaries.
    pub summaries: u64,
    /// Calls that were noted.
    pub invocations: u64,
    /// Bytes of the file, without what is written beside it.
    pub bytes: u64,
}

impl Catalog {
    /// Reads every entry as its source said it, sorted by source, kind and name.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn entries(&self) -> Result<Vec<Entry>, CatalogError> {
        self.snapshot(entries)
    }

    /// Reads every entry as it is to be searched: with the summaries of the user.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn entries_to_search(&self) -> Result<Vec<Entry>, CatalogError> {
        self.snapshot(|db| {
            let mut found = entries(db)?;
            let summaries = super::wishes::summaries(db)?;
            for entry in &mut found {
                if let Some(summary) = summaries.get(&(entry.source.clone(), entry.name.clone())) {
                    entry.description = summary.over(&entry.description);
                }
            }
            Ok(found)
        })
    }

    /// Reads what an entry said before, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn versions(&self, source: &str, of: Kind, name: &str) -> Result<Vec<Version>, CatalogError> {
        self.run(|db| {
            let sql = "SELECT content_hash, since, until FROM versions
                       WHERE source = ?1 AND kind = ?2 AND name = ?3 ORDER BY until, rowid";
            let mut asked = db.prepare(sql)?;
            let rows = asked.query_map((source, of as u8, name), |row| {
                Ok(Version { content_hash: row.get(0)?, since: row.get(1)?, until: row.get(2)? })
            })?;
            rows.collect()
        })
    }

    /// Counts what is there, and has SQLite look for damage on the way.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn stats(&self) -> Result<Stats, CatalogError> {
        let said: String = self.run(|db| db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if said != "ok" {
            return Err(CatalogError::Corrupt { shown: self.shown.clone(), what: said });
        }
        self.snapshot(|db| {
            let count = |sql: &str| db.query_row(sql, [], |row| whole(row, 0));
            Ok(Stats {
                sources: sources(db)?,
                entries: count("SELECT count(*) FROM capabilities")?,
                versions: count("SELECT count(*) FROM versions")?,
                vectors: db
                    .prepare("SELECT embedder, count(*) FROM embeddings GROUP BY embedder")?
                    .query_map([], |row| Ok((row.get(0)?, whole(row, 1)?)))?
                    .collect::<rusqlite::Result<_>>()?,
                pins: count("SELECT count(*) FROM pins")?,
                aliases: count("SELECT count(*) FROM aliases")?,
                summaries: count("SELECT count(*) FROM summaries")?,
                invocations: count("SELECT coalesce(sum(succeeded + failed), 0) FROM invocations")?,
                bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            })
        })
    }
}

/// The columns that `entry` reads.
const ENTRIES: &str = "SELECT s.name, c.kind, c.name, c.title, c.description, c.input, s.description
    FROM capabilities c JOIN sources s ON s.id = c.source
    ORDER BY s.name, c.kind, c.name";

fn entries(db: &Connection) -> rusqlite::Result<Vec<Entry>> {
    db.prepare_cached(ENTRIES)?.query_map([], entry)?.collect()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        source: row.get(0)?,
        kind: kind(row.get(1)?)?,
        name: row.get(2)?,
        title: row.get(3)?,
        description: row.get(4)?,
        input: input(row.get(5)?, 5)?,
        source_description: row.get(6)?,
    })
}

/// Reads what a source said about input.
pub(super) fn input(text: Option<String>, column: usize) -> rusqlite::Result<Value> {
    let Some(text) = text else { return Ok(Value::Null) };
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn sources(db: &Connection) -> rusqlite::Result<Vec<SourceStats>> {
    let sql = "SELECT name, built_at, last_seen, last_error FROM sources ORDER BY name";
    let mut asked = db.prepare(sql)?;
    let rows = asked.query_map([], |row| {
        let (name, built_at, last_seen, last_error) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(SourceStats { name, entries: BTreeMap::new(), built_at, last_seen, last_error })
    })?;
    let mut sources = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let sql =
        "SELECT kind, count(*) FROM capabilities WHERE source = (SELECT id FROM sources WHERE name = ?1)
               GROUP BY kind";
    let mut asked = db.prepare(sql)?;
    for source in &mut sources {
        let rows = asked.query_map([&source.name], |row| Ok((kind(row.get(0)?)?, whole(row, 1)?)))?;
        source.entries = rows.collect::<rusqlite::Result<_>>()?;
    }
    Ok(sources)
}

/// Reads a count; SQLite has no unsigned numbers.
pub(super) fn whole(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}
