//! Which members have to be there can be said in many ways; each is decided, wherever it stands.

use mcpproof_surface::Severity::{self, Breaking, Compatible};
use mcpproof_surface::schema::{Side, compare};
use serde_json::{Value, json};

use Side::{Input, Output};

fn object(keywords: &Value, closed: bool) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "boolean"}},
    });
    let members = schema.as_object_mut().expect("it is an object");
    members.extend(keywords.as_object().expect("keywords are members").clone());
    if closed {
        members.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}

/// The schema itself, and the schema inside of others.
fn around(schema: &Value) -> Vec<Value> {
    let property = json!({"type": "object", "properties": {"p": schema}, "required": ["p"]});
    let item = json!({"type": "object", "properties": {"p": {"type": "array", "items": schema}}});
    let named = json!({
        "type": "object",
        "properties": {"p": {"$ref": "#/$defs/P"}, "q": {"$ref": "#/$defs/Q"}},
        "required": ["q"],
        "$defs": {"P": schema, "Q": {"enum": [1, 2]}},
    });
    vec![schema.clone(), property, item, named]
}

fn worst(side: Side, before: &Value, after: &Value) -> Severity {
    let changes = compare("", side, Some(before), Some(after)).changes;
    let worst = changes.iter().max_by_key(|change| change.severity).expect("something changed");
    assert_eq!(
        worst.severity == Breaking,
        worst.witness.is_some(),
        "{side:?} {}\n{before}\n{after}",
        worst.rule.id
    );
    worst.severity
}

/// `wide` takes all that `narrow` takes, and more.
fn narrower(wide: Value, narrow: Value) {
    for closed in [true, false] {
        let (wide, narrow) = (object(&wide, closed), object(&narrow, closed));
        for (wide, narrow) in around(&wide).iter().zip(&around(&narrow)) {
            assert_eq!(worst(Input, wide, narrow), Breaking, "{wide}\n{narrow}");
            assert_eq!(worst(Output, narrow, wide), Breaking, "{narrow}\n{wide}");
            assert!(worst(Input, narrow, wide) <= Compatible, "{narrow}\n{wide}");
            assert!(worst(Output, wide, narrow) <= Compatible, "{wide}\n{narrow}");
        }
    }
}

fn needs(name: &str) -> Value {
    json!({ "required": [name] })
}

#[test]
fn one_of_two_members_becomes_the_first() {
    let either = json!({"anyOf": [needs("a"), needs("b")]});
    narrower(either.clone(), json!({"anyOf": [needs("a")]}));
    narrower(either.clone(), needs("a"));
    narrower(either.clone(), needs("b"));
    narrower(json!({"anyOf": [needs("a"), needs("b"), needs("c")]}), either.clone());
    narrower(json!({}), either.clone());
    narrower(either, json!({"oneOf": [needs("a"), needs("b")]}));
}

#[test]
fn exactly_one_of_two_members_becomes_another_choice() {
    let one = json!({"oneOf": [needs("a"), needs("b")]});
    narrower(json!({}), one.clone());
    narrower(one.clone(), json!({"allOf": [one, {"not": needs("b")}]}));
}

#[test]
fn a_member_comes_to_need_or_to_forbid_another() {
    narrower(json!({}), json!({"dependentRequired": {"a": ["b"]}}));
    narrower(json!({"dependentRequired": {"a": ["b"]}}), json!({"dependentRequired": {"a": ["b", "c"]}}));
    narrower(json!({}), json!({"dependentSchemas": {"a": needs("b")}}));
    narrower(json!({}), json!({"dependentSchemas": {"a": {"not": needs("b")}}}));
    narrower(json!({}), json!({"not": needs("c")}));
    narrower(json!({}), json!({"not": {"required": ["a", "b"]}}));
    narrower(json!({"not": {"required": ["a", "b"]}}), json!({"not": needs("a")}));
    narrower(json!({}), json!({"if": needs("a"), "then": needs("b")}));
    narrower(json!({}), json!({"if": needs("a"), "then": {}, "else": needs("b")}));
    narrower(json!({"minProperties": 1}), json!({"minProperties": 2}));
}
