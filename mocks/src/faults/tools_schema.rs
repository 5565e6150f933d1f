//! Faults of the schemas of tools.

use crate::fault::{Fault, Twist};
use crate::surface::Surface;
use serde_json::{Value, json};
use specs::Revision;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "tool-array-without-items",
        "Takes an array without saying of what, which some model providers refuse.",
        Twist::Surface(|surface| property(surface, json!({"type": "array"}))),
    ),
    Fault::new(
        "tool-input-schema-missing",
        "Lists a tool without an input schema.",
        Twist::Surface(|surface| {
            surface.tools.push(json!({"name": "clock", "description": "Tells the time."}));
        }),
    ),
    Fault::new(
        "tool-input-schema-no-type",
        "Leaves the type out of an input schema, so that strict clients drop the whole list.",
        Twist::Surface(|surface| extra(surface, json!({"properties": {}}))),
    ),
    Fault::new(
        "tool-input-schema-not-object-type",
        "Takes a bare string as the arguments of a tool.",
        Twist::Surface(|surface| extra(surface, json!({"type": "string"}))),
    ),
    Fault::new(
        "tool-input-schema-null",
        "Writes null as the input schema of a tool without arguments.",
        Twist::Surface(|surface| extra(surface, Value::Null)),
    ),
    Fault::new(
        "tool-output-schema-invalid",
        "Lists an output schema with a type that does not exist.",
        Twist::Surface(|surface| {
            output(surface, json!({"type": "object", "properties": {"time": {"type": "strin"}}}));
        }),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "tool-output-schema-not-object",
        "Lists an output schema that is a word instead of a schema.",
        Twist::Surface(|surface| output(surface, json!("string"))),
    )
    .since(Revision::V2025_06_18),
    Fault::new(
        "tool-properties-array",
        "Writes the properties of a tool without arguments as an empty array.",
        Twist::Surface(|surface| extra(surface, json!({"type": "object", "properties": []}))),
    ),
    Fault::new(
        "tool-required-not-in-properties",
        "Requires an argument that the properties do not define.",
        Twist::Surface(|surface| {
            let properties = json!({"zone": {"type": "string"}});
            extra(surface, json!({"type": "object", "properties": properties, "required": ["vault"]}));
        }),
    ),
    Fault::new(
        "tool-schema-dangling-ref",
        "Refers to a definition that is not in the schema.",
        Twist::Surface(|surface| property(surface, json!({"$ref": "#/$defs/Zone"}))),
    ),
    Fault::new(
        "tool-schema-dialect",
        "Writes an input schema in the dialect of draft 7.",
        Twist::Surface(|surface| {
            let dialect = "http://json-schema.org/draft-07/schema#";
            extra(surface, json!({"$schema": dialect, "type": "object", "properties": {}}));
        }),
    ),
    Fault::new(
        "tool-schema-invalid",
        "Gives an argument a type that does not exist.",
        Twist::Surface(|surface| property(surface, json!({"type": "strin"}))),
    ),
    Fault::new(
        "tool-schema-regex-invalid",
        "Gives an argument a pattern that is no regular expression.",
        Twist::Surface(|surface| property(surface, json!({"type": "string", "pattern": "([a-z"}))),
    ),
    Fault::new(
        "tool-schema-remote-ref",
        "Refers to a schema on another server.",
        Twist::Surface(|surface| property(surface, json!({"$ref": "https://schemas.invalid/zone.json"}))),
    ),
    Fault::new(
        "tool-schema-top-level-any-of",
        "Takes one of two sets of arguments, which is valid and yet refused by model providers.",
        Twist::Surface(|surface| {
            let properties = json!({"zone": {"type": "string"}, "city": {"type": "string"}});
            let choice = json!([{"required": ["zone"]}, {"required": ["city"]}]);
            extra(surface, json!({"type": "object", "properties": properties, "anyOf": choice}));
        }),
    ),
    Fault::new(
        "tool-x-mcp-header-bad",
        "Mirrors an argument into a header whose name has a space.",
        Twist::Surface(|surface| {
            property(surface, json!({"type": "string", "x-mcp-header": "Time Zone"}));
        }),
    )
    .stateless(),
];

/// Lists one more tool with this input schema.
fn extra(surface: &mut Surface, schema: Value) {
    surface.tools.push(json!({"name": "clock", "description": "Tells the time.", "inputSchema": schema}));
}

/// Lists one more tool with one argument.
fn property(surface: &mut Surface, schema: Value) {
    extra(surface, json!({"type": "object", "properties": {"zone": schema}}));
}

/// Lists one more tool with this output schema.
fn output(surface: &mut Surface, schema: Value) {
    extra(surface, json!({"type": "object"}));
    if let Some(tool) = surface.tools.last_mut() {
        tool["outputSchema"] = schema;
    }
}
