//! all-MiniLM-L6-v2, run by an encoder of our own: texts to vectors of 384 numbers. How its files come onto the machine stands in `fetch`.

mod attention;
mod encoder;
mod files;
mod lanes;
mod linear;
mod tiles;
mod weights;

use super::wordpiece::{END, START, WordPiece};
use super::{EmbedError, Embedder};
use encoder::Encoder;
pub use files::{FILES, KnownFile, verify};
use std::path::Path;

/// The model reads this many tokens of a text, as it was trained, with those before and behind it.
const LONGEST: usize = 128;
/// So many tokens go through the layers together; more would not stay in the caches of the processor.
const BATCH: usize = 256;

/// The encoder of all-MiniLM-L6-v2, read from a folder.
pub struct MiniLm {
    encoder: Encoder,
    threads: usize,
}

impl MiniLm {
    /// Reads the model from a folder and holds its files against their known hashes.
    ///
    /// # Errors
    /// When a file is missing, cannot be read, or is not the one that is known.
    pub fn load(folder: &Path) -> Result<Self, EmbedError> {
        let bytes = files::read_weights(folder)?;
        let file = folder.join(files::WEIGHTS.name);
        Ok(Self { encoder: Encoder::read(&bytes, &file, encoder::MINI_LM)?, threads: 1 })
    }

    /// Uses so many threads for lists of texts; one without this.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// Gives the mean vector of each text of tokens, not normalised.
    pub(crate) fn pooled(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let share = texts.len().div_ceil(self.threads).max(1);
        if texts.len() <= share {
            return self.pooled_here(texts);
        }
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                texts.chunks(share).map(|part| scope.spawn(|| self.pooled_here(part))).collect();
            let joined = parts.into_iter().map(|part| part.join().expect("the encoder does not panic"));
            joined.flatten().collect()
        })
    }

    fn pooled_here(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(batch_length(rest));
            vectors.extend(self.encoder.pooled(batch));
            rest = behind;
        }
        vectors
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        "minilm"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let wordpiece = WordPiece::shared();
        let tokens: Vec<_> = texts.iter().map(|text| framed(wordpiece.ids(text))).collect();
        let mut vectors = self.pooled(&tokens);
        for (vector, tokens) in vectors.iter_mut().zip(&tokens) {
            // Nothing between the tokens of start and end: there is nothing to go by.
            if tokens.len() <= 2 { vector.fill(0.0) } else { super::normalise(vector) }
        }
        Ok(vectors)
    }
}

/// Cuts a text to what the model reads, and puts the tokens before and behind it.
pub(crate) fn framed(mut ids: Vec<u32>) -> Vec<u32> {
    ids.truncate(LONGEST - 2);
    ids.insert(0, START);
    ids.push(END);
    ids
}

/// How many texts go together: as many as have `BATCH` tokens, and at least one.
fn batch_length(texts: &[Vec<u32>]) -> usize {
    let mut tokens = 0;
    let fit = texts.iter().take_while(|text| {
        tokens += text.len();
        tokens <= BATCH
    });
    fit.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_batched_by_their_tokens() {
        let texts = |lengths: &[usize]| -> Vec<Vec<u32>> { lengths.iter().map(|&n| vec![0; n]).collect() };
        assert_eq!(batch_length(&texts(&[100, 100, 56, 1])), 3);
        assert_eq!(batch_length(&texts(&[128])), 1);
        assert_eq!(batch_length(&texts(&[500, 1])), 1);
    }

    #[test]
    fn a_long_text_is_cut_to_what_the_model_reads() {
        let ids = framed(vec![7; 1000]);
        assert_eq!((ids.len(), ids[0], ids[127]), (128, START, END));
        assert_eq!(framed(Vec::new()), [START, END]);
    }
}
