//! JSON Schemas of the message shapes, and what a value lacks to match one.
//!
//! The shapes themselves stand in `shapes`; which message wants which definition stands in `methods`.

mod expand;
mod explain;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::{Revision, methods, shapes};

pub use explain::Violation;

/// Builds the JSON Schema 2020-12 document of `revision`, with every definition in `$defs`.
pub fn document(revision: Revision) -> Value {
    expand::document(revision)
}

/// Lists the definitions of `revision`, sorted.
pub fn definitions(revision: Revision) -> impl Iterator<Item = &'static str> {
    shapes::names(revision)
}

/// A compiled definition.
#[derive(Debug)]
pub struct Validator(jsonschema::Validator);

impl Validator {
    /// Tells whether `value` matches, formats of strings included.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Lists what keeps `value` from matching, sorted by place; empty when it matches.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        explain::explain(self.0.iter_errors(value))
    }
}

/// Compiles `definition` as it stands in `revision`, once; None when the revision has no such definition.
pub fn validator(revision: Revision, definition: &str) -> Option<Arc<Validator>> {
    static COMPILED: Mutex<BTreeMap<(Revision, String), Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (revision, definition.to_owned());
    if let Some(known) = compiled.get(&key) {
        return Some(Arc::clone(known));
    }
    let schema = expand::standalone(revision, definition)?;
    let validator = Arc::new(Validator(compile(&schema)));
    compiled.insert(key, Arc::clone(&validator));
    Some(validator)
}

fn compile(schema: &Value) -> jsonschema::Validator {
    let options = jsonschema::options().should_validate_formats(true).with_format("byte", is_base64);
    options.build(schema).expect("a test compiles every definition of every revision")
}

/// Tells whether `text` is base64 in the alphabet and with the padding that the schemas ask for.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let alphabet = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    text.len().is_multiple_of(4) && text.len() - body.len() <= 2 && body.bytes().all(alphabet)
}

/// Lists what keeps `value` from being a `definition` of `revision`; empty also when there is no such definition.
pub fn violations(revision: Revision, definition: &str, value: &Value) -> Vec<Violation> {
    validator(revision, definition).map_or_else(Vec::new, |validator| validator.violations(value))
}

/// Names the definition of the result of `method` in `revision`; None for notifications and unknown methods.
pub fn result_definition(method: &str, revision: Revision) -> Option<&'static str> {
    methods::get(method, revision)?.result
}

/// Names the definition that this very `result` of `method` claims to be.
///
/// Since 2026-07-28 a server may answer some methods with a question for the client instead.
pub fn claimed_definition(method: &str, revision: Revision, result: &Value) -> Option<&'static str> {
    let usual = result_definition(method, revision)?;
    let asks = revision.has_typed_results() && result["resultType"] == "input_required";
    let may_ask = matches!(method, "tools/call" | "prompts/get" | "resources/read");
    Some(if asks && may_ask { "InputRequiredResult" } else { usual })
}

/// Names the definition of the `params` of `method` (a request or a notification) in `revision`.
pub fn params_definition(method: &str, revision: Revision) -> Option<&'static str> {
    Some(methods::get(method, revision)?.params)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_definition_of_every_revision_compiles() {
        for revision in Revision::ALL {
            for name in definitions(revision) {
                assert!(validator(revision, name).is_some(), "{name} in {revision}");
            }
        }
        assert!(validator(Revision::V2024_11_05, "ElicitResult").is_none());
    }

    #[test]
    fn a_standalone_schema_holds_what_it_needs_and_no_more() {
        let schema = expand::standalone(Revision::V2024_11_05, "ListToolsResult").expect("exists");
        let names: Vec<_> = schema["$defs"].as_object().expect("an object").keys().cloned().collect();
        assert_eq!(names, ["ListToolsResult", "ResultMetaObject", "Tool"]);
    }

    #[test]
    fn a_result_that_asks_for_input_is_judged_as_such() {
        let asks = json!({ "resultType": "input_required" });
        let claimed = |method, revision| claimed_definition(method, revision, &asks);
        assert_eq!(claimed("tools/call", Revision::V2026_07_28), Some("InputRequiredResult"));
        assert_eq!(claimed("tools/list", Revision::V2026_07_28), Some("ListToolsResult"));
        assert_eq!(claimed("tools/call", Revision::V2025_11_25), Some("CallToolResult"));
        assert_eq!(result_definition("notifications/initialized", Revision::V2025_11_25), None);
    }

    #[test]
    fn base64_is_an_alphabet_and_a_padding() {
        for text in ["", "aGk=", "aA==", "AAAA"] {
            assert!(is_base64(text), "{text}");
        }
        for text in ["aGk", "a===", "data:image/png;base64,AAAA", "a-_A", "AA=A"] {
            assert!(!is_base64(text), "{text}");
        }
    }

    #[test]
    fn members_that_no_definition_names_are_free() {
        let result = json!({ "content": [], "vendor": { "x": null } });
        assert_eq!(violations(Revision::V2025_06_18, "CallToolResult", &result), []);
    }
}
