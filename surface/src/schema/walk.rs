//! Walks over two schemas side by side and names what changed. Whether a change hurts is settled by proof or witness, not by its name.

use super::book::{Family, Turn, named};
use super::focus::Focus;
use super::form::Conj;
use super::graph::Graph;
use super::prove::{Prover, Scope};
use super::search::Search;
use super::types::Types;
use super::witness::Judge;
use super::{Side, TextPair};
use crate::change::{Change, Severity, Witness};
use crate::rule::Rule;
use crate::rules::input::schemas::SCHEMA_REWRITTEN;
use serde_json::Value;
use std::collections::HashSet;

/// How deep schemas are followed; what recurs ends earlier.
const DEEPEST: usize = 100;
/// How many changes of one schema are named.
const MOST: usize = 1_000;
/// How much work all proofs and searches of a walk may be.
const WORK: u64 = 600_000;
/// How much work one of them may be.
const WORK_AT_ONCE: u64 = 40_000;
/// How much work the plainest value of a change may be, and that of all changes.
const PLAIN: u32 = 40_000;
const PLAIN_IN_ALL: u32 = 2_000_000;
/// How many bytes the witnesses of one schema have together, at most.
const ROOM: usize = 16 << 20;
/// What each of them costs at least, and how many are put before the validator.
const EACH: u32 = 500;
const FEW: usize = 3;

/// How one comes from a value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The member of that name.
    Member(String),
    /// The item at that index.
    Item(usize),
}

/// A schema on the way down, on the side whose values are at stake.
pub(super) struct Frame {
    pub(super) takes: Conj,
    pub(super) step: Step,
}

/// Two schemas that stand in the same place.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) old: Conj,
    pub(super) new: Conj,
    /// The place as a reader would name it, as `filter.limit`; empty for the whole.
    pub(super) label: String,
}

/// A change that was named but not yet settled.
pub(super) struct Claim {
    pub(super) rule: &'static Rule,
    /// What it does to the set of values; nothing where that is not the point.
    pub(super) turn: Option<Turn>,
    /// Where, below the schema.
    pub(super) at: String,
    pub(super) message: String,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    pub(super) focus: Focus,
    pub(super) severity: Option<Severity>,
}

/// What has been proven about the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// Both take the same values.
    Equal,
    /// Nobody is hurt.
    Harmless,
    /// Neither is proven.
    Open,
}

