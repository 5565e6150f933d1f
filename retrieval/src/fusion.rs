//! Two rankings to one: by z-scores and by reciprocal ranks. What is ranked stands in `index`.

use serde::Serialize;

/// What each leg counts in a weighted sum of z-scores. Chosen on public data, see the README of this room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Weights {
    /// Of the words.
    pub lexical: f64,
    /// Of how near the entry is in meaning.
    pub dense: f64,
    /// Of how near is what the source of the entry says of itself.
    pub source: f64,
}

impl Weights {
    /// A table of words knows less than a model that reads sentences; on whole sources it has nothing to add.
    const TABLE: Self = Self { lexical: 0.5, dense: 0.5, source: 0.0 };
    const MODEL: Self = Self { lexical: 0.35, dense: 0.65, source: 0.1 };

    /// The weights for vectors of the embedder of that name.
    pub(crate) fn of(embedder: &str) -> Self {
        if embedder.starts_with("static") { Self::TABLE } else { Self::MODEL }
    }
}

/// The usual constant of reciprocal rank fusion: it keeps the first places from outweighing everything.
const RANK_OFFSET: f64 = 60.0;

/// The scores of one leg, by entry, and what is needed to compare them with those of another.
#[derive(Debug, Default)]
pub(crate) struct Leg {
    pub(crate) scores: Vec<f32>,
    /// The highest score, nought at least.
    pub(crate) highest: f64,
    mean: f64,
    /// One divided by the standard deviation; 0 where scores do not differ.
    per_deviation: f64,
}

impl Leg {
    /// Measures `scores` in one pass, whose order is the same on every machine.
    pub(crate) fn of(scores: Vec<f32>) -> Self {
        const LANES: usize = 8;
        let Some(&first) = scores.first() else { return Self::default() };
        // Differences from any score have the deviation of the scores, and those of equal scores are exactly nought.
        let base = f64::from(first);
        let (mut sums, mut squares, mut highest) = ([0.0_f64; LANES], [0.0_f64; LANES], [0.0_f32; LANES]);
        for part in scores.chunks(LANES) {
            for (lane, &score) in part.iter().enumerate() {
                let off = f64::from(score) - base;
                sums[lane] += off;
                squares[lane] += off * off;
                highest[lane] = if score > highest[lane] { score } else { highest[lane] };
            }
        }
        let count = scores.len() as f64;
        let off = sums.iter().sum::<f64>() / count;
        // The root is exact by IEEE 754, hence the same everywhere.
        let deviation = (squares.iter().sum::<f64>() / count - off * off).max(0.0).sqrt();
        Self {
            highest: f64::from(highest.into_iter().fold(0.0, f32::max)),
            mean: base + off,
            // Scores that hardly differ say nothing; dividing by their deviation would blow rounding up into an opinion.
            per_deviation: if deviation < 1e-6 { 0.0 } else { 1.0 / deviation },
            scores,
        }
    }

    /// The score of an entry in standard deviations above the mean of all.
    pub(crate) fn z(&self, at: usize) -> f64 {
        (f64::from(self.scores[at]) - self.mean) * self.per_deviation
    }
}

/// The sum of reciprocal ranks over all `legs`; an entry that a leg did not score gets nothing from it.
pub(crate) fn reciprocal_ranks(legs: &[&[f32]]) -> Vec<f32> {
    let mut fused = vec![0.0_f64; legs.first().map_or(0, |leg| leg.len())];
    for leg in legs {
        let mut order: Vec<usize> = (0..leg.len()).filter(|at| leg[*at] > 0.0).collect();
        order.sort_by(|a, b| leg[*b].total_cmp(&leg[*a]).then(a.cmp(b)));
        for (rank, at) in order.into_iter().enumerate() {
            fused[at] += 1.0 / (RANK_OFFSET + 1.0 + rank as f64);
        }
    }
    fused.into_iter().map(|score| score as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_scores_have_mean_nought_and_deviation_one() {
        let leg = Leg::of(vec![1.0, 2.0, 3.0, 6.0]);
        let z: Vec<f64> = (0..4).map(|at| leg.z(at)).collect();
        assert!(z.iter().sum::<f64>().abs() < 1e-12 && leg.highest == 6.0);
        assert!((z.iter().map(|z| z * z).sum::<f64>() / 4.0 - 1.0).abs() < 1e-12);
        assert!(Leg::of(Vec::new()).scores.is_empty());
    }

    #[test]
    fn scores_that_do_not_differ_say_nothing_however_many_and_high_they_are() {
        for count in [1, 2, 3, 100_003] {
            let leg = Leg::of(vec![31.7; count]);
            assert_eq!((leg.z(0), leg.z(count - 1)), (0.0, 0.0));
        }
    }

    #[test]
    fn who_is_first_in_both_legs_is_first_by_ranks() {
        let fused = reciprocal_ranks(&[&[3.0, 2.0, 0.0], &[0.9, 0.1, 0.5]]);
        assert!(fused[0] > fused[1] && fused[0] > fused[2]);
        assert_eq!(reciprocal_ranks(&[&[0.0]]), [0.0]);
    }
}
