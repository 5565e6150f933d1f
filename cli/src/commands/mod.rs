//! The subcommands, one file each.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod list;
pub(crate) mod mock;
pub(crate) mod schema;
