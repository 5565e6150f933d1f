//! The faults, one table for each area.

use crate::fault::Fault;

/// Every table.
pub(crate) const TABLES: &[&[Fault]] = &[];
