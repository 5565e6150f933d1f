//! Reads the servers that clients are set to use in this repository.

use super::manifests::read;
use super::placeholders::{placeholder, translate};
use super::{Candidate, Found, Way};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The files, and the member that holds the servers.
const FILES: [(&str, &str); 3] =
    [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers"), (".cursor/mcp.json", "mcpServers")];

/// Looks into each of the files.
pub(super) fn find(folder: &Path, found: &mut Found) {
    for (file, member) in FILES {
        let Some(text) = read(folder, file, found) else { continue };
        let settings: Value = match serde_json::from_str(&text) {
            Ok(settings) => settings,
            Err(error) => {
                found.notes.push(format!("{file} is not JSON: {error}"));
                continue;
            }
        };
        match settings[member].as_object() {
            None => found.notes.push(format!("{file} has no `{member}`")),
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
    found.candidates.push(candidate);
}

/// Takes over the names and leaves the values where they are.
fn values(given: Option<&Map<String, Value>>, variable: impl Fn(&str) -> String) -> BTreeMap<String, String> {
    let given = given.into_iter().flatten();
    given
        .map(|(name, value)| (name.clone(), placeholder(value.as_str().unwrap_or_default(), &variable(name))))
        .collect()
}
