//! The tables agree with each other: checks, requirement rows and faults.

use checks::{AREAS, Check, Level, all_checks};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn ids_are_unique_and_kebab() {
    let mut seen = BTreeSet::new();
    for check in all_checks() {
        assert!(seen.insert(check.id), "{} stands twice", check.id);
        assert!(
            check.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{}",
            check.id
        );
    }
}

#[test]
fn every_check_is_explained_in_sentences() {
    for check in all_checks() {
        assert!(check.explain.ends_with('.'), "{}: {}", check.id, check.explain);
        assert!(!check.explain.contains("  "), "{}: {}", check.id, check.explain);
    }
}

#[test]
fn areas_are_named_once() {
    let names: BTreeSet<_> = AREAS.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), AREAS.len());
}

/// Double entry: a check never claims a revision that its requirement row does not, and is never graver than the row.
#[test]
fn checks_agree_with_their_requirement_rows() {
    for check in all_checks().filter(|check| check.requirement != Check::NO_RULE) {
        let row = specs::requirements::get(check.requirement)
            .unwrap_or_else(|| panic!("{}: no requirement row `{}`", check.id, check.requirement));
        for revision in check.revisions.iter() {
            assert!(
                row.revisions().contains(revision),
                "{} claims {revision}, {} does not",
                check.id,
                row.id
            );
        }
        if check.level == Level::Must {
            assert!(row.level.is_absolute(), "{} is a violation, {} is {}", check.id, row.id, row.level);
        }
    }
}

#[test]
fn what_breaks_no_rule_cites_none() {
    for check in all_checks() {
        let cites = check.requirement != Check::NO_RULE;
        match check.level {
            Level::Must | Level::Should => assert!(cites, "{} stands on no rule", check.id),
            Level::Interop => assert!(!cites, "{} cites a rule that it does not break", check.id),
            Level::Note => {}
        }
    }
}

/// A derived rule may only warn, unless it stands here with the reason.
#[test]
fn derived_rules_warn_unless_argued() {
    let argued = BTreeMap::from([
        (
            "pagination.terminates",
            "the page says that a missing nextCursor marks the end, so there must be one",
        ),
        (
            "stdio.newline-delimited",
            "the page states it without a keyword: messages are delimited by newlines",
        ),
    ]);
    for check in all_checks().filter(|check| check.level == Level::Must) {
        let row = specs::requirements::get(check.requirement).expect("tested above");
        assert!(!row.derived || argued.contains_key(row.id.as_str()), "{}: {} is derived", check.id, row.id);
    }
}

#[test]
fn each_check_names_a_fault_that_exists() {
    let faults: BTreeMap<_, _> = mocks::faults().map(|fault| (fault.id, fault)).collect();
    for check in all_checks() {
        let fault =
            faults.get(check.fault).unwrap_or_else(|| panic!("{}: no fault `{}`", check.id, check.fault));
        let common = check.revisions.iter().any(|revision| fault.revisions.contains(revision));
        assert!(common, "{} and its fault {} share no revision", check.id, fault.id);
    }
}
