//! Every fault is told apart from the good server by what it says.

use super::conversation::replay;
use super::script;
use crate::fault::{Fault, Twist};
use crate::faults::{QUIRKS, TABLES};
use crate::{faults, find, quirks};
use specs::{Revision, Revisions};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that a mock says in all conversations of one revision, piece by piece.
fn everything(name: &str, revision: Revision) -> impl Iterator<Item = String> {
    let mock = find(name).expect("the name of a mock");
    let (only, all) = (mock.setup(Revisions::only(revision)), mock.setup(Revisions::ALL));
    let script = replay(Arc::clone(&only), script::lines(revision));
    let openings = script::openings(revision).into_iter().flat_map(move |lines| {
        let alone = replay(Arc::clone(&only), lines.clone());
        alone.chain(replay(Arc::clone(&all), lines)).collect::<Vec<_>>()
    });
    script.chain(openings)
}

#[test]
fn every_fault_differs_from_good_in_each_revision_it_claims() {
    let mut same = Vec::new();
    for revision in Revision::ALL {
        let good: Vec<_> = everything("good", revision).collect();
        let here = |fault: &&Fault| {
            fault.revisions.contains(revision) && !matches!(fault.transport, Some("http" | "sse"))
        };
        // When something is said shows on a clock only.
        let slow =
            |fault: &&Fault| matches!(fault.twist, Twist::Delay(_) | Twist::Hold(_) | Twist::OneAtATime);
        for fault in faults().chain(quirks()).filter(here).filter(|fault| !slow(fault)) {
            if everything(fault.id, revision).eq(good.iter().cloned()) {
                same.push(format!("{} in {revision}", fault.id));
            }
        }
    }
    assert!(same.is_empty(), "no difference: {same:#?}");
}

#[test]
fn fault_ids_are_unique_and_each_table_is_sorted() {
    let mut seen = BTreeSet::new();
    for table in TABLES.iter().chain([&QUIRKS]) {
        let ids: Vec<_> = table.iter().map(|fault| fault.id).collect();
        assert!(ids.is_sorted(), "not sorted: {ids:?}");
        for id in ids {
            assert!(seen.insert(id), "twice: {id}");
            assert!(find(id).is_some_and(|mock| mock.name == id));
        }
    }
}

#[test]
fn every_story_is_a_sentence() {
    for fault in faults().chain(quirks()) {
        let first = fault.story.chars().next().expect("a story");
        assert!(first.is_uppercase() && fault.story.ends_with('.'), "{}: {}", fault.id, fault.story);
        assert!(fault.story.len() <= 110, "{} is {} bytes long", fault.id, fault.story.len());
    }
}

#[test]
fn every_fault_makes_a_difference_somewhere() {
    let nowhere = |fault: &&Fault| Revisions::ALL.iter().all(|r| !fault.revisions.contains(r));
    assert!(!faults().any(|fault| nowhere(&fault)));
}

#[test]
fn the_flawed_server_has_a_dozen_faults_and_still_serves_its_tools() {
    let flawed = find("flawed").expect("flawed is a mock");
    assert_eq!(flawed.faults.len(), crate::mock::FLAWED.len(), "a name in the list is no fault");
    for revision in Revision::ALL {
        let mut talk = super::conversation::Talk::with(&flawed, revision);
        talk.open();
        let result = talk.call("echo", serde_json::json!({"text": "still here"}));
        assert_eq!(result["content"][0]["text"], "still here");
    }
}
