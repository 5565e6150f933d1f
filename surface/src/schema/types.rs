//! Sets of JSON types. A number with a fraction is a type of its own, so that `integer` is a subset of `number`.

use serde_json::Value;

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const ALL: Self = Self(127);
    /// Each type alone, the ones with short values first.
    pub(super) const EACH: [Self; 7] =
        [Self::STRING, Self::INTEGER, Self::BOOLEAN, Self::FRACTION, Self::NULL, Self::OBJECT, Self::ARRAY];

    /// Reads the name of a type; one that does not exist, as `any`, is taken for any.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::ALL,
        }
    }

    /// Tells the type of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.as_f64().is_none_or(|float| float.fract() == 0.0) => {
                Self::INTEGER
            }
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its members, one at a time.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        Self::EACH.into_iter().filter(move |one| self.has(*one))
    }

    /// Names the set for a message.
    pub(super) fn words(self) -> String {
        if self == Self::ALL {
            return "anything".to_owned();
        }
        let names = [
            (Self::STRING, "string"),
            (Self::NUMBER, "number"),
            (Self::INTEGER, "integer"),
            (Self::BOOLEAN, "boolean"),
            (Self::OBJECT, "object"),
            (Self::ARRAY, "array"),
            (Self::NULL, "null"),
        ];
        let (mut left, mut words) = (self, Vec::new());
        for (types, name) in names {
            if left.has(types) {
                left = left.without(types);
                words.push(name);
            }
        }
        if words.is_empty() { "nothing".to_owned() } else { words.join(" or ") }
    }
}
