//! Looks for a value that one schema takes and another refuses. Candidates come from the keywords of both; each is held against both.

use super::form::{Conj, Form, Taken};
use super::graph::Graph;
use super::hints::Hints;
use super::number::Span;
use super::pattern::{Found, Refuse, one_of};
use super::prove::Scope;
use super::sample::size;
use super::types::Types;
use super::walk::Step;
use serde_json::{Value, json};
use std::collections::HashSet;

/// How deep the search goes.
const DEEPEST: u32 = 12;
/// How many telling values of a member or an item are tried in its surroundings.
const FEW: usize = 6;
/// How many candidates are made at most for one pair, and how many members those of an object have together.
const MOST: usize = 600;
const BULK: usize = 60_000;
/// How many pairs are searched in one comparison.
const PAIRS: u32 = 3_000;
/// How many members may be there or not in any combination, and how many at all.
const FREE_CHOICES: usize = 6;
const MOST_CHOICES: usize = 30;
/// For how many patterns of names a name is made.
const MOST_PATTERNS: usize = 100;
/// How long a string or an array is made.
const LONGEST: u64 = 3_000;

/// A search for values that `takes` admits and `refuses` does not.
pub(super) struct Search<'g, 'a> {
    pub(super) graph: &'g Graph<'a>,
    scope: Scope,
    pairs: u32,
    /// Pairs that are being searched further up, or have been without success.
    tried: HashSet<(Conj, Conj)>,
}

impl<'g, 'a> Search<'g, 'a> {
    pub(super) fn new(graph: &'g Graph<'a>, scope: Scope) -> Self {
        Self { graph, scope, pairs: 0, tried: HashSet::new() }
    }

    /// Values that tell the two apart, smallest first.
    pub(super) fn telling(
        &mut self,
        takes: &Conj,
        refuses: &Conj,
        depth: u32,
        wanted: &dyn Fn(&Value) -> bool,
    ) -> Vec<Value> {
        let pair = (takes.clone(), refuses.clone());
        self.pairs += 1;
        let hopeless = depth > DEEPEST
            || self.pairs > PAIRS
            || self.graph.is_broke()
            || self.graph.alike(takes, refuses);
        if hopeless || self.graph.is_anything(refuses) || !self.tried.insert(pair.clone()) {
            return Vec::new();
        }
        let mut found: Vec<Value> = Vec::new();
        for candidate in self.candidates(takes, refuses, depth) {
            let telling = wanted(&candidate)
                && self.graph.takes(takes, &candidate) != Some(false)
                && self.graph.takes(refuses, &candidate) != Some(true);
            if telling && !found.contains(&candidate) {
                found.push(candidate);
            }
        }
        // A certain one comes before a doubtful one, a short one before a long one.
        found.sort_by_cached_key(|value| {
            let certain = self.graph.takes(takes, value) == Some(true)
                && self.graph.takes(refuses, value) == Some(false);
            (!certain, plain(value), value.to_string().len())
        });
        if depth == 0 || !found.is_empty() {
            // It may be needed again elsewhere.
            self.tried.remove(&pair);
        }
        found.truncate(20);
        found
    }

    fn candidates(&mut self, takes: &Conj, refuses: &Conj, depth: u32) -> Vec<Value> {
        let graph = self.graph;
        let hints = graph.hints([takes, refuses]);
        let mut out: Vec<Value> = hints.values.iter().map(|value| (*value).clone()).collect();
        let form = graph.form(takes);
        let types = form.types();
        // Of a long list, those that the other side does not list come first.
        let listed = graph.listed_values(&form).unwrap_or_default();
        let lost = listed.into_iter().filter(|value| graph.takes(refuses, value) != Some(true));
        out.extend(lost.take(FEW).cloned());
        out.extend(graph.sample(takes));
        self.branches(takes, &hints, &mut out);
        for one in types.each() {
            out.extend(graph.sample(&takes.only(one)));
        }
        if types.meets(Types::BOOLEAN.or(Types::NULL)) {
            out.extend([json!(true), json!(false), Value::Null]);
        }
        if types.meets(Types::NUMBER) {
            out.extend([1, 0, 2, 3, -1, 1000].map(Value::from));
            out.extend([json!(1.5), json!(-0.5)]);
            out.extend(hints.numbers.iter().map(|number| number.value()));
        }
        if types.meets(Types::STRING) {
            self.texts(takes, refuses, &hints, &mut out);
        }
        if types.meets(Types::ARRAY) {
            self.arrays(&takes.only(Types::ARRAY), refuses, &hints, depth, &mut out);
        }
        if types.meets(Types::OBJECT) {
            self.objects(&takes.only(Types::OBJECT), refuses, &hints, depth, &mut out);
        }
        out.truncate(MOST);
        out
    }

