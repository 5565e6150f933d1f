//! Shortens bytes around a fault for a human and spells what cannot be seen; colours and layout live elsewhere.

use std::ops::Range;

/// Shortens bytes for one line of a report.
#[derive(Clone, Copy, Debug)]
pub struct Excerpt;

impl Excerpt {
    /// Spells `bytes` in at most `width` columns, the byte at `offset` (the first when `None`) among them.
    ///
    /// What is left out is counted: `[120 bytes]...text...[3 bytes]`.
    pub fn around(bytes: &[u8], offset: Option<usize>, width: usize) -> String {
        let Some(last) = bytes.len().checked_sub(1) else { return String::new() };
        let view = View::new(bytes, offset.unwrap_or(0).min(last), width);
        match view.choose(width) {
            Some(chosen) => view.render(chosen),
            // Too narrow even for one character with its marks.
            None => ".".repeat(width.min(3)),
        }
    }
}

/// The characters near the fault, as many as could be shown.
struct View {
    pieces: Vec<Piece>,
    /// The piece that has the byte to blame.
    middle: usize,
    /// How many bytes there are in all.
    total: usize,
}

/// One character, or one byte that belongs to none.
struct Piece {
    /// Its offset.
    start: usize,
    /// The offset behind it.
    end: usize,
    /// How it is shown.
    shown: String,
    /// The columns of the pieces before it.
    column: usize,
    /// Its own columns.
    columns: usize,
}

impl View {
    fn new(bytes: &[u8], offset: usize, width: usize) -> Self {
        // Each piece has a column at least and four bytes at most, so more than this is never shown.
        let reach = width.saturating_mul(4).saturating_add(4);
        let mut start = offset.saturating_sub(reach);
        while start > 0 && start > offset.saturating_sub(reach + 3) && bytes[start] & 0xC0 == 0x80 {
            start -= 1;
        }
        let end = bytes.len().min(offset.saturating_add(reach));
        let mut view = Self { pieces: Vec::new(), middle: 0, total: bytes.len() };
        for chunk in bytes[start..end].utf8_chunks() {
            for char in chunk.valid().chars() {
                view.push(&mut start, char.len_utf8(), spelled(char), columns(char));
            }
            for byte in chunk.invalid() {
                view.push(&mut start, 1, format!("\\x{byte:02X}"), 1);
            }
        }
        view.middle = view.pieces.partition_point(|piece| piece.end <= offset).min(view.pieces.len() - 1);
        view
    }

    fn push(&mut self, start: &mut usize, bytes: usize, shown: String, columns: usize) {
        let column = self.pieces.last().map_or(0, |last| last.column + last.columns);
        let columns = if shown.is_ascii() { shown.len() } else { columns };
        self.pieces.push(Piece { start: *start, end: *start + bytes, shown, column, columns });
        *start += bytes;
    }

    /// Grows the part that is shown, two steps to the right for one to the left.
    fn choose(&self, width: usize) -> Option<Range<usize>> {
        let fits = |chosen: &Range<usize>| self.columns(chosen) <= width;
        let all = 0..self.pieces.len();
        if fits(&all) {
            return Some(all);
        }
        let mut chosen = Some(self.middle..self.middle + 1).filter(fits)?;
        for turn in 0.. {
            let right = chosen.start..(chosen.end + 1).min(all.end);
            let left = chosen.start.saturating_sub(1)..chosen.end;
            let order = if turn % 3 == 2 { [left, right] } else { [right, left] };
            match order.into_iter().find(|wider| *wider != chosen && fits(wider)) {
                Some(wider) => chosen = wider,
                None => break,
            }
        }
        Some(chosen)
    }

    /// The marks for the bytes left out before and after.
    fn marks(&self, chosen: &Range<usize>) -> (String, String) {
        let before = self.pieces[chosen.start].start;
        let after = self.total - self.pieces[chosen.end - 1].end;
        let count = |bytes: usize| format!("[{bytes} byte{}]", if bytes == 1 { "" } else { "s" });
        let before = if before > 0 { count(before) + "..." } else { String::new() };
        let after = if after > 0 { format!("...{}", count(after)) } else { String::new() };
        (before, after)
    }

