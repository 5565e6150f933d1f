//! Looks at text that came: what cannot be seen, what gives orders, where it leads. How words change stands in `texts`.

use super::findings::{Findings, text};
use super::vocabulary::each;
use crate::change::{Change, pointer};
use crate::model::Item;
use crate::rule::Rule;
use crate::rules::text::{
    TEXT_CONTROL_CHARACTERS, TEXT_ENCODED_BLOB_ADDED, TEXT_FOREIGN_TOOL_NAMED, TEXT_HIDDEN_UNICODE,
    TEXT_INJECTION_PATTERN, TEXT_URL_ADDED,
};
use crate::text::{
    ADVICE, Counts, control_characters, encoded_blobs, excerpt, hidden_characters, hosts, newly_present,
    orders, spell,
};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

/// What an old text holds; each part is found out when it is first asked for.
struct Old<'t> {
    text: &'t str,
    hidden: OnceCell<Counts>,
    control: OnceCell<Counts>,
    orders: OnceCell<HashSet<(&'static str, String)>>,
    hosts: OnceCell<BTreeSet<String>>,
    blobs: OnceCell<BTreeSet<&'t str>>,
}

impl<'t> Old<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            hidden: OnceCell::new(),
            control: OnceCell::new(),
            orders: OnceCell::new(),
            hosts: OnceCell::new(),
            blobs: OnceCell::new(),
        }
    }
}

/// Looks at what came with `after`.
pub(super) fn scan(findings: &mut Findings<'_>, path: &str, before: &str, after: &str) {
    if before != after {
        against(findings, path, &Old::new(before), after, Some(before).filter(|text| !text.is_empty()));
    }
}

/// Looks at a name that is new. Its words are joined by other signs than blanks.
pub(super) fn scan_name(findings: &mut Findings<'_>, path: &str, before: &str, after: &str) {
    scan(findings, path, &spaced(before), &spaced(after));
}

/// The words of a name, joined by signs or by capitals as in `readThenSend`.
fn spaced(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            out.push(' ');
        }
        out.push(if matches!(letter, '_' | '-' | '.') { ' ' } else { letter });
        before = letter;
    }
    out
}

/// Looks at the texts of an item that is new.
pub(super) fn scan_item(findings: &mut Findings<'_>, path: &str, item: &Item) {
    scan_name(findings, path, "", &item.id);
    for member in ["title", "description"] {
        if let Some(text) = text(&item.definition, member) {
            scan(findings, &format!("{path}/{member}"), "", text);
        }
    }
}

fn against(findings: &mut Findings<'_>, path: &str, old: &Old<'_>, after: &str, shown: Option<&str>) {
    let found = found(findings, path, old, after);
    if found.is_empty() {
        return;
    }
    let values = (shown.map(Value::from), Value::from(after));
    for (rule, message) in found {
        findings.add(Change::of(rule, path, message).from_to(values.0.as_ref(), Some(&values.1)));
    }
}

fn found(findings: &Findings<'_>, path: &str, old: &Old<'_>, after: &str) -> Vec<(&'static Rule, String)> {
    let mut found: Vec<(&'static Rule, String)> = Vec::new();
    let hidden = hidden_characters(after);
    if !hidden.is_empty() {
        let new = newly_present(old.hidden.get_or_init(|| hidden_characters(old.text)), &hidden);
        if !new.is_empty() {
            found.push((&TEXT_HIDDEN_UNICODE, format!("invisible characters came: {}", spell(&new))));
        }
    }
    let control = control_characters(after);
    if !control.is_empty() {
        let new = newly_present(old.control.get_or_init(|| control_characters(old.text)), &control);
        if !new.is_empty() {
            found.push((&TEXT_CONTROL_CHARACTERS, format!("control characters came: {}", spell(&new))));
        }
    }
    found.extend(ordered(findings, path, old, after));
    let named = hosts(after);
    if !named.is_empty() {
        let known = old.hosts.get_or_init(|| hosts(old.text));
        let is_new = |host: &String| !known.contains(host) && !findings.vocabulary.knew_host(host);
        let new: Vec<_> = named.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            found.push((&TEXT_URL_ADDED, format!("it names {}", excerpt(&new.join(", "), 120))));
        }
    }
    let blobs = encoded_blobs(after);
    if !blobs.is_empty() {
        let known = old.blobs.get_or_init(|| encoded_blobs(old.text));
        found.extend(blobs.iter().find(|blob| !known.contains(*blob)).map(|blob| {
            let message = format!("{} characters of base64 came: \"{}\"", blob.len(), excerpt(blob, 40));
            (&TEXT_ENCODED_BLOB_ADDED, message)
        }));
    }
    found
}

