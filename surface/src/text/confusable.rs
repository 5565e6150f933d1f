//! Folds names that look alike to one form. The table is small: letters of other scripts that are drawn as Latin ones.

use super::hidden::is_hidden;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The shape of a name: two names with one shape cannot be told apart by eye.
pub(crate) fn shape(name: &str) -> String {
    name.nfkd()
        .filter(|char| !is_hidden(*char) && !is_combining_mark(*char))
        .map(|char| alike(latin(char)))
        .collect()
}

/// The sound of a name: two names with one sound differ in case and separators only.
pub(crate) fn sound(name: &str) -> String {
    let letters = name.nfkd().filter(|char| !is_hidden(*char) && !is_combining_mark(*char)).map(latin);
    letters.filter(|char| !matches!(char, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Writes a word with Latin letters where others were drawn into it; `None` when there was nothing to do or it is no Latin word then.
pub(crate) fn latin_word(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let folded: String = word.nfkd().filter(|char| !is_combining_mark(*char)).map(latin).collect();
    folded.is_ascii().then_some(folded)
}

/// Latin characters that look like each other in many typefaces.
const fn alike(char: char) -> char {
    match char {
        'I' | '1' | '|' => 'l',
        '0' => 'O',
        _ => char,
    }
}

const fn latin(char: char) -> char {
    match char {
        'а' | 'α' | 'ɑ' => 'a',
        'Ь' | 'ƅ' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'ҽ' | 'ε' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ı' | 'ι' | 'ɩ' | 'Ӏ' | 'ӏ' | 'Ɩ' => {
            if matches!(char, 'Ӏ' | 'ӏ' | 'Ɩ') {
                'l'
            } else {
                'i'
            }
        }
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'ո' | 'п' | 'η' => 'n',
        'о' | 'ο' | 'օ' | 'σ' | 'ᴏ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' | 'գ' => 'q',
        'г' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ᴜ' => 'u',
        'ν' | 'ѵ' | 'ᴠ' => 'v',
        'ԝ' | 'ω' | 'ᴡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        'ᴢ' => 'z',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Ѵ' => 'V',
        'Х' | 'Χ' => 'X',
        'Ү' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        '‐' | '‑' | '‒' | '–' | '—' | '−' | '﹣' => '-',
        'ˍ' | '‗' => '_',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalikes_have_one_shape() {
        for (left, right) in [
            ("search_notes", "se\u{430}rch_notes"),
            ("search", "ｓｅａｒｃｈ"),
            ("copy", "сору"),
            ("list-all", "list‑all"),
            ("get_l", "get_1"),
            ("search", "sea\u{200b}rch"),
            ("search", "ṣearch"),
        ] {
            assert_eq!(shape(left), shape(right), "{left} {right}");
        }
        assert_ne!(shape("get_a"), shape("get_b"));
        assert_ne!(shape("tail"), shape("tall"));
    }

    #[test]
    fn case_and_separators_have_no_sound() {
        assert_eq!(sound("getNote"), sound("get_note"));
        assert_eq!(sound("get-note"), sound("Get.Note"));
        assert_ne!(sound("get_note"), sound("get_notes"));
    }

    #[test]
    fn words_of_other_languages_stay_as_they_are() {
        assert_eq!(latin_word("іgnоrе").as_deref(), Some("ignore"));
        assert_eq!(latin_word("записка"), None);
        assert_eq!(latin_word("ignore"), None);
    }
}
