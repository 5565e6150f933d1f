//! Joins the checks that stayed undecided for the same reason, so that a person reads the reason once.

use checks::{Report, Verdict};
use specs::Revision;

/// How many checks are named before the rest is counted.
const NAMED: usize = 5;

/// A reason, and what stayed undecided because of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Undecided<'a> {
    /// Why.
    pub why: &'a str,
    /// The checks, in the order of the report.
    pub checks: Vec<&'static str>,
    /// The revisions, newest first.
    pub revisions: Vec<Revision>,
}

impl Undecided<'_> {
    /// Names the first few checks and counts the others.
    pub(crate) fn names(&self) -> String {
        // One name is no longer than the words that would stand for it.
        let shown = if self.checks.len() == NAMED + 1 { NAMED + 1 } else { NAMED };
        let names = self.checks.iter().take(shown).copied().collect::<Vec<_>>().join(", ");
        match self.checks.len().saturating_sub(shown) {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }

    /// Tells whether `names` leaves some out.
    pub(crate) fn is_cut(&self) -> bool {
        self.checks.len() > NAMED + 1
    }

    /// Lists the revisions in one line.
    pub(crate) fn revision_list(&self) -> String {
        self.revisions.iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The reasons of `report`, that of most checks first.
pub(crate) fn undecided(report: &Report) -> Vec<Undecided<'_>> {
    let mut all: Vec<Undecided<'_>> = Vec::new();
    for revision in &report.revisions {
        for result in &revision.results {
            let Verdict::Unproven(why) = &result.verdict else { continue };
            let at = all.iter().position(|one| one.why == why).unwrap_or_else(|| {
                all.push(Undecided { why, checks: Vec::new(), revisions: Vec::new() });
                all.len() - 1
            });
            if !all[at].checks.contains(&result.id) {
                all[at].checks.push(result.id);
            }
            if !all[at].revisions.contains(&revision.revision) {
                all[at].revisions.push(revision.revision);
            }
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.checks.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_names_stand_whole_and_of_more_the_rest_is_counted() {
        let of = |n: usize| Undecided {
            why: "",
            checks: ["a", "b", "c", "d", "e", "f", "g"][..n].to_vec(),
            revisions: vec![],
        };
        assert_eq!((of(1).names(), of(1).is_cut()), ("a".to_owned(), false));
        assert_eq!((of(6).names(), of(6).is_cut()), ("a, b, c, d, e, f".to_owned(), false));
        assert_eq!((of(7).names(), of(7).is_cut()), ("a, b, c, d, e and 2 more".to_owned(), true));
    }
}
