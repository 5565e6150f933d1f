//! English for the Chinese words of a text, so that a request in one language finds a tool described in the other. The words stand in `chinese.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The words everyone has.
const WORDS: &str = include_str!("chinese.txt");

struct Dictionary {
    english: HashMap<Vec<char>, &'static str>,
    longest: usize,
}

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let pairs = WORDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let english: HashMap<Vec<char>, &str> =
        pairs.map(|(chinese, english)| (chinese.chars().collect(), english.trim())).collect();
    let longest = english.keys().map(Vec::len).max().unwrap_or(0);
    Dictionary { english, longest }
});

fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{3400}'..='\u{9fff}')
}

/// Tells whether `text` has Chinese characters.
pub(crate) fn is_chinese(text: &str) -> bool {
    // Most texts are ASCII, and the bytes of one that is hold no character of many bytes.
    !text.is_ascii() && text.contains(is_ideograph)
}

/// The English of the Chinese words that are known, in their order, each once; the longest word at each place.
pub(crate) fn gloss(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut found: Vec<&str> = Vec::new();
    for run in signs.split(|sign| !is_ideograph(*sign)) {
        let mut at = 0;
        while at < run.len() {
            let longest = DICTIONARY.longest.min(run.len() - at);
            let word = (2..=longest).rev().find_map(|length| {
                DICTIONARY.english.get(&run[at..at + length]).map(|english| (length, *english))
            });
            let (length, english) = word.unwrap_or((1, ""));
            if !english.is_empty() && !found.contains(&english) {
                found.push(english);
            }
            at += length;
        }
    }
    found.join(" ")
}

/// `text` with its gloss behind it, when it is Chinese.
pub(crate) fn with_gloss(text: &str) -> String {
    if is_chinese(text) { format!("{text} {}", gloss(text)) } else { text.to_owned() }
}

/// What a model that reads no Chinese is given instead of a Chinese text: what is Latin in it, and the gloss.
pub(crate) fn in_english(text: &str) -> String {
    if !is_chinese(text) {
        return text.to_owned();
    }
    let is_wide =
        |sign: char| is_ideograph(sign) || matches!(sign, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}');
    let latin: String = text.chars().map(|sign| if is_wide(sign) { ' ' } else { sign }).collect();
    let words: Vec<&str> = latin.split_whitespace().collect();
    let latin = words.join(" ");
    let latin = latin.trim_matches([' ', ',', '.', ';', ':', '、']);
    format!("{latin} {}", gloss(text)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_are_given_in_english_once_and_the_longest_wins() {
        assert_eq!(gloss("查询天气，天气预报"), "query weather forecast");
        assert_eq!(with_gloss("plain text"), "plain text");
        assert!(with_gloss("查询余额").starts_with("查询余额 query"));
        assert_eq!(in_english("使用 API 查询天气。"), "API query weather");
        assert_eq!(in_english("No Chinese."), "No Chinese.");
    }

    #[test]
    fn each_word_of_the_dictionary_stands_there_once_with_an_english_one() {
        let lines = WORDS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let lines: Vec<_> = lines.collect();
        assert!(
            lines
                .iter()
                .all(|line| line.split_once(' ').is_some_and(|(_, english)| english.trim().is_ascii()))
        );
        assert_eq!(lines.len(), DICTIONARY.english.len());
    }
}
