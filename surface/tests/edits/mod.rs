//! Schemas as servers have them, and edits of them whose effect is known beforehand.

mod narrow;
mod same;
mod sites;

pub(crate) use narrow::NARROWING;
pub(crate) use same::SAME;
pub(crate) use sites::sites;

use mcpproof_surface::Severity;
use serde_json::{Map, Value};

/// A schema in its written form.
pub(crate) type Schema = Map<String, Value>;

/// An edit of one schema inside a larger one.
#[derive(Debug)]
pub(crate) struct Edit {
    /// What it does.
    pub(crate) name: &'static str,
    /// What it means there, and with old and new swapped, to callers and then to readers.
    pub(crate) means: [Severity; 4],
    /// Does it, or says that it does not fit here.
    pub(crate) apply: fn(&mut Schema, Dice) -> Option<()>,
}

/// A number that decides what is left open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(pub(crate) usize);

impl Dice {
    /// One of `list`.
    pub(crate) fn of<T>(self, list: &[T]) -> Option<&T> {
        list.get(self.0.checked_rem(list.len())?)
    }
}

/// The committed schemas, and one for each tool of the catalogs below the folder in `MCPPROOF_CATALOG_DIR`.
pub(crate) fn seeds() -> Vec<Value> {
    include_str!("seeds.jsonl").lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// The schemas of the tools in `<folder>/*/catalog.jsonl`.
pub(crate) fn catalog(folder: &std::path::Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| std::fs::read_to_string(entry.expect("it can be listed").path().join("catalog.jsonl")));
    let mut all: Vec<String> =
        files.flatten().flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    all.sort();
    all.dedup();
    let tools = all.iter().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    tools.filter_map(|mut tool| tool.get_mut("inputSchema").map(Value::take)).collect()
}

/// Applies an edit to one of the places where it fits.
pub(crate) fn edited(schema: &Value, edit: &Edit, dice: Dice) -> Option<Value> {
    // Another type in a branch may be that of its neighbour.
    let alone = |place: &String| edit.name != "another type" || !place.contains("Of/");
    let places: Vec<_> = sites(schema).into_iter().filter(alone).collect();
    let turn = dice.0.checked_rem(places.len())?;
    places[turn..].iter().chain(&places[..turn]).find_map(|place| {
        let mut out = schema.clone();
        let site = out.pointer_mut(place)?.as_object_mut()?;
        (edit.apply)(site, dice)?;
        Some(out)
    })
}
