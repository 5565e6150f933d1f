//! Our message shapes against the official schemas and examples: the same verdict on everything, or a reason.
//!
//! The official files are no part of this repository; without them each test prints that it is skipped.

mod generate;
mod mutate;
mod official;

use std::fmt::Write as _;

use serde_json::Value;
use specs::{Revision, schema};

use generate::Generator;
use official::{Divergence, Official};

/// Random instances of each definition, beside the smallest and the fullest one.
const RANDOM_INSTANCES: usize = 6;

/// Mutations of one instance that are tried; larger instances are sampled.
const MUTATIONS: usize = 120;

/// What the page of divergences says before the tables.
const PREAMBLE: &str = "# Where our shapes differ from the official schemas

Rendered from `divergence.toml`, which `make parity` applies to the official schemas.
With these changes, and only with them, both give the same verdict on every value that is tried.
An entry that changes no verdict fails the test.

Each is looser than the official schema, none is stricter.
The JSON-RPC specification wants `id: null` in an error about a request whose id could not be read; \
the official schemas know only a string or an integer, and up to 2025-06-18 want one.
The other two come from the step that makes the JSON Schema from the TypeScript source: the source says \
`number` and `null` where the JSON Schema has only `integer`.
";

#[expect(clippy::print_stdout, reason = "the counts and the skip line are the result of the run")]
fn say(line: &str) {
    println!("parity: {line}");
}

/// What was compared, and where the verdicts parted.
#[derive(Default)]
struct Tally {
    instances: usize,
    mutations: usize,
    explained: usize,
    unexplained: Vec<String>,
}

/// Compares one value; `read` is the official schema as our divergence list reads it.
fn compare(
    tally: &mut Tally,
    name: &str,
    raw: &Verdict<'_>,
    read: &Verdict<'_>,
    ours: &Verdict<'_>,
    value: &Value,
) {
    let verdict = ours(value);
    if verdict != read(value) {
        let says = |is_valid| if is_valid { "valid" } else { "invalid" };
        tally.unexplained.push(format!("{name}: ours says {}: {value}", says(verdict)));
    } else if verdict != raw(value) {
        tally.explained += 1;
    }
}

type Verdict<'a> = dyn Fn(&Value) -> bool + 'a;

fn compare_definition(official: &Official, name: &str, seeds: Vec<Value>, tally: &mut Tally) {
    let Some(ours) = schema::validator(official.revision, name) else {
        tally.unexplained.push(format!("{name}: not in our catalogue"));
        return;
    };
    let (raw, read) = (official.compile_raw(name), official.compile_read(name));
    let (raw, read) = (|v: &Value| raw.is_valid(v), |v: &Value| read.is_valid(v));
    let ours = |v: &Value| ours.is_valid(v);
    let mut generator = Generator::new(official, name);
    let mut instances = generator.instances(RANDOM_INSTANCES);
    instances.extend(seeds);
    for instance in &instances {
        tally.instances += 1;
        compare(tally, name, &raw, &read, &ours, instance);
        let mutations = mutate::single_faults(instance);
        for mutation in generator.sample(mutations, MUTATIONS) {
            tally.mutations += 1;
            compare(tally, name, &raw, &read, &ours, &mutation);
        }
    }
    let has_valid = instances.iter().any(raw);
    assert!(has_valid, "{name}: the generator found no valid instance");
}

fn compare_revision(revision: Revision) {
    let Some(official) = Official::load(revision) else {
        say(&format!("{revision}: skipped, no official schemas (set MCPPROOF_SPEC_DIR)"));
        return;
    };
    let mut tally = Tally::default();
    let names = official.definitions();
    for name in &names {
        compare_definition(&official, name, official.examples(name), &mut tally);
    }
    say(&format!(
        "{revision}: {} definitions, {} instances, {} mutations, {} differences (each with a reason), {} without",
        names.len(),
        tally.instances,
        tally.mutations,
        tally.explained,
        tally.unexplained.len()
    ));
    let shown = tally.unexplained.iter().take(20).fold(String::new(), |all, line| all + line + "\n");
    assert!(tally.unexplained.is_empty(), "{} differences:\n{shown}", tally.unexplained.len());
}

