//! The gate for programs. Its shape is promised by `gate.schema.json`; add members, never change them.

use super::{GateContext, GateEntry, Outcome};
use crate::drift::json::{Document, document};
use crate::plain::plain_json;
use serde::Serialize;
use serde_json::{Value, json};

/// The JSON Schema of the gate as JSON.
pub const SCHEMA: &str = include_str!("gate.schema.json");

#[derive(Serialize)]
struct Gate<'a> {
    schema: &'static str,
    tool: Value,
    verdict: &'static str,
    exit_code: u8,
    reproduce: &'a str,
    servers: Vec<Server<'a>>,
}

#[derive(Serialize)]
struct Server<'a> {
    name: &'a str,
    verdict: &'static str,
    error: Option<String>,
    check: Option<Value>,
    drift: Option<Document<'a>>,
}

/// Renders the gate as one JSON document.
pub(super) fn render(entries: &[GateEntry<'_>], ctx: &GateContext) -> String {
    let gate = Gate {
        schema: "mcpproof-gate-1",
        tool: json!({ "name": "mcpproof", "version": ctx.version }),
        verdict: entries.iter().map(GateEntry::outcome).max().unwrap_or(Outcome::Error).word(),
        exit_code: ctx.exit_code,
        reproduce: &ctx.reproduce,
        servers: entries.iter().map(server).collect(),
    };
    let text = serde_json::to_string_pretty(&gate).expect("the document has string keys only");
    plain_json(&text) + "\n"
}

fn server<'a>(entry: &'a GateEntry<'a>) -> Server<'a> {
    let check = entry.check.map(|(report, ctx)| {
        serde_json::from_str(&crate::json::render(report, ctx)).expect("our own report is JSON")
    });
    Server {
        name: &entry.name,
        verdict: entry.outcome().word(),
        error: entry.error_words(),
        check,
        drift: entry.drift.map(|(judgement, ctx)| document(judgement, ctx)),
    }
}
