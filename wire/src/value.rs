//! A JSON value that keeps what was written: member order, repeated members, and the text of every number.

use std::fmt;

use crate::json;
use crate::scan;

/// A JSON value as it stood on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, by its text.
    Number(Number),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

/// A JSON number by its text, so that `1`, `1.0` and 2^53 + 1 stay what they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub(crate) Box<str>);

/// The members of an object in their order; repeated names are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(pub(crate) Vec<(String, Value)>);

impl Number {
    /// Takes a text that is a number by the grammar of JSON.
    pub fn parse(text: &str) -> Option<Self> {
        json::is_number(text).then(|| Self(text.into()))
    }

    /// The digits as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether the text has neither fraction nor exponent.
    pub fn is_integer_text(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }

    /// The value as `i64`, if the text is an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The nearest double.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

impl Object {
    /// The value of member `name`; of repeated ones the last, as most parsers take it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Members in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Member names in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Number of members, repeated ones counted.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets member `name`, in place when it exists.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let name = name.into();
        match self.0.iter_mut().rev().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((name, value.into())),
        }
    }

    /// Takes member `name` out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().rposition(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }
}

impl Value {
    /// The value of member `name`, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The value at a JSON pointer (RFC 6901), `""` being the whole.
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |at, token| {
            let token = token.replace("~1", "/").replace("~0", "~");
            match at {
                Self::Object(object) => object.get(&token),
                Self::Array(items) => items.get(token.parse::<usize>().ok()?),
                _ => None,
            }
        })
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The integer, if it is written as one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Number(number) = self { number.as_i64() } else { None }
    }

    /// The nearest double, if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(number.as_f64()) } else { None }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(bool) = self { Some(*bool) } else { None }
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The members, to change, if it is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Tells whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Names the JSON type, with integers apart from other numbers.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(number) if number.is_integer_text() => "integer",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// Converts for validators; integers beyond 64 bits become doubles there.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(bool) => (*bool).into(),
            Self::Number(number) => serde_json::from_str(&number.0).unwrap_or(serde_json::Value::Null),
            Self::String(text) => text.as_str().into(),
            Self::Array(items) => items.iter().map(Self::to_json).collect(),
            Self::Object(object) => {
                let members = object.iter().map(|(key, value)| (key.to_owned(), value.to_json()));
                serde_json::Value::Object(members.collect())
            }
        }
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(bool) => Self::Bool(bool),
            serde_json::Value::Number(number) => Self::Number(Number(number.to_string().into())),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(members) => {
                Self::Object(Object(members.into_iter().map(|(key, value)| (key, value.into())).collect()))
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl FromIterator<(String, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

/// Prints compact JSON with numbers as they were written.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Number(number) => f.write_str(&number.0),
            Self::String(text) => write_string(f, text),
            Self::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(object) => {
                f.write_str("{")?;
                for (at, (key, value)) in object.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write_string(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    let mut rest = text;
    loop {
        let (plain, after) = rest.split_at(scan::plain_len(rest.as_bytes()));
        f.write_str(plain)?;
        let mut after = after.chars();
        match after.next() {
            None => return f.write_str("\""),
            Some('"') => f.write_str("\\\"")?,
            Some('\\') => f.write_str("\\\\")?,
            Some('\n') => f.write_str("\\n")?,
            Some('\r') => f.write_str("\\r")?,
            Some('\t') => f.write_str("\\t")?,
            Some(control) => write!(f, "\\u{:04x}", u32::from(control))?,
        }
        rest = after.as_str();
    }
}