#[test]
fn the_shapes_of_2024_11_05_agree_with_the_official_schema() {
    compare_revision(Revision::V2024_11_05);
}

#[test]
fn the_shapes_of_2025_03_26_agree_with_the_official_schema() {
    compare_revision(Revision::V2025_03_26);
}

#[test]
fn the_shapes_of_2025_06_18_agree_with_the_official_schema() {
    compare_revision(Revision::V2025_06_18);
}

#[test]
fn the_shapes_of_2025_11_25_agree_with_the_official_schema() {
    compare_revision(Revision::V2025_11_25);
}

#[test]
fn the_shapes_of_2026_07_28_agree_with_the_official_schema() {
    compare_revision(Revision::V2026_07_28);
}

#[test]
fn every_official_example_matches_our_shape() {
    let Some(official) = Official::load(Revision::V2026_07_28) else {
        say("examples: skipped, no official schemas (set MCPPROOF_SPEC_DIR)");
        return;
    };
    let mut count = 0;
    for name in official.definitions() {
        for example in official.examples(&name) {
            count += 1;
            let found = schema::violations(official.revision, &name, &example);
            assert!(found.is_empty(), "{name}: {example}: {found:?}");
        }
    }
    say(&format!("{count} official examples match"));
}

/// The comparison is worth as much as the faults it notices.
#[test]
fn a_member_that_is_forgotten_or_optional_or_free_is_noticed() {
    let Some(official) = Official::load(Revision::V2025_06_18) else {
        say("faults: skipped, no official schemas (set MCPPROOF_SPEC_DIR)");
        return;
    };
    let (mut count, mut missed) = (0, Vec::new());
    for name in official.definitions() {
        for (fault, changed) in official.with_faults(&name) {
            let mut tally = Tally::default();
            compare_definition(&changed, &name, Vec::new(), &mut tally);
            count += 1;
            if tally.unexplained.is_empty() {
                missed.push(fault);
            }
        }
    }
    say(&format!("{} of {count} faults in the schema of 2025-06-18 are noticed", count - missed.len()));
    assert!(missed.is_empty(), "missed: {missed:#?}");
}

#[test]
fn every_divergence_changes_a_verdict() {
    for revision in Revision::ALL {
        let Some(official) = Official::load(revision) else {
            say(&format!("divergences of {revision}: skipped, no official schemas (set MCPPROOF_SPEC_DIR)"));
            continue;
        };
        for idx in 0..official.divergences.len() {
            let with = official.without_divergence(idx);
            let name = official.divergences[idx].definition().to_owned();
            let mut tally = Tally::default();
            compare_definition(&with, &name, official.examples(&name), &mut tally);
            let at = &official.divergences[idx].at;
            assert!(!tally.unexplained.is_empty(), "the divergence at {at} is not needed in {revision}");
        }
    }
}

#[test]
fn the_page_of_divergences_lists_each_with_its_reason() {
    let path = official::root().join("specs/DIVERGENCE.md");
    let page = page(&official::divergences());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page is writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, page, "run with BLESS=1 to write specs/DIVERGENCE.md again");
}

/// Renders the list as Markdown, a section for each reason.
fn page(divergences: &[Divergence]) -> String {
    let mut text = String::from(PREAMBLE);
    let mut reasons: Vec<&str> = divergences.iter().map(|divergence| divergence.reason.as_str()).collect();
    reasons.dedup();
    for reason in reasons {
        let _ = write!(text, "\n## {reason}\n\n| revisions | place | we read |\n|---|---|---|\n");
        for entry in divergences.iter().filter(|entry| entry.reason == reason) {
            let dates: Vec<_> = entry.revisions.iter().map(Revision::to_string).collect();
            let _ = writeln!(text, "| {} | `{}` | `{}` |", dates.join(", "), entry.at, entry.read);
        }
    }
    text
}
