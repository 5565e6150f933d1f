//! Compares two lists of resources, and the members that templates share with them.

use super::findings::{Findings, called, path_of, shown, text};
use super::matching::matched;
use super::metadata;
use super::scan;
use super::texts::{self, Wording};
use super::tools::{doubles, reordered};
use crate::change::{Change, Severity};
use crate::model::{Item, Kind};
use crate::rules::hints::META_CHANGED;
use crate::rules::items::{
    RESOURCE_ADDED, RESOURCE_AUDIENCE_CHANGED, RESOURCE_DESCRIPTION_CHANGED, RESOURCE_MIME_CHANGED,
    RESOURCE_MOVED, RESOURCE_NAME_CHANGED, RESOURCE_PRIORITY_CHANGED, RESOURCE_REMOVED,
    RESOURCE_VOLATILE_CHANGED,
};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Says what changed from one list to the other.
pub(super) fn compare(findings: &mut Findings<'_>, before: &[Item], after: &[Item]) {
    let matched = matched(before, after);
    let moved = moves(&matched.removed, &matched.added);
    for (from, to) in &moved {
        let (old, new) = (matched.removed[*from], matched.added[*to]);
        let name = text(&new.definition, "name").unwrap_or(&new.id);
        let message = format!("resource {} moved from {} to {}", shown(name), called(old), called(new));
        let change = Change::of(&RESOURCE_MOVED, path_of(Kind::Resource, &old.id), message);
        findings.add(change.from_to(Some(&old.id.as_str().into()), Some(&new.id.as_str().into())));
        scan::scan_name(findings, &path_of(Kind::Resource, &new.id), &old.id, &new.id);
        members(findings, Kind::Resource, old, new);
    }
    for (idx, item) in matched.removed.iter().enumerate() {
        if !moved.iter().any(|(from, _)| *from == idx) {
            let message = format!("resource {} is gone", called(item));
            let change = Change::of(&RESOURCE_REMOVED, path_of(Kind::Resource, &item.id), message);
            findings.add(change.from_to(Some(&item.definition), None));
        }
    }
    for (idx, item) in matched.added.iter().enumerate() {
        if !moved.iter().any(|(_, to)| *to == idx) {
            added(findings, Kind::Resource, &RESOURCE_ADDED, item);
        }
    }
    for (old, new) in &matched.changed {
        members(findings, Kind::Resource, old, new);
    }
    doubles(findings, Kind::Resource, &matched);
    reordered(findings, Kind::Resource, &matched);
}

/// Tells of a new resource or template.
pub(super) fn added(findings: &mut Findings<'_>, kind: Kind, rule: &'static crate::Rule, item: &Item) {
    let path = path_of(kind, &item.id);
    let change = Change::of(rule, &path, format!("{} {} is new", kind.word(), called(item)));
    findings.add(change.from_to(None, Some(&item.definition)));
    scan::scan_item(findings, &path, item);
    scan::scan_name(
        findings,
        &format!("{path}/name"),
        "",
        text(&item.definition, "name").unwrap_or_default(),
    );
    metadata::scan_icons(findings, &path, item);
    metadata::scan_members(findings, &path, item, KNOWN);
}

/// A removed and an added one of the same name and media type, where no other has them.
fn moves(removed: &[&Item], added: &[&Item]) -> Vec<(usize, usize)> {
    let mut by_label: HashMap<_, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (idx, item) in removed.iter().enumerate() {
        by_label.entry(label(item)).or_default().0.push(idx);
    }
    for (idx, item) in added.iter().enumerate() {
        by_label.entry(label(item)).or_default().1.push(idx);
    }
    let single = |(label, (old, new)): (Option<_>, (Vec<_>, Vec<_>))| match (label, &old[..], &new[..]) {
        (Some(_), [old], [new]) => Some((*old, *new)),
        _ => None,
    };
    let mut out: Vec<_> = by_label.into_iter().filter_map(single).collect();
    out.sort_unstable();
    out
}

fn label(item: &Item) -> Option<(&str, Option<&str>)> {
    Some((text(&item.definition, "name")?, text(&item.definition, "mimeType")))
}

const KNOWN: &[&str] = &[
    "uri",
    "uriTemplate",
    "name",
    "title",
    "description",
    "mimeType",
    "annotations",
    "size",
    "icons",
    "_meta",
];

