//! The report of drift for people: the verdict first, then what to do, worst first.

use super::context::DriftContext;
use super::spell::{clip, spell, thousands, value};
use super::sums::{facts, headline, lead, nothing, touches};
use super::witness::{Renames, told};
use super::worddiff;
use crate::Detail;
use crate::text::page::{Look, Page};
use crate::words::plural;
use serde_json::Value;
use surface::policy::{Judged, Judgement};
use surface::{Area, Level, Severity};

/// Longest witness and reason that is shown; what is longer is in the JSON.
const LONG: usize = 1_000;

/// Longest message that is shown.
const MESSAGE: usize = 400;

/// Longest value that is shown as it was and as it is.
const SHORT: usize = 160;

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
        let open = judgement.judged.iter().filter(|judged| judged.counts(Level::Warn));
        return open.for_each(|judged| line(page, judged));
    }
    page.paragraph(0, Look::Dim, &facts(judgement, ctx).join("; "));
    let renames = Renames::of(judgement);
    for level in [Level::Error, Level::Warn, Level::Info, Level::Hidden] {
        if level > Level::Hidden || ctx.detail == Detail::Verbose {
            group(page, level, judgement, &renames, ctx);
        }
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
fn look(judged: &Judged, ctx: &DriftContext) -> Look {
    match judged.level {
        _ if ctx.fails(judged) => Look::Red,
        Level::Error | Level::Warn => Look::Yellow,
        Level::Info => Look::Bold,
        Level::Hidden => Look::Dim,
    }
}

/// Writes the change as one line that tools may search.
fn line(page: &mut Page, judged: &Judged) {
    let change = &judged.change;
    let text = format!(
        "{} {} {}: {}",
        lead(judged),
        change.rule.id,
        spell(&change.path),
        clip(&change.message, MESSAGE)
    );
    page.line(&text);
}

fn group(page: &mut Page, level: Level, judgement: &Judgement, renames: &Renames<'_>, ctx: &DriftContext) {
    let of_level = |judged: &&Judged| judged.level == level && judged.accepted.is_none();
    let group: Vec<_> = judgement.judged.iter().filter(of_level).collect();
    let Some(first) = group.first() else { return };
    let title = match level {
        Level::Error => "ERRORS",
        Level::Warn => "WARNINGS",
        Level::Info => "NOTES",
        Level::Hidden => "WITHOUT EFFECT",
    };
    page.blank();
    let title = page.paint(look(first, ctx), title);
    let fails = if ctx.fails(first) { "; fails the gate" } else { "" };
    page.line(&format!("{title}  {}{fails}", plural(group.len(), "change")));
    let is_brief = level <= Level::Info && ctx.detail != Detail::Verbose;
    for judged in group {
        if is_brief {
            brief(page, judged);
        } else {
            page.blank();
            block(page, judged, renames, ctx);
        }
    }
}

/// Writes what asks for nothing in two lines.
fn brief(page: &mut Page, judged: &Judged) {
    page.paragraph(2, Look::Plain, &format!("{}  {}", judged.change.rule.id, clip(&judged.change.path, 300)));
    page.paragraph(6, Look::Plain, &clip(&judged.change.message, MESSAGE));
}

fn block(page: &mut Page, judged: &Judged, renames: &Renames<'_>, ctx: &DriftContext) {
    let change = &judged.change;
    let id = page.paint(Look::Bold, change.rule.id);
    page.line(&format!("{}  {id}", page.paint(look(judged, ctx), &lead(judged).to_uppercase())));
    let place = ctx.place(judged).filter(|_| change.rule.area != Area::Gate);
    let place = place.map_or(String::new(), |(file, line)| format!(" ({}:{line})", spell(file)));
    page.field("where", Look::Plain, &format!("{}{place}", clip(&change.path, 300)));
    page.field("what", Look::Bold, &clip(&change.message, MESSAGE));
    before_and_after(page, judged);
    if let Some(told) = told(change, renames) {
        page.bytes(told.label, &clip(&told.text, LONG));
    }
    if change.rule.area != Area::Gate {
        let label = if change.severity == Severity::Breaking { "breaks" } else { "concerns" };
        page.field(label, Look::Plain, touches(judged));
    }
    page.field("why", Look::Plain, change.rule.explain);
    page.field("fix", Look::Plain, change.rule.fix);
    if !change.revisions.is_empty() {
        page.field("revisions", Look::Plain, &clip(&change.revisions.join(", "), 200));
    }
    if change.rule.area != Area::Gate {
        page.field("accept", Look::Dim, &format!("fingerprint {}", judged.fingerprint));
    }
}

fn before_and_after(page: &mut Page, judged: &Judged) {
    let (before, after) = (judged.change.before.as_ref(), judged.change.after.as_ref());
    let texts = matches!((before, after), (Some(Value::String(_)), Some(Value::String(_))));
    // A message with the words that went and came says it better.
    let is_told = texts && ["[-", "{+"].iter().any(|mark| judged.change.message.contains(mark));
    if is_told || (before.is_none() && after.is_none()) {
        return;
    }
    let spelled = |it: Option<&Value>| it.map(|it| value(it, LONG));
    let (old, new) = (spelled(before), spelled(after));
    let is_short = |it: &Option<String>| it.as_ref().is_none_or(|it| it.chars().count() <= SHORT);
    if is_short(&old) && is_short(&new) {
        for (label, text, it) in [("before", old, before), ("after", new, after)] {
            let text = text.as_deref().unwrap_or("(nothing)");
            if matches!(it, Some(Value::String(_))) {
                page.field(label, Look::Plain, text);
            } else {
                page.bytes(label, text);
            }
        }
    } else if let (Some(Value::String(old)), Some(Value::String(new))) = (before, after) {
        let parts = worddiff::diff(old, new);
        if worddiff::is_same(&parts) {
            return page.field("words", Look::Plain, "the same but for white space");
        }
        let parts = parts.into_iter().map(|part| match part {
            worddiff::Part::Same(words) => clip(&words, SHORT),
            worddiff::Part::Gone(words) => format!("[-{}-]", clip(&words, SHORT)),
            worddiff::Part::Come(words) => format!("{{+{}+}}", clip(&words, SHORT)),
        });
        page.field("words", Look::Plain, &clip(&parts.collect::<Vec<_>>().join(" "), LONG));
    }
}

fn accepted(page: &mut Page, judgement: &Judgement, ctx: &DriftContext) {
    let accepted: Vec<_> = judgement.judged.iter().filter(|judged| judged.accepted.is_some()).collect();
    if accepted.is_empty() || ctx.detail != Detail::Verbose {
        return;
    }
    page.blank();
    let title = page.paint(Look::Bold, "ACCEPTED");
    page.line(&format!("{title}  {}", plural(accepted.len(), "change")));
    for judged in accepted {
        brief(page, judged);
        let reason = clip(judged.accepted.as_deref().unwrap_or_default(), LONG);
        page.paragraph(6, Look::Dim, &format!("accepted because: {reason}"));
    }
}

/// Says what is not shown, and what a reader may do next.
fn tail(page: &mut Page, judgement: &Judgement, ctx: &DriftContext) {
    let is_accepted = |judged: &&Judged| judged.accepted.is_some();
    let hidden =
        judgement.judged.iter().filter(|judged| judged.accepted.is_none() && judged.level == Level::Hidden);
    let (accepted, hidden) = (judgement.judged.iter().filter(is_accepted).count(), hidden.count());
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
    fn texts_are_shown_whole_unless_the_message_has_their_difference() {
        let (mut judgement, ctx) = samples::hostile();
        judgement.judged.truncate(1);
        let change = &mut judgement.judged[0].change;
        (change.before, change.after) = (Some("one two".into()), Some("one three".into()));
        let whole = render(&judgement, &ctx);
        assert!(whole.contains("before     \"one two\"") && whole.contains("after      \"one three\""));
        judgement.judged[0].change.message = "it changed: one [-two-] {+three+}".into();
        assert!(!render(&judgement, &ctx).contains("before     "));
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
