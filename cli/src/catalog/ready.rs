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
use retrieval::embed::Embedder;
use retrieval::{Entry, Index, Options, Taste, document};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

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
    Ok(Some(indexed(entries, Taste::default(), embedder, &HashMap::new())))
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
    let texts = embedder.as_ref().map(|_| entries.iter().map(document).collect::<Vec<_>>());
    let ready = indexed(entries, taste, embedder.clone(), &held);
    if let (Some(embedder), Some(texts)) = (&embedder, texts) {
        keep(path, embedder.name(), &texts, &ready.index, &held);
    }
    Ok(ready)
}

/// Indexes `entries`, embedding only texts that are not in `held`.
fn indexed(
    entries: Vec<Entry>,
    taste: Taste,
    embedder: Option<Arc<dyn Embedder>>,
    held: &HashMap<TextKey, Vec<f32>>,
) -> Ready {
    let sources = entries.iter().map(|entry| entry.source.clone()).collect();
    let name = embedder.as_ref().map_or("none", |embedder| embedder.name()).to_owned();
    let steps = Steps::start("comparing meanings", entries.len());
    let options = Options {
        embedder,
        known: Some(&|text| held.get(&text_key(text)).cloned()),
        progress: Some(&|done, _| steps.at(done)),
        ..Options::default()
    };
    let index = Index::build(entries, &options);
    steps.finish();
    Ready { index, taste, embedder: name, sources }
}

/// Keeps new vectors in the catalog; a catalog that cannot be written is searched all the same.
fn keep(path: &Path, embedder: &str, texts: &[String], index: &Index, held: &HashMap<TextKey, Vec<f32>>) {
    let keys = texts.iter().map(|text| text_key(text)).enumerate();
    let new: Vec<_> = keys
        .filter(|(_, key)| !held.contains_key(key))
        .filter_map(|(at, key)| Some((key, index.vector(at)?)))
        .collect();
    if new.is_empty() {
        return;
    }
    let kept = Catalog::open(path).and_then(|mut catalog| catalog.put_vectors(embedder, &new));
    if let Err(error) = kept {
        printer::err(&format!("note: {} vectors were not kept: {error}\n", new.len()));
    }
}
