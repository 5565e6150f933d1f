//! All schemas of two documents that can be reached from their roots, numbered. What they say together stands in `form`.

use super::document::{Document, Spot, Target};
use super::form::{Conj, Form, Taken};
use super::node::{self, Id, Lost, Node, Numbering};
use super::number::Num;
use super::pattern::Patterns;
use super::sample::Sampled;
use jsonschema::Draft;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many schemas of a document are read; what is beyond cannot be decided.
const MOST: usize = 100_000;
/// How many steps of evaluation a comparison may take.
const STEPS: u32 = 500_000;

/// The schemas of both documents, so that they can be set against each other.
#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) patterns: Patterns,
    /// Whether a document was too large to be read whole.
    pub(super) cut: bool,
    /// How many steps of evaluation were taken.
    steps: Cell<u32>,
    /// What conjunctions say, as far as that was asked.
    pub(super) forms: RefCell<HashMap<Conj, Rc<Form<'a>>>>,
    /// The listed values of schemas with many of them, in canonical spelling.
    pub(super) lists: RefCell<HashMap<Id, Rc<HashSet<String>>>>,
    /// Small values that schemas take, as far as that was asked.
    pub(super) samples: RefCell<HashMap<Conj, Sampled>>,
    /// How much work may still be done for the question at hand.
    purse: Cell<u64>,
    /// Which schemas are written alike, as far as that was asked.
    texts: RefCell<HashMap<(Id, Id), bool>>,
}

struct Loader<'g, 'a> {
    document: &'g Document<'a>,
    known: HashMap<(usize, usize), Id>,
    queue: Vec<(Id, Spot<'a>)>,
    nodes: &'g mut Vec<Node<'a>>,
}

impl<'a> Graph<'a> {
    /// Reads all that can be reached from `root`, and returns its number.
    pub(super) fn load(&mut self, root: &'a Value, draft: Draft) -> Id {
        let document = &Document::new(root, draft);
        let first = self.nodes.len();
        let mut loader =
            Loader { document, known: HashMap::new(), queue: Vec::new(), nodes: &mut self.nodes };
        let id = loader.number(document.start());
        while let Some((id, spot)) = loader.queue.pop() {
            if loader.nodes.len() - first > MOST {
                self.cut = true;
                break;
            }
            let node = node::read(document, &spot, &mut loader);
            loader.nodes[id] = node;
        }
        id
    }

    /// The schema of that number.
    pub(super) fn node(&self, id: Id) -> &Node<'a> {
        &self.nodes[id]
    }

    /// Whether two conjunctions are of schemas that are written alike.
    pub(super) fn alike(&self, left: &Conj, right: &Conj) -> bool {
        let taken = |conj: &Conj| conj.parts.iter().any(|part| part.taken != Taken::default());
        left.types == right.types
            && left.parts.len() == right.parts.len()
            && !taken(left)
            && !taken(right)
            && left.parts.iter().zip(&right.parts).all(|(left, right)| self.same_text(left.id, right.id))
    }

    /// Whether two schemas, and all that they refer to, are written alike.
    pub(super) fn same_text(&self, left: Id, right: Id) -> bool {
        if left == right {
            return true;
        }
        if let Some(known) = self.texts.borrow().get(&(left, right)) {
            return *known;
        }
        let same = self.compare_text(left, right);
        self.texts.borrow_mut().insert((left, right), same);
        same
    }

    fn compare_text(&self, left: Id, right: Id) -> bool {
        let mut queue = vec![(left, right)];
        let mut seen = HashSet::from([(left, right)]);
        while let Some((left, right)) = queue.pop() {
            let (mine, theirs) = (self.node(left), self.node(right));
            let (Some(raw), Some(other)) = (mine.raw, theirs.raw) else { return false };
            // The words below a schema are those of its own text; only what it refers to is elsewhere.
            let targets = (self.inner(left), self.inner(right));
            if mine.age != theirs.age || targets.0.len() != targets.1.len() || !alike_values(raw, other) {
                return false;
            }
            for pair in targets.0.into_iter().zip(targets.1) {
                if seen.insert(pair) {
                    queue.push(pair);
                }
            }
        }
        true
    }

