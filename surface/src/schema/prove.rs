//! Proves that one schema takes all that another takes. What it cannot prove may still be true; a witness then has to be looked for.

use super::form::{Conj, Form, Taken};
use super::graph::Graph;
use super::node::{Cond, Id};
use super::pattern::{Found, Refuse, one_of};
use super::types::Types;
use serde_json::Value;
use std::collections::HashSet;

/// How many goals are tried.
const FUEL: u32 = 8_000;
/// How deep goals are nested.
const DEEPEST: u32 = 60;

/// Which values count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Scope {
    /// Every value.
    All,
    /// Only values without members that the one side leaves open and only the other describes: no caller sends what was not documented.
    Documented,
}

type Goal = (Conj, Conj, Scope);

/// A proof in progress. Goals that were met on the way may be assumed below themselves, which is what proves recursive schemas.
pub(super) struct Prover<'g, 'a> {
    pub(super) graph: &'g Graph<'a>,
    scope: Scope,
    trail: Vec<Goal>,
    assumed: HashSet<Goal>,
    failed: HashSet<Goal>,
    fuel: u32,
    depth: u32,
    /// How many alternatives are being tried; what fails in one of them explains nothing.
    trying: u32,
    gap: Option<&'static str>,
    /// Whether it is asked what a `not` refuses; asking that again inside would assume the answer.
    pub(super) refusing: bool,
}

impl<'g, 'a> Prover<'g, 'a> {
    pub(super) fn new(graph: &'g Graph<'a>, scope: Scope) -> Self {
        let (trail, assumed, failed) = (Vec::new(), HashSet::new(), HashSet::new());
        Self {
            graph,
            scope,
            trail,
            assumed,
            failed,
            fuel: FUEL,
            depth: 0,
            trying: 0,
            gap: None,
            refusing: false,
        }
    }

