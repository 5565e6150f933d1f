//! Embedders by name. What they do stands in `retrieval`.

use crate::failure::Failure;
use retrieval::embed::Embedder;
use std::sync::Arc;

/// The one that no words are compared with.
const NONE: &str = "none";

/// Finds the embedder `name`, or the default one; nothing means that words alone are compared.
pub(crate) fn named(name: Option<&str>) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match name {
        None | Some(NONE) => Ok(None),
        Some(other) => Err(Failure::usage(format!("--embedder: none is named `{other}`"), "one of none")),
    }
}
