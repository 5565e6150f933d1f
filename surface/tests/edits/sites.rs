//! The places in a schema at which an edit has the same effect on the whole.

use super::Schema;
use serde_json::Value;

/// What a schema may say beside the keyword that leads on, without a say in what is taken.
const NOTES: [&str; 8] =
    ["description", "title", "default", "examples", "$schema", "$defs", "definitions", "$comment"];
/// Keywords that stand alone: each says something of its own about the value.
const PLAIN: [&str; 14] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "multipleOf",
    "format",
];
/// Keywords that lead on, or bound what does.
const LEADING: [&str; 4] = ["properties", "required", "items", "additionalProperties"];
/// The names of types; others are none.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

/// Pointers to all schemas that can be reached and have no say but their own.
pub(crate) fn sites(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![String::new()];
    while let Some(at) = left.pop() {
        let Some(Value::Object(site)) = schema.pointer(&at) else { continue };
        if found.contains(&at) || !fair(site) {
            continue;
        }
        if says_only(site, "$ref") {
            let target = site.get("$ref").and_then(Value::as_str).and_then(|uri| uri.strip_prefix('#'));
            left.extend(target.map(str::to_owned));
        } else if says_only(site, "anyOf") || says_only(site, "oneOf") {
            left.extend(branches(site, &at));
        } else if site.keys().all(|key| is(key, &[&NOTES, &PLAIN, &LEADING])) {
            left.extend(below(site, &at));
            found.push(at);
        }
    }
    found.sort();
    found
}

fn is(key: &str, lists: &[&[&str]]) -> bool {
    lists.iter().any(|list| list.contains(&key))
}

/// Whether the words of a schema mean what they seem to.
fn fair(site: &Schema) -> bool {
    let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    let types = match site.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().all(known),
        Some(name) => known(name),
    };
    let listed = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        site.get("properties").is_some_and(|members| members.get(name).is_some())
    };
    let required =
        site.get("required").is_none_or(|names| names.as_array().is_some_and(|all| all.iter().all(listed)));
    // What is listed has to be possible, and listed once.
    let values = site.get("enum").and_then(Value::as_array);
    let possible = values.is_none_or(|values| {
        let kind = site.get("type").and_then(Value::as_str);
        let fits = |value: &Value| kind.is_none_or(|kind| kind_of(value) == kind);
        let once = |value| values.iter().filter(|other| *other == value).count() == 1;
        values.iter().all(|value| fits(value) && once(value))
    });
    types && required && possible
}

/// Names the type of a value.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn says_only(site: &Schema, keyword: &str) -> bool {
    site.contains_key(keyword) && site.keys().all(|key| key == keyword || is(key, &[&NOTES]))
}

/// Branches of which no two take a value of the same type.
fn branches(site: &Schema, at: &str) -> Vec<String> {
    let (key, list) = site.iter().find(|(key, _)| is(key, &[&["anyOf", "oneOf"]])).expect("it says so");
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut types: Vec<_> = list.iter().filter_map(|branch| branch.get("type")?.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    let numbers = types.contains(&"integer") && types.contains(&"number");
    if types.len() < list.len() || numbers {
        return Vec::new();
    }
    (0..list.len()).map(|idx| format!("{at}/{key}/{idx}")).collect()
}

fn below(site: &Schema, at: &str) -> Vec<String> {
    let kind = site.get("type").and_then(Value::as_str);
    let mut all = Vec::new();
    if kind == Some("object") {
        let members = site.get("properties").and_then(Value::as_object).into_iter().flatten();
        all.extend(members.map(|(name, _)| mcpproof_surface::pointer(&format!("{at}/properties"), name)));
        all.push(format!("{at}/additionalProperties"));
    }
    if kind == Some("array") {
        all.push(format!("{at}/items"));
    }
    all
}
