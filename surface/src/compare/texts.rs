//! Applies the rules on text to what was added or changed. How words and characters are read stands in `text`.

use super::findings::{Findings, text};
use super::vocabulary::each;
use crate::canonical::canonical;
use crate::change::Change;
use crate::change::Severity;
use crate::model::{Item, Kind};
use crate::rule::Rule;
use crate::rules::text::{
    TEXT_CONTROL_CHARACTERS, TEXT_ENCODED_BLOB_ADDED, TEXT_GREW, TEXT_HIDDEN_UNICODE, TEXT_INJECTION_PATTERN,
    TEXT_URL_ADDED, TEXT_WHITESPACE_CHANGED,
};
use crate::text::{
    control_characters, encoded_blobs, excerpt, hidden_characters, hosts, newly_present, orders, same_words,
    spell, word_diff,
};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// A text by what may happen to it.
pub(super) struct Wording {
    /// What it is called in a message, as ``the description of `search` ``.
    pub(super) what: String,
    pub(super) changed: &'static Rule,
    pub(super) added: &'static Rule,
    pub(super) removed: &'static Rule,
}

impl Wording {
    /// A text for which one rule tells everything.
    pub(super) fn of(what: String, rule: &'static Rule) -> Self {
        Self { what, changed: rule, added: rule, removed: rule }
    }
}

/// Compares two texts; what came with the new one is looked at as well.
pub(super) fn compare(
    findings: &mut Findings<'_>,
    path: &str,
    wording: &Wording,
    before: Option<&str>,
    after: Option<&str>,
) {
    if before == after {
        return;
    }
    let what = &wording.what;
    let (rule, message) = match (before, after) {
        (None, None) => return,
        (None, Some(after)) => (wording.added, format!("{what} is new: \"{}\"", excerpt(after, 120))),
        (Some(before), None) => (wording.removed, format!("{what} is gone: \"{}\"", excerpt(before, 120))),
        (Some(before), Some(after)) if same_words(before, after) => {
            (&TEXT_WHITESPACE_CHANGED, format!("the layout of {} changed, its words are the same", what))
        }
        (Some(before), Some(after)) => {
            (wording.changed, format!("{what} changed: \"{}\"", word_diff(before, after)))
        }
    };
    findings.add(
        Change::of(rule, path, message)
            .from_to(before.map(Value::from).as_ref(), after.map(Value::from).as_ref()),
    );
    if let Some(after) = after {
        scan(findings, path, before.unwrap_or_default(), after);
    }
}

