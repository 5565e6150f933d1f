//! Edits that mean nothing to anyone.

use super::{Dice, Edit, Schema};
use mcpproof_surface::Severity::None as Nothing;
use serde_json::{Value, json};

const fn same(name: &'static str, apply: fn(&mut Schema, Dice) -> Option<()>) -> Edit {
    Edit { name, means: [Nothing; 4], apply }
}

/// Each of them, at any place.
pub(crate) const SAME: &[Edit] = &[
    same("a comment", |site, _| absent(site, "$comment", json!("for whoever edits this"))),
    same("no least length", |site, _| of(site, "string").and_then(|()| absent(site, "minLength", json!(0)))),
    same("any text", |site, dice| {
        let any = dice.of(&["", "^", "$", ".*", "^.*", "[\\s\\S]*", "^[\\s\\S]*$", "(.|\\n)*"])?;
        of(site, "string").and_then(|()| absent(site, "pattern", json!(any)))
    }),
    same("no least count", |site, _| of(site, "array").and_then(|()| absent(site, "minItems", json!(0)))),
    same("not unique", |site, _| of(site, "array").and_then(|()| absent(site, "uniqueItems", json!(false)))),
    same("any items", |site, dice| of(site, "array").and_then(|()| absent(site, "items", anything(dice)))),
    same("any members", |site, dice| {
        of(site, "object").and_then(|()| absent(site, "additionalProperties", anything(dice)))
    }),
    same("members of any name", |site, dice| {
        of(site, "object")?;
        let listed = site.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
        if listed || site.contains_key("patternProperties") {
            return None;
        }
        let schema = site.remove("additionalProperties")?;
        let any = dice.of(&["", "^", ".*", "$"])?;
        absent(site, "patternProperties", json!({*any: schema}))
    }),
    same("none required", |site, _| of(site, "object").and_then(|()| absent(site, "required", json!([])))),
    same("a list of one type", |site, _| {
        let kind = site.get("type").filter(|kind| kind.is_string())?.clone();
        site.insert("type".into(), json!([kind]));
        Some(())
    }),
    same("a type less than implied", |site, _| {
        let kind = site.get("type").filter(|kind| **kind == json!("number"))?.clone();
        site.insert("type".into(), json!([kind, "integer"]));
        Some(())
    }),
    same("one allOf", |site, _| wrap(site, "allOf")),
    same("one anyOf", |site, _| wrap(site, "anyOf")),
    same("one oneOf", |site, _| wrap(site, "oneOf")),
    same("another order", |site, _| {
        let turned = site.iter().rev().map(|(key, value)| (key.clone(), turned(key, value))).collect();
        *site = turned;
        Some(())
    }),
    same("the type of listed values left out", |site, _| {
        if !site.contains_key("enum") && !site.contains_key("const") {
            return None;
        }
        site.remove("type").map(drop)
    }),
    same("constants for listed values", |site, _| {
        let values = site.remove("enum")?;
        let each: Vec<_> = values.as_array()?.iter().map(|value| json!({ "enum": [value] })).collect();
        site.insert("oneOf".into(), each.into());
        Some(())
    }),
    same("a bound beside whole numbers", |site, _| {
        of(site, "integer")?;
        let least = site.remove("minimum")?.as_i64()?;
        absent(site, "exclusiveMinimum", json!(least - 1))
    }),
    same("a step of one", |site, _| of(site, "integer").and_then(|()| absent(site, "multipleOf", json!(1)))),
    same("numbers as fractions", |site, _| {
        let key = ["maximum", "maxLength", "minItems"].into_iter().find(|key| site.contains_key(*key))?;
        let float = site[key].as_i64()? as f64;
        site.insert(key.into(), json!(float));
        Some(())
    }),
];

fn anything(dice: Dice) -> Value {
    if dice.0.is_multiple_of(2) { json!(true) } else { json!({}) }
}

/// Says that a schema is of one type only.
pub(super) fn of(site: &Schema, kind: &str) -> Option<()> {
    (site.get("type")?.as_str()? == kind).then_some(())
}

/// Adds a keyword that is not there.
pub(super) fn absent(site: &mut Schema, key: &str, value: Value) -> Option<()> {
    if site.contains_key(key) || site.contains_key("$ref") {
        return None;
    }
    site.insert(key.into(), value);
    Some(())
}

fn wrap(site: &mut Schema, key: &str) -> Option<()> {
    // Definitions and the dialect belong to the root.
    if site.is_empty() || ["$schema", "$defs", "definitions"].iter().any(|root| site.contains_key(*root)) {
        return None;
    }
    let inner = std::mem::take(site);
    site.insert(key.into(), json!([inner]));
    Some(())
}

/// Turns round what has no order.
fn turned(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("required" | "enum" | "anyOf" | "oneOf" | "allOf" | "type", Value::Array(list)) => {
            list.iter().rev().cloned().collect()
        }
        ("properties" | "$defs", Value::Object(members)) => {
            Value::Object(members.iter().rev().map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => value.clone(),
    }
}
