//! The worst changes by name, in a line per rule: `2 tools removed: echo, ping`.

use super::context::name_of;
use super::groups::Group;
use super::spell::{clip, thousands};
use super::sums::lead;
use std::collections::BTreeSet;
use surface::policy::Judged;
use surface::{Area, Change};

/// So many lines there are at most.
const MOST: usize = 6;

/// Longest name that is shown.
const NAME: usize = 40;

/// A line of the summary.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// A change that is as bad as all in the line; none in the line that counts what is left.
    pub worst: Option<&'a Judged>,
    /// How bad it is, in a word.
    pub lead: &'static str,
    /// What happened, and to what.
    pub text: String,
}

/// Sums `groups` up in lines of at most `width` characters. A single change is told where it stands.
pub(crate) fn summary<'a>(groups: &[Group<'a>], width: usize) -> Vec<Line<'a>> {
    if count(groups) < 2 {
        return Vec::new();
    }
    let shown = if groups.len() > MOST { MOST - 1 } else { groups.len() };
    let line = |group: &Group<'a>| {
        let worst = group.first();
        Line { worst: Some(worst), lead: lead(worst), text: sum(group, width) }
    };
    let mut lines: Vec<_> = groups[..shown].iter().map(line).collect();
    let rest = &groups[shown..];
    if !rest.is_empty() {
        let text = format!("{} more changes of {} rules", thousands(count(rest)), rest.len());
        lines.push(Line { worst: None, lead: "and", text });
    }
    lines
}

