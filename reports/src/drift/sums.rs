//! The sentences that sum changes up, and the words for the axes of a rule, the same in every format.

use super::context::{DriftContext, Side};
use super::spell::{clip, thousands};
use surface::policy::{Judged, Judgement};
use surface::{Area, Audience, Change, Severity};

/// How many changes there are of each severity, accepted ones and settings of the gate apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Counts {
    pub breaking: usize,
    pub risky: usize,
    pub compatible: usize,
    pub none: usize,
    pub accepted: usize,
    /// Entries of the allow list that match nothing or have ended.
    pub settings: usize,
}

impl Counts {
    /// Counts what is in `judgement`.
    pub(crate) fn of(judgement: &Judgement) -> Self {
        let mut counts = Self::default();
        for judged in &judgement.judged {
            let place = match judged.change.severity {
                _ if judged.change.rule.area == Area::Gate => &mut counts.settings,
                _ if judged.accepted.is_some() => &mut counts.accepted,
                Severity::Breaking => &mut counts.breaking,
                Severity::Risky => &mut counts.risky,
                Severity::Compatible => &mut counts.compatible,
                Severity::None => &mut counts.none,
            };
            *place += 1;
        }
        counts
    }

    /// Writes `2 breaking, 1 risky changes`, `no change`.
    pub(crate) fn words(&self) -> String {
        let all = [(self.breaking, "breaking"), (self.risky, "risky"), (self.compatible, "compatible")];
        let total: usize = all.iter().map(|(n, _)| n).sum();
        let parts: Vec<_> =
            all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", thousands(*n))).collect();
        match (total, self.none) {
            (0, 0) => "no change".to_owned(),
            (0, 1) => "1 change without effect".to_owned(),
            (0, n) => format!("{} changes without effect", thousands(n)),
            (1, _) => format!("{} change", parts.join(", ")),
            _ => format!("{} changes", parts.join(", ")),
        }
    }
}

/// The verdict, the counts and what the gate says: `breaking: 2 breaking changes; gate (contract) fails`.
pub(crate) fn headline(judgement: &Judgement, ctx: &DriftContext) -> String {
    let counts = Counts::of(judgement);
    let accepted = if counts.accepted > 0 {
        format!(" ({} more accepted)", thousands(counts.accepted))
    } else {
        String::new()
    };
    format!(
        "{}: {}{accepted}; gate ({}) {}",
        judgement.verdict().word(),
        counts.words(),
        judgement.profile.word(),
        if ctx.gate_fails(judgement) { "fails" } else { "passes" },
    )
}

/// Says in one line that nothing changed.
pub(crate) fn nothing(ctx: &DriftContext) -> String {
    format!("none: no change {}; gate passes", sides(ctx))
}

/// Names the two sides in a few words.
pub(crate) fn sides(ctx: &DriftContext) -> String {
    format!("between {} and {}", clip(&ctx.old.name, 200), clip(&ctx.new.name, 200))
}

/// The two sides with what is known of them, and the version to come; each with a label.
pub(crate) fn facts(judgement: &Judgement, ctx: &DriftContext) -> Vec<(&'static str, String)> {
    let differ = ctx.old.revisions != ctx.new.revisions;
    let mut facts = vec![("old", side(&ctx.old, differ)), ("new", side(&ctx.new, true))];
    facts.extend(super::Bump::of_all(judgement).map(|bump| ("bump", format!("{} version", bump.word()))));
    facts
}

fn side(side: &Side, tells_revisions: bool) -> String {
    let mut known = Vec::new();
    if tells_revisions && !side.revisions.is_empty() {
        known.push(clip(&side.revisions.join(", "), 200));
    }
    known.extend(side.tokens.map(|tokens| format!("an estimated {} tokens", thousands(tokens))));
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) };
    format!("{}{known}", clip(&side.name, 200))
}

/// The revisions of a change, where it is not in all that the new side has.
pub(crate) fn revisions(change: &Change, ctx: &DriftContext) -> Option<String> {
    let given = &change.revisions;
    let is_all = ctx.new.revisions.iter().all(|revision| given.contains(revision));
    let is_worth = !given.is_empty() && (ctx.new.revisions.is_empty() || !is_all);
    is_worth.then(|| clip(&given.join(", "), 200))
}

/// The word that leads a change: how bad it is, or that it is about the settings.
pub(crate) fn lead(judged: &Judged) -> &'static str {
    if judged.change.rule.area == Area::Gate { "settings" } else { judged.change.severity.word() }
}

/// Whom a change touches, as who would notice it.
pub(crate) const fn touches(judged: &Judged) -> &'static str {
    match judged.change.rule.audience {
        Audience::Caller => "callers of the server",
        Audience::Consumer => "programs that read its results",
        Audience::Model => "the model that reads it",
        Audience::User => "the person who approves calls",
        Audience::Client => "the host program",
        Audience::None => "nobody outside",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn sums_are_sentences() {
        let words = |breaking, risky, none| Counts { breaking, risky, none, ..Counts::default() }.words();
        assert_eq!(words(0, 0, 0), "no change");
        assert_eq!(words(0, 0, 1), "1 change without effect");
        assert_eq!(words(1, 0, 3), "1 breaking change");
        assert_eq!(words(1, 2000, 0), "1 breaking, 2,000 risky changes");
    }

    #[test]
    fn accepted_changes_and_settings_are_counted_apart() {
        let (judgement, _) = samples::hostile();
        let counts = Counts::of(&judgement);
        assert_eq!((counts.accepted, counts.settings), (1, 1));
    }
}
