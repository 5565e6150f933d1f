//! The proof of a change, told as the call that used to work or the result that may now come.

use super::context::{item_of, name_of};
use super::spell::compact;
use serde_json::Value;
use std::collections::BTreeMap;
use surface::policy::Judgement;
use surface::{Change, Direction, Witness};

/// A witness in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// What it shows, in a word or two for a column.
    pub label: &'static str,
    /// What it shows, as the beginning of a sentence.
    pub sentence: &'static str,
    /// The same of several witnesses.
    pub sentences: &'static str,
    /// The call or the result, to be copied.
    pub text: String,
}

/// The old names of items that are renamed: a call that used to work used these.
pub(crate) struct Renames<'a>(BTreeMap<(&'a str, &'a str), &'a str>);

impl<'a> Renames<'a> {
    /// Finds the items that `judgement` tells to be renamed.
    pub(crate) fn of(judgement: &'a Judgement) -> Self {
        let changes = judgement.judged.iter().map(|judged| &judged.change);
        let renamed = changes.filter(|change| change.rule.id.ends_with("-renamed"));
        let names = renamed.filter_map(|change| {
            let (Some(Value::String(old)), Some(Value::String(new))) = (&change.before, &change.after) else {
                return None;
            };
            let is_item = item_of(&change.path) == change.path;
            is_item.then_some(((list_of(change)?, new.as_str()), old.as_str()))
        });
        Self(names.collect())
    }

    /// The name that the witness of `change` calls.
    fn name(&self, change: &Change, witness: &Witness) -> String {
        let name = name_of(&change.path).unwrap_or_default();
        let old = list_of(change).and_then(|list| self.0.get(&(list, name.as_str())));
        old.filter(|_| witness.before).map_or(name.clone(), |old| (*old).to_owned())
    }
}

/// The list that the path of `change` leads into: `tools`.
fn list_of(change: &Change) -> Option<&str> {
    change.path.strip_prefix('/')?.split('/').next()
}

/// Tells the witness of `change`, where it has one.
pub(crate) fn told(change: &Change, renames: &Renames<'_>) -> Option<Told> {
    let witness = change.witness.as_ref()?;
    let in_result = change.path.split('/').nth(3) == Some("outputSchema");
    let is_result = in_result || change.rule.direction == Direction::Output;
    let (label, sentence, sentences) = meaning(witness, is_result);
    let mut witness = witness.clone();
    shorten(&mut witness.instance);
    let text = if is_result { result(change, &witness) } else { call(change, &witness, renames) };
    Some(Told { label, sentence, sentences, text })
}

/// Cuts texts that nobody would read, and says how long they are; the JSON report has them whole.
fn shorten(value: &mut Value) {
    const LONG: usize = 1_000;
    const SHOWN: usize = 40;
    match value {
        Value::String(text) if text.len() > LONG => {
            let shown: String = text.chars().take(SHOWN).collect();
            *text = format!("{shown}... ({} characters)", text.chars().count());
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

const fn meaning(witness: &Witness, is_result: bool) -> (&'static str, &'static str, &'static str) {
    match (is_result, witness.before, witness.after) {
        (false, true, false) => ("worked", "This call used to work", "These calls used to work"),
        (false, false, true) => {
            ("works now", "This call was refused before", "These calls were refused before")
        }
        (true, false, true) => ("may come", "This result may now come", "These results may now come"),
        (true, true, false) => ("came", "This result comes no longer", "These results come no longer"),
        _ => ("example", "For example", "For example"),
    }
}

fn call(change: &Change, witness: &Witness, renames: &Renames<'_>) -> String {
    let instance = &witness.instance;
    let name = Value::from(renames.name(change, witness));
    match list_of(change) {
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
    match (list_of(change), name_of(&change.path)) {
        (Some("tools"), Some(_)) => format!(r#"{{"structuredContent":{instance}}}"#),
        _ => instance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_nobody_would_read_are_cut() {
        let mut value = serde_json::json!({"a": ["x".repeat(5_000), "y".repeat(1_000)]});
        shorten(&mut value);
        let cut = format!("{}... (5000 characters)", "x".repeat(40));
        assert_eq!(value, serde_json::json!({"a": [cut, "y".repeat(1_000)]}));
    }
    use crate::drift::samples::{ADDED, ENUM_OUT, RENAMED, REQUIRED};
    use serde_json::json;
    use surface::Level;
    use surface::policy::{Judged, Profile};

    fn check(rule: &'static surface::Rule, path: &str, verdicts: (bool, bool), expected: (&str, &str)) {
        let witness = Witness { instance: json!({ "q": "a" }), before: verdicts.0, after: verdicts.1 };
        let change = Change::of(rule, path, "x").proven_by(Some(witness));
        let told = told(&change, &Renames(BTreeMap::from([(("tools", "new"), "old")])));
        let told = told.expect("there is a witness");
        assert_eq!((told.label, told.text.as_str()), expected);
    }

    #[test]
    fn a_witness_is_told_as_a_call_or_a_result() {
        let call = r#"tools/call {"name":"a/b","arguments":{"q":"a"}}"#;
        check(&REQUIRED, "/tools/a~1b/inputSchema", (true, false), ("worked", call));
        check(&REQUIRED, "/tools/a~1b/inputSchema", (false, true), ("works now", call));
        let result = r#"{"structuredContent":{"q":"a"}}"#;
        check(&ENUM_OUT, "/tools/a/outputSchema", (false, true), ("may come", result));
        check(&ADDED, "/tools/a/outputSchema", (true, false), ("came", result));
        let (old, new) = (call.replace("a/b", "old"), call.replace("a/b", "new"));
        check(&REQUIRED, "/tools/new/inputSchema", (true, false), ("worked", &old));
        check(&REQUIRED, "/tools/new/inputSchema", (false, true), ("works now", &new));
        let get = r#"prompts/get {"name":"p","arguments":{"q":"a"}}"#;
        check(&REQUIRED, "/prompts/p/arguments/q", (true, false), ("worked", get));
        check(&REQUIRED, "/initialize", (true, true), ("example", r#"{"q":"a"}"#));
    }

    #[test]
    fn only_items_are_renamed() {
        let renamed = |path: &str| {
            let change = Change::of(&RENAMED, path, "x").from_to(Some(&json!("a")), Some(&json!("b")));
            Judged { change, level: Level::Error, accepted: None, fingerprint: String::new() }
        };
        let judged = vec![renamed("/tools/a"), renamed("/tools/t/inputSchema/properties/a")];
        let judgement = Judgement { profile: Profile::Contract, judged };
        assert_eq!(Renames::of(&judgement).0, BTreeMap::from([(("tools", "b"), "a")]));
    }
}
