//! Each rule about schemas has a pair that it names, with the severity that proof or witness gives it.

use mcpproof_surface::Severity::{self, Breaking, Compatible, None as Same, Risky};
use mcpproof_surface::schema::{Comparison, Root, Side, compare, compare_as};
use serde_json::{Value, json};

use Side::{Input, Output};

fn of(value: Value) -> Value {
    json!({ "type": "object", "properties": { "v": value } })
}

/// Compares two schemas, and holds each break against the schemas that it is about.
fn changes(side: Side, before: &Value, after: &Value) -> Comparison {
    let comparison = compare("/tools/t/schema", side, Some(before), Some(after));
    for change in &comparison.changes {
        let told = change.witness.is_some() || change.rule.id == "schema-invalid";
        assert!(change.severity < Breaking || told, "{} has no witness: {before} {after}", change.rule.id);
        if let Some(witness) = &change.witness {
            let valid = |schema: &Value| {
                jsonschema::validator_for(schema).expect("it was compared").is_valid(&witness.instance)
            };
            assert_eq!(
                (valid(before), valid(after)),
                (witness.before, witness.after),
                "{}",
                witness.instance
            );
        }
    }
    comparison
}

fn check(side: Side, before: Value, after: Value, expected: &[(&str, Severity)]) {
    let found = changes(side, &before, &after).changes;
    let found: Vec<_> = found.iter().map(|change| (change.rule.id, change.severity)).collect();
    assert_eq!(found, expected, "{side:?}\n{before}\n{after}");
}

/// `wide` takes all that `narrow` takes, and more.
fn nested(wide: Value, narrow: Value, family: &str) {
    let (wide, narrow) = (of(wide), of(narrow));
    let one = |side, before: &Value, after: &Value, rule: &str, severity| {
        check(side, before.clone(), after.clone(), &[(rule, severity)]);
    };
    let id = |side: &str, turn: &str| format!("{side}-{family}-{turn}");
    one(Input, &wide, &narrow, &id("input", "narrowed"), Breaking);
    one(Input, &narrow, &wide, &id("input", "widened"), Compatible);
    one(Output, &wide, &narrow, &id("output", "narrowed"), Compatible);
    one(Output, &narrow, &wide, &id("output", "widened"), Breaking);
}

#[test]
fn limits_are_named_by_family_and_direction() {
    nested(json!({"type": ["string", "integer"]}), json!({"type": "string"}), "type");
    nested(json!({"type": "number"}), json!({"type": "integer"}), "type");
    nested(json!({"type": "integer", "minimum": 1}), json!({"type": "integer", "minimum": 5}), "range");
    nested(
        json!({"type": "integer", "multipleOf": 5}),
        json!({"type": "integer", "multipleOf": 10}),
        "range",
    );
    nested(
        json!({"type": "number", "maximum": 1}),
        json!({"type": "number", "exclusiveMaximum": 1}),
        "range",
    );
    nested(json!({"type": "string"}), json!({"type": "string", "maxLength": 3}), "length");
    nested(json!({"type": "array"}), json!({"type": "array", "uniqueItems": true}), "items");
    nested(json!({"type": "array"}), json!({"type": "array", "minItems": 1}), "items");
    nested(json!({"type": "array"}), json!({"type": "array", "contains": {"const": 1}}), "items");
    nested(json!({"type": "object"}), json!({"type": "object", "maxProperties": 1}), "size");
    nested(
        json!({"type": "object"}),
        json!({"type": "object", "patternProperties": {"^n": {"type": "null"}}}),
        "size",
    );
    nested(json!({"type": "string"}), json!({"type": "string", "pattern": "^[a-z]+$"}), "pattern");
    nested(
        json!({"type": "string", "pattern": "^[a-z0-9]+$"}),
        json!({"type": "string", "pattern": "^[a-z]+$"}),
        "pattern",
    );
    nested(json!({"type": "string"}), json!({"type": "string", "not": {"const": "root"}}), "composition");
}

