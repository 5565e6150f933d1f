//! The index that searches run on: entries in one order, the lexical leg, and vectors where there is an embedder. How hits are ranked stands in `rank.rs`.

use crate::dense::Dense;
use crate::embed::Embedder;
use crate::entry::Entry;
use crate::fusion::Weights;
use crate::gists::Gists;
use crate::lexical::{Lexical, Reader};
use crate::names::Names;
use crate::text::{Synonyms, first_sentence, in_english, parted};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How many texts are embedded at once.
const BATCH: usize = 64;
/// How many characters of the first sentence stand for an entry; more is no better and slower.
pub(crate) const SENTENCE: usize = 240;

/// Gives the vector of a text when it is at hand.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<Vec<f32>>;
/// Is told how many of how many are done.
pub type Progress<'a> = &'a dyn Fn(usize, usize);

/// What an index is made with.
#[derive(Default)]
pub struct Options<'a> {
    /// Who turns texts into vectors; words alone are compared without it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Vectors that are at hand already, by the text that was embedded ([`document`]).
    pub known: Option<Known<'a>>,
    /// More groups of synonyms, one a line; see `text/synonyms.txt` for the form.
    pub synonyms: &'a str,
    /// Told how many of how many texts have been embedded.
    pub progress: Option<Progress<'a>>,
}

/// Everything that can be found, ready for searching.
pub struct Index {
    /// Sorted by source, kind and name, so that nothing depends on the order in which they came.
    pub(crate) entries: Vec<Entry>,
    /// By entry: its place among those that were given.
    origins: Vec<u32>,
    pub(crate) lexical: Lexical,
    pub(crate) dense: Option<Vectors>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) names: Names,
    pub(crate) gists: Gists,
    pub(crate) weights: Weights,
    degraded: Option<String>,
}

/// The vectors of entries and of their sources.
pub(crate) struct Vectors {
    pub(crate) entries: Dense,
    pub(crate) sources: Dense,
    /// By entry: the place of its source in `sources`.
    pub(crate) source_of: Vec<u32>,
}

/// The text of `entry` that is embedded: the words of its source and name, and the first sentence of its description.
pub fn document(entry: &Entry) -> String {
    let sentence = in_english(&first_sentence(&entry.description, SENTENCE));
    format!("{} {}. {sentence}", parted(&entry.source), parted(&entry.name))
}

/// The text of the source of `entry` that is embedded: its words, and the first sentence it says of itself.
fn source_document(entry: &Entry) -> String {
    let sentence = in_english(&first_sentence(&entry.source_description, SENTENCE));
    format!("{}. {sentence}", parted(&entry.source)).trim_end_matches([' ', '.']).to_owned()
}

/// All texts that an index of `entries` embeds, each once and sorted; whoever keeps vectors keeps them by these.
pub fn documents(entries: &[Entry]) -> Vec<String> {
    let all: BTreeSet<String> =
        entries.iter().flat_map(|entry| [document(entry), source_document(entry)]).collect();
    all.into_iter().collect()
}

impl Index {
    /// Indexes `entries`. An embedder that fails does not: the index is then searched by words, and says so.
    ///
    /// Schemas are read one by one and dropped; they are most of a catalog, so whoever makes entries on the way needs
    /// the least memory.
    pub fn build(entries: impl IntoIterator<Item = Entry>, options: &Options<'_>) -> Self {
        let weights = Weights::of(options.embedder.as_ref().map_or("", |embedder| embedder.name()));
        let mut reader = Reader::default();
        let mut sources = Distinct::default();
        let mut numbered = Vec::new();
        for (mut entry, origin) in entries.into_iter().zip(0_u32..) {
            reader.read(&entry);
            if options.embedder.is_some() && weights.source > 0.0 {
                sources.add(source_document(&entry));
            }
            let rest = digest(&entry);
            entry.input = Value::Null;
            entry.source_description = String::new();
            numbered.push((entry, rest, origin));
        }
        let (entries, origins) = sorted(numbered);
        let lexical = reader.index(&origins, Synonyms::with(options.synonyms));
        let (dense, degraded) = match &options.embedder {
            None => (None, None),
            Some(embedder) => match vectors(&entries, &origins, sources, embedder.as_ref(), options) {
                Ok(dense) => (Some(dense), None),
                Err(cause) => (None, Some(format!("searched by words only: {cause}"))),
            },
        };
        let (names, gists) = (Names::of(&entries), Gists::of(&entries));
        let embedder = options.embedder.clone();
        Self { entries, origins, lexical, dense, embedder, names, gists, weights, degraded }
    }

