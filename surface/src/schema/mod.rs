//! Compares two JSON Schemas: a walk names what changed, a proof or a witness decides what it breaks.

use crate::change::Change;
use serde_json::Value;

/// On which side of a call a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `inputSchema`: the new one must take every old call.
    Input,
    /// `outputSchema`: the old one must take every new result.
    Output,
}

/// What kind of text stands in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `description`, which a model reads.
    Description,
    /// `title`, a label.
    Title,
    /// Any other text of the schema that a model reads: members of `enum`, `const`, `default`, `examples`.
    Value,
}

/// A text of the old schema and its counterpart in the new one, `$ref` followed.
#[derive(Clone, Debug, PartialEq)]
pub struct TextPair {
    /// Where it stands, as a JSON pointer into the surface.
    pub path: String,
    /// What kind of text it is.
    pub role: Role,
    /// What stood there.
    pub before: Option<String>,
    /// What stands there now.
    pub after: Option<String>,
}

/// What became of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What it breaks or allows.
    pub changes: Vec<Change>,
    /// Its texts, for the rules on text; equal pairs are left out.
    pub texts: Vec<TextPair>,
}

/// Compares the schema at `path` (a JSON pointer into the surface, `/tools/t/inputSchema`) with its successor.
pub fn compare(_path: &str, _side: Side, _before: Option<&Value>, _after: Option<&Value>) -> Comparison {
    Comparison::default()
}
