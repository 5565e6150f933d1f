//! A break is shown by the plainest value, however large or deep the schemas around it are.

use mcpproof_surface::Change;
use mcpproof_surface::schema::{Side, compare};
use serde_json::{Value, json};

fn of(value: Value) -> Value {
    json!({"type": "object", "properties": {"v": value}, "required": ["v"]})
}

/// The only breaking change, which has a witness.
fn broken(before: &Value, after: &Value) -> Change {
    let changes = compare("", Side::Input, Some(before), Some(after)).changes;
    let mut broken = changes.iter().filter(|change| change.witness.is_some());
    let first = broken.next().unwrap_or_else(|| panic!("no witness: {changes:?}")).clone();
    assert!(broken.next().is_none(), "{changes:?}");
    first
}

fn witness(before: &Value, after: &Value) -> Value {
    broken(before, after).witness.expect("it was filtered").instance
}

#[test]
fn a_removed_value_is_shown_however_long_the_list_is() {
    let list = |from: u32, to: u32| of(json!({ "enum": (from..to).collect::<Vec<_>>() }));
    assert_eq!(witness(&list(0, 20_000), &list(1, 20_000)), json!({"v": 0}));
    assert_eq!(witness(&list(0, 20_000), &list(0, 19_999)), json!({"v": 19_999}));
    assert_eq!(witness(&list(0, 20_000), &list(1, 20_001)), json!({"v": 0}));
}

#[test]
fn the_plainest_value_of_each_change_is_shown() {
    for (before, after, shown) in [
        (json!({"const": "a"}), json!({"const": "b"}), json!("a")),
        (json!({"type": ["string", "integer"]}), json!({"type": "string"}), json!(1)),
        (json!({"type": "integer", "maximum": 90}), json!({"type": "integer", "maximum": 70}), json!(71)),
        (json!({"type": "string"}), json!({"type": "string", "maxLength": 4_000}), json!("a".repeat(4_001))),
        (
            json!({"type": "string", "maxLength": 10_485_760}),
            json!({"type": "string", "maxLength": 5_242_880}),
            json!("a".repeat(5_242_881)),
        ),
        (
            json!({"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "boolean"}, "uniqueItems": true, "maxItems": 1}),
            json!([true, false]),
        ),
        (json!({"type": "string", "pattern": "^[ab]{2}$"}), json!({"enum": ["aa", "ab", "ba"]}), json!("bb")),
        (
            json!({"type": "string", "pattern": "^.{1,512}$"}),
            json!({"type": "string", "pattern": "^.{1,256}$"}),
            json!("a".repeat(257)),
        ),
        (
            json!({"type": "array", "items": {"type": "integer"}, "maxItems": 10_000}),
            json!({"type": "array", "items": {"type": "integer"}, "maxItems": 5_000}),
            json!(vec![1; 5_001]),
        ),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            json!({"type": "array", "items": {"type": "integer"}, "maxItems": 2}),
            json!([1, 1, 1]),
        ),
        (
            json!({"type": "array", "items": {"type": "boolean"}}),
            json!({"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}),
            json!([true, true]),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            json!({}),
        ),
        (
            json!({"type": "string", "pattern": "^[a-z]{3}$"}),
            json!({"type": "string", "pattern": "^[b-z]{3}$"}),
            json!("aaa"),
        ),
    ] {
        assert_eq!(
            witness(&of(before.clone()), &of(after.clone())),
            json!({ "v": shown }),
            "{before} {after}"
        );
    }
}

#[test]
fn a_break_below_many_required_members_is_shown() {
    let leaf = |max: u64| json!({"type": "string", "maxLength": max});
    let wraps: [fn(Value) -> Value; 4] = [
        |inner| json!({"type": "object", "properties": {"a": inner, "b": {"type": "string"}}, "required": ["a", "b"]}),
        |inner| json!({"type": "array", "items": inner, "minItems": 2}),
        |inner| json!({"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": inner}}]}),
        |inner| json!({"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": inner}, "required": ["a"]}]}),
    ];
    for first in 0..wraps.len() {
        let nest = |max| of((0..10).fold(leaf(max), |inner, at| wraps[(first + at) % wraps.len()](inner)));
        broken(&nest(5), &nest(4));
        // The same with a name for each level.
        let named = |max: u64| {
            let mut schema = of(json!({"$ref": "#/$defs/L9"}));
            schema["$defs"]["L"] = leaf(max);
            for at in 0..10 {
                let below = if at == 0 { "#/$defs/L".to_owned() } else { format!("#/$defs/L{}", at - 1) };
                schema["$defs"][format!("L{at}")] =
                    wraps[(first + at) % wraps.len()](json!({ "$ref": below }));
            }
            schema
        };
        broken(&named(5), &named(4));
    }
}

#[test]
fn a_value_that_would_double_with_each_level_is_not_built() {
    let twice = |max: u64| {
        let mut schema = of(json!({"$ref": "#/$defs/L29"}));
        schema["$defs"]["L"] = json!({"type": "string", "maxLength": max});
        for at in 0..30 {
            let below = if at == 0 { "#/$defs/L".to_owned() } else { format!("#/$defs/L{}", at - 1) };
            let below = json!({ "$ref": below });
            schema["$defs"][format!("L{at}")] =
                json!({"type": "object", "properties": {"l": below, "r": below}, "required": ["l", "r"]});
        }
        schema
    };
    let changes = compare("", Side::Input, Some(&twice(5)), Some(&twice(4))).changes;
    assert!(!changes.is_empty(), "it is told, with or without a witness");
}
