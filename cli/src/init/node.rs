//! Reads what Node and Deno know of a repository: which programs its packages make, and whether those are likely MCP servers.

use super::manifests::{expand, no_sdk, read};
use super::{Candidate, Found, Way, jsonc};
use serde_json::Value;
use std::path::Path;

/// Packages that are an SDK for servers.
const SDKS: [&str; 5] =
    ["@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp", "mcp-framework", "xmcp"];
/// The names that tasks of servers have.
const TASKS: [&str; 4] = ["start", "mcp", "serve", "server"];

/// Looks for the programs of `package.json`, of its workspaces and of `deno.json`.
pub(super) fn find(folder: &Path, found: &mut Found) {
    const FILE: &str = "package.json";
    if let Some(package) = read_json(folder, FILE, found) {
        let workspaces = workspaces(folder, &package);
        if has_sdk(&package) {
            programs(&package, FILE, None, found);
        } else if workspaces.is_empty() {
            found.notes.push(no_sdk(FILE, &SDKS));
        }
        members(folder, &workspaces, found);
    }
    for file in ["deno.json", "deno.jsonc"] {
        deno(folder, file, found);
    }
}

fn has_sdk(package: &Value) -> bool {
    let groups = ["dependencies", "peerDependencies", "devDependencies"];
    SDKS.iter().any(|sdk| groups.iter().any(|group| package[group].get(sdk).is_some()))
}

/// Adds the programs of one package, which stands in the folder `cwd`.
fn programs(package: &Value, file: &str, cwd: Option<&str>, found: &mut Found) {
    let name = package["name"].as_str().unwrap_or("server");
    let mut add = |name: &str, of: &str, words: &[&str]| {
        let way = Way::Command(words.iter().map(|word| (*word).to_owned()).collect());
        let mut candidate = Candidate::new(name, format!("{file}, {of}"), way);
        candidate.cwd = cwd.map(str::to_owned);
        found.candidates.push(candidate);
    };
    match (&package["bin"], package["main"].as_str()) {
        (Value::String(script), _) => add(name, "bin", &["node", script]),
        (Value::Object(scripts), _) if !scripts.is_empty() => {
            let all = scripts.iter().filter_map(|(name, script)| Some((name, script.as_str()?)));
            all.for_each(|(name, script)| add(name, "bin", &["node", script]));
        }
        _ if package["scripts"]["start"].is_string() => {
            add(name, "scripts.start", &["npm", "run", "--silent", "start"]);
        }
        (_, Some(script)) => add(name, "main", &["node", script]),
        (_, None) => {
            found.notes.push(format!("{file} names no program: it has no `bin`, `scripts.start` or `main`"));
        }
    }
}

/// Looks into the packages of a workspace.
fn members(folder: &Path, workspaces: &[String], found: &mut Found) {
    let mut without = 0;
    for at in workspaces {
        let file = format!("{at}/package.json");
        // Its own, since a folder without a package is no news.
        let mut own = Found::default();
        match read_json(folder, &file, &mut own) {
            Some(package) if has_sdk(&package) => programs(&package, &file, Some(at), &mut own),
            Some(_) => without += 1,
            None => {}
        }
        found.candidates.append(&mut own.candidates);
        found.notes.append(&mut own.notes);
    }
    if without > 0 && found.candidates.is_empty() {
        let sdks = SDKS.join(", ");
        found.notes.push(format!("package.json: {without} of its workspaces depend on no MCP SDK ({sdks})"));
    }
}

/// The folders of the workspaces, by the patterns of npm, Yarn or pnpm.
fn workspaces(folder: &Path, package: &Value) -> Vec<String> {
    let listed = &package["workspaces"];
    let listed = listed.as_array().or_else(|| listed["packages"].as_array()).into_iter().flatten();
    let pnpm = read(folder, "pnpm-workspace.yaml", &mut Found::default()).unwrap_or_default();
    let pnpm = pnpm.lines().map(str::trim).filter_map(|line| line.strip_prefix("- "));
    let pnpm = pnpm.map(|pattern| pattern.trim().trim_matches(['\'', '"']));
    let patterns: Vec<_> = listed.filter_map(Value::as_str).chain(pnpm).collect();
    let mut all: Vec<_> = patterns.iter().flat_map(|pattern| expand(folder, pattern)).collect();
    all.retain(|at| !patterns.iter().any(|pattern| pattern.strip_prefix('!') == Some(at)));
    all.sort();
    all.dedup();
    all
}

