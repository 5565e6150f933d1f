//! What can be found: one tool, prompt, resource or template of one source. How it is stored and ranked stands elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What sort of thing an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something a model may call.
    Tool,
    /// A prompt with arguments.
    Prompt,
    /// A resource at a fixed address.
    Resource,
    /// A template of resource addresses.
    Template,
}

impl Kind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Prompt, Self::Resource, Self::Template];

    /// Names the kind as commands and files do.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Template => "template",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that can be found. Two entries of one catalog differ in source, kind or name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The name of the source it comes from, as the catalog calls it.
    pub source: String,
    /// What sort of thing it is.
    pub kind: Kind,
    /// Its name; of a resource or template, its name too, not its address.
    pub name: String,
    /// What people are shown instead of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What a model reads about it.
    #[serde(default)]
    pub description: String,
    /// The input schema of a tool, the list of arguments of a prompt, the address of a resource; as its server said it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What its server says about itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_description: String,
}

impl Entry {
    /// The parameters of a tool with those inside them, or the arguments of a prompt, in their order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut found = Vec::new();
        match &self.input {
            Value::Array(arguments) => arguments.iter().for_each(|argument| {
                let name = argument.get("name").and_then(Value::as_str).unwrap_or_default();
                found.push(Parameter { name: name.to_owned(), text: own_text(argument) });
            }),
            schema => collect(schema, 0, &mut found),
        }
        found
    }

    /// `source/name`, by which people and files name an entry.
    pub fn path(&self) -> String {
        format!("{}/{}", self.source, self.name)
    }
}

/// How deep parameters within parameters are read, and how many values of an enumeration.
const DEEPEST: usize = 4;
const MOST_VALUES: usize = 20;

fn collect(schema: &Value, depth: usize, found: &mut Vec<Parameter>) {
    if depth > DEEPEST {
        return;
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            found.push(Parameter { name: name.clone(), text: own_text(property) });
            collect(property, depth + 1, found);
        }
    }
    if let Some(items) = schema.get("items") {
        collect(items, depth + 1, found);
    }
}

fn own_text(schema: &Value) -> String {
    let texts = ["title", "description"].iter().filter_map(|key| schema.get(key)?.as_str());
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten().take(MOST_VALUES);
    texts.chain(values.filter_map(Value::as_str)).collect::<Vec<_>>().join(" ")
}

/// A parameter of a tool or an argument of a prompt, as far as search reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its description, titles and the values of its enumeration, joined by spaces.
    pub text: String,
}
