//! Makes the static table out of all-MiniLM-L6-v2. What a table looks like and how it is used stands in `table`.

use super::minilm::{MiniLm, framed};
use super::table::StaticTable;

/// How many tokens the vocabulary has, and the first of them that is a word of more than a character.
const TOKENS: usize = 30_522;
const FIRST_WORD: usize = 1996;
/// How long the vectors of the table are.
const DIMENSION: usize = 256;
/// How often a token may occur before it begins to count for less.
const RARE: f64 = 1e-5;

/// Makes the table: each token goes through the model alone, the mean is taken off, the directions in which
/// the vectors differ most are kept, and tokens count for less the more often they are used. `progress` is
/// told how many of how many tokens are done.
pub fn distill(model: &MiniLm, progress: &mut dyn FnMut(usize, usize)) -> Vec<u8> {
    let mut vectors = Vec::with_capacity(TOKENS);
    let ids: Vec<_> = (0..TOKENS as u32).map(|id| framed(vec![id])).collect();
    for part in ids.chunks(512) {
        let part = model.pooled(part);
        vectors.extend(part.into_iter().map(|vector| vector.into_iter().map(f64::from).collect()));
        progress(vectors.len(), TOKENS);
    }
    let mut rows = principal(vectors, DIMENSION);
    for (row, weight) in rows[FIRST_WORD..].iter_mut().zip(weights(TOKENS - FIRST_WORD)) {
        row.iter_mut().for_each(|value| *value *= weight);
    }
    StaticTable::write(FIRST_WORD, &rows[FIRST_WORD..])
}

/// The vocabulary is sorted by frequency, and frequencies fall with the rank.
fn weights(words: usize) -> impl Iterator<Item = f64> {
    let total: f64 = (1..=words).map(|rank| 1.0 / rank as f64).sum();
    (1..=words).map(move |rank| RARE / (RARE + 1.0 / (rank as f64 * total)))
}

/// Takes the mean off and turns the vectors, so that their first `keep` numbers say most; the rest is dropped.
fn principal(mut vectors: Vec<Vec<f64>>, keep: usize) -> Vec<Vec<f64>> {
    let width = vectors.first().map_or(0, Vec::len);
    let count = vectors.len().max(1) as f64;
    let mut mean = vec![0.0; width];
    vectors.iter().for_each(|vector| add(&mut mean, vector, 1.0 / count));
    vectors.iter_mut().for_each(|vector| add(vector, &mean, -1.0));
    let mut covariance = vec![vec![0.0; width]; width];
    for vector in &vectors {
        for (row, &value) in covariance.iter_mut().zip(vector) {
            add(row, vector, value / count);
        }
    }
    let mut axes = eigenvectors(covariance);
    axes.truncate(keep);
    axes.iter_mut().for_each(|axis| upright(axis));
    vectors.iter().map(|vector| axes.iter().map(|axis| dot(axis, vector)).collect()).collect()
}

/// Gives the eigenvectors of a symmetric matrix, that of the largest eigenvalue first, by Jacobi's rotations:
/// each makes one pair of numbers beside the diagonal zero, until all are.
fn eigenvectors(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    let trace: f64 = (0..size).map(|i| matrix[i][i].abs()).sum();
    let small = trace * 1e-15;
    for _ in 0..30 {
        let mut rotated = false;
        for p in 0..size {
            for q in p + 1..size {
                if matrix[p][q].abs() > small {
                    rotate(&mut matrix, &mut vectors, p, q);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<_> = (0..size).collect();
    order.sort_by(|&a, &b| matrix[b][b].total_cmp(&matrix[a][a]));
    order.into_iter().map(|i| std::mem::take(&mut vectors[i])).collect()
}

fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let half = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |rows: &mut [Vec<f64>]| {
        let [one, other] = rows.get_disjoint_mut([p, q]).expect("p and q are two places");
        for (one, other) in one.iter_mut().zip(other) {
            (*one, *other) = (cosine * *one - sine * *other, sine * *one + cosine * *other);
        }
    };
    turn(matrix);
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    turn(vectors);
}

/// An eigenvector may point either way; its largest number shall be positive.
fn upright(axis: &mut [f64]) {
    let largest = axis.iter().copied().fold(0.0, |top: f64, x| if x.abs() > top.abs() { x } else { top });
    if largest < 0.0 {
        axis.iter_mut().for_each(|value| *value = -*value);
    }
}

fn add(to: &mut [f64], what: &[f64], factor: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what * factor);
}

/// Sums in four lanes, which the processor can keep side by side; their order is part of the result.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    for (one, other) in one.chunks(4).zip(other.chunks(4)) {
        lanes.iter_mut().zip(one.iter().zip(other)).for_each(|(lane, (one, other))| *lane += one * other);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_are_sorted_and_stay_where_the_matrix_takes_them() {
        let matrix = vec![vec![2.0, 1.0, 0.0], vec![1.0, 3.0, 1.0], vec![0.0, 1.0, 4.0]];
        let vectors = eigenvectors(matrix.clone());
        let values: Vec<f64> = vectors
            .iter()
            .map(|vector| {
                let image: Vec<_> = matrix.iter().map(|row| dot(row, vector)).collect();
                let value = dot(&image, vector);
                for (image, own) in image.iter().zip(vector) {
                    assert!((image - value * own).abs() < 1e-9, "{vectors:?}");
                }
                value
            })
            .collect();
        let root = 3.0_f64.sqrt();
        for (seen, expected) in values.iter().zip([3.0 + root, 3.0, 3.0 - root]) {
            assert!((seen - expected).abs() < 1e-9, "{values:?}");
        }
    }

    #[test]
    fn the_direction_of_the_largest_difference_comes_first() {
        let vectors = [-3.0, -1.0, 1.0, 3.0].map(|x| vec![5.0 + x, 1.0 - 2.0 * x, 7.0]).to_vec();
        let rows = principal(vectors, 2);
        for (row, x) in rows.iter().zip([-3.0, -1.0, 1.0, 3.0]) {
            assert!((row[0] + x * 5.0_f64.sqrt()).abs() < 1e-9 && row[1].abs() < 1e-9, "{rows:?}");
        }
    }

    #[test]
    fn a_token_counts_for_less_the_more_often_it_is_used() {
        let weights: Vec<_> = weights(1000).collect();
        assert!(weights.is_sorted() && weights[0] < 1e-4 && weights[999] > 0.05, "{:?}", &weights[..3]);
    }
}
