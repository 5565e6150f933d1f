//! Looks at names of tools that are new: whether they can be used, and for what they can be taken.

use super::findings::{Findings, called, path_of, shown};
use crate::canonical::canonical;
use crate::change::Change;
use crate::model::{Item, Kind};
use crate::rule::Rule;
use crate::rules::items::{TOOL_CONFUSABLE_NAME, TOOL_NAME_INVALID, TOOL_SIMILAR_NAME};
use crate::text::confusable::{shape, sound};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Among more names than these that are alike, one more says nothing.
const MOST_ALIKE: usize = 50;

/// Looks at the names in `new`, which stand in `after`. Of `removed` they may have taken the place.
pub(super) fn compare(findings: &mut Findings<'_>, new: &[&Item], removed: &[&Item], after: &[Item]) {
    if new.is_empty() {
        return;
    }
    let mut by_shape: HashMap<_, Vec<&Item>> = HashMap::new();
    let mut by_sound: HashMap<_, Vec<&Item>> = HashMap::new();
    for item in after {
        by_shape.entry(shape(&item.id)).or_default().push(item);
        by_sound.entry(sound(&item.id)).or_default().push(item);
    }
    for item in removed {
        by_shape.entry(shape(&item.id)).or_default().push(item);
    }
    let mut told = HashSet::new();
    for item in new {
        let other = |all: &HashMap<String, Vec<&Item>>, key: String, fits: &dyn Fn(&Item) -> bool| {
            let mut alike = all.get(&key)?.iter().take(MOST_ALIKE);
            alike.find(|other| !is_same(&other.id, &item.id) && fits(other)).map(|other| other.id.clone())
        };
        // What sounds alike without being ASCII was drawn to look alike.
        let drawn = |other: &Item| !(item.id.is_ascii() && other.id.is_ascii());
        let written = |other: &Item| !is_alias(item, other);
        let lookalike = other(&by_shape, shape(&item.id), &|_| true)
            .or_else(|| other(&by_sound, sound(&item.id), &drawn))
            .map(|other| (&TOOL_CONFUSABLE_NAME, other));
        let found = lookalike
            .or_else(|| other(&by_sound, sound(&item.id), &written).map(|other| (&TOOL_SIMILAR_NAME, other)));
        // Of two new names that look alike one is told.
        if let Some((rule, other)) = found
            && !told.contains(&(item.id.clone(), other.clone()))
        {
            tell(findings, rule, item, &other);
            told.insert((other, item.id.clone()));
        }
        valid(findings, item);
    }
}

fn tell(findings: &mut Findings<'_>, rule: &'static Rule, item: &Item, other: &str) {
    let message = format!("the new name {} can be taken for {}", spelt(&item.id), spelt(other));
    findings.add(
        Change::of(rule, path_of(Kind::Tool, &item.id), message)
            .from_to(Some(&other.into()), Some(&item.id.as_str().into())),
    );
}

/// Whether one is the other under a second name, as it is kept for old callers.
fn is_alias(left: &Item, right: &Item) -> bool {
    let essence = |item: &Item| {
        let mut definition = item.definition.clone();
        if let Some(members) = definition.as_object_mut() {
            members.remove("name");
            members.remove("title");
        }
        canonical(&definition)
    };
    essence(left) == essence(right)
}

/// Whether two names are one, however their letters are composed.
fn is_same(left: &str, right: &str) -> bool {
    left == right || left.nfc().eq(right.nfc())
}

/// A name with the code points of letters that are not what they look like.
fn spelt(name: &str) -> String {
    let foreign = name.chars().filter(|char| !char.is_ascii());
    let points: Vec<_> = foreign.take(6).map(|char| format!("U+{:04X}", u32::from(char))).collect();
    if points.is_empty() { shown(name) } else { format!("{} (with {})", shown(name), points.join(", ")) }
}

/// Spec, tools, data types: names SHOULD have 1 to 128 characters, letters and digits of ASCII, `_`, `-` and `.`.
fn valid(findings: &mut Findings<'_>, item: &Item) {
    let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    let why = if item.id.is_empty() {
        "it is empty".to_owned()
    } else if item.id.chars().count() > 128 {
        format!("it has {} characters", item.id.chars().count())
    } else if let Some(char) = item.id.chars().find(|char| !fits(*char)) {
        format!("it holds {char:?} (U+{:04X})", u32::from(char))
    } else {
        return;
    };
    let message = format!("{} is no valid name of a tool: {why}", called(item));
    let change = Change::of(&TOOL_NAME_INVALID, path_of(Kind::Tool, &item.id), message);
    findings.add(change.from_to(None, Some(&item.id.as_str().into())));
}
