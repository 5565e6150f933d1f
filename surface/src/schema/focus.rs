//! What a witness of a change has to look like, and the plainest values that could be one. They are tried before any search.

use super::form::Conj;
use super::number::{Num, Range, Span};
use super::pattern::{Found, Refuse};
use super::search::{Search, stranger};
use super::types::Types;
use serde_json::Value;

/// How many values of a list are tried, or kept to be recognised.
const FEW: usize = 3;
const KEPT: usize = 1_000;
/// How long a plain text is made, and how many items a plain array has.
const LONGEST: u64 = 6_000_000;
const MOST_ITEMS: u64 = 10_001;

/// What a witness of a change has to look like, so that it is one of this change and not of another.
pub(super) enum Focus {
    /// Anything.
    Any,
    /// The member is there.
    With(String),
    /// The member is missing.
    Without(String),
    /// Anything, most plainly an object with a member that nobody listed.
    Stranger,
    /// One of these values.
    OneOf(Vec<Value>),
    /// A value of one of these types.
    Of(Types),
    /// A text, most plainly one that does not fit a pattern.
    Text,
    /// A text of another length.
    Length(Span),
    /// An array of another length.
    Count(Span),
    /// Anything, most plainly an array that holds an item twice.
    Repeats,
}

impl Focus {
    /// One of `values`, of which the first few will do.
    pub(super) fn one_of(mut values: Vec<Value>) -> Self {
        values.truncate(KEPT);
        Self::OneOf(values)
    }

    /// Whether `value` looks like this.
    pub(super) fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Any | Self::Stranger | Self::Repeats => true,
            Self::With(name) => value.get(name).is_some(),
            Self::Without(name) => value.is_object() && value.get(name).is_none(),
            Self::OneOf(values) => values.contains(value),
            Self::Of(types) => types.has(Types::of(value)),
            Self::Text => value.is_string(),
            Self::Length(refused) => {
                value.as_str().is_some_and(|text| !refused.takes(text.chars().count() as u64))
            }
            Self::Count(refused) => value.as_array().is_some_and(|items| !refused.takes(items.len() as u64)),
        }
    }
}

impl Search<'_, '_> {
    /// The plainest values of `takes` that look like `focus`.
    pub(super) fn plainest(&self, takes: &Conj, refuses: &Conj, focus: &Focus) -> Vec<Value> {
        let of = |types: Types| self.graph.sample(&takes.only(types));
        match focus {
            Focus::Any => self.graph.sample(takes).into_iter().collect(),
            Focus::With(name) => self.with_member(takes, name).into_iter().collect(),
            Focus::Without(_) => of(Types::OBJECT).into_iter().collect(),
            Focus::Stranger => self.with_member(takes, &self.free_name(takes, refuses)).into_iter().collect(),
            Focus::OneOf(values) => values.iter().take(FEW).cloned().collect(),
            Focus::Of(types) if Types::NUMBER.has(*types) => {
                let refused = self.graph.form(&refuses.only(*types)).range;
                types.each().filter_map(of).chain(beyond(&refused)).collect()
            }
            Focus::Of(types) => types.each().filter_map(of).collect(),
            Focus::Text => self.misfits(takes, refuses),
            Focus::Length(refused) => {
                outside(refused).filter_map(|long| self.text_of(takes, long)).map(Value::from).collect()
            }
            Focus::Count(refused) => {
                let form = self.graph.form(&takes.only(Types::ARRAY));
                let counts = outside(refused).filter(|count| *count <= MOST_ITEMS);
                let counts = counts.filter_map(|count| usize::try_from(count).ok());
                counts.filter_map(|count| self.filled(&form, count, form.unique)).map(Value::from).collect()
            }
            Focus::Repeats => {
                let form = self.graph.form(&takes.only(Types::ARRAY));
                let long = usize::try_from(form.items.min.clamp(2, MOST_ITEMS)).unwrap_or(2);
                self.filled(&form, long, false).map(Value::from).into_iter().collect()
            }
        }
    }

    fn with_member(&self, takes: &Conj, name: &str) -> Option<Value> {
        let takes = takes.only(Types::OBJECT);
        let mut value = self.graph.sample(&takes)?;
        if value.get(name).is_none() {
            let member = self.graph.member(&self.graph.form(&takes).parts, name);
            let member = self.graph.sample(&member)?;
            value.as_object_mut()?.insert(name.to_owned(), member);
        }
        Some(value)
    }

    fn free_name(&self, takes: &Conj, refuses: &Conj) -> String {
        let (mine, theirs) = (self.graph.flat(takes), self.graph.flat(refuses));
        stranger(&|name| self.graph.has_entry(&mine, name) || self.graph.has_entry(&theirs, name)).to_owned()
    }

    /// Texts that fit the patterns of `takes`, and none of a pattern of `refuses`.
    fn misfits(&self, takes: &Conj, refuses: &Conj) -> Vec<Value> {
        let form = self.graph.form(&takes.only(Types::STRING));
        let demands = self.graph.form(&refuses.only(Types::STRING));
        let mine: Vec<_> = form.patterns.iter().copied().collect();
        let longer = Span { min: form.length.min.max(1), ..form.length };
        let mut out = Vec::new();
        for pattern in demands.patterns.difference(&form.patterns).take(FEW) {
            for length in [longer, form.length] {
                if let Found::Text(text) = self.graph.patterns.find(&mine, length, Refuse::Pattern(pattern)) {
                    out.push(Value::from(text));
                }
            }
        }
        out
    }

    fn text_of(&self, takes: &Conj, long: u64) -> Option<String> {
        let form = self.graph.form(&takes.only(Types::STRING));
        if form.patterns.is_empty() {
            return (long <= LONGEST).then(|| "a".repeat(usize::try_from(long).unwrap_or(0)));
        }
        let mine: Vec<_> = form.patterns.iter().copied().collect();
        let exact = Span { min: long, max: Some(long) };
        match self.graph.patterns.find(&mine, exact, Refuse::Nothing) {
            Found::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The counts next to the ends of a span, on the far side.
fn outside(span: &Span) -> impl Iterator<Item = u64> + use<> {
    let above = span.max.and_then(|max| max.checked_add(1));
    above.into_iter().chain(span.min.checked_sub(1))
}

/// The numbers next to the ends of a range, on the far side.
fn beyond(range: &Range) -> Vec<Value> {
    let mut out = Vec::new();
    for (bound, step) in [(range.low, -1), (range.high, 1)] {
        let Some(bound) = bound else { continue };
        let half = if step < 0 { -0.5 } else { 0.5 };
        out.extend([bound.at, bound.at.add(step), Num::Float(bound.at.float() + half)].map(Num::value));
    }
    out
}
