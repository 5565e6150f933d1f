//! The lexical leg: how well the words of a request fit the words of an entry (BM25F). Building stands in `build.rs`, scoring in `score.rs`.

mod build;
mod fields;
mod score;

pub(crate) use build::Reader;
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
    postings: ByTerm<Posting>,
    neighbours: ByTerm<Neighbour>,
    /// By entry: how rare the terms of its name are together, each counted once.
    names: Vec<f32>,
    synonyms: Synonyms,
}

/// Lists of all terms, one behind the other.
#[derive(Debug)]
struct ByTerm<T> {
    /// By term: where its list begins; one more than there are terms.
    starts: Vec<u32>,
    all: Vec<T>,
}

impl<T> ByTerm<T> {
    fn of(&self, term: u32) -> &[T] {
        let [start, end] = [term, term + 1].map(|at| self.starts[at as usize] as usize);
        &self.all[start..end]
    }
}

/// That a term stands in an entry. Small, since there are millions of them and a request reads many.
#[derive(Clone, Copy, Debug, Default)]
struct Posting {
    /// The entry, and in the lowest bit whether the term stands in its name.
    place: u32,
    /// Its weight over all fields, saturated, as a share of the most it can be; times the rarity of the term it is
    /// the share of the score.
    all: u16,
    /// The same without the parameters; what a synonym is allowed to match.
    head: u16,
}

impl Posting {
    /// What a weight of 1 is in `all` and `head`, which the greatest one just fits into.
    const ONE: f64 = 65_535.0 / (K1 + 1.0);

    fn entry(self) -> usize {
        (self.place >> 1) as usize
    }

    fn in_name(self) -> bool {
        self.place & 1 == 1
    }
}

/// Another term that stands beside a term in an entry, in either order. A pair is found with the smaller number of
/// its two terms; sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Neighbour {
    other: u32,
    /// The entry, and in the lowest bit whether they are neighbours in its name and not in its description.
    place: u32,
}

impl Lexical {
    fn term(&self, text: &str) -> Option<u32> {
        self.vocabulary.get(text).copied()
    }

    fn len(&self) -> usize {
        self.names.len()
    }
}
