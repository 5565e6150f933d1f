//! Reads what a repository says of itself to registries: `server.json` and `smithery.yaml`. They name what is published, so they count where no manifest names a program.

use super::manifests::read;
use super::{Candidate, Found, Way, key, variable_for};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Looks into both.
pub(super) fn find(folder: &Path, found: &mut Found) {
    server_json(folder, found);
    smithery(folder, found);
}

fn server_json(folder: &Path, found: &mut Found) {
    const FILE: &str = "server.json";
    let Some(text) = read(folder, FILE, found) else { return };
    let server: Value = match serde_json::from_str(&text) {
        Ok(server) => server,
        Err(error) => return found.notes.push(format!("{FILE} is not JSON: {error}")),
    };
    let list = |member: &str| server[member].as_array().into_iter().flatten();
    let name = server["name"].as_str().unwrap_or("server");
    let packages = list("packages").map(|one| package(one, name));
    let all: Vec<_> = packages.chain(list("remotes").map(|one| remote(one, name))).collect();
    if all.is_empty() {
        found.notes.push(format!("{FILE} has neither `packages` nor `remotes` of the MCP registry"));
    }
    for one in all {
        match one {
            Ok(candidate) => found.candidates.push(candidate),
            Err(why) => found.notes.push(format!("{FILE}: {why}")),
        }
    }
}

/// A published package, started by the program that fetches it.
fn package(package: &Value, name: &str) -> Result<Candidate, String> {
    // The older form of the file has its members in snake case.
    let text =
        |new: &str, old: &str| package[new].as_str().or_else(|| package[old].as_str()).unwrap_or_default();
    let (kind, id) = (text("registryType", "registry_type"), text("identifier", "name"));
    let transport = package["transport"]["type"].as_str().unwrap_or("stdio");
    if transport != "stdio" {
        return Err(format!("the package `{id}` speaks {transport}; start it and write its url"));
    }
    let version = text("version", "version");
    let of_version =
        |sign: &str| if version.is_empty() { id.to_owned() } else { format!("{id}{sign}{version}") };
    let words = match kind {
        "npm" => vec!["npx".to_owned(), "-y".into(), of_version("@")],
        "pypi" => vec!["uvx".to_owned(), of_version("@")],
        "oci" => {
            let image = if id.rsplit('/').next().is_some_and(|last| last.contains([':', '@'])) {
                id.to_owned()
            } else {
                of_version(":")
            };
            ["docker", "run", "-i", "--rm"].map(str::to_owned).into_iter().chain([image]).collect()
        }
        _ => {
            return Err(format!(
                "the package `{id}` of `{kind}` is of a kind that is not known; write its command"
            ));
        }
    };
    let variables = ["environmentVariables", "environment_variables"];
    let variables = variables.iter().find_map(|member| package[*member].as_array()).into_iter().flatten();
    // What is optional is left out: each variable that is named has to be set.
    let needed = variables.filter(|one| one["isRequired"] == true || one["is_required"] == true);
    let mut candidate = Candidate::new(name, format!("server.json, {kind}"), Way::Command(words));
    candidate.env = needed
        .filter_map(|one| one["name"].as_str())
        .map(|name| (name.to_owned(), variable_for(name)))
        .collect();
    Ok(candidate)
}

fn remote(remote: &Value, name: &str) -> Result<Candidate, String> {
    let url = remote["url"].as_str().unwrap_or_default();
    if !url.starts_with("http") || url.contains('{') {
        return Err(format!("the address `{url}` is to be filled in; write its url"));
    }
    let way = Way::Url { url: url.to_owned(), sse: remote["type"] == "sse" };
    let mut candidate = Candidate::new(name, "server.json, remotes", way);
    let headers = remote["headers"].as_array().into_iter().flatten();
    let needed = headers.filter(|one| one["isRequired"] == true).filter_map(|one| one["name"].as_str());
    let variable = |header: &str| variable_for(&format!("{}_{header}", key(name))).to_uppercase();
    candidate.headers =
        needed.map(|header| (header.to_owned(), variable(header))).collect::<BTreeMap<_, _>>();
    Ok(candidate)
}

