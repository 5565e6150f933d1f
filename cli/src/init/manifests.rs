//! Reads the manifests of packages: which programs they make, and whether those are likely MCP servers.

use super::{Candidate, Found, Way};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Packages that are an SDK for servers.
const NODE_SDKS: [&str; 5] =
    ["@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "fastmcp", "mcp-framework", "xmcp"];
const PYTHON_SDKS: [&str; 3] = ["mcp", "fastmcp", "mcp-server"];
const RUST_SDKS: [&str; 3] = ["rmcp", "rust-mcp-sdk", "mcp-server"];

/// Looks for the programs of `package.json`.
pub(super) fn package_json(folder: &Path, found: &mut Found) {
    const FILE: &str = "package.json";
    let Some(text) = read(folder, FILE, found) else { return };
    let package: Value = match serde_json::from_str(&text) {
        Ok(package) => package,
        Err(error) => return found.notes.push(format!("{FILE} is not JSON: {error}")),
    };
    let needs = |sdk: &&str| {
        ["dependencies", "peerDependencies", "devDependencies"]
            .iter()
            .any(|of| package[of].get(sdk).is_some())
    };
    if !NODE_SDKS.iter().any(needs) {
        return found.notes.push(format!("{FILE} depends on no MCP SDK that is known"));
    }
    let name = package["name"].as_str().unwrap_or("server");
    let node = |name: &str, of: &str, script: &str| {
        Candidate::new(name, format!("{FILE}, {of}"), Way::Command(vec!["node".into(), script.into()]))
    };
    match &package["bin"] {
        Value::String(script) => found.candidates.push(node(name, "bin", script)),
        Value::Object(scripts) if !scripts.is_empty() => {
            let all = scripts.iter().filter_map(|(name, script)| Some(node(name, "bin", script.as_str()?)));
            found.candidates.extend(all);
        }
        _ if package["scripts"]["start"].is_string() => {
            let words = ["npm", "run", "--silent", "start"].map(String::from).into();
            found.candidates.push(Candidate::new(
                name,
                format!("{FILE}, scripts.start"),
                Way::Command(words),
            ));
        }
        _ => match package["main"].as_str() {
            Some(script) => found.candidates.push(node(name, "main", script)),
            None => found
                .notes
                .push(format!("{FILE} names no program: it has no `bin`, `scripts.start` or `main`")),
        },
    }
}

/// Looks for the scripts of `pyproject.toml`.
pub(super) fn pyproject(folder: &Path, found: &mut Found) {
    const FILE: &str = "pyproject.toml";
    let Some(project) = read_table(folder, FILE, found) else { return };
    let get = |path: &[&str]| path.iter().try_fold(&project, |at, key| at.get(key));
    let listed = get(&["project", "dependencies"]).and_then(toml::Value::as_array).into_iter().flatten();
    let listed = listed.filter_map(toml::Value::as_str).map(requirement_name);
    let poetry = get(&["tool", "poetry", "dependencies"]).and_then(toml::Value::as_table);
    let poetry = poetry.into_iter().flat_map(|table| table.keys().map(String::as_str));
    if !listed.chain(poetry).any(|name| PYTHON_SDKS.contains(&name)) {
        return found.notes.push(format!("{FILE} depends on no MCP SDK that is known"));
    }
    let tables = [get(&["project", "scripts"]), get(&["tool", "poetry", "scripts"])];
    let scripts: Vec<_> =
        tables.into_iter().flatten().filter_map(toml::Value::as_table).flat_map(toml::Table::keys).collect();
    if scripts.is_empty() {
        return found.notes.push(format!("{FILE} names no program: it has no [project.scripts]"));
    }
    for script in scripts {
        let own = format!(".venv/bin/{script}");
        let program = if folder.join(&own).exists() { own } else { script.clone() };
        let way = Way::Command(vec![program]);
        found.candidates.push(Candidate::new(script, format!("{FILE}, project.scripts"), way));
    }
}

/// The package of a requirement such as `mcp[cli]>=1.2; python_version > "3"`.
fn requirement_name(requirement: &str) -> &str {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    &requirement[..end.unwrap_or(requirement.len())]
}

/// Looks for the programs of `Cargo.toml`.
pub(super) fn cargo(folder: &Path, found: &mut Found) {
    const FILE: &str = "Cargo.toml";
    let Some(manifest) = read_table(folder, FILE, found) else { return };
    let needs = |sdk: &str| manifest.get("dependencies").is_some_and(|all| all.get(sdk).is_some());
    if !RUST_SDKS.into_iter().any(needs) {
        return found.notes.push(format!("{FILE} depends on no MCP SDK that is known"));
    }
    let bins = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let mut names: Vec<_> = bins.filter_map(|bin| bin.get("name")?.as_str()).collect();
    let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    if names.is_empty() && folder.join("src/main.rs").exists() {
        names.extend(package);
    }
    if names.is_empty() {
        found.notes.push(format!("{FILE} names no program: it has no [[bin]] and no src/main.rs"));
    }
    for name in names {
        let release = format!("target/release/{name}");
        let program = if folder.join(&release).exists() { release } else { format!("target/debug/{name}") };
        found.candidates.push(Candidate::new(name, format!("{FILE}, bin"), Way::Command(vec![program])));
    }
}

fn read_table(folder: &Path, file: &str, found: &mut Found) -> Option<toml::Value> {
    let text = read(folder, file, found)?;
    match toml::from_str(&text) {
        Ok(table) => Some(table),
        Err(error) => {
            found.notes.push(format!("{file} is not TOML: {}", error.message().trim()));
            None
        }
    }
}

/// Reads a file where there is one; one that cannot be read becomes a note.
pub(super) fn read(folder: &Path, file: &str, found: &mut Found) -> Option<String> {
    match fs::read_to_string(folder.join(file)) {
        Ok(text) => Some(text),
        Err(error) => {
            if error.kind() != std::io::ErrorKind::NotFound {
                found.notes.push(format!("{file} cannot be read: {error}"));
            }
            None
        }
    }
}
