//! The specification as data: revisions, requirement rows and message shapes. No IO, no clock.

pub mod methods;
mod pages;
mod requirement_files;
pub mod requirements;
mod revision;
pub mod schema;
mod shapes;

pub use requirements::{Level, Observable, Requirement, Role, Transport};
pub use revision::{Revision, Revisions, UnknownRevision};
