//! The specification as data: revisions, requirement rows and message shapes. No IO, no clock.

mod revision;

pub use revision::{Revision, Revisions, UnknownRevision};
