//! The catalog: what all sources offer, kept in one SQLite file. How it is searched stands elsewhere.

mod error;
mod fulltext;
mod lines;
mod migrations;
mod open;
mod read;
mod vectors;
mod wishes;
mod write;

#[cfg(test)]
mod tests;

pub use error::CatalogError;
pub use fulltext::Found;
pub use lines::{Lines, LinesError, Twins, lookalikes};
pub use open::is_sqlite;
pub use read::{SourceStats, Stats, Version};
pub use vectors::{TextKey, text_key};
pub use wishes::{Subject, Summary, Usage, Wish, apply};
pub use write::{Replaced, Source, Taken};

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// What all sources offer, with what their user said about it.
#[derive(Debug)]
pub struct Catalog {
    db: Connection,
    /// How the file is called in errors.
    shown: String,
}

impl Catalog {
    /// Reads.
    fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, CatalogError> {
        work(&self.db).map_err(|error| CatalogError::of(&self.shown, &error))
    }

    /// Reads several times and sees one state, whatever others write meanwhile.
    fn snapshot<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, CatalogError> {
        self.run(|db| {
            let tx = db.unchecked_transaction()?;
            let seen = work(&tx)?;
            tx.commit()?;
            Ok(seen)
        })
    }

    /// Changes all that `work` changes, or nothing.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, CatalogError> {
        let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate);
        let done = done.map_err(Stop::Sqlite).and_then(|tx| {
            let made = work(&tx)?;
            tx.commit()?;
            Ok(made)
        });
        done.map_err(|stop| match stop {
            Stop::Sqlite(error) => CatalogError::of(&self.shown, &error),
            Stop::Refused(error) => error,
        })
    }
}

/// Why a change came to nothing.
enum Stop {
    Sqlite(rusqlite::Error),
    Refused(CatalogError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<CatalogError> for Stop {
    fn from(error: CatalogError) -> Self {
        Self::Refused(error)
    }
}
