//! What is legal and still breaks: known limits of model providers and hosts on the definitions of tools.

use super::schemas::schemas;
use super::tools_list::no_tool;
use crate::check::{Check, Level, Needs, Outcome, Stop};
use crate::evidence::Evidence;
use crate::finding::Profile::{self, Anthropic, ClaudeCode, Cursor, Openai};
use crate::peer::Peer;
use crate::schema_walk::{Visit, walk};
use crate::words::{listed, quoted};
use serde_json::Value as Json;
use wire::Value;

/// A row of this area.
const ROW: Check =
    Check { requirement: Check::NO_RULE, level: Level::Interop, needs: Needs::TOOLS, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "tools-name-portable",
        fault: "tool-name-dots",
        explain: "Providers accept ^[a-zA-Z0-9_-]{1,64}$; one other name makes them refuse the whole request, so hosts \
                  rename or drop the tool. The specification allows more.",
        probe: |peer| Box::pin(name_portable(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-top-level",
        fault: "tool-schema-top-level-any-of",
        explain: "Legal JSON Schema, but providers refuse anyOf, oneOf, allOf, enum or not at the root of a tool's \
                  schema with an error for the whole request.",
        probe: |peer| Box::pin(top_level(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-required-known",
        fault: "tool-required-not-in-properties",
        explain: "Legal JSON Schema, but a model cannot know what to put there, and strict providers refuse it.",
        probe: |peer| Box::pin(required_known(peer)),
        ..ROW
    },
    Check {
        id: "tools-schema-array-items",
        fault: "tool-array-without-items",
        explain: "Legal JSON Schema, but OpenAI and others answer the whole request with `array schema missing items`.",
        probe: |peer| Box::pin(array_items(peer)),
        ..ROW
    },
];

/// Turns evidence into a finding of those profiles that were asked for.
fn for_profiles(peer: &Peer, profiles: &[Profile], found: Result<(), Box<Evidence>>) -> Outcome {
    let Err(mut evidence) = found else { return Ok(()) };
    let asked = |profile: &&Profile| peer.profiles.is_empty() || peer.profiles.contains(profile);
    evidence.profiles = profiles.iter().filter(asked).copied().collect();
    if evidence.profiles.is_empty() {
        let names: Vec<_> = profiles.iter().map(ToString::to_string).collect();
        return Err(Stop::NotApplicable(format!("concerns only {}", listed(&names))));
    }
    Err(evidence.stop())
}

async fn name_portable(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let found = no_tool(&listing, "names of 1 to 64 letters, digits, `_` and `-`", |_, tool| {
        let name = tool.get("name")?.as_str()?;
        let length = name.chars().count();
        let bad = name.chars().find(|c| !allowed(*c));
        match bad {
            Some(c) => Some(("/name".into(), format!("the name has {c:?}"))),
            None => (!(1..=64).contains(&length))
                .then(|| ("/name".into(), format!("the name has {length} characters"))),
        }
    });
    for_profiles(peer, &[Openai, Anthropic, ClaudeCode, Cursor], found)
}

async fn top_level(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let found = no_tool(&listing, "a plain object at the root of inputSchema", |_, tool| {
        let schema = tool.get("inputSchema")?;
        let keyword =
            ["anyOf", "oneOf", "allOf", "not", "enum"].into_iter().find(|k| schema.get(k).is_some())?;
        Some((format!("/inputSchema/{keyword}"), format!("`{keyword}` at the root of inputSchema")))
    });
    for_profiles(peer, &[Openai, Anthropic, ClaudeCode], found)
}

async fn required_known(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let found = no_tool(&listing, "each required name is in `properties`", |_, tool| {
        let schema = tool.get("inputSchema")?;
        let known = |name: &&str| schema.get("properties").is_some_and(|p| p.get(name).is_some());
        let required = schema.get("required")?.as_array()?;
        let unknown: Vec<_> =
            required.iter().filter_map(Value::as_str).filter(|name| !known(name)).map(quoted).collect();
        let words = format!("required, but not in properties: {}", listed(&unknown));
        (!unknown.is_empty()).then(|| ("/inputSchema/required".into(), words))
    });
    for_profiles(peer, &[Openai], found)
}

async fn array_items(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let found = no_tool(&listing, "`items` in each schema of type array", |_, tool| {
        let (at, schema) = schemas(tool).into_iter().find(|(at, _)| *at == "/inputSchema")?;
        let pointer = bare_array(&schema)?;
        Some((format!("{at}{pointer}"), format!("an array without `items` at {at}{pointer}")))
    });
    for_profiles(peer, &[Openai], found)
}

fn bare_array(schema: &Json) -> Option<String> {
    let mut found = None;
    walk(schema, &mut |visit: Visit<'_>| {
        let has = |keyword: &str| visit.schema.get(keyword).is_some();
        if found.is_none()
            && visit.schema.get("type") == Some(&Json::from("array"))
            && !has("items")
            && !has("prefixItems")
        {
            found = Some(visit.pointer.to_owned());
        }
    });
    found
}
