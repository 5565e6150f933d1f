//! What a user made known about entries: pins, aliases, summaries, and what was called. It outlives the entries, which come and go with each build.

use super::read::whole;
use super::{Catalog, CatalogError, Taken, fulltext};
use crate::entry::{Entry, Kind};
use crate::search::Taste;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An entry that something is said about, of whichever kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its source.
    pub source: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.source, self.name)
    }
}

/// Words of the user about an entry, for search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The words.
    pub text: String,
    /// Whether they stand before the description and not in its place.
    #[serde(default)]
    pub adds: bool,
}

impl Summary {
    /// What is searched instead of `description`.
    pub(super) fn over(&self, description: &str) -> String {
        match self.adds {
            false => self.text.clone(),
            true if description.is_empty() => self.text.clone(),
            true => format!("{} {description}", ended(&self.text)),
        }
    }
}

/// Makes sure that the next sentence is not read as part of this one.
fn ended(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '。']) { text.to_owned() } else { format!("{text}.") }
}

/// How often an entry was called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// With success.
    pub succeeded: u64,
    /// Without.
    pub failed: u64,
    /// When the last time was, in seconds since 1970.
    pub last: i64,
}

/// One thing that a user said, as a line of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wish {
    /// The entry is to be preferred.
    Pin(Subject),
    /// The entry has another name.
    Alias {
        /// The other name.
        alias: String,
        /// The source of the entry.
        source: String,
        /// Its name.
        name: String,
    },
    /// What is to be searched as its description.
    Summary {
        /// The source of the entry.
        source: String,
        /// Its name.
        name: String,
        /// The words.
        text: String,
        /// Whether they stand before the description and not in its place.
        #[serde(default)]
        adds: bool,
    },
}

/// What `wishes` do to a search of `entries`, without a catalog that keeps either: descriptions become those that are
/// searched, and the rest is a taste.
pub fn apply(entries: &mut [Entry], wishes: &[Wish]) -> Taste {
    let mut taste = Taste::default();
    let mut summaries = BTreeMap::new();
    for wish in wishes {
        match wish {
            Wish::Pin(subject) => taste.pins.push(subject.to_string()),
            Wish::Alias { alias, source, name } => {
                taste.aliases.push((alias.clone(), format!("{source}/{name}")))
            }
            Wish::Summary { source, name, text, adds } => {
                summaries.insert((source, name), Summary { text: text.clone(), adds: *adds });
            }
        }
    }
    for entry in entries {
        if let Some(summary) = summaries.get(&(&entry.source, &entry.name)) {
            entry.description = summary.over(&entry.description);
        }
    }
    taste
}

