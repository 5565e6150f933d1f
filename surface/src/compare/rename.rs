//! Finds pairs of a removed and an added item that are the same one under another name.

use crate::model::Item;
use crate::text::confusable;
use serde_json::Value;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

/// From this likeness on, one is the other.
const ALIKE: f64 = 0.8;
/// Above this number of pairs only items that are the same but for their name are found.
const PAIRS: usize = 40_000;

/// Pairs of places in `removed` and `added`, each place at most once. The likeness of a pair is the best for both.
pub(super) fn renames(removed: &[&Item], added: &[&Item]) -> Vec<(usize, usize)> {
    if removed.len().saturating_mul(added.len()) > PAIRS {
        return twins(removed, added);
    }
    let (old, new): (Vec<_>, Vec<_>) = (features(removed), features(added));
    let mut pairs = Vec::new();
    for (from, before) in old.iter().enumerate() {
        for (to, after) in new.iter().enumerate() {
            let likeness = before.likeness(after);
            if likeness >= ALIKE {
                pairs.push((likeness + before.name_likeness(after) / 1e3, from, to));
            }
        }
    }
    // The best pair first; equal ones in the order of the lists, so that the outcome is the same each time.
    pairs.sort_by(|left, right| right.0.total_cmp(&left.0).then((left.1, left.2).cmp(&(right.1, right.2))));
    let (mut from_taken, mut to_taken) = (BTreeSet::new(), BTreeSet::new());
    let mut out = Vec::new();
    for (_, from, to) in pairs {
        if !from_taken.contains(&from) && !to_taken.contains(&to) {
            from_taken.insert(from);
            to_taken.insert(to);
            out.push((from, to));
        }
    }
    out.sort_unstable();
    out
}

/// In long lists: what is the same but for its name.
fn twins(removed: &[&Item], added: &[&Item]) -> Vec<(usize, usize)> {
    let essence = |item: &Item| {
        let mut definition = item.definition.clone();
        if let Some(members) = definition.as_object_mut() {
            members.remove("name");
        }
        crate::canonical::canonical(&definition)
    };
    let mut by_essence: HashMap<_, Vec<_>> = HashMap::new();
    for (to, item) in added.iter().enumerate().rev() {
        by_essence.entry(essence(item)).or_default().push(to);
    }
    let pair = |(from, item): (usize, &&Item)| Some((from, by_essence.get_mut(&essence(item))?.pop()?));
    removed.iter().enumerate().filter_map(pair).collect()
}

fn features(items: &[&Item]) -> Vec<Features> {
    items.iter().map(|item| Features::of(item)).collect()
}

struct Features {
    sound: String,
    name: BTreeSet<u64>,
    text: BTreeSet<u64>,
    shape: BTreeSet<u64>,
}

/// Above this number the rest of a text or schema says nothing more.
const MOST: usize = 2_000;

