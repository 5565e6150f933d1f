//! Which draft a schema is written in, and which keywords that draft knows.

use jsonschema::Draft;
use serde_json::Value;
use std::fmt;

/// The drafts that are tried where a schema names none, likeliest first.
const GUESSES: [Draft; 4] = [Draft::Draft202012, Draft::Draft7, Draft::Draft4, Draft::Draft201909];

/// Tells the draft of `schema` by its `$schema`, and why it is not valid there; one without is 2020-12, as MCP has it, unless it is valid in an older draft only.
pub(super) fn dialect(schema: &Value) -> (Draft, Option<Fault>) {
    let named = schema.get("$schema").and_then(Value::as_str);
    if let Some(draft) = named.and_then(known) {
        return (draft, valid(schema, draft).err());
    }
    let mut first = None;
    for draft in GUESSES {
        match valid(schema, draft) {
            Ok(()) => return (draft, None),
            Err(fault) => drop(first.get_or_insert(fault)),
        }
    }
    (Draft::Draft202012, first)
}

/// Whether `$schema` names a draft that is known here.
pub(super) fn is_known(name: &Value) -> bool {
    name.as_str().is_some_and(|uri| known(uri).is_some())
}

fn known(uri: &str) -> Option<Draft> {
    let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    match rest.trim_end_matches('#').trim_end_matches('/') {
        "json-schema.org/draft-04/schema" => Some(Draft::Draft4),
        "json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        "json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        _ => None,
    }
}

/// What is wrong with a schema in some draft.
pub(super) struct Fault {
    /// What it is, wherever it stands.
    pub(super) what: String,
    /// Where it stands, as a JSON pointer.
    pub(super) at: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, at } = self;
        if at.is_empty() { out.write_str(what) } else { write!(out, "{what} at {at}") }
    }
}

/// Holds `schema` against the meta-schema of its draft.
pub(super) fn valid(schema: &Value, draft: Draft) -> Result<(), Fault> {
    let validator = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        _ => jsonschema::draft202012::meta::validate(schema),
    };
    validator.map_err(|error| Fault { what: error.to_string(), at: error.instance_path().to_string() })
}

/// The age of a draft; later is greater.
pub(super) fn age(draft: Draft) -> u8 {
    match draft {
        Draft::Draft4 => 4,
        Draft::Draft6 => 6,
        Draft::Draft7 => 7,
        Draft::Draft201909 => 8,
        _ => 9,
    }
}
