//! An embedder that keeps in the catalog what another one makes. Which vectors are asked for stands in `ready`.

use crate::printer;
use retrieval::catalog::{Catalog, TextKey, text_key};
use retrieval::embed::{EmbedError, Embedder};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Tells whether an embedder takes longer than reading its vectors back would.
pub(crate) fn is_slow(embedder: &dyn Embedder) -> bool {
    !embedder.name().starts_with("static")
}

/// An embedder that keeps what another one makes in the catalog at `path`.
pub(crate) struct Keeper {
    inner: Arc<dyn Embedder>,
    path: PathBuf,
    made: Mutex<Vec<(TextKey, Vec<f32>)>>,
    probed: OnceLock<(String, Result<Vec<f32>, String>)>,
}

impl Keeper {
    /// Wraps `inner`; nothing is written yet.
    pub(crate) fn new(path: &Path, inner: Arc<dyn Embedder>) -> Self {
        Self { inner, path: path.to_owned(), made: Mutex::default(), probed: OnceLock::new() }
    }

    /// Tells how long vectors are now, by that of the query, which search needs in any case. Nothing when the
    /// embedder fails; it is not asked again then.
    pub(crate) fn probe(&self, query: &str) -> Option<usize> {
        let (_, made) = self.probed.get_or_init(|| {
            let made = self.inner.embed(&[query]).map_err(|error| error.to_string());
            let made =
                made.and_then(|made| made.into_iter().next().ok_or_else(|| "no vector came".to_owned()));
            (query.to_owned(), made)
        });
        made.as_ref().ok().map(Vec::len)
    }

    /// Forgets the vectors that nothing in the catalog needs. A catalog that cannot be written keeps them.
    pub(crate) fn prune(&self, wanted: &dyn Fn(&TextKey) -> bool) {
        _ = Catalog::open(&self.path).and_then(|mut catalog| catalog.prune_vectors(&self.kept_as(), wanted));
    }

    /// Writes what was made since the last time, when it is at least so many. A catalog that cannot be written is
    /// searched all the same.
    pub(crate) fn keep(&self, least: usize) {
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
