//! Reads JSON of files into values, and refuses what can be read in two ways: a name that stands twice in one object.

use crate::change::pointer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Why a text is no JSON that can be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Counted from 1.
    pub(crate) line: usize,
    /// Counted from 1.
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// How deep a file may be nested, as its reader has it.
const DEEPEST: usize = 127;

/// Reads `text` whole.
pub(crate) fn parse(text: &str) -> Result<Value, Fault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = At::Root.deserialize(&mut reader);
    value.and_then(|value| reader.end().map(|()| value)).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let message = match message {
            "recursion limit exceeded" => {
                format!("nested deeper than {DEEPEST} levels, and nothing that deep is compared; inner schemas can stand in `$defs`")
            }
            other => other.to_owned(),
        };
        Fault { line: error.line(), column: error.column(), message }
    })
}

/// Where the value stands that is read.
#[derive(Clone, Copy)]
enum At<'p> {
    Root,
    Member(&'p At<'p>, &'p str),
    Item(&'p At<'p>, usize),
}

impl At<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => pointer(&parent.pointer(), name),
            Self::Item(parent, idx) => format!("{}/{idx}", parent.pointer()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(At::Item(&self, items.len()))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                let place = match self.pointer() {
                    root if root.is_empty() => "at the top".to_owned(),
                    place => format!("in {place}"),
                };
                return Err(A::Error::custom(format!(
                    "{} stands twice {place}, and readers differ in which one counts",
                    Value::from(name)
                )));
            }
            let value = map.next_value_seed(At::Member(&self, &name))?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_stands_twice_is_told_with_its_place() {
        let check = |text: &str, line, part: &str| {
            let fault = parse(text).unwrap_err();
            assert!(fault.message.contains(part) && fault.line == line, "{fault:?} should say {part}");
        };
        check("{\"a\": 1,\n\"b\": [{\"c\": 1},\n{\"c\": 1, \"c\": 2}]}", 3, "\"c\" stands twice in /b/1");
        check("{\"a/b\": {\"x\": {}, \"x\": {}}}", 1, "\"x\" stands twice in /a~1b");
        check("{\"a\": 1, \"a\": 1}", 1, "\"a\" stands twice at the top");
        check(&format!("{}{}", "[".repeat(200), "]".repeat(200)), 1, "nested deeper than 127 levels");
        check("{\"a\": 1} x", 1, "trailing characters");
    }

    #[test]
    fn all_else_is_read_as_ever() {
        for text in [
            "null",
            "[1, -2, 3.5, 1e300, \"\\u00e9\", true, {}]",
            "{\"a\": {\"b\": [[]]}}",
            "18446744073709551615",
        ] {
            assert_eq!(parse(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
        let deep = format!("{}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
        assert_eq!(parse(&deep).unwrap(), serde_json::from_str::<Value>(&deep).unwrap());
    }
}
