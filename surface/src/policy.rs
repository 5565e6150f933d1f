//! What a gate makes of changes: profiles, levels of one's own, and accepted changes. Finding the changes stands in `compare`.

use crate::canonical::hex;
use crate::change::{Change, Diff, Severity};
use crate::rule::{Area, Audience, Direction, Level, Rule};
use crate::rules;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How strict a gate is. Each one fails on all that the one before fails on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// What breaks calls: items, input schemas and capabilities.
    Calls,
    /// Also results, and text that is a danger.
    #[default]
    Contract,
    /// Also each word that a model reads, and each hint that a person relies on.
    Model,
    /// Any difference but order.
    Exact,
}

impl Profile {
    /// All of them, laxest first.
    pub const ALL: [Self; 4] = [Self::Calls, Self::Contract, Self::Model, Self::Exact];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Contract => "contract",
            Self::Model => "model",
            Self::Exact => "exact",
        }
    }

    /// The level of a change of `rule` that is as bad as `severity`.
    pub fn level(self, rule: &Rule, severity: Severity) -> Level {
        let usual = if severity == rule.severity { rule.level } else { usual_level(severity) };
        match self {
            Self::Calls if !about_calls(rule) => usual.min(Level::Info),
            Self::Calls | Self::Contract => usual,
            Self::Model if read_by_someone(rule) && usual == Level::Warn => Level::Error,
            Self::Model => usual,
            // The settings are no difference of the surface.
            Self::Exact if rule.area == Area::Gate => usual,
            Self::Exact if severity > Severity::None || usual > Level::Hidden => Level::Error,
            Self::Exact => usual,
        }
    }
}

const fn usual_level(severity: Severity) -> Level {
    match severity {
        Severity::Breaking => Level::Error,
        Severity::Risky => Level::Warn,
        Severity::Compatible => Level::Info,
        Severity::None => Level::Hidden,
    }
}

fn about_calls(rule: &Rule) -> bool {
    match rule.area {
        Area::Items | Area::Input | Area::Session | Area::Gate => rule.direction != Direction::Output,
        Area::Output | Area::Text => false,
        // A tool that must now be called as a task is called otherwise.
        Area::Hints => rule.audience == Audience::Caller,
    }
}

fn read_by_someone(rule: &Rule) -> bool {
    matches!(rule.area, Area::Text | Area::Hints) || rule.audience == Audience::Model
}

/// A change that is accepted, as a user wrote it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// The rule, or `*`.
    pub rule: String,
    /// A path, in which `*` stands for anything; all paths where it is empty.
    pub path: String,
    /// The fingerprint of one change; any where it is missing.
    pub fingerprint: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it holds, as `2026-12-31`.
    pub until: Option<String>,
    /// Where it was written, as `mcpproof.toml:12`.
    pub place: String,
}

/// How a gate is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// How strict it is.
    pub profile: Profile,
    /// Other severities for single rules; `None` turns a rule off.
    pub rules: BTreeMap<String, Option<Severity>>,
    /// Accepted changes.
    pub allow: Vec<Allow>,
    /// Whether entries that match nothing are left to the caller, since they may be meant for another surface.
    pub shared_allow: bool,
    /// The current day, as `2026-11-30`; the library reads no clock.
    pub today: String,
}

/// A change and what the gate makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The change; its severity is that of the policy.
    pub change: Change,
    /// What it does to the gate. An accepted one keeps the level it would have.
    pub level: Level,
    /// Why it is accepted, where it is.
    pub accepted: Option<String>,
    /// Names the change across commits: twelve hex digits of a hash of rule, path, and both contents.
    pub fingerprint: String,
}

impl Judged {
    /// Whether it counts at `level` and above.
    pub fn counts(&self, level: Level) -> bool {
        self.accepted.is_none() && self.level >= level
    }
}

/// All changes as the gate sees them, worst first.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The profile that was asked for.
    pub profile: Profile,
    /// The changes; entries of the allow list that match nothing or have ended are among them.
    pub judged: Vec<Judged>,
}

impl Judgement {
    /// The worst severity among what is not accepted.
    pub fn verdict(&self) -> Severity {
        let open = self.judged.iter().filter(|judged| judged.accepted.is_none());
        open.map(|judged| judged.change.severity).max().unwrap_or(Severity::None)
    }

    /// Whether anything counts at `level` and above.
    pub fn fails(&self, level: Level) -> bool {
        self.judged.iter().any(|judged| judged.counts(level))
    }
}

/// Applies `policy` to what changed.
pub fn judge(diff: Diff, policy: &Policy) -> Judgement {
    let mut used = vec![false; policy.allow.len()];
    let mut judged: Vec<_> =
        diff.changes.into_iter().filter_map(|change| one(change, policy, &mut used)).collect();
    // Entries about entries are not looked for: they could accept themselves.
    let idle = policy.allow.iter().zip(&used).filter_map(|(allow, used)| idle(allow, *used, policy));
    judged.extend(idle);
    let breaks = |it: &Judged| {
        it.accepted.is_none() && it.change.severity == Severity::Breaking && !is_about_version(it)
    };
    // A version need not say what was accepted or is no break by the rules of this gate.
    if !judged.iter().any(breaks) {
        judged.retain(|it| !is_about_version(it));
    }
    judged.sort_by(|left, right| {
        let by_weight = (right.level, right.change.severity).cmp(&(left.level, left.change.severity));
        let by_place =
            (&left.change.path, left.change.rule.id).cmp(&(&right.change.path, right.change.rule.id));
        by_weight.then(by_place)
    });
    Judgement { profile: policy.profile, judged }
}

