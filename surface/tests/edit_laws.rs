//! Laws of comparing schemas as servers have them, after edits whose effect is known beforehand.

mod edits;

use edits::{Dice, Edit, NARROWING, SAME, catalog, edited, seeds};
use mcpproof_surface::schema::{Comparison, Side, compare};
use mcpproof_surface::{Change, Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

fn diff(side: Side, before: &Value, after: &Value) -> Comparison {
    compare("", side, Some(before), Some(after))
}

fn worst(changes: &[Change]) -> Severity {
    changes.iter().map(|change| change.severity).max().unwrap_or(Severity::None)
}

fn told(changes: &[Change]) -> String {
    changes
        .iter()
        .map(|change| {
            format!("\n  {} {} {}: {}", change.severity.word(), change.rule.id, change.path, change.message)
        })
        .collect()
}

/// Says what is wrong with the verdicts on an edit, if anything is.
fn misjudged(before: &Value, after: &Value, edit: &Edit) -> Option<String> {
    let ways = [
        (Side::Input, before, after),
        (Side::Input, after, before),
        (Side::Output, before, after),
        (Side::Output, after, before),
    ];
    ways.into_iter().zip(edit.means).find_map(|((side, old, new), means)| {
        let changes = diff(side, old, new).changes;
        let told = format!("{}, {side:?}, is {}:{}\n{old}\n{new}", edit.name, means.word(), told(&changes));
        (worst(&changes) != means)
            .then(|| told.clone())
            .or_else(|| unproven(side, old, new, &changes).map(|id| format!("{id} has no witness; {told}")))
    })
}

/// The rule of a break that no value shows.
fn unproven(side: Side, old: &Value, new: &Value, changes: &[Change]) -> Option<&'static str> {
    let (takes, refuses) = if side == Side::Input { (old, new) } else { (new, old) };
    let valid = |schema: &Value, value: &Value| {
        // Whether a format is asserted differs between validators.
        let options = jsonschema::options().should_validate_formats(false);
        options.build(schema).expect("it is a schema").is_valid(value)
    };
    let shown = |change: &&Change| {
        change
            .witness
            .as_ref()
            .is_some_and(|witness| valid(takes, &witness.instance) && !valid(refuses, &witness.instance))
    };
    changes
        .iter()
        .filter(|change| change.severity == Severity::Breaking)
        .find(|change| !shown(change))
        .map(|change| change.rule.id)
}

/// The same schema in other words.
fn disguised(schema: &Value, dice: &[usize]) -> Value {
    dice.iter().fold(schema.clone(), |schema, dice| {
        let edit = &SAME[dice % SAME.len()];
        edited(&schema, edit, Dice(dice / SAME.len())).unwrap_or(schema)
    })
}

/// The same schema with one of its members moved to a definition.
fn moved(schema: &Value, dice: Dice) -> Option<Value> {
    let (mut out, places) = (schema.clone(), edits::sites(schema));
    let place = dice
        .of(&places)
        .filter(|place| !place.is_empty() && !place.contains("efs/") && !place.contains("definitions/"))?;
    let inner = out.pointer_mut(place)?;
    let inner = std::mem::replace(inner, json!({"$ref": "#/$defs/Moved"}));
    out.as_object_mut()?
        .entry("$defs")
        .or_insert_with(|| json!({}))
        .as_object_mut()?
        .insert("Moved".into(), inner);
    Some(out)
}

fn seed() -> impl Strategy<Value = Value> {
    prop::sample::select(seeds())
}

