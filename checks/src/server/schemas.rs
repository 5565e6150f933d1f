//! The JSON Schemas of tools: are they valid, and does each reference lead somewhere.

use super::tools_list::no_tool;
use crate::check::{Check, Level, Needs, Outcome};
use crate::peer::Peer;
use crate::schema_walk::{Visit, dialect_of, resolves, walk};
use crate::words::{quoted, short};
use serde_json::Value as Json;
use specs::Revision::V2025_11_25;
use specs::Revisions;
use wire::Value;

/// A row of this area.
const ROW: Check = Check {
    requirement: "schema.valid-against-metaschema",
    revisions: Revisions::since(V2025_11_25),
    needs: Needs::TOOLS,
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "tools-schema-valid",
        fault: "tool-schema-invalid",
        explain: "Validators refuse to compile the schema, so clients and providers drop the tool or the whole request.",
        probe: |peer| Box::pin(schema_valid(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-refs-resolve",
        fault: "tool-schema-dangling-ref",
        explain: "A validator cannot compile the schema; model providers answer the whole request with an error.",
        probe: |peer| Box::pin(refs_resolve(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-no-remote-refs",
        level: Level::Should,
        fault: "tool-schema-remote-ref",
        explain: "Clients must not fetch schemas from the network by default, so the argument goes unchecked or the \
                  tool is dropped.",
        probe: |peer| Box::pin(no_remote_refs(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-dialect",
        requirement: "schema.dialect-recommended",
        level: Level::Should,
        fault: "tool-schema-dialect",
        explain: "Clients need only know 2020-12; another dialect may be refused, or read as if it were 2020-12.",
        probe: |peer| Box::pin(dialect(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-patterns",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        fault: "tool-schema-regex-invalid",
        explain: "A pattern that does not compile makes validators refuse the schema, or ignore the rule.",
        probe: |peer| Box::pin(patterns(peer)),
        ..ROW
    },
];

/// The schemas of a tool with the JSON pointer of each in the tool.
pub(super) fn schemas(tool: &Value) -> Vec<(&'static str, Json)> {
    let members = [("inputSchema", "/inputSchema"), ("outputSchema", "/outputSchema")];
    members.into_iter().filter_map(|(member, at)| Some((at, tool.get(member)?.to_json()))).collect()
}

/// Looks at each schema of a tool and returns the pointer into the tool and the words that were found first.
fn first_in(tool: &Value, look: impl Fn(&Json) -> Option<(String, String)>) -> Option<(String, String)> {
    schemas(tool).iter().find_map(|(at, schema)| {
        let (pointer, words) = look(schema)?;
        Some((format!("{at}{pointer}"), format!("{words} at {at}{pointer}")))
    })
}

async fn schema_valid(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let expected = "schemas that are valid in the dialect they name (2020-12 when they name none)";
    no_tool(&listing, expected, |_, tool| first_in(tool, meta_fault)).map_err(|evidence| evidence.stop())
}

/// Checks a schema against its meta-schema. A root that is no schema at all is the business of `tools-input-schema`.
fn meta_fault(schema: &Json) -> Option<(String, String)> {
    if !schema.is_object() || dialect_of(schema).is_none() {
        return None;
    }
    let error = jsonschema::meta::validate(schema).err()?;
    Some((error.instance_path().to_string(), short(&error.to_string(), 160)))
}

async fn refs_resolve(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let dangling = |schema: &Json| {
        let visit = first_ref(schema, |reference| !is_remote(reference) && !resolves(schema, reference))?;
        Some((visit.pointer, format!("$ref {} leads nowhere", quoted(&visit.text))))
    };
    no_tool(&listing, "each local $ref leads to a schema", |_, tool| first_in(tool, dangling))
        .map_err(|evidence| evidence.stop())
}

fn is_remote(reference: &str) -> bool {
    let scheme = reference.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

struct FoundRef {
    pointer: String,
    text: String,
}

fn first_ref(schema: &Json, is_bad: impl Fn(&str) -> bool) -> Option<FoundRef> {
    let mut found = None;
    walk(schema, &mut |visit: Visit<'_>| {
        let reference =
            ["$ref", "$dynamicRef"].iter().find_map(|k| Some((*k, visit.schema.get(k)?.as_str()?)));
        if let Some((keyword, text)) = reference
            && found.is_none()
            && is_bad(text)
        {
            found = Some(FoundRef { pointer: format!("{}/{keyword}", visit.pointer), text: text.to_owned() });
        }
    });
    found
}

async fn no_remote_refs(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let remote = |schema: &Json| {
        let visit = first_ref(schema, |reference| is_remote(reference) && !resolves(schema, reference))?;
        Some((visit.pointer, format!("$ref {} points outside the schema", quoted(&visit.text))))
    };
    no_tool(&listing, "schemas that need nothing from the network", |_, tool| first_in(tool, remote))
        .map_err(|evidence| evidence.stop())
}

async fn dialect(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let other = |schema: &Json| {
        let named = schema.get("$schema")?.as_str()?;
        (dialect_of(schema) != Some("2020-12"))
            .then(|| ("/$schema".to_owned(), format!("$schema is {}", quoted(named))))
    };
    let found = no_tool(&listing, "the dialect JSON Schema 2020-12", |_, tool| first_in(tool, other));
    // Draft 7 is what the most used schema generators write, and what every validator knows.
    found.map_err(|evidence| evidence.class(crate::finding::Class::Note).stop())
}

async fn patterns(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let broken = |schema: &Json| {
        let mut found = None;
        walk(schema, &mut |visit: Visit<'_>| {
            let Some(pattern) = visit.schema.get("pattern").and_then(Json::as_str) else { return };
            let alone = serde_json::json!({"type": "string", "pattern": pattern});
            if found.is_none() && jsonschema::validator_for(&alone).is_err() {
                found = Some((
                    format!("{}/pattern", visit.pointer),
                    format!("{} does not compile", quoted(pattern)),
                ));
            }
        });
        found
    };
    no_tool(&listing, "patterns that are valid regular expressions", |_, tool| first_in(tool, broken))
        .map_err(|evidence| evidence.stop())
}