    /// The place that the entry at `place` had among those the index was built from.
    pub fn origin(&self, place: usize) -> Option<usize> {
        self.origins.get(place).map(|origin| *origin as usize)
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

    /// What did not work while the index was made.
    pub fn degraded(&self) -> Option<&str> {
        self.degraded.as_deref()
    }
}

/// What stands for the parts of `entry` that an index drops: entries that agree in all else are told apart by it.
fn digest(entry: &Entry) -> u64 {
    let rest = Sha256::new().chain_update(entry.input.to_string()).chain_update(&entry.source_description);
    u64::from_be_bytes(*rest.finalize().first_chunk().expect("a digest has 32 bytes"))
}

/// The entries in one order, whatever the order they came in, and where each of them was.
fn sorted(mut numbered: Vec<(Entry, u64, u32)>) -> (Vec<Entry>, Vec<u32>) {
    numbered.sort_unstable_by(|(a, a_rest, a_origin), (b, b_rest, b_origin)| {
        let by_name = a.source.cmp(&b.source).then(a.kind.cmp(&b.kind)).then_with(|| a.name.cmp(&b.name));
        let by_text = by_name.then_with(|| (&a.description, &a.title).cmp(&(&b.description, &b.title)));
        by_text.then_with(|| (a_rest, a_origin).cmp(&(b_rest, b_origin)))
    });
    numbered.into_iter().map(|(entry, _, origin)| (entry, origin)).unzip()
}

/// Texts, each once, and which of them each one that was added is.
#[derive(Default)]
struct Distinct {
    texts: Vec<String>,
    places: HashMap<String, u32>,
    of: Vec<u32>,
}

impl Distinct {
    fn add(&mut self, text: String) {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(text.clone()).or_insert(next);
        if place == next {
            self.texts.push(text);
        }
        self.of.push(place);
    }
}

/// The vectors of all entries, and of their sources where those count.
fn vectors(
    entries: &[Entry],
    origins: &[u32],
    sources: Distinct,
    embedder: &dyn Embedder,
    options: &Options<'_>,
) -> Result<Vectors, String> {
    Ok(Vectors {
        entries: dense(entries, document, embedder, options.known, options.progress)?,
        sources: dense(&sources.texts, String::clone, embedder, options.known, None)?,
        source_of: origins.iter().filter_map(|origin| sources.of.get(*origin as usize).copied()).collect(),
    })
}

fn dense<T>(
    of: &[T],
    text: fn(&T) -> String,
    embedder: &dyn Embedder,
    known: Option<Known<'_>>,
    progress: Option<Progress<'_>>,
) -> Result<Dense, String> {
    let mut dense: Option<Dense> = None;
    for (batch, part) in of.chunks(BATCH).enumerate() {
        let texts: Vec<String> = part.iter().map(text).collect();
        for vector in batch_of(&texts, embedder, known)? {
            let dense = dense.get_or_insert_with(|| Dense::with_capacity(vector.len(), of.len()));
            dense.push(&vector).map_err(|cause| format!("`{}`: {cause}", embedder.name()))?;
        }
        if let Some(progress) = progress {
            progress(batch * BATCH + part.len(), of.len());
        }
    }
    Ok(dense.unwrap_or_default())
}

/// The vectors of `texts`, asking only for those that nobody knows.
fn batch_of(
    texts: &[String],
    embedder: &dyn Embedder,
    known: Option<Known<'_>>,
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
