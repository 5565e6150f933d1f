//! A server that never answered, in the text report: what happened, what we had sent, what it printed.

use super::page::{INDENT, Look, Page, chop};
use crate::context::RenderContext;
use crate::plain::{plain, plain_lines};
use checks::{DeadServer, Report};

/// How many lines of stderr are shown; the last ones tell most.
const TAIL: usize = 20;

/// Writes in one line why nothing could be proofed.
pub(super) fn line(page: &mut Page, dead: &DeadServer) {
    let head = page.paint(Look::Red, "could not run");
    page.line(&format!("{head}: {}", plain(&dead.what)));
}

/// Writes why nothing could be proofed.
pub(super) fn dead(page: &mut Page, dead: &DeadServer, report: &Report, ctx: &RenderContext) {
    page.blank();
    page.line(&page.paint(Look::Red, "COULD NOT RUN"));
    page.field("what", Look::Bold, &dead.what);
    if let Some(hint) = &dead.hint {
        page.field("hint", Look::Plain, hint);
    }
    match &dead.sent {
        Some(sent) => page.bytes("sent", sent),
        None => page.field("sent", Look::Dim, "nothing yet"),
    }
    match &dead.stdout {
        Some(stdout) => {
            for (idx, line) in stdout.lines().enumerate() {
                page.bytes(if idx == 0 { "stdout" } else { "" }, line);
            }
        }
        None if report.transport == "stdio" => page.field("stdout", Look::Dim, "(empty)"),
        None => {}
    }
    if report.transport == "stdio" {
        stderr(page, &dead.stderr);
    }
    page.whole("reproduce", &ctx.invocation.again());
}

fn stderr(page: &mut Page, stderr: &str) {
    let lines = plain_lines(stderr.trim_end());
    if lines.iter().all(String::is_empty) {
        return page.field("stderr", Look::Dim, "(empty)");
    }
    let left_out = lines.len().saturating_sub(TAIL);
    if left_out > 0 {
        page.field("stderr", Look::Dim, &format!("({left_out} earlier lines left out)"));
    }
    for (idx, line) in lines[left_out..].iter().enumerate() {
        let label = if idx == 0 && left_out == 0 { "stderr" } else { "" };
        for (part, text) in chop(line, page.width() - INDENT).iter().enumerate() {
            page.bytes(if part == 0 { label } else { "" }, text);
        }
    }
}
