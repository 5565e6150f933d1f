//! Reads `Cargo.toml`, and has what the readers of manifests share: files, folders, and patterns of workspaces.

use super::{Candidate, Found, Way};
use std::fs;
use std::path::Path;

/// Packages that are an SDK for servers.
const RUST_SDKS: [&str; 3] = ["rmcp", "rust-mcp-sdk", "mcp-server"];
/// More of one folder than this is not looked at.
const MOST: usize = 200;
/// No manifest and no file of settings is longer.
const LONGEST: u64 = 4 << 20;

/// Looks for the programs of `Cargo.toml` and of its workspace.
pub(super) fn cargo(folder: &Path, found: &mut Found) {
    const FILE: &str = "Cargo.toml";
    let Some(manifest) = read_table(folder, FILE, found) else { return };
    let members = manifest.get("workspace").and_then(|all| all.get("members")?.as_array());
    let members = members.into_iter().flatten().filter_map(toml::Value::as_str);
    let members: Vec<_> = members.flat_map(|pattern| expand(folder, pattern)).collect();
    let mut has_sdk = crates(folder, "", &manifest, found);
    for member in members {
        let at = format!("{member}/");
        let manifest = read_table(folder, &format!("{at}{FILE}"), &mut Found::default());
        has_sdk |= manifest.is_some_and(|manifest| crates(folder, &at, &manifest, found));
    }
    if !has_sdk {
        found.notes.push(no_sdk(FILE, &RUST_SDKS));
    }
}

/// Adds the programs of the crate in the folder `at`, and tells whether it has an SDK.
fn crates(folder: &Path, at: &str, manifest: &toml::Value, found: &mut Found) -> bool {
    let needs = |sdk: &str| manifest.get("dependencies").is_some_and(|all| all.get(sdk).is_some());
    if !RUST_SDKS.into_iter().any(needs) {
        return false;
    }
    let bins = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let mut names: Vec<_> = bins.filter_map(|bin| bin.get("name")?.as_str()).collect();
    let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    if names.is_empty() && folder.join(at).join("src/main.rs").exists() {
        names.extend(package);
    }
    if names.is_empty() {
        found.notes.push(format!("{at}Cargo.toml names no program: it has no [[bin]] and no src/main.rs"));
    }
    for name in names {
        let release = format!("target/release/{name}");
        let program = if folder.join(&release).exists() { release } else { format!("target/debug/{name}") };
        let origin = format!("{at}Cargo.toml, bin");
        found.candidates.push(Candidate::new(name, origin, Way::Command(vec![program])));
    }
    true
}

/// The note about a manifest that has none of `sdks`.
pub(super) fn no_sdk(file: &str, sdks: &[&str]) -> String {
    format!("{file} depends on no MCP SDK that is known: {}", sdks.join(", "))
}

/// Reads a TOML file where there is one; a mistake in it becomes a note.
pub(super) fn read_table(folder: &Path, file: &str, found: &mut Found) -> Option<toml::Value> {
    let text = read(folder, file, found)?;
    match toml::from_str(&text) {
        Ok(table) => Some(table),
        Err(error) => {
            found.notes.push(format!("{file} is not TOML: {}", error.message().trim()));
            None
        }
    }
}

/// Reads a file where there is one, without a byte order mark; one that cannot be read becomes a note.
pub(super) fn read(folder: &Path, file: &str, found: &mut Found) -> Option<String> {
    let path = folder.join(file);
    let reason = match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            found.absent.push(file.to_owned());
            return None;
        }
        // A pipe would never end.
        Ok(about) if !about.is_file() => "it is no file".to_owned(),
        Ok(about) if about.len() > LONGEST => format!("it is longer than {LONGEST} bytes"),
        _ => match fs::read_to_string(&path) {
            Ok(text) => return Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
            Err(error) => error.to_string(),
        },
    };
    found.notes.push(format!("{file} cannot be read: {reason}"));
    None
}

/// The names of the files of a folder that end in `ending`, in order.
pub(super) fn files(folder: &Path, ending: &str) -> Vec<String> {
    names(folder, |path, name| name.ends_with(ending) && path.is_file())
}

/// The names of the folders of a folder, in order. Hidden ones and those of fetched packages hold no programs of the repository.
pub(super) fn folders(folder: &Path) -> Vec<String> {
    names(folder, |path, name| path.is_dir() && !name.starts_with('.') && name != "node_modules")
}

fn names(folder: &Path, fits: impl Fn(&Path, &str) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        fits(&entry.path(), &name).then_some(name)
    });
    let mut all: Vec<_> = named.collect();
    all.sort();
    all.truncate(MOST);
    all
}

/// The folders that a pattern of a workspace stands for: `packages/*`, or one without a star.
pub(super) fn expand(folder: &Path, pattern: &str) -> Vec<String> {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    if pattern.starts_with(['!', '/']) || pattern.split('/').any(|part| part == "..") || pattern.is_empty() {
        return Vec::new();
    }
    let Some((before, after)) = pattern.split_once('*') else { return vec![pattern.to_owned()] };
    let after = after.trim_start_matches('*');
    folders(&folder.join(before)).into_iter().map(|name| format!("{before}{name}{after}")).collect()
}