#[test]
fn listed_values_and_null_are_named() {
    let listed = |values: &[&str]| of(json!({ "enum": values }));
    let (few, more, free) = (listed(&["a"]), listed(&["a", "b"]), of(json!({"type": "string"})));
    let null = of(json!({"type": ["string", "null"]}));
    for (side, before, after, rule, severity) in [
        (Input, &more, &few, "input-enum-value-removed", Breaking),
        (Input, &few, &more, "input-enum-value-added", Compatible),
        (Output, &more, &few, "output-enum-value-removed", Compatible),
        (Output, &few, &more, "output-enum-value-added", Breaking),
        (Input, &free, &more, "input-enum-introduced", Breaking),
        (Input, &more, &free, "input-enum-lifted", Compatible),
        (Output, &free, &more, "output-enum-introduced", Compatible),
        (Output, &more, &free, "output-enum-lifted", Breaking),
        (Input, &null, &free, "input-null-refused", Breaking),
        (Input, &free, &null, "input-null-accepted", Compatible),
        (Output, &null, &free, "output-null-dropped", Compatible),
        (Output, &free, &null, "output-null-added", Breaking),
        (Input, &few, &listed(&["b"]), "input-const-changed", Breaking),
        (Output, &few, &listed(&["b"]), "output-const-changed", Breaking),
        (Input, &free, &of(json!({"type": "integer"})), "input-type-changed", Breaking),
    ] {
        check(side, before.clone(), after.clone(), &[(rule, severity)]);
    }
}