/// Takes the command over where it is written out; most of such a file is a program.
fn smithery(folder: &Path, found: &mut Found) {
    const FILE: &str = "smithery.yaml";
    let Some(text) = read(folder, FILE, found) else { return };
    let function = text.split_once("commandFunction").map(|(_, function)| function);
    match function.and_then(written_out) {
        Some(words) => {
            if function.is_some_and(|function| function.contains("env:")) {
                found.notes.push(format!("{FILE} sets variables; they were not taken over"));
            }
            found.candidates.push(Candidate::new("server", FILE, Way::Command(words)));
        }
        None => found.notes.push(format!("{FILE} writes no command out that could be taken over")),
    }
}

/// The words of `command: 'node', args: ['x.js']`, when they are all there.
fn written_out(function: &str) -> Option<Vec<String>> {
    let after = |member: &str| function.split_once(member).map(|(_, rest)| rest.trim_start());
    let command = after("command:")?;
    let mut words = vec![literal(command.split([',', '}', '\n']).next()?)?];
    if function.contains("args") {
        let (list, _) = after("args:")?.strip_prefix('[')?.split_once(']')?;
        let list = list.trim().trim_end_matches(',');
        let parts = list.split(',').map(str::trim).filter(|part| !part.is_empty());
        words.extend(parts.map(literal).collect::<Option<Vec<_>>>()?);
    }
    Some(words)
}

fn literal(text: &str) -> Option<String> {
    let text = text.trim();
    let inside = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (!inside.is_empty() && !inside.contains(['\'', '"', '\\'])).then(|| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, servers};

    #[test]
    fn an_entry_of_the_registry_names_packages_and_addresses() {
        let text = r#"{"name": "io.github.me/notes", "version": "1.0.0",
            "packages": [
                {"registryType": "npm", "identifier": "@me/notes", "version": "1.2.0", "transport": {"type": "stdio"},
                 "environmentVariables": [{"name": "NOTES_TOKEN", "isRequired": true, "isSecret": true}, {"name": "LEVEL"}]},
                {"registry_type": "pypi", "identifier": "notes", "version": "1.2.0"},
                {"registryType": "oci", "identifier": "ghcr.io/me/notes:1.2.0"},
                {"registryType": "mcpb", "identifier": "https://example.org/n.mcpb"}],
            "remotes": [
                {"type": "sse", "url": "https://example.org/sse", "headers": [{"name": "X-Key", "isRequired": true}]},
                {"type": "streamable-http", "url": "https://{tenant}.example.org/mcp"}]}"#;
        let expected = [
            "notes: npx -y @me/notes@1.2.0",
            "notes-2: uvx notes@1.2.0",
            "notes-3: docker run -i --rm ghcr.io/me/notes:1.2.0",
            "notes-4: https://example.org/sse (sse)",
        ];
        assert_eq!(servers(&[("server.json", text)]), expected);
        let found = found(&[("server.json", text)]);
        assert_eq!(found.candidates[0].variables(), ["NOTES_TOKEN"]);
        assert_eq!(found.candidates[3].headers["X-Key"], "${NOTES_X_KEY}");
        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
    }

    #[test]
    fn a_repository_that_makes_a_program_is_not_set_up_by_what_it_published() {
        let package = r#"{"name": "n", "bin": "n.js", "dependencies": {"fastmcp": "^1"}}"#;
        let entry = r#"{"name": "n", "remotes": [{"url": "https://example.org/mcp"}]}"#;
        assert_eq!(servers(&[("package.json", package), ("server.json", entry)]), ["n: node n.js"]);
    }

    #[test]
    fn the_command_of_smithery_is_taken_when_it_is_written_out() {
        let file = |call: &str| {
            format!("startCommand:\n  type: stdio\n  commandFunction: |-\n    (config) => ({call})\n")
        };
        for (call, expected) in [
            (
                "{ command: 'node', args: ['dist/index.js', \"--x\",] }",
                vec!["server: node dist/index.js --x"],
            ),
            ("{ command: \"notes\" }", vec!["server: notes"]),
            ("{ command: 'node', args: ['x.js', config.key] }", vec![]),
            ("{ command: 'node', args }", vec![]),
            ("{ command: config.program }", vec![]),
        ] {
            assert_eq!(servers(&[("smithery.yaml", &file(call))]), expected, "{call}");
        }
    }
}
