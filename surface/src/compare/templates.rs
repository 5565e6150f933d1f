//! Compares two lists of resource templates by the structure of RFC 6570.

use super::findings::{Findings, called, path_of, text};
use super::matching::matched;
use super::resources::{added, members};
use super::scan;
use super::tools::{doubles, reordered};
use crate::change::{Change, Severity};
use crate::model::{Item, Kind};
use crate::rule::Rule;
use crate::rules::items::{
    TEMPLATE_ADDED, TEMPLATE_CHANGED, TEMPLATE_REMOVED, TEMPLATE_VARIABLE_RENAMED, TEMPLATE_WIDENED,
};
use std::collections::HashMap;

/// Says what changed from one list to the other.
pub(super) fn compare(findings: &mut Findings<'_>, before: &[Item], after: &[Item]) {
    let matched = matched(before, after);
    let pairs = pairs(&matched.removed, &matched.added);
    for (from, to) in &pairs {
        changed(findings, matched.removed[*from], matched.added[*to]);
    }
    for (idx, item) in matched.removed.iter().enumerate() {
        if !pairs.iter().any(|(from, _)| *from == idx) {
            let message = format!("template {} is gone", called(item));
            let change = Change::of(&TEMPLATE_REMOVED, path_of(Kind::Template, &item.id), message);
            findings.add(change.from_to(Some(&item.definition), None));
        }
    }
    for (idx, item) in matched.added.iter().enumerate() {
        if !pairs.iter().any(|(_, to)| *to == idx) {
            added(findings, Kind::Template, &TEMPLATE_ADDED, item);
        }
    }
    for (old, new) in &matched.changed {
        members(findings, Kind::Template, old, new);
    }
    doubles(findings, Kind::Template, &matched);
    reordered(findings, Kind::Template, &matched);
}

fn changed(findings: &mut Findings<'_>, old: &Item, new: &Item) {
    let (rule, severity, why) = verdict(&parse(&old.id), &parse(&new.id));
    let message = format!("template {} is now {}: {why}", called(old), called(new));
    let change = Change::of(rule, path_of(Kind::Template, &old.id), message).as_bad_as(severity);
    findings.add(change.from_to(Some(&old.id.as_str().into()), Some(&new.id.as_str().into())));
    scan::scan(findings, &path_of(Kind::Template, &new.id), &old.id, &new.id);
    members(findings, Kind::Template, old, new);
}

/// Pairs what is left over: first by structure, then by a name that only one on each side has.
fn pairs(removed: &[&Item], added: &[&Item]) -> Vec<(usize, usize)> {
    let mut out = single(removed, added, |item| Some(skeleton(&spelt_out(&parse(&item.id), None))));
    let left = |all: &[&Item], taken: &dyn Fn(usize) -> bool| {
        (0..all.len()).filter(|idx| !taken(*idx)).collect::<Vec<_>>()
    };
    let old = left(removed, &|idx| out.iter().any(|(from, _)| *from == idx));
    let new = left(added, &|idx| out.iter().any(|(_, to)| *to == idx));
    let (old_items, new_items): (Vec<_>, Vec<_>) =
        (old.iter().map(|idx| removed[*idx]).collect(), new.iter().map(|idx| added[*idx]).collect());
    let named = single(&old_items, &new_items, |item| text(&item.definition, "name").map(str::to_owned));
    out.extend(named.into_iter().map(|(from, to)| (old[from], new[to])));
    out.sort_unstable();
    out
}

fn single(old: &[&Item], new: &[&Item], key: impl Fn(&Item) -> Option<String>) -> Vec<(usize, usize)> {
    let mut by_key: HashMap<_, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (idx, item) in old.iter().enumerate() {
        by_key.entry(key(item)).or_default().0.push(idx);
    }
    for (idx, item) in new.iter().enumerate() {
        by_key.entry(key(item)).or_default().1.push(idx);
    }
    let mut out: Vec<_> = by_key
        .into_iter()
        .filter_map(|(key, (old, new))| match (key, &old[..], &new[..]) {
            (Some(_), [old], [new]) => Some((*old, *new)),
            _ => None,
        })
        .collect();
    out.sort_unstable();
    out
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Expression { operator: Option<char>, variables: Vec<Variable> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    name: String,
    /// `*`, or `:` with a number.
    modifier: String,
}

/// Reads a template. What is no expression is literal, also where a brace is not closed.
fn parse(template: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((literal, (body, after))) =
        rest.split_once('{').and_then(|(literal, tail)| Some((literal, tail.split_once('}')?)))
    {
        if !literal.is_empty() {
            parts.push(Part::Literal(literal.to_owned()));
        }
        parts.push(expression(body));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest.to_owned()));
    }
    parts
}

fn expression(body: &str) -> Part {
    let operator = body.chars().next().filter(|char| "+#./;?&=,!@|".contains(*char));
    let names = &body[operator.map_or(0, char::len_utf8)..];
    let variable = |spec: &str| {
        let spec = spec.trim();
        let end = spec.find(['*', ':']).unwrap_or(spec.len());
        Variable { name: spec[..end].to_owned(), modifier: spec[end..].to_owned() }
    };
    Part::Expression { operator, variables: names.split(',').map(variable).collect() }
}