fn ordered(findings: &Findings<'_>, path: &str, old: &Old<'_>, after: &str) -> Vec<(&'static Rule, String)> {
    let owner = |word: &str| findings.vocabulary.owner(path, word);
    let mut found = orders(after, &owner);
    if found.is_empty() {
        return Vec::new();
    }
    let known = old.orders.get_or_init(|| {
        orders(old.text, &owner).into_iter().map(|order| (order.kind, order.words)).collect()
    });
    found.retain(|order| !known.contains(&(order.kind, order.words.clone())));
    let (advice, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|order| order.kind == ADVICE);
    let advised =
        advice.first().map(|order| (&TEXT_FOREIGN_TOOL_NAMED, format!("{ADVICE}: \"{}\"", order.snippet)));
    let Some(first) = found.first() else { return advised.into_iter().collect() };
    let kinds: BTreeSet<_> = found.iter().map(|order| order.kind).collect();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join("; ");
    let message = format!("it reads like an order to the model ({kinds}): \"{}\"", first.snippet);
    vec![(&TEXT_INJECTION_PATTERN, message)]
}

/// Looks at all text of a schema that the old one does not have: descriptions, titles, values, names of properties.
pub(super) fn scan_schema(
    findings: &mut Findings<'_>,
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
) {
    let Some(after) = after.filter(|after| before != Some(after)) else { return };
    let mut known = HashSet::new();
    before.into_iter().for_each(|before| {
        each(before, |key, value| known.extend(key.into_iter().chain(value.as_str())));
    });
    let all = strings(path, after);
    let kept: HashSet<_> = all.iter().map(|found| found.text).collect();
    // What went may have come back in other words or at another place.
    let mut gone: Vec<_> = known.iter().copied().filter(|text| !kept.contains(text)).collect();
    gone.sort_unstable();
    let gone = gone.join("\n");
    let old = Old::new(&gone);
    for found in all.iter().filter(|found| !known.contains(found.text)) {
        if found.is_name {
            against(findings, &found.path, &old, &spaced(found.text), None);
        } else {
            against(findings, &found.path, &old, found.text, None);
        }
    }
}

/// Looks at data that models are not meant to read, and may: addresses and encoded data are usual there.
pub(super) fn scan_data(
    findings: &mut Findings<'_>,
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
) {
    let known = findings.changes.len();
    scan_schema(findings, path, before, after);
    let usual = |change: &Change| [TEXT_URL_ADDED.id, TEXT_ENCODED_BLOB_ADDED.id].contains(&change.rule.id);
    let found = findings.changes.split_off(known);
    findings.changes.extend(found.into_iter().filter(|change| !usual(change)));
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

/// A text in a schema.
struct Found<'s> {
    path: String,
    text: &'s str,
    /// Whether it names a property.
    is_name: bool,
}

fn strings<'s>(path: &str, root: &'s Value) -> Vec<Found<'s>> {
    let mut out = Vec::new();
    let mut open = vec![(path.to_owned(), root)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::String(text) => out.push(Found { path, text, is_name: false }),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(idx, item)| (format!("{path}/{idx}"), item)));
            }
            Value::Object(members) => {
                let named = path.ends_with("/properties");
                for (key, member) in members {
                    let below = pointer(&path, key);
                    if named {
                        out.push(Found { path: below.clone(), text: key, is_name: true });
                    }
                    if member.is_object() || !TECHNICAL.contains(&key.as_str()) {
                        open.push((below, member));
                    }
                }
            }
            _ => {}
        }
    }
    out.sort_by(|left, right| left.path.cmp(&right.path));
    out
}
