//! What changed between two texts, word by word. Its time is bounded on any text.

/// A run of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Stands in both.
    Same(String),
    /// Stands in the old one only.
    Gone(String),
    /// Stands in the new one only.
    Come(String),
}

/// So many words are compared with each other; of more, the middle counts as replaced.
const MOST: usize = 400;

/// So many unchanged words are kept on each side of a change.
const NEAR: usize = 6;

/// Compares `old` with `new`; white space between words is not told apart.
pub(crate) fn diff(old: &str, new: &str) -> Vec<Part> {
    let (old, new): (Vec<_>, Vec<_>) = (old.split_whitespace().collect(), new.split_whitespace().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_mid = &old_rest[..old_rest.len() - tail];
    let new_mid = &new_rest[..new_rest.len() - tail];
    let mut parts = Vec::new();
    push(&mut parts, Part::Same, &old[..head]);
    middle(&mut parts, old_mid, new_mid);
    push(&mut parts, Part::Same, &old_rest[old_rest.len() - tail..]);
    let last = parts.len().saturating_sub(1);
    let shorten = |(idx, part)| match part {
        Part::Same(words) => Part::Same(near(&words, idx > 0, idx < last)),
        other => other,
    };
    parts.into_iter().enumerate().map(shorten).collect()
}

/// Tells whether the texts of `parts` differ in white space only.
pub(crate) fn is_same(parts: &[Part]) -> bool {
    matches!(parts, [] | [Part::Same(_)])
}

fn push(parts: &mut Vec<Part>, kind: fn(String) -> Part, words: &[&str]) {
    if !words.is_empty() {
        parts.push(kind(words.join(" ")));
    }
}

/// Finds the longest common run of words in the usual table.
fn middle(parts: &mut Vec<Part>, old: &[&str], new: &[&str]) {
    if old.len() > MOST || new.len() > MOST {
        push(parts, Part::Gone, old);
        return push(parts, Part::Come, new);
    }
    let width = new.len() + 1;
    let mut longest = vec![0_u16; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for col in (0..new.len()).rev() {
            longest[row * width + col] = if old[row] == new[col] {
                longest[(row + 1) * width + col + 1] + 1
            } else {
                longest[(row + 1) * width + col].max(longest[row * width + col + 1])
            };
        }
    }
    let (mut row, mut col) = (0, 0);
    while row < old.len() || col < new.len() {
        let from = row;
        while row < old.len() && col < new.len() && old[row] == new[col] {
            (row, col) = (row + 1, col + 1);
        }
        push(parts, Part::Same, &old[from..row]);
        let (gone, come) = (row, col);
        while (row < old.len() || col < new.len())
            && !(row < old.len() && col < new.len() && old[row] == new[col])
        {
            let down = row < old.len()
                && (col == new.len() || longest[(row + 1) * width + col] >= longest[row * width + col + 1]);
            if down { row += 1 } else { col += 1 }
        }
        push(parts, Part::Gone, &old[gone..row]);
        push(parts, Part::Come, &new[come..col]);
    }
}

/// Keeps the words of an unchanged run that are near a change before or after it.
fn near(words: &str, change_before: bool, change_after: bool) -> String {
    let words: Vec<_> = words.split(' ').collect();
    let head = if change_before { NEAR } else { 0 };
    let tail = if change_after { NEAR } else { 0 };
    if words.len() <= head + tail + 1 {
        return words.join(" ");
    }
    let mut kept: Vec<&str> = words[..head].to_vec();
    kept.push("…");
    kept.extend(&words[words.len() - tail..]);
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(old: &str, new: &str) -> String {
        let shown = diff(old, new).into_iter().map(|part| match part {
            Part::Same(words) => words,
            Part::Gone(words) => format!("[-{words}-]"),
            Part::Come(words) => format!("{{+{words}+}}"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn changed_words_stand_between_their_neighbours() {
        for (old, new, expected) in [
            ("Search the user's notes", "Search the team's notes", "Search the [-user's-] {+team's+} notes"),
            ("a b c d e", "a x c y e", "a [-b-] {+x+} c [-d-] {+y+} e"),
            ("a b", "a b c", "a b {+c+}"),
            ("a b", "", "[-a b-]"),
            ("", "", ""),
            ("a\r\nb", "a b", "…"),
            ("1 2 3 4 5 6 7 8 x", "1 2 3 4 5 6 7 8 y", "… 3 4 5 6 7 8 [-x-] {+y+}"),
        ] {
            assert_eq!(show(old, new), expected);
        }
    }

    #[test]
    fn long_texts_are_told_as_replaced() {
        let (old, new) = ("a b ".repeat(100_000), "c d ".repeat(100_000));
        assert_eq!(diff(&old, &new).len(), 2);
    }

    #[test]
    fn both_texts_can_be_read_from_the_parts() {
        let (old, new) = ("one two three four two", "two one three two two six");
        let read = |skip: fn(&Part) -> bool| {
            let parts = diff(old, new).into_iter().filter(|part| !skip(part));
            let words = parts.map(|part| match part {
                Part::Same(words) | Part::Gone(words) | Part::Come(words) => words,
            });
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(read(|part| matches!(part, Part::Come(_))), old);
        assert_eq!(read(|part| matches!(part, Part::Gone(_))), new);
    }
}