impl Features {
    fn of(item: &Item) -> Self {
        let text = item.definition.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut shape = BTreeSet::new();
        for member in ["inputSchema", "outputSchema", "arguments"] {
            item.definition.get(member).into_iter().for_each(|value| leaves(value, &mut shape));
        }
        Self {
            sound: confusable::sound(&item.id),
            name: name_parts(&item.id).into_iter().collect(),
            text: text
                .split(|char: char| !char.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .take(MOST)
                .map(|word| hashed(word.to_lowercase()))
                .collect(),
            shape,
        }
    }

    fn name_likeness(&self, other: &Self) -> f64 {
        if self.sound == other.sound { 1.0 } else { shared(&self.name, &other.name) }
    }

    fn likeness(&self, other: &Self) -> f64 {
        let name = self.name_likeness(other);
        let text = likeness_of(&self.text, &other.text);
        let shape = likeness_of(&self.shape, &other.shape);
        match (text, shape) {
            // The name has a say, since "get a note by id" and "delete a note by id" are much alike.
            (Some(text), Some(shape)) if text + shape < 2.0 => 0.4 * text + 0.4 * shape + 0.2 * name,
            (Some(text), None) if text < 1.0 => 0.8 * text + 0.2 * name,
            (Some(_), _) => 1.0,
            (None, Some(shape)) => 0.5 * shape + 0.5 * name,
            (None, None) => name,
        }
    }
}

/// The share of what two sets have in common; nothing where both are empty.
fn likeness_of(left: &BTreeSet<u64>, right: &BTreeSet<u64>) -> Option<f64> {
    (!left.is_empty() || !right.is_empty()).then(|| shared(left, right))
}

#[expect(clippy::cast_precision_loss, reason = "sets are small")]
fn shared(left: &BTreeSet<u64>, right: &BTreeSet<u64>) -> f64 {
    let both = left.intersection(right).count();
    let all = left.len() + right.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

fn hashed(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The parts of `getNote`, `get_note` and `get-note`.
fn name_parts(name: &str) -> Vec<u64> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for char in name.chars() {
        let breaks = !char.is_alphanumeric() || char.is_uppercase() && lower;
        if breaks {
            parts.push(String::new());
        }
        if char.is_alphanumeric() {
            parts.last_mut().expect("there is one from the start").extend(char.to_lowercase());
        }
        lower = char.is_lowercase();
    }
    parts.iter().filter(|part| !part.is_empty()).map(hashed).collect()
}

/// What a schema says, without its words: each plain value with the keys it stands under. An object without properties says nothing.
fn leaves(root: &Value, out: &mut BTreeSet<u64>) {
    let mut open = vec![(root, 0_u64, 0_u32)];
    while let Some((value, above, depth)) = open.pop() {
        if out.len() >= MOST {
            return;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, above, depth + 1))),
            Value::Object(members) => {
                let telling = members.iter().filter(|(key, member)| {
                    let words = matches!(key.as_str(), "description" | "title" | "examples" | "$schema");
                    // Every input schema is an object, which is not told.
                    let above_all = depth == 0 && key.as_str() != "properties" && !member.is_object();
                    !(words && member.is_string() || above_all)
                });
                open.extend(telling.map(|(key, member)| (member, hashed((above, key)), depth + 1)));
                if members.is_empty() && depth > 1 {
                    out.insert(above);
                }
            }
            plain => {
                out.insert(hashed((above, plain.to_string())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, description: &str, properties: Value) -> Item {
        let definition = json!({
            "name": name, "description": description,
            "inputSchema": {"type": "object", "properties": properties}
        });
        Item { id: name.into(), definition }
    }

    fn pairs(old: &[Item], new: &[Item]) -> Vec<(usize, usize)> {
        renames(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_same_tool_under_another_name_is_found() {
        let query = json!({"query": {"type": "string"}});
        let old = [
            tool("search", "Search all notes by keyword.", query.clone()),
            tool("tags", "List all tags.", json!({})),
        ];
        let new = [
            tool("n_tags", "List all tags.", json!({})),
            tool("find", "Search all notes by keyword.", query),
        ];
        assert_eq!(pairs(&old, &new), [(0, 1), (1, 0)]);
    }

    #[test]
    fn tools_of_one_family_are_not_each_other() {
        let id = json!({"id": {"type": "string"}});
        for (old, new) in [
            (
                tool("get_note", "Get a note by id.", id.clone()),
                tool("delete_note", "Delete a note by id.", id.clone()),
            ),
            (tool("get_note", "", id.clone()), tool("delete_note", "", id.clone())),
            (tool("get", "", json!({})), tool("put", "", json!({}))),
            (
                tool(
                    "do_notes",
                    "Search or delete notes.",
                    json!({"op": {"enum": [1]}, "q": {"type": "string"}}),
                ),
                tool("search_only", "Search notes.", json!({"q": {"type": "string"}})),
            ),
        ] {
            assert_eq!(pairs(&[old], &[new]), []);
        }
    }

    #[test]
    fn long_lists_are_compared_by_what_is_the_same() {
        let list = |prefix: &str| -> Vec<_> {
            (0..300).map(|idx| tool(&format!("{prefix}{idx}"), &format!("Does {idx}."), json!({}))).collect()
        };
        assert_eq!(pairs(&list("a"), &list("b")).len(), 300);
    }
}