fn is_about_version(judged: &Judged) -> bool {
    judged.change.rule.id == rules::session::VERSION_NOT_BUMPED.id
}

fn one(mut change: Change, policy: &Policy, used: &mut [bool]) -> Option<Judged> {
    let mut level = policy.profile.level(change.rule, change.severity);
    match policy.rules.get(change.rule.id) {
        Some(None) => return None,
        Some(Some(severity)) => {
            change.severity = *severity;
            level = usual_level(*severity);
        }
        None => {}
    }
    let fingerprint = fingerprint(&change);
    let mut accepted = None;
    for (allow, used) in policy.allow.iter().zip(used) {
        if matches(allow, &change, &fingerprint) {
            *used = true;
            if !ended(allow, policy) {
                accepted.get_or_insert_with(|| allow.reason.clone());
            }
        }
    }
    Some(Judged { change, level, accepted, fingerprint })
}

fn ended(allow: &Allow, policy: &Policy) -> bool {
    // Dates of this form are in order as text.
    allow.until.as_ref().is_some_and(|until| *until < policy.today)
}

fn idle(allow: &Allow, used: bool, policy: &Policy) -> Option<Judged> {
    let change = if ended(allow, policy) {
        let until = allow.until.as_deref().unwrap_or_default();
        Change::of(
            &rules::gate::ALLOW_EXPIRED,
            &allow.place,
            format!("this entry ended on {until}: {}", allow.reason),
        )
    } else if used || policy.shared_allow {
        return None;
    } else {
        let path = if allow.path.is_empty() { String::new() } else { format!(", path `{}`", allow.path) };
        let what = format!("this entry matches no change: rule `{}`{path}", allow.rule);
        Change::of(&rules::gate::ALLOW_UNUSED, &allow.place, what)
    };
    one(change, policy, &mut [])
}

fn matches(allow: &Allow, change: &Change, fingerprint: &str) -> bool {
    (allow.rule == "*" || allow.rule == change.rule.id)
        && (allow.path.is_empty() || glob(allow.path.as_bytes(), change.path.as_bytes()))
        && allow.fingerprint.as_deref().is_none_or(|given| given == fingerprint)
}

/// Matches with `*` for any run of bytes, in linear space and without backtracking over more than the last star.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut idx, mut star) = (0, 0, None);
    while idx < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, idx));
            at += 1;
        } else if pattern.get(at) == Some(&text[idx]) {
            at += 1;
            idx += 1;
        } else if let Some((star_at, star_idx)) = star {
            at = star_at + 1;
            idx = star_idx + 1;
            star = Some((star_at, star_idx + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Names a change across commits.
pub fn fingerprint(change: &Change) -> String {
    let mut hash = Sha256::new();
    for part in [change.rule.id, &change.path] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    for value in [&change.before, &change.after] {
        hash.update(value.as_ref().map_or_else(String::new, crate::canonical::canonical).as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::gate::{ALLOW_EXPIRED, ALLOW_UNUSED};

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, fits) in [
            ("/tools/*", "/tools/a/inputSchema", true),
            ("*limit", "/tools/a/limit", true),
            ("/tools/*/b", "/tools/a/c", false),
            ("/tools/a", "/tools/a/b", false),
            ("*a*b*", "xxaxxbxx", true),
        ] {
            assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_version_is_not_blamed_for_breaks_that_are_none_by_the_rules() {
        let changes = || Diff {
            changes: vec![
                Change::of(&rules::items::TOOL_REMOVED, "/tools/a", "a is gone"),
                Change::of(
                    &rules::session::VERSION_NOT_BUMPED,
                    "/initialize/serverInfo/version",
                    "as it was",
                ),
            ],
        };
        let of = |policy: &Policy| judge(changes(), policy).judged.len();
        assert_eq!(of(&Policy::default()), 2);
        let milder = BTreeMap::from([("tool-removed".to_owned(), Some(Severity::Risky))]);
        assert_eq!(of(&Policy { rules: milder, ..Policy::default() }), 1);
        let allow = vec![Allow { rule: "tool-removed".into(), ..Allow::default() }];
        assert_eq!(of(&Policy { allow, ..Policy::default() }), 1);
    }

    #[test]
    fn entries_that_match_nothing_or_have_ended_are_findings() {
        let allow = |until: Option<&str>| Allow {
            rule: "tool-removed".into(),
            reason: "planned".into(),
            until: until.map(str::to_owned),
            ..Allow::default()
        };
        let allow = vec![allow(None), allow(Some("2026-01-01"))];
        let policy = Policy { allow, today: "2026-11-30".into(), ..Policy::default() };
        let judgement = judge(Diff::default(), &policy);
        let rules: Vec<_> = judgement.judged.iter().map(|judged| judged.change.rule.id).collect();
        assert_eq!(rules, [ALLOW_EXPIRED.id, ALLOW_UNUSED.id]);
        assert!(!judgement.fails(Level::Error) && judgement.fails(Level::Warn));
    }
}