#[test]
fn members_come_and_go() {
    let open = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let more = json!({"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}});
    let required = |schema: &Value, name: &str| {
        let mut schema = schema.clone();
        schema["required"] = json!([name]);
        schema
    };
    let closed = |schema: &Value| {
        let mut schema = schema.clone();
        schema["additionalProperties"] = json!(false);
        schema
    };
    let anything = |schema: &Value| {
        let mut open = open.clone();
        open["properties"]["n"] = schema.clone();
        open
    };
    let renamed = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    for (side, before, after, rule, severity) in [
        (Input, open.clone(), more.clone(), "input-property-added", Compatible),
        (Output, open.clone(), more.clone(), "output-property-added", Compatible),
        (Output, closed(&open), closed(&more), "output-property-added", Breaking),
        (Input, open.clone(), anything(&json!({})), "input-property-added", Compatible),
        (Output, open.clone(), anything(&json!(true)), "output-property-added", Compatible),
        (Input, closed(&open), closed(&anything(&json!(true))), "input-property-added", Compatible),
        (Output, closed(&open), closed(&anything(&json!({}))), "output-property-added", Breaking),
        (Input, open.clone(), required(&more, "n"), "input-required-added", Breaking),
        (Input, open.clone(), required(&open, "q"), "input-now-required", Breaking),
        (Input, required(&open, "q"), open.clone(), "input-now-optional", Compatible),
        (Output, open.clone(), required(&open, "q"), "output-now-guaranteed", Compatible),
        (Output, required(&open, "q"), open.clone(), "output-now-optional", Breaking),
        (Input, more.clone(), open.clone(), "input-property-ignored", Risky),
        (Input, closed(&more), closed(&open), "input-property-removed", Breaking),
        (Output, more.clone(), open.clone(), "output-property-removed", Risky),
        (Output, required(&more, "n"), open.clone(), "output-property-removed", Breaking),
        (Input, open.clone(), renamed.clone(), "input-property-renamed", Risky),
        (Input, closed(&open), closed(&renamed), "input-property-renamed", Breaking),
        (Output, required(&open, "q"), required(&renamed, "query"), "output-property-renamed", Breaking),
        (Input, open.clone(), closed(&open), "input-closed", Breaking),
        (Input, closed(&open), open.clone(), "input-opened", Compatible),
        (Output, open.clone(), closed(&open), "output-closed", Compatible),
        (Output, closed(&open), open.clone(), "output-opened", Breaking),
    ] {
        check(side, before, after, &[(rule, severity)]);
    }
}

#[test]
fn what_only_tells_is_never_breaking() {
    for (before, after, rule, severity) in [
        (
            json!({"type": "string"}),
            json!({"type": "string", "format": "uri"}),
            "input-format-added-or-changed",
            Risky,
        ),
        (
            json!({"type": "string", "format": "uri"}),
            json!({"type": "string"}),
            "input-format-removed",
            Compatible,
        ),
        (
            json!({"type": "string"}),
            json!({"type": "string", "contentEncoding": "base64"}),
            "input-format-added-or-changed",
            Risky,
        ),
        (
            json!({"type": "string", "contentMediaType": "image/png"}),
            json!({"type": "string"}),
            "input-format-removed",
            Compatible,
        ),
        (json!({"type": "integer"}), json!({"type": "integer", "default": 1}), "input-default-added", Risky),
        (json!({"default": 2}), json!({"default": 1}), "input-default-changed", Risky),
        (json!({"default": 2}), json!({}), "input-default-removed", Risky),
        (json!({}), json!({"deprecated": true}), "input-deprecated", Compatible),
        (json!({}), json!({"examples": [1]}), "input-examples-changed", Compatible),
        (json!({}), json!({"title": "V"}), "input-title-changed", Compatible),
        (json!({}), json!({"maximumLength": 3}), "schema-undecided", Risky),
    ] {
        let found = changes(Input, &of(before), &of(after)).changes;
        assert!(
            found.iter().any(|change| (change.rule.id, change.severity) == (rule, severity)),
            "{rule} {found:?}"
        );
        assert!(found.iter().all(|change| change.severity <= severity), "{rule} {found:?}");
    }
}

#[test]
fn schemas_as_a_whole_are_judged() {
    let schema = of(json!({"type": "string"}));
    check(Input, schema.clone(), of(json!({"type": "strin"})), &[("schema-invalid", Breaking)]);
    check(Input, schema.clone(), of(json!({"$ref": "#/$defs/Gone"})), &[("schema-invalid", Breaking)]);
    check(
        Input,
        schema.clone(),
        of(json!({"type": "string", "pattern": "("})),
        &[("schema-invalid", Breaking)],
    );
    check(
        Input,
        schema.clone(),
        of(json!({"$ref": "https://a.test/b.json"})),
        &[("schema-external-ref", Risky)],
    );
    for nothing in ["#/required", "#/type"] {
        check(Input, schema.clone(), of(json!({"$ref": nothing})), &[("schema-invalid", Breaking)]);
    }
    check(Input, schema.clone(), of(json!({"$ref": 5})), &[("schema-invalid", Breaking)]);
    let mut foreign = schema.clone();
    foreign["$schema"] = json!("https://a.test/my-dialect");
    check(Input, schema.clone(), foreign, &[("schema-undecided", Risky)]);
    let mut named = schema.clone();
    named["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    check(Output, schema, named, &[("schema-dialect-changed", Same)]);
}

#[test]
fn a_fault_that_stood_before_is_no_new_one() {
    let bad = json!({"type": "any"});
    let behind = |at: &str| {
        let mut schema = of(json!({ "$ref": format!("#/{at}/V") }));
        schema[at] = json!({ "V": bad });
        schema
    };
    let places =
        [of(bad.clone()), behind("$defs"), behind("definitions"), behind("components"), behind("x-own")];
    for (before, after) in places.iter().flat_map(|before| places.iter().map(move |after| (before, after))) {
        let found = changes(Input, before, after).changes;
        assert!(found.iter().all(|change| change.severity == Same), "{before}\n{after}\n{found:?}");
    }
    let mut more = of(bad.clone());
    more["required"] = json!(["v"]);
    assert!(changes(Input, &places[1], &more).changes.iter().all(|change| change.severity <= Risky));
    let other = of(json!({"type": "string", "minLength": "1"}));
    check(Input, of(json!({"type": "string"})), other, &[("schema-invalid", Breaking)]);
}

#[test]
fn other_spellings_of_the_same_are_no_change() {
    let tuple = json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false});
    let node = |name: &str| {
        let to = format!("#/$defs/{name}");
        json!({"$ref": to, "$defs": {name: {"type": "object", "properties": {"next": {"$ref": to}}}}})
    };
    for (before, after) in [
        (
            of(json!({"allOf": [{"type": "string"}, {"maxLength": 5}]})),
            of(json!({"type": "string", "maxLength": 5})),
        ),
        (
            of(json!({"type": ["string", "null"]})),
            of(json!({"anyOf": [{"type": "null"}, {"type": "string"}]})),
        ),
        (of(json!({"oneOf": [{"const": "a"}, {"const": "b"}]})), of(json!({"enum": ["b", "a"]}))),
        (of(json!({"type": "boolean"})), of(json!({"enum": [false, true]}))),
        (of(json!({"type": "integer", "exclusiveMinimum": 0})), of(json!({"type": "integer", "minimum": 1}))),
        (
            of(json!({"type": "string", "pattern": "^[0-9]+$"})),
            of(json!({"type": "string", "pattern": "^\\d\\d*$"})),
        ),
        (
            of(json!({"type": "number", "maximum": 1, "exclusiveMaximum": true})),
            of(json!({"type": "number", "exclusiveMaximum": 1})),
        ),
        (
            of(json!({"type": "string", "pattern": "^(on|off|a\\.b)$"})),
            of(json!({"enum": ["off", "a.b", "on"]})),
        ),
        (of(tuple), of(json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}))),
        (of(json!({"$ref": "#/$defs/a%20b"})), of(json!({"$ref": "#/$defs/a%20b"}))),
        (node("A"), node("B")),
    ] {
        let mut before = before;
        before["$defs"]["a b"] = json!({"type": "string"});
        let mut after = after;
        after["$defs"]["a b"] = json!({"type": "string"});
        for side in [Input, Output] {
            let found = compare("", side, Some(&before), Some(&after)).changes;
            assert!(found.iter().all(|change| change.severity == Same), "{before}\n{after}\n{found:?}");
        }
    }
}

