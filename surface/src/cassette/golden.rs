//! Golden answers: what a reviewed answer looks like in a file, and what came instead. Nothing is written here.

use super::difference::{Difference, differences};
use super::model::{CassetteError, Exchange, Outcome, VERSION, parse, render, version};
use super::redact::Pointer;
use super::spec::{Call, Compare};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The golden answers of one spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// The version of the format.
    #[serde(rename = "golden", deserialize_with = "version")]
    pub version: u64,
    /// One for each call of the spec.
    pub calls: Vec<GoldenCall>,
}

/// A call and the part of its answer that is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenCall {
    /// Its name in the spec.
    pub name: String,
    /// The method.
    pub method: String,
    /// Its params, with placeholders.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub params: Value,
    /// What is compared.
    pub compare: String,
    /// The answer, or that part of it, with placeholders.
    pub answer: Value,
    /// Where a placeholder stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<Pointer>,
}

/// What became of one call, or of one golden answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The name.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
}

/// How an answer and its golden one fit together.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// They are the same.
    Same,
    /// They differ, or the call is another one than the one that was reviewed.
    Differs(Vec<Difference>),
    /// There is no golden answer.
    Missing,
    /// There is a golden answer and no such call.
    Unused,
}

impl Golden {
    /// Makes the golden answers of `calls`.
    pub fn of(calls: Vec<GoldenCall>) -> Self {
        Self { version: VERSION, calls }
    }

    /// Reads the text of a golden file.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let golden: Self = parse(text)?;
        let mut names = BTreeSet::new();
        match golden.calls.iter().find(|call| !names.insert(call.name.as_str())) {
            None => Ok(golden),
            Some(twice) => {
                let message = format!("two golden answers are named `{}`", twice.name);
                Err(CassetteError { line: 1, column: 1, message })
            }
        }
    }

    /// Writes the text of a golden file.
    pub fn render(&self) -> String {
        render(self)
    }
}

impl GoldenCall {
    /// Takes of a redacted exchange what `call` compares.
    pub fn of(call: &Call, exchange: &Exchange) -> Self {
        Self {
            name: call.name.clone(),
            method: exchange.method.clone(),
            params: exchange.params.clone(),
            compare: call.compare.word().to_owned(),
            answer: part(call.compare, &exchange.outcome),
            redacted: exchange.redacted.clone(),
        }
    }
}

/// Holds the answers of today against the golden ones, in the order of the calls; what is unused comes last.
pub fn compare(golden: &Golden, today: &[GoldenCall]) -> Vec<Judged> {
    let find = |name: &str| golden.calls.iter().find(|call| call.name == name);
    let judged = today.iter().map(|call| {
        let verdict = find(&call.name).map_or(Verdict::Missing, |golden| against(golden, call));
        Judged { name: call.name.clone(), verdict }
    });
    let unused = golden.calls.iter().filter(|call| !today.iter().any(|now| now.name == call.name));
    let unused = unused.map(|call| Judged { name: call.name.clone(), verdict: Verdict::Unused });
    judged.chain(unused).collect()
}

fn against(golden: &GoldenCall, today: &GoldenCall) -> Verdict {
    let whole = |call: &GoldenCall| json!({"method": call.method, "params": call.params, "compare": call.compare, "answer": call.answer});
    let found = differences(&whole(golden), &whole(today));
    if found.is_empty() { Verdict::Same } else { Verdict::Differs(found) }
}

/// The part of an answer that is compared. An error is compared whole, or by its code where details do not count.
fn part(compare: Compare, outcome: &Outcome) -> Value {
    let result = match outcome {
        Outcome::Result(result) => result,
        Outcome::Error(error) => {
            return match compare {
                Compare::Result => json!({"error": error}),
                _ => json!({"error": {"code": error.get("code")}}),
            };
        }
    };
    match compare {
        Compare::Result => json!({"result": result}),
        Compare::StructuredContent => json!({"structuredContent": result.get("structuredContent")}),
        Compare::IsError => {
            json!({"isError": result.get("isError").and_then(Value::as_bool).unwrap_or(false)})
        }
        Compare::Text => json!({"text": texts(result)}),
        Compare::SchemaOnly => json!({"shape": shape(result.get("structuredContent").unwrap_or(result))}),
    }
}

