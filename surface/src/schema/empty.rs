//! Proves that a schema takes nothing at all.

use super::form::{Conj, Form, Taken};
use super::pattern::{Found, Refuse};
use super::prove::{Prover, Scope};
use super::types::Types;

/// How deep required members are followed; a schema that needs itself takes nothing, but is not found out.
const DEEPEST: u32 = 8;

impl<'a> Prover<'_, 'a> {
    /// Whether no value fits `conj`.
    pub(super) fn empty(&mut self, conj: &Conj) -> bool {
        self.attempt(|prover| prover.strictly(|prover| prover.is_empty(conj, 0)))
    }

    fn is_empty(&mut self, conj: &Conj, depth: u32) -> bool {
        self.graph.pay(1);
        if depth > DEEPEST || self.graph.is_broke() {
            return false;
        }
        let form = self.graph.form(conj);
        if form.values.as_ref().is_some_and(Vec::is_empty) || form.types().is_empty() {
            return true;
        }
        if form.values.is_some() {
            // The values that are left are taken, as far as can be told.
            return false;
        }
        form.types().each().all(|one| self.is_empty_of(&conj.only(one), one, depth))
    }

    fn is_empty_of(&mut self, conj: &Conj, one: Types, depth: u32) -> bool {
        let form = self.graph.form(conj);
        let shape = match one {
            Types::INTEGER | Types::FRACTION => form.range.of(one).is_empty(),
            Types::STRING => self.no_text(&form),
            Types::ARRAY => self.no_array(&form, depth),
            Types::OBJECT => self.no_object(&form, depth),
            _ => false,
        };
        shape || self.no_branch(conj, &form, depth) || self.refused(conj, &form)
    }

    fn no_text(&self, form: &Form<'a>) -> bool {
        let patterns: Vec<_> = form.patterns.iter().copied().collect();
        form.length.is_empty()
            || (patterns.len() > 1 || (patterns.len() == 1 && form.length.max.is_some()))
                && self.graph.patterns.find(&patterns, form.length, Refuse::Nothing) == Found::Nothing
    }

    fn no_array(&mut self, form: &Form<'a>, depth: u32) -> bool {
        let needed = usize::try_from(form.items.min).unwrap_or(usize::MAX);
        let places = self.graph.places(&form.parts);
        form.items.is_empty()
            || (0..needed.min(places + 1)).any(|idx| {
                let item = self.graph.item(&form.parts, idx);
                self.is_empty(&item, depth + 1)
            })
    }

    fn no_object(&mut self, form: &Form<'a>, depth: u32) -> bool {
        let required = form.required.clone();
        form.size.is_empty()
            || form.size.max.is_some_and(|max| max < required.len() as u64)
            || required.iter().any(|name| {
                let member = self.graph.member(&form.parts, name);
                let named = serde_json::Value::from(*name);
                form.names.iter().any(|id| self.graph.accepts(*id, &named, 0) == Some(false))
                    || self.is_empty(&member, depth + 1)
            })
    }

    fn no_branch(&mut self, conj: &Conj, form: &Form<'a>, depth: u32) -> bool {
        let groups = form.any.iter().map(|id| (*id, Taken::ANY));
        let groups: Vec<_> = groups.chain(form.one.iter().map(|id| (*id, Taken::ONE))).collect();
        groups.into_iter().any(|(id, taken)| {
            let node = self.graph.node(id);
            let branches = if taken == Taken::ANY { &node.any } else { &node.one };
            let rest = conj.take(id, taken);
            branches.iter().all(|branch| self.is_empty(&rest.plus(*branch), depth + 1))
        })
    }

    fn refused(&self, conj: &Conj, form: &Form<'a>) -> bool {
        if self.refusing {
            return false;
        }
        // What is assumed further up may rest on this very answer, so the proof begins anew.
        let mut fresh = Prover::new(self.graph, Scope::All);
        fresh.refusing = true;
        form.nots.iter().any(|not| fresh.subset(conj, &Conj::of(*not)))
    }
}