#[test]
fn arguments_are_an_object_whatever_their_schema_says() {
    let members = json!({"v": {"type": "string"}});
    for before in [json!({}), json!(true), json!({"properties": {}}), json!({"type": ["object", "null"]})] {
        for (before, after) in
            [(&before, json!({"type": "object"})), (&json!({"type": "object"}), before.clone())]
        {
            let found = compare("", Input, Some(before), Some(&after)).changes;
            assert!(found.iter().all(|change| change.severity == Same), "{before} {after} {found:?}");
        }
    }
    check(
        Input,
        json!({"properties": members}),
        json!({"type": "object", "properties": members}),
        &[("schema-rewritten", Same)],
    );
    // Before 2026-07-28 results are objects, too; a schema for others is compared as it stands.
    let results = |root, before: &Value, after: &Value| {
        let changes = compare_as("", Output, root, Some(before), Some(after)).changes;
        changes.iter().map(|change| change.severity).max().unwrap_or(Same)
    };
    let (object, any) = (json!({"type": "object"}), json!({}));
    assert_eq!(results(Root::Object, &object, &any), Same);
    assert_eq!(results(Root::Any, &object, &any), Breaking);
    let list = |of: &str| json!({"type": "array", "items": {"type": of}});
    assert_eq!(results(Root::Object, &list("string"), &list("integer")), Breaking);
    // Whoever takes no object takes no call.
    let found =
        compare("", Input, Some(&json!({"type": "object"})), Some(&json!({"type": "string"}))).changes;
    let broken = found.iter().find(|change| change.severity == Breaking).expect("nothing can be called");
    assert_eq!(broken.witness.as_ref().expect("a call").instance, json!({}));
}

#[test]
fn a_schema_for_results_comes_and_goes() {
    let schema = of(json!({}));
    let only = |before, after| {
        let found = compare("", Output, before, after).changes;
        found.iter().map(|change| (change.rule.id, change.severity)).collect::<Vec<_>>()
    };
    assert_eq!(only(None, Some(&schema)), [("output-schema-added", Compatible)]);
    assert_eq!(only(Some(&schema), None), [("output-schema-removed", Breaking)]);
}