/// Looks at what came with `after`: what cannot be seen, what gives orders, where it leads.
pub(super) fn scan(findings: &mut Findings<'_>, path: &str, before: &str, after: &str) {
    if before == after {
        return;
    }
    let mut found: Vec<(&'static Rule, String)> = Vec::new();
    let hidden = newly_present(&hidden_characters(before), &hidden_characters(after));
    if !hidden.is_empty() {
        found.push((&TEXT_HIDDEN_UNICODE, format!("invisible characters came: {}", spell(&hidden))));
    }
    let control = newly_present(&control_characters(before), &control_characters(after));
    if !control.is_empty() {
        found.push((&TEXT_CONTROL_CHARACTERS, format!("control characters came: {}", spell(&control))));
    }
    let vocabulary = findings.vocabulary;
    if let Some(message) = ordered(before, after, &|word| vocabulary.is_own(word)) {
        found.push((&TEXT_INJECTION_PATTERN, message));
    }
    let known = hosts(before);
    let is_new = |host: &String| !known.contains(host) && !vocabulary.knew_host(host);
    let new: Vec<_> = hosts(after).into_iter().filter(is_new).collect();
    if !new.is_empty() {
        found.push((&TEXT_URL_ADDED, format!("it names {}", excerpt(&new.join(", "), 120))));
    }
    if let Some(blob) = encoded_blobs(after).difference(&encoded_blobs(before)).next() {
        let message = format!("{} characters of base64 came: \"{}\"", blob.len(), excerpt(blob, 40));
        found.push((&TEXT_ENCODED_BLOB_ADDED, message));
    }
    let values = (Some(Value::from(before)).filter(|_| !before.is_empty()), Value::from(after));
    for (rule, message) in found {
        findings.add(Change::of(rule, path, message).from_to(values.0.as_ref(), Some(&values.1)));
    }
}

fn ordered(before: &str, after: &str, is_own: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut found = orders(after, is_own);
    if found.is_empty() {
        return None;
    }
    let known: HashSet<_> =
        orders(before, is_own).into_iter().map(|order| (order.kind, order.words)).collect();
    found.retain(|order| !known.contains(&(order.kind, order.words.clone())));
    let first = found.first()?;
    let kinds: BTreeSet<_> = found.iter().map(|order| order.kind).collect();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join("; ");
    Some(format!("it reads like an order to the model ({kinds}): \"{}\"", first.snippet))
}

/// Looks at a name that is new. Its words are joined by other signs than blanks.
pub(super) fn scan_name(findings: &mut Findings<'_>, path: &str, before: &str, after: &str) {
    let spaced = |name: &str| name.replace(['_', '-', '.'], " ");
    scan(findings, path, &spaced(before), &spaced(after));
}

/// Looks at all text of a schema that the old one does not have: descriptions, titles, values, names of properties.
pub(super) fn scan_schema(
    findings: &mut Findings<'_>,
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
) {
    let Some(after) = after else { return };
    if before == Some(after) {
        return;
    }
    let mut known = HashSet::new();
    before
        .into_iter()
        .for_each(|before| each(before, |key, value| known.extend(key.into_iter().chain(value.as_str()))));
    let new: Vec<_> = strings(path, after).into_iter().filter(|(_, text)| !known.contains(text)).collect();
    // What went may have come back in other words or at another place.
    let kept: HashSet<_> = if new.is_empty() {
        HashSet::new()
    } else {
        strings("", after).into_iter().map(|(_, text)| text).collect()
    };
    let mut gone: Vec<_> = known.into_iter().filter(|text| !new.is_empty() && !kept.contains(text)).collect();
    gone.sort_unstable();
    let gone = gone.join("\n");
    for (path, text) in new {
        scan(findings, &path, &gone, text);
    }
}

/// Members that hold no text for people or models.
const TECHNICAL: &[&str] = &[
    "$ref",
    "$id",
    "id",
    "$schema",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "type",
    "format",
    "pattern",
    "required",
    "contentEncoding",
    "contentMediaType",
];

fn strings<'s>(path: &str, root: &'s Value) -> Vec<(String, &'s str)> {
    let mut out = Vec::new();
    let mut open = vec![(path.to_owned(), root)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::String(text) => out.push((path, text.as_str())),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(idx, item)| (format!("{path}/{idx}"), item)));
            }
            Value::Object(members) => {
                let named = path.ends_with("/properties");
                for (key, member) in members {
                    let below = crate::change::pointer(&path, key);
                    if named {
                        out.push((below.clone(), key));
                    }
                    if member.is_object() || !TECHNICAL.contains(&key.as_str()) {
                        open.push((below, member));
                    }
                }
            }
            _ => {}
        }
    }
    out.sort_unstable();
    out
}

/// Looks at the texts of an item that is new, or of one that has another name now.
pub(super) fn scan_item(findings: &mut Findings<'_>, path: &str, before: &str, item: &Item) {
    scan_name(findings, path, before, &item.id);
    for member in ["title", "description"] {
        if let Some(text) = text(&item.definition, member) {
            scan(findings, &format!("{path}/{member}"), "", text);
        }
    }
}

/// Tells when a list with changes has become much longer. Four bytes count as a token, as an estimate.
pub(super) fn grew(findings: &mut Findings<'_>, kind: Kind, known: usize, lists: (&[Item], &[Item])) {
    // The same values in a longer spelling are no change.
    if findings.changes[known..].iter().all(|change| change.severity == Severity::None) {
        return;
    }
    let size = |items: &[Item]| items.iter().map(|item| canonical(&item.definition).len()).sum::<usize>();
    let (before, after) = (size(lists.0), size(lists.1));
    if after > before + 200 && after * 5 > before * 6 {
        let (before, after) = (before / 4, after / 4);
        let message = format!("the list costs about {after} tokens, where it cost {before}");
        let change = Change::of(&TEXT_GREW, format!("/{}", kind.member()), message);
        findings.add(change.from_to(Some(&Value::from(before)), Some(&Value::from(after))));
    }
}
