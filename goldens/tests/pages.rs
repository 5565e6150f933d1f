//! Generated pages are what the tables say; `BLESS=1` writes them anew.

use serde_json::{Map, json};
use std::fs;
use std::path::Path;

/// Compares a page with the committed one, or writes it when asked to.
fn compare(path: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, page).expect("the page can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "{} is out of date: run `make bless`", path.display());
}

/// Compares what stands between the two markers of a hand-written page.
fn compare_part(path: &str, part: &str) {
    const OPEN: &str = "<!-- generated: BLESS=1 rewrites what follows -->\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let page = fs::read_to_string(&file).expect("the page exists");
    let (before, _) = page.split_once(OPEN).expect("the page has the marker");
    compare(path, &format!("{before}{OPEN}{part}"));
}

#[test]
fn the_list_of_checks_is_up_to_date() {
    compare_part("checks/README.md", &mcpproof_cli::pages::checks());
}

#[test]
fn the_coverage_of_the_requirements_is_up_to_date() {
    compare("specs/COVERAGE.md", &mcpproof_cli::pages::coverage());
}

#[test]
fn the_help_page_is_up_to_date() {
    compare("cli/HELP.md", &mcpproof_cli::pages::help());
}

#[test]
fn the_list_of_drift_rules_is_up_to_date() {
    compare("surface/RULES.md", &mcpproof_cli::pages::rules());
}

/// The first change that each rule finds in its own pair.
fn examples() -> String {
    let mut all = Map::new();
    for rule in surface::all_rules() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/drift").join(rule.id);
        let side = |name: &str| {
            fs::read_to_string(folder.join(name)).ok().and_then(|text| surface::read(&text).ok())
        };
        let (Some(old), Some(new)) = (side("old.json"), side("new.json")) else { continue };
        let changes = surface::compare::diff(&old, &new).changes;
        let Some(change) = changes.into_iter().find(|change| change.rule.id == rule.id) else { continue };
        let mut row = json!({"path": change.path, "message": change.message});
        if let Some(witness) = change.witness {
            row["witness"] = json!(witness.instance.to_string());
        }
        all.insert(rule.id.to_owned(), row);
    }
    all.sort_keys();
    format!("{:#}\n", serde_json::Value::from(all))
}

#[test]
fn the_examples_of_the_drift_rules_are_up_to_date() {
    compare("cli/rule-examples.json", &examples());
}
