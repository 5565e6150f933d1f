//! Names changes of arrays, and of alternatives and conditions.

use super::Side;
use super::book::{Family, Turn};
use super::focus::Focus;
use super::form::{Conj, Form};
use super::node::Id;
use super::number::Span;
use super::opened::scattered;
use super::types::Types;
use super::walk::{Claim, Place, Step, Walk};
use crate::canonical::canonical;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// How many places of their own items can have before the walk gives up on the rest.
const MOST_PLACES: usize = 200;

/// Up to how many branches are set against each other by their types.
const MOST_SET_AGAINST: usize = 200;

/// How the branches of two groups belong together.
struct Branches {
    pairs: Vec<(Id, Id)>,
    lost: Vec<Id>,
    gained: Vec<Id>,
}

impl Branches {
    /// Pairs those that are left with the same key and pass the test.
    fn pair_by(&mut self, key: &dyn Fn(Id) -> Option<String>, test: &dyn Fn(Id, Id) -> bool) {
        let mut partners: HashMap<String, Vec<Id>> = HashMap::new();
        for id in &self.gained {
            key(*id).into_iter().for_each(|key| partners.entry(key).or_default().push(*id));
        }
        let mut paired = HashSet::new();
        self.lost.retain(|mine| {
            let partners = key(*mine).and_then(|key| partners.get_mut(&key));
            let found = partners.and_then(|all| {
                let at = all.iter().position(|theirs| test(*mine, *theirs))?;
                Some(all.remove(at))
            });
            if let Some(theirs) = found {
                self.pairs.push((*mine, theirs));
                paired.insert(theirs);
            }
            found.is_none()
        });
        self.gained.retain(|id| !paired.contains(id));
    }
}