    fn texts(&self, takes: &Conj, refuses: &Conj, hints: &Hints<'a>, out: &mut Vec<Value>) {
        let graph = self.graph;
        out.extend(["a", "x", "A1", "abc", "1", "", "zzz", "root"].map(Value::from));
        let lengths = hints.lengths.iter().filter(|length| **length <= LONGEST);
        out.extend(lengths.map(|length| Value::from("a".repeat(usize::try_from(*length).unwrap_or(0)))));
        let form = graph.form(&takes.only(Types::STRING));
        let demands = graph.form(&refuses.only(Types::STRING));
        let mine: Vec<_> = form.patterns.iter().copied().collect();
        let own = hints.patterns.iter().map(|pattern| Refuse::Pattern(pattern));
        let longer = Span { min: form.length.min.max(1), ..form.length };
        for refuse in own.chain([Refuse::Nothing, Refuse::Length(demands.length)]) {
            for length in [longer, form.length] {
                if let Found::Text(text) = graph.patterns.find(&mine, length, refuse) {
                    out.push(Value::from(text));
                }
            }
        }
        // A pattern may take more than what the other side lists.
        let listed = demands.values.as_ref().and_then(|values| one_of(values.iter().copied()));
        if let Some(pattern) = listed.filter(|_| !mine.is_empty())
            && let Found::Text(text) = graph.patterns.find(&mine, longer, Refuse::Pattern(&pattern))
        {
            out.push(Value::from(text));
        }
        for pattern in &hints.patterns {
            out.extend(words(pattern).map(Value::from));
            if let Found::Text(text) = graph.patterns.find(&[pattern], longer, Refuse::Nothing) {
                out.push(Value::from(text));
            }
        }
    }

    fn arrays(&mut self, takes: &Conj, refuses: &Conj, hints: &Hints<'a>, depth: u32, out: &mut Vec<Value>) {
        let graph = self.graph;
        let (form, theirs) = (graph.form(takes), hints.parts());
        let sample = |idx| graph.sample_at(&graph.item(&form.parts, idx), 1);
        let Some(base) = graph.sample(takes).and_then(|value| value.as_array().cloned()) else { return };
        for count in hints.counts.iter().chain(&[0, 1, 2, 3]).filter(|count| **count <= LONGEST) {
            out.extend(self.filled(&form, usize::try_from(*count).unwrap_or(0), false).map(Value::from));
            if form.unique {
                out.extend(self.filled(&form, usize::try_from(*count).unwrap_or(0), true).map(Value::from));
            }
        }
        for (mine, other) in
            hints.contains.iter().flat_map(|mine| hints.contains.iter().map(move |other| (mine, other)))
        {
            let wanted = graph.item(&form.parts, 0).plus(*mine);
            let found = self.telling(&wanted, &Conj::of(*other), depth + 1, &|_| true);
            out.extend(found.into_iter().take(FEW).map(|value| Value::from(vec![value])));
        }
        for id in &hints.contains {
            let wanted = graph.item(&form.parts, 0).plus(*id);
            if let Some(value) = graph.sample(&wanted) {
                out.push(Value::from(vec![value.clone()]));
                out.push(Value::from(vec![value.clone(), value]));
            }
        }
        let demands = graph.form(&refuses.only(Types::ARRAY));
        let places = graph.places(&form.parts).max(graph.places(&theirs)).min(20);
        for idx in 0..=places {
            let mine = graph.item(&form.parts, idx);
            let other = graph.item(&demands.parts, idx);
            let mut found = self.telling(&mine, &other, depth + 1, &|_| true);
            found.truncate(FEW);
            // Branches of the other side may hold schemas of their own for the items.
            found.extend(
                graph
                    .hints([&graph.item(&theirs, idx)])
                    .values
                    .iter()
                    .take(FEW)
                    .map(|value| (*value).clone()),
            );
            for value in found {
                let mut items = base.clone();
                while items.len() < idx {
                    let Some(value) = sample(items.len()) else { break };
                    items.push(value);
                }
                if items.len() > idx {
                    items[idx] = value;
                } else if items.len() == idx {
                    items.push(value);
                }
                out.push(Value::from(items));
            }
        }
    }

    /// An array with that many items; `distinct` when no two may be alike.
    pub(super) fn filled(&self, form: &Form<'a>, count: usize, distinct: bool) -> Option<Vec<Value>> {
        let graph = self.graph;
        let mut items: Vec<Value> = Vec::with_capacity(count);
        for idx in 0..count {
            let conj = graph.item(&form.parts, idx);
            let used = if distinct { items.as_slice() } else { &[] };
            match items.last().filter(|_| !distinct && idx > graph.places(&form.parts)) {
                // Past the places of their own, all items are alike.
                Some(last) => {
                    graph.pay(size(last));
                    if graph.is_broke() {
                        return None;
                    }
                    items.push(last.clone());
                }
                None => items.push(graph.unlike(&conj, used, 1)?),
            }
        }
        Some(items)
    }

