//! One fault in the text report: what was expected, what was seen, and what to do next.

use super::page::{INDENT, Look, Page};
use crate::context::RenderContext;
use crate::merge::Fault;
use checks::{Class, Excerpt, Finding};

/// The colour of a class.
const fn look(class: Class) -> Look {
    match class {
        Class::Violation => Look::Red,
        Class::Should | Class::Interop => Look::Yellow,
        Class::Note => Look::Bold,
    }
}

/// Writes the fault as one line that tools may search.
pub(super) fn line(page: &mut Page, fault: &Fault<'_>) {
    let Finding { class, id, seen, .. } = fault.finding;
    let head = page.paint(look(*class), class.as_str());
    page.line(&format!("{head} {id} ({}): {}", fault.revision_list(), crate::plain(seen)));
}

/// Writes the whole of it.
pub(super) fn block(page: &mut Page, fault: &Fault<'_>, ctx: &RenderContext) {
    let finding = fault.finding;
    let id = page.paint(Look::Bold, finding.id);
    page.line(&format!("{}  {id}", page.paint(look(finding.class), &finding.class.as_str().to_uppercase())));
    page.field("revisions", Look::Plain, &fault.revision_list());
    if !finding.profiles.is_empty() {
        let names: Vec<_> = finding.profiles.iter().map(|profile| profile.as_str()).collect();
        page.field("breaks on", Look::Plain, &names.join(", "));
    }
    page.field("expected", Look::Plain, &finding.expected);
    page.field("seen", Look::Bold, &finding.seen);
    if let Some(bytes) = &finding.bytes {
        excerpt(page, bytes);
    }
    if let Some(sent) = &finding.sent {
        page.bytes("sent", sent);
    }
    for (idx, detail) in finding.details.iter().enumerate() {
        page.field(if idx == 0 { "details" } else { "" }, Look::Plain, detail);
    }
    page.field("impact", Look::Plain, finding.breaks);
    page.field("rule", Look::Plain, &finding.rule);
    if let Some(row) = specs::requirements::get(finding.requirement) {
        let level = if row.derived { "derived".to_owned() } else { row.level.to_string() };
        page.field("", Look::Dim, &format!("{level}, {}, {}", finding.requirement, finding.revision));
        page.field("", Look::Cyan, &finding.page);
    }
    page.whole("reproduce", &ctx.reproduce(finding.id, finding.revision));
}

/// Writes the bytes, and points at the one to blame where it can be counted.
fn excerpt(page: &mut Page, bytes: &Excerpt) {
    let text = crate::plain(&bytes.text);
    page.bytes("bytes", &text);
    let place = bytes.offset.map(|offset| format!("byte {offset} of {}", bytes.length));
    let is_whole = text.is_ascii() && text.len() == bytes.length && text.len() <= page.width() - INDENT;
    let note = match (bytes.offset, place) {
        (Some(offset), Some(place)) if is_whole && offset < text.len() => {
            let caret = format!("{:offset$}^", "");
            if offset + place.len() + 2 + INDENT <= page.width() { format!("{caret} {place}") } else { caret }
        }
        (_, Some(place)) => place,
        _ if text.len() < bytes.length => format!("shortened; {} bytes in all", bytes.length),
        _ => return,
    };
    let line = format!("{:INDENT$}{}", "", page.paint(Look::Dim, &note));
    page.line(&line);
}
