//! Whether a schema takes a value, in three values: it does, it does not, or this code cannot tell. The last word on a witness is that of the `jsonschema` crate.

use super::form::Conj;
use super::graph::{Graph, alike_values};
use super::node::{Id, Node};
use super::number::Num;
use super::types::Types;
use crate::canonical::canonical;
use serde_json::{Map, Value};
use std::rc::Rc;

/// From how many listed values on they are looked up.
const MANY: usize = 30;
/// How deep references and values are followed.
const DEEPEST: usize = 48;

/// Both hold; a certain no wins over a perhaps.
fn both(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// All hold.
fn all(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut truth = Some(true);
    for answer in answers {
        truth = both(truth, answer);
        if truth == Some(false) {
            break;
        }
    }
    truth
}

fn negate(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}

impl<'a> Graph<'a> {
    /// Whether all of `conj` take `value`.
    pub(super) fn takes(&self, conj: &Conj, value: &Value) -> Option<bool> {
        if !conj.types.has(Types::of(value)) {
            return Some(false);
        }
        // Groups that were taken apart only make a conjunction wider, so a certain answer for the whole is asked.
        all(conj.parts.iter().map(|part| self.accepts(part.id, value, 0)))
    }

    /// Whether the schema `id` takes `value`.
    pub(super) fn accepts(&self, id: Id, value: &Value, depth: usize) -> Option<bool> {
        if depth > DEEPEST || !self.spend() {
            return None;
        }
        let node = self.node(id);
        if node.never || !self.flat_keywords(id, node, value) {
            return Some(false);
        }
        let mut truth = if node.lost.is_some() { None } else { Some(true) };
        let steps: [&dyn Fn() -> Option<bool>; 4] = [
            &|| self.by_pattern(node, value),
            &|| self.applies(node, value, depth + 1),
            &|| {
                value
                    .as_object()
                    .map_or(Some(true), |members| self.object_fits(id, members, value, depth + 1))
            },
            &|| value.as_array().map_or(Some(true), |items| self.items_fit(id, items, depth + 1)),
        ];
        for step in steps {
            truth = both(truth, step());
            if truth == Some(false) {
                break;
            }
        }
        truth
    }

    /// What can be told without looking into other schemas.
    fn flat_keywords(&self, id: Id, node: &Node<'a>, value: &Value) -> bool {
        let listed = node.values.is_none_or(|values| self.lists(id, values, value));
        let fixed = node.constant.is_none_or(|constant| alike_values(constant, value));
        if !listed || !fixed || !node.types.is_none_or(|types| types.has(Types::of(value))) {
            return false;
        }
        match value {
            Value::Number(number) => {
                let number = Num::of(number);
                node.range.takes(number)
                    && node.multiple.is_none_or(|step| number.is_multiple_of(step) != Some(false))
            }
            Value::String(text) => node.length.takes(text.chars().count() as u64),
            Value::Array(items) => node.items.takes(items.len() as u64) && !(node.unique && repeats(items)),
            Value::Object(members) => {
                let has = |name: &&str| members.contains_key(*name);
                let needed = |(name, needs): (&&str, &std::collections::BTreeSet<&str>)| {
                    !has(name) || needs.iter().all(has)
                };
                node.size.takes(members.len() as u64)
                    && node.required.iter().all(has)
                    && node.needs.iter().all(needed)
            }
            _ => true,
        }
    }

    fn lists(&self, id: Id, values: &[Value], value: &Value) -> bool {
        if values.len() < MANY {
            return values.iter().any(|one| alike_values(one, value));
        }
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry(id).or_insert_with(|| Rc::new(values.iter().map(canonical).collect()));
        list.contains(&canonical(value))
    }

    fn by_pattern(&self, node: &Node<'a>, value: &Value) -> Option<bool> {
        match (node.pattern, value) {
            (Some(pattern), Value::String(text)) => self.patterns.matches(pattern, text),
            _ => Some(true),
        }
    }

    fn applies(&self, node: &Node<'a>, value: &Value, depth: usize) -> Option<bool> {
        let ask = |id: &Id| self.accepts(*id, value, depth);
        let mut truth = all(node.all.iter().map(ask));
        if !node.any.is_empty() {
            let none = all(node.any.iter().map(|id| negate(ask(id))));
            truth = both(truth, negate(none));
        }
        if !node.one.is_empty() {
            let answers: Vec<_> = node.one.iter().map(ask).collect();
            truth = both(truth, exactly_one(&answers));
        }
        if let Some(not) = &node.not {
            truth = both(truth, negate(ask(not)));
        }
        if let Some(cond) = node.cond {
            let branch = |id: Option<Id>| id.map_or(Some(true), |id| ask(&id));
            truth = both(
                truth,
                match ask(&cond.test) {
                    Some(true) => branch(cond.then),
                    Some(false) => branch(cond.otherwise),
                    None => None,
                },
            );
        }
        truth
    }

    fn object_fits(&self, id: Id, members: &Map<String, Value>, value: &Value, depth: usize) -> Option<bool> {
        let node = self.node(id);
        let mut truth = Some(true);
        if node.open_props.is_some() && self.scope(id).is_none() {
            truth = None;
        }
        let part = [super::form::Part { id, taken: super::form::Taken::default() }];
        for (name, member) in members {
            for child in self.member(&part, name).parts {
                truth = both(truth, self.accepts(child.id, member, depth));
            }
            if let Some(names) = node.names {
                truth = both(truth, self.accepts(names, &Value::from(name.as_str()), depth));
            }
            if let Some(dependent) = node.dependent.get(name.as_str()) {
                truth = both(truth, self.accepts(*dependent, value, depth));
            }
            if truth == Some(false) {
                break;
            }
        }
        truth
    }

    fn items_fit(&self, id: Id, items: &[Value], depth: usize) -> Option<bool> {
        let node = self.node(id);
        let mut truth = Some(true);
        if node.open_items.is_some() && self.scope(id).is_none() {
            truth = None;
        }
        let part = [super::form::Part { id, taken: super::form::Taken::default() }];
        for (idx, item) in items.iter().enumerate() {
            for child in self.item(&part, idx).parts {
                truth = both(truth, self.accepts(child.id, item, depth));
            }
            if truth == Some(false) {
                return truth;
            }
        }
        let Some((contained, span)) = node.contains else { return truth };
        let answers: Vec<_> = items.iter().map(|item| self.accepts(contained, item, depth)).collect();
        let certain = answers.iter().filter(|answer| **answer == Some(true)).count() as u64;
        let open = answers.iter().filter(|answer| answer.is_none()).count() as u64;
        let counted = match (span.takes(certain), span.takes(certain + open)) {
            (true, true) => Some(true),
            (false, false) if open == 0 => Some(false),
            _ => None,
        };
        both(truth, counted)
    }
}

fn exactly_one(answers: &[Option<bool>]) -> Option<bool> {
    let certain = answers.iter().filter(|answer| **answer == Some(true)).count();
    let open = answers.iter().any(Option::is_none);
    match (certain, open) {
        (2.., _) | (0, false) => Some(false),
        (1, false) => Some(true),
        _ => None,
    }
}

fn repeats(items: &[Value]) -> bool {
    let mut seen = std::collections::HashSet::new();
    items.iter().any(|item| !seen.insert(canonical(item)))
}
