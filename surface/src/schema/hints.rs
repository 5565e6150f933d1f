//! Collects what the keywords of schemas suggest as telling values: edges of ranges, listed values, names. Branches count as well, whether or not they are taken.

use super::form::{Conj, Part};
use super::graph::Graph;
use super::node::Id;
use super::number::{Num, Range, Span};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many schemas are looked at.
const MOST: usize = 200;
/// How many listed values are tried.
const MOST_VALUES: usize = 60;

/// What was collected.
#[derive(Default)]
pub(super) struct Hints<'a> {
    /// All schemas that are applied in place, branches included.
    pub(super) ids: Vec<Id>,
    pub(super) values: Vec<&'a Value>,
    pub(super) numbers: Vec<Num>,
    pub(super) lengths: BTreeSet<u64>,
    pub(super) counts: BTreeSet<u64>,
    pub(super) sizes: BTreeSet<u64>,
    pub(super) patterns: BTreeSet<&'a str>,
    pub(super) name_patterns: BTreeSet<&'a str>,
    pub(super) names: BTreeSet<&'a str>,
    /// Schemas of names of members.
    pub(super) naming: Vec<Id>,
    pub(super) contains: Vec<Id>,
    pub(super) needs: BTreeSet<&'a str>,
    pub(super) groups: Vec<Id>,
}

impl<'a> Graph<'a> {
    /// Collects from all that `conjs` apply in place.
    pub(super) fn hints<'c>(&self, conjs: impl IntoIterator<Item = &'c Conj>) -> Hints<'a> {
        let mut ids: Vec<Id> =
            conjs.into_iter().flat_map(|conj| conj.parts.iter().map(|part| part.id)).collect();
        let mut at = 0;
        while at < ids.len() && ids.len() < MOST {
            for id in self.in_place(ids[at]) {
                if ids.len() < MOST && !ids.contains(&id) {
                    ids.push(id);
                }
            }
            at += 1;
        }
        let mut hints = Hints { ids: ids.clone(), ..Hints::default() };
        for id in ids {
            hints.read(self, id);
        }
        hints.values.truncate(MOST_VALUES);
        hints
    }
}

impl<'a> Hints<'a> {
    fn read(&mut self, graph: &Graph<'a>, id: Id) {
        let node = graph.node(id);
        self.values.extend(node.values.into_iter().flatten().chain(node.constant));
        for keyword in ["default", "examples", "example"] {
            match node.raw.and_then(|raw| raw.get(keyword)) {
                Some(Value::Array(examples)) if keyword == "examples" => self.values.extend(examples),
                other => self.values.extend(other),
            }
        }
        self.edges(&node.range, node.multiple);
        self.lengths.extend(around(&node.length));
        self.counts.extend(around(&node.items));
        self.sizes.extend(around(&node.size));
        self.patterns.extend(node.pattern);
        self.name_patterns.extend(node.patterns.iter().map(|(pattern, _)| *pattern));
        self.names.extend(node.props.keys());
        self.names.extend(&node.required);
        self.needs.extend(node.needs.keys().chain(node.dependent.keys()));
        self.needs.extend(node.needs.values().flatten().chain(&node.required));
        if let Some((id, span)) = node.contains {
            self.contains.push(id);
            self.counts.extend(around(&span));
        }
        if !node.prefix.is_empty() {
            self.counts.extend([node.prefix.len() as u64, node.prefix.len() as u64 + 1]);
        }
        if node.any.len() + node.one.len() > 0 || node.cond.is_some() {
            self.groups.push(id);
        }
        self.naming.extend(node.names);
    }

    fn edges(&mut self, range: &Range, multiple: Option<Num>) {
        for bound in range.low.into_iter().chain(range.high) {
            self.numbers.extend([bound.at, bound.at.add(1), bound.at.add(-1)]);
            self.numbers.extend([0.5, -0.5].map(|step| Num::Float(bound.at.float() + step)));
        }
        if let (Some(low), Some(high)) = (range.low, range.high) {
            self.numbers.push(Num::Float(f64::midpoint(low.at.float(), high.at.float())));
        }
        if let Some(step) = multiple {
            self.numbers.push(step);
            self.numbers.extend([2.0, 3.0, 0.5, 1.5, 7.0].map(|times| match step {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "saturates; what does not fit is refused"
                )]
                Num::Whole(step) if times >= 2.0 => Num::Whole(step.saturating_mul(times as i128)),
                step => Num::Float(step.float() * times),
            }));
        }
    }

    /// The schemas of all hints as parts, branches included.
    pub(super) fn parts(&self) -> Vec<Part> {
        Conj::all(self.ids.iter().copied()).parts
    }
}

fn around(span: &Span) -> impl Iterator<Item = u64> + use<> {
    let low = (span.min > 0).then_some(span.min);
    low.into_iter().chain(span.max).flat_map(|edge| [edge.saturating_sub(1), edge, edge.saturating_add(1)])
}
