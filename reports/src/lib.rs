//! Renders a report of the checks for people and for machines. Nothing here decides, measures or prints.

mod baseline;
mod context;
pub mod drift;
pub mod github;
mod invocation;
pub mod json;
pub mod junit;
pub mod markdown;
mod merge;
mod plain;
#[cfg(test)]
mod samples;
pub mod sarif;
pub mod text;
mod undecided;
mod verdict;
mod words;

pub use baseline::{BaselineOutcome, Entry};
pub use context::{Detail, Format, RenderContext};
pub use invocation::Invocation;
pub use json::SCHEMA;
pub use plain::plain;
pub use text::wrap;
