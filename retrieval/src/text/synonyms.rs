//! Words that mean much the same to whoever looks for a tool. The groups stand in `synonyms.txt`; a caller may add some.

use super::{stem, stop, words};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

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

/// A line of synonyms that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct SynonymsError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// Tells whether every line of `text` is a group that search can use; what it cannot use it would pass over.
///
/// # Errors
/// For the first line that has a word which is none to search, or no two that differ.
pub fn check_synonyms(text: &str) -> Result<(), SynonymsError> {
    text.lines().zip(1..).try_for_each(|(text, line)| {
        let (group, _) = parted(text);
        let told = group.iter().find_map(|word| mistake(word));
        let stems: BTreeSet<_> = group.iter().filter_map(|word| whole(word)).map(stem).collect();
        let lonely = || "a group has two words at least, that differ in more than their endings".to_owned();
        match told.or_else(|| (stems.len() == 1).then(lonely)) {
            Some(what) => Err(SynonymsError { line, what }),
            None => Ok(()),
        }
    })
}

/// The words of a line, and how much they mean the same.
fn parted(line: &str) -> (Vec<&str>, f64) {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (line, strength) = line.strip_prefix('~').map_or((line, 1.0), |loose| (loose, 0.5));
    (line.split_whitespace().collect(), strength)
}

/// The word as search sees it, in small letters; nothing when it takes it for several.
fn whole(word: &str) -> Option<String> {
    let small = word.to_lowercase();
    words(word).into_iter().find(|part| *part == small)
}

/// What keeps a word from being one of a group.
fn mistake(word: &str) -> Option<String> {
    if let Some(whole) = whole(word) {
        let passed_over = stop::is_stop(&whole);
        return passed_over.then(|| format!("`{word}` is so common that search passes over it"));
    }
    match &words(word)[..] {
        [] => Some(format!("`{word}` has no letter and no digit")),
        several => {
            let several = several.join("`, `");
            Some(format!("`{word}` is several words to search, `{several}`; a group holds single ones"))
        }
    }
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
        let (group, strength) = parted(line);
        let group = group.into_iter().filter(|word| mistake(word).is_none()).filter_map(whole);
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
        assert_eq!(Synonyms::with("Frobnicate TWIDDLE").of("frobnic")[0].word, "twiddle");
    }

    #[test]
    fn lines_that_would_add_nothing_are_told_with_their_place() {
        let told = |line: &str| check_synonyms(&format!("one two\n{line}")).expect_err("wrong").to_string();
        assert!(told("fetch get-it").starts_with("line 2: `get-it` is several words to search, `get`, `it`"));
        assert!(told("~ fetch the").contains("`the` is so common"));
        assert!(told("fetch =").contains("`=` has no letter"));
        for lonely in ["fetch", "fetch fetches # get"] {
            assert!(told(lonely).contains("two words at least"), "{lonely}");
        }
        assert_eq!(check_synonyms("# remark\n\n~ \nPod container workload\n天气 weather"), Ok(()));
        assert_eq!(check_synonyms(COMMON), Ok(()), "the common ones are right");
    }
}
