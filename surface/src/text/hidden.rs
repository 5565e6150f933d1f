//! Finds characters that are not seen: invisible ones, direction overrides, tags, and control characters. Where a script or an emoji needs one, it is no finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How often each character occurs.
pub(crate) type Counts = BTreeMap<char, usize>;

/// Counts the invisible characters that the writing around them does not need.
pub(crate) fn hidden_characters(text: &str) -> Counts {
    let mut counts = Counts::new();
    if text.is_ascii() {
        return counts;
    }
    let chars: Vec<char> = text.chars().collect();
    let rightward = chars.iter().any(|char| is_right_to_left(*char));
    let mut at = 0;
    while at < chars.len() {
        if let Some(length) = flag(&chars[at..]) {
            at += length;
            continue;
        }
        let before = at.checked_sub(1).map(|idx| chars[idx]);
        if is_hidden(chars[at]) && !is_needed(chars[at], before, chars.get(at + 1).copied(), rightward) {
            *counts.entry(chars[at]).or_default() += 1;
        }
        at += 1;
    }
    counts
}

/// Counts C0 and C1 control characters, apart from tabs and line ends.
pub(crate) fn control_characters(text: &str) -> Counts {
    let mut counts = Counts::new();
    for char in text.chars().filter(|char| is_control(*char)) {
        *counts.entry(char).or_default() += 1;
    }
    counts
}

/// What is in `after` more often than in `before`, with the number of those that came.
pub(crate) fn newly_present(before: &Counts, after: &Counts) -> Counts {
    let more = |(char, now): (&char, &usize)| {
        let came = now.saturating_sub(before.get(char).copied().unwrap_or(0));
        (came > 0).then_some((*char, came))
    };
    after.iter().filter_map(more).collect()
}

/// Lists characters as `U+200B ×2, U+FEFF`. Long lists are cut.
pub(crate) fn spell(counts: &Counts) -> String {
    const SHOWN: usize = 6;
    let mut parts: Vec<_> = counts
        .iter()
        .take(SHOWN)
        .map(|(char, count)| match count {
            1 => code_point(*char),
            _ => format!("{} ×{count}", code_point(*char)),
        })
        .collect();
    if counts.len() > SHOWN {
        parts.push(format!("{} others", counts.len() - SHOWN));
    }
    parts.join(", ")
}

fn code_point(char: char) -> String {
    format!("U+{:04X}", u32::from(char))
}

/// Writes `text` so that each character of it can be seen.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if is_hidden(char) || is_control(char) {
            let _ = write!(out, "<{}>", code_point(char));
        } else {
            out.push(char);
        }
    }
    out
}

/// Tells whether `char` has no shape of its own.
pub(crate) const fn is_hidden(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_control(char: char) -> bool {
    char.is_control() && !matches!(char, '\t' | '\n' | '\r')
}

/// The length of a flag of a region, which is a black flag and a few tag letters with an end: that of Wales, say.
fn flag(chars: &[char]) -> Option<usize> {
    if chars.first() != Some(&'\u{1f3f4}') {
        return None;
    }
    let letters = chars[1..].iter().take_while(|char| matches!(**char, '\u{e0030}'..='\u{e007a}')).count();
    let ended = chars.get(1 + letters) == Some(&'\u{e007f}');
    (ended && (3..=6).contains(&letters)).then_some(letters + 2)
}

fn is_needed(char: char, before: Option<char>, next: Option<char>, rightward: bool) -> bool {
    let Some(before) = before else { return false };
    match char {
        // Emoji are joined by it, and the scripts of Persia and India shape letters with both.
        '\u{200c}' | '\u{200d}' => {
            let joins = |char: char| is_pictograph(char) || is_joining(char) || char == '\u{fe0f}';
            joins(before) && next.is_some_and(joins)
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2066}'..='\u{2069}' => rightward,
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(before) || matches!(before, '0'..='9' | '#' | '*' | '©' | '®')
        }
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        // The blank of Braille stands between its letters.
        '\u{2800}' => {
            [Some(before), next].into_iter().flatten().any(|char| matches!(char, '\u{2801}'..='\u{28ff}'))
        }
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}

const fn is_right_to_left(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

const fn is_joining(char: char) -> bool {
    matches!(char, '\u{600}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{18aa}' | '\u{fb50}'..='\u{fdff}')
}

const fn is_pictograph(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{2bff}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{3030}'
        | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

const fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_counted_and_what_writing_needs_is_not() {
        for (text, expected) in [
            ("Search\u{200b} notes.\u{200b}", "U+200B ×2"),
            ("x \u{202e}txet\u{202c}", "U+202C, U+202E"),
            ("a\u{e0041}\u{e0042}", "U+E0041, U+E0042"),
            ("soft\u{ad}hyphen \u{feff}", "U+00AD, U+FEFF"),
            ("a\u{fe0f}b", "U+FE0F"),
            ("😀\u{fe01}\u{fe02}", "U+FE01, U+FE02"),
            ("zero\u{200d}width", "U+200D"),
            ("👩\u{200d}💻 and ❤\u{fe0f} and 1\u{fe0f}\u{20e3}", ""),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}", ""),
            ("می\u{200c}خواهم \u{200f}ش", ""),
            ("क\u{94d}\u{200d}ष", ""),
            ("葛\u{e0100}", ""),
            ("a\u{2800}\u{2800}b", "U+2800 ×2"),
            ("⠓⠊\u{2800}⠞⠕", ""),
            ("plain — “text” … naïve 日本語", ""),
        ] {
            assert_eq!(spell(&hidden_characters(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn escapes_are_control_characters_and_line_ends_are_not() {
        assert_eq!(spell(&control_characters("a\u{1b}[8mhidden\u{1b}[0m\tb\r\n")), "U+001B ×2");
        assert_eq!(spell(&control_characters("a\u{85}b")), "U+0085");
        assert_eq!(visible("a\u{1b}b"), "a<U+001B>b");
    }

    #[test]
    fn only_what_came_is_new() {
        let (before, after) =
            (hidden_characters("a\u{200b}"), hidden_characters("a\u{200b}\u{200b}\u{feff}"));
        assert_eq!(spell(&newly_present(&before, &after)), "U+200B, U+FEFF");
        assert!(newly_present(&after, &before).is_empty());
    }
}
