//! Keeps the vectors of texts, so that what has not changed is not embedded again. Making them is the business of embedders.

use super::{Catalog, CatalogError};
use crate::embed::is_kept_no_more;
use crate::index::documents;
use rusqlite::params;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};

/// The SHA-256 of a text that was embedded.
pub type TextKey = [u8; 32];

/// Finds the key of a text.
pub fn text_key(text: &str) -> TextKey {
    Sha256::digest(text.as_bytes()).into()
}

impl Catalog {
    /// Reads the vectors that `embedder` once made. A damaged one is left out, as if it had never been made.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn vectors(&self, embedder: &str) -> Result<HashMap<TextKey, Vec<f32>>, CatalogError> {
        self.run(|db| {
            let mut asked = db.prepare("SELECT text_hash, vector FROM embeddings WHERE embedder = ?1")?;
            let rows = asked.query_map([embedder], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let rows = rows.collect::<rusqlite::Result<Vec<(Vec<u8>, Vec<u8>)>>>()?;
            Ok(rows
                .iter()
                .filter_map(|(key, blob)| Some((key.as_slice().try_into().ok()?, floats(blob)?)))
                .collect())
        })
    }

    /// Keeps vectors that `embedder` made.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn put_vectors(&mut self, embedder: &str, made: &[(TextKey, Vec<f32>)]) -> Result<(), CatalogError> {
        self.change(|tx| {
            let sql = "INSERT OR REPLACE INTO embeddings (embedder, text_hash, vector) VALUES (?1, ?2, ?3)";
            let mut put = tx.prepare_cached(sql)?;
            for (key, vector) in made {
                put.execute(params![embedder, key.as_slice(), blob(vector)])?;
            }
            Ok(())
        })
    }

    /// Forgets the vectors of `embedder` whose keys `keep` does not want, and tells how many they were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn prune_vectors(
        &mut self,
        embedder: &str,
        keep: impl Fn(&TextKey) -> bool,
    ) -> Result<usize, CatalogError> {
        let held = self.vectors(embedder)?;
        self.change(|tx| {
            let mut drop = tx.prepare("DELETE FROM embeddings WHERE embedder = ?1 AND text_hash = ?2")?;
            let mut gone = 0;
            for key in held.keys().filter(|key| !keep(key)) {
                gone += drop.execute(params![embedder, key.as_slice()])?;
            }
            Ok(gone)
        })
    }
}

impl Catalog {
    /// Forgets the vectors that no search will ask for: of texts that are gone, and under names that embedders do not
    /// keep theirs under any more. Tells how many they were.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn tidy_vectors(&mut self) -> Result<usize, CatalogError> {
        let wanted: HashSet<TextKey> =
            documents(&self.entries_to_search()?).iter().map(|text| text_key(text)).collect();
        self.change(|tx| {
            let mut asked = tx.prepare("SELECT rowid, embedder, text_hash FROM embeddings")?;
            let mut rows = asked.query([])?;
            let mut useless: Vec<i64> = Vec::new();
            while let Some(row) = rows.next()? {
                let (embedder, key): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
                let is_wanted = TextKey::try_from(key).is_ok_and(|key| wanted.contains(&key));
                if !is_wanted || is_kept_no_more(&embedder) {
                    useless.push(row.get(0)?);
                }
            }
            let mut forget = tx.prepare("DELETE FROM embeddings WHERE rowid = ?1")?;
            useless.iter().try_for_each(|row| forget.execute([row]).map(drop))?;
            Ok(useless.len())
        })
    }

    /// Forgets all vectors of `embedder`, and tells how many they were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget_vectors(&mut self, embedder: &str) -> Result<usize, CatalogError> {
        self.change(|tx| Ok(tx.execute("DELETE FROM embeddings WHERE embedder = ?1", [embedder])?))
    }

    /// Gives the room of what was forgotten back to the disk.
    ///
    /// # Errors
    /// When the file cannot be written, or another program reads it for long.
    pub fn shrink(&mut self) -> Result<(), CatalogError> {
        self.run(|db| db.execute_batch("VACUUM"))
    }
}

/// Little-endian, so that a file can be carried to any machine.
fn blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn floats(blob: &[u8]) -> Option<Vec<f32>> {
    let (numbers, rest) = blob.as_chunks::<4>();
    let numbers: Vec<_> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    (rest.is_empty() && !numbers.is_empty() && numbers.iter().all(|number| number.is_finite()))
        .then_some(numbers)
}
