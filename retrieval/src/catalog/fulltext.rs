//! The durable text index: one FTS5 row for each entry, changed in the same transaction. The ranking of `search` does not use it.

use super::read::input;
use super::write::kind;
use super::{Catalog, CatalogError};
use crate::entry::{Entry, Kind};
use rusqlite::{Connection, params};

/// How many words of a query are looked up; more would only cost time.
const MOST_TERMS: usize = 256;

/// What the text index found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The source of the entry.
    pub source: String,
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// BM25 as FTS5 has it, turned about: more is better.
    pub score: f64,
}

impl Catalog {
    /// Finds entries that have any word of `query`, best first. Nothing in a query has a meaning but its words.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn fts_search(&self, query: &str, limit: usize) -> Result<Vec<Found>, CatalogError> {
        let Some(words) = expression(query) else { return Ok(Vec::new()) };
        self.run(|db| {
            let sql = "SELECT s.name, c.kind, c.name, -bm25(words) AS score
                       FROM words JOIN capabilities c ON c.id = words.rowid JOIN sources s ON s.id = c.source
                       WHERE words MATCH ?1
                       ORDER BY score DESC, s.name, c.kind, c.name LIMIT ?2";
            let mut asked = db.prepare_cached(sql)?;
            let rows = asked.query_map(params![words, i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                Ok(Found {
                    source: row.get(0)?,
                    kind: kind(row.get(1)?)?,
                    name: row.get(2)?,
                    score: row.get(3)?,
                })
            })?;
            rows.collect()
        })
    }
}

/// Each word in quotes, joined by OR, so that FTS5 finds no syntax of its own in them.
fn expression(query: &str) -> Option<String> {
    let words = query.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<_> = words.take(MOST_TERMS).map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// Writes the words of each entry of a source anew: what the source says of itself stands in every row.
pub(super) fn index_source(db: &Connection, source: i64) -> rusqlite::Result<()> {
    let sql = "SELECT c.id, c.name, c.title, c.description, c.input, s.name, s.description, c.kind
               FROM capabilities c JOIN sources s ON s.id = c.source WHERE c.source = ?1 ORDER BY c.id";
    let mut asked = db.prepare_cached(sql)?;
    let rows = asked.query_map([source], |row| {
        let id: i64 = row.get(0)?;
        let entry = Entry {
            source: row.get(5)?,
            kind: kind(row.get(7)?)?,
            name: row.get(1)?,
            title: row.get(2)?,
            description: row.get(3)?,
            input: input(row.get(4)?, 4)?,
            source_description: row.get(6)?,
        };
        Ok((id, entry))
    })?;
    let summaries = super::wishes::summaries(db)?;
    for row in rows {
        let (id, mut entry) = row?;
        if let Some(summary) = summaries.get(&(entry.source.clone(), entry.name.clone())) {
            entry.description = summary.over(&entry.description);
        }
        write(db, id, &entry)?;
    }
    Ok(())
}

fn write(db: &Connection, id: i64, entry: &Entry) -> rusqlite::Result<()> {
    let name = format!("{} {}", entry.name, entry.title.as_deref().unwrap_or_default());
    let source = format!("{} {}", entry.source, entry.source_description);
    let parameters = entry.parameters();
    let words = parameters.iter().flat_map(|parameter| [parameter.name.as_str(), parameter.text.as_str()]);
    let parameters = words.collect::<Vec<_>>().join(" ");
    let row = params![id, name, source, entry.description, parameters];
    let same = "SELECT 1 FROM words
                WHERE rowid = ?1 AND name = ?2 AND source = ?3 AND description = ?4 AND parameters = ?5";
    if !db.prepare_cached(same)?.exists(row)? {
        let sql = "INSERT OR REPLACE INTO words (rowid, name, source, description, parameters)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        db.prepare_cached(sql)?.execute(row)?;
    }
    Ok(())
}

/// Takes the words of an entry out.
pub(super) fn forget(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
    Ok(())
}
