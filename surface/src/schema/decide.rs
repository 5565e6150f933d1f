//! Decides what a change of a whole schema does: proof first, then the walk with its witnesses, then what is left.

use super::book::{Family, Turn, named};
use super::dialect::{Fault, dialect, is_known, valid};
use super::form::Conj;
use super::graph::{Graph, alike_values};
use super::node::Lost;
use super::notes::{values_of, without_moved};
use super::prove::{Prover, Scope};
use super::types::Types;
use super::walk::{Place, Walk, Whole};
use super::witness::{self, Judge, compile};
use super::{Comparison, Root, Side, TextPair};
use crate::change::{Change, Severity};
use crate::rules::input::schemas as rules;
use jsonschema::Draft;
use jsonschema::canonical::Containment;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// How much work the proof of a whole schema may be.
const WORK: u64 = 100_000;
/// How deep a schema may be nested.
const DEEPEST: usize = 150;
/// How many schemas are asked whether they had a fault before.
const MOST_ASKED: usize = 2_000;
/// How large a schema may be that is handed to a slower proof, in bytes.
const SMALL: usize = 20_000;

/// Compares two schemas.
pub(super) fn decide(path: &str, of: (Side, Root), before: &Value, after: &Value) -> Comparison {
    if too_deep(before) || too_deep(after) {
        // Comparing it at all would go as deep as it is nested.
        let message = "the schema is nested too deep to be compared";
        let changes = vec![Change::of(&rules::SCHEMA_UNDECIDED, path, message)];
        return Comparison { changes, texts: Vec::new() };
    }
    if alike_values(before, after) {
        return Comparison::default();
    }
    let (before, old_fault) = whole(before);
    let (after, new_fault) = whole(after);
    let mut graph = Graph::default();
    let old = graph.load(before.schema, before.draft);
    let start = graph.nodes.len();
    let new = graph.load(after.schema, after.draft);
    let spans = (0..start, start..graph.nodes.len());
    let old_fault = old_fault.or_else(|| fault(&graph, spans.0.clone(), before));
    let new_fault = new_fault.or_else(|| fault(&graph, spans.1.clone(), after));
    if let (None, Some(fault)) = (&old_fault, new_fault)
        && !stood_before(&fault, &graph, spans.0.clone(), before, after.draft)
    {
        let message = format!("this is not a valid JSON Schema: {fault}");
        let change = Change::of(&rules::SCHEMA_INVALID, path, message);
        let changes = vec![change.from_to(Some(before.schema), Some(after.schema))];
        return Comparison { changes, texts: Vec::new() };
    }
    if graph.runs_in_circles() {
        let message = "the schema applies itself to the same value without end, so nothing can be decided";
        let changes = vec![Change::of(&rules::SCHEMA_UNDECIDED, path, message)];
        return Comparison { changes, texts: Vec::new() };
    }
    // What was not valid before is compared as far as it can be read; no witness can prove a break there.
    let mut comparison = walk(path, of, &graph, (before, after), (old, new));
    external(path, &graph, spans, &mut comparison.changes);
    // A reference that leads out explains by itself why nothing could be decided.
    let out = |change: &Change| change.rule.id == rules::SCHEMA_EXTERNAL_REF.id;
    if comparison.changes.iter().any(out) {
        comparison
            .changes
            .retain(|change| change.rule.id != rules::SCHEMA_UNDECIDED.id || change.path != path);
    }
    comparison.changes.sort_by(|left, right| {
        let weight = right.severity.cmp(&left.severity);
        weight.then_with(|| (&left.path, left.rule.id).cmp(&(&right.path, right.rule.id)))
    });
    comparison
}

