//! The notation for one shape: `string | [Tool; ..100]`. What surrounds it on a line stands in `lines.rs`.

use serde_json::Value;

use super::Shape;
use crate::Revisions;

const SIMPLE: [&str; 5] = ["string", "integer", "number", "boolean", "null"];

/// The names of string formats in the notation, and in JSON Schema.
const FORMATS: [(&str, &str); 3] = [("uri", "uri"), ("uri-template", "uri-template"), ("base64", "byte")];

/// Reads `text` as a shape; the error says what stood where a shape was expected.
pub(super) fn parse(text: &str) -> Result<Shape, String> {
    let mut reader = Reader { rest: text.trim() };
    let shape = reader.union()?;
    if reader.rest.is_empty() { Ok(shape) } else { Err(format!("unexpected `{}`", reader.rest)) }
}

/// Reads a shape from the start of `rest`.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn union(&mut self) -> Result<Shape, String> {
        let mut branches = vec![(self.all()?, Revisions::ALL)];
        while self.takes("|") {
            branches.push((self.all()?, Revisions::ALL));
        }
        Ok(if branches.len() == 1 { branches.remove(0).0 } else { Shape::Union(branches) })
    }

    fn all(&mut self) -> Result<Shape, String> {
        let mut shapes = vec![self.atom()?];
        while self.takes("&") {
            shapes.push(self.atom()?);
        }
        Ok(if shapes.len() == 1 { shapes.remove(0) } else { Shape::All(shapes) })
    }

    fn atom(&mut self) -> Result<Shape, String> {
        if self.takes("[") {
            return self.list();
        }
        if self.takes("{") {
            let value = self.union()?;
            self.expect("}")?;
            return Ok(Shape::Map(Box::new(value)));
        }
        if self.rest.starts_with('"') || self.rest.starts_with('-') {
            return self.constant();
        }
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '-');
        match word {
            "any" => Ok(Shape::Any),
            "object" => Ok(Shape::Object(Vec::new())),
            "integer" | "number" => Ok(self.number(if word == "integer" { "integer" } else { "number" })),
            _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => Ok(Shape::Named(word.into())),
            _ => named_string(word).ok_or_else(|| format!("no shape is called `{word}{}`", self.rest)),
        }
    }

    fn list(&mut self) -> Result<Shape, String> {
        let item = Box::new(self.union()?);
        let mut at_most = None;
        if self.takes(";") {
            self.expect("..")?;
            let digits = self.word(|c| c.is_ascii_digit());
            at_most = Some(digits.parse().map_err(|_| format!("`..{digits}` is no length"))?);
        }
        self.expect("]")?;
        Ok(Shape::List { item, at_most })
    }

    fn constant(&mut self) -> Result<Shape, String> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).ok_or(format!("no constant: `{}`", self.rest))?;
        self.rest = self.rest[values.byte_offset()..].trim_start();
        Ok(Shape::Const(value))
    }

    /// A number may be followed by bounds: `integer 0..`, `number 0..1`.
    fn number(&mut self, kind: &'static str) -> Shape {
        let bounds = self.word(|c| c.is_ascii_digit() || c == '.');
        match bounds.split_once("..") {
            None => Shape::Simple(kind),
            Some((low, high)) => {
                Shape::Ranged { kind, at_least: low.parse().ok(), at_most: high.parse().ok() }
            }
        }
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn takes(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.rest)) }
    }
}

fn named_string(word: &str) -> Option<Shape> {
    let simple = SIMPLE.iter().find(|name| **name == word).map(|name| Shape::Simple(name));
    let format = FORMATS.iter().find(|(name, _)| *name == word);
    simple.or(format.map(|(_, format)| Shape::Formatted(format)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_reads_as_it_is_written() {
        let named = |name: &str| Shape::Named(name.into());
        assert_eq!(parse("string"), Ok(Shape::Simple("string")));
        assert_eq!(parse("base64"), Ok(Shape::Formatted("byte")));
        assert_eq!(parse("-32020"), Ok(Shape::Const((-32020).into())));
        assert_eq!(
            parse("integer 0.."),
            Ok(Shape::Ranged { kind: "integer", at_least: Some(0), at_most: None })
        );
        assert_eq!(parse("[Tool; ..9]"), Ok(Shape::List { item: Box::new(named("Tool")), at_most: Some(9) }));
        assert_eq!(parse("Error & object"), Ok(Shape::All(vec![named("Error"), Shape::Object(Vec::new())])));
        let Ok(Shape::Map(union)) = parse(r#"{"a" | [string]}"#) else { panic!("a map") };
        assert!(matches!(*union, Shape::Union(branches) if branches.len() == 2));
    }

    #[test]
    fn what_is_no_shape_is_named() {
        for (text, named) in
            [("strin", "strin"), ("[string", "`]`"), ("string string", "string"), ("", "``"), ("\"a", "\"a")]
        {
            let error = parse(text).expect_err("no shape");
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
