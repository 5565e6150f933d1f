//! Puts placeholders where something differs each time: JSON pointers into an exchange, with `*` for each item.

use super::model::{Exchange, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What stands for the real thing when nothing else is said.
const PLACEHOLDER: &str = "[redacted]";

/// Where a pointer can begin.
const ROOTS: [&str; 3] = ["params", "result", "error"];

/// A JSON pointer into an exchange, as `/result/content/*/text`; a token `*` means each item or member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pointer(Vec<String>);

/// A place and what is put there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// The place.
    pub at: Pointer,
    /// The placeholder.
    #[serde(default = "placeholder")]
    pub with: String,
}

fn placeholder() -> String {
    PLACEHOLDER.to_owned()
}

impl TryFrom<String> for Pointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let tokens: Option<Vec<String>> = text
            .strip_prefix('/')
            .map(|rest| rest.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect());
        match tokens {
            Some(tokens) if tokens.first().is_some_and(|root| ROOTS.contains(&root.as_str())) => {
                Ok(Self(tokens))
            }
            _ => {
                Err(format!("`{text}` is no place in an exchange: it begins with /params, /result or /error"))
            }
        }
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.to_string()
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|token| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

impl Pointer {
    /// Puts `with` at each place in `exchange` that it means, and tells whether there was one.
    fn put(&self, exchange: &mut Exchange, with: &str) -> bool {
        let (root, rest) = self.0.split_first().expect("a pointer has a root");
        match (root.as_str(), &mut exchange.outcome) {
            ("params", _) => put(&mut exchange.params, rest, with),
            ("result", Outcome::Result(result)) => put(result, rest, with),
            ("error", Outcome::Error(error)) => put(error, rest, with),
            _ => false,
        }
    }

    /// Puts the placeholder at each place in `params` that it means, so that the real values no longer matter.
    pub(super) fn level(&self, params: &mut Value) {
        if let Some(("params", rest)) = self.0.split_first().map(|(root, rest)| (root.as_str(), rest)) {
            put(params, rest, PLACEHOLDER);
        }
    }
}

/// Follows `tokens`; the depth is that of the pointer, not of the value.
fn put(value: &mut Value, tokens: &[String], with: &str) -> bool {
    let Some((token, rest)) = tokens.split_first() else {
        *value = Value::from(with);
        return true;
    };
    match value {
        Value::Object(members) if token == "*" => put_each(members.values_mut(), rest, with),
        Value::Array(items) if token == "*" => put_each(items.iter_mut(), rest, with),
        Value::Object(members) => members.get_mut(token).is_some_and(|one| put(one, rest, with)),
        Value::Array(items) => {
            let item = token.parse::<usize>().ok().and_then(|at| items.get_mut(at));
            item.is_some_and(|one| put(one, rest, with))
        }
        _ => false,
    }
}

/// Tells whether there was a place below any of `all`, after a look at each.
fn put_each<'a>(all: impl Iterator<Item = &'a mut Value>, tokens: &[String], with: &str) -> bool {
    let mut any = false;
    for one in all {
        any |= put(one, tokens, with);
    }
    any
}

impl Exchange {
    /// Puts the placeholders in, and remembers where they stand.
    pub fn redact(&mut self, redactions: &[Redaction]) {
        for redaction in redactions {
            if redaction.at.put(self, &redaction.with) && !self.redacted.contains(&redaction.at) {
                self.redacted.push(redaction.at.clone());
            }
        }
        self.redacted.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redacted(at: &str) -> Result<Value, String> {
        let mut exchange = Exchange {
            name: None,
            method: "tools/call".into(),
            params: json!({"name": "t", "arguments": {"token": "s3cret"}}),
            outcome: Outcome::Result(json!({"content": [{"text": "1"}, {"text": "2"}], "a/b": 3})),
            redacted: Vec::new(),
        };
        let at = Pointer::try_from(at.to_owned())?;
        exchange.redact(&[Redaction { at, with: "X".into() }]);
        Ok(serde_json::to_value(&exchange).expect("an exchange is JSON"))
    }

    #[test]
    fn placeholders_stand_where_the_pointers_lead() {
        assert_eq!(redacted("/params/arguments/token").unwrap()["params"]["arguments"]["token"], "X");
        let each = redacted("/result/content/*/text").unwrap();
        assert_eq!(each["result"]["content"], json!([{"text": "X"}, {"text": "X"}]));
        assert_eq!(each["redacted"], json!(["/result/content/*/text"]));
        assert_eq!(redacted("/result/a~1b").unwrap()["result"]["a/b"], "X");
    }

    #[test]
    fn a_place_that_is_not_there_changes_nothing() {
        assert_eq!(redacted("/result/nothing").unwrap().get("redacted"), None);
        assert_eq!(redacted("/error/message").unwrap().get("redacted"), None);
        redacted("/content").expect_err("no place in an exchange");
        redacted("result").expect_err("no pointer");
    }
}
