//! Names changes of objects: which members there are, which must be there, and what holds for unknown ones.

use super::Side;
use super::book::{Family, Turn};
use super::focus::Focus;
use super::form::{Conj, Form, Part};
use super::node::Id;
use super::number::Span;
use super::opened::scattered;
use super::pattern::{Found, Refuse};
use super::search::stranger;
use super::types::Types;
use super::walk::{Claim, Place, Step, Walk};
use crate::change::{Severity, pointer};
use crate::rule::Rule;
use crate::rules::input::members as im;
use crate::rules::output::members as om;
use serde_json::Value;
use std::collections::BTreeSet;

/// Up to how many lost and new members a renamed one is looked for.
const MOST_RENAMED: usize = 30;
/// How many patterns of names are followed.
const MOST_PATTERNS: usize = 300;

/// Which members both sides list, each list in order.
pub(super) struct Listed<'a> {
    lost: Vec<&'a str>,
    gained: Vec<&'a str>,
    kept: Vec<&'a str>,
    renamed: Vec<(&'a str, &'a str)>,
}

impl<'a> Walk<'_, 'a> {
    /// Names what changed about the members of the object at `place`.
    pub(super) fn members(&mut self, place: &Place, claims: &mut Vec<Claim>) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        if scattered(&old, &new, |form| !self.graph.listed(form).is_empty()) {
            return;
        }
        let listed = self.match_members(&old, &new);
        for name in &listed.kept {
            self.required(place, name, &old, &new, claims);
        }
        for (from, to) in &listed.renamed {
            claims.push(self.renamed(place, from, to, &old, &new));
        }
        for name in &listed.gained {
            claims.extend(self.gained(place, name, &old, &new));
        }
        for name in &listed.lost {
            claims.extend(self.lost(place, name, &old, &new));
        }
        self.unlisted_required(place, &listed, &old, &new, claims);
        self.openness(place, &old, &new, claims);
        self.sizes(place, &old, &new, claims);
        self.dependencies(place, &old, &new, claims);
    }

    pub(super) fn match_members(&self, old: &Form<'a>, new: &Form<'a>) -> Listed<'a> {
        let (before, after) = (self.graph.listed(old), self.graph.listed(new));
        let mut lost: Vec<_> = before.difference(&after).copied().collect();
        let mut gained: Vec<_> = after.difference(&before).copied().collect();
        let kept = before.intersection(&after).copied().collect();
        let mut renamed = Vec::new();
        if lost.len() <= MOST_RENAMED && gained.len() <= MOST_RENAMED {
            for from in lost.clone() {
                let twin = |to: &&&str| self.twins(old, new, from, to);
                let partners: Vec<_> = gained.iter().filter(twin).copied().collect();
                let rivals = lost
                    .iter()
                    .filter(|other| partners.first().is_some_and(|to| self.twins(old, new, other, to)));
                if let ([to], 1) = (partners.as_slice(), rivals.count()) {
                    renamed.push((from, *to));
                }
            }
        }
        lost.retain(|name| renamed.iter().all(|(from, _)| from != name));
        gained.retain(|name| renamed.iter().all(|(_, to)| to != name));
        Listed { lost, gained, kept, renamed }
    }

    /// Whether two members look like one under another name.
    fn twins(&self, old: &Form<'a>, new: &Form<'a>, from: &str, to: &str) -> bool {
        let (mine, theirs) = (self.graph.member(&old.parts, from), self.graph.member(&new.parts, to));
        old.required.contains(from) == new.required.contains(to)
            && !self.graph.is_anything(&mine)
            && self.graph.alike(&mine, &theirs)
    }

    fn member_at(&self, form: &Form<'a>, name: &str) -> String {
        let listing = form.parts.iter().find_map(|part| self.graph.node(part.id).props.get(name));
        let parent = form.parts.first().map_or("", |part| self.graph.node(part.id).pointer.as_str());
        listing.map_or_else(|| pointer(parent, name), |id| self.graph.node(*id).pointer.clone())
    }

    fn member_claim(&self, rule: &'static Rule, turn: Option<Turn>, at: String, message: String) -> Claim {
        Claim { rule, turn, at, message, before: None, after: None, focus: Focus::Any, severity: None }
    }

    pub(super) fn name_in(&self, place: &Place, name: &str) -> String {
        if place.label.is_empty() { name.to_owned() } else { format!("{}.{name}", place.label) }
    }

    fn required(&self, place: &Place, name: &str, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let label = self.name_in(place, name);
        let (turn, message) = match (old.required.contains(name), new.required.contains(name), self.side) {
            (false, true, Side::Input) => (Turn::Narrowed, format!("`{label}` is now required")),
            (true, false, Side::Input) => (Turn::Widened, format!("`{label}` is now optional")),
            (false, true, Side::Output) => (Turn::Narrowed, format!("`{label}` is now always there")),
            (true, false, Side::Output) => (Turn::Widened, format!("`{label}` may now be missing")),
            _ => return,
        };
        let mut claim = self.claim(place, Family::Required, turn, "", message);
        claim.at = if self.graph.has_entry(&new.parts, name) {
            self.member_at(new, name)
        } else {
            // Without an entry there is only the list of names to show.
            let asks = |part: &&Part| self.graph.node(part.id).required.contains(name);
            let asking = new.parts.iter().find(asks).or_else(|| old.parts.iter().find(asks));
            format!("{}/required", asking.map_or("", |part| self.graph.node(part.id).pointer.as_str()))
        };
        claim.focus = Focus::Without(name.to_owned());
        claims.push(claim);
    }

    fn renamed(&self, place: &Place, from: &str, to: &str, old: &Form<'a>, new: &Form<'a>) -> Claim {
        let message = format!("`{}` is now `{}`", self.name_in(place, from), self.name_in(place, to));
        let required = old.required.contains(from);
        let closed = self.closed_to(new, from);
        let rule =
            if self.side == Side::Input { &im::INPUT_PROPERTY_RENAMED } else { &om::OUTPUT_PROPERTY_RENAMED };
        // Where it was optional and unknown members are taken, nothing is refused.
        let hurts = match self.side {
            Side::Input => required || closed,
            Side::Output => required || self.closed_to(old, to),
        };
        let mut claim =
            self.member_claim(rule, hurts.then_some(Turn::Changed), self.member_at(old, from), message);
        claim.severity = (!hurts).then_some(Severity::Risky);
        claim.focus = match self.side {
            Side::Input => Focus::With(from.to_owned()),
            Side::Output if required => Focus::Without(from.to_owned()),
            Side::Output => Focus::With(to.to_owned()),
        };
        (claim.before, claim.after) = (Some(from.into()), Some(to.into()));
        claim
    }

    fn closed_to(&self, form: &Form<'a>, name: &str) -> bool {
        self.graph.form(&self.graph.member(&form.parts, name)).types().is_empty()
    }

    fn gained(&mut self, place: &Place, name: &str, old: &Form<'a>, new: &Form<'a>) -> Option<Claim> {
        let label = self.name_in(place, name);
        let at = self.member_at(new, name);
        let raw = self.raw_member(new, name);
        let required = new.required.contains(name);
        let mut claim = match self.side {
            Side::Input if required && !old.required.contains(name) => {
                let message = format!("`{label}` is new and required");
                let claim = self.member_claim(&im::INPUT_REQUIRED_ADDED, Some(Turn::Narrowed), at, message);
                Claim { focus: Focus::Without(name.to_owned()), ..claim }
            }
            Side::Input => {
                let word = if self.closed_to(new, name) { "must not" } else { "can" };
                let message = format!("`{label}` {word} be given");
                self.member_claim(&im::INPUT_PROPERTY_ADDED, Some(Turn::Widened), at, message)
            }
            Side::Output if self.closed_to(old, name) => {
                let message = format!("results may hold `{label}`, where nothing else was allowed");
                let claim = self.member_claim(&om::OUTPUT_PROPERTY_ADDED, Some(Turn::Widened), at, message);
                Claim { focus: Focus::With(name.to_owned()), severity: Some(Severity::Breaking), ..claim }
            }
            Side::Output => {
                let message = format!("results may hold `{label}`");
                self.member_claim(&om::OUTPUT_PROPERTY_ADDED, Some(Turn::Narrowed), at, message)
            }
        };
        claim.after = raw;
        if !required && self.unmoved(old, new, name) {
            // Nothing is taken or refused that was not before; that it is described now is the change.
            claim.turn = None;
        }
        Some(claim)
    }

    /// Whether a member may be the same as before, though it had no entry of its own.
    fn unmoved(&mut self, old: &Form<'a>, new: &Form<'a>, name: &str) -> bool {
        let (mine, theirs) = (self.graph.member(&old.parts, name), self.graph.member(&new.parts, name));
        let both_open = self.graph.is_anything(&mine) && self.graph.is_anything(&theirs);
        let described = |walk: &mut Self| {
            !walk.graph.is_anything(&theirs)
                && !walk.closed_to(new, name)
                && walk.turn_between(&mine, &theirs).is_none()
        };
        both_open || described(self)
    }

    fn lost(&self, place: &Place, name: &str, old: &Form<'a>, new: &Form<'a>) -> Option<Claim> {
        let label = self.name_in(place, name);
        let at = self.member_at(old, name);
        let closed = self.closed_to(new, name);
        let mut claim = match self.side {
            // Nobody could give it before.
            Side::Input if self.closed_to(old, name) => return None,
            Side::Input if closed => {
                let message = format!("`{label}` is gone, and calls that give it are refused");
                let claim = self.member_claim(&im::INPUT_PROPERTY_REMOVED, Some(Turn::Narrowed), at, message);
                Claim { focus: Focus::With(name.to_owned()), ..claim }
            }
            Side::Input => {
                let message = format!("`{label}` is accepted but no longer described, so it may not be read");
                self.member_claim(&im::INPUT_PROPERTY_IGNORED, None, at, message)
            }
            Side::Output if old.required.contains(name) && !new.required.contains(name) => {
                let message = format!("`{label}` is gone from results");
                let claim = self.member_claim(&om::OUTPUT_PROPERTY_REMOVED, Some(Turn::Widened), at, message);
                Claim { focus: Focus::Without(name.to_owned()), ..claim }
            }
            Side::Output => {
                let message = format!("`{label}` is no longer described in results");
                let claim = self.member_claim(&om::OUTPUT_PROPERTY_REMOVED, None, at, message);
                Claim { severity: Some(Severity::Risky), ..claim }
            }
        };
        claim.before = self.raw_member(old, name);
        Some(claim)
    }

    fn raw_member(&self, form: &Form<'a>, name: &str) -> Option<Value> {
        let id = form.parts.iter().find_map(|part| self.graph.node(part.id).props.get(name))?;
        self.graph.node(*id).raw.cloned()
    }

    /// Names that are required without being listed.
    fn unlisted_required(
        &self,
        place: &Place,
        listed: &Listed<'a>,
        old: &Form<'a>,
        new: &Form<'a>,
        claims: &mut Vec<Claim>,
    ) {
        // The lists are in order.
        let has = |list: &[&str], name: &str| list.binary_search(&name).is_ok();
        let known = |name: &str| {
            has(&listed.kept, name)
                || has(&listed.gained, name)
                || has(&listed.lost, name)
                || listed.renamed.iter().any(|(from, to)| *from == name || *to == name)
        };
        let all: BTreeSet<_> = old.required.union(&new.required).copied().collect();
        for name in all.into_iter().filter(|name| !known(name)) {
            self.required(place, name, old, new, claims);
        }
        // A listed one can have lost its entry and be required all the same.
        for name in listed.lost.iter().filter(|name| new.required.contains(*name)) {
            self.required(place, name, old, new, claims);
        }
    }

    fn other(&self, form: &Form<'a>) -> Conj {
        self.graph.members(&form.parts, None, &|_| false)
    }

    fn openness(&mut self, place: &Place, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let (before, after) = (self.other(old), self.other(new));
        let closed = |conj: &Conj| self.graph.form(conj).types().is_empty();
        let open = (self.graph.is_anything(&before), self.graph.is_anything(&after));
        let what = self.what(place);
        let unknown = |turn| match (self.side, turn) {
            (Side::Input, Turn::Widened) => format!("unknown members of {what} are accepted"),
            (Side::Input, _) => format!("unknown members of {what} are refused"),
            (Side::Output, Turn::Narrowed) => format!("unknown members of {what} no longer appear"),
            (Side::Output, _) => format!("unknown members may appear in {what}"),
        };
        let opaque = |form: &Form<'a>| form.opaque.iter().any(|id| self.graph.node(*id).open_props.is_some());
        let (family, turn) = match (closed(&before), closed(&after)) {
            _ if opaque(new) && !opaque(old) => (Family::Openness, Turn::Narrowed),
            _ if opaque(old) && !opaque(new) => (Family::Openness, Turn::Widened),
            (true, true) => return self.names(place, old, new, claims),
            (false, true) => (Family::Openness, Turn::Narrowed),
            (true, false) => (Family::Openness, Turn::Widened),
            (false, false) if open == (true, false) => (Family::Size, Turn::Narrowed),
            (false, false) if open == (false, true) => (Family::Size, Turn::Widened),
            _ => return self.names(place, old, new, claims),
        };
        let message = match family {
            Family::Openness => unknown(turn),
            _ if turn == Turn::Narrowed => {
                format!("members of {what} without an entry of their own now have a schema")
            }
            _ => format!("members of {what} without an entry of their own may be anything"),
        };
        let claim = self.claim(place, family, turn, "/additionalProperties", message);
        claims.push(Claim { focus: Focus::Stranger, ..claim });
        self.names(place, old, new, claims);
    }

    fn names(&mut self, place: &Place, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let what = self.what(place);
        if !self.same(&old.names, &new.names) {
            let text = |ids: &[Id]| Conj::all(ids.iter().copied()).only(Types::STRING);
            if let Some(turn) = self.turn_between(&text(&old.names), &text(&new.names)) {
                let message = format!("other names of members of {what} are accepted than before");
                claims.push(self.claim(place, Family::Openness, turn, "/propertyNames", message));
            }
        }
        let (before, after) = (self.graph.name_patterns(old), self.graph.name_patterns(new));
        for pattern in before.symmetric_difference(&after).take(MOST_PATTERNS) {
            let fits = |one: &str| one == *pattern;
            let (mine, theirs) =
                (self.graph.members(&old.parts, None, &fits), self.graph.members(&new.parts, None, &fits));
            if let Some(turn) = self.turn_between(&mine, &theirs) {
                let message = format!("members of {what} whose name fits /{pattern}/ have another schema");
                claims.push(self.claim(place, Family::Size, turn, "/patternProperties", message));
            }
        }
    }

    fn sizes(&self, place: &Place, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let (from, to) = (old.size.words(), new.size.words());
        let turns =
            [(!new.size.covers(&old.size), Turn::Narrowed), (!old.size.covers(&new.size), Turn::Widened)];
        for (yes, turn) in turns {
            if yes {
                let message =
                    format!("the number of members of {} was {from} and is now {to}", self.what(place));
                let mut claim = self.claim(place, Family::Size, turn, "", message);
                (claim.before, claim.after) = (Some(from.clone().into()), Some(to.clone().into()));
                claims.push(claim);
            }
        }
    }

    fn dependencies(&mut self, place: &Place, old: &Form<'a>, new: &Form<'a>, claims: &mut Vec<Claim>) {
        let names: BTreeSet<_> = old.needs.keys().chain(new.needs.keys()).copied().collect();
        for name in names {
            let empty = BTreeSet::new();
            let before = old.needs.get(name).unwrap_or(&empty);
            let after = new.needs.get(name).unwrap_or(&empty);
            for (needs, turn) in
                [(after.difference(before), Turn::Narrowed), (before.difference(after), Turn::Widened)]
            {
                let needs: Vec<_> = needs.map(|need| format!("`{need}`")).collect();
                if !needs.is_empty() {
                    let word = if turn == Turn::Narrowed { "now also needs" } else { "no longer needs" };
                    let message = format!("`{}` {word} {}", self.name_in(place, name), needs.join(", "));
                    let claim = self.claim(place, Family::Dependency, turn, "/dependentRequired", message);
                    claims.push(Claim { focus: Focus::With(name.to_owned()), ..claim });
                }
            }
        }
        let ids = |form: &Form<'a>| -> Vec<Id> { form.dependent.iter().map(|(_, id)| *id).collect() };
        let names =
            |form: &Form<'a>| -> Vec<&'a str> { form.dependent.iter().map(|(name, _)| *name).collect() };
        if names(old) != names(new) || !self.same(&ids(old), &ids(new)) {
            let turn = match (old.dependent.is_empty(), new.dependent.is_empty()) {
                (true, _) => Some(Turn::Narrowed),
                (_, true) => Some(Turn::Widened),
                _ => self.turn_between(&place.old, &place.new),
            };
            let message = format!("what some members of {} need has changed", self.what(place));
            claims.extend(
                turn.map(|turn| self.claim(place, Family::Dependency, turn, "/dependentSchemas", message)),
            );
        }
    }

    /// Whether two lists of schemas are written alike.
    pub(super) fn same(&self, old: &[Id], new: &[Id]) -> bool {
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| self.graph.same_text(*old, *new))
    }

    /// Walks over the members of both sides.
    pub(super) fn below_object(&mut self, place: &Place, quiet: bool) {
        let (old, new) = (self.graph.form(&place.old), self.graph.form(&place.new));
        let listed = self.match_members(&old, &new);
        for name in &listed.kept {
            self.below_member(place, name, &old, &new, quiet);
        }
        for (from, to) in &listed.renamed {
            let pair = (self.graph.member(&old.parts, from), self.graph.member(&new.parts, to));
            let below = Place { old: pair.0, new: pair.1, label: self.name_in(place, to) };
            self.step(place, Step::Member((*from).to_owned()), &below, true);
        }
        for name in &listed.gained {
            let mine = self.graph.member(&old.parts, name);
            let theirs = self.graph.member(&new.parts, name);
            if !self.graph.is_anything(&mine) && !self.graph.form(&mine).types().is_empty() {
                self.below_member(place, name, &old, &new, quiet);
            } else {
                self.added_texts(&theirs);
            }
        }
        for name in &listed.lost {
            let (before, after) = (self.graph.member(&old.parts, name), self.graph.member(&new.parts, name));
            let theirs = if self.side == Side::Input { after } else { before };
            if !self.graph.is_anything(&theirs) && self.side == Side::Input && !self.closed_to(&new, name) {
                self.below_member(place, name, &old, &new, quiet);
            }
        }
        self.below_unlisted(place, &old, &new, quiet);
    }

    fn below_member(&mut self, place: &Place, name: &str, old: &Form<'a>, new: &Form<'a>, quiet: bool) {
        let pair = (self.graph.member(&old.parts, name), self.graph.member(&new.parts, name));
        let below = Place { old: pair.0, new: pair.1, label: self.name_in(place, name) };
        self.step(place, Step::Member(name.to_owned()), &below, quiet);
    }

    fn below_unlisted(&mut self, place: &Place, old: &Form<'a>, new: &Form<'a>, quiet: bool) {
        let (before, after) = (self.other(old), self.other(new));
        let told = |conj: &Conj| !self.graph.is_anything(conj) && !self.graph.form(conj).types().is_empty();
        let label = self.name_in(place, "*");
        if told(&before) && told(&after) {
            let names = (self.graph.listed(old), self.graph.listed(new));
            let name = stranger(&|name| names.0.contains(name) || names.1.contains(name));
            let below = Place { old: before, new: after, label: label.clone() };
            self.step(place, Step::Member(name.to_owned()), &below, quiet);
        } else if told(&after) {
            self.added_texts(&after);
        }
        let (before, after) = (self.graph.name_patterns(old), self.graph.name_patterns(new));
        let span = Span { min: 1, max: None };
        for pattern in before.intersection(&after).take(MOST_PATTERNS) {
            let fits = |one: &str| one == *pattern;
            let pair =
                (self.graph.members(&old.parts, None, &fits), self.graph.members(&new.parts, None, &fits));
            let below = Place { old: pair.0, new: pair.1, label: label.clone() };
            let found = self.graph.patterns.find(&[pattern], span, Refuse::Nothing);
            let name = if let Found::Text(text) = found { text } else { "x".to_owned() };
            self.step(place, Step::Member(name), &below, quiet);
        }
        let graph = self.graph;
        let patterns = new.parts.iter().flat_map(|part| &graph.node(part.id).patterns);
        for (_, added) in patterns.filter(|(pattern, _)| !before.contains(pattern)) {
            self.added_texts(&Conj::of(*added));
        }
    }
}
