//! The report of drift for comments and job summaries: worst first, folded, and never longer than a comment may be.

use super::context::DriftContext;
use super::groups::{Group, groups};
use super::items::Item;
use super::spell::{clip, thousands};
use super::summary::summary;
use super::sums::{concern, facts, headline, lead, nothing, revisions, sentences, variant};
use super::values::{Shown, message, shown};
use super::witness::{self, Renames, told};
use super::worddiff::Part;
use crate::markdown::{LIMIT, code, escape, fence};
use std::fmt::Write as _;
use surface::policy::Judgement;
use surface::{Area, Change, Level};

/// So many failing groups are unfolded.
const OPEN: usize = 3;

/// Longest line of the summary.
const SUMMARY: usize = 160;

/// Longest value that is shown as it was and as it is.
const VALUE: usize = 300;

/// What is kept free for the line that says how many changes are left out.
const RESERVE: usize = 1_000;

/// Renders `judgement` as Markdown.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    let title = format!("## mcpproof drift: {}\n\n", judgement.verdict().word());
    let body = body(judgement, ctx, LIMIT - title.chars().count());
    title + &body
}

/// Writes what stands below a title, in at most `limit` characters.
pub(crate) fn body(judgement: &Judgement, ctx: &DriftContext, limit: usize) -> String {
    if judgement.judged.is_empty() {
        return format!("{}.\n\n", escape(&nothing(ctx)));
    }
    let mut out = format!("**{}**\n\n", escape(&headline(judgement, ctx)));
    let groups = groups(judgement.judged.iter().filter(|judged| judged.counts(Level::Info)));
    for line in summary(&groups, SUMMARY) {
        _ = writeln!(out, "- <b>{}</b> {}", line.lead, escape(&line.text));
    }
    let facts = facts(judgement, ctx).into_iter().map(|(label, text)| format!("{label}: {}", escape(&text)));
    _ = writeln!(out, "\n{}\n", facts.collect::<Vec<_>>().join("<br>"));
    let room = limit.saturating_sub(RESERVE);
    let left = details(&mut out, &groups, &Renames::of(judgement), ctx, room);
    if left > 0 {
        _ = writeln!(out, "\n{}", left_out(left, ctx));
    } else if !ctx.reproduce.is_empty() {
        _ = writeln!(out, "\nTo see it again: {}", code(&clip(&ctx.reproduce, 120)));
    }
    out
}

