//! The lexical leg: how well the words of a request fit the words of an entry (BM25F). Building stands in `build.rs`, scoring in `score.rs`.

mod build;
mod fields;
mod score;

pub(crate) use score::Asked;

use crate::text::Synonyms;
use std::collections::HashMap;

/// How quickly a term that is said again stops counting; the usual value.
const K1: f64 = 1.2;

/// An inverted index over the words of all entries, in their order.
#[derive(Debug)]
pub(crate) struct Lexical {
    vocabulary: HashMap<Box<str>, u32>,
    /// By term: how rare it is.
    idf: Vec<f64>,
    /// By term: where its postings begin; one more than there are terms.
    starts: Vec<u32>,
    postings: Vec<Posting>,
    neighbours: Neighbours,
    /// By entry: how rare the terms of its name are together, each counted once.
    names: Vec<f64>,
    synonyms: Synonyms,
}

/// That a term stands in an entry.
#[derive(Clone, Copy, Debug)]
struct Posting {
    entry: u32,
    /// Its weight over all fields, saturated; times the rarity of the term it is the share of the score.
    all: f32,
    /// The same without the parameters; what a synonym is allowed to match.
    head: f32,
    in_name: bool,
}

/// Which terms stand side by side, in either order, in the name or the description of which entry; sorted by pair.
#[derive(Debug, Default)]
struct Neighbours {
    pairs: Vec<u64>,
    /// The entry, and in the lowest bit whether they are neighbours in its name.
    places: Vec<u32>,
}

impl Lexical {
    fn term(&self, text: &str) -> Option<u32> {
        self.vocabulary.get(text).copied()
    }

    fn postings(&self, term: u32) -> &[Posting] {
        let [start, end] = [term, term + 1].map(|at| self.starts[at as usize] as usize);
        &self.postings[start..end]
    }

    fn len(&self) -> usize {
        self.names.len()
    }
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}
