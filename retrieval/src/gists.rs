//! Which entries say nearly the same. What becomes of them stands in `rank.rs`.

use crate::entry::Entry;
use crate::index::SENTENCE;
use crate::names::hash;
use crate::text::{first_sentence, spaced, terms, with_gloss};
use std::collections::HashMap;

/// First sentences that share this much of their terms say much the same; within a source less is enough.
const SAME: f64 = 0.5;
const SAME_AT_HOME: f64 = 0.2;

/// What near-duplicates share, by entry: the words of the name as a hash, and the terms of the first sentence as
/// numbers, sorted.
#[derive(Debug, Default)]
pub(crate) struct Gists {
    names: Vec<u64>,
    terms: Vec<u32>,
    /// Where the terms of an entry end.
    ends: Vec<usize>,
}

impl Gists {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let mut gists = Self::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for entry in entries {
            let sentence = terms(&with_gloss(&first_sentence(&entry.description, SENTENCE)));
            let number = |text: String| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(text).or_insert(next)
            };
            let mut terms: Vec<u32> = sentence.into_iter().map(number).collect();
            terms.sort_unstable();
            terms.dedup();
            gists.names.push(hash(&spaced(plain(&entry.name))));
            gists.terms.extend(terms);
            gists.ends.push(gists.terms.len());
        }
        gists.terms.shrink_to_fit();
        gists
    }

    /// Tells whether two of `entries` are near-duplicates: their names have the same words, and their first sentences
    /// share many, fewer within one source. Without sentences the names themselves have to be the same.
    pub(crate) fn are_alike(&self, entries: &[Entry], one: usize, other: usize) -> bool {
        let [first, second] = [&entries[one], &entries[other]];
        if self.names[one] != self.names[other] || first.kind != second.kind {
            return false;
        }
        let [a, b] = [self.terms(one), self.terms(other)];
        if a.is_empty() && b.is_empty() {
            return plain(&first.name) == plain(&second.name);
        }
        let enough = if first.source == second.source { SAME_AT_HOME } else { SAME };
        overlap(a, b) >= enough
    }

    fn terms(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.terms[start..self.ends[at]]
    }
}

/// A name without the number that an import gave it, because another entry has the same name.
fn plain(name: &str) -> &str {
    let numbered = name.rsplit_once('#').filter(|(name, number)| {
        !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbered.map_or(name, |(name, _)| name)
}

/// The share of terms that two sorted lists have in common; 1 for two empty ones.
fn overlap(a: &[u32], b: &[u32]) -> f64 {
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}
