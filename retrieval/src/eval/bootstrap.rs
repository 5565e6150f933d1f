//! How sure a mean is: bootstrap intervals of one method, and of the difference of two on the same queries.

use serde::Serialize;

/// How often the queries are drawn anew.
const RESAMPLES: usize = 1000;

/// The splitmix64 generator: 64 bits of state, the same numbers for a seed on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Gives the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Gives a number below `end`, which is not 0. The bias is below `end / 2^64`, less than any set can show.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.draw()) * end as u128) >> 64) as usize
    }

    /// Draws `count` of the numbers below `end` without repetition, or all, in rising order.
    pub fn sample(&mut self, end: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..end).collect();
        let count = count.min(end);
        for at in 0..count {
            let other = at + self.below(end - at);
            all.swap(at, other);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

/// A mean and where it lies with a probability of 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean of what was measured.
    pub mean: f64,
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
    /// The share of resamples that are on the same side of 0 as the mean; of use for differences.
    pub same_sign: f64,
}

/// Estimates the mean of each column. The rows are queries; they are drawn with repetition, 1,000 times, and
/// the interval lies between the percentiles 2.5 and 97.5 of the means (the percentile bootstrap).
pub fn estimate<const N: usize>(rows: &[[f64; N]], seed: u64) -> [Estimate; N] {
    if rows.is_empty() {
        return [Estimate::default(); N];
    }
    let mut random = SplitMix::new(seed);
    let mut means: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(RESAMPLES));
    for _ in 0..RESAMPLES {
        let drawn = (0..rows.len()).map(|_| &rows[random.below(rows.len())]);
        for (column, mean) in means.iter_mut().zip(mean_of(drawn)) {
            column.push(mean);
        }
    }
    let observed = mean_of(rows.iter());
    std::array::from_fn(|column| summary(observed[column], &mut means[column]))
}

/// Estimates by how much the rows of `other` exceed those of `first`, query by query.
pub fn difference<const N: usize>(first: &[[f64; N]], other: &[[f64; N]], seed: u64) -> [Estimate; N] {
    let rows: Vec<[f64; N]> =
        first.iter().zip(other).map(|(a, b)| std::array::from_fn(|column| b[column] - a[column])).collect();
    estimate(&rows, seed)
}

fn mean_of<'a, const N: usize>(rows: impl ExactSizeIterator<Item = &'a [f64; N]>) -> [f64; N] {
    let count = rows.len() as f64;
    let mut sums = [0.0; N];
    for row in rows {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums.map(|sum| sum / count)
}

fn summary(mean: f64, resampled: &mut [f64]) -> Estimate {
    let same = resampled.iter().filter(|value| value.total_cmp(&0.0) == mean.total_cmp(&0.0)).count();
    resampled.sort_by(f64::total_cmp);
    Estimate {
        mean,
        lo: percentile(resampled, 0.025),
        hi: percentile(resampled, 0.975),
        same_sign: same as f64 / resampled.len() as f64,
    }
}

/// Reads a percentile of sorted values by the nearest rank; 0 when there are none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = libm::ceil(share * sorted.len() as f64) as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_numbers_of_its_reference() {
        let mut random = SplitMix::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!([(); 4].map(|()| random.draw()), expected);
    }

    #[test]
    fn a_sample_has_no_repetition_and_stays_below_the_end() {
        let drawn = SplitMix::new(3).sample(50, 20);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn.len() == 20 && drawn[19] < 50);
        assert_eq!(SplitMix::new(3).sample(4, 9), [0, 1, 2, 3]);
    }

    #[test]
    fn an_interval_of_a_share_is_as_wide_as_theory_says() {
        // 400 coins, half of them heads: the standard error is 0.025, the interval 0.098 wide.
        let rows: Vec<[f64; 1]> = (0..400).map(|at| [f64::from(at % 2)]).collect();
        let [share] = estimate(&rows, 1);
        assert!((share.mean - 0.5).abs() < 1e-12);
        let width = share.hi - share.lo;
        assert!((0.085..0.115).contains(&width), "{width}");
        assert_eq!(estimate(&rows, 1), estimate(&rows, 1));
    }

    #[test]
    fn values_that_do_not_differ_leave_no_doubt() {
        let rows = vec![[0.25, 1.0]; 7];
        let expected = |mean| Estimate { mean, lo: mean, hi: mean, same_sign: 1.0 };
        assert_eq!(estimate(&rows, 9), [expected(0.25), expected(1.0)]);
        assert_eq!(estimate::<2>(&[], 9), [Estimate::default(); 2]);
    }

    #[test]
    fn a_paired_difference_is_surer_than_two_intervals() {
        let first: Vec<[f64; 1]> = (0..100).map(|at| [f64::from(at % 2)]).collect();
        // The other method is right wherever the first is, and on ten queries more.
        let other: Vec<[f64; 1]> = (0..100).map(|at| [f64::from(u8::from(at % 2 == 1 || at < 20))]).collect();
        let [gain] = difference(&first, &other, 5);
        assert!((gain.mean - 0.1).abs() < 1e-12 && gain.lo > 0.0 && gain.same_sign > 0.99, "{gain:?}");
        let [none] = difference(&first, &first, 5);
        assert_eq!((none.mean, none.lo, none.hi), (0.0, 0.0, 0.0));
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.5, 0.95, 0.0].map(|share| percentile(&values, share)), [2.0, 4.0, 1.0]);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