/// The texts of a result: of the content of a tool, of the messages of a prompt, of the contents of a resource.
fn texts(result: &Value) -> Vec<&str> {
    let list = |name: &str| result.get(name).and_then(Value::as_array).into_iter().flatten();
    let text = |value: &'_ Value| value.get("text").and_then(Value::as_str).is_some();
    let content = list("content").chain(list("contents"));
    let messages = list("messages").filter_map(|message| message.get("content"));
    content
        .chain(messages)
        .filter(|value| text(value))
        .filter_map(|value| value.get("text")?.as_str())
        .collect()
}

/// A value with the names of types in the place of its leaves, and each shape of an array's items once.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!("null"),
        Value::Bool(_) => json!("boolean"),
        Value::Number(number) if number.is_f64() => json!("number"),
        Value::Number(_) => json!("integer"),
        Value::String(_) => json!("string"),
        Value::Array(items) => {
            let mut shapes: Vec<Value> = Vec::new();
            let mut seen = BTreeSet::new();
            for item in items.iter().map(shape) {
                if seen.insert(item.to_string()) {
                    shapes.push(item);
                }
            }
            shapes.sort_by_key(Value::to_string);
            Value::Array(shapes)
        }
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), shape(value))).collect::<Map<_, _>>(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(compare: Compare, result: Value) -> Value {
        part(compare, &Outcome::Result(result))
    }

    #[test]
    fn only_the_part_that_is_asked_for_is_compared() {
        let result = json!({"content": [{"type": "text", "text": "21 C"}, {"type": "image"}],
            "structuredContent": {"t": [21, 22], "at": 1.5, "by": null}});
        assert_eq!(answer(Compare::Text, result.clone()), json!({"text": ["21 C"]}));
        assert_eq!(answer(Compare::IsError, result.clone()), json!({"isError": false}));
        let shape = json!({"shape": {"t": ["integer"], "at": "number", "by": "null"}});
        assert_eq!(answer(Compare::SchemaOnly, result.clone()), shape);
        assert_eq!(answer(Compare::Result, result.clone()), json!({"result": result}));
        let refused = Outcome::Error(json!({"code": -32602, "message": "no"}));
        assert_eq!(part(Compare::Text, &refused), json!({"error": {"code": -32602}}));
    }

    #[test]
    fn each_call_and_each_golden_answer_is_accounted_for() {
        let call = |name: &str, answer: u32| GoldenCall {
            name: name.into(),
            method: "tools/call".into(),
            params: Value::Null,
            compare: "result".into(),
            answer: json!(answer),
            redacted: Vec::new(),
        };
        let golden = Golden::of(vec![call("same", 1), call("other", 1), call("gone", 1)]);
        let golden = Golden::parse(&golden.render()).expect("what is written can be read");
        let judged = compare(&golden, &[call("new", 1), call("other", 2), call("same", 1)]);
        let words: Vec<_> = judged
            .iter()
            .map(|one| match &one.verdict {
                Verdict::Same => (one.name.as_str(), "same".to_owned()),
                Verdict::Differs(at) => (one.name.as_str(), at[0].path.clone()),
                Verdict::Missing => (one.name.as_str(), "missing".to_owned()),
                Verdict::Unused => (one.name.as_str(), "unused".to_owned()),
            })
            .collect();
        let expected = [("new", "missing"), ("other", "/answer"), ("same", "same"), ("gone", "unused")];
        assert_eq!(words, expected.map(|(name, word)| (name, word.to_owned())));
    }
}
