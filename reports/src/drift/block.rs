//! The part of the text report that tells one group of changes: each place, then what all have in common.

use super::context::DriftContext;
use super::groups::Group;
use super::items::Item;
use super::spell::{clip, spell, thousands};
use super::sums::{concern, lead, revisions, variant};
use super::text::look;
use super::values::{Shown, message, shown};
use super::witness::{Renames, told};
use super::worddiff::Part;
use crate::text::page::{Look, Page};
use surface::policy::Judged;
use surface::{Area, Change};

/// Longest witness and reason that is shown; what is longer is in the JSON.
pub(super) const LONG: usize = 1_000;

/// Longest message that is shown.
pub(super) const MESSAGE: usize = 400;

/// Longest value that is shown as it was and as it is.
const SHORT: usize = 160;

/// Longest run of words that is shown.
const RUN: usize = 400;

/// Writes `group`: what its changes share once, and the rest place by place.
pub(super) fn block(page: &mut Page, group: &Group<'_>, renames: &Renames<'_>, ctx: &DriftContext) {
    let first = group.first();
    let rule = first.change.rule;
    let id = page.paint(Look::Bold, rule.id);
    let count = match group.changes.len() {
        1 => String::new(),
        n => format!("  {} places", thousands(n)),
    };
    page.line(&format!("{}  {id}{count}", page.paint(look(first, ctx), &lead(first).to_uppercase())));
    let shared = Shared {
        message: group.shares(message),
        values: group.shares(|change| (&change.before, &change.after)),
        revisions: group.shares(|change| &change.revisions),
    };
    shared.once(page, &first.change);
    let (places, more) = group.shown(ctx);
    for item in places {
        place(page, item, &shared, renames, ctx);
    }
    left_out(page, more);
    if rule.area != Area::Gate {
        let (label, text) = concern(first);
        page.field(label, Look::Plain, &text);
    }
    page.field("why", Look::Plain, rule.explain);
    page.field("fix", Look::Plain, rule.fix);
    if shared.revisions {
        tell_revisions(page, &first.change, ctx);
    }
}

/// Says how many places are not shown.
pub(super) fn left_out(page: &mut Page, more: usize) {
    if more > 0 {
        let places = if more == 1 { "place" } else { "places" };
        page.field("", Look::Dim, &format!("and {} more {places}; --verbose shows them", thousands(more)));
    }
}

/// Which parts are the same in all changes of a group.
struct Shared {
    message: bool,
    values: bool,
    revisions: bool,
}

impl Shared {
    fn once(&self, page: &mut Page, change: &Change) {
        if self.message {
            page.field("what", Look::Bold, &clip(message(change), MESSAGE));
        }
        if self.values {
            values(page, change);
        }
    }
}

/// Writes where a change is; where it differs between revisions, also what it is in each.
fn place(page: &mut Page, item: &Item<'_>, shared: &Shared, renames: &Renames<'_>, ctx: &DriftContext) {
    let first = item.first();
    let mut place = clip(&first.change.path, 300);
    if first.change.rule.area != Area::Gate {
        if let Some((file, line)) = ctx.place(first) {
            place.push_str(&format!(" ({}:{line})", spell(file)));
        }
        if item.variants.len() == 1 {
            place.push_str(&format!(" fingerprint={}", first.fingerprint));
        }
    }
    page.field("where", Look::Plain, &place);
    if item.variants.len() == 1 {
        content(page, first, shared, renames);
        if !shared.revisions {
            tell_revisions(page, &first.change, ctx);
        }
        return;
    }
    let agreed = Shared {
        message: shared.message || item.agrees(message),
        values: shared.values || item.agrees(|change| (&change.before, &change.after)),
        revisions: true,
    };
    if agreed.message && !shared.message {
        page.field("what", Look::Bold, &clip(message(&first.change), MESSAGE));
    }
    if agreed.values && !shared.values {
        values(page, &first.change);
    }
    for judged in &item.variants {
        let revisions = format!("{} fingerprint={}", variant(item, judged), judged.fingerprint);
        page.field("in", Look::Plain, &revisions);
        content(page, judged, &agreed, renames);
    }
}

/// Writes what is told of one finding, since it is not the same in all.
fn content(page: &mut Page, judged: &Judged, shared: &Shared, renames: &Renames<'_>) {
    let change = &judged.change;
    if !shared.message {
        page.field("what", Look::Bold, &clip(message(change), MESSAGE));
    }
    if !shared.values {
        values(page, change);
    }
    if let Some(told) = told(change, renames) {
        page.bytes(told.label, &clip(&told.text, LONG));
    }
}

fn tell_revisions(page: &mut Page, change: &Change, ctx: &DriftContext) {
    if let Some(revisions) = revisions(change, ctx) {
        page.field("revisions", Look::Plain, &revisions);
    }
}

fn values(page: &mut Page, change: &Change) {
    match shown(change, SHORT) {
        Shown::Nothing => {}
        Shown::Layout => page.field("words", Look::Plain, "the same but for white space"),
        Shown::Words(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Same(words) => clip(words, SHORT),
                Part::Gone(words) => format!("[-{}-]", clip(words, RUN)),
                Part::Come(words) => format!("{{+{}+}}", clip(words, RUN)),
            });
            page.field("words", Look::Plain, &clip(&parts.collect::<Vec<_>>().join(" "), LONG));
        }
        Shown::Values(before, after) => {
            for (label, text) in [("before", before), ("after", after)] {
                match text {
                    // Words are broken between each other, JSON anywhere.
                    Some(text) if text.starts_with('"') => page.field(label, Look::Plain, &text),
                    Some(text) => page.bytes(label, &text),
                    None => {}
                }
            }
        }
    }
}
