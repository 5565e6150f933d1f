//! Makes the static table out of all-MiniLM-L6-v2. What a table looks like and how it is used stands in `table`.

use super::minilm::{MiniLm, framed};
use super::table::StaticTable;

/// How many tokens the vocabulary has, and the first of them that is a word of more than a character.
const TOKENS: usize = 30_522;
const FIRST_WORD: usize = 1996;
/// How long the vectors of the table are.
const DIMENSION: usize = 256;
/// The share of a text at which a token counts half; some fifty tokens have more.
const FREQUENT: f64 = 2e-3;
/// How many directions are taken off that texts have in common, whatever they are about.
const COMMON: usize = 4;

/// Makes the table: each token goes through the model alone; the mean and what frequent words have in common are
/// taken off; the directions in which the vectors differ most are kept; and words count for less the more often
/// they are used. `progress` is told how many of how many tokens are done.
pub fn distill(model: &MiniLm, progress: &mut dyn FnMut(usize, usize)) -> Vec<u8> {
    let mut vectors = Vec::with_capacity(TOKENS);
    let ids: Vec<_> = (0..TOKENS as u32).map(|id| framed(vec![id])).collect();
    for part in ids.chunks(512) {
        let part = model.pooled(part);
        vectors.extend(part.into_iter().map(|vector| vector.into_iter().map(f64::from).collect()));
        progress(vectors.len(), TOKENS);
    }
    let shares = shares(TOKENS - FIRST_WORD);
    centre(&mut vectors);
    take_off_common(&mut vectors, FIRST_WORD, &shares);
    let mut rows = principal(&vectors, DIMENSION);
    for (row, share) in rows[FIRST_WORD..].iter_mut().zip(shares) {
        row.iter_mut().for_each(|value| *value *= weight(share));
    }
    StaticTable::write(FIRST_WORD, &rows[FIRST_WORD..])
}

/// What share of a text each word has: the vocabulary is sorted by frequency, and frequencies fall with the rank.
fn shares(words: usize) -> Vec<f64> {
    let total: f64 = (1..=words).map(|rank| 1.0 / rank as f64).sum();
    (1..=words).map(|rank| 1.0 / (rank as f64 * total)).collect()
}

/// What a word of that share counts (smooth inverse frequency: Arora, Liang, Ma 2017).
fn weight(share: f64) -> f64 {
    FREQUENT / (FREQUENT + share)
}

fn centre(vectors: &mut [Vec<f64>]) {
    let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
    let part = 1.0 / vectors.len().max(1) as f64;
    vectors.iter().for_each(|vector| add(&mut mean, vector, part));
    vectors.iter_mut().for_each(|vector| add(vector, &mean, -1.0));
}

/// Takes off all vectors the directions in which texts lie whose words, from `first` on, have these shares
/// ("all but the top": Mu, Viswanath 2018).
fn take_off_common(vectors: &mut [Vec<f64>], first: usize, shares: &[f64]) {
    let parts = shares.iter().map(|share| share * weight(*share) * weight(*share));
    let common = axes(vectors[first..].iter().zip(parts), COMMON);
    for vector in vectors {
        for axis in &common {
            let much = dot(axis, vector);
            add(vector, axis, -much);
        }
    }
}

/// Turns the vectors, so that their first `keep` numbers say most; the rest is dropped.
fn principal(vectors: &[Vec<f64>], keep: usize) -> Vec<Vec<f64>> {
    let mut axes = axes(vectors.iter().zip(std::iter::repeat(1.0)), keep);
    axes.iter_mut().for_each(|axis| upright(axis));
    vectors.iter().map(|vector| axes.iter().map(|axis| dot(axis, vector)).collect()).collect()
}

/// The `keep` directions in which vectors lie most, each of which counts its part.
fn axes<'a>(vectors: impl Iterator<Item = (&'a Vec<f64>, f64)>, keep: usize) -> Vec<Vec<f64>> {
    let mut moments: Vec<Vec<f64>> = Vec::new();
    for (vector, part) in vectors {
        moments.resize_with(vector.len(), || vec![0.0; vector.len()]);
        for (row, &value) in moments.iter_mut().zip(vector) {
            add(row, vector, value * part);
        }
    }
    let mut axes = eigenvectors(moments);
    axes.truncate(keep);
    axes
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
        let mut vectors = [-3.0, -1.0, 1.0, 3.0].map(|x| vec![5.0 + x, 1.0 - 2.0 * x, 7.0]).to_vec();
        centre(&mut vectors);
        let rows = principal(&vectors, 2);
        for (row, x) in rows.iter().zip([-3.0, -1.0, 1.0, 3.0]) {
            assert!((row[0] + x * 5.0_f64.sqrt()).abs() < 1e-9 && row[1].abs() < 1e-9, "{rows:?}");
        }
    }

    #[test]
    fn a_word_counts_for_less_the_more_often_it_is_used_and_half_of_them_count_in_full() {
        let shares = shares(28_526);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let weights: Vec<_> = shares.into_iter().map(weight).collect();
        assert!(weights.is_sorted() && weights[0] < 0.03 && weights[14_000] > 0.99, "{:?}", &weights[..3]);
        assert_eq!(weights.iter().filter(|weight| **weight < 0.5).count(), 46);
    }

    #[test]
    fn directions_in_which_texts_lie_are_taken_off_rare_words_and_marks_too() {
        let unit = |at: usize, length: f64| -> Vec<f64> {
            (0..6).map(|i| if i == at { length } else { 0.0 }).collect()
        };
        let words = (0..6).map(|at| unit(at, 1.0));
        let mark = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut vectors: Vec<_> = std::iter::once(mark).chain(words).collect();
        // The fifth and the sixth word are rare, though the sixth is longest.
        vectors[6] = unit(5, 1.5);
        take_off_common(&mut vectors, 1, &[2e-3, 1e-3, 6e-4, 4e-4, 1e-6, 1e-6]);
        for (seen, expected) in vectors[1..].iter().zip([0.0, 0.0, 0.0, 0.0, 1.0, 1.5]) {
            assert!((dot(seen, seen).sqrt() - expected).abs() < 1e-9, "{vectors:?}");
        }
        for (seen, expected) in vectors[0].iter().zip([0.0, 0.0, 0.0, 0.0, 5.0, 6.0]) {
            assert!((seen - expected).abs() < 1e-9, "{vectors:?}");
        }
    }
}