/// The walk.
pub(super) struct Walk<'w, 'a> {
    pub(super) graph: &'w Graph<'a>,
    pub(super) side: Side,
    base: &'w str,
    judge: &'w Judge<'a>,
    whole: Whole,
    pub(super) prover: Prover<'w, 'a>,
    pub(super) search: Search<'w, 'a>,
    pub(super) changes: Vec<Change>,
    pub(super) texts: Vec<TextPair>,
    /// Which changes claim to hurt, but have no witness.
    pub(super) unproven: Vec<usize>,
    /// Whether anything was named that bears on which values are taken.
    pub(super) touched: bool,
    seen: HashSet<(Conj, Conj, bool)>,
    pub(super) told: HashSet<usize>,
    /// Texts among the values of the old schema.
    pub(super) known: HashSet<String>,
    pub(super) frames: Vec<Frame>,
    /// How much work is left for the whole walk.
    left: u64,
    /// How much work is left for the plainest values.
    plain: u32,
    /// How many bytes of witnesses are still kept.
    room: usize,
    /// Which places were said to be spelt otherwise.
    rewritten: HashSet<String>,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        graph: &'w Graph<'a>,
        side: Side,
        base: &'w str,
        judge: &'w Judge<'a>,
        whole: Whole,
    ) -> Self {
        Self {
            graph,
            side,
            base,
            judge,
            whole,
            prover: Prover::new(graph, Scope::Documented),
            search: Search::new(graph, Scope::Documented),
            changes: Vec::new(),
            texts: Vec::new(),
            unproven: Vec::new(),
            touched: false,
            seen: HashSet::new(),
            told: HashSet::new(),
            known: HashSet::new(),
            frames: Vec::new(),
            left: WORK,
            plain: PLAIN_IN_ALL,
            room: ROOM,
            rewritten: HashSet::new(),
        }
    }

    /// Walks over a pair; a quiet walk names no change of the values.
    pub(super) fn pair(&mut self, place: &Place, quiet: bool) {
        let key = (place.old.clone(), place.new.clone(), quiet);
        let deep = self.frames.len() > DEEPEST || self.changes.len() > MOST;
        if deep || !self.seen.insert(key) {
            return;
        }
        if self.graph.alike(&place.old, &place.new) {
            self.told.extend(place.new.parts.iter().map(|part| part.id));
            return;
        }
        self.notes(&self.opened(place, Types::ALL.without(Types::NULL)));
        if self.leads_out(place) {
            // What another document says is not known, so nothing can be missing in it.
            return;
        }
        let mut claims = Vec::new();
        self.values(place, &mut claims);
        let may_be = |types| self.both_may_be(place, types).then(|| self.opened(place, types));
        let (object, array) = (may_be(Types::OBJECT), may_be(Types::ARRAY));
        if let Some(place) = &object {
            self.members(place, &mut claims);
        }
        if let Some(place) = &array {
            self.arrays(place, &mut claims);
        }
        self.groups(place, &mut claims);
        let quiet = self.settle(place, claims, quiet || self.whole == Whole::Equal);
        if let Some(place) = &object {
            self.below_object(place, quiet);
        }
        if let Some(place) = &array {
            self.below_array(place, quiet);
        }
        self.below_groups(place, quiet);
    }

    /// Allows a share of the work that is left.
    fn allow<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let most = self.left.min(WORK_AT_ONCE);
        let graph = self.graph;
        let (answer, done) = graph.within(most, || ask(self));
        self.left = self.left.saturating_sub(done);
        answer
    }

    fn leads_out(&self, place: &Place) -> bool {
        let mut parts = self.graph.flat(&place.old).into_iter().chain(self.graph.flat(&place.new));
        parts.any(|part| self.graph.node(part.id).lost.is_some())
    }

    fn both_may_be(&self, place: &Place, types: Types) -> bool {
        self.graph.kinds(&place.old, 0).meets(types) && self.graph.kinds(&place.new, 0).meets(types)
    }

    /// Walks over what stands below, reached by `step`.
    pub(super) fn step(&mut self, from: &Place, step: Step, place: &Place, quiet: bool) {
        let takes = if self.side == Side::Input { from.old.clone() } else { from.new.clone() };
        self.frames.push(Frame { takes, step });
        self.pair(place, quiet);
        self.frames.pop();
    }

    /// The side whose values are at stake, and the side that may refuse them.
    fn sides<'p>(&self, place: &'p Place) -> (&'p Conj, &'p Conj) {
        match self.side {
            Side::Input => (&place.old, &place.new),
            Side::Output => (&place.new, &place.old),
        }
    }

    /// Decides on each claim; says whether what is below is quiet.
    fn settle(&mut self, place: &Place, claims: Vec<Claim>, quiet: bool) -> bool {
        let bears = claims.iter().any(|claim| claim.turn.is_some());
        self.touched |= bears;
        if quiet || !bears {
            for claim in claims.into_iter().filter(|claim| claim.turn.is_none()) {
                self.push(claim, None, None);
            }
            return quiet;
        }
        if self.allow(|walk| walk.prover.equal(&place.old, &place.new)) {
            self.rewritten(place);
            return true;
        }
        for claim in claims {
            self.settle_one(place, claim);
        }
        false
    }

    fn settle_one(&mut self, place: &Place, claim: Claim) {
        if !claim.turn.is_some_and(|turn| turn.hurts(self.side)) {
            self.push(claim, None, None);
            return;
        }
        let (takes, refuses) = self.sides(place);
        let (takes, refuses) = (takes.clone(), refuses.clone());
        if self.whole == Whole::Harmless {
            self.rewritten(place);
            return;
        }
        if let Some(witness) = self.plain_witness(&takes, &refuses, &claim.focus) {
            self.push(claim, Some(witness), None);
            return;
        }
        if self.allow(|walk| walk.prover.subset(&takes, &refuses)) {
            self.rewritten(place);
            return;
        }
        let witness = self.allow(|walk| walk.witness(&takes, &refuses, &claim.focus));
        if witness.is_none() {
            self.unproven.push(self.changes.len());
        }
        let doubt = witness.is_none().then_some(Severity::Risky);
        self.push(claim, witness, doubt);
    }

    fn rewritten(&mut self, place: &Place) {
        let what = self.what(place);
        let at = self.at(place);
        if self.rewritten.insert(at.clone()) {
            let message = format!("{what} is spelt otherwise, with the same meaning");
            self.changes.push(Change::of(&SCHEMA_REWRITTEN, at, message));
        }
    }

    fn push(&mut self, claim: Claim, witness: Option<Witness>, severity: Option<Severity>) {
        let severity = severity.or(claim.severity).unwrap_or(claim.rule.severity);
        let mut message = claim.message;
        if severity == Severity::Risky && claim.turn.is_some() && claim.rule.severity == Severity::Breaking {
            message.push_str("; no value was found that shows a break");
        }
        let change = Change::of(claim.rule, format!("{}{}", self.base, claim.at), message)
            .as_bad_as(severity)
            .from_to(claim.before.as_ref(), claim.after.as_ref())
            .proven_by(witness)
            .within(&mut self.room);
        self.changes.push(change);
    }

    /// Tries the plainest values that a change suggests, whatever was spent before.
    fn plain_witness(&mut self, takes: &Conj, refuses: &Conj, focus: &Focus) -> Option<Witness> {
        let (graph, most) = (self.graph, self.plain.min(PLAIN));
        let (witness, used) = graph.afresh(most, || {
            // A listed value that went is telling by itself, even where the list is too long to be gone through.
            let listed = matches!(focus, Focus::OneOf(_));
            let telling = |value: &Value| {
                let (taken, refused) = (graph.takes(takes, value), graph.takes(refuses, value));
                focus.fits(value)
                    && (taken == Some(true) || listed && taken.is_none())
                    && (refused == Some(false) || listed && refused.is_none())
            };
            let plainest = self.search.plainest(takes, refuses, focus);
            let whole = plainest.into_iter().filter(telling).filter_map(|value| {
                // Telling may have spent all there was.
                graph.afresh(most, || self.embed(value)).0
            });
            whole.take(FEW).find_map(|whole| self.judge.confirm_plain(&whole))
        });
        self.plain = self.plain.saturating_sub(used + EACH);
        witness
    }

    /// Looks for a value of the place, puts it into its surroundings, and has it confirmed.
    fn witness(&mut self, takes: &Conj, refuses: &Conj, focus: &Focus) -> Option<Witness> {
        let found = self.search.telling(takes, refuses, 0, &|value| focus.fits(value));
        found.into_iter().take(12).find_map(|value| {
            let whole = self.embed(value)?;
            self.judge.confirm(&whole)
        })
    }

    /// Puts a value into a small valid value of each schema on the way up.
    fn embed(&self, value: Value) -> Option<Value> {
        self.frames
            .iter()
            .rev()
            .try_fold(value, |value, frame| self.search.put(&frame.takes, &frame.step, value))
    }

    /// A search over the whole, when the walk came to nothing.
    pub(super) fn last_resort(&mut self, place: &Place) -> Option<Witness> {
        self.frames.clear();
        let (takes, refuses) = self.sides(place);
        let (takes, refuses) = (takes.clone(), refuses.clone());
        let found = self.allow(|walk| walk.search.telling(&takes, &refuses, 0, &|_| true));
        found.into_iter().take(40).find_map(|value| self.judge.confirm(&value))
    }

    /// What two schemas have to do with each other, or nothing where they are proven equal.
    pub(super) fn turn_between(&mut self, old: &Conj, new: &Conj) -> Option<Turn> {
        let kept = self.allow(|walk| walk.prover.strictly(|prover| prover.subset(old, new)));
        let nothing_new = self.allow(|walk| walk.prover.strictly(|prover| prover.subset(new, old)));
        match (kept, nothing_new) {
            (true, true) => None,
            (false, true) => Some(Turn::Narrowed),
            (true, false) => Some(Turn::Widened),
            (false, false) => Some(Turn::Changed),
        }
    }

    /// Makes a claim of a family.
    pub(super) fn claim(
        &self,
        place: &Place,
        family: Family,
        turn: Turn,
        keyword: &str,
        message: String,
    ) -> Claim {
        let at = format!("{}{keyword}", self.pointer(place));
        Claim {
            rule: named(self.side, family, turn),
            turn: Some(turn),
            at,
            message,
            before: None,
            after: None,
            focus: Focus::Any,
            severity: None,
        }
    }

    /// Where a place is, below the schema: in the new document, else in the old one.
    pub(super) fn pointer(&self, place: &Place) -> String {
        let part = place.new.parts.last().or(place.old.parts.last());
        part.map_or_else(String::new, |part| self.graph.node(part.id).pointer.clone())
    }

    pub(super) fn at(&self, place: &Place) -> String {
        format!("{}{}", self.base, self.pointer(place))
    }

    pub(super) fn base(&self) -> &str {
        self.base
    }

    /// Names a place for a message.
    pub(super) fn what(&self, place: &Place) -> String {
        match (place.label.is_empty(), self.side) {
            (false, _) => format!("`{}`", place.label),
            (true, Side::Input) => "the arguments".to_owned(),
            (true, Side::Output) => "the result".to_owned(),
        }
    }
}
