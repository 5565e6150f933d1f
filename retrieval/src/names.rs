//! Names said in so many words: which entries a request names exactly. What that is worth stands in `rank.rs`.

use crate::entry::Entry;
use crate::text::spaced;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How exactly a request names an entry; the greater the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Naming {
    /// An identifier within the request is the name.
    Within,
    /// The request has the words of the name and no others.
    Words,
    /// The request is the name, letter case aside.
    Folded,
    /// The request is the name, or `source/name`.
    Exact,
}

/// Entries by their names, in three degrees of exactness.
#[derive(Debug, Default)]
pub(crate) struct Names {
    exact: Places,
    folded: Places,
    words: Places,
}

impl Names {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let mut names = Self::default();
        for (place, entry) in (0_u32..).zip(entries) {
            for name in [&entry.name, &entry.path()] {
                names.exact.0.push((hash(name), place));
                names.folded.0.push((hash(&name.to_lowercase()), place));
            }
            names.words.0.push((hash(&spaced(&entry.name)), place));
        }
        for places in [&mut names.exact, &mut names.folded, &mut names.words] {
            places.0.sort_unstable();
            places.0.shrink_to_fit();
        }
        names
    }

    /// The entries of exactly this name or `source/name`.
    pub(crate) fn at(&self, path: &str) -> impl Iterator<Item = usize> + '_ {
        self.exact.of(path)
    }

    /// The entries that `request` names, each with the best degree.
    pub(crate) fn named(&self, request: &str) -> BTreeMap<usize, Naming> {
        let request = unquoted(request.trim());
        let mut found: BTreeMap<usize, Naming> = BTreeMap::new();
        let mut add = |places: &Places, text: &str, naming: Naming| {
            for place in places.of(text) {
                let known = found.entry(place).or_insert(naming);
                *known = naming.max(*known);
            }
        };
        add(&self.exact, request, Naming::Exact);
        add(&self.folded, &request.to_lowercase(), Naming::Folded);
        let words = spaced(request);
        if !words.is_empty() {
            add(&self.words, &words, Naming::Words);
        }
        for word in request.split_whitespace().map(|word| word.trim_matches(is_around)) {
            if is_identifier(word) {
                add(&self.folded, &word.to_lowercase(), Naming::Within);
            }
        }
        found
    }
}

/// The places of entries by a text, sorted. Hashes stand for texts, which would take most of the memory of an index;
/// that two texts out of millions share one of 64 bits is less likely than a fault of the memory.
#[derive(Debug, Default)]
struct Places(Vec<(u64, u32)>);

impl Places {
    fn of(&self, text: &str) -> impl Iterator<Item = usize> + '_ {
        let wanted = hash(text);
        let start = self.0.partition_point(|(known, _)| *known < wanted);
        let found = self.0[start..].iter().take_while(move |(known, _)| *known == wanted);
        found.map(|(_, place)| *place as usize)
    }
}

/// The hash of a text, the same within one process.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Tells whether a word can only be a name: joined by a sign, or with a capital in its middle.
fn is_identifier(word: &str) -> bool {
    let joined = word.contains(['_', '-', '.', '/', ':']);
    let humped = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    joined || humped
}

fn is_around(sign: char) -> bool {
    matches!(sign, '`' | '"' | '\'' | '(' | ')' | ',' | ';' | '.' | '!' | '?' | ':' | '“' | '”' | '‘' | '’')
}

fn unquoted(request: &str) -> &str {
    let quotes = |sign: char| matches!(sign, '`' | '"' | '\'');
    request.trim_matches(quotes)
}