    fn objects(&mut self, takes: &Conj, refuses: &Conj, hints: &Hints<'a>, depth: u32, out: &mut Vec<Value>) {
        let graph = self.graph;
        let form = graph.form(takes);
        let demands = graph.form(&refuses.only(Types::OBJECT));
        let Some(base) = graph.sample(takes).and_then(|value| value.as_object().cloned()) else { return };
        let names = self.names(&form, hints);
        // Large objects are tried less often.
        let room = out.len() + (BULK / (1 + base.len())).clamp(4, MOST);
        let mut with = |extra: Vec<(String, Value)>| {
            if out.len() < room {
                let mut members = base.clone();
                members.extend(extra);
                out.push(Value::from(members));
            }
        };
        let sample = |name: &str| {
            let broke = graph.is_broke();
            (!broke).then(|| graph.sample_at(&graph.member(&form.parts, name), 1)).flatten()
        };
        let samples: Vec<_> = names.iter().filter_map(|name| Some((name.clone(), sample(name)?))).collect();
        for member in &samples {
            with(vec![member.clone()]);
        }
        with(samples.iter().filter(|(name, _)| form_lists(graph, &form, name)).cloned().collect());
        for size in hints.sizes.iter().filter(|size| **size <= 100) {
            let listed = samples.iter().filter(|(name, _)| !base.contains_key(name)).cloned();
            let free = (1..=*size).filter_map(|idx| Some((format!("x{idx}"), sample(&format!("x{idx}"))?)));
            let missing = usize::try_from(*size).unwrap_or(0).saturating_sub(base.len());
            with(listed.chain(free).take(missing).collect());
        }
        out.extend(self.choices(&form, hints, &samples).take(room.saturating_sub(out.len())));
        let mut with = |extra: Vec<(String, Value)>| {
            if out.len() < room {
                let mut members = base.clone();
                members.extend(extra);
                out.push(Value::from(members));
            }
        };
        let theirs = hints.parts();
        for name in names {
            if graph.is_broke() {
                break;
            }
            let mine = graph.member(&form.parts, &name);
            for other in [graph.member(&demands.parts, &name), graph.member(&theirs, &name)] {
                for value in self.telling(&mine, &other, depth + 1, &|_| true).into_iter().take(FEW) {
                    with(vec![(name.clone(), value)]);
                }
            }
            // Branches may be chosen by a listed value of a member.
            for value in graph.hints([&graph.member(&theirs, &name)]).values.iter().take(FEW) {
                with(vec![(name.clone(), (*value).clone())]);
            }
        }
    }

    /// Objects that have some of the members that some schema asks for, and lack the others.
    fn choices(
        &self,
        form: &Form<'a>,
        hints: &Hints<'a>,
        samples: &[(String, Value)],
    ) -> impl Iterator<Item = Value> {
        let least = self.graph.with_names(form, form.required.iter().copied(), 1);
        let asked = |name: &str| hints.needs.contains(name) && !form.required.contains(name);
        let asked = samples.iter().filter(|(name, _)| asked(name)).take(MOST_CHOICES);
        let asked: Vec<_> = asked.cloned().collect();
        let (long, free) = (asked.len(), asked.len().min(FREE_CHOICES));
        let any = (0..1_u32 << free).collect::<Vec<_>>();
        let rest = (free..long).flat_map(|at| [1 << at, !(1 << at)]);
        let rest = rest.chain((long > free).then_some(u32::MAX)).collect::<Vec<_>>();
        any.into_iter().chain(rest).filter_map(move |chosen| {
            let mut members = least.clone()?;
            let extra = asked.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
            members.extend(extra.map(|(_, member)| member.clone()));
            Some(Value::from(members))
        })
    }

    /// Names for members that a caller may know: the listed ones, ones that fit a pattern, and one that nobody listed.
    fn names(&mut self, form: &Form<'a>, hints: &Hints<'a>) -> Vec<String> {
        let graph = self.graph;
        let mut names: Vec<String> = Vec::new();
        for name in &hints.names {
            let undocumented = self.scope == Scope::Documented
                && !form_lists(graph, form, name)
                && graph.is_anything(&graph.member(&form.parts, name));
            if !undocumented {
                names.push((*name).to_owned());
            }
        }
        let span = Span { min: 1, max: None };
        let fits = |pattern: &&str| graph.patterns.find(&[pattern], span, Refuse::Nothing);
        let misfits = |pattern: &&str| graph.patterns.find(&[], span, Refuse::Pattern(pattern));
        let few = || hints.name_patterns.iter().take(MOST_PATTERNS);
        for found in few().map(fits).chain(few().map(misfits)) {
            if let Found::Text(text) = found {
                names.push(text);
            }
        }
        for id in &hints.naming {
            let text = Conj::all(form.names.iter().copied()).only(Types::STRING);
            let found = self.telling(&text, &Conj::of(*id), DEEPEST, &|_| true).into_iter().take(FEW);
            let fitting = graph.sample(&Conj::of(*id).only(Types::STRING));
            names.extend(found.chain(fitting).filter_map(|name| name.as_str().map(str::to_owned)));
        }
        names.push(stranger(&|name| hints.names.contains(name)).to_owned());
        names.dedup();
        names.truncate(400);
        names
    }

