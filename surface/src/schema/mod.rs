//! Compares two JSON Schemas: a walk names what changed, a proof or a witness decides what it breaks.

mod book;
mod child;
mod decide;
mod dialect;
mod document;
mod empty;
mod eval;
mod faults;
mod focus;
mod form;
mod graph;
mod hints;
mod node;
mod notes;
mod number;
mod opened;
mod pattern;
mod prove;
mod prove_shape;
mod sample;
mod search;
mod types;
mod walk;
mod walk_items;
mod walk_members;
mod walk_values;
mod witness;

pub(crate) use faults::faults;

use crate::change::Change;
use crate::rules::output::members::{OUTPUT_SCHEMA_ADDED, OUTPUT_SCHEMA_REMOVED};
use serde_json::{Value, json};

/// On which side of a call a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `inputSchema`: the new one must take every old call.
    Input,
    /// `outputSchema`: the old one must take every new result.
    Output,
}

/// What kind of text stands in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `description`, which a model reads.
    Description,
    /// `title`, a label.
    Title,
    /// Any other text of the schema that a model reads: members of `enum`, `const`, `default`, `examples`.
    Value,
}

/// A text of the old schema and its counterpart in the new one, `$ref` followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextPair {
    /// Where it stands, as a JSON pointer into the surface.
    pub path: String,
    /// What it is about, as a reader would name it, as `filter.limit`; empty for the whole, nothing for what is new as a whole.
    pub about: Option<String>,
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

/// Which values the whole of a schema may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// An object, as arguments always are, and results before 2026-07-28.
    Object,
    /// Any JSON value.
    Any,
}

/// Compares the schema at `path` (a JSON pointer into the surface, `/tools/t/inputSchema`) with its successor.
/// Results may be any JSON value.
pub fn compare(path: &str, side: Side, before: Option<&Value>, after: Option<&Value>) -> Comparison {
    let root = if side == Side::Input { Root::Object } else { Root::Any };
    compare_as(path, side, root, before, after)
}

/// Does so for values of which is known what they are as a whole.
pub fn compare_as(
    path: &str,
    side: Side,
    root: Root,
    before: Option<&Value>,
    after: Option<&Value>,
) -> Comparison {
    let changes = match (side, before, after) {
        (_, None, None) => Vec::new(),
        (_, Some(before), Some(after)) => return decide::decide(path, (side, root), before, after),
        (Side::Output, None, Some(after)) => {
            let mut comparison = decide::decide(path, (side, root), &Value::Bool(true), after);
            // A promise of any kind narrows what came without one.
            comparison.changes.retain(|change| {
                change.rule.id == "schema-invalid" || change.rule.id == "schema-external-ref"
            });
            let message = "results now have a schema";
            comparison
                .changes
                .push(Change::of(&OUTPUT_SCHEMA_ADDED, path, message).from_to(None, Some(after)));
            return comparison;
        }
        (Side::Output, Some(before), None) => {
            let message = "results no longer have a schema";
            vec![Change::of(&OUTPUT_SCHEMA_REMOVED, path, message).from_to(Some(before), None)]
        }
        // A tool without an input schema takes an object of any kind.
        (Side::Input, before, after) => {
            let any = json!({ "type": "object" });
            return decide::decide(path, (side, root), before.unwrap_or(&any), after.unwrap_or(&any));
        }
    };
    Comparison { changes, texts: Vec::new() }
}
