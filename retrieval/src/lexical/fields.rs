//! What an entry says, by field. The weights stand here, beside what they weigh.

use crate::entry::{Entry, Parameter};
use crate::text::{first_sentence, terms, with_gloss};

/// A field: how much a word in it counts, and how much a long one is held against it (BM25F's b).
pub(super) struct Field {
    pub(super) weight: f64,
    pub(super) length: f64,
}

pub(super) const NAME: usize = 0;
pub(super) const DESCRIPTION: usize = 3;
/// The fields before this one are what a synonym may match.
pub(super) const PARAMETERS: usize = 4;

/// In the order of [`of`].
pub(super) const FIELDS: [Field; 6] = [
    Field { weight: 2.0, length: 0.5 },  // name and title
    Field { weight: 1.5, length: 0.3 },  // source
    Field { weight: 0.7, length: 0.5 },  // the first sentence of what the source says of itself
    Field { weight: 1.0, length: 0.5 },  // description
    Field { weight: 0.8, length: 0.5 },  // names of parameters
    Field { weight: 0.35, length: 0.5 }, // texts of parameters
];

/// How much of a description is read; what follows is examples and tables, and 10,000 tools must fit into memory.
const MOST_CHARS: usize = 4_000;

/// The terms of each field of `entry`.
pub(super) fn of(entry: &Entry) -> [Vec<String>; 6] {
    let parameters = entry.parameters();
    let joined = |pick: fn(&Parameter) -> &str| parameters.iter().map(pick).collect::<Vec<_>>().join(" ");
    let name = match &entry.title {
        Some(title) if !same_words(title, &entry.name) => format!("{} {title}", entry.name),
        _ => entry.name.clone(),
    };
    [
        terms(&name),
        terms(&entry.source),
        terms(&with_gloss(&first_sentence(&entry.source_description, 240))),
        terms(&with_gloss(head(&entry.description))),
        terms(&joined(|parameter| &parameter.name)),
        terms(&with_gloss(head(&joined(|parameter| &parameter.text)))),
    ]
}

fn same_words(a: &str, b: &str) -> bool {
    crate::text::words(a) == crate::text::words(b)
}

fn head(text: &str) -> &str {
    text.char_indices().nth(MOST_CHARS).map_or(text, |(end, _)| &text[..end])
}
