//! Edits after which less is taken, and edits of members.

use super::same::{absent, of};
use super::{Dice, Edit, Schema};
use mcpproof_surface::Severity::{self, Breaking, Compatible, Risky};
use serde_json::{Value, json};

const LESS: [Severity; 4] = [Breaking, Compatible, Compatible, Breaking];
const OTHER: [Severity; 4] = [Breaking; 4];

const fn edit(name: &'static str, means: [Severity; 4], apply: fn(&mut Schema, Dice) -> Option<()>) -> Edit {
    Edit { name, means, apply }
}

/// Each of them, at any place.
pub(crate) const NARROWING: &[Edit] = &[
    edit("a listed value less", LESS, |site, dice| {
        let values = site.get_mut("enum")?.as_array_mut().filter(|values| values.len() > 1)?;
        values.remove(dice.0 % values.len());
        Some(())
    }),
    edit("a list of values", LESS, |site, _| {
        free_text(site)?;
        absent(site, "enum", json!(["plain", "fancy"]))
    }),
    edit("a constant", LESS, |site, _| {
        free_text(site)?;
        absent(site, "const", json!("only"))
    }),
    edit("whole numbers only", LESS, |site, _| {
        of(site, "number")?;
        bare(site, &["enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum"])?;
        site.insert("type".into(), json!("integer"));
        Some(())
    }),
    edit("no null", LESS, |site, _| {
        bare(site, &["enum", "const"])?;
        let types = site.get_mut("type")?.as_array_mut().filter(|types| types.len() > 1)?;
        let at = types.iter().position(|name| name == "null")?;
        types.remove(at);
        Some(())
    }),
    edit("another type", OTHER, |site, _| {
        free_text(site)?;
        site.insert("type".into(), json!("integer"));
        Some(())
    }),
    edit("a higher minimum", LESS, |site, dice| {
        whole(site)?;
        let least = site.get("minimum").and_then(Value::as_i64).unwrap_or(-1_000);
        let most = site.get("maximum").and_then(Value::as_i64).unwrap_or(1_000);
        let raised = least + 1 + i64::try_from(dice.0 % 9).ok()?;
        (raised <= most).then(|| site.insert("minimum".into(), json!(raised))).map(drop)
    }),
    edit("a lower maximum", LESS, |site, dice| {
        whole(site)?;
        let least = site.get("minimum").and_then(Value::as_i64).unwrap_or(-1_000);
        let most = site.get("maximum").and_then(Value::as_i64).unwrap_or(1_000);
        let lowered = most - 1 - i64::try_from(dice.0 % 9).ok()?;
        (lowered >= least).then(|| site.insert("maximum".into(), json!(lowered))).map(drop)
    }),
    edit("even numbers", LESS, |site, _| {
        whole(site)?;
        bare(site, &["minimum", "maximum", "multipleOf"])?;
        absent(site, "multipleOf", json!(2))
    }),
    edit("a longer text", LESS, |site, dice| {
        text(site)?;
        let (least, most) = span(site, "minLength", "maxLength");
        let raised = least + 1 + dice.0 as u64 % 5;
        (raised <= most).then(|| site.insert("minLength".into(), json!(raised))).map(drop)
    }),
    edit("a shorter text", LESS, |site, dice| {
        text(site)?;
        let (least, most) = span(site, "minLength", "maxLength");
        let lowered = most.min(300).checked_sub(1 + dice.0 as u64 % 5)?;
        (lowered >= least).then(|| site.insert("maxLength".into(), json!(lowered))).map(drop)
    }),
    edit("a pattern", LESS, |site, dice| {
        free_text(site)?;
        let pattern = dice.of(&["^[a-z]+$", "^[A-Z]{2,4}-\\d+$", "@", "^(?!-).+$", "\\.(png|jpe?g)$"])?;
        absent(site, "pattern", json!(pattern))
    }),
    edit("more items", LESS, |site, _| {
        of(site, "array")?;
        bare(site, &["uniqueItems"])?;
        let (least, most) = span(site, "minItems", "maxItems");
        (least < most).then(|| site.insert("minItems".into(), json!(least + 1))).map(drop)
    }),
    edit("fewer items", LESS, |site, dice| {
        of(site, "array")?;
        bare(site, &["uniqueItems"])?;
        let (least, most) = span(site, "minItems", "maxItems");
        let lowered = most.min(5).checked_sub(1 + dice.0 as u64 % 3)?;
        (lowered >= least).then(|| site.insert("maxItems".into(), json!(lowered))).map(drop)
    }),
    edit("unique items", LESS, |site, _| {
        of(site, "array")?;
        bare(site, &["maxItems"])?;
        absent(site, "uniqueItems", json!(true))
    }),
    edit("items of a type", LESS, |site, _| {
        of(site, "array")?;
        bare(site, &["maxItems"])?;
        absent(site, "items", json!({"type": "string"}))
    }),
    edit("an optional member required", LESS, |site, dice| {
        let optional: Vec<_> = names(site).into_iter().filter(|name| !requires(site, name)).collect();
        require(site, dice.of(&optional)?)
    }),
    edit("unknown members refused", LESS, |site, _| {
        of(site, "object")?;
        absent(site, "additionalProperties", json!(false))
    }),
    edit("unknown members of a type", LESS, |site, _| {
        of(site, "object")?;
        absent(site, "additionalProperties", json!({"type": "integer"}))
    }),
    edit("fewer members", LESS, |site, _| {
        of(site, "object")?;
        let count = names(site).iter().filter(|name| requires(site, name)).count();
        (count < names(site).len()).then(|| absent(site, "maxProperties", json!(count)))?
    }),
    edit("a required member more, open", [Breaking, Risky, Compatible, Breaking], |site, _| {
        open(site)?;
        list(site, "sinceWhen")?;
        require(site, "sinceWhen")
    }),
    edit("a required member more, closed", OTHER, |site, _| {
        closed(site)?;
        list(site, "sinceWhen")?;
        require(site, "sinceWhen")
    }),
    edit("an optional member more, open", [Compatible, Risky, Compatible, Risky], |site, _| {
        open(site)?;
        list(site, "sinceWhen")
    }),
    edit("an optional member more, closed", [Compatible, Breaking, Breaking, Risky], |site, _| {
        closed(site)?;
        list(site, "sinceWhen")
    }),
    edit("a required member renamed", OTHER, |site, dice| {
        let required: Vec<_> = names(site).into_iter().filter(|name| requires(site, name)).collect();
        let from = dice.of(&required)?;
        let members = site.get_mut("properties")?.as_object_mut()?;
        let schema = members.remove(from)?;
        members.insert(format!("{from}V2"), schema);
        let all = site.get_mut("required")?.as_array_mut()?;
        all.retain(|name| name != from);
        all.push(json!(format!("{from}V2")));
        Some(())
    }),
];

