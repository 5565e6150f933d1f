//! Texts and names to words in small letters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What a character means to the borders of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// A letter of a script that is written without spaces.
    Dense,
    Other,
}

fn class(sign: char) -> Class {
    match sign {
        // Kana, the Chinese characters with their first extension and their compatibility forms, Hangul.
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}' => Class::Dense,
        _ if sign.is_uppercase() => Class::Upper,
        _ if sign.is_numeric() => Class::Digit,
        // Vowels of many scripts are marks upon the letter before.
        _ if sign.is_alphabetic() || is_combining_mark(sign) => Class::Lower,
        _ => Class::Other,
    }
}

/// Splits a text into words in small letters, in order: at blanks and punctuation, at `camelCase`, and around digits.
///
/// A run of capitals stays whole up to the capital that begins the next word (`HTTPServer` gives `http`, `server`).
/// Accents of Latin, Greek and Cyrillic go, forms that look alike become one (NFKC), English 's and n't endings go, and letters of scripts
/// without spaces come in overlapping pairs. Short codes (`s3`) stand behind the rest once more, as wholes.
pub fn words(text: &str) -> Vec<String> {
    let apart = split(text).into_iter().map(|word| word.to_lowercase());
    apart.chain(codes(text)).collect()
}

/// Short runs of letters and digits, as wholes: `s3`, `k8s`, `mp3` mean something that `s` and `3` do not.
fn codes(text: &str) -> impl Iterator<Item = String> + '_ {
    const LONGEST: usize = 4;
    let runs = text.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|run| run.len() <= LONGEST);
    let mixed = runs.filter(|run| {
        run.bytes().any(|byte| byte.is_ascii_digit()) && run.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    mixed.map(str::to_ascii_lowercase)
}

/// As [`words`], but letters keep their case, as models see them.
pub(super) fn parts(text: &str) -> Vec<String> {
    split(text)
}

fn split(text: &str) -> Vec<String> {
    let signs = signs(text);
    let mut words = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        let end = run(&signs, at);
        match class(signs[at]) {
            Class::Other => {}
            Class::Dense => pairs(&signs[at..end], &mut words),
            _ if is_ending(&signs, at, end) => {}
            _ => words.push(signs[at..end].iter().collect()),
        }
        at = end;
    }
    words
}

/// The signs of a text, with forms that look alike as one and without accents.
fn signs(text: &str) -> Vec<char> {
    if text.is_ascii() {
        return text.chars().collect();
    }
    let mut base = ' ';
    let mut is_accent = |sign: char| {
        let is_mark = is_combining_mark(sign);
        if !is_mark {
            base = sign;
        }
        is_mark && has_accents(base)
    };
    let plain: String = text.nfkd().filter(|sign| !is_accent(*sign)).collect();
    // Syllables of Hangul and voiced kana were taken apart, too, and are whole again.
    plain.nfc().collect()
}

/// Tells whether marks on a letter are accents, which people leave out: Latin, Greek and Cyrillic.
/// Elsewhere they are vowels, or make another letter.
fn has_accents(letter: char) -> bool {
    matches!(letter, 'A'..='\u{24f}' | '\u{370}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}')
}

/// The end of the run of signs that begins at `at` and belongs together.
fn run(signs: &[char], at: usize) -> usize {
    let first = class(signs[at]);
    let while_is = |from: usize, wanted: Class| {
        from + signs[from..].iter().take_while(|sign| class(**sign) == wanted).count()
    };
    if first != Class::Upper {
        return while_is(at, first);
    }
    let capitals = while_is(at, Class::Upper);
    let small = while_is(capitals, Class::Lower);
    match (capitals - at, small > capitals) {
        (1, _) => small,
        // A plural of an acronym (`URLs`, `APIs`) is one word, not `UR` and `Ls`.
        (_, true) if signs[capitals..small] == ['s'] => small,
        (_, true) => capitals - 1,
        (_, false) => capitals,
    }
}

fn pairs(signs: &[char], words: &mut Vec<String>) {
    if signs.len() == 1 {
        words.push(signs[0].to_string());
    }
    words.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>()));
}

/// Tells whether the run is what English hangs on a word by an apostrophe: `server's`, `don't`, `I'll`.
fn is_ending(signs: &[char], at: usize, end: usize) -> bool {
    const ENDINGS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];
    let apostrophe = at >= 2 && matches!(signs[at - 1], '\'' | '’') && signs[at - 2].is_alphabetic();
    apostrophe && ENDINGS.iter().any(|ending| signs[at..end].iter().copied().eq(ending.chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_names_are_joined() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text), expected, "{text}");
        check("HTTPServer2Go", &["http", "server", "2", "go"]);
        check("S3 on k8s", &["s", "3", "on", "k", "8", "s", "s3", "k8s"]);
        check("getUserByID", &["get", "user", "by", "id"]);
        check("list_URLs", &["list", "urls"]);
        check("a.b/c:d--e", &["a", "b", "c", "d", "e"]);
        check("Café Müller", &["cafe", "muller"]);
        check("don't use the server's ﬁle", &["don", "use", "the", "server", "file"]);
        check("Straße ΑΒΓδε", &["straße", "αβ", "γδε"]);
        check("获取天气forecast", &["获取", "取天", "天气", "forecast"]);
        check("파일을 읽습니다", &["파일", "일을", "읽습", "습니", "니다"]);
        check("がか", &["がか"]);
        check("किताब", &["किताब"]);
        check("", &[]);
        check("🎉 !?", &[]);
    }
}