/// Looks for the tasks of a file of Deno.
fn deno(folder: &Path, file: &str, found: &mut Found) {
    let Some(settings) = read_json(folder, file, found) else { return };
    let imports = settings["imports"].as_object().into_iter().flatten();
    let mut imports =
        imports.filter_map(|(_, from)| from.as_str()?.split_once(':')).map(|(_, package)| package);
    if !imports.any(|package| SDKS.iter().any(|sdk| package.trim_start_matches('/').starts_with(sdk))) {
        return found.notes.push(no_sdk(file, &SDKS));
    }
    match TASKS.iter().find(|task| settings["tasks"].get(task).is_some()) {
        Some(task) => {
            let name = settings["name"].as_str().unwrap_or("server");
            let way = Way::Command(["deno", "task", task].map(str::to_owned).into());
            found.candidates.push(Candidate::new(name, format!("{file}, tasks.{task}"), way));
        }
        None => found.notes.push(format!("{file} names no program: none of its tasks is `start` or `mcp`")),
    }
}

fn read_json(folder: &Path, file: &str, found: &mut Found) -> Option<Value> {
    let text = read(folder, file, found)?;
    // Only Deno takes comments.
    let text = if file.starts_with("deno.") { jsonc::plain(&text) } else { text };
    serde_json::from_str(&text).map_err(|error| found.notes.push(format!("{file} is not JSON: {error}"))).ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, servers};

    #[test]
    fn packages_of_a_workspace_are_started_in_their_folders() {
        let sdk = r#""dependencies": {"@modelcontextprotocol/sdk": "^1"}"#;
        let member = format!(r#"{{"name": "@x/notes", "bin": "dist/index.js", {sdk}}}"#);
        let plain = r#"{"name": "@x/ui", "bin": "ui.js"}"#;
        for root in [
            vec![("package.json", r#"{"private": true, "workspaces": ["packages/*", "../out"]}"#)],
            vec![("package.json", r#"{"workspaces": {"packages": ["./packages/notes/"]}}"#)],
            vec![
                ("package.json", "{}"),
                ("pnpm-workspace.yaml", "packages:\n  - 'packages/**'\n  - \"!packages/old\"\n"),
            ],
        ] {
            let mut files = root.clone();
            files.extend([
                ("packages/notes/package.json", member.as_str()),
                ("packages/ui/package.json", plain),
            ]);
            let found = found(&files);
            assert_eq!(found.candidates.len(), 1, "{root:?} {found:#?}");
            assert_eq!(found.candidates[0].cwd.as_deref(), Some("packages/notes"));
            assert_eq!(found.candidates[0].origin, "packages/notes/package.json, bin");
            assert_eq!(found.notes, Vec::<String>::new());
        }
        let none = found(&[("package.json", r#"{"workspaces": ["p/*"]}"#), ("p/ui/package.json", plain)]);
        assert!(none.notes[0].contains("1 of its workspaces depend on no MCP SDK"), "{:?}", none.notes);
    }

    #[test]
    fn tasks_of_deno_are_servers_when_its_imports_have_an_sdk() {
        let with = r#"{"name": "@x/notes", "imports": {"mcp": "npm:@modelcontextprotocol/sdk@^1"}, // why
            "tasks": {"dev": "x", "start": "deno run main.ts",},}"#;
        assert_eq!(servers(&[("deno.jsonc", with)]), ["notes: deno task start"]);
        assert_eq!(servers(&[("deno.json", r#"{"tasks": {"start": "x"}}"#)]), Vec::<String>::new());
        let bare = found(&[("deno.json", r#"{"imports": {"a": "jsr:@modelcontextprotocol/sdk"}}"#)]);
        assert!(bare.notes[0].contains("none of its tasks"), "{:?}", bare.notes);
    }
}
