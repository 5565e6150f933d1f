//! The proof of a change, told as the call that used to work or the result that may now come.

use super::context::name_of;
use super::spell::compact;
use serde_json::Value;
use surface::{Change, Direction, Witness};

/// A witness in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// What it shows, in a word or two for a column.
    pub label: &'static str,
    /// What it shows, as the beginning of a sentence.
    pub sentence: &'static str,
    /// The call or the result, to be copied.
    pub text: String,
}

/// Tells the witness of `change`, where it has one.
pub(crate) fn told(change: &Change) -> Option<Told> {
    let witness = change.witness.as_ref()?;
    let is_result = change.rule.direction == Direction::Output;
    let (label, sentence) = meaning(witness, is_result);
    let text = if is_result { result(change, witness) } else { call(change, witness) };
    Some(Told { label, sentence, text })
}

const fn meaning(witness: &Witness, is_result: bool) -> (&'static str, &'static str) {
    match (is_result, witness.before, witness.after) {
        (false, true, false) => ("worked", "This call used to work"),
        (false, false, true) => ("works now", "This call was refused before"),
        (true, false, true) => ("may come", "This result may now come"),
        (true, true, false) => ("came", "This result comes no longer"),
        _ => ("example", "For example"),
    }
}

fn call(change: &Change, witness: &Witness) -> String {
    let instance = &witness.instance;
    let name = Value::from(name_of(&change.path).unwrap_or_default());
    match change.path.split('/').nth(1) {
        Some("tools") => {
            format!(r#"tools/call {{"name":{},"arguments":{}}}"#, compact(&name), compact(instance))
        }
        Some("prompts") => {
            format!(r#"prompts/get {{"name":{},"arguments":{}}}"#, compact(&name), compact(instance))
        }
        Some("resources" | "resourceTemplates") if instance.is_string() => {
            format!(r#"resources/read {{"uri":{}}}"#, compact(instance))
        }
        _ => compact(instance),
    }
}

fn result(change: &Change, witness: &Witness) -> String {
    let instance = compact(&witness.instance);
    match (change.path.split('/').nth(1), name_of(&change.path)) {
        (Some("tools"), Some(_)) => format!(r#"{{"structuredContent":{instance}}}"#),
        _ => instance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{ENUM_OUT, REQUIRED};
    use serde_json::json;

    fn check(rule: &'static surface::Rule, path: &str, verdicts: (bool, bool), expected: (&str, &str)) {
        let witness = Witness { instance: json!({ "q": "a" }), before: verdicts.0, after: verdicts.1 };
        let told = told(&Change::of(rule, path, "x").proven_by(Some(witness))).expect("there is a witness");
        assert_eq!((told.label, told.text.as_str()), expected);
    }

    #[test]
    fn a_witness_is_told_as_a_call_or_a_result() {
        let call = r#"tools/call {"name":"a/b","arguments":{"q":"a"}}"#;
        check(&REQUIRED, "/tools/a~1b/inputSchema", (true, false), ("worked", call));
        check(&REQUIRED, "/tools/a~1b/inputSchema", (false, true), ("works now", call));
        let result = r#"{"structuredContent":{"q":"a"}}"#;
        check(&ENUM_OUT, "/tools/a/outputSchema", (false, true), ("may come", result));
        let get = r#"prompts/get {"name":"p","arguments":{"q":"a"}}"#;
        check(&REQUIRED, "/prompts/p/arguments/q", (true, false), ("worked", get));
        check(&REQUIRED, "/initialize", (true, true), ("example", r#"{"q":"a"}"#));
    }
}
