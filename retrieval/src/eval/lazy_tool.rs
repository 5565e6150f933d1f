//! The ranking of lazy-tool, as its behaviour is described, as a yardstick. Nothing else uses it.

use super::finder::{Finder, FinderError, Found};
use super::fts5::{Fts5, Join};
use crate::embed::Embedder;
use crate::entry::Entry;
use std::sync::Arc;

/// How many candidates the text index and the vectors give each.
const CANDIDATES: usize = 50;

/// What the likeness of vectors counts at most; the score of keywords has no bound.
const VECTOR_POINTS: f64 = 6.0;

/// Tokens shorter than this many bytes are not counted.
const SHORTEST_TOKEN: usize = 2;

/// An embedder, and the vectors that it gave the entries, in their order.
pub type Meaning = (Arc<dyn Embedder>, Vec<Vec<f32>>);

/// Requires every word of the request at once, else the request as it stands in the text of an entry; ranks by how
/// many words of the request, the smallest ones included, stand anywhere in the text of the entry as substrings.
///
/// With vectors, the nearest entries are candidates too, and their likeness adds a bounded number of points.
pub struct LazyTool {
    fts: Fts5,
    /// By entry: name, source, description and input schema as JSON, in lower case.
    texts: Vec<String>,
    vectors: Option<Meaning>,
}

impl LazyTool {
    /// Takes the entries in; with an embedder and the vectors it gave them, also the variant with vectors.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn build(entries: &[Entry], vectors: Option<Meaning>) -> Result<Self, FinderError> {
        Ok(Self { fts: Fts5::build(entries)?, texts: entries.iter().map(search_text).collect(), vectors })
    }

    fn candidates(&self, needle: &str) -> Result<Vec<usize>, FinderError> {
        let all = self.fts.matches(needle, Join::All, CANDIDATES)?.unwrap_or_default();
        if !all.is_empty() || needle.is_empty() {
            return Ok(all);
        }
        let places = self.texts.iter().enumerate().filter(|(_, text)| text.contains(needle));
        Ok(places.map(|(at, _)| at).take(CANDIDATES).collect())
    }

    /// Gives the points of each of the nearest entries.
    fn near(&self, text: &str) -> Result<Vec<(usize, f64)>, FinderError> {
        let Some((embedder, vectors)) = &self.vectors else { return Ok(Vec::new()) };
        let asked = embedder.embed(&[text]).map_err(|error| FinderError(error.to_string()))?;
        let Some(asked) = asked.first() else { return Ok(Vec::new()) };
        let cosine = |vector: &Vec<f32>| vector.iter().zip(asked).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        let mut near: Vec<(usize, f64)> = vectors.iter().map(cosine).enumerate().collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(CANDIDATES);
        Ok(near.into_iter().map(|(at, cosine)| (at, VECTOR_POINTS * cosine.clamp(0.0, 1.0))).collect())
    }
}

fn search_text(entry: &Entry) -> String {
    format!("{} {} {} {}", entry.name, entry.source, entry.description, entry.input).to_lowercase()
}

fn keyword_score(tokens: &[&str], text: &str) -> f64 {
    tokens.iter().filter(|token| text.contains(**token)).count() as f64
}

impl Finder for LazyTool {
    fn find(&self, text: &str, limit: usize) -> Result<Found, FinderError> {
        let needle = text.trim().to_lowercase();
        let tokens: Vec<&str> =
            needle.split_whitespace().filter(|token| token.len() >= SHORTEST_TOKEN).collect();
        let mut points: Vec<(usize, f64)> = self.near(text)?;
        for at in self.candidates(&needle)? {
            if points.iter().all(|(known, _)| *known != at) {
                points.push((at, 0.0));
            }
        }
        for (at, sum) in &mut points {
            *sum += keyword_score(&tokens, &self.texts[*at]);
        }
        points.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        points.truncate(limit);
        Ok(Found::plain(points.into_iter().map(|(at, _)| at).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Letters, entries};
    use super::*;

    fn found(finder: &LazyTool, text: &str) -> Vec<usize> {
        finder.find(text, 10).expect("it works").entries
    }

    #[test]
    fn every_word_must_be_there_or_the_request_as_it_stands() {
        let lazy = LazyTool::build(&entries(), None).expect("SQLite is there");
        assert_eq!(found(&lazy, "weather city"), [1]);
        assert_eq!(found(&lazy, "what is the weather in this city"), [0; 0]);
        // No word of the text, but a part of it.
        assert_eq!(found(&lazy, "eathe"), [1]);
        assert_eq!(found(&lazy, ""), [0; 0]);
    }

    #[test]
    fn vectors_bring_candidates_and_small_words_outweigh_them() {
        let letters: Arc<dyn Embedder> = Arc::new(Letters);
        let entries = entries();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.description.as_str()).collect();
        let vectors = letters.embed(&texts).expect("it works");
        let lazy = LazyTool::build(&entries, Some((letters, vectors))).expect("SQLite is there");
        assert_eq!(found(&lazy, "what is the weather in this city").len(), 3);
        // All words of one text, most of them empty, against the likeness of another.
        let padded = "a file as is on the disk and of it to be, zzz".to_owned();
        assert_eq!(found(&lazy, &padded)[0], 0);
    }
}
