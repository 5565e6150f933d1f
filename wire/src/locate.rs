//! Finds the byte at which a part of a JSON text stands, so that an excerpt can be cut around it. Nothing is judged here.

use crate::json::BOM;
use crate::scan;

/// Finds where the value at the JSON `pointer` begins in `text`; what is missing or unreadable leads to the nearest part around it.
pub fn locate(text: &[u8], pointer: &str) -> usize {
    let mut cursor = Cursor { text, at: if text.starts_with(BOM) { BOM.len() } else { 0 } };
    cursor.skip_whitespace();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let found = match cursor.peek() {
            Some(b'{') => cursor.member(&token),
            Some(b'[') => token.parse().ok().and_then(|index| cursor.item(index)),
            _ => None,
        };
        match found {
            Some(at) => cursor.at = at,
            None => break,
        }
    }
    cursor.at
}

#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.skip_whitespace();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The place of the value of member `name` of the object here; of repeated ones the last, as most parsers take it.
    fn member(mut self, name: &str) -> Option<usize> {
        let mut found = None;
        self.at += 1;
        while let Some((key, value)) = self.next_member() {
            if key == name {
                found = Some(value);
            }
        }
        found
    }

    /// Reads a name and skips its value, of which the place is given back.
    fn next_member(&mut self) -> Option<(String, usize)> {
        self.skip_whitespace();
        let key = self.at;
        self.skip_string()?;
        let key = serde_json::from_slice(&self.text[key..self.at]).ok()?;
        self.eat(b':')?;
        self.skip_whitespace();
        let value = self.at;
        self.skip_value()?;
        // Without a comma the next name is missed, and the loop ends there.
        _ = self.eat(b',');
        Some((key, value))
    }

    /// The place of item `index` of the array here.
    fn item(mut self, index: usize) -> Option<usize> {
        self.at += 1;
        for _ in 0..index {
            self.skip_whitespace();
            self.skip_value()?;
            self.eat(b',')?;
        }
        self.skip_whitespace();
        (self.peek()? != b']').then_some(self.at)
    }

    fn skip_string(&mut self) -> Option<()> {
        (self.peek()? == b'"').then_some(())?;
        self.at += 1;
        loop {
            self.at += scan::plain_len(&self.text[self.at..]);
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            self.text.get(self.at)?;
        }
        self.at += 1;
        Some(())
    }

    /// Skips brackets by counting them, so that no depth exhausts the stack.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => (self.at, depth) = (self.at + 1, depth + 1),
                b'}' | b']' if depth == 0 => return None,
                b'}' | b']' => (self.at, depth) = (self.at + 1, depth - 1),
                b',' if depth == 0 => return None,
                _ if depth == 0 => return self.skip_word(),
                _ => self.at += 1,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Skips a number or a literal.
    fn skip_word(&mut self) -> Option<()> {
        let is_end = |byte: u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
        while self.peek().is_some_and(|byte| !is_end(byte)) {
            self.at += 1;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Says what stands at the place.
    fn check(text: &str, pointer: &str, expected: &str) {
        let found = &text[locate(text.as_bytes(), pointer)..];
        assert!(found.starts_with(expected), "{pointer} in {text}: {found}");
    }

    #[test]
    fn a_pointer_leads_to_the_first_byte_of_its_value() {
        let text = r#" {"id": 1, "result" : {"tools":[ {"name":"a}\""}, {"na\u006de":[true , -1.5e3]}]}}"#;
        check(text, "", "{\"id\"");
        check(text, "/id", "1,");
        check(text, "/result/tools/0/name", "\"a}");
        check(text, "/result/tools/1/name", "[true");
        check(text, "/result/tools/1/name/1", "-1.5e3");
        check(r#"{"a/b":{"~":2}}"#, "/a~1b/~0", "2");
        check("\u{feff}[1]", "/0", "1");
    }

    #[test]
    fn of_repeated_members_the_last_counts() {
        check(r#"{"a":1,"a":2}"#, "/a", "2");
    }

    #[test]
    fn what_is_missing_leads_to_the_part_around_it() {
        check(r#"{"a":{"b":1}}"#, "/a/c/d", "{\"b\"");
        check(r#"{"a":[]}"#, "/a/0", "[]");
        check(r#"{"a":[1,2]}"#, "/a/2", "[1,2]");
        check(r#"{"a":[1,2]}"#, "/a/x", "[1,2]");
        check(r#"{"a" 1}"#, "/a", "{");
        check(r#"{"a":"#, "/a/b", "{");
        check("", "/a", "");
        check("plain", "/a", "plain");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_lead_out_of_the_text(
            text in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "[\\[\\]{}\",:a0\\\\ ]{0,40}".prop_map(String::into_bytes),
            ],
            pointer in "(/[a01]{0,2}){0,4}",
        ) {
            prop_assert!(locate(&text, &pointer) <= text.len());
        }
    }
}
