//! Makes small values that a schema takes.

use super::form::{Conj, Form, Taken};
use super::graph::Graph;
use super::number::Num;
use super::pattern::{Found, Refuse};
use super::types::Types;
use serde_json::{Map, Value};

/// How deep values are nested before giving up.
const DEEPEST: u32 = 30;
/// How many samples are remembered.
const MOST_REMEMBERED: usize = 30_000;
/// How long a string or an array is made.
const LONGEST: u64 = 3_000;
/// Strings for patterns that no automaton can hold.
const WORDS: [&str; 14] = [
    "a",
    "1",
    "A",
    "abc",
    "ABC",
    "123",
    "abc123",
    "Abc123!x",
    "a-b",
    "a_b",
    "a@b.co",
    "https://a.b/",
    "2024-01-31",
    "2024-01-31T12:00:00Z",
];

/// What became of the wish for a sample.
pub(super) enum Sampled {
    /// It was made; with the number of values in it.
    Made(Value, u64),
    /// None was found from that depth on.
    Failed(u32),
}

impl<'a> Graph<'a> {
    /// A small value that all of `conj` take.
    pub(super) fn sample(&self, conj: &Conj) -> Option<Value> {
        self.sample_at(conj, 0)
    }

    pub(super) fn sample_at(&self, conj: &Conj, depth: u32) -> Option<Value> {
        self.pay(1);
        if depth > DEEPEST || self.is_broke() || !self.spend() {
            return None;
        }
        match self.samples.borrow().get(conj) {
            Some(Sampled::Made(value, size)) => {
                // A value that holds others twice at each level is large before it is deep.
                self.pay(*size);
                return (!self.is_broke()).then(|| value.clone());
            }
            Some(Sampled::Failed(from)) if depth >= *from => return None,
            _ => {}
        }
        let made = self.make_sample(conj, depth);
        let known = match &made {
            Some(value) => Sampled::Made(value.clone(), size(value)),
            None if self.is_tired() => return None,
            None => Sampled::Failed(depth),
        };
        let mut samples = self.samples.borrow_mut();
        if samples.len() < MOST_REMEMBERED {
            samples.insert(conj.clone(), known);
        }
        made
    }

    fn make_sample(&self, conj: &Conj, depth: u32) -> Option<Value> {
        let form = self.form(conj);
        if let Some(values) = &form.values {
            return values
                .iter()
                .find(|value| self.takes(conj, value) == Some(true))
                .map(|value| (*value).clone());
        }
        let group = form.any.first().map(|id| (*id, Taken::ANY));
        if let Some((id, taken)) = group.or_else(|| form.one.first().map(|id| (*id, Taken::ONE))) {
            let node = self.node(id);
            let branches = if taken == Taken::ANY { &node.any } else { &node.one };
            let rest = conj.take(id, taken);
            return branches
                .iter()
                .filter_map(|branch| self.sample_at(&rest.plus(*branch), depth + 1))
                .find(|value| self.takes(conj, value) != Some(false));
        }
        if let Some((id, cond)) = form.conds.first() {
            let rest = conj.take(*id, Taken::COND);
            let with = cond.then.into_iter().fold(rest.plus(cond.test), |all, then| all.plus(then));
            let without = cond.otherwise.map_or_else(|| rest.clone(), |otherwise| rest.plus(otherwise));
            return [without, with]
                .iter()
                .filter_map(|conj| self.sample_at(conj, depth + 1))
                .find(|value| self.takes(conj, value) != Some(false));
        }
        let types = form.types();
        types.each().find_map(|one| self.of_type(&conj.only(one), one, depth))
    }

    fn of_type(&self, conj: &Conj, one: Types, depth: u32) -> Option<Value> {
        let form = self.form(conj);
        let fits = |value: &Value| self.takes(conj, value) != Some(false);
        match one {
            Types::NULL => Some(Value::Null).filter(fits),
            Types::BOOLEAN => [true, false].map(Value::from).into_iter().find(fits),
            Types::INTEGER | Types::FRACTION => numbers(&form, one).into_iter().map(Num::value).find(fits),
            Types::STRING => self.text(&form).into_iter().map(Value::from).find(fits),
            Types::ARRAY => self.array(&form, depth).filter(fits),
            _ => self.object(&form, depth).into_iter().find(fits),
        }
    }

    fn text(&self, form: &Form<'a>) -> Vec<String> {
        let mut out = Vec::new();
        let patterns: Vec<_> = form.patterns.iter().copied().collect();
        if !patterns.is_empty() {
            // An empty string reads badly, so one character is asked for first.
            let mut longer = form.length;
            longer.min = longer.min.max(1);
            for length in [longer, form.length] {
                if let Found::Text(text) = self.patterns.find(&patterns, length, Refuse::Nothing) {
                    out.push(text);
                }
            }
            out.extend(WORDS.map(str::to_owned));
        }
        let plain = form.length.min.max(1).min(form.length.max.unwrap_or(u64::MAX)).min(LONGEST);
        out.push("a".repeat(usize::try_from(plain).unwrap_or(1)));
        out.extend(["b", "c", "d"].map(|letter| letter.repeat(usize::try_from(plain).unwrap_or(1))));
        out
    }

