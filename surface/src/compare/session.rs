//! Compares what two servers say of themselves. Revisions are compared where views are paired.

use super::findings::{Findings, keys, shown};
use super::metadata;
use super::scan;
use super::texts::{self, Wording};
use crate::change::{Change, Severity, pointer};
use crate::model::{Session, Surface};
use crate::rules::hints::META_CHANGED;
use crate::rules::session::{
    CAPABILITY_ADDED, CAPABILITY_EXPERIMENTAL_CHANGED, CAPABILITY_REDUCED, CAPABILITY_REMOVED,
    SERVER_NAME_CHANGED, SERVER_VERSION_CHANGED, VERSION_NOT_BUMPED,
};
use crate::rules::text::{INSTRUCTIONS_ADDED, INSTRUCTIONS_CHANGED, INSTRUCTIONS_REMOVED};
use serde_json::{Map, Value};

/// Says what changed; of what one side does not know, nothing.
pub(super) fn compare(findings: &mut Findings<'_>, before: &Session, after: &Session) {
    if let (Some(old), Some(new)) = (&before.capabilities, &after.capabilities) {
        capabilities(findings, old, new);
    }
    if let (Some(old), Some(new)) = (&before.server_info, &after.server_info) {
        server(findings, old, new);
    }
    if let (Some(old), Some(new)) = (&before.instructions, &after.instructions) {
        let wording = Wording {
            what: "the instruction text of the server".into(),
            changed: &INSTRUCTIONS_CHANGED,
            added: &INSTRUCTIONS_ADDED,
            removed: &INSTRUCTIONS_REMOVED,
        };
        let (old, new) = (filled(old.as_deref()), filled(new.as_deref()));
        texts::compare(findings, "/initialize/instructions", &wording, old, new);
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// A member that says something: `false` and `null` are the same as nothing.
fn declared<'m>(members: &'m Map<String, Value>, key: &str) -> Option<&'m Value> {
    members.get(key).filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
}

const PATH: &str = "/initialize/capabilities";

fn capabilities(findings: &mut Findings<'_>, old: &Map<String, Value>, new: &Map<String, Value>) {
    for key in keys(Some(old), Some(new)) {
        let path = pointer(PATH, key);
        let (was, is) = (declared(old, key), declared(new, key));
        if key == "experimental" {
            experimental(findings, &path, was, is);
            continue;
        }
        match (was, is) {
            (Some(was), None) => {
                let message = format!("the server no longer offers {}", shown(key));
                findings.add(Change::of(&CAPABILITY_REMOVED, path, message).from_to(Some(was), None));
            }
            (None, Some(is)) => {
                let message = format!("the server offers {}", shown(key));
                findings.add(Change::of(&CAPABILITY_ADDED, path, message).from_to(None, Some(is)));
            }
            (Some(was), Some(is)) if was != is => flags(findings, &path, key, was, is),
            _ => {}
        }
    }
}

fn experimental(findings: &mut Findings<'_>, path: &str, was: Option<&Value>, is: Option<&Value>) {
    let (old, new) = (was.and_then(Value::as_object), is.and_then(Value::as_object));
    for key in keys(old, new) {
        let (was, is) = (old.and_then(|old| declared(old, key)), new.and_then(|new| declared(new, key)));
        if was != is {
            let what = match (was, is) {
                (None, _) => "came",
                (_, None) => "is gone",
                _ => "changed",
            };
            let message = format!("experimental {} {what}", shown(key));
            findings.add(
                Change::of(&CAPABILITY_EXPERIMENTAL_CHANGED, pointer(path, key), message).from_to(was, is),
            );
        }
    }
}

/// How deep the parts of a capability are looked at.
const DEEPEST: usize = 4;

/// Compares the parts of a capability that both have.
fn flags(findings: &mut Findings<'_>, path: &str, name: &str, was: &Value, is: &Value) {
    let depth = path.split('/').count();
    let (old, new) = (was.as_object(), is.as_object());
    if old.is_none() && new.is_none() || depth > DEEPEST + 3 {
        // A value that is not a flag, as a limit.
        if was != is {
            findings.add(
                Change::of(&META_CHANGED, path, format!("{} changed", shown(name)))
                    .from_to(Some(was), Some(is)),
            );
        }
        return;
    }
    for key in keys(old, new) {
        let (was, is) = (old.and_then(|old| declared(old, key)), new.and_then(|new| declared(new, key)));
        let (path, name) = (pointer(path, key), format!("{name}.{key}"));
        match (was, is) {
            (Some(was), None) => {
                let message = format!("{} is no longer offered", shown(&name));
                let severity = loss(&name);
                findings.add(
                    Change::of(&CAPABILITY_REDUCED, path, message)
                        .as_bad_as(severity)
                        .from_to(Some(was), None),
                );
            }
            (None, Some(is)) => {
                findings.add(
                    Change::of(&CAPABILITY_ADDED, path, format!("{} is offered", shown(&name)))
                        .from_to(None, Some(is)),
                );
            }
            (Some(was), Some(is)) if was != is => flags(findings, &path, &name, was, is),
            _ => {}
        }
    }
}

