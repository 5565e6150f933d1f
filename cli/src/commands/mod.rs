//! The subcommands, one file each.

pub(crate) mod accept;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod gate;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod mock;
pub(crate) mod model;
pub(crate) mod pin;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod verify;
