//! Laws of comparing schemas, over made-up schemas and one edit at a time.

#[path = "bodies/schema.rs"]
mod bodies;

use mcpproof_surface::Severity;
use mcpproof_surface::schema::{Side, compare};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0_u64..4, 4_u64..9)
            .prop_map(|(min, max)| json!({"type": "string", "minLength": min, "maxLength": max})),
        (-9_i64..0, 1_i64..9)
            .prop_map(|(min, max)| json!({"type": "integer", "minimum": min, "maximum": max})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "string", "pattern": "^[a-z]{1,8}$"})),
        prop::collection::vec("[a-d]{1,3}", 1..4).prop_map(|values| {
            let values: std::collections::BTreeSet<_> = values.into_iter().collect();
            json!({"type": "string", "enum": values})
        }),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            object(inner.clone()),
            inner.prop_map(|some| json!({"anyOf": [some, {"type": "null"}]})),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (prop::collection::btree_map("[p-t]", inner, 1..4), any::<bool>(), any::<bool>()).prop_map(
        |(members, some, closed)| {
            let required: Vec<_> = members.keys().filter(|_| some).take(1).cloned().collect();
            let mut schema = json!({"type": "object", "properties": members, "required": required});
            if closed {
                schema["additionalProperties"] = json!(false);
            }
            schema
        },
    )
}

fn worst(side: Side, before: &Value, after: &Value) -> Severity {
    let changes = compare("", side, Some(before), Some(after)).changes;
    changes.iter().map(|change| change.severity).max().unwrap_or(Severity::None)
}

fn around(value: &Value) -> Value {
    json!({"type": "object", "properties": {"v": value}, "required": ["v"]})
}

/// A pair of which the second takes less.
fn narrowed() -> impl Strategy<Value = (Value, Value)> {
    let tight = |wide: Value, key: &'static str, value: Value| {
        let mut narrow = wide.clone();
        narrow[key] = value;
        (wide, narrow)
    };
    prop_oneof![
        (2_u64..9).prop_map(move |max| tight(
            json!({"type": "string", "maxLength": max}),
            "maxLength",
            json!(max - 1)
        )),
        (-9_i64..9).prop_map(move |min| tight(
            json!({"type": "integer", "minimum": min}),
            "minimum",
            json!(min + 1)
        )),
        (1_u64..5).prop_map(move |max| tight(
            json!({"type": "array", "maxItems": max}),
            "maxItems",
            json!(max - 1)
        )),
        (2_usize..6).prop_map(move |count| {
            let values: Vec<_> = (0..count).map(|idx| format!("v{idx}")).collect();
            tight(json!({"enum": values}), "enum", json!(values[1..]))
        }),
        Just(tight(json!({"type": ["string", "null"]}), "type", json!("string"))),
        Just(tight(json!({"type": "number"}), "type", json!("integer"))),
        Just(tight(json!({"type": "string", "pattern": "^[a-z0-9]*$"}), "pattern", json!("^[a-z]*$"))),
        object(leaf())
            .prop_filter("open", |schema| schema.get("additionalProperties").is_none())
            .prop_map(move |schema| tight(schema, "additionalProperties", json!(false))),
        object(leaf()).prop_map(move |schema| {
            let names: Vec<_> =
                schema["properties"].as_object().expect("an object has members").keys().cloned().collect();
            let mut wide = schema;
            wide["required"] = json!([]);
            tight(wide, "required", json!(names))
        }),
    ]
}

fn moved(schema: &Value) -> Value {
    let mut out = schema.clone();
    let Some(value) = out["properties"].get("v").cloned() else { return out };
    out["properties"]["v"] = json!({"$ref": "#/$defs/Moved"});
    out["$defs"] = json!({"Moved": value});
    out
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::from(
            members.iter().rev().map(|(name, value)| (name.clone(), reversed(value))).collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::from(items.iter().map(reversed).collect::<Vec<_>>()),
        other => other.clone(),
    }
}

/// Schemas that nobody would write: any keyword with any value.
fn odd() -> impl Strategy<Value = Value> {
    const KEYS: &str = "type|enum|const|minimum|exclusiveMaximum|multipleOf|maxLength|pattern|items|prefixItems|contains|uniqueItems|minItems|properties|patternProperties|additionalProperties|unevaluatedProperties|propertyNames|required|minProperties|dependentRequired|dependencies|dependentSchemas|allOf|anyOf|oneOf|not|if|then|else|$ref|$defs|$id|$anchor|$schema|default|description";
    let scalar = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(null)),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "#|#/\\$defs/a|#a|string|object|array|number|[a-c^$+(]{1,4}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 40, 4, |inner| {
        let key = prop::sample::select(KEYS.split('|').chain(["a", "b"]).collect::<Vec<_>>());
        let members = prop::collection::vec((key, inner.clone()), 0..5);
        let members = members.prop_map(|members| {
            Value::from(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
            )
        });
        prop_oneof![3 => members, 1 => prop::collection::vec(inner, 0..4).prop_map(Value::from)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_schema_does_not_differ_from_itself(schema in schema()) {
        let schema = around(&schema);
        for side in [Side::Input, Side::Output] {
            let comparison = compare("", side, Some(&schema), Some(&reversed(&schema)));
            prop_assert!(comparison.changes.is_empty() && comparison.texts.is_empty());
        }
    }

    #[test]
    fn a_schema_behind_a_reference_is_the_same(schema in schema()) {
        let schema = around(&schema);
        for side in [Side::Input, Side::Output] {
            prop_assert_eq!(worst(side, &schema, &moved(&schema)), Severity::None);
            prop_assert_eq!(worst(side, &moved(&schema), &schema), Severity::None);
        }
    }

    #[test]
    fn what_narrows_breaks_callers_and_what_widens_breaks_readers((wide, narrow) in narrowed(), deep in any::<bool>()) {
        let put = |schema: &Value| if deep { around(&json!({"type": "array", "items": around(schema)})) } else { around(schema) };
        let (wide, narrow) = (put(&wide), put(&narrow));
        prop_assert_eq!(worst(Side::Input, &wide, &narrow), Severity::Breaking);
        prop_assert_eq!(worst(Side::Input, &narrow, &wide), Severity::Compatible);
        prop_assert_eq!(worst(Side::Output, &wide, &narrow), Severity::Compatible);
        prop_assert_eq!(worst(Side::Output, &narrow, &wide), Severity::Breaking);
    }

    #[test]
    fn odd_schemas_are_compared_without_harm(before in odd(), after in odd()) {
        bodies::schemas(&format!("{before}\n{after}"));
        bodies::schemas(&format!("{}\n{}", around(&before), around(&after)));
    }

    #[test]
    fn each_break_between_any_two_schemas_is_confirmed(before in schema(), after in schema()) {
        let (before, after) = (around(&before), around(&after));
        for side in [Side::Input, Side::Output] {
            for change in compare("", side, Some(&before), Some(&after)).changes {
                prop_assert!(change.severity < Severity::Breaking || change.witness.is_some());
                if let Some(witness) = change.witness {
                    let valid = |schema: &Value| jsonschema::validator_for(schema).expect("it was compared").is_valid(&witness.instance);
                    prop_assert_eq!((valid(&before), valid(&after)), (witness.before, witness.after));
                }
            }
        }
    }
}
