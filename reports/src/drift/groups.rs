//! Puts changes that one rule found together, so that what they have in common is told once. How they look is the renderers'.

use super::context::DriftContext;
use super::items::{Item, items};
use crate::Detail;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use surface::Change;
use surface::policy::Judged;

/// So many places of a group are shown unless all is asked for.
const MOST: usize = 10;

/// Changes of one rule, as bad as each other. What differs between revisions only is one change.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The changes in the order of the judgement; never empty.
    pub changes: Vec<Item<'a>>,
}

/// Groups `changes`, worst first; where two are as bad, what is about items comes before what is about their parts.
pub(crate) fn groups<'a>(changes: impl Iterator<Item = &'a Judged>) -> Vec<Group<'a>> {
    let mut index = BTreeMap::new();
    let mut groups: Vec<Group<'a>> = Vec::new();
    for item in items(changes) {
        let first = item.first();
        let key = (first.level, first.change.severity, first.change.rule.id);
        let at = *index.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.changes.push(item),
            None => groups.push(Group { changes: vec![item] }),
        }
    }
    groups.sort_by_key(|group| {
        let first = group.first();
        (Reverse(first.level), Reverse(first.change.severity), first.change.rule.area)
    });
    groups
}

impl<'a> Group<'a> {
    /// The change that stands for all in what its rule says.
    pub(crate) fn first(&self) -> &'a Judged {
        self.changes.first().expect("a group is made of its first change").first()
    }

    /// What was found, revision by revision.
    pub(crate) fn each(&self) -> impl Iterator<Item = &'a Judged> {
        self.changes.iter().flat_map(|item| item.variants.iter().copied())
    }

    /// The changes to show, and how many more there are.
    pub(crate) fn shown(&self, ctx: &DriftContext) -> (&[Item<'a>], usize) {
        let most = if ctx.detail == Detail::Verbose { usize::MAX } else { MOST };
        let shown = &self.changes[..self.changes.len().min(most)];
        (shown, self.changes.len() - shown.len())
    }

    /// Tells whether `part` is the same in several changes, so that it is told once.
    pub(crate) fn shares<T: PartialEq>(&self, part: impl Fn(&'a Change) -> T) -> bool {
        let first = part(&self.first().change);
        self.changes.len() > 1 && self.each().all(|judged| part(&judged.change) == first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{self, ADDED, RENAMED, REQUIRED};
    use surface::{Level, Rule, Severity};

    fn judged(rule: &'static Rule, path: &str) -> Judged {
        let change = Change::of(rule, path, "changed");
        Judged { change, level: rule.level, accepted: None, fingerprint: String::new() }
    }

    #[test]
    fn one_rule_is_one_group_and_items_come_first() {
        let mut milder = judged(&REQUIRED, "/tools/d");
        (milder.change.severity, milder.level) = (Severity::Risky, Level::Warn);
        let changes = [
            judged(&REQUIRED, "/tools/a"),
            judged(&RENAMED, "/tools/b"),
            judged(&REQUIRED, "/tools/c"),
            milder,
            judged(&ADDED, "/tools/e"),
        ];
        let groups = groups(changes.iter());
        let told: Vec<_> =
            groups.iter().map(|group| (group.first().change.rule.id, group.changes.len())).collect();
        let required = "input-required-added";
        assert_eq!(told, [("tool-renamed", 1), (required, 2), (required, 1), ("tool-added", 1)]);
        assert!(groups[1].shares(|change| &change.message) && !groups[1].shares(|change| &change.path));
        assert!(!groups[0].shares(|change| &change.message), "one change shares nothing with another");
    }

    #[test]
    fn ten_places_are_shown_unless_all_are_asked_for() {
        let (judgement, ctx) = samples::flood(12);
        let group = &groups(judgement.judged.iter())[0];
        assert_eq!(group.shown(&ctx).0.len(), 10);
        assert_eq!(group.shown(&ctx).1, 2);
        assert_eq!(group.shown(&DriftContext { detail: Detail::Verbose, ..ctx }).1, 0);
    }
}
