//! Which branch of alternatives speaks for values of a type, where only one does. What the branches mean together stands in `walk_items`.

use super::form::{Conj, Form, Taken};
use super::graph::Graph;
use super::node::Id;
use super::types::Types;
use super::walk::{Place, Walk};

/// How many alternatives in one another are looked through.
const DEEPEST: usize = 8;

/// A group of branches, and what it is called when it is taken apart.
type Group = (Id, Taken);

impl<'a> Graph<'a> {
    fn alternatives_in(&self, conj: &Conj) -> Vec<Group> {
        let form = self.form(conj);
        let any = form.any.iter().map(|id| (*id, Taken::ANY));
        any.chain(form.one.iter().map(|id| (*id, Taken::ONE))).collect()
    }

    /// `conj` with the only branch of a group that takes values of `types`.
    fn with_branch(&self, conj: &Conj, (id, taken): Group, types: Types) -> Option<Conj> {
        let node = self.node(id);
        let branches = if taken == Taken::ANY { &node.any } else { &node.one };
        let rest = conj.take(id, taken);
        if let [only] = branches.as_slice() {
            return Some(rest.plus(*only));
        }
        let mut speaking = branches.iter().filter(|branch| self.kinds(&Conj::of(**branch), 0).meets(types));
        let first = speaking.next()?;
        speaking.next().is_none().then(|| rest.plus(*first))
    }

    fn has_one_branch(&self, (id, taken): Group) -> bool {
        let node = self.node(id);
        if taken == Taken::ANY { node.any.len() == 1 } else { node.one.len() == 1 }
    }
}

impl<'a> Walk<'_, 'a> {
    /// The place with the branch on either side that alone speaks for `types`, so that it can be set against what the other side says without branches.
    pub(super) fn opened(&self, place: &Place, types: Types) -> Place {
        let mut out = place.clone();
        for _ in 0..DEEPEST {
            let groups = (self.graph.alternatives_in(&out.old), self.graph.alternatives_in(&out.new));
            let one =
                |groups: &[Group]| groups.iter().copied().find(|group| self.graph.has_one_branch(*group));
            let (old, new) = match (groups.0.as_slice(), groups.1.as_slice()) {
                ([group], []) => (Some(*group), None),
                ([], [group]) => (None, Some(*group)),
                (mine, theirs) => (one(mine), one(theirs)),
            };
            let old = old.and_then(|group| self.graph.with_branch(&out.old, group, types));
            let new = new.and_then(|group| self.graph.with_branch(&out.new, group, types));
            if old.is_none() && new.is_none() {
                break;
            }
            out.old = old.unwrap_or(out.old);
            out.new = new.unwrap_or(out.new);
        }
        out
    }
}

/// Whether what `says` asks for stands in the branches of one side, and by itself on the other, so that the two cannot be set against each other.
pub(super) fn scattered<'a>(old: &Form<'a>, new: &Form<'a>, says: impl Fn(&Form<'a>) -> bool) -> bool {
    let plain = |form: &Form<'a>| says(form) || form.any.is_empty() && form.one.is_empty();
    !plain(old) && says(new) || !plain(new) && says(old)
}