/// Without `listChanged` nothing is refused, but a list is never read again.
fn loss(name: &str) -> Severity {
    let refused = name.ends_with(".subscribe") || name.starts_with("tasks.");
    if refused { Severity::Breaking } else { Severity::Risky }
}

fn server(findings: &mut Findings<'_>, old: &Map<String, Value>, new: &Map<String, Value>) {
    const PATH: &str = "/initialize/serverInfo";
    for key in keys(Some(old), Some(new)) {
        let (was, is) =
            (old.get(key).filter(|value| !value.is_null()), new.get(key).filter(|value| !value.is_null()));
        if was == is {
            continue;
        }
        let path = pointer(PATH, key);
        let spelt = |value: Option<&Value>| match value {
            Some(Value::String(text)) => shown(text),
            Some(other) => shown(&other.to_string()),
            None => "nothing".to_owned(),
        };
        let (rule, severity) = match key {
            "name" => (&SERVER_NAME_CHANGED, Severity::Risky),
            "title" if was.is_none() => (&SERVER_NAME_CHANGED, Severity::Compatible),
            "title" => (&SERVER_NAME_CHANGED, Severity::Risky),
            "version" => (&SERVER_VERSION_CHANGED, Severity::Compatible),
            "icons" => {
                metadata::icons(findings, PATH, was, is);
                continue;
            }
            _ => (&META_CHANGED, Severity::Compatible),
        };
        let message =
            format!("the {} of the server is {}, where it was {}", shown(key), spelt(is), spelt(was));
        findings.add(Change::of(rule, &path, message).as_bad_as(severity).from_to(was, is));
        if key != "version"
            && let Some(text) = is.and_then(Value::as_str)
        {
            scan::scan(findings, &path, was.and_then(Value::as_str).unwrap_or_default(), text);
        }
    }
}

/// Tells when something breaks and the version does not say so.
pub(super) fn version_not_bumped(changes: &mut Vec<Change>, before: &Surface, after: &Surface) {
    let version = |surface: &Surface| {
        let info = surface.views.first()?.session.server_info.as_ref()?;
        info.get("version")?.as_str().map(str::to_owned)
    };
    let breaks = changes.iter().filter(|change| change.severity == Severity::Breaking).count();
    let (Some(old), Some(new)) = (version(before), version(after)) else { return };
    if breaks == 0 || is_raised(&old, &new) {
        return;
    }
    let message = format!("{breaks} breaking under version {}, which was {}", shown(&new), shown(&old));
    let change = Change::of(&VERSION_NOT_BUMPED, "/initialize/serverInfo/version", message);
    changes.push(change.from_to(Some(&old.into()), Some(&new.into())));
}

/// Whether a version promises a break: a higher first number, or a higher second one below 1. What is no such version promises one by being another.
fn is_raised(old: &str, new: &str) -> bool {
    let numbers = |version: &str| {
        let mut parts = version.trim_start_matches('v').split(['.', '-', '+']);
        let mut next = || parts.next()?.parse::<u64>().ok();
        Some((next()?, next().unwrap_or(0)))
    };
    match (numbers(old), numbers(new)) {
        (Some(old), Some(new)) => new.0 > old.0 || old.0 == 0 && new.0 == 0 && new.1 > old.1,
        _ => old != new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_promises_a_break_by_its_first_number_that_counts() {
        for (old, new, raised) in [
            ("1.2.3", "2.0.0", true),
            ("1.2.3", "1.3.0", false),
            ("0.2.3", "0.3.0", true),
            ("0.2.3", "0.2.4", false),
            ("2.0.0", "1.0.0", false),
            ("nightly", "nightly", false),
            ("nightly-1", "nightly-2", true),
        ] {
            assert_eq!(is_raised(old, new), raised, "{old} {new}");
        }
    }
}
