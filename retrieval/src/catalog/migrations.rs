//! The tables of a catalog, version by version. What is read from them stands in the neighbours.

use rusqlite::{Connection, Result, TransactionBehavior};

/// Marks a SQLite file as one of ours: the letters `mcpc`.
pub(super) const APPLICATION_ID: i64 = 0x6d63_7063;

/// One step each, run once and in this order; a step that was published is never edited.
const STEPS: &[&str] = &[FIRST];

/// The version of the tables that this program writes.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// `kind` is the place in `Kind::ALL`, so that the order of SQLite is the order of `Entry`.
/// The text index keeps its texts: without them FTS5 counts words of rows that are gone, and scores come to depend on history.
/// What a user said is kept by name and not by row: it outlives the rows, which come and go with each build.
const FIRST: &str = "
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    built_at INTEGER,
    last_seen INTEGER,
    last_error TEXT
) STRICT;
CREATE TABLE capabilities (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    name TEXT NOT NULL,
    title TEXT,
    description TEXT NOT NULL,
    input TEXT,
    content_hash TEXT NOT NULL,
    since INTEGER NOT NULL,
    UNIQUE (source, kind, name)
) STRICT;
CREATE TABLE versions (
    source TEXT NOT NULL,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_of ON versions (source, kind, name);
CREATE TABLE embeddings (
    embedder TEXT NOT NULL,
    text_hash BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (embedder, text_hash)
) STRICT;
CREATE TABLE pins (source TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (source, name)) STRICT, WITHOUT ROWID;
CREATE TABLE aliases (alias TEXT PRIMARY KEY, source TEXT NOT NULL, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE summaries (
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    adds INTEGER NOT NULL CHECK (adds IN (0, 1)),
    PRIMARY KEY (source, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE invocations (
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    succeeded INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (source, name)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    name, source, description, parameters, tokenize = 'unicode61'
);
";

/// Brings the tables from version `seen` to the newest, all of it or nothing.
pub(super) fn migrate(db: &mut Connection, seen: i64) -> Result<()> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been faster while this one waited for the lock.
    let now: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let done = usize::try_from(now.max(seen)).unwrap_or_default();
    for step in STEPS.iter().skip(done) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", VERSION.max(now))?;
    tx.commit()
}
