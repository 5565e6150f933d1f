//! The report for comments and job summaries. All words of a server are escaped; it ends before GitHub cuts it off.

use crate::merge::{Fault, faults};
use crate::undecided::{Undecided, undecided};
use crate::{RenderContext, plain, words};
use checks::{Ran, Report};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Comments and summaries may hold 65,536 characters; the rest is for what others put around them.
pub(crate) const LIMIT: usize = 65_000;

/// Renders `report` as Markdown.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    render_within(LIMIT, report, ctx)
}

/// Renders `report` in at most `limit` characters, but for the table at its head.
pub(crate) fn render_within(limit: usize, report: &Report, ctx: &RenderContext) -> String {
    let mut out = format!(
        "## mcpproof: {}\n\n{} over {}\n\n",
        escape(&words::server_name(report)),
        code(&report.target),
        report.transport
    );
    table(&mut out, report, ctx);
    trouble(&mut out, report, ctx);
    let faults = faults(report, |finding| ctx.is_open(finding));
    if faults.is_empty() && report.ran == Ran::Complete {
        out.push_str("No findings.\n");
    }
    if let Some(note) = ctx.invocation.note().filter(|_| !faults.is_empty()) {
        _ = writeln!(out, "{}\n", escape(&note));
    }
    for (idx, fault) in faults.iter().enumerate() {
        let block = block(fault, ctx);
        if out.chars().count() + block.chars().count() > limit.saturating_sub(400) {
            _ = writeln!(
                out,
                "**{} more findings are left out here because a comment holds no more.** Run `mcpproof check` to see all of them.",
                faults.len() - idx
            );
            return out;
        }
        out.push_str(&block);
    }
    unproven(&mut out, limit, report);
    out
}

fn table(out: &mut String, report: &Report, ctx: &RenderContext) {
    if report.revisions.is_empty() {
        return;
    }
    out.push_str("| revision | verdict | findings | passed | n/a | unproven | skipped | starts | time |\n");
    out.push_str("|---|---|---|--:|--:|--:|--:|--:|--:|\n");
    for revision in &report.revisions {
        if let Some(why) = words::not_spoken(&revision.spoken) {
            _ = writeln!(out, "| {} | - | {} | | | | | | |", revision.revision, escape(&why));
            continue;
        }
        let classes: Vec<_> = ctx.open(revision).map(|finding| finding.class).collect();
        let tally = revision.tally();
        _ = writeln!(
            out,
            "| {} | **{}** | {} | {} | {} | {} | {} | {} | {} |",
            revision.revision,
            ctx.verdict(revision).word().to_uppercase(),
            words::classes(&classes),
            tally.passed,
            tally.not_applicable,
            tally.unproven,
            tally.skipped,
            revision.starts,
            words::time(revision.took),
        );
    }
    out.push('\n');
}

fn trouble(out: &mut String, report: &Report, ctx: &RenderContext) {
    match &report.ran {
        Ran::Complete => {}
        Ran::CutShort(why) => _ = writeln!(out, "**Cut short:** {}\n", escape(why)),
        Ran::Dead(dead) => {
            _ = writeln!(out, "**Could not run:** {}\n", escape(&dead.what));
            let lines: Vec<_> = dead.stderr.lines().map(plain).collect();
            let tail = &lines[lines.len().saturating_sub(20)..];
            if !tail.is_empty() {
                out.push_str("The end of its stderr:\n\n");
                out.push_str(&fence(&tail.join("\n")));
            }
            if let Some(hint) = &dead.hint {
                _ = writeln!(out, "Hint: {}\n", escape(hint));
            }
        }
    }
    for entry in &ctx.baseline.stale {
        _ = writeln!(
            out,
            "**Stale baseline entry** at {}:{}: {} passes now, so remove it.\n",
            escape(&entry.file),
            entry.line,
            code(&entry.check)
        );
    }
    let accepted: usize = ctx.baseline.accepted.iter().map(|entry| entry.revisions.len()).sum();
    if accepted > 0 {
        _ = writeln!(out, "{} accepted by a baseline.\n", words::plural(accepted, "finding"));
    }
}

