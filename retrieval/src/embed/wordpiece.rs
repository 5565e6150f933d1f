//! Texts to the tokens of BERT's uncased vocabulary. What a token means stands in the models.

use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// The vocabulary, a token a line; its number is its line, counted from zero.
const VOCABULARY: &str = include_str!("../../data/vocab.txt");

/// The token of words that the vocabulary cannot spell.
pub(crate) const UNKNOWN: u32 = 100;
/// The token before a text.
pub(crate) const START: u32 = 101;
/// The token behind a text.
pub(crate) const END: u32 = 102;

/// A word of more characters is unknown without a look.
const LONGEST_WORD: usize = 100;

static SHARED: LazyLock<WordPiece> = LazyLock::new(WordPiece::new);

/// Splits texts into tokens: into words and marks, and those into the longest pieces that the vocabulary has.
///
/// The names of special tokens mean nothing in a text: `[SEP]` is three tokens.
pub(crate) struct WordPiece {
    heads: HashMap<&'static str, u32>,
    tails: HashMap<&'static str, u32>,
}

impl WordPiece {
    /// Gives the one that all share; the first call builds it.
    pub(crate) fn shared() -> &'static Self {
        &SHARED
    }

    fn new() -> Self {
        let mut heads = HashMap::with_capacity(25_000);
        let mut tails = HashMap::with_capacity(6_000);
        for (id, line) in (0..).zip(VOCABULARY.lines()) {
            // `##` alone is the mark in front of nothing, but `#` is a token like others.
            match line.strip_prefix("##").filter(|tail| !tail.is_empty()) {
                Some(tail) => tails.insert(tail, id),
                None => heads.insert(line, id),
            };
        }
        Self { heads, tails }
    }

    /// Gives the tokens of a text, without those before and behind it.
    pub(crate) fn ids(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut word = String::new();
        for c in normalised(text) {
            if c.is_whitespace() {
                self.spell(&mut word, &mut ids);
            } else if is_punctuation(c) {
                self.spell(&mut word, &mut ids);
                word.push(c);
                self.spell(&mut word, &mut ids);
            } else {
                word.push(c);
            }
        }
        self.spell(&mut word, &mut ids);
        ids
    }

    /// Adds the tokens of `word`, and empties it.
    fn spell(&self, word: &mut String, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = if word.chars().count() > LONGEST_WORD { "\0" } else { word.as_str() };
        while !rest.is_empty() {
            let pieces = if ids.len() == before { &self.heads } else { &self.tails };
            let Some((id, length)) = longest(pieces, rest) else {
                ids.truncate(before);
                ids.push(UNKNOWN);
                break;
            };
            ids.push(id);
            rest = &rest[length..];
        }
        word.clear();
    }
}

fn longest(pieces: &HashMap<&'static str, u32>, rest: &str) -> Option<(u32, usize)> {
    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    ends.into_iter().find_map(|end| Some((*pieces.get(&rest[..end])?, end)))
}

/// Without controls and accents, in lower case, and with spaces around Chinese characters.
fn normalised(text: &str) -> impl Iterator<Item = char> {
    let spaced = text.chars().filter_map(printable).flat_map(|c| {
        let space = is_chinese(c).then_some(' ');
        space.into_iter().chain([c]).chain(space)
    });
    let bare = spaced.nfd().filter(|&c| get_general_category(c) != GeneralCategory::NonspacingMark);
    bare.flat_map(char::to_lowercase)
}

fn printable(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{fffd}' => None,
        _ => match get_general_category(c) {
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse => None,
            _ => Some(c),
        },
    }
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b820}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation, InitialPunctuation,
        OpenPunctuation, OtherPunctuation,
    };
    c.is_ascii_punctuation()
        || matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Golden {
        text: String,
        ids: Vec<u32>,
    }

    #[test]
    fn texts_become_the_tokens_of_the_reference_tokenizer() {
        let goldens: Vec<Golden> =
            serde_json::from_str(include_str!("../../tests/data/wordpiece.json")).expect("goldens are JSON");
        assert!(goldens.len() >= 40);
        let wrong = |golden: &&Golden| WordPiece::shared().ids(&golden.text) != golden.ids;
        let told = |golden: &Golden| {
            let seen = WordPiece::shared().ids(&golden.text);
            format!("{:?}: expected {:?}, seen {seen:?}", golden.text, golden.ids)
        };
        let wrong: Vec<_> = goldens.iter().filter(wrong).map(told).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_vocabulary_is_whole() {
        assert_eq!(WordPiece::shared().heads.len() + WordPiece::shared().tails.len(), 30_522);
        let id = |word| WordPiece::shared().heads.get(word).copied();
        assert_eq!([id("[UNK]"), id("[CLS]"), id("[SEP]")], [Some(UNKNOWN), Some(START), Some(END)]);
    }

    #[test]
    fn names_of_special_tokens_are_plain_text() {
        let ids = WordPiece::shared().ids("[SEP]");
        assert!(!ids.contains(&END) && ids.len() >= 3, "{ids:?}");
    }

    #[test]
    fn a_long_text_without_spaces_is_one_unknown_word() {
        assert_eq!(WordPiece::shared().ids(&"ab".repeat(500_000)), [UNKNOWN]);
    }
}
