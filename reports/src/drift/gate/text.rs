//! The gate for people: a line per server and part, then the reports of those that ask for attention.

use super::{GateContext, GateEntry, Outcome, headline, loud};
use crate::drift::DriftContext;
use crate::drift::spell::{clip, spell};
use crate::text::page::{Look, Page};
use crate::{Detail, RenderContext};

/// Renders the gate as text.
pub(super) fn render(entries: &[GateEntry<'_>], ctx: &GateContext) -> String {
    let mut page = Page::new(ctx.width, ctx.color);
    let worst = entries.iter().map(GateEntry::outcome).max().unwrap_or(Outcome::Error);
    page.paragraph(0, look(worst), &format!("gate {}", headline(entries)));
    for entry in entries {
        summary(&mut page, entry);
    }
    let mut out = page.into_text();
    let shown = match ctx.detail {
        Detail::Quiet => Vec::new(),
        Detail::Normal => loud(entries),
        Detail::Verbose => entries.iter().collect(),
    };
    for entry in shown {
        let (width, color, detail) = (ctx.width, ctx.color, ctx.detail);
        if let Some((report, its)) = entry.check {
            out.push_str(&title(entry, "check", ctx));
            let its = RenderContext { width, color, detail, ..its.clone() };
            out.push_str(&crate::text::render(report, &its));
        }
        if let Some((judgement, its)) = entry.drift {
            out.push_str(&title(entry, "drift", ctx));
            let its = DriftContext { width, color, detail, ..its.clone() };
            out.push_str(&crate::drift::text::render(judgement, &its));
        }
    }
    if !ctx.reproduce.is_empty() && ctx.detail != Detail::Quiet {
        let mut page = Page::new(ctx.width, ctx.color);
        page.whole("reproduce", &spell(&ctx.reproduce));
        out.push('\n');
        out.push_str(&page.into_text());
    }
    out
}

const fn look(outcome: Outcome) -> Look {
    match outcome {
        Outcome::Fail | Outcome::Error => Look::Red,
        Outcome::Warn => Look::Yellow,
        Outcome::Pass => Look::Green,
    }
}

fn summary(page: &mut Page, entry: &GateEntry<'_>) {
    let outcome = entry.outcome();
    let word = page.paint(look(outcome), &format!("{:5}", outcome.word().to_uppercase()));
    page.blank();
    page.line(&format!("{word}  {}", page.paint(Look::Bold, &clip(&entry.name, 60))));
    let parts =
        [("check", entry.check_words()), ("drift", entry.drift_words()), ("error", entry.error_words())];
    for (label, words) in parts {
        if let Some(words) = words {
            page.field(label, Look::Plain, &clip(&words, 1_000));
        }
    }
}

/// The line that parts the reports.
fn title(entry: &GateEntry<'_>, part: &str, ctx: &GateContext) -> String {
    let mut page = Page::new(ctx.width, ctx.color);
    let text = page.paint(Look::Bold, &format!("---- {}: {part} ----", clip(&entry.name, 60)));
    page.line(&text);
    format!("\n{}", page.into_text())
}
