//! The right tool out of thousands: a catalog of what servers offer, and search over it by words, by meaning, and by both. Its only IO is the catalog's SQLite file, the model folder, and the HTTP embedders in `embed/`.

pub mod catalog;
mod confidence;
pub mod dense;
mod dots;
pub mod embed;
mod entry;
pub mod eval;
mod fusion;
mod gists;
mod index;
mod lexical;
mod names;
mod rank;
mod search;
pub mod text;

pub use entry::{Entry, Kind, Parameter};
pub use fusion::Weights;
pub use index::{Index, Known, Options, Progress, document, documents};
pub use search::{Answer, Breakdown, Hit, Method, Query, Taste};
