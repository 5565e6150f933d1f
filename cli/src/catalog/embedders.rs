//! Embedders by name. What they do stands in `retrieval`.

use crate::commands::model;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::settings;
use retrieval::embed::{EmbedError, Embedder, NAMES, by_name};
use std::sync::Arc;
use std::time::Duration;

/// The one that compares meanings where none is named: it is built in.
const DEFAULT: &str = "static";

/// Finds the embedder `name`, or the default one; nothing means that words alone are compared. `timeout` is what the
/// user wants an endpoint to answer within.
pub(crate) fn named(
    name: Option<&str>,
    timeout: Option<Duration>,
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    by_name(name.unwrap_or(DEFAULT), &settings::embedders(timeout)).map_err(|error| match error {
        EmbedError::Unknown { name } => {
            let hint = did_you_mean(&name, NAMES, &format!("one of {}", NAMES.join(", ")));
            Failure::usage(format!("--embedder: none is named `{name}`"), hint)
        }
        error => model::missing(error),
    })
}
