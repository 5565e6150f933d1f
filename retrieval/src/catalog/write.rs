//! Changes what sources offer, one source or all of them at once. What a user says about it stands in `wishes`.

use super::{Catalog, CatalogError, Stop, Wish, fulltext, wishes};
use crate::entry::{Entry, Kind};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A source and all that it offers.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name; the entries are filed under it, whatever they call their source.
    pub name: &'a str,
    /// What it says about itself.
    pub description: &'a str,
    /// All that it offers.
    pub entries: &'a [Entry],
}

/// What became of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Entries that were not there before.
    pub added: usize,
    /// Entries that say something else now.
    pub changed: usize,
    /// Entries that are gone.
    pub removed: usize,
    /// Entries that are as they were.
    pub kept: usize,
}

/// What an import does about sources that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is refused.
    Refuse,
    /// They are replaced.
    Replace,
}

impl Catalog {
    /// Puts `source` in the place of what the catalog had of that name. Whoever reads meanwhile sees all of the
    /// old or all of the new. `at` is the time, in seconds since 1970.
    ///
    /// # Errors
    /// When two of its entries share kind and name, or the file cannot be written; then nothing has changed.
    pub fn replace_source(&mut self, source: &Source<'_>, at: i64) -> Result<Replaced, CatalogError> {
        self.change(|tx| replace(tx, source, at))
    }

    /// Puts `sources` in the place of all that the catalog had.
    ///
    /// # Errors
    /// As `replace_source`, or when two sources share a name.
    pub fn replace_all(&mut self, sources: &[Source<'_>], at: i64) -> Result<(), CatalogError> {
        self.change(|tx| {
            let wanted: BTreeSet<_> = sources.iter().map(|source| source.name).collect();
            for name in names(tx)?.iter().filter(|name| !wanted.contains(name.as_str())) {
                remove(tx, name, at)?;
            }
            add_all(tx, sources, at)
        })
    }

    /// Adds `sources` to what is there, and what a user said elsewhere; all of it or nothing. Gives the wishes that
    /// were left because the user said something else here; with `Taken::Replace` there are none.
    ///
    /// # Errors
    /// As `replace_all`, or when a source is there already and `taken` refuses that.
    pub fn import(
        &mut self,
        sources: &[Source<'_>],
        wishes: &[Wish],
        taken: Taken,
        at: i64,
    ) -> Result<Vec<Wish>, CatalogError> {
        self.change(|tx| {
            let there = names(tx)?;
            if let Some(name) = sources.iter().map(|source| source.name).find(|name| there.contains(*name))
                && taken == Taken::Refuse
            {
                return Err(CatalogError::SourceThere(name.to_owned()).into());
            }
            add_all(tx, sources, at)?;
            Ok(wishes::take(tx, wishes, taken)?)
        })
    }

    /// Removes a source and all that it offered, and tells whether it was there. What a user said about it stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remove_source(&mut self, name: &str, at: i64) -> Result<bool, CatalogError> {
        self.change(|tx| Ok(remove(tx, name, at)?))
    }

    /// Notes that a source could not be read; what it offered before stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn note_failure(&mut self, name: &str, error: &str) -> Result<(), CatalogError> {
        self.change(|tx| {
            let sql = "INSERT INTO sources (name, description, last_error) VALUES (?1, '', ?2)
                       ON CONFLICT (name) DO UPDATE SET last_error = ?2";
            tx.prepare_cached(sql)?.execute(params![name, error])?;
            Ok(())
        })
    }
}

fn names(db: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    db.prepare("SELECT name FROM sources")?.query_map([], |row| row.get(0))?.collect()
}

