//! The gate for code scanning. All parts are one run, since code scanning takes one run of a tool from a file.

use super::{GateContext, GateEntry};
use crate::drift::spell::clip;
use crate::sarif::{document, frame};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Renders the gate as SARIF.
pub(super) fn render(entries: &[GateEntry<'_>], ctx: &GateContext) -> String {
    let mut merged = Merged::default();
    for entry in entries {
        if let Some((report, its)) = entry.check {
            merged.add("check", &entry.name, crate::sarif::run(report, its));
        }
        if let Some((judgement, its)) = entry.drift {
            merged.add("drift", &entry.name, crate::drift::sarif::run(judgement, its));
        }
        if let Some(error) = entry.error_words() {
            let text = format!("{}: {}", clip(&entry.name, 60), clip(&error, 2_000));
            merged.invocations.push(json!({
                "executionSuccessful": false,
                "exitCode": ctx.exit_code,
                "toolExecutionNotifications": [{ "level": "error", "message": { "text": text } }],
            }));
        }
    }
    document(&frame(&ctx.version, merged.rules, merged.invocations, merged.results))
}

#[derive(Default)]
struct Merged {
    rules: Vec<Value>,
    /// Checks and drift rules may share a name, so that the part belongs to the key.
    index: BTreeMap<(&'static str, String), usize>,
    invocations: Vec<Value>,
    results: Vec<Value>,
}

impl Merged {
    fn add(&mut self, part: &'static str, server: &str, mut run: Value) {
        let mut places = Vec::new();
        for rule in take(&mut run["tool"]["driver"]["rules"]) {
            let id = rule["id"].as_str().unwrap_or_default().to_owned();
            let at = *self.index.entry((part, id)).or_insert_with(|| {
                self.rules.push(rule);
                self.rules.len() - 1
            });
            places.push(at);
        }
        for mut result in take(&mut run["results"]) {
            let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
            result["ruleIndex"] = index.and_then(|index| places.get(index)).copied().into();
            result["properties"]["server"] = server.into();
            self.results.push(result);
        }
        self.invocations.extend(take(&mut run["invocations"]));
    }
}

fn take(list: &mut Value) -> Vec<Value> {
    if let Value::Array(items) = list.take() { items } else { Vec::new() }
}