    fn columns(&self, chosen: &Range<usize>) -> usize {
        let (before, after) = self.marks(chosen);
        let last = &self.pieces[chosen.end - 1];
        before.len() + last.column + last.columns - self.pieces[chosen.start].column + after.len()
    }

    fn render(&self, chosen: Range<usize>) -> String {
        let (mut text, after) = self.marks(&chosen);
        self.pieces[chosen].iter().for_each(|piece| text.push_str(&piece.shown));
        text + &after
    }
}

/// Spells a character that cannot be seen; others stand for themselves.
fn spelled(char: char) -> String {
    match char {
        '\n' => "\\n".into(),
        '\t' => "\\t".into(),
        '\r' => "\\r".into(),
        '\0'..' ' | '\u{7f}' => format!("\\x{:02x}", u32::from(char)),
        _ if is_invisible(char) => format!("<U+{:04X}>", u32::from(char)),
        _ => char.to_string(),
    }
}

/// Tells the characters that show nothing, look like a plain space, or change how their neighbours are drawn.
fn is_invisible(char: char) -> bool {
    char.is_control()
        || (char != ' ' && char.is_whitespace())
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// Columns on a terminal: two for the wide scripts of East Asia and for emoji.
fn columns(char: char) -> usize {
    let wide = matches!(char,
        '\u{1100}'..='\u{115f}' | '\u{231a}'..='\u{231b}' | '\u{23e9}'..='\u{23f3}' | '\u{25fd}'..='\u{25fe}'
        | '\u{2614}'..='\u{27bf}' | '\u{2b1b}'..='\u{2b55}' | '\u{2e80}'..='\u{a4cf}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe10}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}' | '\u{16fe0}'..='\u{18cff}' | '\u{1aff0}'..='\u{1b2ff}'
        | '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}');
    if wide { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(bytes: impl AsRef<[u8]>, offset: Option<usize>, width: usize, expected: &str) {
        assert_eq!(Excerpt::around(bytes.as_ref(), offset, width), expected);
    }

    #[test]
    fn short_bytes_stand_whole() {
        check("", None, 80, "");
        check("{\"a\":1}", None, 80, "{\"a\":1}");
        check("{\"a\":1}", Some(700), 7, "{\"a\":1}");
        check("日本", None, 4, "日本");
    }

    #[test]
    fn what_cannot_be_seen_is_spelled() {
        check("a\n\t\r\x1b[0m\0\x7f", None, 80, "a\\n\\t\\r\\x1b[0m\\x00\\x7f");
        check(
            "a\u{200b}b\u{202e}\u{feff}\u{a0}\u{85}",
            None,
            80,
            "a<U+200B>b<U+202E><U+FEFF><U+00A0><U+0085>",
        );
        check(b"caf\xE9 \xF0\x9F", None, 80, "caf\\xE9 \\xF0\\x9F");
    }

    #[test]
    fn long_bytes_are_shortened_around_the_fault() {
        let long = format!("{}X{}", "a".repeat(100), "b".repeat(1000));
        check(&long, Some(100), 40, "[96 bytes]...aaaaXbbbbbbbb...[992 bytes]");
        check(&long, None, 30, "aaaaaaaaaaaaaaa...[1086 bytes]");
        check(&long, Some(1100), 30, "[1086 bytes]...bbbbbbbbbbbbbbb");
    }

    #[test]
    fn a_width_too_small_for_a_character_shows_dots() {
        check("a long text", None, 5, "...");
        check("a long text", None, 2, "..");
        check("a long text", None, 0, "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_excerpt_is_wider_than_asked(
            bytes in prop_oneof![proptest::collection::vec(any::<u8>(), 0..300), any::<String>().prop_map(String::into_bytes)],
            offset in proptest::option::of(0..400usize),
            width in 0..120usize,
        ) {
            let text = Excerpt::around(&bytes, offset, width);
            prop_assert!(text.chars().map(columns).sum::<usize>() <= width, "{text}");
            prop_assert!(!text.chars().any(is_invisible));
        }
    }
}
