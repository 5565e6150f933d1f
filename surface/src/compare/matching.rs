//! Matches the items of two lists by what tells them apart. Which of the others are renamed stands in `rename`.

use crate::canonical::canonical;
use crate::model::Item;
use std::collections::{HashMap, HashSet};

/// What became of each item.
#[derive(Default)]
pub(super) struct Matched<'i> {
    /// Items of the same id whose definitions differ.
    pub(super) changed: Vec<(&'i Item, &'i Item)>,
    /// Old items whose id is gone; of doublets the first.
    pub(super) removed: Vec<&'i Item>,
    /// New items whose id was not there; of doublets the first.
    pub(super) added: Vec<&'i Item>,
    /// Further definitions of an id, next to the first old one where there is one.
    pub(super) doubled: Vec<(Option<&'i Item>, &'i Item)>,
    /// Old definitions that are gone while another of their id stayed, with one that stayed.
    pub(super) merged: Vec<(&'i Item, &'i Item)>,
    /// Whether what is in both lists stands in another order.
    pub(super) reordered: bool,
}

/// Matches `before` with `after`, in the order of `before` and then of `after`.
pub(super) fn matched<'i>(before: &'i [Item], after: &'i [Item]) -> Matched<'i> {
    let mut out = Matched::default();
    let (old, new) = (grouped(before), grouped(after));
    for id in firsts(before) {
        match new.get(id) {
            Some(candidates) => out.pair(&old[id], candidates),
            None => out.removed.push(old[id][0]),
        }
    }
    for id in firsts(after).filter(|id| !old.contains_key(id)) {
        out.added.push(new[id][0]);
        out.doubled.extend(new[id][1..].iter().map(|item| (None, *item)));
    }
    // A sorted list is no news: lockfiles sort, and so should servers.
    let has_order = |items| !firsts(items).is_sorted();
    let order = firsts(before).filter(|id| new.contains_key(id));
    let kept = order.eq(firsts(after).filter(|id| old.contains_key(id)));
    out.reordered = !kept && has_order(before) && has_order(after);
    out
}

impl<'i> Matched<'i> {
    fn pair(&mut self, old: &[&'i Item], new: &[&'i Item]) {
        if let ([old], [new]) = (old, new) {
            if old.definition != new.definition {
                self.changed.push((old, new));
            }
            return;
        }
        let mut by_content: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, item) in new.iter().enumerate().rev() {
            by_content.entry(canonical(&item.definition)).or_default().push(at);
        }
        let (mut taken, mut open) = (HashSet::new(), Vec::new());
        for item in old {
            match by_content.get_mut(&canonical(&item.definition)).and_then(Vec::pop) {
                Some(at) => drop(taken.insert(at)),
                None => open.push(*item),
            }
        }
        let left = new.iter().enumerate().filter(|(at, _)| !taken.contains(at));
        let mut left: Vec<_> = left.map(|(_, item)| *item).collect();
        let pairs = open.len().min(left.len());
        self.changed.extend(open.drain(..pairs).zip(left.drain(..pairs)));
        self.doubled.extend(left.into_iter().map(|item| (Some(old[0]), item)));
        self.merged.extend(open.into_iter().map(|item| (item, new[0])));
    }
}

fn grouped(items: &[Item]) -> HashMap<&str, Vec<&Item>> {
    let mut groups: HashMap<_, Vec<_>> = HashMap::with_capacity(items.len());
    for item in items {
        groups.entry(item.id.as_str()).or_default().push(item);
    }
    groups
}

fn firsts(items: &[Item]) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().map(|item| item.id.as_str()).filter(move |id| seen.insert(*id))
}
