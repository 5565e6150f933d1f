//! Two rankings to one: by z-scores and by reciprocal ranks. What is ranked stands in `index`.

/// What each leg counts in a weighted sum of z-scores. Chosen on public data, see the README of this room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) lexical: f64,
    /// Of the entry.
    pub(crate) dense: f64,
    /// Of what the source of the entry says of itself.
    pub(crate) source: f64,
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

/// Scores in standard deviations above their mean; all 0 where they do not differ.
pub(crate) fn z_scores(scores: &[f64]) -> Vec<f64> {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let variance = scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>() / count;
    // The root is exact by IEEE 754, hence the same everywhere.
    let deviation = variance.sqrt();
    // Scores that hardly differ say nothing; dividing by their deviation would blow rounding up into an opinion.
    if deviation < 1e-6 {
        return vec![0.0; scores.len()];
    }
    scores.iter().map(|score| (score - mean) / deviation).collect()
}

/// The sum of reciprocal ranks over all `legs`; an entry that a leg did not score gets nothing from it.
pub(crate) fn reciprocal_ranks(legs: &[&[f64]]) -> Vec<f64> {
    let mut fused = vec![0.0; legs.first().map_or(0, |leg| leg.len())];
    for leg in legs {
        let mut order: Vec<usize> = (0..leg.len()).filter(|at| leg[*at] > 0.0).collect();
        order.sort_by(|a, b| leg[*b].total_cmp(&leg[*a]).then(a.cmp(b)));
        for (rank, at) in order.into_iter().enumerate() {
            fused[at] += 1.0 / (RANK_OFFSET + 1.0 + rank as f64);
        }
    }
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_scores_have_mean_nought_and_deviation_one() {
        let z = z_scores(&[1.0, 2.0, 3.0, 6.0]);
        assert!(z.iter().sum::<f64>().abs() < 1e-12);
        assert!((z.iter().map(|z| z * z).sum::<f64>() / 4.0 - 1.0).abs() < 1e-12);
        assert_eq!(z_scores(&[2.0, 2.0]), [0.0, 0.0]);
        assert_eq!(z_scores(&[]), [0.0; 0]);
    }

    #[test]
    fn who_is_first_in_both_legs_is_first_by_ranks() {
        let fused = reciprocal_ranks(&[&[3.0, 2.0, 0.0], &[0.9, 0.1, 0.5]]);
        assert!(fused[0] > fused[1] && fused[0] > fused[2]);
        assert_eq!(reciprocal_ranks(&[&[0.0]]), [0.0]);
    }
}
