//! Keeps the arrows between rooms as ARCHITECTURE.md draws them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may import.
const ARROWS: &[(&str, &[&str])] = &[
    ("specs", &[]),
    ("wire", &["specs"]),
    ("transport", &["specs", "wire"]),
    ("checks", &["specs", "transport", "wire"]),
    ("mocks", &["specs", "transport", "wire"]),
    ("surface", &[]),
    ("retrieval", &[]),
    ("reports", &["checks", "specs", "surface", "wire"]),
    ("cli", &["checks", "mocks", "reports", "retrieval", "specs", "surface", "transport", "wire"]),
    ("goldens", &[]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("goldens has a parent").to_path_buf()
}

fn manifest(room: &str) -> toml::Table {
    let path = root().join(room).join("Cargo.toml");
    fs::read_to_string(path).expect("each room has a manifest").parse().expect("a manifest is TOML")
}

#[test]
fn rooms_import_only_what_the_plan_allows() {
    for (room, allowed) in ARROWS {
        let manifest = manifest(room);
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        let names = dependencies.into_iter().flat_map(toml::Table::keys).map(String::as_str);
        let found: BTreeSet<_> = names.filter(|name| ARROWS.iter().any(|(room, _)| room == name)).collect();
        let extra: Vec<_> = found.iter().filter(|name| !allowed.contains(name)).collect();
        assert!(extra.is_empty(), "`{room}` must not import {extra:?}");
    }
}

#[test]
fn every_member_of_the_workspace_has_its_arrows() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the root manifest");
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list of members");
    let members: BTreeSet<_> = members.iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(members, ARROWS.iter().map(|(room, _)| *room).collect());
}

#[test]
fn specs_wire_and_surface_do_no_io_and_know_no_clock() {
    for room in ["specs", "surface", "wire"] {
        let manifest = manifest(room);
        assert!(manifest["dependencies"].get("tokio").is_none(), "`{room}` must not import tokio");
        for (path, text) in sources(&root().join(room).join("src")) {
            for banned in ["std::fs", "std::net", "std::process", "std::time::Instant", "SystemTime"] {
                assert!(!text.contains(banned), "{} uses {banned}", path.display());
            }
        }
    }
}

#[test]
fn the_official_sdk_is_used_in_goldens_only() {
    for (room, _) in ARROWS.iter().filter(|(room, _)| *room != "goldens") {
        let manifest = manifest(room);
        for table in ["dependencies", "dev-dependencies"] {
            let names = manifest.get(table).and_then(toml::Value::as_table);
            assert!(names.is_none_or(|names| !names.contains_key("rmcp")), "`{room}` must not import rmcp");
        }
    }
}

#[test]
fn files_stay_under_five_hundred_lines() {
    let rooms = ARROWS.iter().map(|(room, _)| root().join(room).join("src"));
    for (path, text) in rooms.flat_map(|folder| sources(&folder)) {
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines", path.display());
        assert!(text.starts_with("//!"), "{} does not say what lives in it", path.display());
    }
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("source files are UTF-8");
            found.push((path, text));
        }
    }
    found
}
