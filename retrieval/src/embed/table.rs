//! The built-in embedder: a vector for each token of a vocabulary, and their mean for a text. How the table is made stands in `distill`.

use super::wordpiece::WordPiece;
use super::{EmbedError, Embedder, normalise};
use std::borrow::Cow;

const BUILT_IN: &[u8] = include_bytes!("../../data/static-256.bin");

/// The name of the built-in table; another table gets another one.
pub(super) const NAME: &str = "static-256-2";

/// What a table begins with: its format and version.
const MAGIC: &[u8; 20] = b"mcpproof static 1\n\0\0";

/// A vector for each token: bytes that are read where they lie, and nothing is unpacked.
///
/// After the magic come three numbers of 32 bits, little-endian: the first token that has a vector, how many
/// have one, and its dimension; then a scale for each vector as a 32-bit float, then the vectors, a byte a number.
pub struct StaticTable {
    bytes: Cow<'static, [u8]>,
    first: usize,
    rows: usize,
    dimension: usize,
}

impl StaticTable {
    /// Gives the table that is part of the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn built_in() -> Self {
        Self::read(Cow::Borrowed(BUILT_IN)).expect("a test reads the built-in table")
    }

    /// Reads a table out of the bytes of a file.
    ///
    /// # Errors
    /// When they are no table, or a cut one.
    pub fn read(bytes: Cow<'static, [u8]>) -> Result<Self, EmbedError> {
        let wrong = |what: &str| EmbedError::Model(format!("the static table {what}"));
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("has another format"))?;
        let number = |at: usize| {
            let bytes = rest.get(at * 4..)?.first_chunk()?;
            usize::try_from(u32::from_le_bytes(*bytes)).ok()
        };
        let numbers = number(0).zip(number(1)).zip(number(2));
        let ((first, rows), dimension) = numbers.ok_or_else(|| wrong("is cut short"))?;
        let length = (dimension as u128 + 4) * rows as u128 + 12;
        if rest.len() as u128 != length || dimension == 0 {
            return Err(wrong("has another length than it says"));
        }
        Ok(Self { bytes, first, rows, dimension })
    }

    /// Writes a table: for each token from `first` on a vector.
    pub(crate) fn write(first: usize, vectors: &[Vec<f64>]) -> Vec<u8> {
        let dimension = vectors.first().map_or(0, Vec::len);
        let mut bytes = MAGIC.to_vec();
        for number in [first, vectors.len(), dimension] {
            bytes.extend(u32::try_from(number).expect("a vocabulary is smaller").to_le_bytes());
        }
        let scale = |vector: &Vec<f64>| vector.iter().fold(0.0, |top: f64, x| top.max(x.abs())) / 127.0;
        bytes.extend(vectors.iter().flat_map(|vector| (scale(vector) as f32).to_le_bytes()));
        for vector in vectors {
            let scale = scale(vector);
            let byte = |x: &f64| if scale > 0.0 { libm::rint(x / scale) as i8 } else { 0 };
            bytes.extend(vector.iter().map(|x| byte(x).to_le_bytes()[0]));
        }
        bytes
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimension];
        for id in WordPiece::shared().ids(text) {
            let Some((scale, row)) = self.row(id as usize) else { continue };
            for (sum, &byte) in sum.iter_mut().zip(row) {
                *sum += f32::from(i8::from_le_bytes([byte])) * scale;
            }
        }
        normalise(&mut sum);
        sum
    }

    fn row(&self, id: usize) -> Option<(f32, &[u8])> {
        let row = id.checked_sub(self.first).filter(|row| *row < self.rows)?;
        let scales = &self.bytes[MAGIC.len() + 12..];
        let (scales, vectors) = scales.split_at(self.rows * 4);
        let scale = scales[row * 4..].first_chunk().expect("there is a scale for each row");
        Some((f32::from_le_bytes(*scale), &vectors[row * self.dimension..][..self.dimension]))
    }
}

impl Embedder for StaticTable {
    fn name(&self) -> &str {
        NAME
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: &str, other: &str) -> f32 {
        let vectors = StaticTable::built_in().embed(&[one, other]).expect("a table does not fail");
        vectors[0].iter().zip(&vectors[1]).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn words_of_one_meaning_are_nearer_than_others() {
        for (word, like, unlike) in [
            ("send an email", "deliver a message", "rotate a picture"),
            ("photo", "image", "invoice"),
            ("weather forecast", "temperature and rain", "pull request"),
            ("delete a file", "remove documents", "play music"),
        ] {
            assert!(near(word, like) > near(word, unlike) + 0.1, "{word}: {like}, {unlike}");
        }
    }

    #[test]
    fn vectors_have_length_one_and_nothing_is_zeros() {
        let vectors = StaticTable::built_in().embed(&["get weather", "", "?! 7"]).expect("does not fail");
        let length = |vector: &Vec<f32>| vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length(&vectors[0]) - 1.0).abs() < 1e-5 && vectors[0].len() == 256);
        assert_eq!(vectors[1..], [vec![0.0; 256], vec![0.0; 256]]);
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = StaticTable::write(1996, &[vec![1.0, -0.5], vec![0.0, 0.0]]);
        let table = StaticTable::read(bytes.into()).expect("it is whole");
        let (scale, row) = table.row(1996).expect("the first row");
        assert_eq!(row, [127, (-64_i8).to_le_bytes()[0]]);
        assert!((scale - 1.0 / 127.0).abs() < 1e-9);
        assert_eq!(table.row(1997).expect("the second row").1, [0, 0]);
        assert!(table.row(1995).is_none() && table.row(1998).is_none());
    }

    #[test]
    fn what_is_no_table_is_told() {
        let whole = StaticTable::write(0, &[vec![1.0, 2.0]]);
        let told = |bytes: &[u8]| {
            StaticTable::read(bytes.to_vec().into()).err().expect("it is no table").to_string()
        };
        assert_eq!(told(b"GIF89a"), "the static table has another format");
        assert_eq!(told(&whole[..25]), "the static table is cut short");
        assert_eq!(told(&whole[..whole.len() - 1]), "the static table has another length than it says");
        let huge = [&whole[..24], &[0xff; 8]].concat();
        assert_eq!(told(&huge), "the static table has another length than it says");
    }
}
