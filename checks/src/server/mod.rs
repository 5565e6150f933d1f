//! The checks of servers, one file per area.

use crate::check::Check;

/// Every area with its table, in the order of reports.
pub const AREAS: &[(&str, &[Check])] = &[];
