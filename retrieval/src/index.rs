//! The index that searches run on: entries in one order, the lexical leg, and vectors where there is an embedder. How hits are ranked stands in `rank.rs`.

use crate::dense::Dense;
use crate::embed::Embedder;
use crate::entry::Entry;
use crate::fusion::Weights;
use crate::lexical::Lexical;
use crate::names::Names;
use crate::text::{Synonyms, first_sentence, in_english, parted, spaced, terms, with_gloss};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How many texts are embedded at once.
const BATCH: usize = 64;
/// How many characters of the first sentence stand for an entry; more is no better and slower.
const SENTENCE: usize = 240;

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
    /// By entry: what near-duplicates share.
    pub(crate) gists: Vec<Gist>,
    pub(crate) weights: Weights,
    degraded: Option<String>,
}

/// What tells near-duplicates: the words of the name and the terms of the first sentence, as numbers; the latter sorted.
#[derive(Debug)]
pub(crate) struct Gist {
    pub(crate) name: u32,
    pub(crate) terms: Box<[u32]>,
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
    pub fn build(entries: Vec<Entry>, options: &Options<'_>) -> Self {
        let (mut entries, origins) = sorted(entries);
        let lexical = Lexical::build(entries.iter(), Synonyms::with(options.synonyms));
        let names = Names::of(&entries);
        let gists = gists(&entries);
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
        let embedder = options.embedder.clone();
        let weights = Weights::of(embedder.as_ref().map_or("", |embedder| embedder.name()));
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

    /// The vector of the entry at `place`, as it is compared.
    pub fn vector(&self, place: usize) -> Option<Vec<f32>> {
        self.dense.as_ref()?.entries.get(place)
    }

    /// What did not work while the index was made.
    pub fn degraded(&self) -> Option<&str> {
        self.degraded.as_deref()
    }
}

/// The entries in one order, whatever the order they came in, and where each of them was.
fn sorted(entries: Vec<Entry>) -> (Vec<Entry>, Vec<u32>) {
    let mut numbered: Vec<(Entry, u32)> = entries.into_iter().zip(0..).collect();
    numbered.sort_by(|(a, _), (b, _)| {
        let by_name = a.source.cmp(&b.source).then(a.kind.cmp(&b.kind)).then_with(|| a.name.cmp(&b.name));
        let by_text = by_name.then_with(|| a.description.cmp(&b.description));
        let by_rest =
            by_text.then_with(|| (&a.title, &a.source_description).cmp(&(&b.title, &b.source_description)));
        // Only entries that agree in all texts are told apart by what they take, which is slow to compare.
        by_rest.then_with(|| a.input.to_string().cmp(&b.input.to_string()))
    });
    numbered.into_iter().unzip()
}

fn gists(entries: &[Entry]) -> Vec<Gist> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |text: String| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(text).or_insert(next)
    };
    let mut gist = |entry: &Entry| {
        let sentence = terms(&with_gloss(&first_sentence(&entry.description, SENTENCE)));
        let mut terms: Vec<u32> = sentence.into_iter().map(&mut number).collect();
        terms.sort_unstable();
        terms.dedup();
        // The blank keeps the words of a name from having the number of a term.
        Gist { name: number(format!(" {}", spaced(&entry.name))), terms: terms.into_boxed_slice() }
    };
    entries.iter().map(&mut gist).collect()
}

/// The vectors of all entries, and of their sources where those count.
fn vectors(entries: &[Entry], embedder: &dyn Embedder, options: &Options<'_>) -> Result<Vectors, String> {
    let texts: Vec<String> = entries.iter().map(document).collect();
    let own = dense(&texts, embedder, options.known, options.progress)?;
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut texts: Vec<String> = Vec::new();
    if Weights::of(embedder.name()).source > 0.0 {
        texts.extend(entries.iter().map(source_document));
    }
    let mut distinct = Vec::new();
    let mut place = |text: &String| {
        *places.entry(text.clone()).or_insert_with(|| {
            distinct.push(text.clone());
            u32::try_from(distinct.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let source_of = texts.iter().map(&mut place).collect();
    let sources = dense(&distinct, embedder, options.known, None)?;
    Ok(Vectors { entries: own, sources, source_of })
}

fn dense(
    texts: &[String],
    embedder: &dyn Embedder,
    known: Option<Known<'_>>,
    progress: Option<Progress<'_>>,
) -> Result<Dense, String> {
    let mut dense: Option<Dense> = None;
    for (batch, part) in texts.chunks(BATCH).enumerate() {
        for vector in batch_of(part, embedder, known)? {
            let dense = dense.get_or_insert_with(|| Dense::with_capacity(vector.len(), texts.len()));
            dense.push(&vector).map_err(|cause| format!("`{}`: {cause}", embedder.name()))?;
        }
        if let Some(progress) = progress {
            progress(batch * BATCH + part.len(), texts.len());
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