fn block(fault: &Fault<'_>, ctx: &RenderContext) -> String {
    let finding = fault.finding;
    let mut out = format!(
        "<details><summary><b>{}</b> <code>{}</code>: {}</summary>\n\n",
        finding.class,
        finding.id,
        escape(&finding.seen)
    );
    let mut item = |label: &str, text: &str| _ = writeln!(out, "- {label}: {text}");
    item("revisions", &fault.revision_list());
    if !finding.profiles.is_empty() {
        let names: Vec<_> = finding.profiles.iter().map(|profile| profile.as_str()).collect();
        item("breaks on", &names.join(", "));
    }
    item("expected", &escape(&finding.expected));
    item("seen", &escape(&finding.seen));
    finding.details.iter().for_each(|detail| item("detail", &escape(detail)));
    item("impact", &escape(finding.breaks));
    item("rule", &format!("{} (`{}`, <{}>)", escape(&finding.rule), finding.requirement, finding.page));
    if let Some(bytes) = &finding.bytes {
        let place = bytes.offset.map_or(String::new(), |offset| format!(", byte {offset} is to blame"));
        _ = write!(out, "\nThe bytes ({} in all{place}):\n\n{}", bytes.length, fence(&plain(&bytes.text)));
    }
    if let Some(sent) = &finding.sent {
        _ = write!(out, "\nAfter this was sent:\n\n{}", fence(&plain(sent)));
    }
    let command = plain(&ctx.reproduce(finding.id, finding.revision));
    _ = write!(out, "\nTo see it again:\n\n{}</details>\n\n", fence(&command));
    out
}

fn unproven(out: &mut String, limit: usize, report: &Report) {
    let reasons = undecided(report);
    let checks: BTreeSet<_> = reasons.iter().flat_map(|reason| &reason.checks).collect();
    let row = |reason: &Undecided<'_>| {
        let ids: Vec<_> = reason.checks.iter().map(|id| code(id)).collect();
        format!("- {}: {} in {}\n", escape(reason.why), ids.join(", "), reason.revision_list())
    };
    let rows: Vec<_> = reasons.iter().map(row).collect();
    if rows.is_empty() {
        return;
    }
    let block = format!(
        "<details><summary>{} unproven</summary>\n\n{}\n</details>\n",
        words::plural(checks.len(), "check"),
        rows.concat()
    );
    if out.chars().count() + block.chars().count() <= limit {
        out.push_str(&block);
    } else {
        _ = writeln!(out, "{} unproven; a comment holds no more.", words::plural(checks.len(), "check"));
    }
}

/// Makes words harmless in prose, in table cells and in HTML: no markup, no mentions, no links.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            // GitHub looks for mentions and issues when entities are characters again; a space of no width parts them.
            '#' | '@' => _ = write!(out, "&#{};&#8203;", u32::from(c)),
            '\\' | '`' | '|' | '<' | '>' | '*' | '_' | '~' | '[' | ']' | '&' | '!' | '$' => {
                _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    // What looks like an address becomes a link by itself, and `GH-1` an issue.
    let out = out.replace("://", "&#58;//").replace("www.", "www&#46;");
    out.replace("GH-", "GH&#8203;-").replace("gh-", "gh&#8203;-")
}

/// Writes `text` as code inside a line.
pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Writes `text` as a block of code, with more backticks around it than in it.
pub(crate) fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    format!("{ticks}text\n{text}\n{ticks}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use checks::Verdict;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("markdown_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn words_of_a_server_are_neither_markup_nor_mentions() {
        let escaped = escape("a|b `c` <d> @e [f](http://g) www.h.org *i* #1\n");
        assert!(
            !escaped.contains(['|', '`', '<', '>', '@', '[', '*', '\n']) && !escaped.contains("://"),
            "{escaped}"
        );
        assert!(!escaped.contains("www."));
        assert_eq!(fence("a ```` b"), "`````text\na ```` b\n`````\n");
    }

    #[test]
    fn a_long_report_ends_in_time_and_says_so() {
        let (mut report, ctx) = samples::flawed();
        let results = &mut report.revisions[0].results;
        let Verdict::Broken(finding) = results[0].verdict.clone() else { panic!("the sample has a finding") };
        for n in 0..400 {
            let finding =
                checks::Finding { expected: format!("fault {n} {}", "`|<".repeat(60)), ..(*finding).clone() };
            results.push(checks::CheckResult {
                verdict: Verdict::Broken(Box::new(finding)),
                ..results[0].clone()
            });
        }
        let text = render(&report, &ctx);
        assert!(text.chars().count() < 65_536 && text.contains("more findings are left out"));
    }
}
