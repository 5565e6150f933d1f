//! Lines of text: colours, wrapping and labelled fields. It does not know what it prints.

use crate::plain;

/// Columns before the text of a field.
pub(crate) const INDENT: usize = 13;

/// How a piece of text looks; without colour all look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// As it is.
    Plain,
    /// What to read first.
    Bold,
    /// What may be skipped.
    Dim,
    /// What fails the run.
    Red,
    /// What should be looked at.
    Yellow,
    /// What is well.
    Green,
    /// What may be copied.
    Cyan,
}

impl Look {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "1;31",
            Self::Yellow => "1;33",
            Self::Green => "1;32",
            Self::Cyan => "36",
        }
    }
}

/// A text under construction.
#[derive(Debug)]
pub(crate) struct Page {
    out: String,
    width: usize,
    color: bool,
}

impl Page {
    pub(crate) fn new(width: usize, color: bool) -> Self {
        Self { out: String::new(), width: width.max(40), color }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn into_text(self) -> String {
        self.out
    }

    /// Colours `text`.
    pub(crate) fn paint(&self, look: Look, text: &str) -> String {
        if self.color && look != Look::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", look.code())
        } else {
            text.to_owned()
        }
    }

    /// Adds a line as it is.
    pub(crate) fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// Adds an empty line, never two in a row.
    pub(crate) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Adds wrapped `text` behind `indent` spaces.
    pub(crate) fn paragraph(&mut self, indent: usize, look: Look, text: &str) {
        for line in wrap(&plain(text), self.width - indent) {
            let line = format!("{:indent$}{}", "", self.paint(look, &line));
            self.line(&line);
        }
    }

    /// Adds `label` and wrapped words.
    pub(crate) fn field(&mut self, label: &str, look: Look, text: &str) {
        let lines = wrap(&plain(text), self.width - INDENT);
        self.labelled(label, look, &lines);
    }

    /// Adds `label` and bytes, broken anywhere.
    pub(crate) fn bytes(&mut self, label: &str, text: &str) {
        let lines = chop(&plain(text), self.width - INDENT);
        self.labelled(label, Look::Plain, &lines);
    }

    /// Adds `label` and one line that must stay whole to be copied.
    pub(crate) fn whole(&mut self, label: &str, text: &str) {
        self.labelled(label, Look::Cyan, &[plain(text)]);
    }

    fn labelled(&mut self, label: &str, look: Look, lines: &[String]) {
        for (idx, line) in lines.iter().enumerate() {
            let label = format!("{:1$}", if idx == 0 { label } else { "" }, INDENT - 2);
            let line = format!("  {}{}", self.paint(Look::Dim, &label), self.paint(look, line));
            self.line(&line);
        }
    }
}

/// Breaks `text` between words, and inside words that fit no line unless they are addresses.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("starts with a line and never shrinks");
        let used = line.chars().count();
        let length = word.chars().count();
        if used > 0 && used + 1 + length <= width {
            line.push(' ');
            line.push_str(word);
        } else if length > width && !word.contains("://") {
            if used == 0 {
                lines.pop();
            }
            lines.extend(chop(word, width));
        } else if used == 0 {
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Breaks `text` after each `width` characters.
pub(crate) fn chop(text: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let lines: Vec<String> = chars.chunks(width.max(1)).map(|line| line.iter().collect()).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_and_addresses_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a https://example.org/long b", 8), ["a", "https://example.org/long", "b"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn no_colour_means_no_escape() {
        assert_eq!(Page::new(80, false).paint(Look::Red, "x"), "x");
        assert_eq!(Page::new(80, true).paint(Look::Red, "x"), "\x1b[1;31mx\x1b[0m");
    }
}
