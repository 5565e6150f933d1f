//! Compares two lists of prompts, and the arguments of each.

use super::findings::{Findings, called, path_of, shown, text};
use super::matching::matched;
use super::metadata;
use super::rename::renames;
use super::scan;
use super::texts::{self, Wording};
use super::tools::{doubles, reordered};
use crate::change::{Change, Severity, pointer};
use crate::model::{Item, Kind};
use crate::rules::items::{
    ORDER_CHANGED, PROMPT_ADDED, PROMPT_ARGUMENT_ADDED, PROMPT_ARGUMENT_NOW_OPTIONAL,
    PROMPT_ARGUMENT_NOW_REQUIRED, PROMPT_ARGUMENT_REMOVED, PROMPT_ARGUMENT_RENAMED,
    PROMPT_DESCRIPTION_CHANGED, PROMPT_REMOVED, PROMPT_RENAMED, PROMPT_REQUIRED_ARGUMENT_ADDED,
    PROMPT_TITLE_CHANGED,
};
use crate::text::same_words;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Says what changed from one list to the other.
pub(super) fn compare(findings: &mut Findings<'_>, before: &[Item], after: &[Item]) {
    let matched = matched(before, after);
    let renamed = renames(&matched.removed, &matched.added);
    for (from, to) in &renamed {
        let (old, new) = (matched.removed[*from], matched.added[*to]);
        let message = format!("prompt {} is now {}", called(old), called(new));
        let change = Change::of(&PROMPT_RENAMED, path_of(Kind::Prompt, &old.id), message);
        findings.add(change.from_to(Some(&old.id.as_str().into()), Some(&new.id.as_str().into())));
        scan::scan_name(findings, &path_of(Kind::Prompt, &new.id), &old.id, &new.id);
        pair(findings, old, new);
    }
    for (idx, item) in matched.removed.iter().enumerate() {
        if !renamed.iter().any(|(from, _)| *from == idx) {
            let message = format!("prompt {} is gone", called(item));
            let change = Change::of(&PROMPT_REMOVED, path_of(Kind::Prompt, &item.id), message);
            findings.add(change.from_to(Some(&item.definition), None));
        }
    }
    for (idx, item) in matched.added.iter().enumerate() {
        if !renamed.iter().any(|(_, to)| *to == idx) {
            added(findings, item);
        }
    }
    for (old, new) in &matched.changed {
        pair(findings, old, new);
    }
    doubles(findings, Kind::Prompt, &matched);
    reordered(findings, Kind::Prompt, &matched);
}

fn added(findings: &mut Findings<'_>, item: &Item) {
    let path = path_of(Kind::Prompt, &item.id);
    let change = Change::of(&PROMPT_ADDED, &path, format!("prompt {} is new", called(item)));
    findings.add(change.from_to(None, Some(&item.definition)));
    scan::scan_item(findings, &path, item);
    for argument in arguments(item) {
        scan::scan(
            findings,
            &pointer(&format!("{path}/arguments"), argument.name),
            "",
            argument.text.unwrap_or_default(),
        );
    }
    metadata::scan_icons(findings, &path, item);
    metadata::scan_members(findings, &path, item, KNOWN);
}

const KNOWN: &[&str] = &["name", "title", "description", "arguments", "icons", "_meta"];

fn pair(findings: &mut Findings<'_>, old: &Item, new: &Item) {
    let path = path_of(Kind::Prompt, &new.id);
    let definitions = (&old.definition, &new.definition);
    words(findings, &path, &format!("prompt {}", called(new)), definitions);
    compare_arguments(findings, &format!("{path}/arguments"), old, new);
    metadata::compare(findings, &path, definitions, KNOWN);
}

fn words(findings: &mut Findings<'_>, path: &str, what: &str, (old, new): (&Value, &Value)) {
    let described = Wording::of(format!("the description of {what}"), &PROMPT_DESCRIPTION_CHANGED);
    let (before, after) = (text(old, "description"), text(new, "description"));
    texts::compare(findings, &format!("{path}/description"), &described, before, after);
    let titled = Wording::of(format!("the title of {what}"), &PROMPT_TITLE_CHANGED);
    let (before, after) = (text(old, "title"), text(new, "title"));
    let known = findings.changes.len();
    texts::compare(findings, &format!("{path}/title"), &titled, before, after);
    if before.is_none()
        && let Some(change) = findings.changes.get_mut(known)
    {
        // A first label takes none away.
        change.severity = Severity::Compatible;
    }
}

struct Argument<'p> {
    name: &'p str,
    text: Option<&'p str>,
    required: bool,
    definition: &'p Value,
}

