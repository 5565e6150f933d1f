//! Compares the hints of a tool and how it may be called. A hint that is left out has the default of the specification.

use super::findings::{Findings, called, keys, member, object};
use crate::change::Change;
use crate::model::Item;
use crate::rule::Rule;
use crate::rules::hints::{
    ANNOTATION_CHANGED, ANNOTATION_RESTATED, ANNOTATION_SAFETY_CLAIMED, ANNOTATION_SAFETY_LOST,
    TASK_SUPPORT_NARROWED, TASK_SUPPORT_WIDENED,
};
use serde_json::Value;

struct Hint {
    name: &'static str,
    /// What it means when it is left out.
    default: bool,
    /// The value that promises something.
    safe: bool,
    /// Whether it says nothing of a tool that only reads.
    about_writes: bool,
    promise: &'static str,
}

/// Spec, tools, `ToolAnnotations`: the defaults, and that two of them are meaningful only for tools that write.
const HINTS: [Hint; 4] = [
    Hint {
        name: "readOnlyHint",
        default: false,
        safe: true,
        about_writes: false,
        promise: "that it only reads",
    },
    Hint {
        name: "destructiveHint",
        default: true,
        safe: false,
        about_writes: true,
        promise: "that it destroys nothing",
    },
    Hint {
        name: "idempotentHint",
        default: false,
        safe: true,
        about_writes: true,
        promise: "that it can be repeated",
    },
    Hint {
        name: "openWorldHint",
        default: true,
        safe: false,
        about_writes: false,
        promise: "that it does not reach out",
    },
];

/// Compares the hints and the execution of a tool at `path`.
pub(super) fn compare(findings: &mut Findings<'_>, path: &str, old: &Item, new: &Item) {
    if member(&old.definition, "annotations") != member(&new.definition, "annotations") {
        annotations(findings, path, old, new);
    }
    task_support(findings, path, old, new);
}

fn effective(item: &Item, hint: &Hint) -> bool {
    let given = object(&item.definition, "annotations").and_then(|hints| hints.get(hint.name)?.as_bool());
    given.unwrap_or(hint.default)
}

fn annotations(findings: &mut Findings<'_>, path: &str, old: &Item, new: &Item) {
    let (before, after) = (object(&old.definition, "annotations"), object(&new.definition, "annotations"));
    for name in keys(before, after).into_iter().filter(|name| *name != "title") {
        let (was, is) = (before.and_then(|hints| hints.get(name)), after.and_then(|hints| hints.get(name)));
        if was == is {
            continue;
        }
        let (rule, message) = match HINTS.iter().find(|hint| hint.name == name) {
            // Where the meaning changed, a promise came or went, whatever stands there.
            Some(hint)
                if effective(old, hint) == effective(new, hint)
                    && [was, is].into_iter().flatten().any(is_no_flag) =>
            {
                (&ANNOTATION_CHANGED, format!("`{name}` of {} is neither true nor false", called(new)))
            }
            Some(hint) => meaning(hint, old, new),
            None => {
                let hint = super::findings::shown(name);
                (
                    &ANNOTATION_CHANGED,
                    format!("{hint} of {} changed, which no specification knows", called(new)),
                )
            }
        };
        let path = crate::change::pointer(&format!("{path}/annotations"), name);
        findings.add(Change::of(rule, path, message).from_to(was, is));
    }
}

const fn is_no_flag(value: &Value) -> bool {
    !matches!(value, Value::Bool(_) | Value::Null)
}

fn meaning(hint: &Hint, old: &Item, new: &Item) -> (&'static Rule, String) {
    let (name, is) = (hint.name, effective(new, hint));
    let only_reads = |item: &Item| effective(item, &HINTS[0]);
    if effective(old, hint) == is {
        (&ANNOTATION_RESTATED, format!("`{name}` of {} means the same as before", called(new)))
    } else if hint.about_writes && (only_reads(old) || only_reads(new)) {
        // That it begins or ceases to write is told by the other hint.
        let message =
            format!("`{name}` of {} changed, which says nothing of a tool that only reads", called(new));
        (&ANNOTATION_CHANGED, message)
    } else {
        promise(hint, is, new)
    }
}

fn promise(hint: &Hint, is: bool, tool: &Item) -> (&'static Rule, String) {
    if is == hint.safe {
        (&ANNOTATION_SAFETY_CLAIMED, format!("{} now says {} (`{}`)", called(tool), hint.promise, hint.name))
    } else {
        (
            &ANNOTATION_SAFETY_LOST,
            format!("{} no longer says {} (`{}`)", called(tool), hint.promise, hint.name),
        )
    }
}

/// Spec 2025-11-25, tools, execution: `forbidden` is the default.
fn task_support(findings: &mut Findings<'_>, path: &str, old: &Item, new: &Item) {
    let given = |item: &'_ Item| {
        object(&item.definition, "execution").and_then(|members| members.get("taskSupport")).cloned()
    };
    let (was, is) = (given(old), given(new));
    if was == is {
        return;
    }
    let ways = |value: &Option<Value>| match value.as_ref().and_then(Value::as_str) {
        Some("optional") => (true, true),
        Some("required") => (false, true),
        // What is not known is not relied upon.
        _ => (true, false),
    };
    let word =
        |value: &Option<Value>| value.as_ref().and_then(Value::as_str).unwrap_or("forbidden").to_owned();
    let (before, after) = (ways(&was), ways(&is));
    let rule = if before.0 && !after.0 || before.1 && !after.1 {
        &TASK_SUPPORT_NARROWED
    } else if before != after {
        &TASK_SUPPORT_WIDENED
    } else {
        &ANNOTATION_RESTATED
    };
    let refused = match (before, after) {
        ((_, true), (_, false)) => ": calls as a task are refused",
        ((true, _), (false, _)) => ": plain calls are refused",
        _ => "",
    };
    let message =
        format!("task support of {} is {}, where it was {}{refused}", called(new), word(&is), word(&was));
    let path = format!("{path}/execution/taskSupport");
    findings.add(Change::of(rule, path, message).from_to(was.as_ref(), is.as_ref()));
}
