//! The report of drift for people: the verdict first, then what to do, worst first.

use super::block::{LONG, MESSAGE, block, left_out};
use super::context::DriftContext;
use super::groups::{Group, groups};
use super::items::{Item, items};
use super::spell::{clip, spell, thousands};
use super::summary::summary;
use super::sums::{facts, headline, lead, nothing, sentences};
use super::witness::Renames;
use crate::Detail;
use crate::invocation::note as note_on;
use crate::text::page::{INDENT, Look, Page};
use std::collections::BTreeSet;
use surface::policy::{Judged, Judgement};
use surface::{Area, Level, Severity};

/// Renders `judgement` as text.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    let mut page = Page::new(ctx.width, ctx.color);
    write(&mut page, judgement, ctx);
    page.into_text()
}

/// Writes `judgement` to a page that may hold more.
pub(crate) fn write(page: &mut Page, judgement: &Judgement, ctx: &DriftContext) {
    if judgement.judged.is_empty() {
        return page.line(&page.paint(Look::Green, &nothing(ctx)));
    }
    page.paragraph(0, look_of_verdict(judgement, ctx), &headline(judgement, ctx));
    if ctx.detail == Detail::Quiet {
        let open = items(judgement.judged.iter().filter(|judged| judged.counts(Level::Warn)));
        return open.iter().for_each(|item| line(page, item, ctx));
    }
    let least = if ctx.detail == Detail::Verbose { Level::Hidden } else { Level::Info };
    let groups = groups(judgement.judged.iter().filter(|judged| judged.counts(least)));
    worst(page, &groups, ctx);
    for (label, text) in facts(judgement, ctx) {
        page.field(label, Look::Dim, &text);
    }
    let renames = Renames::of(judgement);
    for level in [Level::Error, Level::Warn, Level::Info, Level::Hidden] {
        of_level(page, level, &groups, &renames, ctx);
    }
    accepted(page, judgement, ctx);
    tail(page, judgement, ctx);
}

fn look_of_verdict(judgement: &Judgement, ctx: &DriftContext) -> Look {
    if ctx.gate_fails(judgement) {
        Look::Red
    } else if judgement.verdict() >= Severity::Risky {
        Look::Yellow
    } else {
        Look::Green
    }
}

/// The colour of a change.
pub(crate) fn look(judged: &Judged, ctx: &DriftContext) -> Look {
    match judged.level {
        _ if ctx.fails(judged) => Look::Red,
        Level::Error | Level::Warn => Look::Yellow,
        Level::Info => Look::Bold,
        Level::Hidden => Look::Dim,
    }
}

/// Writes each sentence of the change as one line that tools may search.
fn line(page: &mut Page, item: &Item<'_>, ctx: &DriftContext) {
    let judged = item.first();
    let (lead, id, path) = (lead(judged), judged.change.rule.id, spell(&judged.change.path));
    for text in sentences(item, MESSAGE, ctx) {
        page.line(&format!("{lead} {id} {path}: {text}"));
    }
}

