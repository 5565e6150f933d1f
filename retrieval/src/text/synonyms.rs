//! Words that mean much the same to whoever looks for a tool. The groups stand in `synonyms.txt`; a caller may add some.

use super::{stem, stop, words};
use std::collections::BTreeMap;

/// The groups everyone has.
const COMMON: &str = include_str!("synonyms.txt");

/// Which terms mean much the same as which, and how much, 0 to 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synonyms(BTreeMap<String, Vec<(String, f64)>>);

impl Synonyms {
    /// The common groups, and those of `more` in the same form: a group a line, words between blanks, `#` before a
    /// remark, `~` before a group that counts half.
    pub(crate) fn with(more: &str) -> Self {
        let mut all = Self::default();
        COMMON.lines().chain(more.lines()).for_each(|line| all.add(line));
        all
    }

    fn add(&mut self, line: &str) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (line, strength) = line.strip_prefix('~').map_or((line, 1.0_f64), |loose| (loose, 0.5_f64));
        let mut group: Vec<String> =
            words(line).into_iter().filter(|word| !stop::is_stop(word)).map(stem).collect();
        group.sort_unstable();
        group.dedup();
        for a in &group {
            let known = self.0.entry(a.clone()).or_default();
            for b in group.iter().filter(|b| *b != a) {
                match known.iter_mut().find(|(term, _)| term == b) {
                    Some((_, old)) => *old = strength.max(*old),
                    None => known.push((b.clone(), strength)),
                }
            }
        }
    }

    /// The terms that mean much the same as `term`, and how much.
    pub(crate) fn of(&self, term: &str) -> &[(String, f64)] {
        self.0.get(term).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_both_ways_and_loose_ones_count_half() {
        let all = Synonyms::with("~ frobnicate twiddle # a remark\nfrobnicate wiggle");
        assert_eq!(all.of("twiddl"), [("frobnic".to_owned(), 0.5)]);
        assert_eq!(all.of("frobnic"), [("twiddl".to_owned(), 0.5), ("wiggl".to_owned(), 1.0)]);
        assert_eq!(all.of("remark"), []);
        assert!(all.of("fetch").iter().any(|(term, _)| term == "get"));
    }
}