/// What is left of a template without the names of variables and what may be left out.
fn skeleton(parts: &[Part]) -> String {
    let written = parts.iter().filter(|part| !is_optional(part)).map(|part| match part {
        Part::Literal(text) => text.clone(),
        Part::Expression { variables, .. } => format!("{{{}}}", ",".repeat(variables.len())),
    });
    written.collect()
}

const fn is_optional(part: &Part) -> bool {
    matches!(part, Part::Expression { operator: Some('?' | '&' | '#'), .. })
}

type Verdict = (&'static Rule, Severity, &'static str);

fn verdict(old: &[Part], new: &[Part]) -> Verdict {
    let plain = structural(old, new);
    if plain.1 < Severity::Breaking {
        return plain;
    }
    // `x{/id}` and `x/{id}` are the same wherever an id is given.
    let spelt = spelt_out(old, None);
    let fits = |options| structural(&spelt, &spelt_out(new, options)).1 < Severity::Breaking;
    if fits(None) || (0..=MOST_SPELT).any(|count| fits(Some(count))) {
        return (&TEMPLATE_CHANGED, Severity::Risky, "URIs in which each variable has a value still fit");
    }
    plain
}

/// So many variables of a query are looked for as literals.
const MOST_SPELT: usize = 6;

/// Writes the signs that operators put before and between values as literals. With `options` it does so as well for lists, the fragment, and that number of variables of each query.
fn spelt_out(parts: &[Part], options: Option<usize>) -> Vec<Part> {
    let mut out = Vec::new();
    for part in parts {
        let Part::Expression { operator, variables } = part else {
            push(&mut out, part.clone());
            continue;
        };
        let Some((first, between, named)) = signs(*operator, variables, options) else {
            push(&mut out, part.clone());
            continue;
        };
        let is_query = matches!(operator, Some('?' | '&'));
        let count = options.filter(|_| is_query).unwrap_or(variables.len()).min(variables.len());
        let inner = operator.filter(|operator| matches!(operator, '+' | '#')).map(|_| '+');
        for (idx, variable) in variables[..count].iter().enumerate() {
            let name = if named { format!("{}=", variable.name) } else { String::new() };
            push(&mut out, Part::Literal(format!("{}{name}", if idx == 0 { first } else { between })));
            out.push(Part::Expression { operator: inner, variables: vec![variable.clone()] });
        }
        if count < variables.len() {
            let operator = if count == 0 { *operator } else { Some('&') };
            out.push(Part::Expression { operator, variables: variables[count..].to_vec() });
        }
    }
    out
}

type Signs = (&'static str, &'static str, bool);

/// What an operator writes before the first value and between values, and whether it writes names; `None` where that is left to it.
fn signs(operator: Option<char>, variables: &[Variable], options: Option<usize>) -> Option<Signs> {
    let listed = operator.is_some() && variables.iter().any(|variable| variable.modifier == "*");
    match operator {
        _ if listed && options.is_none() => None,
        None | Some('+') => Some(("", ",", false)),
        Some('/') => Some(("/", "/", false)),
        Some('.') => Some((".", ".", false)),
        Some(';') => Some((";", ";", true)),
        Some('?') if options.is_some() => Some(("?", "&", true)),
        Some('&') if options.is_some() => Some(("&", "&", true)),
        Some('#') if options.is_some() => Some(("#", ",", false)),
        _ => None,
    }
}

/// Adds a part; literals that meet are one.
fn push(out: &mut Vec<Part>, part: Part) {
    match (out.last_mut(), part) {
        (_, Part::Literal(text)) if text.is_empty() => {}
        (Some(Part::Literal(last)), Part::Literal(text)) => last.push_str(&text),
        (_, part) => out.push(part),
    }
}

/// Compares part by part.
fn structural(old: &[Part], new: &[Part]) -> Verdict {
    let changed = |severity, why| (&TEMPLATE_CHANGED, severity, why);
    let firm = |parts: &[Part]| parts.iter().filter(|part| !is_optional(part)).cloned().collect::<Vec<_>>();
    let (old_firm, new_firm) = (firm(old), firm(new));
    if old_firm.len() != new_firm.len() {
        return changed(Severity::Breaking, "URIs built from the old one do not fit");
    }
    let firm_parts: Vec<_> = old_firm.iter().zip(&new_firm).map(|(old, new)| part(old, new)).collect();
    let options = optional(old, new);
    let worst = firm_parts.into_iter().chain([options]).max().unwrap_or(Step::Same);
    match worst {
        Step::Refused => changed(Severity::Breaking, "URIs built from the old one do not fit"),
        Step::Unclear => changed(Severity::Risky, "values are written into URIs in another way"),
        Step::Renamed => (&TEMPLATE_VARIABLE_RENAMED, Severity::Risky, "the same URIs from other variables"),
        Step::Widened | Step::Same => {
            (&TEMPLATE_WIDENED, Severity::Compatible, "URIs built from the old one still fit")
        }
    }
}

