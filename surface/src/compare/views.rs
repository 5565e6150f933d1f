//! Pairs the views of two surfaces and joins what is found in several of them. What a pair says stands in its neighbours.

use super::diff_views;
use crate::change::Change;
use crate::model::{Surface, View};
use crate::rules::session::{
    PROTOCOL_VERSION_ADDED, PROTOCOL_VERSION_DROPPED, PROTOCOL_VERSION_LOWERED, PROTOCOL_VERSION_RAISED,
};
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

const PATH: &str = "/initialize/protocolVersion";

/// All that changed from one surface to the other, in no order.
pub(super) fn compare(before: &Surface, after: &Surface) -> Vec<Change> {
    let single = before.views.len() <= 1 && after.views.len() <= 1;
    let pairs = pair(before, after);
    let mut joined = Joined::default();
    for (idx, (old, new)) in pairs.iter().enumerate() {
        // Most servers show the same surface in each revision; it is read once.
        let twin = pairs[..idx].iter().position(|(left, right)| same(left, old) && same(right, new));
        let revision = if single { None } else { revision(new).or(revision(old)) };
        match twin {
            Some(twin) => joined.repeat(twin, revision),
            None => joined.take(diff_views(old, new), revision),
        }
    }
    let mut changes = joined.changes;
    changes.extend(spoken(before, after, &pairs));
    changes
}

fn revision(view: &View) -> Option<&str> {
    view.session.protocol_version.as_deref()
}

fn pair<'s>(before: &'s Surface, after: &'s Surface) -> Vec<(&'s View, &'s View)> {
    match (&before.views[..], &after.views[..]) {
        ([], _) | (_, []) => Vec::new(),
        ([old], [new]) => vec![(old, new)],
        ([old], many) => vec![(old, like(many, old))],
        (many, [new]) => vec![(like(many, new), new)],
        (old, new) => {
            let partner = |view| new.iter().find(|other| revision(other) == revision(view));
            let pairs: Vec<_> = old.iter().filter_map(|view| Some((view, partner(view)?))).collect();
            if pairs.is_empty() { vec![(&old[0], &new[0])] } else { pairs }
        }
    }
}

/// The view of the same revision, else the newest, which comes first.
fn like<'s>(many: &'s [View], one: &View) -> &'s View {
    many.iter().find(|view| revision(view) == revision(one)).unwrap_or(&many[0])
}

/// Whether two views differ in nothing but the revision.
fn same(left: &View, right: &View) -> bool {
    let (one, other) = (&left.session, &right.session);
    left.lists == right.lists
        && one.capabilities == other.capabilities
        && one.server_info == other.server_info
        && one.instructions == other.instructions
}

#[derive(Default)]
struct Joined {
    changes: Vec<Change>,
    /// Where changes of one rule at one path with one message stand.
    places: HashMap<(&'static str, String, String), Vec<usize>>,
    /// Which changes each view found.
    found: Vec<Vec<usize>>,
}

impl Joined {
    fn take(&mut self, changes: Vec<Change>, revision: Option<&str>) {
        let found = changes.into_iter().map(|change| self.place(change)).collect::<Vec<_>>();
        self.mark(&found, revision);
        self.found.push(found);
    }

    fn repeat(&mut self, twin: usize, revision: Option<&str>) {
        let found = self.found[twin].clone();
        self.mark(&found, revision);
        self.found.push(found);
    }

    fn place(&mut self, change: Change) -> usize {
        let next = self.changes.len();
        let places = match self.places.entry((change.rule.id, change.path.clone(), change.message.clone())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Vec::new()),
        };
        let known = &self.changes;
        if let Some(at) = places.iter().copied().find(|at| is_same(&known[*at], &change)) {
            return at;
        }
        places.push(next);
        self.changes.push(change);
        next
    }

    fn mark(&mut self, found: &[usize], revision: Option<&str>) {
        let Some(revision) = revision else { return };
        for at in found {
            let revisions = &mut self.changes[*at].revisions;
            if !revisions.iter().any(|known| known == revision) {
                revisions.push(revision.to_owned());
            }
        }
    }
}

fn is_same(left: &Change, right: &Change) -> bool {
    left.severity == right.severity
        && left.before == right.before
        && left.after == right.after
        && left.witness == right.witness
}

/// What the revisions themselves say: those that came and went where all are known, else the one of the answer.
fn spoken(before: &Surface, after: &Surface, pairs: &[(&View, &View)]) -> Vec<Change> {
    if before.every_revision && after.every_revision {
        let lacks = |many: &Surface, view: &&View| {
            revision(view).is_some() && !many.views.iter().any(|other| revision(other) == revision(view))
        };
        let dropped = before.views.iter().filter(|view| lacks(after, view)).filter_map(revision);
        let dropped = dropped.map(|date| {
            Change::of(&PROTOCOL_VERSION_DROPPED, PATH, format!("revision {date} is no longer spoken"))
                .from_to(Some(&Value::from(date)), None)
        });
        let added = after.views.iter().filter(|view| lacks(before, view)).filter_map(revision);
        let added = added.map(|date| {
            Change::of(&PROTOCOL_VERSION_ADDED, PATH, format!("revision {date} is spoken from now on"))
                .from_to(None, Some(&Value::from(date)))
        });
        return dropped.chain(added).collect();
    }
    let [(old, new)] = pairs else { return Vec::new() };
    let (Some(old), Some(new)) = (revision(old), revision(new)) else { return Vec::new() };
    // Revisions are dates, which are in order as text.
    let rule = match new.cmp(old) {
        std::cmp::Ordering::Less => &PROTOCOL_VERSION_LOWERED,
        std::cmp::Ordering::Greater => &PROTOCOL_VERSION_RAISED,
        std::cmp::Ordering::Equal => return Vec::new(),
    };
    let message = format!("the server answers in {new}, where it answered in {old}");
    vec![Change::of(rule, PATH, message).from_to(Some(&Value::from(old)), Some(&Value::from(new)))]
}
