//! The drift rules, held against pairs of surfaces: a folder for each rule, and public pairs with their verdicts where
//! MCPPROOF_DRIFT_DIR, or ../shared/data/drift beside the repository, has them.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use surface::compare::diff;
use surface::{Change, Diff, Severity, Surface, all_rules, read};

fn surface(path: &Path) -> Surface {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn our_pairs() -> Vec<PathBuf> {
    folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/drift"))
}

fn compared(folder: &Path, old: &str, new: &str) -> Diff {
    diff(&surface(&folder.join(old)), &surface(&folder.join(new)))
}

/// Rules that look at something other than two surfaces.
const WITHOUT_PAIR: [&str; 2] = ["allow-unused", "allow-expired"];

#[test]
fn every_rule_has_a_pair_that_it_finds() {
    let names: BTreeSet<_> = our_pairs().iter().map(|folder| name(folder)).collect();
    let missing: Vec<_> = all_rules()
        .map(|rule| rule.id)
        .filter(|id| !names.contains(*id) && !WITHOUT_PAIR.contains(id))
        .collect();
    assert!(missing.is_empty(), "no folder in goldens/cases/drift for {missing:?}");
    let silent: Vec<_> = our_pairs()
        .into_iter()
        .filter(|folder| {
            let found = compared(folder, "old.json", "new.json");
            !found.changes.iter().any(|change| change.rule.id == name(folder))
        })
        .map(|folder| name(&folder))
        .collect();
    assert!(silent.is_empty(), "not found in their own pair: {silent:?}");
}

#[test]
fn what_is_found_in_each_pair_is_as_reviewed() {
    let line = |change: &Change| {
        let witness = change
            .witness
            .as_ref()
            .map_or(String::new(), |witness| format!("  witness {}", witness.instance));
        format!("{} {} {}: {}{witness}", change.severity.word(), change.rule.id, change.path, change.message)
    };
    let found: BTreeMap<_, Vec<_>> = our_pairs()
        .into_iter()
        .map(|folder| {
            (name(&folder), compared(&folder, "old.json", "new.json").changes.iter().map(line).collect())
        })
        .collect();
    insta::with_settings!({ snapshot_path => "../snaps", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_json_snapshot!("drift", found);
    });
}

#[test]
fn a_surface_does_not_differ_from_itself() {
    for folder in our_pairs() {
        for side in ["old.json", "new.json"] {
            assert_eq!(compared(&folder, side, side), Diff::default(), "{}/{side}", name(&folder));
        }
    }
}

fn public_pairs() -> Option<PathBuf> {
    let given = std::env::var_os("MCPPROOF_DRIFT_DIR").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/drift");
    given.or(Some(beside)).filter(|folder| folder.is_dir())
}

#[derive(Default)]
struct Score {
    pairs: usize,
    wrong: Vec<String>,
    missed: usize,
    falsely: usize,
    unproven: usize,
    by_category: BTreeMap<String, (usize, usize)>,
}

impl Score {
    fn add(&mut self, folder: &Path) {
        let expected = fs::read_to_string(folder.join("expected.json")).expect("each pair has its verdict");
        let expected: Value = serde_json::from_str(&expected).expect("expected.json is JSON");
        let found = compared(folder, "before.json", "after.json");
        let (verdict, wanted) = (found.verdict(), expected["verdict"].as_str().unwrap_or_default());
        let good =
            expected["accept"].as_array().is_some_and(|accept| accept.contains(&verdict.word().into()));
        self.pairs += 1;
        let category = expected["category"].as_str().unwrap_or_default().to_owned();
        let (right, all) = self.by_category.entry(category).or_default();
        *right += usize::from(good);
        *all += 1;
        self.missed += usize::from(wanted == "breaking" && verdict <= Severity::Compatible);
        self.falsely +=
            usize::from(matches!(wanted, "none" | "compatible") && verdict == Severity::Breaking && !good);
        let wants_witness = expected["witness"].as_array().is_some_and(|witness| !witness.is_empty());
        let proven = found.changes.iter().any(|change| change.witness.is_some());
        self.unproven += usize::from(verdict == Severity::Breaking && wants_witness && !proven);
        if !good {
            let rules: Vec<_> = found.changes.iter().map(|change| change.rule.id).collect();
            self.wrong.push(format!(
                "{}: wanted {wanted}, got {} by {rules:?}",
                name(folder),
                verdict.word()
            ));
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the score is what this test is run for, and a skip is never silent")]
fn the_public_pairs_get_their_verdicts() {
    let Some(root) = public_pairs() else {
        eprintln!("skip: no folder of public pairs (MCPPROOF_DRIFT_DIR)");
        return;
    };
    let mut score = Score::default();
    for folder in folders(&root) {
        score.add(&folder);
    }
    for (category, (right, all)) in &score.by_category {
        eprintln!("  {category:14} {right} of {all}");
    }
    eprintln!(
        "{} of {} accepted; missed breaks {}; false breaks {}; breaking without a witness {}",
        score.pairs - score.wrong.len(),
        score.pairs,
        score.missed,
        score.falsely,
        score.unproven
    );
    assert_eq!(score.wrong, Vec::<String>::new());
    assert_eq!(score.unproven, 0);
}