    /// The keyword that kept the last proof from succeeding.
    pub(super) fn gap(&self) -> Option<&'static str> {
        self.gap
    }

    /// Whether each value of `small` is one of `large`.
    pub(super) fn subset(&mut self, small: &Conj, large: &Conj) -> bool {
        // Looking for a twin among thousands of branches is work as well.
        self.graph.pay(1);
        if small == large {
            return true;
        }
        if self.graph.is_broke() {
            return false;
        }
        if self.graph.is_anything(large) || self.graph.alike(small, large) {
            return true;
        }
        let goal = (small.clone(), large.clone(), self.scope);
        if self.assumed.contains(&goal) {
            return true;
        }
        if self.failed.contains(&goal) || self.fuel == 0 || self.depth > DEEPEST || self.graph.is_broke() {
            return false;
        }
        self.fuel -= 1;
        self.depth += 1;
        let mark = self.trail.len();
        self.trail.push(goal.clone());
        self.assumed.insert(goal.clone());
        let proven = self.by_values(small, large).unwrap_or_else(|| self.by_types(small, large));
        self.depth -= 1;
        if !proven {
            for dropped in self.trail.drain(mark..) {
                self.assumed.remove(&dropped);
            }
            self.failed.insert(goal);
        }
        proven
    }

    /// Whether both take the same values, without leave for what is undocumented.
    pub(super) fn equal(&mut self, left: &Conj, right: &Conj) -> bool {
        self.strictly(|prover| prover.subset(left, right) && prover.subset(right, left))
    }

    pub(super) fn strictly<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let scope = std::mem::replace(&mut self.scope, Scope::All);
        let answer = ask(self);
        self.scope = scope;
        answer
    }

    /// Tries something that need not succeed.
    pub(super) fn attempt<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.trying += 1;
        let answer = ask(self);
        self.trying -= 1;
        answer
    }

    pub(super) fn documented_only(&self) -> bool {
        self.scope == Scope::Documented
    }

    /// Notes what is missing.
    pub(super) fn lacks(&mut self, keyword: &'static str) -> bool {
        if self.trying == 0 && self.gap.is_none() {
            self.gap = Some(keyword);
        }
        false
    }

    fn by_values(&mut self, small: &Conj, large: &Conj) -> Option<bool> {
        let form = self.graph.form(small);
        let values = form.values.as_ref()?;
        let proven = values.iter().all(|value| self.graph.takes(large, value) == Some(true));
        Some(proven || self.lacks("enum"))
    }

    fn by_types(&mut self, small: &Conj, large: &Conj) -> bool {
        let types = self.graph.form(small).types();
        types.each().all(|one| self.by_type(&small.only(one), large, one))
    }

    fn by_type(&mut self, small: &Conj, large: &Conj, one: Types) -> bool {
        if one == Types::NULL || one == Types::BOOLEAN {
            let values = if one == Types::NULL { vec![Value::Null] } else { vec![true.into(), false.into()] };
            let fits = |value: &Value| {
                self.graph.takes(small, value) == Some(false) || self.graph.takes(large, value) == Some(true)
            };
            return values.iter().all(fits) || self.lacks("type");
        }
        if self.empty(small) {
            return true;
        }
        let form = self.graph.form(small);
        let split = form.any.first().or(form.one.first()).is_some() || !form.conds.is_empty();
        if !split {
            return self.direct(small, &form, large, one);
        }
        self.attempt(|prover| prover.direct(small, &form, large, one)) || self.split(small, &form, large)
    }

    /// Proves it for each branch of a group.
    fn split(&mut self, small: &Conj, form: &Form<'a>, large: &Conj) -> bool {
        let group = form.any.first().map(|id| (*id, Taken::ANY));
        if let Some((id, taken)) = group.or_else(|| form.one.first().map(|id| (*id, Taken::ONE))) {
            let node = self.graph.node(id);
            let branches = if taken == Taken::ANY { &node.any } else { &node.one };
            let rest = small.take(id, taken);
            return branches.iter().all(|branch| self.subset(&rest.plus(*branch), large));
        }
        let Some((id, cond)) = form.conds.first() else { return false };
        let rest = small.take(*id, Taken::COND);
        let with = cond.then.map_or_else(|| rest.plus(cond.test), |then| rest.plus(cond.test).plus(then));
        let without = cond.otherwise.map_or_else(|| rest.clone(), |otherwise| rest.plus(otherwise));
        self.subset(&with, large) && self.subset(&without, large)
    }

    /// Proves each demand of `large` on its own.
    fn direct(&mut self, small: &Conj, form: &Form<'a>, large: &Conj, one: Types) -> bool {
        let demands = self.graph.form(&large.only(one));
        if !demands.types().has(one) {
            return self.lacks("type");
        }
        if let Some(values) = &demands.values
            && !self.few_numbers(form, large, one)
            && !(one == Types::STRING && self.few_texts(form, large, values))
        {
            return self.lacks("enum");
        }
        let shape = match one {
            Types::INTEGER | Types::FRACTION => self.numbers(form, &demands, one),
            Types::STRING => self.strings(form, &demands),
            Types::ARRAY => self.arrays(form, &demands),
            Types::OBJECT => self.objects(small, form, &demands),
            _ => true,
        };
        shape && self.groups(small, form, &demands) && self.opaque(form, &demands)
    }

    /// Tries each whole number of a short range.
    fn few_numbers(&self, form: &Form<'a>, large: &Conj, one: Types) -> bool {
        let range = form.range.whole();
        let (Some(low), Some(high)) = (range.low, range.high) else { return false };
        let mut at = low.at;
        for _ in 0..64 {
            if at > high.at {
                return one == Types::INTEGER;
            }
            if self.graph.takes(large, &at.value()) != Some(true) {
                return false;
            }
            at = at.add(1);
        }
        false
    }

    /// Whether all texts are among `values`, as those of `^(asc|desc)$` may be.
    fn few_texts(&self, form: &Form<'a>, large: &Conj, values: &[&Value]) -> bool {
        let taken = values.iter().copied().filter(|value| self.graph.takes(large, value) == Some(true));
        let mine: Vec<_> = form.patterns.iter().copied().collect();
        let Some(pattern) = one_of(taken).filter(|_| !mine.is_empty()) else { return false };
        self.graph.patterns.find(&mine, form.length, Refuse::Pattern(&pattern)) == Found::Nothing
    }

    fn numbers(&mut self, form: &Form<'a>, demands: &Form<'a>, one: Types) -> bool {
        if !demands.range.of(one).covers(&form.range.of(one)) {
            return self.lacks("range");
        }
        let steps = |step: &super::number::Num| {
            let whole =
                one == Types::INTEGER && super::number::Num::Whole(1).is_multiple_of(*step) == Some(true);
            whole || form.multiples.iter().any(|mine| mine.is_multiple_of(*step) == Some(true))
        };
        demands.multiples.iter().all(steps) || self.lacks("multipleOf")
    }

    fn strings(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        let patterns = &self.graph.patterns;
        let mine: Vec<_> = form.patterns.iter().copied().collect();
        let none = |refuse: Refuse<'_>| patterns.find(&mine, form.length, refuse) == Found::Nothing;
        let long =
            demands.length.covers(&form.length) || (!mine.is_empty() && none(Refuse::Length(demands.length)));
        if !long {
            return self.lacks("length");
        }
        let fits = |pattern: &&str| form.patterns.contains(pattern) || none(Refuse::Pattern(pattern));
        demands.patterns.iter().all(fits) || self.lacks("pattern")
    }

    fn groups(&mut self, small: &Conj, form: &Form<'a>, demands: &Form<'a>) -> bool {
        let any = demands.any.iter().all(|id| {
            let branches = &self.graph.node(*id).any;
            form.any.contains(id)
                || self
                    .attempt(|prover| branches.iter().any(|branch| prover.subset(small, &Conj::of(*branch))))
        });
        if !any {
            return self.lacks("anyOf");
        }
        if !demands.one.iter().all(|id| form.one.contains(id) || self.one_of(small, form, *id)) {
            return self.lacks("oneOf");
        }
        if !demands.nots.iter().all(|id| self.not(small, form, *id)) {
            return self.lacks("not");
        }
        demands.conds.iter().all(|(_, cond)| self.condition(small, form, *cond)) || self.lacks("if")
    }

    /// Exactly one branch takes all, and no other takes any; or the same branches stand on both sides.
    fn one_of(&mut self, small: &Conj, form: &Form<'a>, id: Id) -> bool {
        let branches = self.graph.node(id).one.clone();
        self.attempt(|prover| {
            let fits = |prover: &mut Self, at: usize| {
                prover.subset(small, &Conj::of(branches[at]))
                    && branches
                        .iter()
                        .enumerate()
                        .all(|(other, branch)| other == at || prover.empty(&small.plus(*branch)))
            };
            (0..branches.len()).any(|at| fits(prover, at))
                || form.one.iter().any(|mine| prover.same_branches(*mine, &branches))
        })
    }

    fn same_branches(&mut self, mine: Id, branches: &[Id]) -> bool {
        let mut left = branches.to_vec();
        let mine = &self.graph.node(mine).one;
        // Branches that take nothing count on neither side.
        for branch in mine {
            let found = left.iter().position(|other| self.equal(&Conj::of(*branch), &Conj::of(*other)));
            match found {
                Some(at) => drop(left.swap_remove(at)),
                None if self.empty(&Conj::of(*branch)) => {}
                None => return false,
            }
        }
        left.iter().all(|branch| self.empty(&Conj::of(*branch)))
    }

    fn not(&mut self, small: &Conj, form: &Form<'a>, id: Id) -> bool {
        let refused = Conj::of(id);
        let mine = form.nots.clone();
        self.attempt(|prover| {
            mine.contains(&id)
                || prover.empty(&small.plus(id))
                || prover.strictly(|prover| mine.iter().any(|not| prover.subset(&refused, &Conj::of(*not))))
        })
    }

    fn condition(&mut self, small: &Conj, form: &Form<'a>, cond: Cond) -> bool {
        let branch = |id: Option<Id>| Conj::all(id);
        let (then, otherwise) = (branch(cond.then), branch(cond.otherwise));
        let mine = form.conds.clone();
        self.attempt(|prover| {
            let same = |prover: &mut Self, id: Id, own: Cond| {
                let rest = small.take(id, Taken::COND);
                (own == cond)
                    || prover.equal(&Conj::of(own.test), &Conj::of(cond.test))
                        && prover.subset(&rest.meet(&branch(own.then)).plus(own.test), &then)
                        && prover.subset(&rest.meet(&branch(own.otherwise)), &otherwise)
            };
            mine.iter().any(|(id, own)| same(prover, *id, *own))
                || prover.subset(&small.plus(cond.test), &then)
                    && (prover.subset(small, &otherwise) || prover.subset(small, &Conj::of(cond.test)))
                || prover.subset(small, &otherwise) && prover.empty(&small.plus(cond.test))
        })
    }

    /// What cannot be judged has to stand on both sides with the same words.
    fn opaque(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        for id in &demands.opaque {
            let same = form.opaque.iter().any(|mine| self.same_words(*mine, *id));
            if !same {
                let node = self.graph.node(*id);
                let keyword = if node.lost.is_some() {
                    "$ref"
                } else if node.open_props.is_some() {
                    "unevaluatedProperties"
                } else if node.open_items.is_some() {
                    "unevaluatedItems"
                } else {
                    "an unknown keyword"
                };
                return self.lacks(keyword);
            }
        }
        true
    }

    fn same_words(&self, left: Id, right: Id) -> bool {
        let (mine, theirs) = (self.graph.node(left), self.graph.node(right));
        if left == right {
            return true;
        }
        let unevaluated = mine.open_props.or(mine.open_items).or(theirs.open_props).or(theirs.open_items);
        if unevaluated.is_some() {
            // What is evaluated depends on all of the schema, and on what it refers to.
            return self.graph.same_text(left, right);
        }
        mine.lost == theirs.lost
            && mine.unknown.len() == theirs.unknown.len()
            && mine
                .unknown
                .iter()
                .zip(&theirs.unknown)
                .all(|(mine, theirs)| mine.0 == theirs.0 && super::graph::alike_values(mine.1, theirs.1))
    }
}