fn count(groups: &[Group<'_>]) -> usize {
    groups.iter().map(|group| group.changes.len()).sum()
}

fn sum(group: &Group<'_>, width: usize) -> String {
    let first = &group.first().change;
    if group.changes.len() == 1 {
        let message = clip(&first.message, width);
        let place =
            if first.rule.area == Area::Gate { Some(first.path.clone()) } else { name_of(&first.path) };
        let unnamed = place.filter(|name| !first.message.contains(&format!("`{name}`")));
        return cut(
            &unnamed.map_or(message.clone(), |name| format!("{}: {message}", clip(&name, NAME))),
            width,
        );
    }
    let what = phrase(first.rule.id, group.changes.len());
    // What has one name everywhere is named once: `tenant in search, list`.
    let (_, member) = subject(first);
    let is_shared = member.is_some() && group.shares(|change| subject(change).1);
    let head =
        member.filter(|_| is_shared).map_or(String::new(), |member| format!("{} in ", clip(&member, NAME)));
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for item in &group.changes {
        let name = match subject(&item.first().change) {
            (item, Some(member)) if !is_shared => format!("{item}.{member}"),
            (item, _) => item,
        };
        let name = clip(&name, NAME);
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    let head = format!("{what}: {head}");
    cut(&format!("{head}{}", list(&names, width.saturating_sub(head.chars().count()))), width)
}

/// Lists as many of `names` as fit, one at least, and counts the others.
fn list(names: &[String], width: usize) -> String {
    let more = |left: usize| format!(" and {} more", thousands(left));
    let mut out = String::new();
    let mut used = 0;
    for (idx, name) in names.iter().enumerate() {
        let left = names.len() - idx - 1;
        let length = name.chars().count() + if idx > 0 { 2 } else { 0 };
        let reserve = if left > 0 { more(left).chars().count() } else { 0 };
        if idx > 0 && used + length + reserve > width {
            return out + &more(left + 1);
        }
        used += length;
        out.push_str(if idx > 0 { ", " } else { "" });
        out.push_str(name);
    }
    out
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// What a change is about, as people name it: the item, and the property or argument of it where there is one.
fn subject(change: &Change) -> (String, Option<String>) {
    let path = change.path.as_str();
    if change.rule.area == Area::Gate {
        return (path.to_owned(), None);
    }
    if let Some(rest) = path.strip_prefix("/initialize/") {
        return (rest.replace('/', "."), None);
    }
    let Some(item) = name_of(path) else { return (path.to_owned(), None) };
    let tokens: Vec<_> = path.split('/').skip(3).collect();
    let member = tokens.windows(2).rev().find(|pair| matches!(pair[0], "properties" | "arguments"));
    (item, member.map(|pair| pair[1].replace("~1", "/").replace("~0", "~")))
}

/// Writes so many changes of the rule `id`: `2 tools removed` where its name can be read as a phrase, else `2 × tool-name-invalid`.
fn phrase(id: &str, n: usize) -> String {
    let count = thousands(n);
    if id == "input-required-added" {
        return format!("{count} required inputs added");
    }
    let words: Vec<_> = id.split('-').collect();
    let [nouns @ .., noun, end] = words.as_slice() else { return format!("{count} × {id}") };
    if !ENDS.contains(end) || ODD.contains(noun) {
        return format!("{count} × {id}");
    }
    let plural = match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with('s') => (*noun).to_owned(),
        None => format!("{noun}s"),
    };
    let nouns: String = nouns.iter().map(|noun| format!("{noun} ")).collect();
    format!("{count} {nouns}{plural} {end}")
}

/// Last words of rules that say what was done to the words before.
const ENDS: &[&str] = &[
    "added",
    "changed",
    "closed",
    "dropped",
    "introduced",
    "lifted",
    "lowered",
    "moved",
    "narrowed",
    "opened",
    "raised",
    "reduced",
    "removed",
    "renamed",
    "widened",
];

/// Words that are no nouns, or have no plural.
const ODD: &[&str] = &["meta", "mime", "now", "null", "or", "required", "support", "volatile", "whitespace"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::groups::groups;
    use crate::drift::samples::{ADDED, DESCRIPTION, RENAMED, REQUIRED};
    use surface::{Rule, rules};

    fn judged(rule: &'static Rule, path: String) -> Judged {
        let change = Change::of(rule, path, "it changed");
        Judged { change, level: rule.level, accepted: None, fingerprint: String::new() }
    }

    #[test]
    fn rules_are_told_as_phrases_where_they_read_as_such() {
        for (id, expected) in [
            ("tool-removed", "1,200 tools removed"),
            ("capability-removed", "1,200 capabilities removed"),
            ("input-required-added", "1,200 required inputs added"),
            ("input-enum-value-removed", "1,200 input enum values removed"),
            ("input-items-narrowed", "1,200 input items narrowed"),
            ("input-now-required", "1,200 × input-now-required"),
            ("text-injection-pattern", "1,200 × text-injection-pattern"),
            ("x", "1,200 × x"),
        ] {
            assert_eq!(phrase(id, 1_200), expected);
        }
    }

    #[test]
    fn changes_are_named_after_what_they_are_about() {
        let named = |rule, path| {
            let (item, member) = subject(&Change::of(rule, path, "x"));
            member.map_or(item.clone(), |member| format!("{item} {member}"))
        };
        for (path, expected) in [
            ("/tools/search", "search"),
            ("/tools/search/description", "search"),
            ("/tools/search/inputSchema/properties/a/properties/b~1c/type", "search b/c"),
            ("/prompts/p/arguments/q", "p q"),
            ("/resources/file:~1~1a", "file://a"),
            ("/initialize/capabilities/tools", "capabilities.tools"),
            ("/tools", "/tools"),
            ("", ""),
        ] {
            assert_eq!(named(&REQUIRED, path), expected);
        }
        assert_eq!(named(&rules::gate::ALLOW_UNUSED, "mcpproof.toml:7"), "mcpproof.toml:7");
    }

    #[test]
    fn a_member_of_one_name_is_named_once() {
        let texts = |paths: [&str; 2]| {
            let changes = paths.map(|path| judged(&REQUIRED, path.to_owned()));
            summary(&groups(changes.iter()), 80).remove(0).text
        };
        let both = texts(["/tools/a/inputSchema/properties/x", "/tools/b/inputSchema/properties/x"]);
        assert_eq!(both, "2 required inputs added: x in a, b");
        let other = texts(["/tools/a/inputSchema/properties/x", "/tools/b/inputSchema/properties/y"]);
        assert_eq!(other, "2 required inputs added: a.x, b.y");
    }

    #[test]
    fn a_line_names_what_fits_and_counts_the_rest() {
        let changes: Vec<_> = (0..200).map(|idx| judged(&RENAMED, format!("/tools/tool-{idx}"))).collect();
        let lines = summary(&groups(changes.iter()), 60);
        assert_eq!(lines[0].text, "200 tools renamed: tool-0, tool-1, tool-2 and 197 more");
        let long = [judged(&RENAMED, format!("/tools/{}", "x".repeat(500))), judged(&RENAMED, "/b".into())];
        assert!(summary(&groups(long.iter()), 40)[0].text.chars().count() <= 40);
    }

    #[test]
    fn one_change_needs_no_summary_and_many_rules_are_counted() {
        let one = [judged(&REQUIRED, "/tools/a".into())];
        assert!(summary(&groups(one.iter()), 80).is_empty());
        assert!(summary(&groups([].iter()), 80).is_empty());
        let two = [judged(&REQUIRED, "/tools/a".into()), judged(&DESCRIPTION, "/tools/b".into())];
        let texts: Vec<_> = summary(&groups(two.iter()), 80).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["a: it changed", "b: it changed"]);
        let mut many: Vec<_> = surface::all_rules().map(|rule| judged(rule, "/tools/a".into())).collect();
        many.extend((0..3).map(|idx| judged(&ADDED, format!("/tools/{idx}"))));
        let lines = summary(&groups(many.iter()), 80);
        assert_eq!((lines.len(), lines[5].lead), (6, "and"));
    }
}
