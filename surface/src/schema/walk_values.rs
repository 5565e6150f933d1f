//! Names changes of a value itself: its type, its listed values, its limits.

use super::Side;
use super::book::{Family, Turn};
use super::focus::Focus;
use super::form::{Conj, Form};
use super::graph::Graph;
use super::node::Id;
use super::number::{Num, Range, Span};
use super::opened::scattered;
use super::types::Types;
use super::walk::{Claim, Place, Walk};
use crate::canonical::canonical;
use serde_json::Value;
use std::collections::HashSet;

/// How deep branches are followed for the types in them.
const DEEPEST: u32 = 6;
/// The value that a branch of type `null` takes.
static NULL: Value = Value::Null;
/// How many values a message lists.
const FEW: usize = 5;

impl<'a> Graph<'a> {
    /// The types that a value can have, branches considered.
    pub(super) fn kinds(&self, conj: &Conj, depth: u32) -> Types {
        let form = self.form(conj);
        let mut types = form.types();
        if depth > DEEPEST {
            return types;
        }
        let groups = form.any.iter().map(|id| &self.node(*id).any);
        for branches in groups.chain(form.one.iter().map(|id| &self.node(*id).one)) {
            let each = branches.iter().map(|branch| self.kinds(&Conj::of(*branch), depth + 1));
            types = types.and(each.fold(Types::NONE, Types::or));
        }
        types
    }

    /// The only values that are taken, branches with one value each considered.
    pub(super) fn listed_values(&self, form: &Form<'a>) -> Option<Vec<&'a Value>> {
        if form.values.is_some() {
            return form.values.clone();
        }
        let branches: &[Id] = match (form.any.as_slice(), form.one.as_slice()) {
            ([id], []) => &self.node(*id).any,
            ([], [id]) => &self.node(*id).one,
            _ => return None,
        };
        let mut all = Vec::new();
        for branch in branches {
            let form = self.form(&Conj::of(*branch));
            match &form.values {
                Some(values) => all.extend(values),
                None if form.types() == Types::NULL => all.push(&NULL),
                None => return None,
            }
        }
        Some(all)
    }
}

impl<'a> Walk<'_, 'a> {
    /// Names what changed about the value at `place` itself.
    pub(super) fn values(&mut self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        let listed = (self.graph.listed_values(&old), self.graph.listed_values(&new));
        let kinds = (self.graph.kinds(&place.old, 0), self.graph.kinds(&place.new, 0));
        match listed {
            (Some(before), Some(after)) => self.listed(place, &before, &after, claims),
            (None, None) => self.kinds_changed(place, kinds.0, kinds.1, claims),
            (before, after) => {
                // A list of all values of a few types says no more than the types.
                self.list_came_or_went(place, before.as_deref(), after.as_deref(), kinds, claims);
            }
        }
        let types = kinds.0.and(kinds.1);
        if types.meets(Types::NUMBER) {
            self.ranges(&self.opened(place, Types::NUMBER), types, claims);
        }
        if types.has(Types::STRING) {
            let place = self.opened(place, Types::STRING);
            self.lengths(&place, claims);
            self.patterns(&place, claims);
        }
    }

