//! What several schemas say together about one value: `allOf` and `$ref` taken apart, scalar keywords merged. It is the normal form on which proofs stand.

use super::child::only_lists;
use super::graph::Graph;
use super::node::{Cond, Id, Lost, Node};
use super::number::{Num, Range, Span};
use super::types::Types;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

/// How many conjunctions are remembered.
const MOST_REMEMBERED: usize = 30_000;
/// From how many schemas of a conjunction on they are looked up.
const MANY: usize = 32;

/// Groups of branches of a node that have been taken apart, and are left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Taken(u8);

impl Taken {
    pub(super) const ANY: Self = Self(1);
    pub(super) const ONE: Self = Self(2);
    pub(super) const COND: Self = Self(4);

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A schema, or what is left of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Part {
    pub(super) id: Id,
    pub(super) taken: Taken,
}

/// Schemas that all hold for one value, which is of one of `types`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Conj {
    pub(super) types: Types,
    /// In order, each once.
    pub(super) parts: Vec<Part>,
}

impl Conj {
    /// A single schema.
    pub(super) fn of(id: Id) -> Self {
        Self::all([id])
    }

    /// Several schemas at once; none of them is anything.
    pub(super) fn all(ids: impl IntoIterator<Item = Id>) -> Self {
        let mut parts: Vec<_> = ids.into_iter().map(|id| Part { id, taken: Taken::default() }).collect();
        parts.sort_unstable();
        parts.dedup();
        Self { types: Types::ALL, parts }
    }

    /// The same for values of `types` only.
    pub(super) fn only(&self, types: Types) -> Self {
        Self { types: self.types.and(types), parts: self.parts.clone() }
    }

    /// The same with another schema on top.
    pub(super) fn plus(&self, id: Id) -> Self {
        self.meet(&Self::of(id))
    }

    /// Both at once.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let mut parts = self.parts.clone();
        for part in &other.parts {
            // Of two remains of one schema, the one that says more.
            match parts.iter_mut().find(|mine| mine.id == part.id) {
                Some(mine) => mine.taken.0 &= part.taken.0,
                None => parts.push(*part),
            }
        }
        parts.sort_unstable();
        Self { types: self.types.and(other.types), parts }
    }

    /// The same without a group of a schema.
    pub(super) fn take(&self, id: Id, taken: Taken) -> Self {
        let mut out = self.clone();
        match out.parts.iter_mut().find(|part| part.id == id) {
            Some(part) => part.taken = part.taken.and(taken),
            None => out.parts.push(Part { id, taken }),
        }
        out.parts.sort_unstable();
        out
    }
}

/// What a conjunction says.
#[derive(Default)]
pub(super) struct Form<'a> {
    pub(super) types: Option<Types>,
    /// All of its schemas, references followed.
    pub(super) parts: Vec<Part>,
    /// The only values, where there are only so many.
    pub(super) values: Option<Vec<&'a Value>>,
    pub(super) range: Range,
    pub(super) multiples: Vec<Num>,
    pub(super) length: Span,
    pub(super) patterns: BTreeSet<&'a str>,
    pub(super) items: Span,
    pub(super) unique: bool,
    pub(super) size: Span,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) needs: BTreeMap<&'a str, BTreeSet<&'a str>>,
    pub(super) dependent: Vec<(&'a str, Id)>,
    pub(super) contains: Vec<(Id, Span)>,
    pub(super) names: Vec<Id>,
    pub(super) any: Vec<Id>,
    pub(super) one: Vec<Id>,
    pub(super) nots: Vec<Id>,
    pub(super) conds: Vec<(Id, Cond)>,
    /// Schemas with keywords that cannot be judged.
    pub(super) opaque: Vec<Id>,
    never: bool,
}

impl Form<'_> {
    /// The types that are left.
    pub(super) fn types(&self) -> Types {
        if self.never { Types::NONE } else { self.types.unwrap_or(Types::ALL) }
    }
}

