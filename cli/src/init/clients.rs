//! Reads the servers that clients are set to use in this repository.

use super::manifests::read;
use super::placeholders::{defaults, placeholder, translate};
use super::{Candidate, Found, Way, jsonc};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The files.
const FILES: [&str; 5] =
    [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", "mcp.json", "claude_desktop_config.json"];
/// The members that hold the servers. Each client knows one of them, and people mix them up.
const MEMBERS: [&str; 2] = ["mcpServers", "servers"];

/// Looks into each of the files.
pub(super) fn find(folder: &Path, found: &mut Found) {
    for file in FILES {
        let Some(text) = read(folder, file, found) else { continue };
        let settings: Value = match serde_json::from_str(&jsonc::plain(&text)) {
            Ok(settings) => settings,
            Err(error) => {
                found.notes.push(format!("{file} is not JSON: {error}"));
                continue;
            }
        };
        match MEMBERS.iter().find_map(|member| settings.get(member)?.as_object()) {
            None => found.notes.push(format!("{file} has neither `mcpServers` nor `servers`")),
            Some(servers) if servers.is_empty() => found.notes.push(format!("{file} lists no server")),
            Some(servers) => servers.iter().for_each(|(name, server)| one(file, name, server, found)),
        }
    }
}

fn one(file: &str, name: &str, server: &Value, found: &mut Found) {
    let text = |member: &str| server[member].as_str();
    let way = match (text("command"), text("url")) {
        (Some(program), _) => {
            let args = server["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
            Way::Command(std::iter::once(program).chain(args).map(translate).collect())
        }
        (None, Some(url)) => Way::Url { url: translate(url), sse: text("type") == Some("sse") },
        (None, None) => return found.notes.push(format!("{file}: `{name}` has neither `command` nor `url`")),
    };
    let mut candidate = Candidate::new(name, file, way);
    candidate.env = values(server["env"].as_object(), str::to_owned);
    let prefix = super::key(name);
    candidate.headers =
        values(server["headers"].as_object(), |header| format!("{prefix}_{header}").to_uppercase());
    candidate.cwd = text("cwd").map(translate);
    candidate.defaults = with_defaults(server);
    if let Some(from) = text("envFile") {
        let note = format!(
            "{file}: `{name}` reads variables from `{from}`; set them yourself, they were not taken over"
        );
        found.notes.push(note);
    }
    found.candidates.push(candidate);
}

/// Takes over the names and leaves the values where they are.
fn values(given: Option<&Map<String, Value>>, variable: impl Fn(&str) -> String) -> BTreeMap<String, String> {
    let given = given.into_iter().flatten();
    given
        .map(|(name, value)| (name.clone(), placeholder(value.as_str().unwrap_or_default(), &variable(name))))
        .collect()
}

/// The variables that the client fills in with a value of its own where they are not set. Headers hold secrets, so they are not looked at.
fn with_defaults(server: &Value) -> BTreeMap<String, String> {
    let args = server["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let befores = std::iter::once("").chain(args.clone());
    let single = ["command", "url", "cwd"].into_iter().filter_map(|member| server[member].as_str());
    let env = server["env"].as_object().into_iter().flatten();
    let env = env.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let all = befores.zip(args.clone()).chain(single.map(|text| ("", text))).chain(env);
    all.flat_map(|(before, text)| defaults(before, text)).collect()
}
