//! Where the comparisons put what they find, and the few readings of JSON that they share.

use super::vocabulary::Vocabulary;
use crate::change::{Change, pointer};
use crate::model::{Item, Kind};
use crate::schema::Root;
use serde_json::{Map, Value};

/// How many bytes the witnesses of one comparison have together, at most.
const ROOM: usize = 32 << 20;

/// The changes found so far, and the words of both views.
pub(super) struct Findings<'v> {
    pub(super) changes: Vec<Change>,
    pub(super) vocabulary: &'v Vocabulary<'v>,
    /// How many bytes of witnesses are still kept.
    pub(super) room: usize,
    /// What results are as a whole in the revision at hand.
    pub(super) results: Root,
}

impl<'v> Findings<'v> {
    pub(super) fn new(vocabulary: &'v Vocabulary<'v>, results: Root) -> Self {
        Self { changes: Vec::new(), vocabulary, room: ROOM, results }
    }

    pub(super) fn add(&mut self, change: Change) {
        self.changes.push(change);
    }
}

/// The JSON pointer of an item.
pub(super) fn path_of(kind: Kind, id: &str) -> String {
    pointer(&format!("/{}", kind.member()), id)
}

/// The text of a member; a blank one is none.
pub(super) fn text<'i>(definition: &'i Value, member: &str) -> Option<&'i str> {
    definition.get(member).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// A member, where `null` is the same as nothing.
pub(super) fn member<'i>(definition: &'i Value, name: &str) -> Option<&'i Value> {
    definition.get(name).filter(|value| !value.is_null())
}

/// The members of an object member; nothing where there is none.
pub(super) fn object<'i>(definition: &'i Value, name: &str) -> Option<&'i Map<String, Value>> {
    definition.get(name).and_then(Value::as_object)
}

/// The keys of either, sorted, each once.
pub(super) fn keys<'m>(
    before: Option<&'m Map<String, Value>>,
    after: Option<&'m Map<String, Value>>,
) -> Vec<&'m str> {
    let all = before.into_iter().chain(after).flat_map(Map::keys).map(String::as_str);
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A name as it is shown in a message: short, and with nothing hidden in it.
pub(super) fn shown(name: &str) -> String {
    format!("`{}`", crate::text::excerpt(name, 80))
}

/// The name of an item as it is shown in a message.
pub(super) fn called(item: &Item) -> String {
    shown(&item.id)
}
