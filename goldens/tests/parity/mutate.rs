//! Single faults: every value that differs from a given one in one place.

use serde_json::{Map, Value, json};

/// Lists the single-fault mutations of `value`.
pub(crate) fn single_faults(value: &Value) -> Vec<Value> {
    let mut mutations = replacements(value);
    match value {
        Value::Object(members) => mutations.extend(object_faults(members)),
        Value::Array(items) => mutations.extend(array_faults(items)),
        _ => {}
    }
    mutations
}

/// Other values in the place of `value`: no value, other types, and neighbours of the same type.
fn replacements(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(0), json!("null")],
        Value::Bool(_) => vec![Value::Null, json!("true"), json!(1)],
        Value::Number(_) => vec![Value::Null, json!("1"), json!(-1), json!(1.5), json!(1e6), json!([1])],
        Value::String(_) => {
            vec![
                Value::Null,
                json!(7),
                json!(2.5),
                json!("another text"),
                json!("a{b"),
                json!(["text"]),
                json!({}),
            ]
        }
        Value::Array(_) => vec![Value::Null, json!({}), json!("text")],
        Value::Object(_) => vec![Value::Null, json!([]), json!("text"), json!({})],
    }
}

fn object_faults(members: &Map<String, Value>) -> Vec<Value> {
    let with = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut changed = members.clone();
        change(&mut changed);
        Value::Object(changed)
    };
    let mut mutations = vec![
        with(&|m| drop(m.insert("x-unknown".into(), json!({ "a": 1 })))),
        with(&|m| drop(m.insert("unknown".into(), Value::Null))),
    ];
    for (name, value) in members {
        mutations.push(with(&|m| drop(m.remove(name))));
        for fault in single_faults(value) {
            mutations.push(with(&|m| drop(m.insert(name.clone(), fault.clone()))));
        }
    }
    mutations
}

fn array_faults(items: &[Value]) -> Vec<Value> {
    let mut mutations = Vec::new();
    for added in [Value::Null, json!({}), json!("text"), json!(7)] {
        mutations.push(items.iter().cloned().chain([added]).collect());
    }
    if let Some(first) = items.first() {
        mutations.push(std::iter::repeat_n(first.clone(), 101).collect());
    }
    for (idx, item) in items.iter().enumerate() {
        for fault in single_faults(item) {
            let mut changed = items.to_vec();
            changed[idx] = fault;
            mutations.push(Value::Array(changed));
        }
    }
    mutations
}
