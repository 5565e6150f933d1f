//! The report of drift for comments and job summaries: worst first, folded, and never longer than a comment may be.

use super::context::DriftContext;
use super::spell::{clip, thousands, value};
use super::sums::{facts, headline, lead, touches};
use super::witness::{Renames, told};
use super::worddiff::{self, Part};
use crate::markdown::{LIMIT, code, escape, fence};
use serde_json::Value;
use std::fmt::Write as _;
use surface::policy::{Judged, Judgement};
use surface::{Area, Level, Severity};

/// So many failing changes are unfolded.
const OPEN: usize = 3;

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
    let mut out = format!("{}.\n\n", escape(&headline(judgement, ctx)));
    if judgement.judged.is_empty() {
        return out;
    }
    _ = writeln!(out, "{}\n", escape(&facts(judgement, ctx).join("; ")));
    let mut used = out.chars().count();
    let shown: Vec<_> = judgement.judged.iter().filter(|judged| judged.counts(Level::Info)).collect();
    let (loud, notes): (Vec<&Judged>, Vec<_>) = shown.iter().partition(|judged| judged.level > Level::Info);
    let renames = Renames::of(judgement);
    let blocks = loud.iter().enumerate().map(|(idx, judged)| block(judged, idx < OPEN, &renames, ctx));
    let head = "Asks for nothing:\n\n| rule | where | what |\n|---|---|---|\n";
    let rows = notes
        .iter()
        .enumerate()
        .map(|(idx, judged)| format!("{}{}", if idx == 0 { head } else { "" }, row(judged)));
    for (idx, block) in blocks.chain(rows).enumerate() {
        let length = block.chars().count();
        if used + length > limit.saturating_sub(RESERVE) {
            _ = writeln!(out, "\n{}", left_out(shown.len() - idx, ctx));
            return out;
        }
        used += length;
        out.push_str(&block);
    }
    if !ctx.reproduce.is_empty() {
        _ = writeln!(out, "\nTo see it again: {}", code(&clip(&ctx.reproduce, 120)));
    }
    out
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

fn block(judged: &Judged, may_open: bool, renames: &Renames<'_>, ctx: &DriftContext) -> String {
    let change = &judged.change;
    let is_setting = change.rule.area == Area::Gate;
    let open = if may_open && ctx.fails(judged) { " open" } else { "" };
    let mut out = format!(
        "<details{open}><summary><b>{}</b> <code>{}</code>: {}</summary>\n\n",
        lead(judged),
        change.rule.id,
        escape(&clip(&change.message, 400))
    );
    let mut item = |label: &str, text: &str| _ = writeln!(out, "- {label}: {text}");
    let place = ctx.place(judged).filter(|_| !is_setting);
    let place = place.map_or(String::new(), |(file, line)| format!(" ({}:{line})", escape(&clip(file, 100))));
    item("where", &format!("{}{place}", code(&clip(&change.path, 300))));
    if !is_setting {
        item(if change.severity == Severity::Breaking { "breaks" } else { "concerns" }, touches(judged));
    }
    if !change.revisions.is_empty() {
        item("revisions", &escape(&clip(&change.revisions.join(", "), 200)));
    }
    match (&change.before, &change.after) {
        (Some(Value::String(old)), Some(Value::String(new))) => item("words", &words(old, new)),
        (None, None) => {}
        (before, after) => {
            let show =
                |it: &Option<Value>| it.as_ref().map_or("nothing".to_owned(), |it| code(&value(it, 300)));
            item("before", &show(before));
            item("after", &show(after));
        }
    }
    item("why", &escape(change.rule.explain));
    item("fix", &escape(change.rule.fix));
    if !is_setting {
        item("to accept it", &format!("fingerprint <code>{}</code>", judged.fingerprint));
    }
    if let Some(told) = told(change, renames) {
        _ = write!(out, "\n{}:\n\n{}", told.sentence, fence(&clip(&told.text, 1_500)));
    }
    out.push_str("\n</details>\n\n");
    out
}

/// Marks the words that went and came. A text that is there in both and differs in white space only has none.
fn words(old: &str, new: &str) -> String {
    let mut left = 1_200_usize;
    let mut shown = Vec::new();
    let parts = worddiff::diff(old, new);
    if worddiff::is_same(&parts) {
        return "the same but for white space".to_owned();
    }
    for part in &parts {
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

fn row(judged: &Judged) -> String {
    let change = &judged.change;
    format!(
        "| <code>{}</code> | {} | {} |\n",
        change.rule.id,
        code(&clip(&change.path, 200)),
        escape(&clip(&change.message, 300))
    )
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
        assert!(text.contains("more changes are left out"), "{text}");
        let shown = text.matches("<details").count();
        assert!(shown > 3 && text.contains(&format!("**{} more", thousands(1_200 - shown))));
    }

    #[test]
    fn texts_that_differ_in_white_space_only_say_so() {
        assert_eq!(words("a\nb", "a b"), "the same but for white space");
        assert_eq!(words("a b", "a <c>"), "a <del>b</del> <ins>&#60;c&#62;</ins>");
    }
}