pub(super) fn too_deep(value: &Value) -> bool {
    let mut left = vec![(value, 0)];
    while let Some((value, depth)) = left.pop() {
        if depth > DEEPEST {
            return true;
        }
        match value {
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => left.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}

/// Tells the draft of a schema, and what is wrong with it in that draft.
pub(super) fn whole(schema: &Value) -> (witness::Whole<'_>, Option<Fault>) {
    let (draft, fault) = dialect(schema);
    (witness::Whole { schema, draft }, fault)
}

/// Why a schema is not valid, though it follows its meta-schema.
pub(super) fn fault(
    graph: &Graph<'_>,
    nodes: std::ops::Range<usize>,
    whole: witness::Whole<'_>,
) -> Option<Fault> {
    let dangling = graph.lost(nodes.clone()).find_map(|(at, lost)| match lost {
        Lost::Dangling(reference) => {
            Some(Fault { what: format!("`{reference}` refers to nothing"), at: at.to_owned() })
        }
        Lost::External(_) => None,
    });
    let patterned = graph.nodes[nodes].iter().any(|node| node.pattern.is_some() || !node.patterns.is_empty());
    let compiled = || patterned.then(|| compile(whole.schema, whole.draft, true).err()).flatten();
    dangling.or_else(|| Some(Fault { what: compiled()?, at: String::new() }))
}

/// Whether the old schema had the same fault somewhere, though it passes as a whole: in a place that its draft does not look at, or in an older draft.
fn stood_before(
    fault: &Fault,
    graph: &Graph<'_>,
    nodes: std::ops::Range<usize>,
    before: witness::Whole<'_>,
    draft: Draft,
) -> bool {
    let same = |schema: &Value| valid(schema, draft).is_err_and(|old| old.what == fault.what);
    let few = graph.nodes[nodes].iter().filter_map(|node| node.raw).take(MOST_ASKED);
    same(before.schema) || few.filter(|raw| raw.is_object()).any(same)
}

pub(super) fn external(
    path: &str,
    graph: &Graph<'_>,
    (old, new): (std::ops::Range<usize>, std::ops::Range<usize>),
    changes: &mut Vec<Change>,
) {
    let known: BTreeSet<&str> = graph.lost(old).filter_map(|(_, lost)| out_of(lost)).collect();
    let mut told = BTreeSet::new();
    for (at, lost) in graph.lost(new) {
        let Some(uri) = out_of(lost) else { continue };
        if !known.contains(uri) && told.insert(uri) {
            let message = format!(
                "this refers to {uri}, whose content is not part of the surface and cannot be pinned"
            );
            let change = Change::of(&rules::SCHEMA_EXTERNAL_REF, format!("{path}{at}/$ref"), message);
            changes.push(change.from_to(None, Some(&Value::from(uri))));
        }
    }
}

fn out_of<'l>(lost: &Lost<'l>) -> Option<&'l str> {
    if let Lost::External(uri) = lost { Some(uri) } else { None }
}

fn walk<'a>(
    path: &str,
    (side, root): (Side, Root),
    graph: &Graph<'a>,
    (before, after): (witness::Whole<'a>, witness::Whole<'a>),
    (old, new): (usize, usize),
) -> Comparison {
    // An object, whatever the schemas leave open; results whose schema takes none are compared as they stand.
    let may_be_object = |id| graph.kinds(&Conj::of(id), 0).has(Types::OBJECT);
    let objects = root == Root::Object && (side == Side::Input || may_be_object(old) && may_be_object(new));
    let types = if objects { Types::OBJECT } else { Types::ALL };
    let whole = |id| Conj::of(id).only(types);
    let place = Place { old: whole(old), new: whole(new), label: String::new() };
    let (takes, refuses) = match side {
        Side::Input => (&place.old, &place.new),
        Side::Output => (&place.new, &place.old),
    };
    let mut prover = Prover::new(graph, Scope::Documented);
    let whole = if graph.cut {
        Whole::Open
    } else if graph.within(WORK, || Prover::new(graph, Scope::All).equal(takes, refuses)).0 {
        Whole::Equal
    } else if graph.within(WORK, || prover.subset(takes, refuses)).0 {
        Whole::Harmless
    } else {
        Whole::Open
    };
    let judge = Judge::new(side, before, after);
    let mut walk = Walk::new(graph, side, path, &judge, whole);
    walk.known = values_of(graph, 0..new.min(graph.nodes.len()));
    walk.pair(&place, false);
    if whole == Whole::Open {
        unsettled(&mut walk, &place, (before, after), prover.gap());
    }
    if whole == Whole::Equal {
        same_values(&mut walk, path, before, after);
    }
    let mut told = HashSet::new();
    let once = |pair: &TextPair| told.insert(pair.clone());
    let texts = std::mem::take(&mut walk.texts).into_iter().filter(once).collect();
    let texts = without_moved(texts);
    Comparison { changes: walk.changes, texts }
}

