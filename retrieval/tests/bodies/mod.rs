//! The laws that any request and any catalog file must keep, for the fuzz targets and the replay of their corpus.

mod catalog_import;
mod search;

pub(crate) use catalog_import::catalog_import;
pub(crate) use search::search;
