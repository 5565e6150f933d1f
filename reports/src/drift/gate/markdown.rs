//! The gate for comments and job summaries: a table of servers, then the reports of those that ask for attention, each with its share of the room.

use super::{GateContext, GateEntry, headline, loud};
use crate::drift::spell::clip;
use crate::markdown::{LIMIT, code, escape};
use std::fmt::Write as _;

/// The table takes at most so many characters.
const TABLE: usize = LIMIT / 3;

/// A part that would have less room than this is left out.
const LEAST: usize = 2_500;

/// Renders the gate as Markdown.
pub(super) fn render(entries: &[GateEntry<'_>], ctx: &GateContext) -> String {
    let mut out = format!("## mcpproof gate\n\n**{}**\n\n", escape(&headline(entries)));
    table(&mut out, entries);
    if !ctx.reproduce.is_empty() {
        _ = writeln!(out, "To see it again: {}\n", code(&clip(&ctx.reproduce, 120)));
    }
    let mut used = out.chars().count();
    let parts: Vec<_> = loud(entries).into_iter().flat_map(parts_of).collect();
    for (idx, (entry, part)) in parts.iter().enumerate() {
        let share = LIMIT.saturating_sub(used + 500) / (parts.len() - idx);
        let section = if share < LEAST { None } else { section(entry, *part, share) };
        let section = section.unwrap_or_default();
        let length = section.chars().count();
        if section.is_empty() || length > share {
            // What comes later is milder, but may be short.
            let left = format!("{} of {} is left out here.\n\n", part.word(), code(&clip(&entry.name, 60)));
            let length = left.chars().count();
            if used + length + 500 > LIMIT {
                _ = writeln!(out, "{} more reports are left out here.", parts.len() - idx);
                break;
            }
            (used, out) = (used + length, out + &left);
        } else {
            (used, out) = (used + length, out + &section);
        }
    }
    out
}

#[derive(Clone, Copy)]
enum Part {
    Check,
    Drift,
}

impl Part {
    const fn word(self) -> &'static str {
        match self {
            Self::Check => "The check",
            Self::Drift => "The drift",
        }
    }
}

fn parts_of<'a, 'b>(entry: &'a GateEntry<'b>) -> Vec<(&'a GateEntry<'b>, Part)> {
    let check = entry.check.map(|_| (entry, Part::Check));
    let drift = entry.drift.map(|_| (entry, Part::Drift));
    check.into_iter().chain(drift).collect()
}

fn section(entry: &GateEntry<'_>, part: Part, share: usize) -> Option<String> {
    let title = format!("### {}: {}\n\n", escape(&clip(&entry.name, 60)), part.word().replace("The ", ""));
    let room = share - title.chars().count().min(share);
    let body = match part {
        Part::Check => entry.check.map(|(report, ctx)| {
            let text = crate::markdown::render_within(room, report, ctx);
            // Its own title would stand above ours.
            text.split_once("\n\n").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
        }),
        Part::Drift => entry.drift.map(|(judgement, ctx)| crate::drift::markdown::body(judgement, ctx, room)),
    };
    body.map(|body| title + &body + "\n")
}

fn table(out: &mut String, entries: &[GateEntry<'_>]) {
    if entries.is_empty() {
        return;
    }
    out.push_str("| server | verdict | check | drift |\n|---|---|---|---|\n");
    let mut used = 0;
    for (idx, entry) in entries.iter().enumerate() {
        let cell = |words: Option<String>| words.map_or("-".to_owned(), |words| escape(&clip(&words, 300)));
        let error =
            entry.error_words().map_or(String::new(), |error| format!(": {}", escape(&clip(&error, 300))));
        let row = format!(
            "| {} | **{}**{error} | {} | {} |\n",
            code(&clip(&entry.name, 60)),
            entry.outcome().word().to_uppercase(),
            cell(entry.check_words()),
            cell(entry.drift_words()),
        );
        used += row.chars().count();
        if used > TABLE {
            _ = writeln!(out, "\n{} more servers are left out here.\n", entries.len() - idx);
            return;
        }
        out.push_str(&row);
    }
    out.push('\n');
}
