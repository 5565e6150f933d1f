//! The right tool out of thousands: a catalog of what servers offer, and search over it by words, by meaning, and by both. Its only IO is the catalog's SQLite file, the model folder, and the HTTP embedders in `embed/`.

pub mod embed;
mod entry;
mod search;

pub use entry::{Entry, Kind, Parameter};
pub use search::{Answer, Breakdown, Hit, Method, Query, Taste};