/// What became of a part, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Same,
    Widened,
    Renamed,
    Unclear,
    Refused,
}

fn part(old: &Part, new: &Part) -> Step {
    match (old, new) {
        (Part::Literal(old), Part::Literal(new)) if old == new => Step::Same,
        (
            Part::Expression { operator: was, variables: before },
            Part::Expression { operator: is, variables: after },
        ) if before.len() == after.len() => {
            let writing = match (was, is) {
                _ if was == is => Step::Same,
                // Reserved characters are now left as they are; encoded ones still fit.
                (None, Some('+')) => Step::Unclear,
                _ => Step::Refused,
            };
            before.iter().zip(after).map(|(old, new)| variable(old, new)).fold(writing, Step::max)
        }
        _ => Step::Refused,
    }
}

fn variable(old: &Variable, new: &Variable) -> Step {
    if old.modifier != new.modifier {
        // A shorter prefix refuses values, another way of listing them may not.
        return if new.modifier.starts_with(':') { Step::Refused } else { Step::Unclear };
    }
    if old.name == new.name { Step::Same } else { Step::Renamed }
}

/// Query and fragment: what came widens, what went refuses.
fn optional(old: &[Part], new: &[Part]) -> Step {
    let listed = |parts: &[Part]| {
        let each = parts.iter().filter(|part| is_optional(part)).flat_map(|part| match part {
            Part::Expression { operator, variables } => {
                let fragment = *operator == Some('#');
                variables.iter().map(|variable| (fragment, variable.clone())).collect()
            }
            Part::Literal(_) => Vec::new(),
        });
        each.collect::<Vec<_>>()
    };
    let (before, after) = (listed(old), listed(new));
    // The name of a query variable is written into the URI.
    if !before.iter().all(|variable| after.contains(variable)) {
        return Step::Refused;
    }
    let kept = after.iter().filter(|variable| before.contains(variable));
    match (kept.eq(before.iter()), before.len() == after.len()) {
        (false, _) => Step::Unclear,
        (true, true) => Step::Same,
        (true, false) => Step::Widened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_compared_by_their_structure() {
        for (old, new, rule, severity) in [
            ("note://{id}", "note://{id}{?rev}", "template-widened", Severity::Compatible),
            ("note://{id}{?a}", "note://{id}{?a,b}", "template-widened", Severity::Compatible),
            ("note://{id}?x=1", "note://{id}?x=1{&y}", "template-widened", Severity::Compatible),
            ("note://{id}", "note://{id}{#part}", "template-widened", Severity::Compatible),
            ("note://{id}{?rev}", "note://{id}", "template-changed", Severity::Breaking),
            ("note://{id}{?rev}", "note://{id}{?revision}", "template-changed", Severity::Breaking),
            ("note://{id}{?a,b}", "note://{id}{?b,a}", "template-changed", Severity::Risky),
            ("note://{id}", "note://v2/{id}", "template-changed", Severity::Breaking),
            ("note://{id}", "note://{noteId}", "template-variable-renamed", Severity::Risky),
            ("note://{id}", "note://{noteId}{?rev}", "template-variable-renamed", Severity::Risky),
            ("note://{id}", "note://{user}/{id}", "template-changed", Severity::Breaking),
            ("note://{id}", "note://{+id}", "template-changed", Severity::Risky),
            ("note://{+id}", "note://{id}", "template-changed", Severity::Breaking),
            ("note://{id}", "note://{id:3}", "template-changed", Severity::Breaking),
            ("note://{id}", "note://{id*}", "template-changed", Severity::Risky),
            ("note://{id", "note://{name", "template-changed", Severity::Breaking),
            ("note://all{/id}", "note://all/{id}", "template-changed", Severity::Risky),
            ("note://all/{id}", "note://all{/id}", "template-changed", Severity::Risky),
            ("note://all{/id}", "note://all/{noteId}{?rev}", "template-changed", Severity::Risky),
            ("note://{a,b}", "note://{a},{b}", "template-changed", Severity::Risky),
            ("note://x{.type}", "note://x.{type}", "template-changed", Severity::Risky),
            ("note://x;v={v}", "note://x{;v}", "template-changed", Severity::Risky),
            ("note://x?v={v}", "note://x{?v}", "template-changed", Severity::Risky),
            ("note://x?v={v}", "note://x{?v,w}", "template-changed", Severity::Risky),
            ("note://x{?v}", "note://x?v={v}", "template-changed", Severity::Breaking),
            ("note://x{/a,b}", "note://x/{a}/{c}/{b}", "template-changed", Severity::Breaking),
            ("note://x{/path*}", "note://x/{path}", "template-changed", Severity::Breaking),
            ("note://x/{path}", "note://x{/path*}", "template-changed", Severity::Risky),
            ("note://x{/id}", "note://x/v2/{id}", "template-changed", Severity::Breaking),
        ] {
            let (found, how_bad, _) = verdict(&parse(old), &parse(new));
            assert_eq!((found.id, how_bad), (rule, severity), "{old} -> {new}");
        }
    }
}