fn edit(all: &'static [Edit]) -> impl Strategy<Value = &'static Edit> {
    prop::sample::select(all.iter().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_is_never_judged_the_opposite_way(schema in seed(), edit in edit(NARROWING), dice: usize) {
        if let Some(after) = edited(&schema, edit, Dice(dice)) {
            prop_assert_eq!(misjudged(&schema, &after, edit), None);
        }
    }

    #[test]
    fn other_words_for_the_same_are_no_change(schema in seed(), edit in edit(SAME), dice: usize) {
        if let Some(after) = edited(&schema, edit, Dice(dice)) {
            prop_assert_eq!(misjudged(&schema, &after, edit), None);
            prop_assert!(diff(Side::Input, &schema, &after).texts.is_empty(), "{} {}", schema, after);
        }
    }

    #[test]
    fn a_schema_that_moved_is_no_change(schema in seed(), dice: usize) {
        if let Some(after) = moved(&schema, Dice(dice)) {
            for (old, new) in [(&schema, &after), (&after, &schema)] {
                let comparison = diff(Side::Input, old, new);
                prop_assert!(worst(&comparison.changes) == Severity::None && comparison.texts.is_empty(), "{:?} {} {}", comparison, old, new);
            }
        }
    }

    #[test]
    fn an_edit_is_seen_through_other_words(schema in seed(), edit in edit(NARROWING), dice: usize, words in prop::collection::vec(any::<usize>(), 1..4)) {
        if let Some(after) = edited(&schema, edit, Dice(dice)) {
            let after = disguised(&after, &words);
            let after = moved(&after, Dice(dice / 7)).unwrap_or(after);
            prop_assert_eq!(misjudged(&schema, &after, edit), None);
        }
    }

    #[test]
    fn what_narrows_twice_narrows(schema in seed(), edits in prop::collection::vec((edit(NARROWING), any::<usize>()), 2..5)) {
        let less = edits.iter().filter(|(edit, _)| edit.means[1] == Severity::Compatible);
        let after = less.fold(schema.clone(), |schema, (edit, dice)| edited(&schema, edit, Dice(*dice)).unwrap_or(schema));
        for (side, old, new) in [(Side::Input, &after, &schema), (Side::Output, &schema, &after)] {
            let changes = diff(side, old, new).changes;
            prop_assert!(worst(&changes) <= Severity::Compatible, "{}\n{old}\n{new}", told(&changes));
        }
    }
}

#[test]
fn each_edit_fits_somewhere_and_no_schema_differs_from_itself() {
    let seeds = seeds();
    for edit in NARROWING.iter().chain(SAME) {
        assert!(seeds.iter().any(|seed| edited(seed, edit, Dice(0)).is_some()), "{}", edit.name);
    }
    for seed in &seeds {
        assert_eq!(diff(Side::Input, seed, seed), Comparison::default());
    }
}

/// Whether no schema below lists values of another type than its own, so that nothing fits it.
fn possible(schema: &Value) -> bool {
    let lists =
        schema.get("enum").is_some_and(Value::is_array) && schema.get("type") == Some(&json!("array"));
    let mut below: Box<dyn Iterator<Item = &Value>> = match schema {
        Value::Object(members) => Box::new(members.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return true,
    };
    !lists && below.all(possible)
}

#[test]
fn edits_of_real_catalogs_are_judged_alike() {
    let Some(folder) = std::env::var_os("MCPPROOF_CATALOG_DIR") else { return };
    let (mut tried, mut wrong) = (0, Vec::new());
    // What is no schema before the edit proves nothing after it, and a path into what moves leads nowhere.
    let sound = |schema: &Value| {
        jsonschema::validator_for(schema).is_ok()
            && !schema.to_string().contains("#/properties/")
            && possible(schema)
    };
    let all = catalog(folder.as_ref()).into_iter().filter(sound);
    for (idx, schema) in all.enumerate() {
        let schema = &schema;
        let dice = Dice(idx.wrapping_mul(0x9E37_79B9) >> 3);
        for list in [NARROWING, SAME] {
            let edit = &list[dice.0 % list.len()];
            let Some(after) = edited(schema, edit, Dice(dice.0 / 31)) else { continue };
            tried += 1;
            wrong.extend(misjudged(schema, &after, edit));
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}: {}", wrong.len(), wrong.join("\n\n"));
}
