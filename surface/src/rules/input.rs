//! Rules about input.

use crate::rule::Rule;

/// The table.
pub(crate) const RULES: &[&Rule] = &[];