fn bare(site: &Schema, keys: &[&str]) -> Option<()> {
    keys.iter().all(|key| !site.contains_key(*key)).then_some(())
}

fn text(site: &Schema) -> Option<()> {
    of(site, "string")?;
    bare(site, &["enum", "const", "pattern", "format"])
}

fn free_text(site: &Schema) -> Option<()> {
    text(site)?;
    bare(site, &["minLength", "maxLength", "default"])
}

fn whole(site: &Schema) -> Option<()> {
    of(site, "integer")?;
    bare(site, &["enum", "const", "exclusiveMinimum"])
}

fn span(site: &Schema, least: &str, most: &str) -> (u64, u64) {
    let bound = |key, other| site.get(key).and_then(Value::as_u64).unwrap_or(other);
    (bound(least, 0), bound(most, 10_000))
}

fn names(site: &Schema) -> Vec<String> {
    let members = site.get("properties").and_then(Value::as_object);
    let object = of(site, "object").and(members);
    object.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn requires(site: &Schema, name: &str) -> bool {
    site.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
}

fn require(site: &mut Schema, name: &str) -> Option<()> {
    let all = site.entry("required").or_insert_with(|| json!([]));
    all.as_array_mut()?.push(json!(name));
    Some(())
}

fn list(site: &mut Schema, name: &str) -> Option<()> {
    let members = site.get_mut("properties")?.as_object_mut()?;
    members.insert(name.into(), json!({"type": "string"}));
    Some(())
}

fn open(site: &Schema) -> Option<()> {
    of(site, "object")?;
    site.get("additionalProperties").is_none_or(|rest| *rest == json!(true)).then_some(())
}

fn closed(site: &Schema) -> Option<()> {
    of(site, "object")?;
    site.get("additionalProperties").is_some_and(|rest| *rest == json!(false)).then_some(())
}