/// Notes that the schema is written otherwise, where nothing else says so.
fn same_values(walk: &mut Walk<'_, '_>, path: &str, before: witness::Whole<'_>, after: witness::Whole<'_>) {
    let named = |whole: witness::Whole<'_>| whole.schema.get("$schema").cloned();
    let (old, new) = (named(before), named(after));
    let unknown = |name: &Option<Value>| name.as_ref().is_some_and(|name| !is_known(name));
    if old != new && (unknown(&old) || unknown(&new)) {
        let message =
            "the schema names a dialect that is not known here, so what its keywords mean is not, either";
        let change = Change::of(&rules::SCHEMA_UNDECIDED, format!("{path}/$schema"), message);
        walk.changes.push(change.from_to(old.as_ref(), new.as_ref()));
    } else if old != new {
        let message = "the schema names another draft, with the same meaning";
        let at = format!("{path}/$schema");
        walk.changes.push(
            Change::of(&rules::SCHEMA_DIALECT_CHANGED, at, message).from_to(old.as_ref(), new.as_ref()),
        );
    }
    if walk.touched || (walk.changes.is_empty() && walk.texts.is_empty()) {
        let message = "the schema is spelt otherwise, with the same meaning";
        walk.changes.push(Change::of(&rules::SCHEMA_REWRITTEN, path, message));
    }
}

/// Settles what neither a proof nor the walk could.
fn unsettled(
    walk: &mut Walk<'_, '_>,
    place: &Place,
    (before, after): (witness::Whole<'_>, witness::Whole<'_>),
    gap: Option<&'static str>,
) {
    if walk.changes.iter().any(|change| change.witness.is_some()) {
        return;
    }
    let side = walk.side;
    if let Some(witness) = walk.last_resort(place) {
        let turn = if side == Side::Input { Turn::Narrowed } else { Turn::Widened };
        match walk.unproven.first().copied() {
            Some(at) => {
                let change = &mut walk.changes[at];
                change.severity = Severity::Breaking;
                change.message =
                    change.message.split("; no value was found").next().unwrap_or_default().to_owned();
                change.witness = Some(witness);
            }
            None => {
                let message = format!("{} no longer fit each other in all cases", walk.what(place));
                let rule = named(side, Family::Composition, turn);
                walk.changes.push(Change::of(rule, walk.base(), message).proven_by(Some(witness)));
            }
        }
        return;
    }
    let (takes, refuses) = if side == Side::Input { (before, after) } else { (after, before) };
    if covers(refuses, takes) {
        for at in std::mem::take(&mut walk.unproven) {
            let change = &mut walk.changes[at];
            let message = "this is spelt otherwise, and takes what it took";
            *change = Change::of(&rules::SCHEMA_REWRITTEN, change.path.clone(), message);
        }
        return;
    }
    let told = |change: &Change| change.rule.id == rules::SCHEMA_UNDECIDED.id;
    if !walk.changes.iter().any(told) {
        let keyword = gap.unwrap_or("the whole schema");
        let message = format!(
            "it could not be decided whether the new schema takes what the old one took, because of {keyword}"
        );
        walk.changes.push(Change::of(&rules::SCHEMA_UNDECIDED, walk.base(), message));
    }
}

/// Whether `large` is proven to take all that `small` takes, by the library's own normal form.
fn covers(large: witness::Whole<'_>, small: witness::Whole<'_>) -> bool {
    let fits = |whole: witness::Whole<'_>| whole.schema.to_string().len() < SMALL;
    if large.draft != small.draft || !fits(large) || !fits(small) {
        return false;
    }
    let form = |whole: witness::Whole<'_>| {
        let options = jsonschema::canonical::options().with_draft(whole.draft).offline();
        options.should_validate_formats(false).canonicalize(whole.schema).ok()
    };
    let (Some(large), Some(small)) = (form(large), form(small)) else { return false };
    large.covers(&small).is_ok_and(|answer| answer == Containment::Yes)
}
