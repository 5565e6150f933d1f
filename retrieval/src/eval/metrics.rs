//! How good a list of hits is: recall, nDCG and reciprocal rank of one answer. Means and intervals over many stand in `bootstrap.rs`.

/// How deep answers are judged; what stands below counts as not found.
pub const DEPTH: usize = 10;

/// What is measured of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The share of gold that is the first hit.
    R1,
    /// The share of gold among the first five hits.
    R5,
    /// The share of gold among the first ten hits.
    R10,
    /// The discounted gain of the first ten hits, in parts of the best possible.
    Ndcg10,
    /// One divided by the place of the first hit that is gold; 0 when it is not among the first ten.
    Mrr,
}

impl Metric {
    /// All of them, in the order of `Scores`.
    pub const ALL: [Self; 5] = [Self::R1, Self::R5, Self::R10, Self::Ndcg10, Self::Mrr];

    /// Names it as the rows of `--json` do.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::R1 => "r1",
            Self::R5 => "r5",
            Self::R10 => "r10",
            Self::Ndcg10 => "ndcg10",
            Self::Mrr => "mrr",
        }
    }
}

/// The values of one answer, or means of many, in the order of `Metric::ALL`.
pub type Scores = [f64; Metric::ALL.len()];

/// Judges what was `found`, best first, by what should be: each gold is given by all that count as it.
///
/// A gold counts when any of its equivalents is found. What a caller sees is judged: an entry that
/// stands behind another one as similar was not found.
pub fn judge(gold: &[Vec<usize>], found: &[usize]) -> Scores {
    let ranks: Vec<Option<usize>> = gold.iter().map(|fits| rank(fits, found)).collect();
    let recall = |depth: usize| {
        let hits = ranks.iter().flatten().filter(|rank| **rank < depth).count();
        hits as f64 / gold.len().max(1) as f64
    };
    let best = ranks.iter().flatten().min();
    let mrr = best.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    [recall(1), recall(5), recall(DEPTH), ndcg(gold, found), mrr]
}

fn rank(fits: &[usize], found: &[usize]) -> Option<usize> {
    found.iter().take(DEPTH).position(|entry| fits.contains(entry))
}

/// Gains are 0 or 1 and each gold pays once, so that a second equivalent of what was found already is worth
/// nothing. Golds with the same equivalents are one: no list could serve them at two places better than at one.
fn ndcg(gold: &[Vec<usize>], found: &[usize]) -> f64 {
    let mut open: Vec<&Vec<usize>> = Vec::new();
    for fits in gold {
        if !open.contains(&fits) {
            open.push(fits);
        }
    }
    // A hit pays the gold that has the fewest others to be paid by.
    open.sort_by_key(|fits| fits.len());
    let ideal: f64 = (0..open.len().min(DEPTH)).map(discount).sum();
    let mut gain = 0.0;
    for (at, entry) in found.iter().take(DEPTH).enumerate() {
        if let Some(paid) = open.iter().position(|fits| fits.contains(entry)) {
            open.remove(paid);
            gain += discount(at);
        }
    }
    if ideal > 0.0 { gain / ideal } else { 0.0 }
}

fn discount(at: usize) -> f64 {
    1.0 / libm::log2((at + 2) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gold: &[&[usize]], found: &[usize], expected: Scores) {
        let gold: Vec<Vec<usize>> = gold.iter().map(|fits| fits.to_vec()).collect();
        let scores = judge(&gold, found);
        for (metric, (is, should)) in Metric::ALL.iter().zip(scores.iter().zip(expected)) {
            assert!((is - should).abs() < 1e-9, "{metric:?} of {found:?}: {is}, not {should}");
        }
    }

    #[test]
    fn the_metrics_are_those_computed_by_hand() {
        check(&[&[7]], &[7, 1, 2], [1.0; 5]);
        check(&[&[7]], &[1, 2, 3], [0.0; 5]);
        check(&[&[7]], &[], [0.0; 5]);
        // At the third place: 1 / log2(4).
        check(&[&[7]], &[1, 2, 7], [0.0, 1.0, 1.0, 0.5, 1.0 / 3.0]);
        // One of two golds, at the first place: 1 / (1 + 1 / log2(3)).
        check(&[&[7], &[8]], &[7, 1, 2], [0.5, 0.5, 0.5, 0.613_147_192_765_458_4, 1.0]);
        // At the sixth place: outside of the first five.
        check(&[&[7]], &[0, 1, 2, 3, 4, 7], [0.0, 0.0, 1.0, 1.0 / 7f64.log2(), 1.0 / 6.0]);
        // At the eleventh place nobody looks.
        check(&[&[7]], &[0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 7], [0.0; 5]);
    }

    #[test]
    fn an_equivalent_counts_as_gold_and_a_second_one_adds_nothing() {
        check(&[&[7, 9]], &[9, 7], [1.0; 5]);
        check(&[&[7, 9], &[8]], &[9, 7, 1, 2, 3], [0.5, 0.5, 0.5, 0.613_147_192_765_458_4, 1.0]);
    }

    #[test]
    fn no_list_gains_more_than_the_best_one() {
        // One hit serves both golds: the recall is whole, and so is the gain.
        check(&[&[7, 8], &[7, 8]], &[7, 1], [1.0; 5]);
        check(&[&[7, 8], &[8]], &[8, 7], [1.0; 5]);
    }
}
