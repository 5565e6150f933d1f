//! Looks at names of tools that are new: whether they can be used, and for what they can be taken.

use super::findings::{Findings, called, path_of, shown};
use crate::change::Change;
use crate::model::{Item, Kind};
use crate::rules::items::{TOOL_CONFUSABLE_NAME, TOOL_NAME_INVALID};
use crate::text::confusable::{shape, sound};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Looks at the names in `new`, which stand in `after`. Of `removed` they may have taken the place.
pub(super) fn compare(findings: &mut Findings<'_>, new: &[&Item], removed: &[&Item], after: &[Item]) {
    if new.is_empty() {
        return;
    }
    let mut by_shape: HashMap<_, Vec<&str>> = HashMap::new();
    let mut by_sound: HashMap<_, Vec<&str>> = HashMap::new();
    for item in after {
        by_shape.entry(shape(&item.id)).or_default().push(&item.id);
        by_sound.entry(sound(&item.id)).or_default().push(&item.id);
    }
    for item in removed {
        by_shape.entry(shape(&item.id)).or_default().push(&item.id);
    }
    let mut told = HashSet::new();
    for item in new {
        let empty = Vec::new();
        let alike = by_shape.get(&shape(&item.id)).unwrap_or(&empty);
        let alike = alike.iter().chain(by_sound.get(&sound(&item.id)).unwrap_or(&empty));
        if let Some(other) = alike.copied().find(|other| !is_same(other, &item.id))
            // Of two new names that look alike one is told.
            && !told.contains(&(item.id.as_str(), other))
        {
            told.insert((other, item.id.as_str()));
            let message = format!("the new name {} can be taken for {}", spelt(&item.id), spelt(other));
            findings.add(
                Change::of(&TOOL_CONFUSABLE_NAME, path_of(Kind::Tool, &item.id), message)
                    .from_to(Some(&other.into()), Some(&item.id.as_str().into())),
            );
        }
        valid(findings, item);
    }
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