    fn listed(&self, place: &Place, before: &[&Value], after: &[&Value], claims: &mut Vec<Claim>) {
        let missing = |from: &[&Value], other: &[&Value]| -> Vec<Value> {
            let other: HashSet<String> = other.iter().map(|value| canonical(value)).collect();
            from.iter()
                .filter(|value| !other.contains(&canonical(value)))
                .map(|value| (*value).clone())
                .collect()
        };
        let (lost, gained) = (missing(before, after), missing(after, before));
        let what = self.what(place);
        if let ([lost], [gained], 1, 1) = (lost.as_slice(), gained.as_slice(), before.len(), after.len()) {
            let message = format!("{what} must now be {}, was {}", canonical(gained), canonical(lost));
            let mut claim = self.claim(place, Family::Constant, Turn::Changed, "", message);
            (claim.before, claim.after) = (Some(lost.clone()), Some(gained.clone()));
            let sent = if self.side == Side::Input { lost } else { gained };
            claim.focus = Focus::one_of(vec![sent.clone()]);
            claims.push(claim);
            return;
        }
        for (values, turn) in [(lost, Turn::Narrowed), (gained, Turn::Widened)] {
            let (nulls, others): (Vec<_>, Vec<_>) = values.into_iter().partition(Value::is_null);
            for (values, family) in [(nulls, Family::Null), (others, Family::Listed)] {
                if values.is_empty() {
                    continue;
                }
                let message = format!("{what} {} {}", self.verb(turn), list(&values));
                let mut claim = self.claim(place, family, turn, "", message);
                let told =
                    if let [one] = values.as_slice() { one.clone() } else { Value::from(values.clone()) };
                if turn == Turn::Narrowed {
                    claim.before = Some(told)
                } else {
                    claim.after = Some(told)
                }
                claim.focus = Focus::one_of(values);
                claims.push(claim);
            }
        }
    }

