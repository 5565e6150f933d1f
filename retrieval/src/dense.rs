//! Vectors of entries and how near a query is to each of them: brute force over whole numbers. Where vectors come from stands in `embed`.

use crate::dots::{Lanes, Work, run};
use thiserror::Error;

/// What 1.0 becomes in a query. A row is at most 127 times the root of its dimension long, and so the dot product
/// stays within an `i32`, and so does every part of it that a lane of the processor adds up, below 278,000 numbers.
const ONE: f64 = 32_000.0;
/// In so many places at once the rows are read: memory gives twice as much to several streams as to one.
const STREAMS: usize = 8;
/// What the greatest number of a row becomes.
const TOP: f64 = 127.0;

/// Why a vector was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DenseError {
    /// It has another length than the vectors at hand.
    #[error("a vector of {seen} numbers does not fit among vectors of {expected}")]
    Dimension {
        /// The length of the vectors at hand.
        expected: usize,
        /// Its own.
        seen: usize,
    },
    /// It holds something that is no finite number.
    #[error("a vector holds a value that is no finite number, at place {place}")]
    NotFinite {
        /// The first place of such a value.
        place: usize,
    },
}

/// Vectors of one dimension, kept as whole numbers of 8 bits, so that scores are the same on every machine and little
/// memory is read, which is what takes the time. Rounding moves a cosine by less than a hundredth.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    dimension: usize,
    rows: Vec<i8>,
    /// By row: what brings it to length 1.
    scales: Vec<f32>,
}

impl Dense {
    /// Makes an empty set of vectors of `dimension` numbers.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, ..Self::default() }
    }

    /// Makes an empty set with room for `rows` vectors.
    pub fn with_capacity(dimension: usize, rows: usize) -> Self {
        Self { dimension, rows: Vec::with_capacity(dimension * rows), scales: Vec::with_capacity(rows) }
    }

    /// Tells the dimension.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Counts the vectors.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Adds a vector and returns its place.
    ///
    /// # Errors
    /// When it has another dimension or a value that is no finite number.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize, DenseError> {
        self.check(vector)?;
        let top = vector.iter().fold(0.0, |top: f64, &value| top.max(f64::from(value).abs()));
        let factor = if top > 0.0 { TOP / top } else { 0.0 };
        let start = self.rows.len();
        self.rows.extend(vector.iter().map(|&value| libm::rint(f64::from(value) * factor) as i8));
        let square: i64 = self.rows[start..].iter().map(|&value| i64::from(value) * i64::from(value)).sum();
        self.scales.push(if square > 0 { (1.0 / (square as f64).sqrt()) as f32 } else { 0.0 });
        Ok(self.len() - 1)
    }

    /// Gives the cosine of `query` with every vector, in their order; zeros stand for vectors without anything in them.
    ///
    /// # Errors
    /// As `push`.
    pub fn scores(&self, query: &[f32]) -> Result<Vec<f32>, DenseError> {
        self.check(query)?;
        let square: f64 = query.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        let factor = if square > 0.0 { ONE / square.sqrt() } else { 0.0 };
        let query: Vec<i16> =
            query.iter().map(|&value| libm::rint(f64::from(value) * factor) as i16).collect();
        let mut scores = vec![0.0; self.len()];
        if !query.is_empty() {
            run(Scan { query: &query, rows: &self.rows, scales: &self.scales, scores: &mut scores });
        }
        Ok(scores)
    }

    fn check(&self, vector: &[f32]) -> Result<(), DenseError> {
        if vector.len() != self.dimension {
            return Err(DenseError::Dimension { expected: self.dimension, seen: vector.len() });
        }
        match vector.iter().position(|value| !value.is_finite()) {
            Some(place) => Err(DenseError::NotFinite { place }),
            None => Ok(()),
        }
    }
}

/// One pass over all rows.
struct Scan<'a> {
    query: &'a [i16],
    rows: &'a [i8],
    scales: &'a [f32],
    scores: &'a mut [f32],
}

impl Work for Scan<'_> {
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let part = self.scores.len().div_ceil(STREAMS);
        for at in 0..part {
            for place in (0..STREAMS).map(|stream| stream * part + at) {
                let Some(score) = self.scores.get_mut(place) else { break };
                let row = &self.rows[place * self.query.len()..][..self.query.len()];
                let dot = f64::from(lanes.bytes(row, self.query));
                *score = (dot * f64::from(self.scales[place]) / ONE) as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(dimension: usize, seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..dimension).map(|_| next()).collect()
    }

    fn cosine(one: &[f32], other: &[f32]) -> f64 {
        let dot =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    }

    #[test]
    fn scores_are_cosines_whatever_the_lengths_were() {
        for dimension in [1, 7, 256, 384, 3072] {
            let mut dense = Dense::new(dimension);
            let rows: Vec<_> = (0..20).map(|seed| sample(dimension, seed)).collect();
            for (place, row) in rows.iter().enumerate() {
                assert_eq!(dense.push(row), Ok(place));
            }
            let query: Vec<f32> = sample(dimension, 99).iter().map(|value| value * 1e3).collect();
            for (score, row) in dense.scores(&query).expect("fits").into_iter().zip(&rows) {
                let off = (f64::from(score) - cosine(&query, row)).abs();
                assert!(off < 5e-3, "{dimension}: {score} is {off} off");
            }
        }
    }

    #[test]
    fn the_longest_possible_sum_does_not_overflow() {
        for dimension in [1, 2, 384, 4096] {
            let mut dense = Dense::new(dimension);
            let mut peak = vec![0.0; dimension];
            peak[0] = -1.0;
            for vector in [vec![1.0; dimension], peak, vec![-1e30; dimension]] {
                dense.push(&vector).expect("fits");
                let score = dense.scores(&vector).expect("fits").pop().expect("one was pushed");
                assert!((score - 1.0).abs() < 2e-2, "{dimension}: {score}");
            }
        }
    }

    #[test]
    fn a_vector_of_zeros_is_near_to_nothing() {
        let mut dense = Dense::new(3);
        dense.push(&[0.0; 3]).expect("fits");
        dense.push(&[1.0, 0.0, 0.0]).expect("fits");
        assert_eq!(dense.scores(&[0.0; 3]), Ok(vec![0.0, 0.0]));
        assert_eq!(dense.scores(&[1.0, 0.0, 0.0]).expect("fits")[0], 0.0);
    }

    #[test]
    fn what_does_not_fit_is_told_and_changes_nothing() {
        let mut dense = Dense::new(2);
        dense.push(&[3.0, 4.0]).expect("fits");
        assert_eq!(dense.push(&[1.0]), Err(DenseError::Dimension { expected: 2, seen: 1 }));
        assert_eq!(dense.push(&[1.0, f32::NAN]), Err(DenseError::NotFinite { place: 1 }));
        assert_eq!(dense.scores(&[f32::INFINITY, 0.0]), Err(DenseError::NotFinite { place: 0 }));
        assert_eq!(dense.len(), 1);
    }

    #[test]
    fn an_empty_set_answers() {
        assert_eq!(Dense::new(2).scores(&[1.0, 0.0]), Ok(Vec::new()));
        assert_eq!(Dense::default().scores(&[]), Ok(Vec::new()));
    }
}
