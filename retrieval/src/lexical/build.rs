//! Builds the lexical index.

use super::fields::{self, DESCRIPTION, FIELDS, Field, NAME, PARAMETERS};
use super::{K1, Lexical, Neighbours, Posting, pair};
use crate::entry::Entry;
use crate::text::Synonyms;
use std::collections::{BTreeSet, HashMap};

type Terms = [Vec<u32>; FIELDS.len()];

impl Lexical {
    /// Indexes `entries` in their order.
    pub(crate) fn build<'a>(entries: impl Iterator<Item = &'a Entry>, synonyms: Synonyms) -> Self {
        let mut vocabulary = HashMap::new();
        let read: Vec<Terms> = entries.map(|entry| numbered(entry, &mut vocabulary)).collect();
        let average = average_lengths(&read);
        let mut found: Vec<(u32, Posting)> = Vec::new();
        for (entry, terms) in (0..).zip(&read) {
            postings(entry, terms, &average, &mut found);
        }
        found.sort_unstable_by_key(|(term, posting)| (*term, posting.entry));
        let mut starts = vec![0; vocabulary.len() + 1];
        found.iter().for_each(|(term, _)| starts[*term as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let count = read.len();
        let idf: Vec<f64> = starts.windows(2).map(|ends| rarity(count, ends[1] - ends[0])).collect();
        let names = read.iter().map(|terms| name_rarity(&terms[NAME], &idf)).collect();
        Self {
            vocabulary,
            idf,
            starts,
            postings: found.into_iter().map(|(_, posting)| posting).collect(),
            neighbours: neighbours(&read),
            names,
            synonyms,
        }
    }
}

/// How rare a term is that stands in `found` of `all` entries. From libm, so that it is the same on every machine.
pub(super) fn rarity(all: usize, found: u32) -> f64 {
    let (all, found) = (all as f64, f64::from(found));
    libm::log(1.0 + (all - found + 0.5) / (found + 0.5))
}

/// Terms get numbers in the order in which they are first met, which is the order of entries.
fn numbered(entry: &Entry, vocabulary: &mut HashMap<Box<str>, u32>) -> Terms {
    fields::of(entry).map(|terms| {
        let number = |term: String| {
            let next = u32::try_from(vocabulary.len()).expect("no catalog has four milliard words");
            *vocabulary.entry(term.into_boxed_str()).or_insert(next)
        };
        terms.into_iter().map(number).collect()
    })
}

/// The mean length of each field over the entries that have it; 1 where none has.
fn average_lengths(read: &[Terms]) -> [f64; FIELDS.len()] {
    std::array::from_fn(|field| {
        let lengths = read.iter().map(|terms| terms[field].len()).filter(|length| *length > 0);
        let (count, sum) = lengths.fold((0_u32, 0_usize), |(count, sum), length| (count + 1, sum + length));
        if count == 0 { 1.0 } else { sum as f64 / f64::from(count) }
    })
}

fn postings(entry: u32, terms: &Terms, average: &[f64; FIELDS.len()], found: &mut Vec<(u32, Posting)>) {
    // Sorted by term and field, so that the sums below are made in one order everywhere.
    let mut places: Vec<(u32, usize)> = Vec::new();
    for (field, terms) in terms.iter().enumerate() {
        places.extend(terms.iter().map(|term| (*term, field)));
    }
    places.sort_unstable();
    for places in places.chunk_by(|a, b| a.0 == b.0) {
        let (mut head, mut rest) = (0.0, 0.0);
        for (_, field) in places {
            let Field { weight, length } = &FIELDS[*field];
            let long = terms[*field].len() as f64 / average[*field];
            let share = weight / (1.0 - length + length * long);
            if *field < PARAMETERS { head += share } else { rest += share }
        }
        let in_name = places[0].1 == NAME;
        let posting =
            Posting { entry, all: saturated(head + rest) as f32, head: saturated(head) as f32, in_name };
        found.push((places[0].0, posting));
    }
}

fn saturated(weight: f64) -> f64 {
    weight * (K1 + 1.0) / (K1 + weight)
}

fn name_rarity(terms: &[u32], idf: &[f64]) -> f64 {
    let terms: BTreeSet<u32> = terms.iter().copied().collect();
    terms.into_iter().map(|term| idf[term as usize]).sum()
}

fn neighbours(read: &[Terms]) -> Neighbours {
    let mut found: Vec<(u64, u32)> = Vec::new();
    for (entry, terms) in (0_u32..).zip(read) {
        for (field, in_name) in [(NAME, 1), (DESCRIPTION, 0)] {
            let pairs = terms[field].windows(2).filter(|two| two[0] != two[1]);
            found.extend(pairs.map(|two| (pair(two[0], two[1]), entry << 1 | in_name)));
        }
    }
    found.sort_unstable();
    found.dedup();
    let (pairs, places) = found.into_iter().unzip();
    Neighbours { pairs, places }
}
