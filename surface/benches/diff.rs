//! How long comparing surfaces takes. `cargo bench -p mcpproof-surface`.

use criterion::{Criterion, criterion_group, criterion_main};
use mcpproof_surface::compare::diff;
use mcpproof_surface::{Surface, lock, read};
use serde_json::{Value, json};
use std::hint::black_box;

/// A tool with a schema of the size that real servers have.
fn tool(idx: usize) -> Value {
    let properties: serde_json::Map<_, _> = (0..6)
        .map(|n| (format!("field_{n}"), json!({"type": "string", "minLength": n, "description": format!("Field {n} of tool {idx}, as the service names it.")})))
        .collect();
    json!({
        "name": format!("tool_{idx}"),
        "description": format!("Does thing number {idx} with the record that is given, and returns what it found."),
        "inputSchema": {
            "type": "object", "properties": properties, "required": ["field_0"], "additionalProperties": false,
            "$defs": {"unit": {"enum": ["metric", "imperial", idx]}},
        },
    })
}

fn surface(tools: &[Value]) -> Surface {
    read(&json!({ "tools": tools }).to_string()).expect("a list of tools")
}

/// The same tools with an edit in every tenth.
fn edited(tools: &[Value]) -> Vec<Value> {
    let mut tools = tools.to_vec();
    for (idx, tool) in tools.iter_mut().enumerate().filter(|(idx, _)| idx % 10 == 0) {
        let schema = &mut tool["inputSchema"];
        match idx / 10 % 4 {
            0 => schema["properties"]["field_1"]["minLength"] = json!(9),
            1 => schema["required"] = json!(["field_0", "field_2"]),
            2 => schema["properties"]["field_3"]["type"] = json!(["string", "null"]),
            _ => tool["description"] = json!("Does something else."),
        }
    }
    tools
}

/// Real tools, one object a line, where MCPPROOF_TOOLS names such a file.
fn real_tools() -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(std::env::var_os("MCPPROOF_TOOLS")?).ok()?;
    let mut tools: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).take(2000).collect();
    for (idx, tool) in tools.iter_mut().enumerate() {
        // The names of many servers clash in one list.
        tool["name"] = json!(format!("{}_{idx}", tool["name"].as_str().unwrap_or_default()));
    }
    Some(tools)
}

fn benches(c: &mut Criterion) {
    let tools: Vec<_> = (0..100).map(tool).collect();
    let (old, new) = (surface(&tools), surface(&edited(&tools)));
    c.bench_function("diff of 100 tools, ten edited", |b| b.iter(|| diff(black_box(&old), black_box(&new))));
    let text = lock::render(&old, &|text| text.len() / 4).text;
    c.bench_function("read a lock of 100 tools", |b| b.iter(|| lock::parse(black_box(&text))));
    if let Some(tools) = real_tools() {
        let old = surface(&tools);
        let mut tools = tools;
        tools[1000]["inputSchema"]["properties"]["added_here"] = json!({"type": "string"});
        tools[1000]["inputSchema"]["required"] = json!(["added_here"]);
        let new = surface(&tools);
        c.bench_function("diff of 2,000 real tools, one edited", |b| {
            b.iter(|| diff(black_box(&old), black_box(&new)))
        });
    }
}

criterion_group!(all, benches);
criterion_main!(all);
