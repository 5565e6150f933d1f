//! Joins what is one change to a reader: the same rule at the same place, found in several revisions with other contents. How it looks is the renderers'.

use std::collections::BTreeMap;
use surface::policy::Judged;
use surface::{Change, Severity};

/// One change, as it was found in each revision.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    /// What was found, in the order of the judgement; never empty, and no revision is in two of them.
    pub variants: Vec<&'a Judged>,
}

/// Joins `changes` of one rule and path whose revisions have nothing in common.
pub(crate) fn items<'a>(changes: impl Iterator<Item = &'a Judged>) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = Vec::new();
    // Where the items of a rule and path stand, and how many of them each revision is in.
    let mut known: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    let mut used: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for judged in changes {
        let change = &judged.change;
        if change.revisions.is_empty() {
            // Two changes of one view are two changes.
            items.push(Item { variants: vec![judged] });
            continue;
        }
        let (rule, path) = (change.rule.id, change.path.as_str());
        let revisions = change.revisions.iter();
        let free = revisions.clone().filter_map(|it| used.get(&(rule, path, it.as_str()))).max();
        let free = free.copied().unwrap_or(0);
        revisions.for_each(|it| _ = used.insert((rule, path, it.as_str()), free + 1));
        let places = known.entry((rule, path)).or_default();
        match places.get(free) {
            Some(at) => items[*at].variants.push(judged),
            None => {
                places.push(items.len());
                items.push(Item { variants: vec![judged] });
            }
        }
    }
    items
}

impl<'a> Item<'a> {
    /// The worst variant, which stands for all.
    pub(crate) fn first(&self) -> &'a Judged {
        self.variants.first().expect("an item is made of its first variant")
    }

    /// How bad it is where it is worst.
    pub(crate) fn severity(&self) -> Severity {
        self.variants.iter().map(|judged| judged.change.severity).max().unwrap_or(Severity::None)
    }

    /// Tells whether `part` is the same in all variants.
    pub(crate) fn agrees<T: PartialEq>(&self, part: impl Fn(&'a Change) -> T) -> bool {
        let first = part(&self.first().change);
        self.variants.iter().all(|judged| part(&judged.change) == first)
    }

    /// Each sentence that the variants say, with the revisions in which it holds.
    pub(crate) fn messages(&self) -> Vec<(&'a str, Vec<&'a str>)> {
        let mut messages: Vec<(&str, Vec<&str>)> = Vec::new();
        for judged in &self.variants {
            let change = &judged.change;
            let revisions = change.revisions.iter().map(String::as_str);
            match messages.iter_mut().find(|(text, _)| *text == change.message) {
                Some((_, known)) => known.extend(revisions),
                None => messages.push((&change.message, revisions.collect())),
            }
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{ADDED, RENAMED};
    use surface::{Level, Rule};

    fn judged(rule: &'static Rule, path: &str, message: &str, revisions: &[&str]) -> Judged {
        let mut change = Change::of(rule, path, message);
        change.revisions = revisions.iter().map(|it| (*it).to_owned()).collect();
        Judged { change, level: Level::Info, accepted: None, fingerprint: String::new() }
    }

    fn sizes(changes: &[Judged]) -> Vec<usize> {
        items(changes.iter()).iter().map(|item| item.variants.len()).collect()
    }

    #[test]
    fn one_place_in_two_revisions_is_one_item() {
        let changes = [
            judged(&ADDED, "/tools/a", "x", &["1", "2"]),
            judged(&ADDED, "/tools/b", "x", &["1"]),
            judged(&RENAMED, "/tools/a", "x", &["3"]),
            judged(&ADDED, "/tools/a", "y", &["3"]),
            judged(&ADDED, "/tools/a", "x", &["4"]),
        ];
        assert_eq!(sizes(&changes), [3, 1, 1]);
        let messages = items(changes.iter())[0].messages();
        assert_eq!(messages, [("x", vec!["1", "2", "4"]), ("y", vec!["3"])]);
    }

    #[test]
    fn two_changes_of_one_revision_are_two_items() {
        let in_each = |revisions: [&[&str]; 3]| {
            sizes(&revisions.map(|revisions| judged(&ADDED, "/initialize/protocolVersion", "x", revisions)))
        };
        assert_eq!(in_each([&[], &[], &[]]), [1, 1, 1]);
        assert_eq!(in_each([&["1"], &["1"], &["2"]]), [2, 1]);
        assert_eq!(in_each([&["1", "2"], &["1"], &["2"]]), [1, 2]);
    }
}
