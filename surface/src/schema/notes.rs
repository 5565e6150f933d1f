//! What a schema tells without demanding it: texts, defaults, formats, examples.

use super::form::{Conj, Part};
use super::graph::{Graph, alike_values};
use super::node::Id;
use super::walk::{Frame, Place, Step, Walk};
use super::{Role, Side, TextPair};
use crate::canonical::canonical;
use crate::change::{Change, Severity};
use crate::rule::Rule;
use crate::rules::input::{notes as inp, schemas};
use crate::rules::output::notes as out;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How many texts inside one value are told.
const MOST: usize = 5_000;
/// Which keywords hold values that a model reads.
const VALUES: [&str; 4] = ["enum", "const", "default", "examples"];

/// All texts among the values of the schemas `ids`.
pub(super) fn values_of(graph: &Graph<'_>, ids: std::ops::Range<usize>) -> HashSet<String> {
    let mut texts = Vec::new();
    for id in ids {
        let raw = graph.node(id).raw;
        let values = VALUES.iter().filter_map(|keyword| raw?.get(keyword));
        let mut own = Vec::new();
        values.for_each(|value| strings(value, id, &mut own));
        texts.append(&mut own);
    }
    texts.into_iter().map(|(_, text)| text).collect()
}

impl<'a> Walk<'_, 'a> {
    /// Names what changed about the notes at `place`, and collects the texts.
    pub(super) fn notes(&mut self, place: &Place) {
        let old = self.graph.flat(&place.old);
        let new = self.graph.flat(&place.new);
        for (keyword, role) in [("description", Role::Description), ("title", Role::Title)] {
            self.text_pairs(keyword, role, &old, &new);
        }
        self.value_texts(&new);
        self.told.extend(new.iter().map(|part| part.id));
        self.format(place, &old, &new);
        for keyword in ["default", "examples", "title", "deprecated"] {
            let (before, after) = (self.first(&old, keyword), self.first(&new, keyword));
            let same = match (before, after) {
                (Some(before), Some(after)) => alike_values(before, after),
                (before, after) => before.is_none() && after.is_none(),
            };
            if !same {
                self.note(place, keyword, before, after);
            }
        }
        self.unknown(place, &old, &new);
    }

    fn first(&self, parts: &[Part], keyword: &str) -> Option<&'a Value> {
        parts.iter().find_map(|part| self.graph.node(part.id).raw?.get(keyword))
    }

    fn note(&mut self, place: &Place, keyword: &str, before: Option<&Value>, after: Option<&Value>) {
        let rule: &'static Rule = match (self.side, keyword, before, after) {
            (Side::Output, ..) => &out::OUTPUT_ANNOTATION_CHANGED,
            (_, "default", None, _) => &inp::INPUT_DEFAULT_ADDED,
            (_, "default", _, None) => &inp::INPUT_DEFAULT_REMOVED,
            (_, "default", ..) => &inp::INPUT_DEFAULT_CHANGED,
            (_, "examples", ..) => &inp::INPUT_EXAMPLES_CHANGED,
            (_, "deprecated", ..) => &inp::INPUT_DEPRECATED,
            _ => &inp::INPUT_TITLE_CHANGED,
        };
        let words = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), short);
        let what = self.what(place);
        let message = format!("the {keyword} of {what} was {} and is now {}", words(before), words(after));
        let at = format!("{}/{keyword}", self.at(place));
        let change = Change::of(rule, at, message).from_to(before, after);
        // Who always sends a value never gets the default.
        let idle = keyword == "default" && self.side == Side::Input && self.is_always_sent();
        self.changes.push(if idle { change.as_bad_as(Severity::Compatible) } else { change });
    }

    /// Whether each old call had to send what stands here.
    fn is_always_sent(&self) -> bool {
        match self.frames.last() {
            Some(Frame { takes, step: Step::Member(name) }) => {
                self.graph.form(takes).required.contains(name.as_str())
            }
            _ => false,
        }
    }

    fn format(&mut self, place: &Place, old: &[Part], new: &[Part]) {
        let (before, after) = (self.first(old, "format"), self.first(new, "format"));
        if before == after {
            return;
        }
        let rule: &'static Rule = match (self.side, before, after) {
            (Side::Input, _, Some(_)) => &inp::INPUT_FORMAT_ADDED_OR_CHANGED,
            (Side::Input, ..) => &inp::INPUT_FORMAT_REMOVED,
            (Side::Output, None, _) => &out::OUTPUT_FORMAT_ADDED,
            (Side::Output, ..) => &out::OUTPUT_FORMAT_CHANGED,
        };
        let words = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), short);
        let message =
            format!("the format of {} was {} and is now {}", self.what(place), words(before), words(after));
        let at = format!("{}/format", self.at(place));
        self.changes.push(Change::of(rule, at, message).from_to(before, after));
    }

    /// Keywords that this code does not know may mean something to others.
    fn unknown(&mut self, place: &Place, old: &[Part], new: &[Part]) {
        let all = |parts: &[Part]| {
            let each = parts.iter().flat_map(|part| &self.graph.node(part.id).unknown);
            each.map(|(key, value)| (*key, *value)).collect::<BTreeMap<_, _>>()
        };
        let (before, after) = (all(old), all(new));
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
        for key in keys {
            let (mine, theirs) = (before.get(key).copied(), after.get(key).copied());
            if mine.map(canonical) != theirs.map(canonical) {
                let what = self.what(place);
                let message =
                    format!("the keyword `{key}` of {what} changed, and what it means is not known here");
                let at = format!("{}/{key}", self.at(place));
                self.changes.push(Change::of(&schemas::SCHEMA_UNDECIDED, at, message).from_to(mine, theirs));
            }
        }
    }

    fn text_pairs(&mut self, keyword: &str, role: Role, old: &[Part], new: &[Part]) {
        let all = |parts: &[Part]| -> Vec<(Id, &'a str)> {
            let each = parts
                .iter()
                .filter_map(|part| Some((part.id, self.graph.node(part.id).raw?.get(keyword)?.as_str()?)));
            each.collect()
        };
        let (mut before, mut after) = (all(old), all(new));
        before.retain(|(_, text)| match after.iter().position(|(_, other)| other == text) {
            Some(at) => {
                after.remove(at);
                false
            }
            None => true,
        });
        let mut left = before.into_iter();
        for (id, text) in after {
            let earlier = left.next().map(|(_, text)| text.to_owned());
            self.tell(id, keyword, role, earlier, Some(text.to_owned()));
        }
        for (id, text) in left {
            let id = new.first().map_or(id, |part| part.id);
            self.tell(id, keyword, role, Some(text.to_owned()), None);
        }
    }

    fn tell(&mut self, id: Id, keyword: &str, role: Role, before: Option<String>, after: Option<String>) {
        let path = format!("{}{}/{keyword}", self.base(), self.graph.node(id).pointer);
        self.texts.push(TextPair { path, role, before, after });
    }

    /// Texts among values that stood nowhere in the old schema.
    fn value_texts(&mut self, new: &[Part]) {
        for keyword in VALUES {
            let mut texts = Vec::new();
            for part in new {
                let value = self.graph.node(part.id).raw.and_then(|raw| raw.get(keyword));
                value.into_iter().for_each(|value| strings(value, part.id, &mut texts));
            }
            for (id, text) in texts {
                if !self.known.contains(&text) {
                    self.tell(id, keyword, Role::Value, None, Some(text));
                }
            }
        }
    }

    /// Tells all texts of schemas that are new as a whole.
    pub(super) fn added_texts(&mut self, conj: &Conj) {
        let mut left: Vec<Id> = conj.parts.iter().map(|part| part.id).collect();
        while let Some(id) = left.pop() {
            if !self.told.insert(id) {
                continue;
            }
            let part = [Part { id, ..Part::default() }];
            self.text_pairs("description", Role::Description, &[], &part);
            self.text_pairs("title", Role::Title, &[], &part);
            self.value_texts(&part);
            left.extend(self.graph.inner(id));
        }
    }
}

fn strings(value: &Value, id: Id, all: &mut Vec<(Id, String)>) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        if all.len() > MOST {
            return;
        }
        match value {
            Value::String(text) => all.push((id, text.clone())),
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
}

/// Spells a value so that it fits into a message.
fn short(value: &Value) -> String {
    let text = canonical(value);
    if text.chars().count() <= 60 {
        text
    } else {
        format!("{}…", text.chars().take(60).collect::<String>())
    }
}
