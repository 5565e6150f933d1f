//! Compares two surfaces: pairs their views, matches their items, and asks the rules. What a change of a schema breaks stands in `schema`.

mod findings;
mod hints;
mod matching;
mod metadata;
mod names;
mod prompts;
mod rename;
mod resources;
mod scan;
mod schemas;
mod session;
mod swap;
mod templates;
mod texts;
mod tools;
mod views;
mod vocabulary;

use crate::change::{Change, Diff};
use crate::model::{Kind, Surface, View};
use crate::schema::Root;
use findings::Findings;
use vocabulary::Vocabulary;

/// Says what changed from `before` to `after`.
pub fn diff(before: &Surface, after: &Surface) -> Diff {
    let mut changes = views::compare(before, after);
    session::version_not_bumped(&mut changes, before, after);
    changes.sort_by(|left, right| {
        let by_weight = right.severity.cmp(&left.severity);
        by_weight.then_with(|| left.path.cmp(&right.path)).then_with(|| left.rule.id.cmp(right.rule.id))
    });
    Diff { changes }
}

/// What results are as a whole: any JSON value from 2026-07-28 on, an object before.
fn results(before: &View, after: &View) -> Root {
    let newest =
        [before, after].into_iter().filter_map(|view| view.session.protocol_version.as_deref()).max();
    // Dates of this form are in order as text.
    if newest.is_some_and(|revision| revision >= "2026-07-28") { Root::Any } else { Root::Object }
}

/// Compares what stands in one view with what stands in another.
fn diff_views(before: &View, after: &View) -> Vec<Change> {
    let vocabulary = Vocabulary::new(before, after);
    let mut findings = Findings::new(&vocabulary, results(before, after));
    session::compare(&mut findings, &before.session, &after.session);
    for kind in Kind::ALL {
        let (Some(old), Some(new)) = (before.list(kind), after.list(kind)) else { continue };
        let known = findings.changes.len();
        match kind {
            Kind::Tool => tools::compare(&mut findings, old, new),
            Kind::Prompt => prompts::compare(&mut findings, old, new),
            Kind::Resource => resources::compare(&mut findings, old, new),
            Kind::Template => templates::compare(&mut findings, old, new),
        }
        texts::grew(&mut findings, kind, known, (old, new));
    }
    findings.changes
}
