//! Collects deviations with a bound for each kind, so that hostile bytes cannot grow the list without end.

use crate::deviation::{Deviation, DeviationKind};

/// Deviations of one kind that are kept for one frame; the others are counted.
const KEPT: usize = 16;

/// The deviations of one frame while it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    found: Vec<Deviation>,
    counts: Vec<(DeviationKind, usize)>,
}

impl Log {
    /// Adds the deviation that `make` describes, or only counts it when there are many of its kind.
    pub(crate) fn add(&mut self, kind: DeviationKind, make: impl FnOnce(DeviationKind) -> Deviation) {
        let count = match self.counts.iter_mut().find(|(seen, _)| *seen == kind) {
            Some((_, count)) => count,
            None => {
                self.counts.push((kind, 0));
                &mut self.counts.last_mut().expect("an entry was pushed").1
            }
        };
        *count += 1;
        if *count <= KEPT {
            self.found.push(make(kind));
        }
    }

    /// Ends the collection; the last kept one of a kind says how many were only counted.
    pub(crate) fn into_deviations(mut self) -> Vec<Deviation> {
        for (kind, count) in self.counts {
            if count > KEPT
                && let Some(last) = self.found.iter_mut().rev().find(|deviation| deviation.kind == kind)
            {
                last.detail.push_str(&format!(" (and {} more like it)", count - KEPT));
            }
        }
        self.found
    }
}
