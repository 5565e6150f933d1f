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
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many texts inside one value are told.
const MOST: usize = 5_000;
/// How many branches are looked through for a text.
const MOST_BRANCHES: usize = 200;
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
            self.text_pairs(keyword, role, Some(&place.label), (&old, &new));
        }
        self.value_texts(Some(&place.label), &new);
        self.told.extend(new.iter().map(|part| part.id));
        for keyword in ["format", "contentEncoding", "contentMediaType"] {
            self.format(place, keyword, &old, &new);
        }
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

    fn format(&mut self, place: &Place, keyword: &str, old: &[Part], new: &[Part]) {
        let (before, after) = (self.first(old, keyword), self.first(new, keyword));
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
        let message = format!(
            "the {keyword} of {} was {} and is now {}",
            self.what(place),
            words(before),
            words(after)
        );
        let at = format!("{}/{keyword}", self.at(place));
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

    fn text_pairs(&mut self, keyword: &str, role: Role, about: Option<&str>, (old, new): (&[Part], &[Part])) {
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
        if !after.is_empty() {
            let known = self.in_branches(keyword, old);
            after.retain(|(_, text)| !known.contains(text));
        }
        let mut left = before.into_iter();
        for (id, text) in after {
            let earlier = left.next().map(|(_, text)| text.to_owned());
            self.tell((id, keyword, role), about, earlier, Some(text.to_owned()));
        }
        for (id, text) in left {
            let id = new.first().map_or(id, |part| part.id);
            self.tell((id, keyword, role), about, Some(text.to_owned()), None);
        }
    }

    /// The texts in the branches of `parts`, which a schema that takes their place may repeat.
    fn in_branches(&self, keyword: &str, parts: &[Part]) -> HashSet<&'a str> {
        let mut left: Vec<Id> = parts.iter().flat_map(|part| self.graph.in_place(part.id)).collect();
        let (mut seen, mut texts) = (HashSet::new(), HashSet::new());
        while let Some(id) = left.pop() {
            if seen.len() < MOST_BRANCHES && seen.insert(id) {
                texts.extend(self.graph.node(id).raw.and_then(|raw| raw.get(keyword)?.as_str()));
                left.extend(self.graph.in_place(id));
            }
        }
        texts
    }

    fn tell(
        &mut self,
        (id, keyword, role): (Id, &str, Role),
        about: Option<&str>,
        before: Option<String>,
        after: Option<String>,
    ) {
        let path = format!("{}{}/{keyword}", self.base(), self.graph.node(id).pointer);
        self.texts.push(TextPair { path, about: about.map(str::to_owned), role, before, after });
    }

    /// Texts among values that stood nowhere in the old schema.
    fn value_texts(&mut self, about: Option<&str>, new: &[Part]) {
        for keyword in VALUES {
            let mut texts = Vec::new();
            for part in new {
                let value = self.graph.node(part.id).raw.and_then(|raw| raw.get(keyword));
                value.into_iter().for_each(|value| strings(value, part.id, &mut texts));
            }
            for (id, text) in texts {
                if !self.known.contains(&text) {
                    self.tell((id, keyword, Role::Value), about, None, Some(text));
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
            self.text_pairs("description", Role::Description, None, (&[], &part));
            self.text_pairs("title", Role::Title, None, (&[], &part));
            self.value_texts(None, &part);
            left.extend(self.graph.inner(id));
        }
    }
}

/// Leaves out texts that only moved between a schema and a branch in it.
pub(super) fn without_moved(texts: Vec<TextPair>) -> Vec<TextPair> {
    let node =
        |pair: &TextPair| pair.path.rsplit_once('/').map_or(String::new(), |(node, _)| format!("{node}/"));
    let mut came: HashMap<(Role, &str), Vec<usize>> = HashMap::new();
    for (at, pair) in texts.iter().enumerate() {
        if let (None, Some(text)) = (&pair.before, &pair.after) {
            came.entry((pair.role, text)).or_default().push(at);
        }
    }
    let mut moved = HashSet::new();
    for (at, pair) in texts.iter().enumerate() {
        let (Some(text), None) = (&pair.before, &pair.after) else { continue };
        let Some(places) = came.get_mut(&(pair.role, text.as_str())) else { continue };
        let mine = node(pair);
        let near = |other: &usize| {
            let theirs = node(&texts[*other]);
            mine.starts_with(&theirs) || theirs.starts_with(&mine)
        };
        if let Some(found) = places.iter().position(near) {
            moved.extend([at, places.remove(found)]);
        }
    }
    let stays = texts.into_iter().enumerate().filter(|(at, _)| !moved.contains(at));
    stays.map(|(_, pair)| pair).collect()
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
