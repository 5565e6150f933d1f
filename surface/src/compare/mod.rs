//! Compares two surfaces: matches their items, then asks the rules.

use crate::change::Diff;
use crate::model::Surface;

/// Says what changed from `before` to `after`.
pub fn diff(_before: &Surface, _after: &Surface) -> Diff {
    Diff::default()
}
