//! Numbers of schemas, their order, and ranges between them.

use super::types::Types;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A number; a whole one is exact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Num {
    /// A whole number.
    Whole(i128),
    /// Any other.
    Float(f64),
}

impl Num {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^100 fits")]
    pub(super) fn of(number: &Number) -> Self {
        if let Some(whole) = number.as_i64() {
            return Self::Whole(whole.into());
        }
        if let Some(whole) = number.as_u64() {
            return Self::Whole(whole.into());
        }
        let float = number.as_f64().unwrap_or(0.0);
        if float.fract() == 0.0 && float.abs() < 1e30 {
            Self::Whole(float as i128)
        } else {
            Self::Float(float)
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "only compared with what is no better known")]
    pub(super) fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }

    /// The JSON value, where JSON can hold it as it is.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Whole(whole) => i64::try_from(whole)
                .map(Value::from)
                .or_else(|_| u64::try_from(whole).map(Value::from))
                .unwrap_or_else(|_| Value::from(self.float())),
            Self::Float(float) => Value::from(float),
        }
    }

    pub(super) fn add(self, other: i128) -> Self {
        match self {
            Self::Whole(whole) => Self::Whole(whole.saturating_add(other)),
            #[expect(clippy::cast_precision_loss, reason = "small steps only")]
            Self::Float(float) => Self::Float(float + other as f64),
        }
    }

    /// Whether it is a multiple of `step`; unknown where floats are too coarse to tell.
    pub(super) fn is_multiple_of(self, step: Self) -> Option<bool> {
        match (self, step) {
            (_, Self::Whole(0)) => None,
            (Self::Whole(whole), Self::Whole(step)) => Some(whole % step == 0),
            _ => {
                let ratio = self.float() / step.float();
                if !ratio.is_finite() || ratio.abs() > 1e9 {
                    return None;
                }
                let off = (ratio - ratio.round()).abs();
                if off < 1e-9 { Some(true) } else { Some(false) }
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "saturates, and bounds are compared only")]
    fn ceil(self) -> i128 {
        match self {
            Self::Whole(whole) => whole,
            Self::Float(float) => float.ceil() as i128,
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "saturates, and bounds are compared only")]
    fn floor(self) -> i128 {
        match self {
            Self::Whole(whole) => whole,
            Self::Float(float) => float.floor() as i128,
        }
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => Some(left.cmp(right)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) at: Num,
    pub(super) open: bool,
}

/// What `minimum`, `maximum` and their exclusive forms say together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Range {
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
}

impl Range {
    pub(super) fn raise(&mut self, bound: Bound) {
        let tighter =
            self.low.is_none_or(|low| bound.at > low.at || (bound.at == low.at && bound.open && !low.open));
        if tighter {
            self.low = Some(bound);
        }
    }

    pub(super) fn lower(&mut self, bound: Bound) {
        let tighter = self
            .high
            .is_none_or(|high| bound.at < high.at || (bound.at == high.at && bound.open && !high.open));
        if tighter {
            self.high = Some(bound);
        }
    }

    pub(super) fn meet(&mut self, other: &Self) {
        other.low.into_iter().for_each(|bound| self.raise(bound));
        other.high.into_iter().for_each(|bound| self.lower(bound));
    }

    /// The same range for whole numbers only, with closed ends.
    pub(super) fn whole(&self) -> Self {
        let low = self.low.map(|bound| match bound.at {
            Num::Whole(at) if bound.open => at.saturating_add(1),
            at => at.ceil(),
        });
        let high = self.high.map(|bound| match bound.at {
            Num::Whole(at) if bound.open => at.saturating_sub(1),
            at => at.floor(),
        });
        let closed = |at| Bound { at: Num::Whole(at), open: false };
        Self { low: low.map(closed), high: high.map(closed) }
    }

    /// The range as it holds for values of `types`.
    pub(super) fn of(&self, types: Types) -> Self {
        if types.meets(Types::FRACTION) { *self } else { self.whole() }
    }

    pub(super) fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (self.low, self.high) else { return false };
        low.at > high.at || (low.at == high.at && (low.open || high.open))
    }

    pub(super) fn takes(&self, at: Num) -> bool {
        let above = self.low.is_none_or(|low| at > low.at || (at == low.at && !low.open));
        let below = self.high.is_none_or(|high| at < high.at || (at == high.at && !high.open));
        above && below
    }

    /// Whether each number of `other` is one of this.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let mut met = *other;
        met.meet(self);
        other.is_empty() || met == *other
    }

    /// Names the range for a message, as `>= 1 and < 5`.
    pub(super) fn words(&self) -> String {
        let low = self.low.map(|low| format!("{} {}", if low.open { ">" } else { ">=" }, low.at.value()));
        let high =
            self.high.map(|high| format!("{} {}", if high.open { "<" } else { "<=" }, high.at.value()));
        let both: Vec<_> = low.into_iter().chain(high).collect();
        if both.is_empty() { "any number".to_owned() } else { both.join(" and ") }
    }
}

/// A number of characters, items or members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

impl Span {
    pub(super) fn meet(&mut self, other: &Self) {
        self.min = self.min.max(other.min);
        self.max = match (self.max, other.max) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.max.is_some_and(|max| max < self.min)
    }

    pub(super) fn takes(&self, count: u64) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        let max = self.max.is_none_or(|max| other.max.is_some_and(|other| other <= max));
        other.is_empty() || (self.min <= other.min && max)
    }

    /// Names the span for a message, as `1 to 5`.
    pub(super) fn words(&self) -> String {
        match (self.min, self.max) {
            (0, None) => "any".to_owned(),
            (min, None) => format!("at least {min}"),
            (0, Some(max)) => format!("at most {max}"),
            (min, Some(max)) if min == max => format!("exactly {min}"),
            (min, Some(max)) => format!("{min} to {max}"),
        }
    }
}
