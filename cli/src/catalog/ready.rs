//! Makes ready what a search runs on: a catalog on disk, a file, or a live server that is asked first. Ranking is done in `retrieval`.

use super::gather::{self, Origin};
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
use retrieval::{Entry, Index, Options, Taste, documents};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    /// What is searched, without what is secret in its address.
    pub shown: String,
}

/// Makes the index of what `word` names, for a search of `query`. `None` means that the user interrupted it.
pub(crate) fn ready(
    word: &str,
    query: &str,
    embedder: Option<&str>,
    config: &Config,
    settings: &Settings,
) -> Result<Option<Ready>, Failure> {
    let embedder = embedders::named(embedder, settings.timeout_said())?;
    let path = Path::new(word);
    let names_server = word.contains("://") || word.starts_with("mock:") || config.server.contains_key(word);
    if !names_server && (!path.exists() || path.is_dir() || is_sqlite(path) || is_database(path)) {
        return known(word, query, embedder, config).map(Some);
    }
    let origin = gather::find(word, &TargetArgs::default(), config)?;
    let Some(haul) = origin.read(settings, Twins::Number)? else { return Ok(None) };
    haul.notes.iter().for_each(|note| printer::err(&format!("note: {}\n", reports::plain(note))));
    let entries: Vec<_> = haul.sources.into_iter().flat_map(|source| source.entries).collect();
    let shown = match &origin {
        Origin::Server { server, .. } => server.shown.clone(),
        Origin::File { .. } => word.to_owned(),
    };
    Ok(Some(indexed(entries, Taste::default(), shown, embedder, &HashMap::new(), &|| ())))
}

/// Tells a database by its name, so that one that is damaged or empty is told as such.
fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "db" || ending == "sqlite")
}

fn known(
    word: &str,
    query: &str,
    embedder: Option<Arc<dyn Embedder>>,
    config: &Config,
) -> Result<Ready, Failure> {
    let path = Path::new(word);
    let catalog = open_to_read(path).map_err(|failure| {
        // A slip in the name of a server looks like a file that is not there.
        let hint = did_you_mean(word, config.server.keys().map(String::as_str), &failure.hint);
        if path.exists() { failure } else { Failure { hint, ..failure } }
    })?;
    let told = |error| failure(&error);
    let entries = catalog.entries_to_search().map_err(told)?;
    let taste = catalog.taste().map_err(told)?;
    let mut held = match &embedder {
        Some(embedder) => catalog.vectors(&embedder.kept_as()).map_err(told)?,
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
    let wanted: HashSet<_> = documents(&entries).iter().map(|text| text_key(text)).collect();
    let before = held.len();
    held.retain(|key, _| wanted.contains(key));
    if let Some(keeper) = keeper.as_ref().filter(|_| !held.is_empty())
        && let Some(length) = keeper.probe(query)
    {
        // What has another length was made by another model of the same name.
        held.retain(|_, vector| vector.len() == length);
    }
    let stale = before - held.len();
    let ready = indexed(entries, taste, word.to_owned(), embedder, &held, &|| keep(KEPT_AT_ONCE));
    if let Some(keeper) = keeper.as_ref().filter(|_| ready.index.degraded().is_none()) {
        keeper.keep(1);
        if stale > 0 {
            keeper.prune(&|key| wanted.contains(key));
        }
    }
    Ok(ready)
}

/// Indexes `entries`, embedding only texts that are not in `held`.
fn indexed(
    entries: Vec<Entry>,
    taste: Taste,
    shown: String,
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
    Ready { index, taste, embedder: name, sources, shown }
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
    probed: OnceLock<(String, Result<Vec<f32>, String>)>,
}

impl Keeper {
    fn new(path: &Path, inner: Arc<dyn Embedder>) -> Self {
        Self { inner, path: path.to_owned(), made: Mutex::default(), probed: OnceLock::new() }
    }

    /// Tells how long vectors are now, by that of the query, which search needs in any case. Nothing when the
    /// embedder fails; it is not asked again then.
    fn probe(&self, query: &str) -> Option<usize> {
        let (_, made) = self.probed.get_or_init(|| {
            let made = self.inner.embed(&[query]).map_err(|error| error.to_string());
            let made =
                made.and_then(|made| made.into_iter().next().ok_or_else(|| "no vector came".to_owned()));
            (query.to_owned(), made)
        });
        made.as_ref().ok().map(Vec::len)
    }

    /// Forgets the vectors that nothing in the catalog needs. A catalog that cannot be written keeps them.
    fn prune(&self, wanted: &dyn Fn(&TextKey) -> bool) {
        _ = Catalog::open(&self.path).and_then(|mut catalog| catalog.prune_vectors(&self.kept_as(), wanted));
    }

    /// Writes what was made since the last time, when it is at least so many. A catalog that cannot be written is
    /// searched all the same.
    fn keep(&self, least: usize) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() < least {
            return;
        }
        let new = std::mem::take(&mut *made);
        let kept =
            Catalog::open(&self.path).and_then(|mut catalog| catalog.put_vectors(&self.kept_as(), &new));
        if let Err(error) = kept {
            printer::err(&format!("note: {} vectors were not kept: {error}\n", new.len()));
        }
    }
}