impl Catalog {
    /// Finds the entries that `word` names: as an alias, as `source/name`, or by the bare name.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn find(&self, word: &str) -> Result<Vec<(Subject, Kind)>, CatalogError> {
        self.snapshot(|db| {
            let sql = "SELECT s.name, c.kind, c.name FROM capabilities c JOIN sources s ON s.id = c.source
                       WHERE c.name = ?1 OR s.name || '/' || c.name = ?1
                          OR EXISTS (SELECT 1 FROM aliases a WHERE a.alias = ?1 AND a.source = s.name AND a.name = c.name)
                       ORDER BY s.name, c.kind, c.name";
            let mut asked = db.prepare(sql)?;
            let rows = asked.query_map([word], |row| {
                let subject = Subject { source: row.get(0)?, name: row.get(2)? };
                Ok((subject, super::write::kind(row.get(1)?)?))
            })?;
            rows.collect()
        })
    }

    /// Prefers an entry from now on, and tells whether that is new.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn pin(&mut self, subject: &Subject) -> Result<bool, CatalogError> {
        self.change(|tx| Ok(put(tx, &Wish::Pin(subject.clone()))? > 0))
    }

    /// Gives an entry another name, and tells which entry had it until now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn alias(&mut self, alias: &str, subject: &Subject) -> Result<Option<Subject>, CatalogError> {
        self.change(|tx| {
            let sql = "SELECT source, name FROM aliases WHERE alias = ?1";
            let before = tx.query_row(sql, [alias], subject_of).optional()?;
            let (source, name) = (subject.source.clone(), subject.name.clone());
            put(tx, &Wish::Alias { alias: alias.to_owned(), source, name })?;
            Ok(before.filter(|before| before != subject))
        })
    }

    /// Takes the pin and the aliases of an entry away, and tells how many there were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn unpin(&mut self, subject: &Subject) -> Result<usize, CatalogError> {
        self.change(|tx| {
            let key = params![subject.source, subject.name];
            let pins = tx.execute("DELETE FROM pins WHERE source = ?1 AND name = ?2", key)?;
            Ok(pins + tx.execute("DELETE FROM aliases WHERE source = ?1 AND name = ?2", key)?)
        })
    }

    /// Takes one alias away, and tells whether it was there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remove_alias(&mut self, alias: &str) -> Result<bool, CatalogError> {
        self.change(|tx| Ok(tx.execute("DELETE FROM aliases WHERE alias = ?1", [alias])? > 0))
    }

    /// Sets what is searched as the description of an entry; nothing takes it away.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_summary(&mut self, subject: &Subject, summary: Option<&Summary>) -> Result<(), CatalogError> {
        self.change(|tx| {
            let (source, name) = (subject.source.clone(), subject.name.clone());
            match summary {
                Some(Summary { text, adds }) => {
                    put(tx, &Wish::Summary { source, name, text: text.clone(), adds: *adds })?;
                }
                None => {
                    tx.execute("DELETE FROM summaries WHERE source = ?1 AND name = ?2", [source, name])?;
                }
            }
            reindex(tx, &subject.source)?;
            Ok(())
        })
    }

    /// Reads all that the user said, in one order.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn wishes(&self) -> Result<Vec<Wish>, CatalogError> {
        self.snapshot(|db| {
            let mut wishes: Vec<_> = pins(db)?.into_iter().map(Wish::Pin).collect();
            wishes.extend(aliases(db)?.into_iter().map(|(alias, subject)| {
                let Subject { source, name } = subject;
                Wish::Alias { alias, source, name }
            }));
            wishes.extend(summaries(db)?.into_iter().map(|((source, name), summary)| {
                let Summary { text, adds } = summary;
                Wish::Summary { source, name, text, adds }
            }));
            Ok(wishes)
        })
    }

    /// Notes a call of an entry. `at` is the time, in seconds since 1970.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record_invocation(&mut self, subject: &Subject, ok: bool, at: i64) -> Result<(), CatalogError> {
        self.change(|tx| {
            let sql =
                "INSERT INTO invocations (source, name, succeeded, failed, last) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (source, name) DO UPDATE
                       SET succeeded = succeeded + ?3, failed = failed + ?4, last = max(last, ?5)";
            let (good, bad) = (i64::from(ok), i64::from(!ok));
            tx.prepare_cached(sql)?.execute(params![subject.source, subject.name, good, bad, at])?;
            Ok(())
        })
    }

    /// Reads how often entries were called.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn usage(&self) -> Result<BTreeMap<Subject, Usage>, CatalogError> {
        self.run(|db| {
            let mut asked = db.prepare("SELECT source, name, succeeded, failed, last FROM invocations")?;
            let rows = asked.query_map([], |row| {
                let usage = Usage { succeeded: whole(row, 2)?, failed: whole(row, 3)?, last: row.get(4)? };
                Ok((subject_of(row)?, usage))
            })?;
            rows.collect()
        })
    }

    /// Sums up what search is to know of the user.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn taste(&self) -> Result<Taste, CatalogError> {
        let usage = self.usage()?;
        self.snapshot(|db| {
            let pins = pins(db)?.iter().map(ToString::to_string).collect();
            let aliases = aliases(db)?.into_iter().map(|(alias, subject)| (alias, subject.to_string()));
            let called = usage.into_iter().filter(|(_, usage)| usage.succeeded > 0);
            Ok(Taste {
                pins,
                aliases: aliases.collect(),
                usage: called.map(|(subject, usage)| (subject.to_string(), usage.succeeded)).collect(),
            })
        })
    }
}

