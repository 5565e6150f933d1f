//! Compares two lists of tools.

use super::findings::{Findings, called, member, object, path_of, shown, text};
use super::matching::{Matched, matched};
use super::rename::renames;
use super::scan;
use super::texts::{self, Wording};
use super::{hints, metadata, names, schemas, swap};
use crate::change::{Change, Severity};
use crate::model::{Item, Kind};
use crate::rules::hints::ANNOTATION_CHANGED;
use crate::rules::items::{
    ORDER_CHANGED, TOOL_ADDED, TOOL_ADDED_DESTRUCTIVE, TOOL_DUPLICATE_NAME, TOOL_REMOVED, TOOL_RENAMED,
};
use crate::rules::text::{
    TOOL_DESCRIPTION_ADDED, TOOL_DESCRIPTION_CHANGED, TOOL_DESCRIPTION_REMOVED, TOOL_TITLE_ADDED,
    TOOL_TITLE_CHANGED,
};
use crate::schema::{self, Side};
use serde_json::Value;
use std::collections::BTreeMap;

/// Says what changed from one list to the other.
pub(super) fn compare(findings: &mut Findings<'_>, before: &[Item], after: &[Item]) {
    let matched = matched(before, after);
    let renamed = renames(&matched.removed, &matched.added);
    for (from, to) in &renamed {
        rename(findings, matched.removed[*from], matched.added[*to]);
    }
    for (idx, item) in matched.removed.iter().enumerate() {
        if !renamed.iter().any(|(from, _)| *from == idx) {
            let change = Change::of(
                &TOOL_REMOVED,
                path_of(Kind::Tool, &item.id),
                format!("tool {} is gone", called(item)),
            );
            findings.add(change.from_to(Some(&item.definition), None));
        }
    }
    for (idx, item) in matched.added.iter().enumerate() {
        if !renamed.iter().any(|(_, to)| *to == idx) {
            added(findings, item);
        }
    }
    names::compare(findings, &matched.added, &matched.removed, after);
    swap::tools(findings, &matched.changed);
    for (old, new) in &matched.changed {
        pair(findings, old, new);
    }
    doubles(findings, Kind::Tool, &matched);
    reordered(findings, Kind::Tool, &matched);
}

fn rename(findings: &mut Findings<'_>, old: &Item, new: &Item) {
    let path = path_of(Kind::Tool, &old.id);
    let message = format!("tool {} is now {}", called(old), called(new));
    let change = Change::of(&TOOL_RENAMED, path, message);
    findings.add(change.from_to(Some(&old.id.as_str().into()), Some(&new.id.as_str().into())));
    scan::scan_name(findings, &path_of(Kind::Tool, &new.id), &old.id, &new.id);
    pair(findings, old, new);
}

fn added(findings: &mut Findings<'_>, item: &Item) {
    let path = path_of(Kind::Tool, &item.id);
    let hint =
        |name: &str| object(&item.definition, "annotations").and_then(|hints| hints.get(name)?.as_bool());
    let destroys = hint("destructiveHint") == Some(true) && hint("readOnlyHint") != Some(true);
    let (rule, what) = match (destroys, hint("openWorldHint") == Some(true)) {
        (false, false) => (&TOOL_ADDED, ""),
        (true, false) => (&TOOL_ADDED_DESTRUCTIVE, ", which says that it can destroy"),
        (false, true) => (&TOOL_ADDED_DESTRUCTIVE, ", which says that it reaches out"),
        (true, true) => (&TOOL_ADDED_DESTRUCTIVE, ", which says that it can destroy and reaches out"),
    };
    let message = format!("tool {} is new{what}", called(item));
    findings.add(Change::of(rule, &path, message).from_to(None, Some(&item.definition)));
    scan::scan_item(findings, &path, item);
    for name in ["inputSchema", "outputSchema"] {
        let schema = member(&item.definition, name);
        let path = format!("{path}/{name}");
        scan::scan_schema(findings, &path, None, schema);
        findings.changes.extend(schema.into_iter().flat_map(|schema| schema::faults(&path, schema)));
    }
    metadata::scan_icons(findings, &path, item);
    metadata::scan_members(findings, &path, item, KNOWN);
}

/// The members that the rules know; all others are metadata.
const KNOWN: &[&str] = &[
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "icons",
    "_meta",
];

fn pair(findings: &mut Findings<'_>, old: &Item, new: &Item) {
    let path = path_of(Kind::Tool, &new.id);
    let wording = Wording {
        what: format!("the description of {}", called(new)),
        changed: &TOOL_DESCRIPTION_CHANGED,
        added: &TOOL_DESCRIPTION_ADDED,
        removed: &TOOL_DESCRIPTION_REMOVED,
    };
    let (before, after) = (text(&old.definition, "description"), text(&new.definition, "description"));
    texts::compare(findings, &format!("{path}/description"), &wording, before, after);
    title(findings, &path, old, new);
    schemas::compare(findings, &path, old, new);
    hints::compare(findings, &path, old, new);
    metadata::compare(findings, &path, (&old.definition, &new.definition), KNOWN);
}

