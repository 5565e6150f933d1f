//! Which schemas hold for a member or an item, given those that hold for the whole.

use super::form::{Conj, Form, Part};
use super::graph::Graph;
use super::node::{Id, Node};
use super::number::{Range, Span};
use super::types::Types;
use std::collections::BTreeSet;

impl<'a> Graph<'a> {
    /// What holds for the member `name`.
    pub(super) fn member(&self, parts: &[Part], name: &str) -> Conj {
        let fits = |pattern: &str| self.patterns.matches(pattern, name).unwrap_or(false);
        self.members(parts, Some(name), &fits)
    }

    /// What holds for a member without an entry of its own, whose name fits the patterns for which `fits` holds.
    pub(super) fn members(&self, parts: &[Part], name: Option<&str>, fits: &dyn Fn(&str) -> bool) -> Conj {
        let mut ids = Vec::new();
        for part in parts {
            let node = self.node(part.id);
            let before = ids.len();
            // Each pattern is tried on the name.
            self.pay(node.patterns.len() as u64 / 4);
            own_members(node, name, fits, &mut ids);
            if let Some(open) = node.open_props
                && let Some(scope) = self.scope(part.id)
            {
                let mut seen = ids[before..].to_vec();
                scope.iter().for_each(|id| own_members(self.node(*id), name, fits, &mut seen));
                if seen.is_empty() {
                    ids.push(open);
                }
            }
        }
        Conj::all(ids)
    }

    /// What holds for the item at `idx`.
    pub(super) fn item(&self, parts: &[Part], idx: usize) -> Conj {
        let mut ids = Vec::new();
        for part in parts {
            let node = self.node(part.id);
            let own = node.prefix.get(idx).copied().or(node.rest);
            ids.extend(own);
            if let Some(open) = node.open_items
                && let Some(scope) = self.scope(part.id)
            {
                let takes = |id: &Id| self.node(*id).prefix.len() > idx || self.node(*id).rest.is_some();
                if !scope.iter().any(takes) {
                    ids.push(open);
                }
            }
        }
        Conj::all(ids)
    }

    /// How many items of `parts` have a place of their own.
    pub(super) fn places(&self, parts: &[Part]) -> usize {
        let mut places = 0;
        for part in parts {
            let node = self.node(part.id);
            places = places.max(node.prefix.len());
            if node.open_items.is_some()
                && let Some(scope) = self.scope(part.id)
            {
                places = scope.iter().map(|id| self.node(*id).prefix.len()).fold(places, usize::max);
            }
        }
        places
    }

    /// The schemas that evaluate members and items together with `id`, where they always do; with branches that depends on the value.
    pub(super) fn scope(&self, id: Id) -> Option<Vec<Id>> {
        let mut scope = vec![id];
        let mut at = 0;
        while at < scope.len() {
            let node = self.node(scope[at]);
            let certain = node.any.is_empty()
                && node.one.is_empty()
                && node.cond.is_none()
                && node.dependent.is_empty()
                && node.contains.is_none()
                && node.lost.is_none()
                && (at == 0 || (node.open_props.is_none() && node.open_items.is_none()));
            if !certain || scope.len() > 100 {
                return None;
            }
            let more: Vec<_> = node.all.iter().filter(|id| !scope.contains(id)).copied().collect();
            scope.extend(more);
            at += 1;
        }
        Some(scope)
    }

    /// Whether one of `parts` lists `name`.
    pub(super) fn has_entry(&self, parts: &[Part], name: &str) -> bool {
        parts.iter().any(|part| self.node(part.id).props.contains_key(name))
    }

    /// The names that the schemas of `form` list.
    pub(super) fn listed(&self, form: &Form<'a>) -> BTreeSet<&'a str> {
        form.parts.iter().flat_map(|part| self.node(part.id).props.keys().copied()).collect()
    }

    /// The patterns of names that the schemas of `form` list.
    pub(super) fn name_patterns(&self, form: &Form<'a>) -> BTreeSet<&'a str> {
        let mut all = BTreeSet::new();
        for part in &form.parts {
            let node = self.node(part.id);
            all.extend(node.patterns.iter().map(|(pattern, _)| *pattern));
            if node.open_props.is_some() {
                let scope = self.scope(part.id).unwrap_or_default();
                all.extend(
                    scope.iter().flat_map(|id| self.node(*id).patterns.iter().map(|(pattern, _)| *pattern)),
                );
            }
        }
        all
    }

    /// The members that a schema names as required, where it says nothing else.
    pub(super) fn only_requires(&self, id: Id) -> Option<&BTreeSet<&'a str>> {
        let node = self.node(id);
        let needs = !node.required.is_empty() && node.all.is_empty() && says_nothing_but_required(node);
        needs.then_some(&node.required)
    }

    /// Whether `conj` says nothing at all.
    pub(super) fn is_anything(&self, conj: &Conj) -> bool {
        let mut left: Vec<Id> = conj.parts.iter().map(|part| part.id).collect();
        let mut at = 0;
        while at < left.len() {
            let node = self.node(left[at]);
            if !says_nothing(node) {
                return false;
            }
            let more: Vec<_> = node.all.iter().filter(|id| !left.contains(id)).copied().collect();
            left.extend(more);
            at += 1;
        }
        conj.types == Types::ALL
    }
}

fn own_members(node: &Node<'_>, name: Option<&str>, fits: &dyn Fn(&str) -> bool, ids: &mut Vec<Id>) {
    let before = ids.len();
    ids.extend(name.and_then(|name| node.props.get(name)));
    ids.extend(node.patterns.iter().filter(|(pattern, _)| fits(pattern)).map(|(_, id)| *id));
    if ids.len() == before {
        ids.extend(node.additional);
    }
}

/// Whether a schema, apart from what it refers to, takes any value.
fn says_nothing(node: &Node<'_>) -> bool {
    node.required.is_empty() && says_nothing_but_required(node)
}

fn says_nothing_but_required(node: &Node<'_>) -> bool {
    node.types.is_none_or(|types| types == Types::ALL)
        && node.values.is_none()
        && node.constant.is_none()
        && says_no_more(node)
}

/// Whether a schema only lists values of some types.
pub(super) fn only_lists(node: &Node<'_>) -> bool {
    node.values.is_some() && node.constant.is_none() && node.required.is_empty() && says_no_more(node)
}

fn says_no_more(node: &Node<'_>) -> bool {
    !node.never
        && node.range == Range::default()
        && node.multiple.is_none()
        && node.length == Span::default()
        && node.pattern.is_none()
        && node.items == Span::default()
        && !node.unique
        && node.prefix.is_empty()
        && node.rest.is_none()
        && node.contains.is_none()
        && node.size == Span::default()
        && node.props.is_empty()
        && node.patterns.is_empty()
        && node.additional.is_none()
        && node.names.is_none()
        && node.needs.is_empty()
        && node.dependent.is_empty()
        && node.any.is_empty()
        && node.one.is_empty()
        && node.not.is_none()
        && node.cond.is_none()
        && node.open_props.is_none()
        && node.open_items.is_none()
        && node.lost.is_none()
        && node.unknown.is_empty()
}
