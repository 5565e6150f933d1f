//! Walks a JSON Schema by its keywords, so that data inside `default` or `enum` is not taken for schemas.

use serde_json::Value as Json;

/// A subschema and where it stands.
pub(crate) struct Visit<'a> {
    /// The subschema.
    pub(crate) schema: &'a Json,
    /// Its JSON pointer from the root, not percent-encoded.
    pub(crate) pointer: &'a str,
}

/// Keywords whose value is one schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas.
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value maps names to schemas.
const MAP: &[&str] =
    &["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Nesting that no honest schema has.
const DEPTH_LIMIT: usize = 200;

/// Calls `see` for the root and every subschema, parents first.
pub(crate) fn walk(schema: &Json, see: &mut dyn FnMut(Visit<'_>)) {
    visit(schema, &mut String::new(), 0, see);
}

fn visit(schema: &Json, pointer: &mut String, depth: usize, see: &mut dyn FnMut(Visit<'_>)) {
    let Some(members) = schema.as_object() else { return };
    if depth > DEPTH_LIMIT {
        return;
    }
    see(Visit { schema, pointer });
    for (keyword, value) in members {
        let length = pointer.len();
        push(pointer, keyword);
        let (is_one, is_list, is_map) = (
            ONE.contains(&keyword.as_str()),
            LIST.contains(&keyword.as_str()),
            MAP.contains(&keyword.as_str()),
        );
        match value {
            Json::Object(_) if is_one => visit(value, pointer, depth + 1, see),
            Json::Array(items) if is_list => {
                each(items.iter().enumerate().map(|(at, item)| (at.to_string(), item)), pointer, depth, see);
            }
            Json::Object(map) if is_map => each(map.iter().map(|(k, v)| (k.clone(), v)), pointer, depth, see),
            _ => {}
        }
        pointer.truncate(length);
    }
}

fn each<'a>(
    children: impl Iterator<Item = (String, &'a Json)>,
    pointer: &mut String,
    depth: usize,
    see: &mut dyn FnMut(Visit<'_>),
) {
    for (name, child) in children {
        let length = pointer.len();
        push(pointer, &name);
        visit(child, pointer, depth + 1, see);
        pointer.truncate(length);
    }
}

fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

/// Tells whether `reference` leads somewhere inside `root`: by pointer, by anchor, or by the `$id` of a subschema.
pub(crate) fn resolves(root: &Json, reference: &str) -> bool {
    let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let mut bases = vec![];
    if base.is_empty() {
        bases.push(root);
    }
    let mut nested_ids = false;
    let mut anchored = false;
    walk(root, &mut |visit: Visit<'_>| {
        let text = |keyword: &str| visit.schema.get(keyword).and_then(Json::as_str);
        if let Some(id) = text("$id").or_else(|| text("id")) {
            nested_ids |= !visit.pointer.is_empty();
            anchored |= id.strip_prefix('#') == Some(fragment);
            if !base.is_empty() && (id == base || id.ends_with(&format!("/{base}"))) {
                anchored |= fragment.is_empty();
                nested_ids = true;
            }
        }
        anchored |= ["$anchor", "$dynamicAnchor"].iter().any(|keyword| text(keyword) == Some(fragment));
    });
    let by_pointer = |root: &&Json| fragment.is_empty() || root.pointer(&decoded(fragment)).is_some();
    // A pointer into a subschema with an `$id` of its own counts from there; it gets the benefit of the doubt.
    anchored || bases.iter().any(by_pointer) || (nested_ids && fragment.starts_with('/'))
}

/// Undoes percent-encoding, as URI fragments have it.
fn decoded(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = fragment.get(at + 1..at + 3).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The dialect a schema names; 2020-12 when it names none, `None` for one that is unknown.
pub(crate) fn dialect_of(schema: &Json) -> Option<&'static str> {
    let Some(named) = schema.get("$schema").and_then(Json::as_str) else { return Some("2020-12") };
    let named = named.trim_end_matches('#').trim_end_matches('/');
    let tail = named
        .strip_prefix("https://json-schema.org/")
        .or_else(|| named.strip_prefix("http://json-schema.org/"))?;
    match tail {
        "draft/2020-12/schema" => Some("2020-12"),
        "draft/2019-09/schema" => Some("2019-09"),
        "draft-07/schema" => Some("draft-07"),
        "draft-06/schema" => Some("draft-06"),
        "draft-04/schema" => Some("draft-04"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_resolve_by_pointer_anchor_and_id() {
        let schema =
            json!({"$id": "https://x.invalid/root", "$defs": {"a b": {"$anchor": "here"}, "c/d": {}}});
        for good in ["#", "#/$defs/a%20b", "#here", "#/$defs/c~1d", "https://x.invalid/root"] {
            assert!(resolves(&schema, good), "{good}");
        }
        for bad in ["#/$defs/nothing", "#nowhere", "other.json", "https://y.invalid/root"] {
            assert!(!resolves(&schema, bad), "{bad}");
        }
    }

    #[test]
    fn data_is_not_taken_for_schemas() {
        let schema = json!({"default": {"$ref": "#/x"}, "enum": [{"$ref": "#/x"}], "properties": {"$ref": {"type": "string"}}});
        let mut seen = Vec::new();
        walk(&schema, &mut |visit: Visit<'_>| seen.push(visit.pointer.to_owned()));
        assert_eq!(seen, ["", "/properties/$ref"]);
    }
}