    /// Whether a schema is applied to a value only by being applied to that value, which no validator can end.
    pub(super) fn runs_in_circles(&self) -> bool {
        // Kahn's order: a schema is done when all that it applies in place are done.
        let mut waiting: Vec<usize> = (0..self.nodes.len()).map(|id| self.in_place(id).len()).collect();
        let mut above: Vec<Vec<Id>> = vec![Vec::new(); self.nodes.len()];
        for id in 0..self.nodes.len() {
            self.in_place(id).into_iter().for_each(|below| above[below].push(id));
        }
        let mut done: Vec<Id> = (0..self.nodes.len()).filter(|id| waiting[*id] == 0).collect();
        let mut at = 0;
        while at < done.len() {
            for id in &above[done[at]] {
                waiting[*id] -= 1;
                if waiting[*id] == 0 {
                    done.push(*id);
                }
            }
            at += 1;
        }
        done.len() < self.nodes.len()
    }

    /// The schemas that a schema applies to the same value.
    pub(super) fn in_place(&self, id: Id) -> Vec<Id> {
        let node = self.node(id);
        let mut ids: Vec<Id> = [&node.all, &node.any, &node.one].into_iter().flatten().copied().collect();
        ids.extend(node.not);
        ids.extend(node.dependent.values());
        let cond = node.cond.map(|cond| [Some(cond.test), cond.then, cond.otherwise]);
        ids.extend(cond.into_iter().flatten().flatten());
        ids
    }

    /// All schemas that a schema names, wherever they stand.
    pub(super) fn inner(&self, id: Id) -> Vec<Id> {
        let node = self.node(id);
        let mut ids: Vec<_> = node.props.values().chain(node.dependent.values()).copied().collect();
        ids.extend(node.patterns.iter().map(|(_, id)| *id));
        for list in [&node.prefix, &node.all, &node.any, &node.one] {
            ids.extend(list);
        }
        let single = [node.rest, node.additional, node.names, node.not, node.open_props, node.open_items];
        ids.extend(single.into_iter().flatten());
        ids.extend(node.contains.map(|(id, _)| id));
        let cond = node.cond.map(|cond| [Some(cond.test), cond.then, cond.otherwise]);
        ids.extend(cond.into_iter().flatten().flatten());
        ids
    }

    /// Runs `ask` with so much work allowed, and says how much was done.
    pub(super) fn within<T>(&self, most: u64, ask: impl FnOnce() -> T) -> (T, u64) {
        self.purse.set(most);
        let answer = ask();
        (answer, most - self.purse.get())
    }

    /// Runs `ask` with an allowance of its own, however much was spent before, and says how much of it was used.
    pub(super) fn afresh<T>(&self, most: u32, ask: impl FnOnce() -> T) -> (T, u32) {
        let before = (self.purse.replace(most.into()), self.steps.replace(STEPS - most.min(STEPS)));
        let answer = ask();
        let left = (self.purse.replace(before.0), STEPS.saturating_sub(self.steps.replace(before.1)));
        let purse = u32::try_from(left.0).unwrap_or(u32::MAX);
        (answer, most.saturating_sub(purse.min(left.1)))
    }

    /// Takes from what is allowed.
    pub(super) fn pay(&self, work: u64) {
        self.purse.set(self.purse.get().saturating_sub(work));
    }

    /// Whether all that was allowed is spent.
    pub(super) fn is_broke(&self) -> bool {
        self.purse.get() == 0
    }

    /// Whether a question can no longer be answered as well as it could with more work.
    pub(super) fn is_tired(&self) -> bool {
        self.is_broke() || self.steps.get() >= STEPS
    }

    /// Counts a step; false when there were too many.
    pub(super) fn spend(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        self.steps.get() < STEPS
    }

    /// The references that lead nowhere or out of the document, with the place of each.
    pub(super) fn lost(&self, ids: std::ops::Range<usize>) -> impl Iterator<Item = (&str, &Lost<'a>)> {
        self.nodes[ids].iter().filter_map(|node| node.lost.as_ref().map(|lost| (node.pointer.as_str(), lost)))
    }
}

impl<'a> Numbering<'a> for Loader<'_, 'a> {
    fn number(&mut self, spot: Spot<'a>) -> Id {
        let key = (std::ptr::from_ref(spot.value).addr(), spot.resource);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.known.insert(key, id);
        self.queue.push((id, spot));
        id
    }

    fn refer(&mut self, spot: &Spot<'a>, reference: &'a str) -> Result<Id, Lost<'a>> {
        match self.document.resolve(spot, reference) {
            Target::Spot(spot) => Ok(self.number(spot)),
            Target::External => Err(Lost::External(reference)),
            Target::Dangling => Err(Lost::Dangling(reference)),
        }
    }
}

/// Whether two values mean the same, whatever the order of members and the spelling of numbers.
pub(super) fn alike_values(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Num::of(left) == Num::of(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| alike_values(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(name, value): (&String, &Value)| {
                right.get(name).is_some_and(|other| alike_values(value, other))
            };
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}