/// Compares all but the address of a resource or template.
pub(super) fn members(findings: &mut Findings<'_>, kind: Kind, old: &Item, new: &Item) {
    let path = path_of(kind, &new.id);
    let what = format!("{} {}", kind.word(), called(new));
    let (before, after) = (&old.definition, &new.definition);
    for (member, noun, rule) in [
        ("name", "name", &RESOURCE_NAME_CHANGED),
        ("title", "title", &RESOURCE_NAME_CHANGED),
        ("description", "description", &RESOURCE_DESCRIPTION_CHANGED),
    ] {
        let wording = Wording::of(format!("the {noun} of {what}"), rule);
        let (was, is) = (text(before, member), text(after, member));
        let known = findings.changes.len();
        texts::compare(findings, &format!("{path}/{member}"), &wording, was, is);
        if member == "title"
            && was.is_none()
            && let Some(change) = findings.changes.get_mut(known)
        {
            // A first label takes none away.
            change.severity = Severity::Compatible;
        }
    }
    media_type(findings, &path, &what, before, after);
    annotations(findings, &path, &what, before, after);
    if before.get("size") != after.get("size") {
        let change = Change::of(
            &RESOURCE_VOLATILE_CHANGED,
            format!("{path}/size"),
            format!("the size of {what} moved"),
        );
        findings.add(change.from_to(before.get("size"), after.get("size")));
    }
    metadata::compare(findings, &path, (before, after), KNOWN);
}

fn media_type(findings: &mut Findings<'_>, path: &str, what: &str, before: &Value, after: &Value) {
    let (was, is) = (text(before, "mimeType"), text(after, "mimeType"));
    // Spec RFC 2045: types are compared without regard to case, and so are the names of parameters.
    if was.map(str::to_lowercase) == is.map(str::to_lowercase) {
        return;
    }
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_lowercase();
    let (severity, message) = match (was, is) {
        (None, Some(is)) => (Severity::Compatible, format!("{what} now says that it is {}", shown(is))),
        (Some(was), None) => (Severity::Risky, format!("{what} no longer says that it is {}", shown(was))),
        (Some(was), Some(is)) if essence(was) == essence(is) => {
            (Severity::Risky, format!("{what} is {}, where it was {}", shown(is), shown(was)))
        }
        (was, is) => (
            Severity::Breaking,
            format!(
                "{what} is {}, where it was {}",
                shown(is.unwrap_or_default()),
                shown(was.unwrap_or_default())
            ),
        ),
    };
    let change = Change::of(&RESOURCE_MIME_CHANGED, format!("{path}/mimeType"), message).as_bad_as(severity);
    findings.add(change.from_to(before.get("mimeType"), after.get("mimeType")));
}

fn annotations(findings: &mut Findings<'_>, path: &str, what: &str, before: &Value, after: &Value) {
    let (old, new) =
        (super::findings::object(before, "annotations"), super::findings::object(after, "annotations"));
    for key in super::findings::keys(old, new) {
        let (was, is) = (old.and_then(|hints| hints.get(key)), new.and_then(|hints| hints.get(key)));
        let same = match key {
            "audience" => audience(was) == audience(is),
            _ => was == is,
        };
        if same {
            continue;
        }
        let (rule, message) = match key {
            "audience" => (&RESOURCE_AUDIENCE_CHANGED, format!("{what} is now meant for {}", readers(is))),
            "priority" => (&RESOURCE_PRIORITY_CHANGED, format!("{what} has another priority")),
            "lastModified" => (&RESOURCE_VOLATILE_CHANGED, format!("the date of {what} moved")),
            _ => (&META_CHANGED, format!("{} of {what} changed", shown(key))),
        };
        let path = crate::change::pointer(&format!("{path}/annotations"), key);
        findings.add(Change::of(rule, path, message).from_to(was, is));
    }
}

/// Who is meant, in no order; nobody in particular when nothing is said.
fn audience(value: Option<&Value>) -> BTreeSet<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn readers(value: Option<&Value>) -> String {
    let names: Vec<_> = audience(value).into_iter().map(shown).collect();
    if names.is_empty() { "nobody in particular".to_owned() } else { names.join(" and ") }
}
