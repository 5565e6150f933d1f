//! Makes ready what a search runs on: a catalog on disk, a file, or a live server that is asked first. Ranking is done in `retrieval`.

use super::gather;
use super::{embedders, failure, open_to_read};
use crate::config::Config;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::printer;
use crate::progress::Steps;
use crate::settings::Settings;
use crate::target::TargetArgs;
use retrieval::catalog::{Catalog, TextKey, Twins, is_sqlite, text_key};
use retrieval::embed::{EmbedError, Embedder};
use retrieval::{Entry, Index, Options, Taste};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a search runs on.
pub(crate) struct Ready {
    /// Everything that can be found.
    pub index: Index,
    /// What the user made known.
    pub taste: Taste,
    /// Who compares meanings.
    pub embedder: String,
    /// The names of all sources.
    pub sources: BTreeSet<String>,
}

/// Makes the index of what `word` names. `None` means that the user interrupted it.
pub(crate) fn ready(
    word: &str,
    embedder: Option<&str>,
    config: &Config,
    settings: &Settings,
) -> Result<Option<Ready>, Failure> {
    let embedder = embedders::named(embedder)?;
    let path = Path::new(word);
    let names_server = word.contains("://") || word.starts_with("mock:") || config.server.contains_key(word);
    if !names_server && (!path.exists() || path.is_dir() || is_sqlite(path) || is_database(path)) {
        return known(word, path, embedder, config).map(Some);
    }
    let origin = gather::find(word, &TargetArgs::default(), config)?;
    let Some(haul) = origin.read(settings, Twins::Number)? else { return Ok(None) };
    haul.notes.iter().for_each(|note| printer::err(&format!("note: {note}\n")));
    let entries: Vec<_> = haul.sources.into_iter().flat_map(|source| source.entries).collect();
    Ok(Some(indexed(entries, Taste::default(), embedder, &HashMap::new(), &|| ())))
}

/// Tells a database by its name, so that one that is damaged or empty is told as such.
fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "db" || ending == "sqlite")
}

fn known(
    word: &str,
    path: &Path,
    embedder: Option<Arc<dyn Embedder>>,
    config: &Config,
) -> Result<Ready, Failure> {
    let catalog = open_to_read(path).map_err(|failure| {
        // A slip in the name of a server looks like a file that is not there.
        let hint = did_you_mean(word, config.server.keys().map(String::as_str), &failure.hint);
        if path.exists() { failure } else { Failure { hint, ..failure } }
    })?;
    let told = |error| failure(&error);
    let entries = catalog.entries_to_search().map_err(told)?;
    let taste = catalog.taste().map_err(told)?;
    let held = match &embedder {
        Some(embedder) => catalog.vectors(embedder.name()).map_err(told)?,
        None => HashMap::new(),
    };
    drop(catalog);
    let keeper =
        embedder.clone().filter(|it| is_slow(it.as_ref())).map(|inner| Arc::new(Keeper::new(path, inner)));
    let embedder = match &keeper {
        Some(keeper) => Some(Arc::clone(keeper) as Arc<dyn Embedder>),
        None => embedder,
    };
    let keep = |least| {
        if let Some(keeper) = &keeper {
            keeper.keep(least);
        }
    };
    let ready = indexed(entries, taste, embedder, &held, &|| keep(KEPT_AT_ONCE));
    keep(1);
    Ok(ready)
}

/// Indexes `entries`, embedding only texts that are not in `held`.
fn indexed(
    entries: Vec<Entry>,
    taste: Taste,
    embedder: Option<Arc<dyn Embedder>>,
    held: &HashMap<TextKey, Vec<f32>>,
    after_each: &dyn Fn(),
) -> Ready {
    let sources = entries.iter().map(|entry| entry.source.clone()).collect();
    let name = embedder.as_ref().map_or("none", |embedder| embedder.name()).to_owned();
    let steps = Steps::start("comparing meanings", entries.len());
    let options = Options {
        embedder,
        known: Some(&|text| held.get(&text_key(text)).cloned()),
        progress: Some(&|done, _| {
            steps.at(done);
            after_each();
        }),
        ..Options::default()
    };
    let index = Index::build(entries, &options);
    steps.finish();
    Ready { index, taste, embedder: name, sources }
}

/// Vectors that are written at once; so many are lost at most when the user loses patience.
const KEPT_AT_ONCE: usize = 512;

/// Tells whether an embedder takes longer than reading its vectors back would.
fn is_slow(embedder: &dyn Embedder) -> bool {
    !embedder.name().starts_with("static")
}

/// An embedder that keeps what another one makes in the catalog at `path`.
struct Keeper {
    inner: Arc<dyn Embedder>,
    path: PathBuf,
    made: Mutex<Vec<(TextKey, Vec<f32>)>>,
}

impl Keeper {
    fn new(path: &Path, inner: Arc<dyn Embedder>) -> Self {
        Self { inner, path: path.to_owned(), made: Mutex::default() }
    }

    /// Writes what was made since the last time, when it is at least so many. A catalog that cannot be written is
    /// searched all the same.
    fn keep(&self, least: usize) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() < least {
            return;
        }
        let new = std::mem::take(&mut *made);
        let kept = Catalog::open(&self.path).and_then(|mut catalog| catalog.put_vectors(self.name(), &new));
        if let Err(error) = kept {
            printer::err(&format!("note: {} vectors were not kept: {error}\n", new.len()));
        }
    }
}

impl Embedder for Keeper {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = self.inner.embed(texts)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.extend(texts.iter().zip(&vectors).map(|(text, vector)| (text_key(text), vector.clone())));
        Ok(vectors)
    }
}
