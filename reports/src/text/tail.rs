//! The end of the text report: what stayed unproven, what a baseline did, and what to do next.

use super::page::{Look, Page, wrap};
use crate::baseline::Entry;
use crate::context::{Detail, RenderContext};
use crate::undecided::{Undecided, undecided};
use crate::words;
use checks::{Ran, Report, Verdict};
use std::collections::BTreeSet;
use std::time::Duration;

const UNDECIDED: &str = "could not be decided, so neither passed nor broken";

/// Tells why checks could not be decided, a reason at a time; only the verbose report names each check.
pub(super) fn unproven(page: &mut Page, report: &Report, ctx: &RenderContext) {
    if ctx.detail == Detail::Verbose {
        return each_unproven(page, report);
    }
    let reasons = undecided(report);
    if reasons.is_empty() {
        return;
    }
    page.blank();
    let ids: BTreeSet<_> = reasons.iter().flat_map(|reason| &reason.checks).collect();
    let more = if reasons.iter().any(Undecided::is_cut) { "; --verbose names all" } else { "" };
    let count = words::plural(ids.len(), "check");
    heading(page, Look::Bold, "UNPROVEN", &format!("{UNDECIDED} ({count}{more})"));
    for reason in &reasons {
        page.field(&words::plural(reason.checks.len(), "check"), Look::Plain, reason.why);
        page.field("", Look::Dim, &format!("{} in {}", reason.names(), reason.revision_list()));
    }
}

fn each_unproven(page: &mut Page, report: &Report) {
    let why = |verdict: &Verdict| if let Verdict::Unproven(why) = verdict { Some(why.clone()) } else { None };
    list(page, report, "UNPROVEN", UNDECIDED, why);
}

/// Writes a title and, as far as it needs, more lines of what it stands for.
fn heading(page: &mut Page, look: Look, title: &str, what: &str) {
    let width = page.width().saturating_sub(title.len() + 2);
    for (idx, line) in wrap(what, width).iter().enumerate() {
        let lead = if idx == 0 { page.paint(look, title) } else { " ".repeat(title.len()) };
        page.line(&format!("{lead}  {line}"));
    }
}

/// Lists the checks that do not apply to this server.
pub(super) fn not_applicable(page: &mut Page, report: &Report) {
    let why = |verdict: &Verdict| match verdict {
        Verdict::NotApplicable(why) => Some(why.clone()),
        _ => None,
    };
    list(page, report, "NOT APPLICABLE", "nothing here to try them on", why);
}

fn list(page: &mut Page, report: &Report, title: &str, what: &str, why: impl Fn(&Verdict) -> Option<String>) {
    let mut rows: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for revision in &report.revisions {
        for result in &revision.results {
            let Some(why) = why(&result.verdict) else { continue };
            let date = revision.revision.as_str();
            match rows.iter_mut().find(|(id, reason, _)| *id == result.id && *reason == why) {
                Some((_, _, dates)) => dates.push(date),
                None => rows.push((result.id, why, vec![date])),
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    page.blank();
    heading(page, Look::Bold, title, &format!("{what} ({})", words::plural(rows.len(), "check")));
    for (id, why, dates) in rows {
        page.line(&format!("  {id}"));
        page.paragraph(6, Look::Plain, &why);
        page.paragraph(6, Look::Dim, &dates.join(", "));
    }
}

/// Lists the checks that passed somewhere, with the time they took in all.
pub(super) fn passed(page: &mut Page, report: &Report) {
    let mut rows: Vec<(&str, Duration, usize)> = Vec::new();
    for result in report.revisions.iter().flat_map(|revision| &revision.results) {
        if result.verdict != Verdict::Pass {
            continue;
        }
        match rows.iter_mut().find(|(id, _, _)| *id == result.id) {
            Some((_, took, n)) => (*took, *n) = (*took + result.took, *n + 1),
            None => rows.push((result.id, result.took, 1)),
        }
    }
    if rows.is_empty() {
        return;
    }
    page.blank();
    let title = page.paint(Look::Bold, "PASSED");
    page.line(&format!("{title}  {}, with their times", words::plural(rows.len(), "check")));
    for (id, took, n) in rows {
        page.line(&format!("  {id:44} {:>8}  in {}", words::time(took), words::plural(n, "revision")));
    }
}

/// Lists what the baselines accept.
pub(super) fn accepted(page: &mut Page, ctx: &RenderContext) {
    entries(page, ("ACCEPTED", Look::Bold, "by a baseline"), &ctx.baseline.accepted);
}

/// Lists the entries that have become untrue, or that somebody should look at for another reason.
pub(super) fn untrue(page: &mut Page, ctx: &RenderContext) {
    let title = ("EXPIRED", Look::Yellow, "in a baseline; the findings count again");
    entries(page, title, &ctx.baseline.expired);
    let title = ("REPEATED", Look::Yellow, "in a baseline: an entry before it says the same, so remove one");
    entries(page, title, &ctx.baseline.repeated);
    let title = ("STALE", Look::Red, "in a baseline: the check passes now, so remove the entry");
    entries(page, title, &ctx.baseline.stale);
}

fn entries(page: &mut Page, (title, look, what): (&str, Look, &str), entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    page.blank();
    heading(page, look, title, what);
    for entry in entries {
        let until = entry.until.as_deref().map_or(String::new(), |day| format!(", until {day}"));
        page.line(&format!("  {}  {}:{}{until}", entry.check, crate::plain(&entry.file), entry.line));
        page.paragraph(6, Look::Plain, &entry.reason);
        let dates: Vec<_> = entry.revisions.iter().map(|revision| revision.as_str()).collect();
        if !dates.is_empty() {
            page.paragraph(6, Look::Dim, &dates.join(", "));
        }
    }
}

/// Says what a reader may do next.
pub(super) fn advice(page: &mut Page, report: &Report, ctx: &RenderContext, faults: usize) {
    let mut lines = Vec::new();
    if faults > 0 {
        lines.extend(wrap("What a check demands and why: mcpproof explain ID", page.width()));
    } else if matches!(report.ran, Ran::CutShort(_)) {
        lines.push(crate::plain(&format!("To give it longer: {}", ctx.invocation.again_longer())));
    }
    if report.ran != Ran::Complete || faults > 0 {
        lines.extend(ctx.invocation.note().iter().flat_map(|note| wrap(&crate::plain(note), page.width())));
    }
    if !lines.is_empty() {
        page.blank();
    }
    for line in lines {
        page.line(&page.paint(Look::Dim, &line));
    }
}