impl<'a> Walk<'_, 'a> {
    /// Names what changed about the array at `place`.
    pub(super) fn arrays(&mut self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        if scattered(&old, &new, |form| form.items != Span::default()) {
            return;
        }
        let what = self.what(place);
        let (from, to) = (old.items.words(), new.items.words());
        let turns =
            [(!new.items.covers(&old.items), Turn::Narrowed), (!old.items.covers(&new.items), Turn::Widened)];
        for (yes, turn) in turns {
            if yes {
                let message = format!("the number of items of {what} was {from} and is now {to}");
                let mut claim = self.claim(place, Family::Items, turn, "", message);
                (claim.before, claim.after) = (Some(from.clone().into()), Some(to.clone().into()));
                let refused = if self.side == Side::Input { new.items } else { old.items };
                claim.focus = Focus::Count(refused);
                claims.push(claim);
            }
        }
        if old.unique != new.unique {
            let (turn, word) =
                if new.unique { (Turn::Narrowed, "no longer") } else { (Turn::Widened, "now") };
            let message = format!("items of {what} may {word} repeat");
            let claim = self.claim(place, Family::Items, turn, "/uniqueItems", message);
            claims.push(Claim { focus: Focus::Repeats, ..claim });
        }
        let ids = |form: &Form<'a>| -> Vec<Id> { form.contains.iter().map(|(id, _)| *id).collect() };
        let spans = |form: &Form<'a>| -> Vec<_> { form.contains.iter().map(|(_, span)| *span).collect() };
        if spans(&old) != spans(&new) || !self.same(&ids(&old), &ids(&new)) {
            let turn = match (old.contains.is_empty(), new.contains.is_empty()) {
                (true, _) => Some(Turn::Narrowed),
                (_, true) => Some(Turn::Widened),
                _ => self.turn_between(&place.old.only(Types::ARRAY), &place.new.only(Types::ARRAY)),
            };
            let message = format!("what {what} has to contain has changed");
            claims.extend(turn.map(|turn| self.claim(place, Family::Items, turn, "/contains", message)));
        }
    }

    /// Walks over the items of both sides.
    pub(super) fn below_array(&mut self, place: &Place, quiet: bool) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        let places = self.graph.places(&old.parts).max(self.graph.places(&new.parts)).min(MOST_PLACES);
        for idx in 0..=places {
            let (mine, theirs) = (self.graph.item(&old.parts, idx), self.graph.item(&new.parts, idx));
            let label =
                if places == 0 { format!("{}[]", place.label) } else { format!("{}[{idx}]", place.label) };
            let below = Place { old: mine, new: theirs, label };
            self.step(place, Step::Item(idx), &below, quiet);
        }
        let (before, after): (Vec<_>, Vec<_>) = (
            old.contains.iter().map(|(id, _)| *id).collect(),
            new.contains.iter().map(|(id, _)| *id).collect(),
        );
        self.quiet_pairs(place, &before, &after);
    }

    /// Names what changed about alternatives, refusals and conditions.
    pub(super) fn groups(&mut self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        let lists = self.graph.listed_values(&old).is_some() && self.graph.listed_values(&new).is_some();
        if !lists {
            self.alternatives(place, &old, &new, claims);
        }
        if !self.same(&old.nots, &new.nots) {
            let turn = match (old.nots.is_empty(), new.nots.is_empty()) {
                (true, _) => Some(Turn::Narrowed),
                (_, true) => Some(Turn::Widened),
                _ => self.turn_between(&place.old, &place.new),
            };
            let message = format!("what {} must not be has changed", self.what(place));
            claims.extend(turn.map(|turn| self.claim(place, Family::Composition, turn, "/not", message)));
        }
        let conds = |form: &Form<'a>| -> Vec<Id> {
            let each = form.conds.iter().flat_map(|(_, cond)| [Some(cond.test), cond.then, cond.otherwise]);
            each.flatten().collect()
        };
        if !self.same(&conds(&old), &conds(&new)) {
            let turn = match (old.conds.is_empty(), new.conds.is_empty()) {
                (true, _) => Some(Turn::Narrowed),
                (_, true) => Some(Turn::Widened),
                _ => self.turn_between(&place.old, &place.new),
            };
            let message = format!("a condition on {} has changed", self.what(place));
            claims.extend(turn.map(|turn| self.claim(place, Family::Dependency, turn, "/if", message)));
        }
    }

    fn alternatives(&mut self, place: &Place, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let groups = (old.any.len() + old.one.len(), new.any.len() + new.one.len());
        if groups == (0, 0) {
            return;
        }
        let turns: Vec<Turn> = match self.matched(old, new) {
            // An alternative more among exclusive ones can refuse what another one took.
            Some(branches)
                if old.one.is_empty() || branches.lost.is_empty() && branches.gained.is_empty() =>
            {
                let lost = (!branches.lost.is_empty()).then_some(Turn::Narrowed);
                lost.into_iter().chain((!branches.gained.is_empty()).then_some(Turn::Widened)).collect()
            }
            _ => match self.turn_between(&place.old, &place.new) {
                Some(Turn::Changed) => vec![Turn::Narrowed, Turn::Widened],
                turn => turn.into_iter().collect(),
            },
        };
        let keyword = if new.any.len() + old.any.len() > 0 { "/anyOf" } else { "/oneOf" };
        for turn in turns {
            // A type that came or went says it better.
            let said = claims.iter().any(|claim| {
                claim.turn == Some(turn) || (claim.turn == Some(Turn::Changed) && turn.hurts(self.side))
            });
            if !said {
                let word = if turn == Turn::Narrowed { "takes fewer" } else { "takes more" };
                let message = format!("the alternatives of {} changed; it {word} values", self.what(place));
                let mut claim = self.claim(place, Family::Composition, turn, keyword, message);
                let raw = |form: &Form<'a>| {
                    form.any.iter().chain(&form.one).find_map(|id| self.graph.node(*id).raw)
                };
                claim.before = raw(old).and_then(|raw| raw.get(&keyword[1..])).cloned();
                claim.after = raw(new).and_then(|raw| raw.get(&keyword[1..])).cloned();
                claims.push(claim);
            }
        }
    }

    /// Matches the branches of the only group on each side, where both are of one kind.
    fn matched(&self, old: &Form<'a>, new: &Form<'a>) -> Option<Branches> {
        let (mine, theirs) = match (&*old.any, &*new.any, &*old.one, &*new.one) {
            ([old], [new], [], []) => (&self.graph.node(*old).any, &self.graph.node(*new).any),
            ([], [], [old], [new]) => (&self.graph.node(*old).one, &self.graph.node(*new).one),
            _ => return None,
        };
        Some(self.match_branches(mine, theirs))
    }

    fn match_branches(&self, old: &[Id], new: &[Id]) -> Branches {
        let mut all = Branches { pairs: Vec::new(), lost: old.to_vec(), gained: new.to_vec() };
        let text = |id: Id| self.graph.node(id).raw.map(canonical);
        all.pair_by(&text, &|mine, theirs| self.graph.same_text(mine, theirs));
        all.pair_by(&|id| self.tag(id), &|_, _| true);
        if old.len() == new.len() && all.lost.len() <= MOST_SET_AGAINST {
            let kinds = |id| self.graph.kinds(&Conj::of(id), 0);
            all.pair_by(&|_| Some(String::new()), &|mine, theirs| kinds(mine).meets(kinds(theirs)));
        }
        all
    }

    /// What tells one branch from the others: its `$ref`, its title, or a fixed member.
    fn tag(&self, id: Id) -> Option<String> {
        let raw = self.graph.node(id).raw?;
        let text = |keyword: &str| raw.get(keyword).and_then(Value::as_str).map(str::to_owned);
        let form = self.graph.form(&Conj::of(id));
        let fixed = self.graph.listed(&form).into_iter().find_map(|name| {
            let member = self.graph.form(&self.graph.member(&form.parts, name));
            let value = member.values.as_ref().filter(|values| values.len() == 1)?.first()?.to_string();
            Some(format!("{name}={value}"))
        });
        fixed.or_else(|| text("$ref")).or_else(|| text("title"))
    }

    /// Walks over the branches of both sides.
    pub(super) fn below_groups(&mut self, place: &Place, quiet: bool) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        let lists = self.graph.listed_values(&old).is_some();
        if let Some(branches) = self.matched(&old, &new) {
            for (mine, theirs) in branches.pairs {
                let pair = Place { old: Conj::of(mine), new: Conj::of(theirs), label: place.label.clone() };
                self.pair(&pair, quiet || lists);
            }
            branches.gained.iter().for_each(|id| self.added_texts(&Conj::of(*id)));
        } else {
            let all = |form: &Form<'a>| -> Vec<Id> {
                let any = form.any.iter().flat_map(|id| &self.graph.node(*id).any);
                any.chain(form.one.iter().flat_map(|id| &self.graph.node(*id).one)).copied().collect()
            };
            let (before, after) = (all(&old), all(&new));
            self.quiet_pairs(place, &before, &after);
        }
        let inner = |form: &Form<'a>| -> Vec<Id> {
            let conds = form.conds.iter().flat_map(|(_, cond)| [Some(cond.test), cond.then, cond.otherwise]);
            let dependent = form.dependent.iter().map(|(_, id)| *id);
            form.nots
                .iter()
                .copied()
                .chain(conds.flatten())
                .chain(dependent)
                .chain(form.names.iter().copied())
                .collect()
        };
        let (before, after) = (inner(&old), inner(&new));
        self.quiet_pairs(place, &before, &after);
    }

    fn quiet_pairs(&mut self, place: &Place, old: &[Id], new: &[Id]) {
        let branches = self.match_branches(old, new);
        for (mine, theirs) in branches.pairs {
            self.pair(
                &Place { old: Conj::of(mine), new: Conj::of(theirs), label: place.label.clone() },
                true,
            );
        }
        branches.gained.iter().for_each(|id| self.added_texts(&Conj::of(*id)));
    }
}
