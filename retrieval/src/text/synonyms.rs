//! Words that mean much the same to whoever looks for a tool. The groups stand in `synonyms.txt`; a caller may add some.

use super::{stem, stop, words};
use std::collections::BTreeMap;

/// The groups everyone has.
const COMMON: &str = include_str!("synonyms.txt");

/// Which terms mean much the same as which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synonyms(BTreeMap<String, Vec<Synonym>>);

/// A term that means much the same as another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Synonym {
    pub(crate) term: String,
    /// A word with that stem, for people.
    pub(crate) word: String,
    /// How much it means the same, 0 to 1.
    pub(crate) strength: f64,
}

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
        let group = line.split_whitespace().filter(|word| words(word).iter().any(|whole| whole == word));
        let group = group.filter(|word| !stop::is_stop(word)).map(str::to_owned);
        let group: BTreeMap<String, String> = group.map(|word| (stem(word.clone()), word)).collect();
        for a in group.keys() {
            let known = self.0.entry(a.clone()).or_default();
            for (term, word) in group.iter().filter(|(term, _)| *term != a) {
                match known.iter_mut().find(|synonym| synonym.term == *term) {
                    Some(synonym) => synonym.strength = strength.max(synonym.strength),
                    None => known.push(Synonym { term: term.clone(), word: word.clone(), strength }),
                }
            }
        }
    }

    /// The terms that mean much the same as `term`.
    pub(crate) fn of(&self, term: &str) -> &[Synonym] {
        self.0.get(term).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_both_ways_and_loose_ones_count_half() {
        let all = Synonyms::with("~ frobnicate twiddle # a remark\nfrobnicate wiggle");
        let of = |term: &str| -> Vec<(String, f64)> {
            all.of(term).iter().map(|synonym| (synonym.word.clone(), synonym.strength)).collect()
        };
        assert_eq!(of("twiddl"), [("frobnicate".to_owned(), 0.5)]);
        assert_eq!(of("frobnic"), [("twiddle".to_owned(), 0.5), ("wiggle".to_owned(), 1.0)]);
        assert_eq!(of("remark"), []);
        assert!(all.of("fetch").iter().any(|synonym| synonym.term == "get"));
    }
}
