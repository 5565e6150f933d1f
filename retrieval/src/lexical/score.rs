//! Scores every entry against the words of a request, and says which words did it.

use super::{Lexical, Neighbour, Posting};
use crate::text::{Asked as Word, request_terms, stem};

/// What a synonym counts, as a share of the word itself.
const SYNONYM: f64 = 0.3;
/// What two words side by side count more, as a share of their mean rarity; twice that in a name.
const NEIGHBOURS: f64 = 0.3;
/// How much more an entry counts whose whole name is in the request.
const NAME_COVERED: f32 = 0.2;
/// A request is read this far; a model that pastes a whole file asks with its beginning.
const MOST_TERMS: usize = 256;

/// The words of a request, as far as the index knows them.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The terms in their order, each once, with the words that were said; then those of two words in one.
    terms: Vec<Word>,
    /// What is looked up: the terms themselves and their synonyms, each with its weight.
    looked_up: Vec<LookedUp>,
    /// The terms side by side, the smaller number first, with what that counts.
    side_by_side: Vec<((u32, u32), f64)>,
}

#[derive(Debug)]
struct LookedUp {
    term: u32,
    weight: f64,
    /// The place in `terms` of the word that is meant.
    means: usize,
    synonym: Option<String>,
}

/// A word of the request that an entry has.
#[derive(Debug, PartialEq)]
pub(crate) struct Match {
    /// The word, as it was said.
    pub(crate) word: String,
    /// The other word that stands in the entry, where it is not the same.
    pub(crate) synonym: Option<String>,
    /// Tells whether it stands in the name.
    pub(crate) in_name: bool,
    /// Its part of the score.
    pub(crate) score: f64,
}

impl Lexical {
    /// Reads a request. It has no syntax: whatever is no word is passed over.
    pub(crate) fn ask(&self, request: &str) -> Asked {
        let mut sequence = request_terms(request);
        sequence.truncate(MOST_TERMS);
        let mut terms: Vec<Word> = Vec::new();
        for asked in &sequence {
            if !terms.iter().any(|known| known.term == asked.term) {
                terms.push(asked.clone());
            }
        }
        for joined in sequence.windows(2).filter_map(|two| self.joined(&two[0], &two[1])) {
            if !terms.iter().any(|known| known.term == joined.term) {
                terms.push(joined);
            }
        }
        Asked { looked_up: self.look_up(&terms), side_by_side: self.side_by_side(&sequence), terms }
    }

    /// Two words that the catalog writes as one: `mind map` finds `mindmap`.
    fn joined(&self, one: &Word, other: &Word) -> Option<Word> {
        // Short ones are another word too often.
        const SHORTEST: usize = 6;
        let whole = format!("{}{}", one.word, other.word);
        let are_words = [one, other].iter().all(|part| part.word.chars().count() >= 2);
        if !are_words || whole.chars().count() < SHORTEST {
            return None;
        }
        let term = stem(whole);
        self.term(&term).map(|_| Word { word: format!("{} {}", one.word, other.word), term })
    }

    fn look_up(&self, terms: &[Word]) -> Vec<LookedUp> {
        let mut found: Vec<LookedUp> = Vec::new();
        for (means, asked) in terms.iter().enumerate() {
            let own = self.term(&asked.term).map(|term| (term, self.idf[term as usize]));
            if let Some((term, weight)) = own {
                found.push(LookedUp { term, weight, means, synonym: None });
            }
        }
        let words = found.len();
        for (means, asked) in terms.iter().enumerate() {
            let limit = self.term(&asked.term).map_or(f64::INFINITY, |term| self.idf[term as usize]);
            for synonym in self.synonyms.of(&asked.term) {
                let is_asked = terms.iter().any(|other| other.term == synonym.term);
                let Some(term) = self.term(&synonym.term).filter(|_| !is_asked) else { continue };
                let weight = SYNONYM * synonym.strength * limit.min(self.idf[term as usize]);
                let synonym = Some(synonym.word.clone());
                // Two words may mean the same third one; it counts once, by whoever gives it more.
                match found[words..].iter_mut().find(|other| other.term == term) {
                    Some(other) if other.weight >= weight => {}
                    Some(other) => *other = LookedUp { term, weight, means, synonym },
                    None => found.push(LookedUp { term, weight, means, synonym }),
                }
            }
        }
        found
    }

