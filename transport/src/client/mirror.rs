//! The arguments that a client mirrors into `Mcp-Param-*` headers, as the schema of a tool says.

use super::Client;
use super::list::Page;
use crate::http::header_value;
use serde_json::Value as Json;

/// How deep annotations are looked for.
const DEPTH: usize = 16;

/// One argument that travels as a header too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mirrored {
    header: String,
    path: Vec<String>,
}

impl Client {
    /// Learns from the pages of `tools/list` what is to be mirrored.
    pub(super) fn learn_headers(&mut self, method: &str, pages: &[Page]) {
        if method != "tools/list" || !self.revision.is_stateless() || self.connection.http().is_none() {
            return;
        }
        let tools = pages.iter().filter_map(|page| page.result.get("tools")?.as_array()).flatten();
        for tool in tools {
            let (Some(name), Some(schema)) =
                (tool.get("name").and_then(Json::as_str), tool.get("inputSchema"))
            else {
                continue;
            };
            let mut found = Vec::new();
            collect(schema, &mut Vec::new(), &mut found);
            self.mirrored.insert(name.to_owned(), found);
        }
    }

    /// The headers that a call of a tool carries beyond those of any request.
    pub(super) fn mirror(&self, method: &str, params: &Json) -> Vec<(String, String)> {
        let tool = params.get("name").and_then(Json::as_str).filter(|_| method == "tools/call");
        let mirrored = tool.and_then(|tool| self.mirrored.get(tool));
        let header = |one: &Mirrored| {
            let value = one.path.iter().try_fold(params.get("arguments")?, |at, name| at.get(name))?;
            let text = match value {
                Json::String(text) => text.clone(),
                Json::Number(_) | Json::Bool(_) => value.to_string(),
                _ => return None,
            };
            Some((one.header.clone(), header_value(&text)))
        };
        mirrored.into_iter().flatten().filter_map(header).collect()
    }
}

// Spec 2026-07-28, transports: only along a chain of `properties`.
fn collect(schema: &Json, path: &mut Vec<String>, found: &mut Vec<Mirrored>) {
    let Some(properties) = schema.get("properties").and_then(Json::as_object).filter(|_| path.len() < DEPTH)
    else {
        return;
    };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Json::as_str) {
            found.push(Mirrored {
                header: format!("mcp-param-{}", header.to_ascii_lowercase()),
                path: path.clone(),
            });
        }
        collect(property, path, found);
        path.pop();
    }
}
