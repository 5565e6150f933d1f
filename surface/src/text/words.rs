//! Compares two texts by their words, and writes the difference in one short line.

use super::hidden::visible;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Tells whether two texts have the same words: white space, line ends and Unicode composition do not count.
pub(crate) fn same_words(before: &str, after: &str) -> bool {
    let (before, after) = (composed(before), composed(after));
    before.split_whitespace().eq(after.split_whitespace())
}

fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// Above this number of pairs of words the middle of two texts counts as replaced whole.
const PAIRS: usize = 60_000;
/// How many words of what stayed are shown beside a change.
const CONTEXT: usize = 3;
/// How many characters of one replaced run are shown.
const RUN: usize = 90;
/// Above this number of characters no further run is shown.
const LINE: usize = 150;

/// Writes what changed, as `Search the [-user's-] {+team's+} notes`, cut to what fits into a line or two.
pub(crate) fn word_diff(before: &str, after: &str) -> String {
    let (before, after) = (composed(before), composed(after));
    let before: Vec<_> = before.split_whitespace().collect();
    let after: Vec<_> = after.split_whitespace().collect();
    render(&runs(&before, &after))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Same,
    Removed,
    Added,
}

type Run<'t> = (Kept, Vec<&'t str>);

fn runs<'t>(before: &[&'t str], after: &[&'t str]) -> Vec<Run<'t>> {
    let head = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut out = Vec::new();
    push(&mut out, Kept::Same, &before[..head]);
    if old.len().saturating_mul(new.len()) > PAIRS {
        push(&mut out, Kept::Removed, old);
        push(&mut out, Kept::Added, new);
    } else {
        align(&mut out, old, new);
    }
    push(&mut out, Kept::Same, &before[before.len() - tail..]);
    out
}

fn push<'t>(out: &mut Vec<Run<'t>>, kept: Kept, words: &[&'t str]) {
    match out.last_mut() {
        _ if words.is_empty() => {}
        Some((last, run)) if *last == kept => run.extend(words),
        _ => out.push((kept, words.to_vec())),
    }
}

/// The longest common subsequence by the usual table, which `PAIRS` keeps small.
fn align<'t>(out: &mut Vec<Run<'t>>, old: &[&'t str], new: &[&'t str]) {
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            best[at * width + to] = if old[at] == new[to] {
                best[(at + 1) * width + to + 1] + 1
            } else {
                best[(at + 1) * width + to].max(best[at * width + to + 1])
            };
        }
    }
    let (mut at, mut to) = (0, 0);
    while at < old.len() && to < new.len() {
        if old[at] == new[to] {
            push(out, Kept::Same, &old[at..=at]);
            (at, to) = (at + 1, to + 1);
        } else if best[(at + 1) * width + to] >= best[at * width + to + 1] {
            push(out, Kept::Removed, &old[at..=at]);
            at += 1;
        } else {
            push(out, Kept::Added, &new[to..=to]);
            to += 1;
        }
    }
    push(out, Kept::Removed, &old[at..]);
    push(out, Kept::Added, &new[to..]);
}

fn render(runs: &[Run<'_>]) -> String {
    let mut parts = Vec::new();
    let mut length = 0;
    for (idx, (kept, words)) in runs.iter().enumerate() {
        if length > LINE {
            parts.push("…".to_owned());
            break;
        }
        let part = match kept {
            Kept::Same => around(words, idx == 0, idx + 1 == runs.len()),
            Kept::Removed => format!("[-{}-]", shorten(&words.join(" "), RUN)),
            Kept::Added => format!("{{+{}+}}", shorten(&words.join(" "), RUN)),
        };
        length += part.chars().count();
        parts.push(part);
    }
    parts.join(" ")
}

fn around(words: &[&str], first: bool, last: bool) -> String {
    let show = |words: &[&str]| shorten(&words.join(" "), RUN);
    if words.len() <= 2 * CONTEXT {
        return show(words);
    }
    let (start, end) = (show(&words[..CONTEXT]), show(&words[words.len() - CONTEXT..]));
    match (first, last) {
        (true, _) => format!("… {end}"),
        (_, true) => format!("{start} …"),
        _ => format!("{start} … {end}"),
    }
}

/// Makes an excerpt of at most `most` characters on one line, in which hidden characters are spelt out.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let words: Vec<_> = text.split_whitespace().take(most).collect();
    shorten(&words.join(" "), most)
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_composition_are_no_words() {
        for (before, after, same) in [
            ("a\nb", "a\r\nb ", true),
            ("a b", "a\u{a0} b", true),
            ("cafe\u{301}", "caf\u{e9}", true),
            ("a b", "ab", false),
            ("a b", "a B", false),
            ("a b", "a\u{200b} b", false),
        ] {
            assert_eq!(same_words(before, after), same, "{before:?} {after:?}");
        }
    }

    #[test]
    fn the_difference_shows_words_and_what_stands_around_them() {
        for (before, after, expected) in [
            ("Search the user's notes", "Search the team's notes", "Search the [-user's-] {+team's+} notes"),
            ("Does not touch.", "Does touch.", "Does [-not-] touch."),
            ("a b c d e f g h i", "a b c d e f g h x", "… f g h [-i-] {+x+}"),
            ("x a b c d e f g", "y a b c d e f g", "[-x-] {+y+} a b c …"),
            ("a", "a b", "a {+b+}"),
            ("a b", "a\u{200b} b", "[-a-] {+a<U+200B>+} b"),
        ] {
            assert_eq!(word_diff(before, after), expected);
        }
    }

    #[test]
    fn the_difference_of_long_texts_is_short() {
        let before: String = (0..50_000).map(|idx| format!("a{idx} ")).collect();
        let after: String = (0..50_000).map(|idx| format!("b{idx} ")).collect();
        assert!(word_diff(&before, &after).chars().count() < 250);
        let odd: String = (0..200).map(|idx| format!("{} same ", idx)).collect();
        let even: String = (0..200).map(|idx| format!("{} same ", -idx)).collect();
        assert!(word_diff(&odd, &even).chars().count() < 250);
    }
}
