//! What the commands around the surface share: where a surface comes from, how its gate is set, where locks live.

pub(crate) mod args;
pub(crate) mod config;
pub(crate) mod lockfile;
pub(crate) mod policy;
pub(crate) mod report;
pub(crate) mod source;
