//! Builds the lexical index: reads entries one by one, and sorts what was read by term.

use super::fields::{self, DESCRIPTION, FIELDS, Field, NAME, PARAMETERS};
use super::{ByTerm, K1, Lexical, Neighbour, Posting};
use crate::entry::Entry;
use crate::text::Synonyms;
use std::collections::HashMap;

/// The terms of one field after the other, as numbers.
type Terms<'a> = [&'a [u32]; FIELDS.len()];

/// What was read of entries, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// Terms get numbers in the order in which they are first met; nothing that is found depends on them.
    vocabulary: HashMap<Box<str>, u32>,
    terms: Vec<u32>,
    /// By entry: where the terms of each field end.
    ends: Vec<[u32; FIELDS.len()]>,
}

impl Reader {
    /// Reads one more entry.
    pub(crate) fn read(&mut self, entry: &Entry) {
        let ends = fields::of(entry).map(|terms| {
            for term in terms {
                let next = number(self.vocabulary.len());
                self.terms.push(*self.vocabulary.entry(term.into_boxed_str()).or_insert(next));
            }
            number(self.terms.len())
        });
        self.ends.push(ends);
    }

    /// Indexes what was read; `order` says for each entry when it was read.
    pub(crate) fn index(self, order: &[u32], synonyms: Synonyms) -> Lexical {
        let postings = self.postings(order);
        let rarity = |ends: &[u32]| rarity(order.len(), ends[1] - ends[0]);
        let idf: Vec<f64> = postings.starts.windows(2).map(rarity).collect();
        let names = order.iter().map(|read| name_rarity(self.terms(*read)[NAME], &idf)).collect();
        let neighbours = self.neighbours(order);
        Lexical { vocabulary: self.vocabulary, idf, postings, neighbours, names, synonyms }
    }

    fn terms(&self, read: u32) -> Terms<'_> {
        let at = read as usize;
        let mut start = if at == 0 { 0 } else { self.ends[at - 1][FIELDS.len() - 1] };
        self.ends[at].map(|end| &self.terms[std::mem::replace(&mut start, end) as usize..end as usize])
    }

    fn postings(&self, order: &[u32]) -> ByTerm<Posting> {
        let average = self.average_lengths();
        let mut places = Vec::new();
        sorted_by_term(self.vocabulary.len(), |put| {
            for (entry, read) in (0..).zip(order) {
                postings(entry, &self.terms(*read), &average, &mut places, put);
            }
        })
    }

    /// The mean length of each field over the entries that have it; 1 where none has.
    fn average_lengths(&self) -> [f64; FIELDS.len()] {
        let (mut counts, mut sums) = ([0_u32; FIELDS.len()], [0_usize; FIELDS.len()]);
        for read in 0..number(self.ends.len()) {
            for (field, terms) in self.terms(read).into_iter().enumerate() {
                counts[field] += u32::from(!terms.is_empty());
                sums[field] += terms.len();
            }
        }
        let mean =
            |field| if counts[field] == 0 { 1.0 } else { sums[field] as f64 / f64::from(counts[field]) };
        std::array::from_fn(mean)
    }

    fn neighbours(&self, order: &[u32]) -> ByTerm<Neighbour> {
        let mut found = sorted_by_term(self.vocabulary.len(), |put| {
            for (entry, read) in (0_u32..).zip(order) {
                let terms = self.terms(*read);
                for (field, in_name) in [(NAME, 1), (DESCRIPTION, 0)] {
                    for two in terms[field].windows(2).filter(|two| two[0] != two[1]) {
                        let place = entry << 1 | in_name;
                        put(two[0].min(two[1]), Neighbour { other: two[0].max(two[1]), place });
                    }
                }
            }
        });
        for ends in found.starts.windows(2) {
            found.all[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        found
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("no catalog has four milliard words")
}

/// Sorts what `each` puts by its term, in the order in which it comes. It has to put the same twice: it is counted
/// first, so that nothing is held twice.
fn sorted_by_term<T: Copy + Default>(
    terms: usize,
    mut each: impl FnMut(&mut dyn FnMut(u32, T)),
) -> ByTerm<T> {
    let mut starts = vec![0_u32; terms + 1];
    each(&mut |term, _| starts[term as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut all = vec![T::default(); starts[terms] as usize];
    each(&mut |term, one| {
        all[next[term as usize] as usize] = one;
        next[term as usize] += 1;
    });
    ByTerm { starts, all }
}

/// How rare a term is that stands in `found` of `all` entries. From libm, so that it is the same on every machine.
pub(super) fn rarity(all: usize, found: u32) -> f64 {
    let (all, found) = (all as f64, f64::from(found));
    libm::log(1.0 + (all - found + 0.5) / (found + 0.5))
}

fn postings(
    entry: u32,
    terms: &Terms<'_>,
    average: &[f64; FIELDS.len()],
    places: &mut Vec<(u32, usize)>,
    put: &mut dyn FnMut(u32, Posting),
) {
    // Sorted by term and field, so that the sums below are made in one order everywhere.
    places.clear();
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
        let place = entry << 1 | u32::from(places[0].1 == NAME);
        put(places[0].0, Posting { place, all: saturated(head + rest), head: saturated(head) });
    }
}

fn saturated(weight: f64) -> u16 {
    libm::rint(Posting::ONE * weight * (K1 + 1.0) / (K1 + weight)) as u16
}

fn name_rarity(terms: &[u32], idf: &[f64]) -> f32 {
    let mut terms = terms.to_vec();
    terms.sort_unstable();
    terms.dedup();
    let mut rarities: Vec<f64> = terms.into_iter().map(|term| idf[term as usize]).collect();
    // Numbers of terms depend on who came first; sums must not.
    rarities.sort_unstable_by(f64::total_cmp);
    rarities.into_iter().sum::<f64>() as f32
}
