//! The sentences that sum changes up, and the words for the axes of a rule, the same in every format.

use super::context::DriftContext;
use super::spell::{clip, thousands};
use surface::policy::{Judged, Judgement};
use surface::{Area, Audience, Direction, Level, Severity};

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

/// The verdict, the counts, the two sides and what the gate says, in one sentence.
pub(crate) fn headline(judgement: &Judgement, ctx: &DriftContext) -> String {
    let counts = Counts::of(judgement);
    let accepted = if counts.accepted > 0 {
        format!(" ({} more accepted)", thousands(counts.accepted))
    } else {
        String::new()
    };
    format!(
        "{}: {}{accepted} between {} and {}; gate (profile {}): {}",
        judgement.verdict().word(),
        counts.words(),
        clip(&ctx.old.name, 200),
        clip(&ctx.new.name, 200),
        judgement.profile.word(),
        if ctx.gate_fails(judgement) { "fails" } else { "passes" },
    )
}

/// Says in one line that nothing changed.
pub(crate) fn nothing(ctx: &DriftContext) -> String {
    format!(
        "none: no change between {} and {}; gate passes",
        clip(&ctx.old.name, 200),
        clip(&ctx.new.name, 200)
    )
}

/// What the lists cost, the revisions where they differ, and the version to come; each as a phrase.
pub(crate) fn facts(judgement: &Judgement, ctx: &DriftContext) -> Vec<String> {
    let mut facts = Vec::new();
    if let (Some(old), Some(new)) = (ctx.old.tokens, ctx.new.tokens) {
        let same = if old == new { " as before".to_owned() } else { format!(", was {}", thousands(old)) };
        facts.push(format!("the lists cost about {} tokens{same} (estimate)", thousands(new)));
    }
    let revisions = |list: &[String]| clip(&list.join(", "), 200);
    if !ctx.old.revisions.is_empty() && !ctx.new.revisions.is_empty() {
        let (old, new) = (revisions(&ctx.old.revisions), revisions(&ctx.new.revisions));
        facts.push(if old == new { format!("revisions {new}") } else { format!("revisions {old} -> {new}") });
    }
    facts.extend(super::Bump::of_all(judgement).map(|bump| format!("version bump: {}", bump.word())));
    facts
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

/// The word for an audience.
pub(crate) const fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Caller => "caller",
        Audience::Consumer => "consumer",
        Audience::Model => "model",
        Audience::User => "user",
        Audience::Client => "client",
        Audience::None => "none",
    }
}

/// The word for an area.
pub(crate) const fn area(area: Area) -> &'static str {
    match area {
        Area::Items => "items",
        Area::Input => "input",
        Area::Output => "output",
        Area::Text => "text",
        Area::Hints => "hints",
        Area::Session => "session",
        Area::Gate => "gate",
    }
}

/// The word for a direction.
pub(crate) const fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Input => "input",
        Direction::Output => "output",
        Direction::Neither => "neither",
    }
}

/// The word for a level.
pub(crate) const fn level(level: Level) -> &'static str {
    match level {
        Level::Hidden => "hidden",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
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
