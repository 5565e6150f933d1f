//! Compares what stands beside the meaning of an item: icons, `_meta`, and members that no specification knows.

use super::findings::{Findings, keys, member, object, shown};
use super::scan;
use crate::change::{Change, pointer};
use crate::model::Item;
use crate::rule::Rule;
use crate::rules::hints::{ICONS_CHANGED, ICONS_UNSAFE_URI, META_CHANGED, META_KNOWN_KEY_CHANGED};
use crate::text::excerpt;
use serde_json::Value;
use std::collections::BTreeSet;

/// Compares metadata of the item at `path`; members in `known` are told by other rules.
pub(super) fn compare(
    findings: &mut Findings<'_>,
    path: &str,
    definitions: (&Value, &Value),
    known: &[&str],
) {
    let (old, new) = definitions;
    icons(findings, path, member(old, "icons"), member(new, "icons"));
    let (before, after) = (object(old, "_meta"), object(new, "_meta"));
    for key in keys(before, after) {
        let values = (before.and_then(|meta| meta.get(key)), after.and_then(|meta| meta.get(key)));
        entry(findings, &pointer(&format!("{path}/_meta"), key), key, values);
    }
    for key in keys(old.as_object(), new.as_object()).into_iter().filter(|key| !known.contains(key)) {
        entry(findings, &pointer(path, key), key, (member(old, key), member(new, key)));
    }
    let (was, is) = (object(old, "execution"), object(new, "execution"));
    for key in keys(was, is).into_iter().filter(|key| *key != "taskSupport") {
        let values = (was.and_then(|members| members.get(key)), is.and_then(|members| members.get(key)));
        entry(findings, &pointer(&format!("{path}/execution"), key), key, values);
    }
}

fn entry(findings: &mut Findings<'_>, path: &str, key: &str, (was, is): (Option<&Value>, Option<&Value>)) {
    if was == is {
        return;
    }
    let rule: &'static Rule = if is_acted_on(key) { &META_KNOWN_KEY_CHANGED } else { &META_CHANGED };
    let what = match (was, is) {
        (None, _) => "came",
        (_, None) => "is gone",
        _ => "changed",
    };
    findings.add(Change::of(rule, path, format!("{} {what}", shown(key))).from_to(was, is));
    scan::scan_data(findings, path, was, is);
}

/// Looks at the members of an item that is new which no other rule reads.
pub(super) fn scan_members(findings: &mut Findings<'_>, path: &str, item: &Item, known: &[&str]) {
    let members = item.definition.as_object().into_iter().flatten();
    for (key, value) in members.filter(|(key, _)| key.as_str() == "_meta" || !known.contains(&key.as_str())) {
        scan::scan_data(findings, &pointer(path, key), None, Some(value));
    }
}

/// Keys that hosts are known to act on: user interfaces, permissions, and those of providers.
fn is_acted_on(key: &str) -> bool {
    const PREFIXES: [&str; 6] =
        ["ui/", "openai/", "anthropic/", "io.modelcontextprotocol/", "modelcontextprotocol.io/", "security"];
    let key = key.to_ascii_lowercase();
    key == "ui" || key == "auth" || PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// The addresses of icons; what is no icon has none.
fn sources(icons: Option<&Value>) -> BTreeSet<&str> {
    let icons = icons.and_then(Value::as_array).into_iter().flatten();
    icons.filter_map(|icon| icon.get("src")?.as_str()).collect()
}

pub(super) fn icons(findings: &mut Findings<'_>, path: &str, before: Option<&Value>, after: Option<&Value>) {
    if before == after {
        return;
    }
    let (old, new) = (sources(before), sources(after));
    let path = format!("{path}/icons");
    let hosts: BTreeSet<_> = old.iter().filter_map(|src| host(src)).collect();
    for src in new.difference(&old) {
        let why = match host(src) {
            _ if !is_safe(src) => "it is neither https nor an image in a data URI",
            Some(host) if !hosts.is_empty() && !hosts.contains(&host) => {
                "it comes from another host than before"
            }
            _ => continue,
        };
        let message = format!("new icon \"{}\": {why}", excerpt(src, 80));
        findings.add(Change::of(&ICONS_UNSAFE_URI, &path, message).from_to(before, after));
        return;
    }
    findings.add(Change::of(&ICONS_CHANGED, &path, "the icons changed").from_to(before, after));
}

/// Looks at the icons of an item that is new.
pub(super) fn scan_icons(findings: &mut Findings<'_>, path: &str, item: &Item) {
    let icons = member(&item.definition, "icons");
    if let Some(src) = sources(icons).into_iter().find(|src| !is_safe(src)) {
        let message =
            format!("icon \"{}\": it is neither https nor an image in a data URI", excerpt(src, 80));
        findings.add(Change::of(&ICONS_UNSAFE_URI, format!("{path}/icons"), message).from_to(None, icons));
    }
}

fn is_safe(src: &str) -> bool {
    let start = src.trim_start().chars().take(16).collect::<String>().to_ascii_lowercase();
    start.starts_with("https://") || start.starts_with("data:image/")
}

fn host(src: &str) -> Option<String> {
    let (scheme, rest) = src.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    (scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")).then(|| host.to_lowercase())
}