fn arguments(prompt: &Item) -> Vec<Argument<'_>> {
    let all = prompt.definition.get("arguments").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Argument::read).collect()
}

impl<'p> Argument<'p> {
    fn read(definition: &'p Value) -> Option<Self> {
        let required = definition.get("required").and_then(Value::as_bool).unwrap_or(false);
        let name = definition.get("name")?.as_str()?;
        Some(Self { name, text: text(definition, "description"), required, definition })
    }
}

fn compare_arguments(findings: &mut Findings<'_>, path: &str, old: &Item, new: &Item) {
    let (before, after) = (arguments(old), arguments(new));
    let prompt = called(new);
    let places: HashMap<_, _> = after.iter().enumerate().rev().map(|(at, one)| (one.name, at)).collect();
    let names: HashSet<_> = before.iter().map(|argument| argument.name).collect();
    let (mut gone, mut order) = (Vec::new(), Vec::new());
    for argument in &before {
        match places.get(argument.name) {
            Some(at) => {
                order.push(*at);
                argument_pair(findings, &pointer(path, argument.name), &prompt, argument, &after[*at]);
            }
            None => gone.push(argument),
        }
    }
    let mut came: Vec<_> = after.iter().filter(|argument| !names.contains(argument.name)).collect();
    // In a flood nobody looks for what was renamed.
    if gone.len().saturating_mul(came.len()) <= 10_000 {
        gone.retain(|argument| {
            let Some(at) = came.iter().position(|other| is_successor(argument, other)) else { return true };
            renamed(findings, &pointer(path, argument.name), &prompt, argument, came.remove(at));
            false
        });
    }
    for argument in gone {
        let message = format!("argument {} of prompt {prompt} is no longer listed", shown(argument.name));
        let change = Change::of(&PROMPT_ARGUMENT_REMOVED, pointer(path, argument.name), message);
        findings.add(change.from_to(Some(argument.definition), None));
    }
    for argument in came {
        let path = pointer(path, argument.name);
        let (rule, what) = if argument.required {
            (&PROMPT_REQUIRED_ARGUMENT_ADDED, "now needs")
        } else {
            (&PROMPT_ARGUMENT_ADDED, "now takes")
        };
        let message = format!("prompt {prompt} {what} the argument {}", shown(argument.name));
        findings.add(Change::of(rule, &path, message).from_to(None, Some(argument.definition)));
        scan::scan_name(findings, &path, "", argument.name);
        scan::scan(findings, &format!("{path}/description"), "", argument.text.unwrap_or_default());
    }
    if !order.is_sorted() {
        let message = format!("the arguments of prompt {prompt} are listed in another order");
        findings.add(Change::of(&ORDER_CHANGED, path, message));
    }
}

/// Whether one has the text of the other, and must or may be given as it.
fn is_successor(old: &Argument<'_>, new: &Argument<'_>) -> bool {
    let same_text = match (old.text, new.text) {
        (Some(old), Some(new)) => same_words(old, new),
        _ => false,
    };
    same_text && old.required == new.required
}

fn renamed(findings: &mut Findings<'_>, path: &str, prompt: &str, old: &Argument<'_>, new: &Argument<'_>) {
    let message = format!("argument {} of prompt {prompt} is now {}", shown(old.name), shown(new.name));
    let severity = if old.required { Severity::Breaking } else { Severity::Risky };
    let change = Change::of(&PROMPT_ARGUMENT_RENAMED, path, message).as_bad_as(severity);
    findings.add(change.from_to(Some(&old.name.into()), Some(&new.name.into())));
    scan::scan_name(findings, path, old.name, new.name);
}

fn argument_pair(
    findings: &mut Findings<'_>,
    path: &str,
    prompt: &str,
    old: &Argument<'_>,
    new: &Argument<'_>,
) {
    if old.required != new.required {
        let (rule, word) = if new.required {
            (&PROMPT_ARGUMENT_NOW_REQUIRED, "required")
        } else {
            (&PROMPT_ARGUMENT_NOW_OPTIONAL, "optional")
        };
        let message = format!("argument {} of prompt {prompt} is now {word}", shown(new.name));
        findings.add(
            Change::of(rule, path, message).from_to(Some(&old.required.into()), Some(&new.required.into())),
        );
    }
    let what = format!("argument {} of prompt {prompt}", shown(new.name));
    words(findings, path, &what, (old.definition, new.definition));
    metadata::compare(
        findings,
        path,
        (old.definition, new.definition),
        &["name", "title", "description", "required", "icons", "_meta"],
    );
}