/// Writes what is worst by name, a line per rule.
fn worst(page: &mut Page, groups: &[Group<'_>], ctx: &DriftContext) {
    for line in summary(groups, page.width().saturating_sub(INDENT)) {
        let lead = format!("{:1$}", line.lead, INDENT - 2);
        let lead = page.paint(line.worst.map_or(Look::Dim, |worst| look(worst, ctx)), &lead);
        page.line(&format!("  {lead}{}", line.text));
    }
}

fn of_level(page: &mut Page, level: Level, groups: &[Group<'_>], renames: &Renames<'_>, ctx: &DriftContext) {
    let groups: Vec<_> = groups.iter().filter(|group| group.first().level == level).collect();
    let Some(first) = groups.first() else { return };
    let title = match level {
        Level::Error => "ERRORS",
        Level::Warn => "WARNINGS",
        Level::Info => "NOTES",
        Level::Hidden => "WITHOUT EFFECT",
    };
    page.blank();
    let title = page.paint(look(first.first(), ctx), title);
    let fails = if ctx.fails(first.first()) { "; fails the gate" } else { "" };
    let count = groups.iter().map(|group| group.changes.len()).sum();
    page.line(&format!("{title}  {}{fails}", changes(count)));
    for group in groups {
        if level <= Level::Info && ctx.detail != Detail::Verbose {
            brief(page, group, ctx);
        } else {
            page.blank();
            block(page, group, renames, ctx);
        }
    }
}

fn changes(n: usize) -> String {
    if n == 1 { "1 change".to_owned() } else { format!("{} changes", thousands(n)) }
}

/// Writes what asks for nothing in a line or two.
fn brief(page: &mut Page, group: &Group<'_>, ctx: &DriftContext) {
    let id = group.first().change.rule.id;
    let (shown, more) = group.shown(ctx);
    if let [item] = shown {
        return note(page, item, ctx);
    }
    page.line(&format!("  {id}  {} places", thousands(group.changes.len())));
    for item in shown {
        let (path, told) = (clip(&item.first().change.path, 300), sentences(item, MESSAGE, ctx));
        page.paragraph(6, Look::Plain, &format!("{path}  {}", told.join("; ")));
    }
    left_out(page, more);
}

fn note(page: &mut Page, item: &Item<'_>, ctx: &DriftContext) {
    let change = &item.first().change;
    page.paragraph(2, Look::Plain, &format!("{}  {}", change.rule.id, clip(&change.path, 300)));
    for text in sentences(item, MESSAGE, ctx) {
        page.paragraph(6, Look::Plain, &text);
    }
}

fn accepted(page: &mut Page, judgement: &Judgement, ctx: &DriftContext) {
    let accepted = items(judgement.judged.iter().filter(|judged| judged.accepted.is_some()));
    if accepted.is_empty() || ctx.detail != Detail::Verbose {
        return;
    }
    page.blank();
    let title = page.paint(Look::Bold, "ACCEPTED");
    page.line(&format!("{title}  {}", changes(accepted.len())));
    for item in &accepted {
        note(page, item, ctx);
        let reasons: BTreeSet<_> =
            item.variants.iter().filter_map(|judged| judged.accepted.as_deref()).collect();
        for reason in reasons {
            page.paragraph(6, Look::Dim, &format!("accepted because: {}", clip(reason, LONG)));
        }
    }
}

/// Says what is not shown, and what a reader may do next.
fn tail(page: &mut Page, judgement: &Judgement, ctx: &DriftContext) {
    let is_accepted = |judged: &&Judged| judged.accepted.is_some();
    let hidden =
        judgement.judged.iter().filter(|judged| judged.accepted.is_none() && judged.level == Level::Hidden);
    let (accepted, hidden) = (items(judgement.judged.iter().filter(is_accepted)).len(), items(hidden).len());
    page.blank();
    if accepted + hidden > 0 && ctx.detail != Detail::Verbose {
        let counts = [(accepted, "accepted"), (hidden, "without effect")];
        let parts =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", thousands(*n)));
        let parts = parts.collect::<Vec<_>>().join(", ");
        page.paragraph(0, Look::Dim, &format!("Not shown: {parts}; --verbose shows them."));
    }
    if judgement
        .judged
        .iter()
        .any(|judged| judged.counts(Level::Warn) && judged.change.rule.area != Area::Gate)
        && (ctx.fail_on.is_some() || ctx.accept.is_some())
    {
        let advice = "Meant so? Accept one change with an [[allow]] entry in mcpproof.toml that holds its rule, its fingerprint and a reason. What a rule detects and why: mcpproof explain RULE";
        page.paragraph(0, Look::Dim, advice);
        if let Some(accept) = &ctx.accept {
            page.whole("accept all", &spell(accept));
        }
    }
    if !ctx.reproduce.is_empty() {
        page.whole("reproduce", &spell(&ctx.reproduce));
    }
    if let Some(note) = note_on(&ctx.hidden) {
        page.paragraph(0, Look::Dim, &crate::plain(&note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("drift_text_{name}"), render(&judgement, &ctx));
        }
    }

    #[test]
    fn quiet_and_verbose_tell_less_and_more() {
        let (judgement, ctx) = samples::hostile();
        let with = |detail| render(&judgement, &DriftContext { detail, ..ctx.clone() });
        insta::assert_snapshot!("drift_text_quiet", with(Detail::Quiet));
        insta::assert_snapshot!("drift_text_verbose", with(Detail::Verbose));
    }

    #[test]
    fn lines_fit_eighty_columns_unless_they_are_to_be_copied() {
        for (name, (judgement, ctx)) in samples::all() {
            for line in render(&judgement, &ctx).lines() {
                let may_overflow = line.contains("://") || line.contains("mcpproof ");
                assert!(may_overflow || line.chars().count() <= 80, "{name}: {line}");
            }
        }
    }

    #[test]
    fn what_is_the_same_everywhere_is_told_once() {
        let (judgement, ctx) = samples::many();
        let text = render(&judgement, &ctx);
        insta::assert_snapshot!("drift_text_many", text);
        for (part, times) in [
            ("input-required-added  12 places", 1),
            ("`tenant` is new and required", 1),
            ("  why  ", 2),
            ("  worked  ", 10),
            ("fingerprint=", 10 + 2),
            ("and 2 more places; --verbose shows them", 1),
        ] {
            assert_eq!(text.matches(part).count(), times, "{part} in {text}");
        }
        let verbose = render(&judgement, &DriftContext { detail: Detail::Verbose, ..ctx });
        assert_eq!(verbose.matches("  worked  ").count(), 12);
    }

    #[test]
    fn the_first_ten_lines_tell_verdict_counts_and_names() {
        let (judgement, ctx) = samples::many();
        let text = render(&judgement, &ctx);
        let first: Vec<_> = text.lines().take(10).collect();
        let first = first.join("\n");
        for part in [
            "breaking: 12 breaking, 2 risky changes",
            "tenant in tool-0, tool-1",
            "descriptions changed: search",
        ] {
            assert!(first.contains(part), "{part} in {first}");
        }
    }

    #[test]
    fn no_change_is_one_line() {
        let (judgement, ctx) = samples::same();
        assert_eq!(render(&judgement, &ctx).lines().count(), 1);
    }

    #[test]
    fn bytes_of_a_server_reach_no_terminal() {
        for (name, (judgement, ctx)) in samples::all() {
            let text = render(&judgement, &DriftContext { detail: Detail::Verbose, ..ctx });
            assert!(!text.chars().any(|c| c != '\n' && crate::plain::is_hidden(c)), "{name}");
            assert!(text.len() < 20_000, "{name} has {} bytes", text.len());
        }
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let (judgement, ctx) = samples::hostile();
        let colored = render(&judgement, &DriftContext { color: true, ..ctx.clone() });
        let mut bare = String::new();
        for (idx, part) in colored.split('\x1b').enumerate() {
            bare.push_str(if idx == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
        }
        let trimmed: Vec<_> = bare.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, render(&judgement, &ctx).lines().collect::<Vec<_>>());
    }
}
