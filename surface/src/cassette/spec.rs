//! A spec: calls with their arguments, what to compare of the answers, and what differs each time. It is read from TOML by whoever has a file.

use super::redact::Redaction;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What of an answer is held against the golden one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Compare {
    /// All of it.
    #[default]
    #[serde(rename = "result")]
    Result,
    /// The structured content only.
    #[serde(rename = "structuredContent")]
    StructuredContent,
    /// Whether it is an error only.
    #[serde(rename = "isError")]
    IsError,
    /// The texts only.
    #[serde(rename = "text")]
    Text,
    /// The types of what it holds only.
    #[serde(rename = "schema-only")]
    SchemaOnly,
}

impl Compare {
    /// The word for it in specs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::StructuredContent => "structuredContent",
            Self::IsError => "isError",
            Self::Text => "text",
            Self::SchemaOnly => "schema-only",
        }
    }
}

/// A file of calls.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "File")]
pub struct Spec {
    /// The revision to speak; without one it is what a handshake leads to.
    pub revision: Option<String>,
    /// The calls, in the order in which they are made.
    pub calls: Vec<Call>,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What its golden answer is found by.
    pub name: String,
    /// The method.
    pub method: String,
    /// Its params.
    pub params: Value,
    /// What is compared.
    pub compare: Compare,
    /// What differs each time.
    pub redactions: Vec<Redaction>,
}

/// A spec as it stands in TOML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    revision: Option<String>,
    #[serde(default)]
    compare: Compare,
    #[serde(default)]
    redact: Vec<Redaction>,
    #[serde(default)]
    call: Vec<Row>,
}

/// A call as it stands in TOML.
#[derive(Deserialize)]
#[serde(try_from = "RowFields")]
struct Row {
    name: Option<String>,
    subject: String,
    method: String,
    params: Map<String, Value>,
    compare: Option<Compare>,
    redact: Vec<Redaction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFields {
    name: Option<String>,
    tool: Option<String>,
    prompt: Option<String>,
    resource: Option<String>,
    method: Option<String>,
    #[serde(default, deserialize_with = "table")]
    arguments: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "table")]
    params: Option<Map<String, Value>>,
    compare: Option<Compare>,
    #[serde(default)]
    redact: Vec<Redaction>,
}

const ONE_OF: &str = "a call has one of `tool`, `prompt`, `resource` and `method`";

impl TryFrom<RowFields> for Row {
    type Error = &'static str;

    fn try_from(fields: RowFields) -> Result<Self, Self::Error> {
        let RowFields { name, tool, prompt, resource, method, arguments, params, compare, redact } = fields;
        let only_with = |allowed: bool, what: &Option<Map<String, Value>>, words| {
            if what.is_some() && !allowed { Err(words) } else { Ok(()) }
        };
        only_with(
            method.is_some(),
            &params,
            "`params` goes with `method`; a tool or prompt has `arguments`",
        )?;
        only_with(
            tool.is_some() || prompt.is_some(),
            &arguments,
            "`arguments` goes with `tool` or `prompt`",
        )?;
        let named = |name: &str| {
            let mut params = Map::from_iter([("name".to_owned(), json!(name))]);
            params.extend(
                arguments.clone().map(|arguments| ("arguments".to_owned(), Value::Object(arguments))),
            );
            params
        };
        let (subject, method, params) = match (tool, prompt, resource, method) {
            (Some(tool), None, None, None) => (tool.clone(), "tools/call".to_owned(), named(&tool)),
            (None, Some(prompt), None, None) => (prompt.clone(), "prompts/get".to_owned(), named(&prompt)),
            (None, None, Some(uri), None) => {
                (uri.clone(), "resources/read".to_owned(), Map::from_iter([("uri".to_owned(), json!(uri))]))
            }
            (None, None, None, Some(method)) => (method.clone(), method, params.unwrap_or_default()),
            _ => return Err(ONE_OF),
        };
        Ok(Self { name, subject, method, params, compare, redact })
    }
}

impl TryFrom<File> for Spec {
    type Error = String;

    fn try_from(file: File) -> Result<Self, String> {
        if file.call.is_empty() {
            return Err("there is no [[call]]".to_owned());
        }
        let mut names = BTreeSet::new();
        let mut calls = Vec::new();
        for row in file.call {
            let name = row.name.unwrap_or(row.subject);
            if !names.insert(name.clone()) {
                return Err(format!("two calls are named `{name}`: give each a `name` of its own"));
            }
            let params = if row.params.is_empty() { Value::Null } else { Value::Object(row.params) };
            let redactions = file.redact.iter().chain(&row.redact).cloned().collect();
            calls.push(Call {
                name,
                method: row.method,
                params,
                compare: row.compare.unwrap_or(file.compare),
                redactions,
            });
        }
        Ok(Self { revision: file.revision, calls })
    }
}

/// A date in TOML has no counterpart in JSON, and would come through as something nobody wrote.
fn table<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Map<String, Value>>, D::Error> {
    let table = Map::deserialize(from)?;
    if table.values().any(holds_date) {
        return Err(serde::de::Error::custom("dates are no JSON: put them in quotes"));
    }
    Ok(Some(table))
}

fn holds_date(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_date),
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.starts_with("$__toml") || holds_date(value))
        }
        _ => false,
    }
}
