//! Vectors of entries and how near a query is to each of them: brute force over whole numbers. Where vectors come from stands in `embed`.

use crate::dots::{Lanes, Work, dot, run};
use thiserror::Error;

/// What 1.0 becomes. The dot product of two vectors of length 1 is at most this squared, and so is every
/// part of it that a lane of the processor adds up; both stay within an `i32`, whatever the dimension.
const ONE: f64 = 32_000.0;

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

/// Vectors of one dimension, brought to length 1 and kept as whole numbers of 16 bits, so that scores are
/// the same on every machine and half the memory is read.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    dimension: usize,
    rows: Vec<i16>,
}

impl Dense {
    /// Makes an empty set of vectors of `dimension` numbers.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, rows: Vec::new() }
    }

    /// Makes an empty set with room for `rows` vectors.
    pub fn with_capacity(dimension: usize, rows: usize) -> Self {
        Self { dimension, rows: Vec::with_capacity(dimension * rows) }
    }

    /// Tells the dimension.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Counts the vectors.
    pub fn len(&self) -> usize {
        self.rows.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a vector and returns its place.
    ///
    /// # Errors
    /// When it has another dimension or a value that is no finite number.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize, DenseError> {
        let row = self.quantised(vector)?;
        self.rows.extend(row);
        Ok(self.len() - 1)
    }

    /// Replaces the vector at `place`.
    ///
    /// # Errors
    /// As `push`.
    ///
    /// # Panics
    /// When there is no such place.
    pub fn replace(&mut self, place: usize, vector: &[f32]) -> Result<(), DenseError> {
        let row = self.quantised(vector)?;
        let start = place * self.dimension;
        self.rows[start..start + self.dimension].copy_from_slice(&row);
        Ok(())
    }

    /// Gives the vector at `place`, as it was kept.
    pub fn get(&self, place: usize) -> Option<Vec<f32>> {
        let row = self.rows.chunks_exact(self.dimension.max(1)).nth(place)?;
        Some(row.iter().map(|&value| (f64::from(value) / ONE) as f32).collect())
    }

    /// Gives the cosine of `query` with every vector, in their order; zeros stand for vectors without anything in them.
    ///
    /// # Errors
    /// As `push`.
    pub fn scores(&self, query: &[f32]) -> Result<Vec<f64>, DenseError> {
        let query = self.quantised(query)?;
        let mut dots = vec![0; self.len()];
        if !dots.is_empty() {
            run(Scan { query: &query, rows: &self.rows, dots: &mut dots });
        }
        Ok(dots.into_iter().map(|dot| f64::from(dot) / (ONE * ONE)).collect())
    }

    /// Gives the cosine of the vectors at two places.
    ///
    /// # Panics
    /// When there is no such place.
    pub fn between(&self, one: usize, other: usize) -> f64 {
        let row = |place: usize| &self.rows[place * self.dimension..][..self.dimension];
        f64::from(dot(row(one), row(other))) / (ONE * ONE)
    }

    fn quantised(&self, vector: &[f32]) -> Result<Vec<i16>, DenseError> {
        if vector.len() != self.dimension {
            return Err(DenseError::Dimension { expected: self.dimension, seen: vector.len() });
        }
        if let Some(place) = vector.iter().position(|value| !value.is_finite()) {
            return Err(DenseError::NotFinite { place });
        }
        let square: f64 = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        let factor = if square > 0.0 { ONE / square.sqrt() } else { 0.0 };
        Ok(vector.iter().map(|&value| libm::rint(f64::from(value) * factor) as i16).collect())
    }
}

/// One pass over all rows.
struct Scan<'a> {
    query: &'a [i16],
    rows: &'a [i16],
    dots: &'a mut [i32],
}

impl Work for Scan<'_> {
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        for (out, row) in self.dots.iter_mut().zip(self.rows.chunks_exact(self.query.len())) {
            [*out] = lanes.dots([row], self.query);
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
                assert!((score - cosine(&query, row)).abs() < 1e-3, "{dimension}: {score}");
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
        assert_eq!(dense.replace(0, &[f32::INFINITY, 0.0]), Err(DenseError::NotFinite { place: 0 }));
        assert_eq!((dense.len(), dense.get(0)), (1, Some(vec![0.6, 0.8])));
    }

    #[test]
    fn a_replaced_vector_is_the_one_that_counts() {
        let mut dense = Dense::new(2);
        dense.push(&[1.0, 0.0]).expect("fits");
        dense.push(&[1.0, 0.0]).expect("fits");
        dense.replace(1, &[0.0, 2.0]).expect("fits");
        assert_eq!(dense.scores(&[0.0, 1.0]), Ok(vec![0.0, 1.0]));
        assert_eq!((dense.between(0, 1), dense.between(1, 1)), (0.0, 1.0));
    }

    #[test]
    fn an_empty_set_answers() {
        assert_eq!(Dense::new(2).scores(&[1.0, 0.0]), Ok(Vec::new()));
        assert_eq!(Dense::default().scores(&[]), Ok(Vec::new()));
        assert_eq!(Dense::default().get(0), None);
    }
}
