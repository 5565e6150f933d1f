//! Names said in so many words: which entries a request names exactly. What that is worth stands in `rank.rs`.

use crate::entry::Entry;
use crate::text::spaced;
use std::collections::{BTreeMap, HashMap};

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
    exact: HashMap<String, Vec<u32>>,
    folded: HashMap<String, Vec<u32>>,
    words: HashMap<String, Vec<u32>>,
}

impl Names {
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let mut names = Self::default();
        for (place, entry) in (0_u32..).zip(entries) {
            for name in [entry.name.clone(), entry.path()] {
                names.folded.entry(name.to_lowercase()).or_default().push(place);
                names.exact.entry(name).or_default().push(place);
            }
            names.words.entry(spaced(&entry.name)).or_default().push(place);
        }
        names
    }

    /// The entries of exactly this name or `source/name`.
    pub(crate) fn at(&self, path: &str) -> impl Iterator<Item = usize> + '_ {
        self.exact.get(path).into_iter().flatten().map(|place| *place as usize)
    }

    /// The entries that `request` names, each with the best degree.
    pub(crate) fn named(&self, request: &str) -> BTreeMap<usize, Naming> {
        let request = unquoted(request.trim());
        let mut found: BTreeMap<usize, Naming> = BTreeMap::new();
        let mut add = |places: Option<&Vec<u32>>, naming: Naming| {
            for place in places.into_iter().flatten() {
                let known = found.entry(*place as usize).or_insert(naming);
                *known = naming.max(*known);
            }
        };
        add(self.exact.get(request), Naming::Exact);
        add(self.folded.get(&request.to_lowercase()), Naming::Folded);
        let words = spaced(request);
        if !words.is_empty() {
            add(self.words.get(&words), Naming::Words);
        }
        for word in request.split_whitespace().map(|word| word.trim_matches(is_around)) {
            if is_identifier(word) {
                add(self.folded.get(&word.to_lowercase()), Naming::Within);
            }
        }
        found
    }
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