/// Writes what `groups` hold until `room` is used up, and says how many changes are left then.
fn details(
    out: &mut String,
    groups: &[Group<'_>],
    renames: &Renames<'_>,
    ctx: &DriftContext,
    room: usize,
) -> usize {
    let mut used = out.chars().count();
    let mut opened = 0;
    for (idx, group) in groups.iter().enumerate() {
        let is_note = group.first().level <= Level::Info;
        let is_first = is_note && (idx == 0 || groups[idx - 1].first().level > Level::Info);
        let may_open = opened < OPEN;
        // Fewer places are better than none.
        let most = group.shown(ctx).0.len();
        let mut tries = [most, most.min(3), 1].into_iter().map(|places| {
            if is_note {
                rows(group, places, is_first, ctx)
            } else {
                block(group, places, may_open, renames, ctx)
            }
        });
        let fit = tries.find_map(|text| {
            let length = text.chars().count();
            (used + length <= room).then_some((text, length))
        });
        let Some((text, length)) = fit else {
            return groups[idx..].iter().map(|group| group.changes.len()).sum();
        };
        (used, opened) = (used + length, opened + 1);
        out.push_str(&text);
    }
    0
}

fn left_out(n: usize, ctx: &DriftContext) -> String {
    let what =
        if n == 1 { "1 more change is".to_owned() } else { format!("{} more changes are", thousands(n)) };
    let how = if ctx.reproduce.is_empty() {
        String::new()
    } else {
        format!(" To see all of them: {}", code(&clip(&ctx.reproduce, 120)))
    };
    format!("**{what} left out here because a comment holds no more.**{how}")
}

/// Writes `group` with so many of its places.
fn block(
    group: &Group<'_>,
    places: usize,
    may_open: bool,
    renames: &Renames<'_>,
    ctx: &DriftContext,
) -> String {
    let first = group.first();
    let change = &first.change;
    let is_setting = change.rule.area == Area::Gate;
    let is_single = group.changes.len() == 1;
    let open = if may_open && ctx.fails(first) { " open" } else { "" };
    let many = format!("{} places", thousands(group.changes.len()));
    let shares = group.shares(message);
    let title = match (is_single, shares) {
        (true, _) => escape(&clip(message(change), 400)),
        (_, true) => format!("{many}: {}", escape(&clip(message(change), 400))),
        _ => many,
    };
    let mut out = format!(
        "<details{open}><summary><b>{}</b> <code>{}</code>: {title}</summary>\n\n",
        lead(first),
        change.rule.id
    );
    let shown = &group.changes[..places];
    let shares_values = group.shares(|change| (&change.before, &change.after));
    let mark = if is_single { OUTER } else { INNER };
    let told = Told { message: !is_single && !shares, values: !shares_values, mark };
    shown.iter().for_each(|found| place(&mut out, found, &told, ctx));
    if places < group.changes.len() {
        _ = writeln!(out, "- and {} more", thousands(group.changes.len() - places));
    }
    if shares_values {
        values(&mut out, OUTER, change);
    }
    if !is_setting {
        let (label, text) = concern(first);
        item(&mut out, OUTER, label, &escape(&text));
    }
    item(&mut out, OUTER, "why", &escape(change.rule.explain));
    item(&mut out, OUTER, "fix", &escape(change.rule.fix));
    witnesses(&mut out, shown, renames);
    out.push_str("\n</details>\n\n");
    out
}

/// What is told of each place, since it is not the same in all.
struct Told {
    message: bool,
    values: bool,
    mark: &'static str,
}

/// The beginning of what is told of a group, or of its only place.
const OUTER: &str = "- ";

/// The beginning of what is told of a place among others.
const INNER: &str = "  - ";

fn item(out: &mut String, mark: &str, label: &str, text: &str) {
    _ = writeln!(out, "{mark}{label}: {text}");
}

fn place(out: &mut String, found: &Item<'_>, told: &Told, ctx: &DriftContext) {
    let first = found.first();
    let change = &first.change;
    let is_one = found.variants.len() == 1;
    let mut text = code(&clip(&change.path, 300));
    if change.rule.area != Area::Gate {
        if let Some((file, line)) = ctx.place(first) {
            _ = write!(text, " ({}:{line})", escape(&clip(file, 100)));
        }
        if is_one {
            _ = write!(text, ", fingerprint <code>{}</code>", first.fingerprint);
        }
    }
    item(out, OUTER, "where", &text);
    if !is_one {
        return variants(out, found, told);
    }
    if told.message {
        item(out, told.mark, "what", &escape(&clip(message(change), 300)));
    }
    if told.values {
        values(out, told.mark, change);
    }
    if let Some(revisions) = revisions(change, ctx) {
        item(out, told.mark, "revisions", &escape(&revisions));
    }
}

/// Writes what a change is in each revision.
fn variants(out: &mut String, found: &Item<'_>, told: &Told) {
    let agree = found.agrees(message);
    let agree_on_values = found.agrees(|change| (&change.before, &change.after));
    let change = &found.first().change;
    if agree && told.message {
        item(out, told.mark, "what", &escape(&clip(message(change), 300)));
    }
    if agree_on_values && told.values {
        values(out, told.mark, change);
    }
    let inner = format!("  {}", told.mark);
    for judged in &found.variants {
        let revisions = escape(&variant(found, judged));
        let text = format!("{revisions}, fingerprint <code>{}</code>", judged.fingerprint);
        item(out, told.mark, "in", &text);
        if !agree {
            item(out, &inner, "what", &escape(&clip(message(&judged.change), 300)));
        }
        if !agree_on_values && told.values {
            values(out, &inner, &judged.change);
        }
    }
}

fn values(out: &mut String, mark: &str, change: &Change) {
    match shown(change, VALUE) {
        Shown::Nothing => {}
        Shown::Layout => item(out, mark, "words", "the same but for white space"),
        Shown::Words(parts) => item(out, mark, "words", &words(&parts)),
        Shown::Values(before, after) => {
            for (label, text) in [("before", before), ("after", after)] {
                text.iter().for_each(|text| item(out, mark, label, &code(text)));
            }
        }
    }
}

/// Writes the proofs of `shown`, a line each, by what they show.
fn witnesses(out: &mut String, shown: &[Item<'_>], renames: &Renames<'_>) {
    let mut by_meaning: Vec<(witness::Told, Vec<String>)> = Vec::new();
    let variants = shown.iter().flat_map(|item| &item.variants);
    for told in variants.filter_map(|judged| told(&judged.change, renames)) {
        let text = clip(&told.text, if shown.len() == 1 { 1_500 } else { 500 });
        match by_meaning.iter_mut().find(|(first, _)| first.label == told.label) {
            // One call may prove the change in several revisions.
            Some((_, texts)) if texts.last() == Some(&text) => {}
            Some((_, texts)) => texts.push(text),
            None => by_meaning.push((told, vec![text])),
        }
    }
    for (told, texts) in by_meaning {
        let sentence = if texts.len() == 1 { told.sentence } else { told.sentences };
        _ = write!(out, "\n{sentence}:\n\n{}", fence(&texts.join("\n")));
    }
}

/// Marks the words that went and came.
fn words(parts: &[Part]) -> String {
    let mut left = 1_200_usize;
    let mut shown = Vec::new();
    for part in parts {
        let (Part::Same(text) | Part::Gone(text) | Part::Come(text)) = part;
        let text = escape(&clip(text, left.min(400)));
        left = left.saturating_sub(text.chars().count());
        shown.push(match part {
            Part::Same(_) => text,
            Part::Gone(_) => format!("<del>{text}</del>"),
            Part::Come(_) => format!("<ins>{text}</ins>"),
        });
        if left == 0 {
            shown.push("…".to_owned());
            break;
        }
    }
    shown.join(" ")
}

/// Writes what asks for nothing as rows of a table, with so many of its places.
fn rows(group: &Group<'_>, places: usize, is_first: bool, ctx: &DriftContext) -> String {
    let mut out = String::new();
    if is_first {
        out.push_str("Asks for nothing:\n\n| rule | where | what |\n|---|---|---|\n");
    }
    let id = group.first().change.rule.id;
    for found in &group.changes[..places] {
        let path = code(&clip(&found.first().change.path, 200));
        let message = escape(&sentences(found, 300, ctx).join("; "));
        _ = writeln!(out, "| <code>{id}</code> | {path} | {message} |");
    }
    if places < group.changes.len() {
        _ = writeln!(out, "| <code>{id}</code> | and {} more | |", thousands(group.changes.len() - places));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("drift_markdown_{name}"), render(&judgement, &ctx));
        }
    }

    #[test]
    fn words_of_a_server_are_neither_markup_nor_mentions() {
        let (judgement, ctx) = samples::hostile();
        let text = render(&judgement, &ctx);
        let prose: Vec<_> = text.split("```").step_by(2).collect();
        for banned in ["<img", "<script", "@everyone", "](", "://", "www.", "#1 ", "\u{200b}", "\x1b"] {
            assert!(!prose.iter().any(|part| part.contains(banned)), "{banned:?} in {prose:#?}");
        }
        assert!(!text.chars().any(|c| c != '\n' && crate::plain::is_hidden(c)));
    }

    #[test]
    fn a_long_report_ends_in_time_and_says_so() {
        let (judgement, ctx) = samples::flood(1_200);
        let text = render(&judgement, &ctx);
        assert!(text.chars().count() < 65_536, "{}", text.chars().count());
        let shown = text.matches("- where: ").count();
        assert!(shown > 2 && text.contains(&format!("- and {} more\n", thousands(1_200 - shown))), "{text}");
        let text = body(&judgement, &ctx, 4_000);
        assert!(text.chars().count() < 4_000 && text.contains("**1,200 more changes are left out"), "{text}");
    }

    #[test]
    fn what_is_the_same_everywhere_is_told_once() {
        let (judgement, ctx) = samples::many();
        let text = render(&judgement, &ctx);
        insta::assert_snapshot!("drift_markdown_many", text);
        for (part, times) in [
            ("<details", 2),
            ("12 places: &#96;tenant&#96; is new and required", 1),
            ("- why: ", 2),
            ("tools/call ", 10),
            ("- and 2 more\n", 1),
            ("These calls used to work", 1),
        ] {
            assert_eq!(text.matches(part).count(), times, "{part} in {text}");
        }
    }

    #[test]
    fn words_that_went_and_came_are_marked() {
        let parts = super::super::worddiff::diff("a b", "a <c>");
        assert_eq!(words(&parts), "a <del>b</del> <ins>&#60;c&#62;</ins>");
    }
}
