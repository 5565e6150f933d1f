//! Asks a finder all queries of a set and keeps what can be judged of its answers. What is said about them stands in `row.rs`.

use super::bootstrap::SplitMix;
use super::data::Set;
use super::finder::{Finder, FinderError};
use super::metrics::{DEPTH, Scores, judge};
use std::collections::HashSet;
use std::time::Instant;

/// How many queries of other sets are asked of a set at most.
const MOST_STRANGERS: usize = 200;

/// What a finder did on a set.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The scores of each query that has gold, in their order.
    pub scores: Vec<Scores>,
    /// How long each query of the set took, in milliseconds, in their order.
    pub millis: Vec<f64>,
    /// How often it said that nothing fits.
    pub abstained: Abstained,
}

/// How often a finder said that nothing fits, and how often that was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abstained {
    /// Queries that something fits.
    pub fitting: usize,
    /// Those of them on which it abstained, wrongly.
    pub fitting_abstained: usize,
    /// Queries that nothing fits.
    pub strange: usize,
    /// Those of them on which it abstained, rightly.
    pub strange_abstained: usize,
}

impl Abstained {
    /// The share of the queries without a fit on which it abstained.
    pub fn recall(&self) -> Option<f64> {
        share(self.strange_abstained, self.strange)
    }

    /// The share of the queries with a fit on which it abstained all the same.
    pub fn false_rate(&self) -> Option<f64> {
        share(self.fitting_abstained, self.fitting)
    }

    /// How often it is right when it abstains, if half of all queries fit nothing. How many do is a matter of the
    /// data and not of the finder, so precision is given for equal numbers of both.
    pub fn precision(&self) -> Option<f64> {
        let (right, wrong) = (self.recall()?, self.false_rate()?);
        (right + wrong > 0.0).then(|| right / (right + wrong))
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Asks each query of the set, and then those of `strangers`, to which nothing in the set should fit.
/// `asked` is called after each query.
///
/// # Errors
/// When the finder fails; what it answered before is lost then.
pub fn run(
    set: &Set,
    finder: &dyn Finder,
    strangers: &[&str],
    asked: &mut dyn FnMut(),
) -> Result<Outcome, FinderError> {
    let mut outcome = Outcome::default();
    for case in &set.cases {
        let begun = Instant::now();
        let found = finder.find(&case.text, DEPTH)?;
        outcome.millis.push(begun.elapsed().as_secs_f64() * 1e3);
        if case.gold.is_empty() {
            outcome.abstained.strange += 1;
            outcome.abstained.strange_abstained += usize::from(found.abstain);
        } else {
            outcome.scores.push(judge(&case.gold, &found.entries));
            outcome.abstained.fitting += 1;
            outcome.abstained.fitting_abstained += usize::from(found.abstain);
        }
        asked();
    }
    for text in strangers {
        outcome.abstained.strange += 1;
        outcome.abstained.strange_abstained += usize::from(finder.find(text, DEPTH)?.abstain);
        asked();
    }
    Ok(outcome)
}

/// Tells whether two sets have an entry in common, by source and name.
pub fn related(one: &Set, other: &Set) -> bool {
    let paths: HashSet<_> = one.entries.iter().map(|entry| (&entry.source, &entry.name)).collect();
    other.entries.iter().any(|entry| paths.contains(&(&entry.source, &entry.name)))
}

/// Draws queries that nothing in the set at `at` should fit, from all sets that are not related to it.
///
/// They are guesses: somebody's question about the weather may be served by a tool of a catalog that it was not
/// written for. So the recall of abstaining is a lower bound, and of use to compare methods.
pub fn strangers(sets: &[Set], at: usize, seed: u64) -> Vec<&str> {
    let set = &sets[at];
    let others = sets.iter().enumerate().filter(|(other, it)| *other != at && !related(set, it));
    let cases = others.flat_map(|(_, it)| &it.cases).filter(|case| !case.gold.is_empty());
    let texts: Vec<&str> = cases.map(|case| case.text.as_str()).collect();
    let count = set.cases.len().min(MOST_STRANGERS);
    SplitMix::new(seed).sample(texts.len(), count).into_iter().map(|place| texts[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::data::Case;
    use super::super::finder::Found;
    use super::super::tests::entries;
    use super::*;

    /// Finds the entry whose number the text is.
    struct ByNumber;

    impl Finder for ByNumber {
        fn find(&self, text: &str, _: usize) -> Result<Found, FinderError> {
            Ok(Found::plain(text.parse().into_iter().collect()))
        }
    }

    fn set(name: &str, source: &str, cases: &[(&str, &[usize])]) -> Set {
        let mut entries = entries();
        entries.iter_mut().for_each(|entry| entry.source = source.to_owned());
        let case = |(text, gold): &(&str, &[usize])| Case {
            id: (*text).to_owned(),
            text: (*text).to_owned(),
            gold: gold.iter().map(|place| vec![*place]).collect(),
        };
        Set { name: name.to_owned(), entries, cases: cases.iter().map(case).collect() }
    }

    #[test]
    fn right_and_wrong_answers_and_abstentions_are_counted() {
        let set = set("a", "s", &[("1", &[1]), ("0", &[2]), ("what", &[2]), ("none", &[]), ("2", &[])]);
        let mut asked = 0;
        let outcome = run(&set, &ByNumber, &["strange", "1"], &mut || asked += 1).expect("it never fails");
        let firsts: Vec<f64> = outcome.scores.iter().map(|scores| scores[0]).collect();
        assert_eq!((firsts, outcome.millis.len(), asked), (vec![1.0, 0.0, 0.0], 5, 7));
        let counts = Abstained { fitting: 3, fitting_abstained: 1, strange: 4, strange_abstained: 2 };
        assert_eq!(outcome.abstained, counts);
        assert_eq!(
            (counts.recall(), counts.precision().map(|it| (it * 1e6).round())),
            (Some(0.5), Some(6e5))
        );
        assert_eq!((Abstained::default().recall(), Abstained::default().precision()), (None, None));
    }

    #[test]
    fn strangers_come_from_unrelated_sets_only_and_are_the_same_for_a_seed() {
        let many: Vec<(String, [usize; 1])> = (0..50).map(|n| (format!("far {n}"), [0])).collect();
        let many: Vec<(&str, &[usize])> =
            many.iter().map(|(text, gold)| (text.as_str(), &gold[..])).collect();
        let near = set("near", "s", &[("near", &[0])]);
        let sets = [set("a", "s", &[("1", &[1]), ("2", &[2])]), near, set("far", "t", &many)];
        let drawn = strangers(&sets, 0, 7);
        assert!(drawn.len() == 2 && drawn.iter().all(|text| text.starts_with("far")), "{drawn:?}");
        assert_eq!(drawn, strangers(&sets, 0, 7));
        assert_eq!(strangers(&sets[..2], 0, 7), Vec::<&str>::new());
    }
}