#[test]
fn a_witness_is_a_whole_call_and_recursion_is_followed() {
    let schema = |kind: Value| {
        json!({"type": "object", "properties": {"label": {"type": "string"}, "root": {"$ref": "#/$defs/N"}},
            "required": ["label"],
            "$defs": {"N": {"type": "object", "properties": {"v": kind, "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}}}}})
    };
    let found =
        changes(Input, &schema(json!({"type": ["string", "null"]})), &schema(json!({"type": "string"})));
    let [change] = found.changes.as_slice() else { panic!("{:?}", found.changes) };
    let witness = change.witness.as_ref().unwrap();
    assert!(
        witness.instance["label"].is_string() && witness.instance["root"].is_object(),
        "{}",
        witness.instance
    );
}

#[test]
fn a_branch_is_set_against_what_was_said_without_branches() {
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 100, "description": "How many."});
    let mut bare = limit.clone();
    bare.as_object_mut().expect("it is one").remove("description");
    let or = |some: &Value, other: Value| json!({ "anyOf": [some, other] });
    let nothing = json!({"type": "null"});
    let less = json!({"type": "integer", "minimum": 1, "maximum": 50, "description": "How many."});
    let letters = json!({"type": "string", "enum": ["a", "b"]});
    let object = json!({"type": "object", "properties": {"a": {"type": "string", "description": "A."}}});
    for (before, after, expected) in [
        (&limit, or(&limit, nothing.clone()), &[("input-null-accepted", Compatible)][..]),
        (
            &limit,
            json!({"anyOf": [bare, nothing], "description": "How many."}),
            &[("input-null-accepted", Compatible)],
        ),
        (&limit, or(&limit, json!({"type": "string"})), &[("input-type-widened", Compatible)]),
        (
            &limit,
            or(&limit, json!({"type": "integer", "minimum": 200})),
            &[("input-composition-widened", Compatible)],
        ),
        (
            &limit,
            or(&less, nothing.clone()),
            &[("input-range-narrowed", Breaking), ("input-null-accepted", Compatible)],
        ),
        (&letters, or(&letters, nothing.clone()), &[("input-null-accepted", Compatible)]),
        (&object, or(&object, nothing.clone()), &[("input-null-accepted", Compatible)]),
        (&object, or(&object, json!({"type": "array"})), &[("input-type-widened", Compatible)]),
    ] {
        check(Input, of(before.clone()), of(after.clone()), expected);
        let back = changes(Input, &of(after.clone()), &of(before.clone()));
        assert!(back.changes.iter().any(|change| change.severity == Breaking), "{after} {before}");
        assert_eq!(changes(Input, &of(before.clone()), &of(after.clone())).texts, [], "{before} {after}");
        assert_eq!(back.texts, [], "{after} {before}");
    }
}

#[test]
fn a_name_without_an_entry_is_shown_where_it_is_required() {
    let asks = |names: &[&str]| json!({"type": "object", "properties": {"a": {}}, "required": names});
    for (before, after) in [(asks(&["a"]), asks(&["a", "b"])), (asks(&["a", "b"]), asks(&["a"]))] {
        let changes = changes(Input, &before, &after).changes;
        assert_eq!(changes[0].path, "/tools/t/schema/required", "{changes:?}");
    }
}

#[test]
fn texts_are_paired_through_references() {
    let before = json!({"properties": {"v": {"$ref": "#/$defs/V"}}, "$defs": {"V": {"description": "Old."}}});
    let after = json!({"properties": {"v": {"description": "New."}, "w": {"description": "Added."}}});
    let texts = compare("/s", Input, Some(&before), Some(&after)).texts;
    assert!(texts.iter().any(|pair| pair.about.as_deref() == Some("v")), "{texts:?}");
    let texts: Vec<_> = texts.iter().map(|pair| (pair.before.as_deref(), pair.after.as_deref())).collect();
    assert!(
        texts.contains(&(Some("Old."), Some("New."))) && texts.contains(&(None, Some("Added."))),
        "{texts:?}"
    );
}

#[test]
fn schemas_that_never_end_are_undecided_and_end() {
    let circle = |max: u64| json!({"anyOf": [{"$ref": "#"}, {"type": "string"}], "maxLength": max});
    check(Input, circle(3), circle(2), &[("schema-undecided", Risky)]);
    let bomb = |end: &str| of(json!({"type": "string", "pattern": format!("^(a|aa|b?){{1,900}}{end}$")}));
    compare("", Input, Some(&bomb("x")), Some(&bomb("y")));
}
