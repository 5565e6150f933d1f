//! Which methods are judged, and their embedders. What a method does stands in `retrieval::eval`.

use crate::catalog::embedders;
use crate::failure::Failure;
use crate::printer;
use retrieval::Method;
use retrieval::embed::Embedder;
use retrieval::eval::{Finder, FinderError, Fts5, LazyTool, MethodName, Ours, Ranking, Set, Vectors};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is judged when no method is named; the last ones only where their model is there.
const DEFAULT: &[&str] = &["lexical", "fused", "fts5", "lazy-tool"];
const DEFAULT_WITH_MODEL: &[&str] = &["fused:minilm", "lazy-tool:minilm"];

/// A method with its embedder at hand.
pub(crate) struct Ready {
    /// How it was called.
    pub name: MethodName,
    /// Who makes its vectors, where it has any.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Synonyms beside the common ones.
    pub synonyms: Arc<str>,
}

/// The methods to judge, and why others are not.
pub(crate) struct Methods {
    /// Those to judge, in their order.
    pub ready: Vec<Ready>,
    /// Those left out: the name and the reason.
    pub skipped: Vec<(String, String)>,
}

/// Gets the embedders of the methods that were named, or of the default ones.
pub(crate) fn ready(named: &[MethodName], synonyms: &str) -> Result<Methods, Failure> {
    let mut known = BTreeMap::new();
    let synonyms: Arc<str> = synonyms.into();
    let mut methods = Methods { ready: Vec::new(), skipped: Vec::new() };
    let own_names: Vec<MethodName> =
        DEFAULT.iter().chain(DEFAULT_WITH_MODEL).filter_map(|name| name.parse().ok()).collect();
    for name in if named.is_empty() { &own_names } else { named } {
        match embedder_of(name, &mut known) {
            Ok(embedder) => {
                methods.ready.push(Ready { name: name.clone(), embedder, synonyms: synonyms.clone() });
            }
            Err(reason) if named.is_empty() => methods.skipped.push((name.to_string(), reason)),
            Err(reason) => {
                let hint = "methods without an embedder need no model: lexical, fts5, lazy-tool";
                return Err(Failure::usage(format!("--method {name}: {reason}"), hint));
            }
        }
    }
    Ok(methods)
}

type Known = BTreeMap<String, Result<Option<Arc<dyn Embedder>>, String>>;

fn embedder_of(name: &MethodName, known: &mut Known) -> Result<Option<Arc<dyn Embedder>>, String> {
    let wanted = match &name.embedder {
        Some(wanted) => wanted.as_str(),
        None if name.wants_default_embedder() => "static",
        None => return Ok(None),
    };
    let find = || embedders::named(Some(wanted), None).map_err(|failure| printer::failure_line(&failure));
    known.entry(wanted.to_owned()).or_insert_with(find).clone()
}

impl Ready {
    /// Takes the entries of a set in. `progress` is told how many of how many have vectors.
    pub(crate) fn build(
        &self,
        set: &Set,
        vectors: &Vectors,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Box<dyn Finder>, FinderError> {
        let made =
            self.embedder.as_ref().map(|it| vectors.of(&set.entries, it.as_ref(), progress)).transpose()?;
        Ok(match self.name.ranking {
            Ranking::Ours(method) => {
                Box::new(Ours::build(&set.entries, method, self.embedder.clone(), vectors, &self.synonyms)?)
            }
            Ranking::Fts5 => Box::new(Fts5::build(&set.entries)?),
            Ranking::LazyTool => Box::new(LazyTool::build(&set.entries, self.embedder.clone().zip(made))?),
        })
    }

    /// Tells whether it is fusion with weights, which may be weighed anew.
    pub(crate) fn is_weighted(&self) -> bool {
        self.name.ranking == Ranking::Ours(Method::Fused)
    }
}