impl<'a> Graph<'a> {
    /// Works out what `conj` says, or remembers it.
    pub(super) fn form(&self, conj: &Conj) -> Rc<Form<'a>> {
        if let Some(form) = self.forms.borrow().get(conj) {
            return Rc::clone(form);
        }
        let form = Rc::new(self.work_out(conj));
        self.pay(1 + form.parts.len() as u64);
        let mut forms = self.forms.borrow_mut();
        if forms.len() < MOST_REMEMBERED {
            forms.insert(conj.clone(), Rc::clone(&form));
        }
        form
    }

    fn work_out(&self, conj: &Conj) -> Form<'a> {
        let mut form = Form { parts: self.flat(conj), ..Form::default() };
        let mut types = conj.types;
        for idx in 0..form.parts.len() {
            let Part { id, taken } = form.parts[idx];
            let node = self.node(id);
            types = types.and(node.types.unwrap_or(Types::ALL));
            form.never |= node.never;
            form.scalars(node);
            form.groups(self, id, taken);
        }
        if form.multiples.iter().any(|step| matches!(step, Num::Whole(step) if *step != 0)) {
            types = types.without(Types::FRACTION);
        }
        if let Some(values) = &mut form.values {
            // The schema that the list is from has been asked already, if it says nothing else.
            let source = |node: &Node<'a>| {
                let own = node.values.and_then(|own| Some((own.len(), own.first()?)));
                let same =
                    |(long, first): (usize, &Value)| long == values.len() && std::ptr::eq(first, values[0]);
                only_lists(node) && own.is_some_and(same)
            };
            let others: Vec<_> = form.parts.iter().filter(|part| !source(self.node(part.id))).collect();
            values.retain(|value| {
                types.has(Types::of(value))
                    && others.iter().all(|part| self.accepts(part.id, value, 0) != Some(false))
            });
            types = types.and(values.iter().fold(Types::NONE, |all, value| all.or(Types::of(value))));
        }
        form.types = Some(types);
        form
    }

    /// The schemas of `conj` and all that they refer to in place.
    pub(super) fn flat(&self, conj: &Conj) -> Vec<Part> {
        let mut parts = conj.parts.clone();
        let (mut at, mut many) = (0, HashSet::new());
        while at < parts.len() {
            for id in &self.node(parts[at].id).all {
                // Mostly there are a few; a long chain of references is looked up.
                let new = if parts.len() < MANY {
                    parts.iter().all(|part| part.id != *id)
                } else {
                    if many.is_empty() {
                        many.extend(parts.iter().map(|part| part.id));
                    }
                    many.insert(*id)
                };
                if new {
                    parts.push(Part { id: *id, taken: Taken::default() });
                }
            }
            at += 1;
        }
        parts
    }
}

impl<'a> Form<'a> {
    fn scalars(&mut self, node: &Node<'a>) {
        let listed = node.values.map(|values| values.iter().collect::<Vec<_>>());
        for values in listed.into_iter().chain(node.constant.map(|value| vec![value])) {
            // The filter over all schemas comes later; the shorter list is as good as both.
            if self.values.as_ref().is_none_or(|mine| mine.len() > values.len()) {
                self.values = Some(values);
            }
        }
        self.range.meet(&node.range);
        self.multiples.extend(node.multiple);
        self.length.meet(&node.length);
        self.patterns.extend(node.pattern);
        self.items.meet(&node.items);
        self.unique |= node.unique;
        self.contains.extend(node.contains);
        self.size.meet(&node.size);
        self.required.extend(&node.required);
        for (name, needs) in &node.needs {
            self.needs.entry(name).or_default().extend(needs);
        }
        self.names.extend(node.names);
    }

    fn groups(&mut self, graph: &Graph<'a>, id: Id, taken: Taken) {
        let node = graph.node(id);
        if !node.any.is_empty() && !taken.has(Taken::ANY) {
            self.any.push(id);
        }
        if !node.one.is_empty() && !taken.has(Taken::ONE) {
            self.one.push(id);
        }
        if let Some(cond) = node.cond
            && !taken.has(Taken::COND)
        {
            self.conds.push((id, cond));
        }
        for (name, id) in &node.dependent {
            // A schema that only names members says what `dependentRequired` says.
            match graph.only_requires(*id) {
                Some(needs) => self.needs.entry(name).or_default().extend(needs),
                None => self.dependent.push((name, *id)),
            }
        }
        self.nots.extend(node.not);
        let lost = matches!(node.lost, Some(Lost::External(_) | Lost::Dangling(_)));
        let open = node.open_items.is_some() || node.open_props.is_some();
        if lost || (open && graph.scope(id).is_none()) || !node.unknown.is_empty() {
            self.opaque.push(id);
        }
    }
}
