//! The end of the text report: what stayed unproven, what a baseline did, and what to do next.

use super::page::{Look, Page};
use crate::baseline::Entry;
use crate::context::RenderContext;
use crate::words;
use checks::{Ran, Report, Verdict};
use std::time::Duration;

/// Lists the checks that could not be decided, with the reason and the revisions of each.
pub(super) fn unproven(page: &mut Page, report: &Report) {
    let why = |verdict: &Verdict| if let Verdict::Unproven(why) = verdict { Some(why.clone()) } else { None };
    list(page, report, "UNPROVEN", "could not be decided, so neither passed nor broken", why);
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
    let title = page.paint(Look::Bold, title);
    page.line(&format!("{title}  {what} ({})", words::plural(rows.len(), "check")));
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

/// Lists what the baselines accept and what has run out.
pub(super) fn accepted(page: &mut Page, ctx: &RenderContext) {
    let title = ("ACCEPTED", Look::Bold, "by a baseline");
    entries(page, title, &ctx.baseline.accepted);
    let title = ("EXPIRED", Look::Yellow, "in a baseline; the findings count again");
    entries(page, title, &ctx.baseline.expired);
}

/// Lists the entries that have become untrue.
pub(super) fn stale(page: &mut Page, ctx: &RenderContext) {
    let title = ("STALE", Look::Red, "in a baseline: the check passes now, so remove the entry");
    entries(page, title, &ctx.baseline.stale);
}

fn entries(page: &mut Page, (title, look, what): (&str, Look, &str), entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    page.blank();
    page.line(&format!("{}  {what}", page.paint(look, title)));
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
    if faults > 0 {
        page.blank();
        page.paragraph(0, Look::Dim, "What a check demands and why: mcpproof explain ID");
    } else if matches!(report.ran, Ran::CutShort(_)) {
        page.blank();
        let line = format!("To give it longer: mcpproof check --run-timeout 600 {}", ctx.target_args);
        page.line(&page.paint(Look::Dim, &crate::plain(&line)));
    }
}