fn subject_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Subject> {
    Ok(Subject { source: row.get(0)?, name: row.get(1)? })
}

fn pins(db: &Connection) -> rusqlite::Result<Vec<Subject>> {
    db.prepare("SELECT source, name FROM pins ORDER BY source, name")?.query_map([], subject_of)?.collect()
}

fn aliases(db: &Connection) -> rusqlite::Result<Vec<(String, Subject)>> {
    let mut asked = db.prepare("SELECT source, name, alias FROM aliases ORDER BY alias")?;
    asked.query_map([], |row| Ok((row.get(2)?, subject_of(row)?)))?.collect()
}

/// The summaries by source and name.
pub(super) fn summaries(db: &Connection) -> rusqlite::Result<BTreeMap<(String, String), Summary>> {
    let mut asked = db.prepare_cached("SELECT source, name, text, adds FROM summaries")?;
    let rows = asked.query_map([], |row| {
        Ok(((row.get(0)?, row.get(1)?), Summary { text: row.get(2)?, adds: row.get(3)? }))
    })?;
    rows.collect()
}

/// Writes a wish down, and tells how many rows that changed.
fn put(db: &Connection, wish: &Wish) -> rusqlite::Result<usize> {
    match wish {
        Wish::Pin(Subject { source, name }) => {
            db.execute("INSERT OR IGNORE INTO pins (source, name) VALUES (?1, ?2)", [source, name])
        }
        Wish::Alias { alias, source, name } => {
            let sql = "INSERT OR REPLACE INTO aliases (alias, source, name) VALUES (?1, ?2, ?3)";
            db.execute(sql, [alias, source, name])
        }
        Wish::Summary { source, name, text, adds } => {
            let sql = "INSERT OR REPLACE INTO summaries (source, name, text, adds) VALUES (?1, ?2, ?3, ?4)";
            db.execute(sql, params![source, name, text, adds])
        }
    }
}

/// Takes over what a user said elsewhere, and gives what was left because something else is said here.
pub(super) fn take(db: &Connection, wishes: &[Wish], taken: Taken) -> rusqlite::Result<Vec<Wish>> {
    let mut left = Vec::new();
    for wish in wishes {
        if taken == Taken::Refuse && contradicts(db, wish)? {
            left.push(wish.clone());
        } else {
            put(db, wish)?;
        }
    }
    let said = wishes.iter().filter_map(|wish| match wish {
        Wish::Summary { source, .. } => Some(source),
        Wish::Pin(_) | Wish::Alias { .. } => None,
    });
    said.collect::<BTreeSet<_>>().into_iter().try_for_each(|source| reindex(db, source))?;
    Ok(left)
}

/// Tells whether a wish would take the place of another one.
fn contradicts(db: &Connection, wish: &Wish) -> rusqlite::Result<bool> {
    match wish {
        Wish::Pin(_) => Ok(false),
        Wish::Alias { alias, source, name } => {
            let sql = "SELECT count(*) FROM aliases WHERE alias = ?1 AND (source, name) IS NOT (?2, ?3)";
            db.query_row(sql, [alias, source, name], |row| row.get(0))
        }
        Wish::Summary { source, name, text, adds } => {
            let sql = "SELECT count(*) FROM summaries
                       WHERE source = ?1 AND name = ?2 AND (text, adds) IS NOT (?3, ?4)";
            db.query_row(sql, params![source, name, text, adds], |row| row.get(0))
        }
    }
}

fn reindex(db: &Connection, source: &str) -> rusqlite::Result<()> {
    let sql = "SELECT id FROM sources WHERE name = ?1";
    match db.query_row(sql, [source], |row| row.get(0)).optional()? {
        Some(id) => fulltext::index_source(db, id),
        None => Ok(()),
    }
}
