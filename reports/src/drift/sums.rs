//! The sentences that sum changes up, and the words for the axes of a rule, the same in every format.

use super::context::{DriftContext, Side};
use super::items::{Item, items};
use super::spell::{clip, thousands};
use surface::policy::{Judged, Judgement};
use surface::{Area, Audience, Change, Level, Severity};

/// How many changes there are of each severity, accepted ones and settings of the gate apart. What differs between revisions only is counted once.
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
        let judged = judgement.judged.iter();
        counts.accepted = items(judged.clone().filter(|judged| judged.accepted.is_some())).len();
        for item in items(judged.filter(|judged| judged.accepted.is_none())) {
            let place = match item.severity() {
                _ if item.first().change.rule.area == Area::Gate => &mut counts.settings,
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

/// The verdict and the counts, with what is accepted and what is wrong with the settings: `none: no change, 1 settings warning`.
pub(crate) fn verdict(judgement: &Judgement) -> String {
    let counts = Counts::of(judgement);
    let accepted = if counts.accepted > 0 {
        format!(" ({} more accepted)", thousands(counts.accepted))
    } else {
        String::new()
    };
    let settings = settings(judgement, counts.settings).map_or(String::new(), |words| format!(", {words}"));
    format!("{}: {}{accepted}{settings}", judgement.verdict().word(), counts.words())
}

/// Says how many entries of the settings ask for attention, as gravely as the worst of them.
fn settings(judgement: &Judgement, n: usize) -> Option<String> {
    let about_settings =
        |judged: &&Judged| judged.change.rule.area == Area::Gate && judged.accepted.is_none();
    let noun = match judgement.judged.iter().filter(about_settings).map(|judged| judged.level).max()? {
        Level::Error => "settings error",
        Level::Warn => "settings warning",
        Level::Info | Level::Hidden => "settings note",
    };
    let plural = if n == 1 { "" } else { "s" };
    Some(format!("{} {noun}{plural}", thousands(n)))
}

/// The verdict, the counts and what the gate says: `breaking: 2 breaking changes; gate (contract) fails`.
pub(crate) fn headline(judgement: &Judgement, ctx: &DriftContext) -> String {
    format!(
        "{}; gate ({}) {}",
        verdict(judgement),
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

/// Names `given` where it is not all that both sides have, which is what was compared.
fn some_of(given: &[&str], ctx: &DriftContext) -> Option<String> {
    let mut compared =
        ctx.old.revisions.iter().filter(|revision| ctx.new.revisions.contains(revision)).peekable();
    let is_all = compared.peek().is_some() && compared.all(|revision| given.contains(&revision.as_str()));
    (!given.is_empty() && !is_all).then(|| clip(&given.join(", "), 200))
}

/// The revisions of one variant among several, and how bad it is there where it is milder than the worst.
pub(crate) fn variant(item: &Item<'_>, judged: &Judged) -> String {
    let (here, worst) = (judged.change.severity, item.first().change.severity);
    let severity = if here == worst { String::new() } else { format!(" ({})", here.word()) };
    format!("{}{severity}", clip(&judged.change.revisions.join(", "), 200))
}

/// The sentences of `item`; each with its revisions where it does not hold in all that were compared.
pub(crate) fn sentences(item: &Item<'_>, most: usize, ctx: &DriftContext) -> Vec<String> {
    let messages = item.messages();
    let is_one = item.variants.len() == 1;
    let told = messages.iter().map(|(text, revisions)| {
        let named = if is_one { None } else { some_of(revisions, ctx) };
        let named = named.map_or(String::new(), |revisions| format!(" ({revisions})"));
        format!("{}{named}", clip(text, most))
    });
    told.collect()
}

/// The word that leads a change: how bad it is, or that it is about the settings.
pub(crate) fn lead(judged: &Judged) -> &'static str {
    if judged.change.rule.area == Area::Gate { "settings" } else { judged.change.severity.word() }
}

/// Whom a change concerns, with a label for it; or that it is the settings alone that make it bad.
pub(crate) fn concern(judged: &Judged) -> (&'static str, String) {
    let (change, rule) = (&judged.change, judged.change.rule);
    // Only a rule on results finds worse than it says by itself, as for a new property of a closed one; a break has a witness then.
    let by_itself =
        rule.area == Area::Output && (change.witness.is_some() || change.severity == Severity::Risky);
    let is_raised = rule.severity <= Severity::Compatible && change.severity >= Severity::Risky && !by_itself;
    match change.severity {
        severity if is_raised => {
            ("raised", format!("set to {} by [rules]; {} by itself", severity.word(), rule.severity.word()))
        }
        Severity::Breaking => ("breaks", touches(judged).to_owned()),
        _ => ("concerns", touches(judged).to_owned()),
    }
}

/// Whom a change touches, as who would notice it.
const fn touches(judged: &Judged) -> &'static str {
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
    use surface::Witness;

    #[test]
    fn sums_are_sentences() {
        let words = |breaking, risky, none| Counts { breaking, risky, none, ..Counts::default() }.words();
        assert_eq!(words(0, 0, 0), "no change");
        assert_eq!(words(0, 0, 1), "1 change without effect");
        assert_eq!(words(1, 0, 3), "1 breaking change");
        assert_eq!(words(1, 2000, 0), "1 breaking, 2,000 risky changes");
    }

    #[test]
    fn what_differs_between_revisions_only_is_counted_once() {
        let (mut judgement, _) = samples::variants();
        let counts = Counts::of(&judgement);
        assert_eq!((counts.breaking, counts.risky, counts.compatible), (2, 1, 2));
        judgement.judged.iter_mut().for_each(|judged| judged.accepted = Some("x".into()));
        assert_eq!(Counts::of(&judgement), Counts { accepted: 6, ..Counts::default() });
        // A milder variant is no change of its own, and the worst one is counted.
        let (mut judgement, _) = samples::variants();
        judgement.judged.truncate(2);
        judgement.judged[1].change.severity = Severity::Risky;
        assert_eq!(Counts::of(&judgement).words(), "1 breaking change");
        let item = &items(judgement.judged.iter())[0];
        assert_eq!(variant(item, item.variants[1]), "2025-03-26 (risky)");
    }

    #[test]
    fn what_is_wrong_with_the_settings_is_said_beside_the_verdict() {
        let (mut judgement, _) = samples::variants();
        judgement.judged.retain(|judged| judged.change.rule.area == Area::Gate);
        assert_eq!(verdict(&judgement), "none: no change, 1 settings warning");
        judgement.judged[0].level = Level::Error;
        judgement.judged.push(judgement.judged[0].clone());
        assert_eq!(verdict(&judgement), "none: no change, 2 settings errors");
    }

    #[test]
    fn a_rule_that_the_settings_raise_is_not_said_to_break_anybody() {
        let shown = |rule, severity, witness| {
            let change = Change::of(rule, "/tools/a", "x").as_bad_as(severity).proven_by(witness);
            let level = Level::Error;
            concern(&Judged { change, level, accepted: None, fingerprint: String::new() }).0
        };
        let of = |rule, severity| shown(rule, severity, None);
        assert_eq!(of(&samples::ADDED, Severity::Breaking), "raised");
        assert_eq!(of(&samples::ADDED, Severity::Compatible), "concerns");
        assert_eq!(of(&samples::REQUIRED, Severity::Breaking), "breaks");
        assert_eq!(of(&samples::REQUIRED, Severity::Risky), "concerns");
        let rule = surface::all_rules().find(|rule| rule.id == "output-property-added");
        let rule = rule.expect("it is a rule");
        let witness = Witness { instance: true.into(), before: false, after: true };
        assert_eq!(shown(rule, Severity::Breaking, Some(witness)), "breaks");
        assert_eq!(of(rule, Severity::Breaking), "raised");
    }

    #[test]
    fn accepted_changes_and_settings_are_counted_apart() {
        let (judgement, _) = samples::hostile();
        let counts = Counts::of(&judgement);
        assert_eq!((counts.accepted, counts.settings), (1, 1));
    }
}