    fn verb(&self, turn: Turn) -> &'static str {
        match (self.side, turn) {
            (Side::Input, Turn::Widened) => "also takes",
            (Side::Input, _) => "no longer takes",
            (Side::Output, Turn::Narrowed) => "is never again",
            (Side::Output, _) => "may now be",
        }
    }

    fn list_came_or_went(
        &mut self,
        place: &Place,
        before: Option<&[&Value]>,
        after: Option<&[&Value]>,
        kinds: (Types, Types),
        claims: &mut Vec<Claim>,
    ) {
        let values = before.or(after).unwrap_or_default();
        let other = if before.is_some() { kinds.1 } else { kinds.0 };
        // Values of types that the other side does not take at all are a matter of types.
        if !values.iter().any(|value| other.has(Types::of(value))) {
            self.kinds_changed(place, kinds.0, kinds.1, claims);
            return;
        }
        let turn = self.turn_between(&place.old, &place.new);
        let Some(turn) = turn else { return };
        let usual = if before.is_some() { Turn::Widened } else { Turn::Narrowed };
        let shown: Vec<_> = values.iter().map(|value| (*value).clone()).collect();
        let what = self.what(place);
        let message = if before.is_some() {
            format!("{what} is no longer one of {}", list(&shown))
        } else {
            format!("{what} must now be one of {}", list(&shown))
        };
        let turn = if turn == Turn::Changed { Turn::Changed } else { usual };
        let mut claim = self.claim(place, Family::List, turn, "", message);
        let shown = Some(Value::from(shown));
        if before.is_some() {
            claim.before = shown
        } else {
            claim.after = shown
        }
        claims.push(claim);
    }

    fn kinds_changed(&self, place: &Place, old: Types, new: Types, claims: &mut Vec<Claim>) {
        if old == new {
            return;
        }
        let what = self.what(place);
        let (lost, gained) = (old.without(new), new.without(old));
        let mut add = |family, turn, types: Types, message: String| {
            let mut claim = self.claim(place, family, turn, "", message);
            claim.before = Some(Value::from(old.words()));
            claim.after = Some(Value::from(new.words()));
            claim.focus = Focus::Of(types);
            claims.push(claim);
        };
        if old.and(new).is_empty() || (old.and(new) == Types::NULL) {
            let message = if new.is_empty() {
                format!("{what} was {} and is no longer possible", old.words())
            } else {
                format!("{what} was {} and is now {}", old.words(), new.words())
            };
            let touched = if self.side == Side::Input { lost } else { gained };
            add(
                Family::Type,
                if new.is_empty() {
                    Turn::Narrowed
                } else if old.is_empty() {
                    Turn::Widened
                } else {
                    Turn::Changed
                },
                touched,
                message,
            );
            return;
        }
        for (types, turn) in [(lost, Turn::Narrowed), (gained, Turn::Widened)] {
            if types == Types::NULL {
                add(Family::Null, turn, types, format!("{what} {} null", self.verb(turn)));
            } else if !types.is_empty() {
                add(
                    Family::Type,
                    turn,
                    types,
                    format!("{what} was {} and is now {}", old.words(), new.words()),
                );
            }
        }
    }

    fn ranges(&self, place: &Place, types: Types, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        if scattered(&old, &new, |form| form.range != Range::default() || !form.multiples.is_empty()) {
            return;
        }
        let (before, after) = (old.range.of(types), new.range.of(types));
        let steps = |mine: &[Num], theirs: &[Num]| {
            let whole = !types.has(Types::FRACTION);
            theirs.iter().all(|step| {
                mine.iter().any(|one| one.is_multiple_of(*step) == Some(true))
                    || whole && Num::Whole(1).is_multiple_of(*step) == Some(true)
            })
        };
        let narrowed = !after.covers(&before) || !steps(&old.multiples, &new.multiples);
        let widened = !before.covers(&after) || !steps(&new.multiples, &old.multiples);
        let words = |range: &Range, steps: &[Num]| {
            let steps =
                steps.iter().map(|step| format!(", in steps of {}", step.value())).collect::<String>();
            format!("{}{steps}", range.words())
        };
        let (from, to) = (words(&before, &old.multiples), words(&after, &new.multiples));
        for (yes, turn) in [(narrowed, Turn::Narrowed), (widened, Turn::Widened)] {
            if yes {
                let message = format!("{} was {from} and is now {to}", self.what(place));
                let mut claim = self.claim(place, Family::Range, turn, "", message);
                (claim.before, claim.after) = (Some(from.clone().into()), Some(to.clone().into()));
                claim.focus = Focus::Of(types.and(Types::NUMBER));
                claims.push(claim);
            }
        }
    }

    fn lengths(&self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        if scattered(&old, &new, |form| form.length != Span::default()) {
            return;
        }
        let (from, to) = (old.length.words(), new.length.words());
        let turns = [
            (!new.length.covers(&old.length), Turn::Narrowed),
            (!old.length.covers(&new.length), Turn::Widened),
        ];
        for (yes, turn) in turns {
            if yes {
                let message = format!("the length of {} was {from} and is now {to}", self.what(place));
                let mut claim = self.claim(place, Family::Length, turn, "", message);
                (claim.before, claim.after) = (Some(from.clone().into()), Some(to.clone().into()));
                let refused = if self.side == Side::Input { new.length } else { old.length };
                claim.focus = Focus::Length(refused);
                claims.push(claim);
            }
        }
    }

    fn patterns(&mut self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        if old.patterns == new.patterns || scattered(&old, &new, |form| !form.patterns.is_empty()) {
            return;
        }
        let words = |form: &Form<'a>| {
            let all: Vec<_> = form.patterns.iter().map(|pattern| format!("/{pattern}/")).collect();
            if all.is_empty() { "any text".to_owned() } else { all.join(" and ") }
        };
        let (from, to) = (words(&old), words(&new));
        let turn = if new.patterns.is_superset(&old.patterns) {
            Turn::Narrowed
        } else if new.patterns.is_subset(&old.patterns) {
            Turn::Widened
        } else {
            let text = |conj: &Conj| conj.only(Types::STRING);
            self.turn_between(&text(&place.old), &text(&place.new)).unwrap_or(Turn::Changed)
        };
        let message = format!("{} was {from} and is now {to}", self.what(place));
        let mut claim = self.claim(place, Family::Pattern, turn, "", message);
        (claim.before, claim.after) = (Some(from.into()), Some(to.into()));
        claim.focus = Focus::Text;
        claims.push(claim);
    }
}

/// Lists a few values.
fn list(values: &[Value]) -> String {
    let mut words: Vec<_> = values.iter().take(FEW).map(canonical).collect();
    if values.len() > FEW {
        words.push(format!("{} more", values.len() - FEW));
    }
    words.join(", ")
}
