//! Rules about items.

use crate::rule::Rule;

/// The table.
pub(crate) const RULES: &[&Rule] = &[];