    fn side_by_side(&self, sequence: &[Word]) -> Vec<((u32, u32), f64)> {
        let mut pairs: Vec<((u32, u32), f64)> = Vec::new();
        for two in sequence.windows(2).filter(|two| two[0].term != two[1].term) {
            if let (Some(a), Some(b)) = (self.term(&two[0].term), self.term(&two[1].term)) {
                let weight = NEIGHBOURS * (self.idf[a as usize] + self.idf[b as usize]) / 2.0;
                let pair = (a.min(b), a.max(b));
                if !pairs.iter().any(|(known, _)| *known == pair) {
                    pairs.push((pair, weight));
                }
            }
        }
        pairs
    }

    /// The score of each entry; 0 where no word fits.
    pub(crate) fn scores(&self, asked: &Asked) -> Vec<f32> {
        let mut all = vec![0.0; self.len()];
        let mut named = vec![0.0; self.len()];
        for looked_up in &asked.looked_up {
            let postings = self.postings.of(looked_up.term);
            let unit = (looked_up.weight / Posting::ONE) as f32;
            if looked_up.synonym.is_some() {
                postings.iter().for_each(|posting| all[posting.entry()] += unit * f32::from(posting.head));
                continue;
            }
            for posting in postings {
                all[posting.entry()] += unit * f32::from(posting.all);
                if posting.in_name() {
                    named[posting.entry()] += looked_up.weight as f32;
                }
            }
        }
        for (pair, weight) in &asked.side_by_side {
            for (entry, times) in self.side_by_side_in(*pair) {
                all[entry] += *weight as f32 * times;
            }
        }
        for (entry, named) in named.iter().enumerate().filter(|(_, named)| **named > 0.0) {
            all[entry] *= 1.0 + NAME_COVERED * named / self.names[entry];
        }
        all
    }

    /// The entries in which two terms are neighbours, and how often that counts.
    fn side_by_side_in(&self, (one, other): (u32, u32)) -> impl Iterator<Item = (usize, f32)> + '_ {
        let all = self.neighbours.of(one);
        let start = all.partition_point(|known| known.other < other);
        let end = start + all[start..].partition_point(|known| known.other == other);
        // Sorted, so that the place in the description stands before the one in the name; only the latter counts then.
        let places = &all[start..end];
        places.iter().enumerate().filter_map(move |(at, Neighbour { place, .. })| {
            let twice = places.get(at + 1).is_some_and(|next| next.place >> 1 == place >> 1);
            (!twice).then(|| ((place >> 1) as usize, if place & 1 == 1 { 2.0 } else { 1.0 }))
        })
    }

    /// Says which words of the request `entry` has, what counts most first.
    pub(crate) fn matches(&self, asked: &Asked, entry: usize) -> Vec<Match> {
        let one = |looked_up: &LookedUp| {
            let postings = self.postings.of(looked_up.term);
            let at = postings.binary_search_by_key(&entry, |posting| posting.entry()).ok()?;
            let score = looked_up.weight * looked_up.share(&postings[at]);
            (score > 0.0).then(|| Match {
                word: asked.terms[looked_up.means].word.clone(),
                synonym: looked_up.synonym.clone(),
                in_name: postings[at].in_name(),
                score,
            })
        };
        let mut matches: Vec<Match> = asked.looked_up.iter().filter_map(one).collect();
        matches.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.word.cmp(&b.word)));
        matches
    }

    /// What a word counts that no other entry has and that stands everywhere it can: the unit in which scores of
    /// catalogs of any size compare. The factor keeps it where the confidences were calibrated, in large catalogs.
    pub(crate) fn full_match(&self) -> f64 {
        const CALIBRATED: f64 = 1.16;
        CALIBRATED * (super::K1 + 1.0) * super::build::rarity(self.len(), 1)
    }
}

impl LookedUp {
    fn share(&self, posting: &Posting) -> f64 {
        f64::from(if self.synonym.is_none() { posting.all } else { posting.head }) / Posting::ONE
    }
}