    fn array(&self, form: &Form<'a>, depth: u32) -> Option<Value> {
        let wanted = form.contains.iter().map(|(_, span)| span.min).sum::<u64>();
        let long = form.items.min.max(wanted);
        if long > LONGEST {
            return None;
        }
        let mut items = Vec::new();
        let mut inner = form.contains.iter().flat_map(|(id, span)| {
            std::iter::repeat_n(*id, usize::try_from(span.min.min(LONGEST)).unwrap_or(0))
        });
        for idx in 0..usize::try_from(long).unwrap_or(0) {
            let conj = self.item(&form.parts, idx);
            let conj = inner.next().map_or_else(|| conj.clone(), |id| conj.plus(id));
            let used = if form.unique { items.as_slice() } else { &[] };
            items.push(self.unlike(&conj, used, depth)?);
        }
        Some(Value::from(items))
    }

    /// A value that is none of `used`.
    pub(super) fn unlike(&self, conj: &Conj, used: &[Value], depth: u32) -> Option<Value> {
        let first = self.sample_at(conj, depth + 1)?;
        if !used.contains(&first) {
            return Some(first);
        }
        let form = self.form(conj);
        let listed = form.values.iter().flatten().map(|value| (*value).clone());
        let long = used.len() as u64;
        let counted = [long]
            .into_iter()
            .chain(0..long)
            .flat_map(|idx| [Value::from(idx), Value::from(format!("a{idx}"))]);
        let flags = [false, true].map(Value::from);
        listed
            .chain(flags)
            .chain(counted)
            .find(|value| !used.contains(value) && self.takes(conj, value) == Some(true))
    }

    /// The object with required members only, and with a few more where that is not enough.
    fn object(&self, form: &Form<'a>, depth: u32) -> Vec<Value> {
        let Some(least) = self.with_names(form, form.required.iter().copied(), depth) else {
            return Vec::new();
        };
        let mut out = vec![Value::from(least.clone())];
        let missing = usize::try_from(form.size.min).unwrap_or(usize::MAX).saturating_sub(least.len());
        if missing > 0 && missing < 200 {
            let listed = self.listed(form).into_iter().map(str::to_owned);
            let names = listed.chain((1..=missing).map(|idx| format!("x{idx}")));
            let mut more = least.clone();
            for name in names {
                if more.len() < least.len() + missing && !more.contains_key(&name) {
                    more.extend(
                        self.sample_at(&self.member(&form.parts, &name), depth + 1)
                            .map(|value| (name, value)),
                    );
                }
            }
            out.push(Value::from(more));
        }
        for (name, needs) in &form.needs {
            if form.required.contains(name) {
                let all = form.required.iter().chain(needs).copied();
                out.extend(self.with_names(form, all, depth).map(Value::from));
            }
        }
        out
    }

    /// An object with a sample for each of `names`.
    pub(super) fn with_names<'n>(
        &self,
        form: &Form<'a>,
        names: impl Iterator<Item = &'n str>,
        depth: u32,
    ) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        for name in names {
            let value = self.sample_at(&self.member(&form.parts, name), depth + 1)?;
            members.insert(name.to_owned(), value);
        }
        Some(members)
    }
}

/// How many values there are in a value, itself included; long texts count as several.
pub(super) fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<u64>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<u64>(),
        Value::String(text) => 1 + text.len() as u64 / 400,
        _ => 1,
    }
}

fn numbers(form: &Form<'_>, one: Types) -> Vec<Num> {
    let range = form.range.of(one);
    let mut out =
        if one == Types::INTEGER { vec![Num::Whole(1), Num::Whole(0)] } else { vec![Num::Float(1.5)] };
    for bound in range.low.into_iter().chain(range.high) {
        out.extend([bound.at, bound.at.add(1), bound.at.add(-1)]);
        out.extend([0.5, -0.5].map(|step| Num::Float(bound.at.float() + step)));
    }
    if let (Some(low), Some(high)) = (range.low, range.high) {
        out.push(Num::Float(f64::midpoint(low.at.float(), high.at.float())));
    }
    for step in &form.multiples {
        let low = range.low.map_or(0.0, |low| low.at.float());
        let first = (low / step.float()).ceil();
        for count in [first, first + 1.0, first + 2.0] {
            out.push(match step {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "saturates; what does not fit is refused"
                )]
                Num::Whole(step) => Num::Whole(step.saturating_mul(count as i128)),
                Num::Float(step) => Num::Float(step * count),
            });
        }
    }
    out
}
