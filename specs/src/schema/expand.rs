//! Expands shapes to JSON Schema 2020-12. What the shapes are stands in `shapes`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::Revision;
use crate::shapes::{self, Definition, Field, Shape};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Builds the document with every definition of `revision`.
pub(super) fn document(revision: Revision) -> Value {
    let defs: Map<_, _> = shapes::names(revision)
        .filter_map(|name| Some((name.into(), definition(shapes::lookup(name, revision)?, revision))))
        .collect();
    json!({ "$schema": DIALECT, "$defs": defs })
}

/// Builds a schema for `name` with only the definitions it needs; None when `revision` lacks it.
pub(super) fn standalone(revision: Revision, name: &str) -> Option<Value> {
    shapes::lookup(name, revision)?;
    let mut defs = BTreeMap::new();
    let mut wanted = vec![name.to_owned()];
    while let Some(name) = wanted.pop() {
        if defs.contains_key(&name) {
            continue;
        }
        let found = shapes::lookup(&name, revision).expect("a test looks every name up in every revision");
        let schema = definition(found, revision);
        collect_references(&schema, &mut wanted);
        defs.insert(name, schema);
    }
    Some(json!({ "$schema": DIALECT, "$ref": reference(name), "$defs": defs }))
}

fn reference(name: &str) -> String {
    format!("#/$defs/{name}")
}

fn collect_references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            names.extend(target.and_then(|t| t.strip_prefix("#/$defs/")).map(str::to_owned));
            members.values().for_each(|value| collect_references(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, names)),
        _ => {}
    }
}

fn definition(definition: &Definition, revision: Revision) -> Value {
    match &definition.shape {
        Shape::Object(_) => object(&definition.fields(revision), revision),
        shape => expand(shape, revision),
    }
}

fn expand(shape: &Shape, revision: Revision) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Simple(kind) => json!({ "type": kind }),
        Shape::Formatted(format) => json!({ "type": "string", "format": format }),
        Shape::Ranged { kind, at_least, at_most } => ranged(kind, *at_least, *at_most),
        Shape::Const(value) => json!({ "const": value }),
        Shape::List { item, at_most: None } => json!({ "type": "array", "items": expand(item, revision) }),
        Shape::List { item, at_most: Some(most) } => {
            json!({ "type": "array", "items": expand(item, revision), "maxItems": most })
        }
        Shape::Map(value) => json!({ "type": "object", "additionalProperties": expand(value, revision) }),
        Shape::Object(fields) => {
            let here: Vec<_> = fields.iter().filter(|field| field.revisions.contains(revision)).collect();
            object(&here, revision)
        }
        Shape::Named(name) => json!({ "$ref": reference(name) }),
        Shape::Union(branches) => {
            let here = branches.iter().filter(|(_, revisions)| revisions.contains(revision));
            union(&here.map(|(shape, _)| shape).collect::<Vec<_>>(), revision)
        }
        Shape::All(shapes) => {
            json!({ "allOf": shapes.iter().map(|shape| expand(shape, revision)).collect::<Vec<_>>() })
        }
    }
}

fn ranged(kind: &str, at_least: Option<i64>, at_most: Option<i64>) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), kind.into())]);
    schema.extend(at_least.map(|least| ("minimum".to_owned(), least.into())));
    schema.extend(at_most.map(|most| ("maximum".to_owned(), most.into())));
    Value::Object(schema)
}

fn object(fields: &[&Field], revision: Revision) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    if !fields.is_empty() {
        let properties: Map<_, _> =
            fields.iter().map(|field| (field.name.clone(), expand(&field.shape, revision))).collect();
        schema.insert("properties".into(), properties.into());
    }
    let required: Vec<_> = fields.iter().filter(|field| field.is_required).map(|f| f.name.as_str()).collect();
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    Value::Object(schema)
}

/// Unions of constants and of plain types have keywords of their own, and with them clearer errors.
fn union(branches: &[&Shape], revision: Revision) -> Value {
    let constants =
        branches.iter().map(|shape| if let Shape::Const(value) = shape { Some(value) } else { None });
    if let Some(constants) = constants.collect::<Option<Vec<_>>>() {
        return json!({ "enum": constants });
    }
    let kinds = branches.iter().map(|shape| if let Shape::Simple(kind) = shape { Some(*kind) } else { None });
    if let Some(kinds) = kinds.collect::<Option<Vec<_>>>() {
        return json!({ "type": kinds });
    }
    json!({ "anyOf": branches.iter().map(|shape| expand(shape, revision)).collect::<Vec<_>>() })
}
