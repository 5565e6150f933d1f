//! What the good server offers in each revision: capabilities, tools, prompts, resources. What they do lives elsewhere.

use serde_json::{Map, Value, json};
use specs::Revision;

/// Everything a client can list.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The revision it is made for.
    pub revision: Revision,
    /// The capabilities.
    pub capabilities: Value,
    /// The tools, in their order.
    pub tools: Vec<Value>,
    /// The prompts.
    pub prompts: Vec<Value>,
    /// The resources.
    pub resources: Vec<Value>,
    /// The resource templates.
    pub templates: Vec<Value>,
}

impl Surface {
    /// What the good server offers.
    pub(crate) fn good(revision: Revision) -> Self {
        let mut surface = Self {
            revision,
            capabilities: capabilities(revision),
            tools: tools(),
            prompts: prompts(),
            resources: resources(),
            templates: vec![json!({"uriTemplate": "note:///{title}", "name": "note", "title": "A note",
                "description": "One note by its title.", "mimeType": "text/plain"})],
        };
        surface.drop_what_is_too_new();
        surface
    }

    /// The tool of this name, to be edited.
    pub fn tool(&mut self, name: &str) -> Option<&mut Value> {
        self.tools.iter_mut().find(|tool| tool["name"] == name)
    }

    fn drop_what_is_too_new(&mut self) {
        let old = self.revision;
        let named = [&mut self.tools, &mut self.prompts, &mut self.resources, &mut self.templates];
        for item in named.into_iter().flatten().filter_map(Value::as_object_mut) {
            if old < Revision::V2025_06_18 {
                item.retain(|name, _| !["title", "outputSchema", "_meta"].contains(&name.as_str()));
                untitle_arguments(item);
            }
            if old < Revision::V2025_03_26 {
                item.remove("annotations");
            }
        }
    }
}

fn untitle_arguments(item: &mut Map<String, Value>) {
    let arguments = item.get_mut("arguments").and_then(Value::as_array_mut);
    for argument in arguments.into_iter().flatten().filter_map(Value::as_object_mut) {
        argument.remove("title");
    }
}

fn capabilities(revision: Revision) -> Value {
    let mut capabilities = json!({
        "tools": {"listChanged": true},
        "prompts": {},
        "resources": {"subscribe": true, "listChanged": true},
        "logging": {},
    });
    if revision >= Revision::V2025_03_26 {
        capabilities["completions"] = json!({});
    }
    capabilities
}

fn tools() -> Vec<Value> {
    let text = json!({"type": "string", "description": "Any text."});
    vec![
        json!({"name": "echo", "title": "Echo", "description": "Gives back the text it was given.",
            "inputSchema": schema(json!({"text": text}), &["text"]),
            "annotations": {"readOnlyHint": true, "openWorldHint": false}}),
        json!({"name": "add", "title": "Add", "description": "Adds two numbers.",
            "inputSchema": schema(json!({"a": {"type": "number"}, "b": {"type": "number"}}), &["a", "b"]),
            "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]},
            "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false}}),
        json!({"name": "slow", "title": "Slow", "description": "Works for a moment and reports its progress.",
            "inputSchema": schema(json!({}), &[])}),
        json!({"name": "fail", "title": "Fail", "description": "Fails every time, to show a tool error.",
            "inputSchema": schema(json!({}), &[])}),
        json!({"name": "gallery", "title": "Gallery", "description": "Shows one content block of each kind.",
            "inputSchema": schema(json!({}), &[]), "annotations": {"readOnlyHint": true}}),
        json!({"name": "greet", "title": "Greet", "description": "Greets somebody in one of several styles.",
            "inputSchema": schema(json!({"name": {"type": "string"},
                "style": {"type": "string", "enum": ["plain", "formal"]},
                "times": {"type": "integer", "minimum": 1, "maximum": 3}}), &["name"])}),
        json!({"name": "touch_note", "title": "Touch note",
            "description": "Marks a note as changed; subscribers hear of it.",
            "inputSchema": schema(json!({"uri": {"type": "string"}}), &["uri"]),
            "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true}}),
    ]
}

fn schema(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn prompts() -> Vec<Value> {
    let prompt = |name: &str, title: &str, description: &str, arguments: Value| json!({"name": name, "title": title, "description": description, "arguments": arguments});
    let topic =
        json!({"name": "topic", "title": "Topic", "description": "What it is about.", "required": true});
    let tone = json!({"name": "tone", "description": "How it sounds.", "required": false});
    vec![
        prompt("summary", "Summary", "Asks for a summary of a note.", json!([topic])),
        prompt("poem", "Poem", "Asks for a poem.", json!([topic, tone])),
        prompt("advice", "Advice", "Asks for advice.", json!([])),
        prompt("quiz", "Quiz", "Asks for a question.", json!([])),
        prompt("plan", "Plan", "Asks for a plan.", json!([])),
    ]
}

fn resources() -> Vec<Value> {
    let note = |title: &str| {
        json!({"uri": format!("note:///{title}"), "name": title, "title": format!("Note {title}"),
            "description": "A short note.", "mimeType": "text/plain"})
    };
    let mut resources: Vec<_> = ["apple", "birch", "cedar", "dune"].into_iter().map(note).collect();
    resources.push(json!({"uri": "note:///picture", "name": "picture", "title": "Picture",
        "description": "A picture of one point.", "mimeType": "image/png"}));
    resources
}
