//! Texts to terms: what both sides of the lexical leg are compared by. Which terms count how much stands in `lexical`.

mod gloss;
mod stop;
mod synonyms;
mod words;

pub(crate) use gloss::{in_english, with_gloss};
pub(crate) use synonyms::Synonyms;
pub use synonyms::{SynonymsError, check_synonyms};
pub use words::words;

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Splits a text into terms: words in small letters, without stop words, stemmed; in the order of the text.
///
/// Names fall apart where their writers joined words: `getURLInfo` gives `get`, `url`, `info`. Chinese, Japanese and
/// Korean have no spaces to go by; each pair of neighbouring characters is a term.
pub fn terms(text: &str) -> Vec<String> {
    words(text).into_iter().filter(|word| !stop::is_stop(word)).map(stem).collect()
}

/// A word of a request, and the term that it is looked up by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) word: String,
    pub(crate) term: String,
}

/// The terms of a request: as [`terms`], without what merely wraps a request in politeness, unless nothing else is left.
pub(crate) fn request_terms(text: &str) -> Vec<Asked> {
    let words = words(&with_gloss(text)).into_iter().filter(|word| !stop::is_stop(word));
    let all: Vec<Asked> = words.map(|word| Asked { term: stem(word.clone()), word }).collect();
    let plain: Vec<Asked> =
        all.iter().filter(|asked| !stop::is_filler(&asked.word, &asked.term)).cloned().collect();
    if plain.is_empty() { all } else { plain }
}

/// Cuts the ending off an English word (Porter's second algorithm, "Snowball"); others stay as they are.
pub(crate) fn stem(word: String) -> String {
    static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    // A catalog says the same few thousand words over and over, and stemming is most of the work of building an index.
    static KNOWN: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);
    const MOST_KNOWN: usize = 50_000;
    if !word.is_ascii() {
        return word;
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stem) = known.get(&word) {
        return stem.clone();
    }
    let stem = ENGLISH.stem(&word).into_owned();
    if known.len() < MOST_KNOWN {
        known.insert(word, stem.clone());
    }
    stem
}

/// The words of a name or text as they were written, joined by spaces: `getURLInfo` gives `get URL Info`.
pub(crate) fn parted(text: &str) -> String {
    words::parts(text).join(" ")
}

/// The words of a name or text in small letters, joined by spaces: `getURLInfo` gives `get url info`.
pub fn spaced(text: &str) -> String {
    words(text).join(" ")
}

/// The first sentence of a description in one line, at most `most` characters.
///
/// A "sentence" shorter than 15 characters (a heading, a version) is taken together with the next.
pub fn first_sentence(description: &str, most: usize) -> String {
    const SHORT: usize = 15;
    let text = description.trim();
    let end = ends(text).find(|&end| text[..end].chars().count() >= SHORT).unwrap_or(text.len());
    let line = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}

/// The places behind the ends of sentences: a full stop before a blank, its wide sisters, and a blank line.
fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices().filter_map(move |(at, sign)| {
        let after = at + sign.len_utf8();
        let rest = &text[after..];
        match sign {
            '.' | '!' | '?' if rest.starts_with(char::is_whitespace) => Some(after),
            '。' | '！' | '？' => Some(after),
            '\n' if rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') => Some(after),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_apart_and_endings_go() {
        assert_eq!(terms("getURLInfo"), ["get", "url", "info"]);
        assert_eq!(terms("list_pull-requests2"), ["list", "pull", "request", "2"]);
        assert_eq!(terms("What are the cities' temperatures?"), ["citi", "temperatur"]);
        let asked = |text| request_terms(text).into_iter().map(|asked| asked.term).collect::<Vec<_>>();
        assert_eq!(asked("I want the cities' temperatures, please"), ["citi", "temperatur"]);
        assert_eq!(asked("Is it going to rain?"), ["rain"]);
        assert_eq!(asked("please help me"), ["pleas", "help"]);
    }

    #[test]
    fn characters_without_spaces_are_taken_in_pairs() {
        assert_eq!(terms("使用必应"), ["使用", "用必", "必应"]);
        assert_eq!(terms("天"), ["天"]);
    }

    #[test]
    fn a_first_sentence_is_one_line_and_no_mere_heading() {
        assert_eq!(
            first_sentence("Search.\nFinds pages on the web. Returns links.", 240),
            "Search. Finds pages on the web."
        );
        assert_eq!(
            first_sentence("Reads a.b files of version 1.2 at once", 240),
            "Reads a.b files of version 1.2 at once"
        );
        assert_eq!(first_sentence("Returns the whole list\n\nArgs: none", 240), "Returns the whole list");
        assert_eq!(
            first_sentence("使用必应搜索指定的关键词，并返回搜索结果列表。好", 240),
            "使用必应搜索指定的关键词，并返回搜索结果列表。"
        );
        assert_eq!(first_sentence("", 240), "");
        assert_eq!(first_sentence("abcdef", 3), "abc");
    }
}
