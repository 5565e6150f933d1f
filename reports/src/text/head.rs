//! The first lines of the text report: who was proofed, one verdict per revision, one line of sums.

use super::page::{Look, Page, wrap};
use crate::context::RenderContext;
use crate::merge::faults;
use crate::verdict::Fared;
use crate::words;
use checks::{Ran, Report, RevisionReport};

/// Names the server, the target, and what the server says of itself.
pub(super) fn server(page: &mut Page, report: &Report) {
    let name = page.paint(Look::Bold, &words::server_name(report));
    page.line(&format!("{name}  {}", crate::plain(&report.target)));
    let mut facts = vec![report.transport.to_owned()];
    facts.extend(report.server.tools.map(|n| words::plural(n, "tool")));
    if !report.server.capabilities.is_empty() {
        facts.push(format!("declares {}", report.server.capabilities.join(" ")));
    }
    facts.extend(report.server.answered_after.map(|t| format!("first answer after {}", words::time(t))));
    page.paragraph(0, Look::Dim, &facts.join(", "));
    page.blank();
}

/// Writes one line per revision.
pub(super) fn verdicts(page: &mut Page, report: &Report, ctx: &RenderContext) {
    let findings: Vec<_> = report.revisions.iter().map(|r| finding_counts(r, ctx)).collect();
    let column = findings.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    for (revision, findings) in report.revisions.iter().zip(&findings) {
        match words::not_spoken(&revision.spoken) {
            Some(why) => {
                let date = revision.revision.as_str();
                for (idx, line) in wrap(&why, page.width() - date.len() - 2).iter().enumerate() {
                    let lead = if idx == 0 { date } else { "" };
                    page.line(&page.paint(Look::Dim, &format!("{lead:10}  {line}")));
                }
            }
            None => {
                let line = verdict_line(page, revision, &format!("{findings:column$}"), ctx);
                page.line(&line);
            }
        }
    }
    page.blank();
}

fn finding_counts(revision: &RevisionReport, ctx: &RenderContext) -> String {
    let found: Vec<_> = ctx.open(revision).map(|finding| finding.class).collect();
    match words::classes(&found) {
        counts if !counts.is_empty() => counts,
        _ if revision.spoken == checks::Spoken::Yes => "no findings".to_owned(),
        _ => String::new(),
    }
}

/// Drops what also stands in the line of sums when the page is too narrow for all of it.
fn verdict_line(page: &Page, revision: &RevisionReport, findings: &str, ctx: &RenderContext) -> String {
    let fared = ctx.verdict(revision);
    let word = page.paint(look(fared, revision), &fared.word().to_uppercase());
    let tally = revision.tally();
    let fits = |text: &str| 18 + text.chars().count() <= page.width();
    let short = format!("{findings}  {}", words::rest(&tally));
    let cost =
        format!("({}, {})", words::plural(revision.starts as usize, "start"), words::time(revision.took));
    let text = if fits(&format!("{short}  {cost}")) {
        format!("{short}  {}", page.paint(Look::Dim, &cost))
    } else if fits(&short) {
        short
    } else {
        format!("{}  {}", findings.trim_end(), words::rest(&tally))
    };
    format!("{}  {}  {text}", page.paint(Look::Bold, revision.revision.as_str()), word)
}

/// The colour of a verdict; what is undecided is never green.
fn look(fared: Fared, revision: &RevisionReport) -> Look {
    match fared {
        Fared::Fail => Look::Red,
        Fared::Pass if revision.tally().unproven == 0 => Look::Green,
        _ => Look::Yellow,
    }
}

/// Sums up the run in a sentence, and says when it did not come to its end.
pub(super) fn summary(page: &mut Page, report: &Report, ctx: &RenderContext) {
    let cost = format!("({}{}, exit {})", starts(report), words::time(report.took), ctx.exit_code);
    page.paragraph(0, Look::Plain, &format!("{} {cost}", sum(report, ctx)));
    let nothing_spoken = report.revisions.iter().all(|r| words::not_spoken(&r.spoken).is_some());
    match &report.ran {
        Ran::CutShort(what) => page.paragraph(0, Look::Yellow, &format!("Cut short: {what}")),
        Ran::Complete if nothing_spoken => {
            let text = "The server speaks none of the revisions asked for.";
            page.paragraph(0, Look::Yellow, text);
        }
        Ran::Complete if report.revisions.iter().all(|r| r.tally().passed + r.tally().broken == 0) => {
            page.paragraph(
                0,
                Look::Yellow,
                "No check applies to this server in these revisions, or none could be decided.",
            );
        }
        _ => {}
    }
}

/// How often the server was started; a URL that lets nobody in was not started at all.
fn starts(report: &Report) -> String {
    let of_revisions: u32 = report.revisions.iter().map(|revision| revision.starts).sum();
    match &report.ran {
        Ran::Dead(_) if report.transport != "stdio" => String::new(),
        Ran::Dead(dead) => words::plural((dead.starts + of_revisions) as usize, "start") + ", ",
        _ => words::plural(of_revisions as usize, "start") + ", ",
    }
}

fn sum(report: &Report, ctx: &RenderContext) -> String {
    let open = faults(report, |finding| ctx.is_open(finding));
    let classes: Vec<_> = open.iter().map(|fault| fault.finding.class).collect();
    let mut sum = match words::classes(&classes) {
        counts if !counts.is_empty() => format!("{}: {counts}", words::plural(open.len(), "finding")),
        _ if report.revisions.iter().all(|r| r.tally().passed == 0) => "Nothing was proofed".to_owned(),
        _ => "No findings".to_owned(),
    };
    let accepted: usize = ctx.baseline.accepted.iter().map(|entry| entry.revisions.len()).sum();
    if accepted > 0 {
        sum.push_str(&format!("; {accepted} more accepted"));
    }
    sum
}
