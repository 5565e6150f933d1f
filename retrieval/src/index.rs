//! The index that searches run on: entries in one order, the lexical leg, and vectors where there is an embedder. How hits are ranked stands in `rank.rs`.

use crate::dense::Dense;
use crate::embed::Embedder;
use crate::entry::{Entry, Kind};
use crate::fusion::DENSE_WEIGHT;
use crate::lexical::Lexical;
use crate::names::Names;
use crate::text::{Synonyms, first_sentence, spaced, terms};
use serde_json::Value;
use std::sync::Arc;

/// How many texts are embedded at once.
const BATCH: usize = 64;
/// How many characters of the first sentence stand for an entry; more is no better and slower.
const SENTENCE: usize = 240;

/// What an index is made with.
#[derive(Default)]
pub struct Options<'a> {
    /// Who turns texts into vectors; words alone are compared without it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Vectors that are at hand already, by the text that was embedded ([`document`]).
    pub known: Option<&'a dyn Fn(&str) -> Option<Vec<f32>>>,
    /// More groups of synonyms, one a line; see `text/synonyms.txt` for the form.
    pub synonyms: &'a str,
    /// Told how many of how many texts have been embedded.
    pub progress: Option<&'a dyn Fn(usize, usize)>,
}

/// Everything that can be found, ready for searching.
pub struct Index {
    /// Sorted by source, kind and name, so that nothing depends on the order in which they came.
    pub(crate) entries: Vec<Entry>,
    pub(crate) lexical: Lexical,
    pub(crate) dense: Option<Dense>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) names: Names,
    /// By entry: the terms of the first sentence, sorted, for telling near-duplicates.
    pub(crate) gists: Vec<Box<[String]>>,
    degraded: Option<String>,
    /// What the dense leg counts in a weighted sum.
    pub(crate) dense_weight: f64,
}

/// The text of `entry` that is embedded: the words of its name and the first sentence of its description.
pub fn document(entry: &Entry) -> String {
    format!("{}. {}", spaced(&entry.name), first_sentence(&entry.description, SENTENCE))
}

impl Index {
    /// Indexes `entries`. An embedder that fails does not: the index is then searched by words, and says so.
    ///
    /// Of entries that agree in source, kind and name the first in sorted order is kept.
    pub fn build(mut entries: Vec<Entry>, options: &Options<'_>) -> Self {
        entries.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.description.cmp(&b.description)));
        entries.dedup_by(|later, earlier| key(later) == key(earlier));
        let lexical = Lexical::build(entries.iter(), Synonyms::with(options.synonyms));
        let names = Names::of(&entries);
        let gists = entries.iter().map(|entry| gist(&entry.description)).collect();
        let (dense, degraded) = match &options.embedder {
            None => (None, None),
            Some(embedder) => match vectors(&entries, embedder.as_ref(), options) {
                Ok(dense) => (Some(dense), None),
                Err(cause) => (None, Some(format!("searched by words only: {cause}"))),
            },
        };
        // Schemas are most of a catalog, and whoever calls a tool reads its schema where the entry came from.
        for entry in &mut entries {
            entry.input = Value::Null;
            entry.source_description = String::new();
        }
        Self {
            entries,
            lexical,
            dense,
            embedder: options.embedder.clone(),
            names,
            gists,
            degraded,
            dense_weight: DENSE_WEIGHT,
        }
    }

    /// The entry at `place`, without its input and the description of its source.
    pub fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// Counts the entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The vector of the entry at `place`, as it is compared.
    pub fn vector(&self, place: usize) -> Option<Vec<f32>> {
        self.dense.as_ref()?.get(place)
    }

    /// What did not work while the index was made.
    pub fn degraded(&self) -> Option<&str> {
        self.degraded.as_deref()
    }
}

fn key(entry: &Entry) -> (&str, Kind, &str) {
    (&entry.source, entry.kind, &entry.name)
}

fn gist(description: &str) -> Box<[String]> {
    let mut terms = terms(&first_sentence(description, SENTENCE));
    terms.sort_unstable();
    terms.dedup();
    terms.into_boxed_slice()
}

fn vectors(entries: &[Entry], embedder: &dyn Embedder, options: &Options<'_>) -> Result<Dense, String> {
    let mut dense: Option<Dense> = None;
    for (batch, entries) in entries.chunks(BATCH).enumerate() {
        let texts: Vec<String> = entries.iter().map(document).collect();
        for vector in batch_of(&texts, embedder, options.known)? {
            let dense = dense.get_or_insert_with(|| Dense::new(vector.len()));
            dense.push(&vector).map_err(|cause| format!("`{}`: {cause}", embedder.name()))?;
        }
        if let Some(progress) = options.progress {
            progress(batch * BATCH + entries.len(), dense.as_ref().map_or(0, Dense::len));
        }
    }
    Ok(dense.unwrap_or_default())
}

/// The vectors of `texts`, asking only for those that nobody knows.
fn batch_of(
    texts: &[String],
    embedder: &dyn Embedder,
    known: Option<&dyn Fn(&str) -> Option<Vec<f32>>>,
) -> Result<Vec<Vec<f32>>, String> {
    let mut found: Vec<Option<Vec<f32>>> =
        texts.iter().map(|text| known.and_then(|known| known(text))).collect();
    let missing: Vec<&str> = texts
        .iter()
        .zip(&found)
        .filter(|(_, found)| found.is_none())
        .map(|(text, _)| text.as_str())
        .collect();
    let mut made = if missing.is_empty() {
        Vec::new()
    } else {
        embedder.embed(&missing).map_err(|cause| cause.to_string())?
    };
    if made.len() != missing.len() {
        return Err(format!("`{}` gave {} vectors for {} texts", embedder.name(), made.len(), missing.len()));
    }
    let mut made = made.drain(..);
    found.iter_mut().filter(|found| found.is_none()).for_each(|found| *found = made.next());
    Ok(found.into_iter().flatten().collect())
}
