//! Texts to vectors: the trait every embedder fulfils, and its errors. Each embedder has a file of its own.

mod distill;
pub mod fetch;
mod http;
pub mod minilm;
mod named;
mod table;
mod wordpiece;

pub use distill::distill;
pub(crate) use http::is_kept_no_more;
pub use http::{Dialect, Endpoint, Remote};
pub use named::{NAMES, Settings, by_name};
pub use table::StaticTable;
use thiserror::Error;

/// Why texts got no vectors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model folder lacks something or holds something else.
    #[error("{0}")]
    Model(String),
    /// The endpoint could not be reached, refused, or answered something else than vectors.
    #[error("{0}")]
    Endpoint(String),
    /// Whoever asked wants it no more.
    #[error("interrupted")]
    Interrupted,
    /// There is no embedder of this name.
    #[error("no embedder is named `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The vectors have another length than those before.
    #[error("`{embedder}` gave vectors of {seen} numbers, {expected} were expected")]
    Dimension {
        /// Who gave them.
        embedder: String,
        /// The length of the vectors at hand.
        expected: usize,
        /// The length of the new ones.
        seen: usize,
    },
}

/// Something that turns texts into vectors whose dot product says how near their meanings are.
pub trait Embedder: Send + Sync {
    /// Names the model and its version; vectors under another name are not comparable and are made anew.
    fn name(&self) -> &str;

    /// Names what vectors are kept under: the name, and where the model is asked when that may differ.
    fn kept_as(&self) -> String {
        self.name().to_owned()
    }

    /// Gives one vector of length 1 for each text, all of one dimension, in their order; a text without
    /// anything to go by gets a vector of zeros.
    ///
    /// # Errors
    /// When the model or endpoint fails; a part of the vectors is never given.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Brings a vector to length 1; zeros stay zeros.
fn normalise(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    if square > 0.0 {
        let factor = 1.0 / square.sqrt();
        vector.iter_mut().for_each(|value| *value = (f64::from(*value) * factor) as f32);
    }
}
