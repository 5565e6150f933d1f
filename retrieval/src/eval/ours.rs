//! The search of this crate as a finder: an index over the entries of a set, and which hit is which entry.

use super::finder::{Finder, FinderError, Found};
use crate::embed::Embedder;
use crate::entry::Entry;
use crate::fusion::Weights;
use crate::index::{Index, Options, document, documents};
use crate::search::{Method, Query, Taste};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Vectors of documents, by embedder and text, so that sets with entries in common embed them once.
#[derive(Debug, Default)]
pub struct Vectors(RefCell<HashMap<(String, String), Vec<f32>>>);

impl Vectors {
    /// Embeds the documents of all entries and keeps the vectors. `progress` is told how many of how many are there.
    ///
    /// # Errors
    /// When the embedder fails; a run without vectors would judge another method than the one asked for.
    pub fn of(
        &self,
        entries: &[Entry],
        embedder: &dyn Embedder,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Vec<f32>>, FinderError> {
        const BATCH: usize = 64;
        let texts = documents(entries);
        for (at, batch) in texts.chunks(BATCH).enumerate() {
            let missing: Vec<&str> = batch
                .iter()
                .map(String::as_str)
                .filter(|text| self.known(embedder.name(), text).is_none())
                .collect();
            if !missing.is_empty() {
                let made = embedder.embed(&missing).map_err(|error| FinderError(error.to_string()))?;
                let pairs = missing.iter().zip(made);
                let named = pairs.map(|(text, it)| ((embedder.name().to_owned(), (*text).to_owned()), it));
                self.0.borrow_mut().extend(named);
            }
            progress(at * BATCH + batch.len(), texts.len());
        }
        Ok(entries.iter().filter_map(|entry| self.known(embedder.name(), &document(entry))).collect())
    }

    fn known(&self, embedder: &str, text: &str) -> Option<Vec<f32>> {
        self.0.borrow().get(&(embedder.to_owned(), text.to_owned())).cloned()
    }
}

/// An index and how it is searched.
pub struct Ours {
    index: Index,
    method: Method,
}

impl Ours {
    /// Indexes the entries of a set, with `synonyms` beside the common ones. With an embedder, `vectors` has to know
    /// all documents, by [`Vectors::of`].
    ///
    /// # Errors
    /// When the index could not be made as asked, such as without vectors.
    pub fn build(
        entries: &[Entry],
        method: Method,
        embedder: Option<Arc<dyn Embedder>>,
        vectors: &Vectors,
        synonyms: &str,
    ) -> Result<Self, FinderError> {
        let name = embedder.as_ref().map(|it| it.name().to_owned()).unwrap_or_default();
        let known = |text: &str| vectors.known(&name, text);
        let options = Options { embedder, known: Some(&known), synonyms, ..Options::default() };
        let index = Index::build(entries.to_vec(), &options);
        match index.degraded() {
            Some(cause) => Err(FinderError(cause.to_owned())),
            None => Ok(Self { index, method }),
        }
    }

    /// Fuses with another weight of meaning than the built-in one.
    pub(super) fn weigh(&mut self, dense_weight: f64) {
        self.index.weights =
            Weights { lexical: 1.0 - dense_weight, dense: dense_weight, ..self.index.weights };
    }
}

impl Finder for Ours {
    fn find(&self, text: &str, limit: usize) -> Result<Found, FinderError> {
        let query = Query { text, limit, sources: &[], kinds: &[], method: self.method };
        let answer = self.index.search(&query, &Taste::default());
        if let Some(cause) = answer.degraded {
            return Err(FinderError(cause));
        }
        let entries = answer.hits.iter().filter_map(|hit| self.index.origin(hit.entry)).collect();
        Ok(Found { entries, abstain: answer.abstain })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Letters, entries};
    use super::*;

    #[test]
    fn a_hit_is_told_by_its_place_in_the_set_whatever_the_order_of_the_index() {
        let mut entries = entries();
        let mut twin = entries[1].clone();
        twin.description = "Measures rain".to_owned();
        entries.push(twin);
        let found = |method, embedder: Option<Arc<dyn Embedder>>, text: &str| {
            let vectors = Vectors::default();
            if let Some(embedder) = &embedder {
                let all = vectors.of(&entries, embedder.as_ref(), &|_, _| ()).expect("it works");
                assert_eq!(all.len(), 4);
            }
            let ours = Ours::build(&entries, method, embedder, &vectors, "").expect("it works");
            ours.find(text, 10).expect("it works").entries[0]
        };
        assert_eq!(found(Method::Lexical, None, "read what the disk has"), 0);
        assert_eq!(found(Method::Lexical, None, "rain"), 3);
        assert_eq!(found(Method::Fused, Some(Arc::new(Letters)), "into another language"), 2);
    }
}
