//! `x-mcp-header`: parameters that clients mirror into HTTP headers, and the limits on them.

use super::tools_list::no_tool;
use crate::check::{Check, Needs, Outcome};
use crate::finding::Class;
use crate::peer::Peer;
use crate::schema_walk::{Visit, walk};
use crate::words::quoted;
use serde_json::Value as Json;
use specs::Revision::V2026_07_28;
use specs::Revisions;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "tools-header-annotations",
    requirement: "http.xmcp-token-syntax",
    revisions: Revisions::only(V2026_07_28),
    needs: Needs::TOOLS,
    fault: "tool-x-mcp-header-bad",
    explain: "Clients over HTTP must drop a tool whose header annotations break the rules, and keep the others.",
    probe: |peer| Box::pin(header_annotations(peer)),
    ..Check::BLANK
}];

async fn header_annotations(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let expected = "x-mcp-header: a header token, unique in its schema, on a string, integer or boolean below `properties`";
    let found = no_tool(&listing, expected, |_, tool| {
        let (pointer, words) = first_fault(&tool.get("inputSchema")?.to_json())?;
        Some((format!("/inputSchema{pointer}"), format!("{words} at /inputSchema{pointer}")))
    });
    let over_http = peer.transport == "http";
    // Clients on other transports may ignore the annotation, so nobody drops the tool there.
    found.map_err(|evidence| if over_http { evidence.stop() } else { evidence.class(Class::Should).stop() })
}

/// The place of the first annotation that breaks a rule, and words for it.
fn first_fault(schema: &Json) -> Option<(String, String)> {
    let mut seen: Vec<String> = Vec::new();
    let mut fault = None;
    walk(schema, &mut |visit: Visit<'_>| {
        let Some(header) = visit.schema.get("x-mcp-header") else { return };
        let words = fault_of(header, &visit, &seen);
        seen.extend(header.as_str().map(str::to_ascii_lowercase));
        if fault.is_none() {
            fault = words.map(|words| (visit.pointer.to_owned(), words));
        }
    });
    fault
}

fn fault_of(header: &Json, visit: &Visit<'_>, seen: &[String]) -> Option<String> {
    let Some(name) = header.as_str() else { return Some(format!("x-mcp-header is {header}")) };
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        return Some(format!("x-mcp-header {} is no header token", quoted(name)));
    }
    if seen.contains(&name.to_ascii_lowercase()) {
        return Some(format!("x-mcp-header {} stands twice", quoted(name)));
    }
    let kind = visit.schema.get("type").and_then(Json::as_str).unwrap_or("no one type");
    if !["string", "integer", "boolean"].contains(&kind) {
        return Some(format!("x-mcp-header on a parameter of type {kind}"));
    }
    // Only names of properties may lie between the root and the parameter: every other token is a keyword.
    let tokens: Vec<_> = visit.pointer.split('/').skip(1).collect();
    let straight =
        tokens.len().is_multiple_of(2) && tokens.iter().step_by(2).all(|keyword| *keyword == "properties");
    (!straight).then(|| "x-mcp-header where a client cannot find it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::first_fault;
    use serde_json::json;

    #[test]
    fn annotations_are_tokens_on_plain_parameters() {
        let schema = |property: serde_json::Value| json!({"type": "object", "properties": {"a": property}});
        let good = schema(json!({"type": "string", "x-mcp-header": "Region"}));
        assert_eq!(first_fault(&good), None);
        for bad in [
            json!({"type": "string", "x-mcp-header": ""}),
            json!({"type": "string", "x-mcp-header": "a b"}),
            json!({"type": "number", "x-mcp-header": "Region"}),
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "Region"}}),
        ] {
            assert!(first_fault(&schema(bad.clone())).is_some(), "{bad}");
        }
    }
}