fn add_all(db: &Connection, sources: &[Source<'_>], at: i64) -> Result<(), Stop> {
    let mut seen = BTreeSet::new();
    for source in sources {
        if !seen.insert(source.name) {
            return Err(CatalogError::SourceThere(source.name.to_owned()).into());
        }
        replace(db, source, at)?;
    }
    Ok(())
}

fn remove(db: &Connection, name: &str, at: i64) -> rusqlite::Result<bool> {
    let Some(id) = source_id(db, name)? else { return Ok(false) };
    for old in held(db, id)?.into_values() {
        retire(db, name, &old, at)?;
        drop_row(db, old.id)?;
    }
    db.execute("DELETE FROM sources WHERE id = ?1", [id])?;
    Ok(true)
}

fn source_id(db: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM sources WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// An entry as the catalog has it.
struct Held {
    id: i64,
    kind: u8,
    name: String,
    hash: String,
    since: i64,
}

fn held(db: &Connection, source: i64) -> rusqlite::Result<BTreeMap<(u8, String), Held>> {
    let sql = "SELECT id, kind, name, content_hash, since FROM capabilities WHERE source = ?1";
    let mut asked = db.prepare_cached(sql)?;
    let rows = asked.query_map([source], |row| {
        let (kind, name): (u8, String) = (row.get(1)?, row.get(2)?);
        let held = Held { id: row.get(0)?, kind, name: name.clone(), hash: row.get(3)?, since: row.get(4)? };
        Ok(((kind, name), held))
    })?;
    rows.collect()
}

fn replace(db: &Connection, source: &Source<'_>, at: i64) -> Result<Replaced, Stop> {
    let id = announce(db, source, at)?;
    let mut old = held(db, id)?;
    let mut done = Replaced::default();
    let mut seen = BTreeSet::new();
    for entry in source.entries {
        if !seen.insert((entry.kind, entry.name.as_str())) {
            let (source_name, name) = (source.name.to_owned(), entry.name.clone());
            return Err(CatalogError::Twice { source_name, kind: entry.kind, name }.into());
        }
        let hash = content_hash(entry);
        match old.remove(&(entry.kind as u8, entry.name.clone())) {
            Some(held) if held.hash == hash => done.kept += 1,
            Some(held) => {
                retire(db, source.name, &held, at)?;
                drop_row(db, held.id)?;
                insert(db, id, entry, &hash, at)?;
                done.changed += 1;
            }
            None => {
                insert(db, id, entry, &hash, at)?;
                done.added += 1;
            }
        }
    }
    for gone in old.into_values() {
        retire(db, source.name, &gone, at)?;
        drop_row(db, gone.id)?;
        done.removed += 1;
    }
    fulltext::index_source(db, id)?;
    Ok(done)
}

/// Notes the source as seen now, and gives its row.
fn announce(db: &Connection, source: &Source<'_>, at: i64) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO sources (name, description, built_at, last_seen) VALUES (?1, ?2, ?3, ?3)
               ON CONFLICT (name) DO UPDATE
               SET description = ?2, built_at = ?3, last_seen = ?3, last_error = NULL
               RETURNING id";
    db.prepare_cached(sql)?.query_row(params![source.name, source.description, at], |row| row.get(0))
}

fn insert(db: &Connection, source: i64, entry: &Entry, hash: &str, at: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO capabilities (source, kind, name, title, description, input, content_hash, since)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let input = (!entry.input.is_null()).then(|| entry.input.to_string());
    let (kind, name) = (entry.kind as u8, &entry.name);
    let row = params![source, kind, name, entry.title, entry.description, input, hash, at];
    db.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

fn drop_row(db: &Connection, id: i64) -> rusqlite::Result<()> {
    fulltext::forget(db, id)?;
    db.prepare_cached("DELETE FROM capabilities WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Keeps what an entry said until now by its hash.
fn retire(db: &Connection, source: &str, old: &Held, at: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO versions (source, kind, name, content_hash, since, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.prepare_cached(sql)?.execute(params![source, old.kind, old.name, old.hash, old.since, at])?;
    Ok(())
}

/// The SHA-256 of all that an entry says itself, in hex.
fn content_hash(entry: &Entry) -> String {
    let said = json!([entry.kind.as_str(), entry.name, entry.title, entry.description, entry.input]);
    hex(&Sha256::digest(said.to_string().as_bytes()))
}

/// Spells bytes in hex.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// The kind whose number a row has.
pub(super) fn kind(number: u8) -> rusqlite::Result<Kind> {
    Kind::ALL
        .get(usize::from(number))
        .copied()
        .ok_or_else(|| rusqlite::Error::IntegralValueOutOfRange(0, i64::from(number)))
}
