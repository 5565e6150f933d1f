//! Finds two tools, or two parameters of one, that have changed places: each name stands for what the other was. Names that are new stand in `rename`.

use super::findings::{Findings, called, path_of, shown};
use crate::canonical::canonical;
use crate::change::{Change, pointer};
use crate::model::{Item, Kind};
use crate::rules::input::members::INPUT_PROPERTIES_SWAPPED;
use crate::rules::items::TOOLS_SWAPPED;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Tells which of `changed` have changed places. What their words and schemas changed is told as ever: a gate may count it higher.
pub(super) fn tools(findings: &mut Findings<'_>, changed: &[(&Item, &Item)]) {
    let old: Vec<_> = changed.iter().map(|(old, _)| essence(old)).collect();
    let new: Vec<_> = changed.iter().map(|(_, new)| essence(new)).collect();
    let pairs = swapped(&old, &new);
    for (one, other) in pairs {
        let (first, second) = (changed[one].0, changed[other].0);
        if label(&first.definition) == label(&second.definition) {
            continue;
        }
        let message = format!("the tools {} and {} have changed places", called(first), called(second));
        let change = Change::of(&TOOLS_SWAPPED, path_of(Kind::Tool, &first.id), message);
        findings.add(change.from_to(Some(&first.definition), Some(&changed[one].1.definition)));
    }
}

/// Tells of parameters that have changed places in the schema at `path`.
pub(super) fn parameters(
    findings: &mut Findings<'_>,
    path: &str,
    tool: &Item,
    (old, new): (Option<&Value>, Option<&Value>),
) {
    let members =
        |schema: Option<&'_ Value>| schema.and_then(|schema| schema.get("properties")?.as_object()).cloned();
    let (Some(old), Some(new)) = (members(old), members(new)) else { return };
    let changed = |(name, is): (&String, &Value)| (new.get(name)? != is).then(|| name.clone());
    let names: Vec<_> = old.iter().filter_map(changed).collect();
    let spelt = |all: &serde_json::Map<String, Value>| -> Vec<_> {
        names.iter().map(|name| canonical(&all[name.as_str()])).collect()
    };
    for (one, other) in swapped(&spelt(&old), &spelt(&new)) {
        let (one, other) = (&names[one], &names[other]);
        if label(&old[one.as_str()]) == label(&old[other.as_str()]) {
            continue;
        }
        let base = format!("{path}/properties");
        let message = format!("{} and {} of {} have changed places", shown(one), shown(other), called(tool));
        let change = Change::of(&INPUT_PROPERTIES_SWAPPED, pointer(&base, one), message);
        findings.add(change.from_to(old.get(one.as_str()), new.get(one.as_str())));
    }
}

/// The words that say what something stands for; where two have the same, nothing of meaning changed places.
fn label(definition: &Value) -> [Option<&Value>; 3] {
    let hints = definition.get("annotations");
    [definition.get("description"), definition.get("title"), hints.and_then(|hints| hints.get("title"))]
}

/// Pairs of places of which each now holds what the other held; a place is in one pair at most.
fn swapped(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let mut held_before: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, held) in old.iter().enumerate().rev() {
        held_before.entry(held).or_default().push(at);
    }
    let (mut taken, mut out) = (BTreeSet::new(), Vec::new());
    for at in 0..old.len() {
        let candidates = held_before.get(new[at].as_str()).into_iter().flatten().rev().copied();
        let fits = |other: &usize| *other > at && !taken.contains(other) && new[*other] == old[at];
        // In a long list of twins the first few are tried.
        if !taken.contains(&at)
            && let Some(other) = candidates.take(64).find(fits)
        {
            taken.extend([at, other]);
            out.push((at, other));
        }
    }
    out
}

/// What a tool is but for its name.
fn essence(item: &Item) -> String {
    let mut definition = item.definition.clone();
    if let Some(members) = definition.as_object_mut() {
        members.remove("name");
    }
    canonical(&definition)
}
