//! Which rule names which change on which side of a call.

use super::Side;
use crate::rule::Rule;
use crate::rules::input::{limits as il, members as im, values as iv};
use crate::rules::output::{limits as ol, members as om, values as ov};

/// What happened to the set of values, from old to new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Some values were lost.
    Narrowed,
    /// Some values were gained.
    Widened,
    /// Some were lost and others gained.
    Changed,
}

impl Turn {
    /// Whether it hurts those on `side`: callers lose values, readers meet new ones.
    pub(super) fn hurts(self, side: Side) -> bool {
        match side {
            Side::Input => self != Self::Widened,
            Side::Output => self != Self::Narrowed,
        }
    }
}

/// A kind of change that has a rule for each turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Type,
    Null,
    Listed,
    List,
    Constant,
    Required,
    Openness,
    Range,
    Length,
    Items,
    Size,
    Pattern,
    Dependency,
    Composition,
}

/// Finds the rule for `family` and `turn`.
pub(super) fn named(side: Side, family: Family, turn: Turn) -> &'static Rule {
    let [narrowed, widened, changed] = match side {
        Side::Input => input(family),
        Side::Output => output(family),
    };
    match turn {
        Turn::Narrowed => narrowed,
        Turn::Widened => widened,
        Turn::Changed => changed,
    }
}

fn input(family: Family) -> [&'static Rule; 3] {
    match family {
        Family::Type => [&iv::INPUT_TYPE_NARROWED, &iv::INPUT_TYPE_WIDENED, &iv::INPUT_TYPE_CHANGED],
        Family::Null => two(&iv::INPUT_NULL_REFUSED, &iv::INPUT_NULL_ACCEPTED),
        Family::Listed => two(&iv::INPUT_ENUM_VALUE_REMOVED, &iv::INPUT_ENUM_VALUE_ADDED),
        Family::List => two(&iv::INPUT_ENUM_INTRODUCED, &iv::INPUT_ENUM_LIFTED),
        Family::Constant => [&iv::INPUT_CONST_CHANGED; 3],
        Family::Required => two(&im::INPUT_NOW_REQUIRED, &im::INPUT_NOW_OPTIONAL),
        Family::Openness => two(&im::INPUT_CLOSED, &im::INPUT_OPENED),
        Family::Range => two(&il::INPUT_RANGE_NARROWED, &il::INPUT_RANGE_WIDENED),
        Family::Length => two(&il::INPUT_LENGTH_NARROWED, &il::INPUT_LENGTH_WIDENED),
        Family::Items => two(&il::INPUT_ITEMS_NARROWED, &il::INPUT_ITEMS_WIDENED),
        Family::Size => two(&il::INPUT_SIZE_NARROWED, &il::INPUT_SIZE_WIDENED),
        Family::Pattern => {
            [&il::INPUT_PATTERN_NARROWED, &il::INPUT_PATTERN_WIDENED, &il::INPUT_PATTERN_CHANGED]
        }
        Family::Dependency => two(&im::INPUT_DEPENDENCY_ADDED, &im::INPUT_DEPENDENCY_REMOVED),
        Family::Composition => two(&il::INPUT_COMPOSITION_NARROWED, &il::INPUT_COMPOSITION_WIDENED),
    }
}

/// Where one rule stands for a change both ways, it is the one that hurts callers.
const fn two(narrowed: &'static Rule, widened: &'static Rule) -> [&'static Rule; 3] {
    [narrowed, widened, narrowed]
}

fn output(family: Family) -> [&'static Rule; 3] {
    match family {
        Family::Type => [&ov::OUTPUT_TYPE_NARROWED, &ov::OUTPUT_TYPE_WIDENED, &ov::OUTPUT_TYPE_CHANGED],
        Family::Null => read(&ov::OUTPUT_NULL_DROPPED, &ov::OUTPUT_NULL_ADDED),
        Family::Listed => read(&ov::OUTPUT_ENUM_VALUE_REMOVED, &ov::OUTPUT_ENUM_VALUE_ADDED),
        Family::List => read(&ov::OUTPUT_ENUM_INTRODUCED, &ov::OUTPUT_ENUM_LIFTED),
        Family::Constant => [&ov::OUTPUT_CONST_CHANGED; 3],
        Family::Required => read(&om::OUTPUT_NOW_GUARANTEED, &om::OUTPUT_NOW_OPTIONAL),
        Family::Openness => read(&om::OUTPUT_CLOSED, &om::OUTPUT_OPENED),
        Family::Range => read(&ol::OUTPUT_RANGE_NARROWED, &ol::OUTPUT_RANGE_WIDENED),
        Family::Length => read(&ol::OUTPUT_LENGTH_NARROWED, &ol::OUTPUT_LENGTH_WIDENED),
        Family::Items => read(&ol::OUTPUT_ITEMS_NARROWED, &ol::OUTPUT_ITEMS_WIDENED),
        Family::Size => read(&ol::OUTPUT_SIZE_NARROWED, &ol::OUTPUT_SIZE_WIDENED),
        Family::Pattern => {
            [&ol::OUTPUT_PATTERN_NARROWED, &ol::OUTPUT_PATTERN_WIDENED, &ol::OUTPUT_PATTERN_CHANGED]
        }
        Family::Dependency => read(&om::OUTPUT_DEPENDENCY_ADDED, &om::OUTPUT_DEPENDENCY_REMOVED),
        Family::Composition => read(&ol::OUTPUT_COMPOSITION_NARROWED, &ol::OUTPUT_COMPOSITION_WIDENED),
    }
}

/// Where one rule stands for a change both ways, it is the one that hurts readers.
const fn read(narrowed: &'static Rule, widened: &'static Rule) -> [&'static Rule; 3] {
    [narrowed, widened, widened]
}