    /// A sample for each branch of each group.
    fn branches(&self, takes: &Conj, hints: &Hints<'a>, out: &mut Vec<Value>) {
        let own = self.graph.flat(takes);
        for id in &hints.groups {
            let node = self.graph.node(*id);
            // A group of its own is put aside for the branch; else its first branch would come with each.
            let aside = |taken| {
                let mine = own.iter().any(|part| part.id == *id);
                if mine { takes.take(*id, taken) } else { takes.clone() }
            };
            let cond = node.cond.map(|cond| [Some(cond.test), cond.then, cond.otherwise]);
            let cond: Vec<_> = cond.into_iter().flatten().flatten().collect();
            for (branches, taken) in [(&node.any, Taken::ANY), (&node.one, Taken::ONE), (&cond, Taken::COND)]
            {
                let rest = aside(taken);
                out.extend(branches.iter().take(40).filter_map(|id| self.graph.sample(&rest.plus(*id))));
            }
        }
    }
}

/// The runs of letters and digits in a pattern; for patterns that no automaton can hold.
fn words(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).take(10)
}

fn form_lists<'a>(graph: &Graph<'a>, form: &Form<'a>, name: &str) -> bool {
    graph.has_entry(&form.parts, name)
}

/// A name of a member that is not `known`.
pub(super) fn stranger(known: &dyn Fn(&str) -> bool) -> &'static str {
    let free = ["x", "extra", "other", "more", "unknown", "something"];
    free.into_iter().find(|name| !known(name)).unwrap_or("x_y_z")
}

/// How strange a value looks; strange ones come later.
fn plain(value: &Value) -> u8 {
    match value {
        Value::String(text) => {
            u8::from(text.is_empty())
                + 2 * u8::from(text.chars().any(|letter| letter.is_control() || !letter.is_ascii()))
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                u8::from(name.chars().any(|letter| !letter.is_ascii_graphic())).max(plain(value))
            })
            .max()
            .unwrap_or(0),
        Value::Array(items) => items.iter().map(plain).max().unwrap_or(0),
        _ => 0,
    }
}

impl Search<'_, '_> {
    /// Puts `value` into a small value of `takes`, at `step`.
    pub(super) fn put(&self, takes: &Conj, step: &Step, value: Value) -> Option<Value> {
        let graph = self.graph;
        let only = takes.only(if matches!(step, Step::Member(_)) { Types::OBJECT } else { Types::ARRAY });
        let form = graph.form(&only);
        // Mostly the plainest will do.
        let plain = graph.sample(&only).and_then(|base| self.put_into(&form, base, step, value.clone()));
        if plain.as_ref().is_some_and(|whole| graph.takes(takes, whole) == Some(true)) {
            return plain;
        }
        let hints = graph.hints([takes]);
        let mut bases = Vec::new();
        self.branches(&only, &hints, &mut bases);
        // Members that need others, and everything that is listed, when less is not enough.
        let listed: Vec<_> =
            hints.names.iter().copied().filter(|name| form_lists(graph, &form, name)).collect();
        bases.extend(graph.with_names(&form, listed.into_iter(), 1).map(Value::from));
        let whole = bases.into_iter().filter_map(|base| self.put_into(&form, base, step, value.clone()));
        let whole = plain.clone().into_iter().chain(whole);
        let (sure, doubtful): (Vec<_>, Vec<_>) = whole
            .filter(|whole| graph.takes(takes, whole) != Some(false))
            .partition(|whole| graph.takes(takes, whole) == Some(true));
        sure.into_iter().chain(doubtful).next()
    }

    fn put_into(&self, form: &Form<'_>, base: Value, step: &Step, value: Value) -> Option<Value> {
        match (base, step) {
            (Value::Object(mut members), Step::Member(name)) => {
                members.insert(name.clone(), value);
                Some(Value::from(members))
            }
            (Value::Array(mut items), Step::Item(idx)) => {
                while items.len() < *idx {
                    let conj = self.graph.item(&form.parts, items.len());
                    items.push(self.graph.unlike(&conj, &items, 1)?);
                }
                if items.len() > *idx {
                    items[*idx] = value;
                } else {
                    items.push(value);
                }
                Some(Value::from(items))
            }
            _ => None,
        }
    }
}