/// The label is `title`, else `annotations.title`.
fn title(findings: &mut Findings<'_>, path: &str, old: &Item, new: &Item) {
    let hinted = |item: &'_ Item| {
        item.definition.get("annotations").and_then(|hints| text(hints, "title")).map(str::to_owned)
    };
    let (own, hint) = (text(&new.definition, "title"), (hinted(old), hinted(new)));
    let label = |item: &Item, hint: &Option<String>| {
        text(&item.definition, "title").map(str::to_owned).or(hint.clone())
    };
    let (before, after) = (label(old, &hint.0), label(new, &hint.1));
    let wording = Wording {
        what: format!("the title of {}", called(new)),
        changed: &TOOL_TITLE_CHANGED,
        added: &TOOL_TITLE_ADDED,
        removed: &TOOL_TITLE_CHANGED,
    };
    let place = if own.is_some() || hint.1.is_none() { "title" } else { "annotations/title" };
    texts::compare(findings, &format!("{path}/{place}"), &wording, before.as_deref(), after.as_deref());
    if hint.0 != hint.1 && before == after {
        let message = format!("`annotations.title` of {} changed, and its title is the same", called(new));
        let path = format!("{path}/annotations/title");
        let (before, after) = (hint.0.map(Value::from), hint.1.clone().map(Value::from));
        findings
            .add(Change::of(&ANNOTATION_CHANGED, &path, message).from_to(before.as_ref(), after.as_ref()));
        scan::scan(
            findings,
            &path,
            before.as_ref().and_then(Value::as_str).unwrap_or_default(),
            &hint.1.unwrap_or_default(),
        );
    }
}

/// Tells of items that are listed more often than before, and of such that no longer are.
pub(super) fn doubles(findings: &mut Findings<'_>, kind: Kind, matched: &Matched<'_>) {
    // Two resources under one URI are the same place; two tools under one name are not the same tool.
    let named = matches!(kind, Kind::Tool | Kind::Prompt);
    let usual = if named { Severity::Risky } else { Severity::Compatible };
    let came = matched.doubled.iter().map(|(old, new)| (new.id.as_str(), *old, *new));
    for (id, count, refusal) in counted(kind, came) {
        let times = if count == 1 { "once more".to_owned() } else { format!("{count} times more") };
        let why = refusal.as_ref().map_or("", |_| ", and another definition refuses calls that were taken");
        let message = format!("{} {} is listed {times}{why}", kind.word(), shown(id));
        findings.add(doubled(kind, id, message, usual, refusal));
    }
    let went = matched.merged.iter().map(|(old, new)| (old.id.as_str(), Some(*old), *new));
    for (id, _, refusal) in counted(kind, went) {
        let why = refusal.as_ref().map_or("", |_| ", and the one that is left refuses its calls");
        let message = format!("one of the definitions of {} {} is gone{why}", kind.word(), shown(id));
        findings.add(doubled(kind, id, message, Severity::Compatible, refusal));
    }
}

fn doubled(kind: Kind, id: &str, message: String, usual: Severity, refusal: Option<Change>) -> Change {
    let severity = refusal.as_ref().map_or(usual, |_| Severity::Breaking);
    let witness = refusal.and_then(|refusal| refusal.witness);
    Change::of(&TOOL_DUPLICATE_NAME, path_of(kind, id), message).as_bad_as(severity).proven_by(witness)
}

type Doublet<'i> = (&'i str, Option<&'i Item>, &'i Item);

/// Each id with the number of its doublets, and the first break that one of them is.
fn counted<'i>(kind: Kind, all: impl Iterator<Item = Doublet<'i>>) -> Vec<(&'i str, usize, Option<Change>)> {
    let mut by_id: BTreeMap<_, (usize, Option<Change>)> = BTreeMap::new();
    for (id, old, new) in all {
        let entry = by_id.entry(id).or_default();
        entry.0 += 1;
        // The first few of a flood of doublets tell enough.
        if entry.0 <= 8 && entry.1.is_none() {
            entry.1 = refusal(kind, old, new);
        }
    }
    by_id.into_iter().map(|(id, (count, refusal))| (id, count, refusal)).collect()
}

/// How a tool refuses a call that another took.
fn refusal(kind: Kind, old: Option<&Item>, new: &Item) -> Option<Change> {
    let old = old.filter(|_| kind == Kind::Tool)?;
    let (before, after) = (old.definition.get("inputSchema"), new.definition.get("inputSchema"));
    let comparison = schema::compare("", Side::Input, before, after);
    comparison.changes.into_iter().find(|change| change.severity == Severity::Breaking)
}

/// Tells when only the order differs.
pub(super) fn reordered(findings: &mut Findings<'_>, kind: Kind, matched: &Matched<'_>) {
    if matched.reordered {
        let message = format!("the {}s are listed in another order", kind.word());
        findings.add(Change::of(&ORDER_CHANGED, format!("/{}", kind.member()), message));
    }
}
