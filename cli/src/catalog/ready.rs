//! Makes ready what a search runs on: a catalog on disk, a file, or a live server that is asked first. Ranking is done in `retrieval`.

use super::gather::{self, Origin};
use super::keeper::{Keeper, is_slow};
use super::{embedders, failure, open_to_read};
use crate::config::Config;
use crate::failure::Failure;
use crate::live::could_not_run;
use crate::nearest::did_you_mean;
use crate::printer;
use crate::progress::Steps;
use crate::settings::Settings;
use crate::target::TargetArgs;
use retrieval::catalog::{TextKey, Twins, apply, is_sqlite, text_key};
use retrieval::embed::Embedder;
use retrieval::{Entry, Index, Options, Taste, documents};
use std::collections::{BTreeSet, HashMap, HashSet};
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
    /// What is searched, without what is secret in its address.
    pub shown: String,
}

/// What is asked for.
pub(crate) struct Asked<'a> {
    /// A catalog, a file, or a server.
    pub word: &'a str,
    /// What will be searched for.
    pub query: &'a str,
    /// Who compares meanings; the default one where none is named.
    pub embedder: Option<&'a str>,
    /// Synonyms beside the common ones.
    pub synonyms: &'a str,
}

/// Makes the index of what `asked` names. `None` means that the user interrupted it.
pub(crate) fn ready(
    asked: &Asked<'_>,
    config: &Config,
    settings: &Settings,
) -> Result<Option<Ready>, Failure> {
    let embedder = embedders::named(asked.embedder, settings.timeout_said())?;
    let word = asked.word;
    let path = Path::new(word);
    let names_server = word.contains("://") || word.starts_with("mock:") || config.server.contains_key(word);
    if !names_server && (!path.exists() || path.is_dir() || is_sqlite(path) || is_database(path)) {
        return known(asked, embedder, config).map(Some);
    }
    let origin = gather::find(word, &TargetArgs::default(), config)?;
    let Some(haul) = origin.read(settings, Twins::Number)? else { return Ok(None) };
    haul.notes.iter().for_each(|note| printer::err(&format!("note: {}\n", reports::plain(note))));
    let mut entries: Vec<_> = haul.sources.into_iter().flat_map(|source| source.entries).collect();
    let taste = apply(&mut entries, &haul.wishes);
    let shown = match &origin {
        Origin::Server { server, .. } => server.shown.clone(),
        Origin::File { .. } => word.to_owned(),
    };
    let extras = Extras { synonyms: asked.synonyms, held: &HashMap::new(), after_some: &|| () };
    Ok(Some(Ready { taste, ..indexed(entries, shown, embedder, &extras) }))
}

/// Tells a database by its name, so that one that is damaged or empty is told as such.
fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "db" || ending == "sqlite")
}

fn known(asked: &Asked<'_>, embedder: Option<Arc<dyn Embedder>>, config: &Config) -> Result<Ready, Failure> {
    let word = asked.word;
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
        && let Some(length) = keeper.probe(asked.query)
    {
        // What has another length was made by another model of the same name.
        held.retain(|_, vector| vector.len() == length);
    }
    let stale = before - held.len();
    let after_some = || keep(KEPT_AT_ONCE);
    let extras = Extras { synonyms: asked.synonyms, held: &held, after_some: &after_some };
    let ready = Ready { taste, ..indexed(entries, word.to_owned(), embedder, &extras) };
    // What was made before an embedder failed is as good as the rest, and need not be made again.
    keep(1);
    if let Some(keeper) = keeper.filter(|_| stale > 0 && ready.index.degraded().is_none()) {
        keeper.prune(&|key| wanted.contains(key));
    }
    Ok(ready)
}

/// Makes the vectors that a search of the catalog at `path` by this embedder needs, and keeps them there; those that
/// are made faster than they are read are left to searches. Tells how many entries can be compared by meaning now.
pub(crate) fn embed(path: &Path, embedder: Arc<dyn Embedder>) -> Result<usize, Failure> {
    let word = path.to_string_lossy();
    let asked = Asked { word: &word, query: "a", embedder: None, synonyms: "" };
    let name = embedder.name().to_owned();
    let ready = known(&asked, Some(embedder), &Config::default())?;
    match ready.index.degraded() {
        None => Ok(ready.index.len()),
        Some(cause) => {
            let cause = cause.strip_prefix("searched by words only: ").unwrap_or(cause);
            let error = format!("the sources are filed, but `{name}` made no vectors: {cause}");
            let hint = format!(
                "try again when it works: mcpproof search QUERY --embedder {name} makes what is missing"
            );
            Err(could_not_run(error, hint))
        }
    }
}

/// What an index is made with beside its entries.
struct Extras<'a> {
    synonyms: &'a str,
    /// Vectors that are there already.
    held: &'a HashMap<TextKey, Vec<f32>>,
    /// Is called whenever some vectors have been made.
    after_some: &'a dyn Fn(),
}

/// Indexes `entries`, embedding only texts whose vectors are not there.
fn indexed(
    entries: Vec<Entry>,
    shown: String,
    embedder: Option<Arc<dyn Embedder>>,
    extras: &Extras<'_>,
) -> Ready {
    let sources = entries.iter().map(|entry| entry.source.clone()).collect();
    let name = embedder.as_ref().map_or("none", |embedder| embedder.name()).to_owned();
    let steps = Steps::start("comparing meanings", entries.len());
    let options = Options {
        embedder,
        known: Some(&|text| extras.held.get(&text_key(text)).cloned()),
        synonyms: extras.synonyms,
        progress: Some(&|done, _| {
            steps.at(done);
            (extras.after_some)();
        }),
    };
    let index = Index::build(entries, &options);
    steps.finish();
    Ready { index, taste: Taste::default(), embedder: name, sources, shown }
}

/// Vectors that are written at once; so many are lost at most when the user loses patience.
const KEPT_AT_ONCE: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use retrieval::Kind;
    use retrieval::catalog::{Catalog, Source};
    use retrieval::embed::EmbedError;
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
            let asked = Asked { word, query: "alpha", embedder: None, synonyms: "" };
            let ready = known(&asked, Some(embedder.clone()), &Config::default()).expect("is read");
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