impl Embedder for Keeper {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn kept_as(&self) -> String {
        self.inner.kept_as()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match (self.probed.get(), texts) {
            (Some((_, Err(cause))), _) => return Err(EmbedError::Endpoint(cause.clone())),
            (Some((query, Ok(vector))), [text]) if query == text => return Ok(vec![vector.clone()]),
            _ => {}
        }
        let vectors = self.inner.embed(texts)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.extend(texts.iter().zip(&vectors).map(|(text, vector)| (text_key(text), vector.clone())));
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrieval::Kind;
    use retrieval::catalog::Source;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Gives vectors of whatever length is set; none when that is 0.
    struct Changing(AtomicUsize);

    impl Embedder for Changing {
        fn name(&self) -> &str {
            "changing"
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            match self.0.load(Ordering::Relaxed) {
                0 => Err(EmbedError::Endpoint("down".to_owned())),
                length => Ok(texts.iter().map(|_| vec![1.0; length]).collect()),
            }
        }
    }

    fn file(path: &Path, names: &[&str]) {
        let entry = |name: &&str| Entry {
            source: "s".to_owned(),
            kind: Kind::Tool,
            name: (*name).to_owned(),
            title: None,
            description: String::new(),
            input: serde_json::Value::Null,
            source_description: String::new(),
        };
        let entries: Vec<_> = names.iter().map(entry).collect();
        let mut catalog = Catalog::open(path).expect("a catalog");
        let source = Source { name: "s", description: "", entries: &entries };
        catalog.replace_source(&source, 0).expect("is filed");
    }

    #[test]
    fn vectors_of_another_length_are_made_anew_and_those_of_nothing_are_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.db");
        let embedder = Arc::new(Changing(AtomicUsize::new(2)));
        let search = |length| {
            embedder.0.store(length, Ordering::Relaxed);
            let word = path.to_str().expect("a text");
            let ready = known(word, "alpha", Some(embedder.clone()), &Config::default()).expect("is read");
            let held = Catalog::open_to_read(&path).and_then(|it| it.vectors("changing")).expect("is read");
            let mut lengths: Vec<_> = held.values().map(Vec::len).collect();
            lengths.dedup();
            (ready.index.degraded().is_some(), held.len(), lengths)
        };
        file(&path, &["alpha", "beta", "gamma"]);
        let (_, all, _) = search(2);
        assert_eq!(search(3), (false, all, vec![3]), "it heals by itself");
        file(&path, &["alpha", "beta"]);
        assert_eq!(search(3), (false, all - 1, vec![3]));
        file(&path, &["alpha", "beta", "delta"]);
        assert_eq!(search(0), (true, all - 1, vec![3]), "nothing is written without an embedder");
    }
}
