//! The message shapes: the catalogue in `specs/shapes/*.shapes`, read once and looked up by name and revision.
//!
//! How a shape becomes a JSON Schema stands in `schema`.

mod expression;
mod lines;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::{Revision, Revisions};

/// What a value must look like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Anything at all.
    Any,
    /// A value of a primitive type, `null` included.
    Simple(&'static str),
    /// A string in a format that JSON Schema names.
    Formatted(&'static str),
    /// An `integer` or a `number` within bounds, both included.
    Ranged { kind: &'static str, at_least: Option<i64>, at_most: Option<i64> },
    /// Exactly this value.
    Const(Value),
    /// An array.
    List { item: Box<Shape>, at_most: Option<u64> },
    /// An object with free names and values of one shape.
    Map(Box<Shape>),
    /// An object; members that are not listed are free.
    Object(Vec<Field>),
    /// The definition of this name.
    Named(String),
    /// One of several, each in its revisions.
    Union(Vec<(Shape, Revisions)>),
    /// All of several.
    All(Vec<Shape>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) is_required: bool,
    pub(crate) revisions: Revisions,
    pub(crate) shape: Shape,
}

/// A named shape in some revisions; a name may be defined again for others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) revisions: Revisions,
    /// Names of objects whose members it shares, where they exist and it does not say otherwise.
    pub(crate) bases: Vec<String>,
    pub(crate) shape: Shape,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shapes/", $name, ".shapes")))),*]
    };
}

/// Every file of the catalogue.
const FILES: &[(&str, &str)] = files![
    "content",
    "elicitation",
    "errors",
    "lifecycle",
    "messages",
    "prompts",
    "resources",
    "sampling",
    "stateless",
    "tasks",
    "tools",
    "unions",
    "utilities",
];

type Catalogue = BTreeMap<String, Vec<Definition>>;

fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let mut by_name = Catalogue::new();
        for (file, text) in FILES {
            for definition in lines::parse(file, text).expect("a test reads every compiled-in file") {
                by_name.entry(definition.name.clone()).or_default().push(definition);
            }
        }
        by_name
    })
}

/// Finds what `name` means in `revision`.
pub(crate) fn lookup(name: &str, revision: Revision) -> Option<&'static Definition> {
    catalogue().get(name)?.iter().find(|definition| definition.revisions.contains(revision))
}

/// Lists the names that `revision` defines, sorted.
pub(crate) fn names(revision: Revision) -> impl Iterator<Item = &'static str> {
    let defined = move |list: &&Vec<Definition>| list.iter().any(|d| d.revisions.contains(revision));
    catalogue().values().filter(defined).map(|list| list[0].name.as_str())
}

impl Definition {
    /// Collects the members of an object in `revision`, those of its bases first.
    pub(crate) fn fields(&self, revision: Revision) -> Vec<&Field> {
        let mut fields: Vec<&Field> = Vec::new();
        let bases = self.bases.iter().filter_map(|base| lookup(base, revision));
        let inherited = bases.flat_map(|base| base.fields(revision));
        let Shape::Object(own) = &self.shape else { return fields };
        for field in inherited.chain(own.iter().filter(|field| field.revisions.contains(revision))) {
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `visit` for every name that `shape` mentions in `revision`.
    fn each_name(shape: &Shape, revision: Revision, visit: &mut dyn FnMut(&str)) {
        match shape {
            Shape::Named(name) => visit(name),
            Shape::List { item, .. } | Shape::Map(item) => each_name(item, revision, visit),
            Shape::All(shapes) => shapes.iter().for_each(|shape| each_name(shape, revision, visit)),
            Shape::Object(fields) => {
                let here = fields.iter().filter(|field| field.revisions.contains(revision));
                here.for_each(|field| each_name(&field.shape, revision, visit));
            }
            Shape::Union(branches) => {
                let here = branches.iter().filter(|(_, revisions)| revisions.contains(revision));
                here.for_each(|(shape, _)| each_name(shape, revision, visit));
            }
            _ => {}
        }
    }

    #[test]
    fn every_name_that_a_shape_mentions_is_defined_in_that_revision() {
        for revision in Revision::ALL {
            for name in names(revision) {
                let definition = lookup(name, revision).expect("listed");
                each_name(&definition.shape, revision, &mut |mentioned| {
                    assert!(lookup(mentioned, revision).is_some(), "{name}: no {mentioned} in {revision}");
                });
            }
        }
    }

    #[test]
    fn a_name_means_one_thing_in_each_revision() {
        for (name, definitions) in catalogue() {
            for revision in Revision::ALL {
                let meanings = definitions.iter().filter(|d| d.revisions.contains(revision)).count();
                assert!(meanings <= 1, "{name} is defined {meanings} times in {revision}");
            }
        }
    }

    #[test]
    fn every_base_is_an_object() {
        for base in catalogue().values().flatten().flat_map(|definition| &definition.bases) {
            let meanings = &catalogue()[base];
            assert!(meanings.iter().all(|d| matches!(d.shape, Shape::Object(_))), "{base}");
        }
    }

    #[test]
    fn a_definition_has_the_members_of_its_bases_where_these_exist() {
        let names = |revision| -> Vec<_> {
            let tool = lookup("Tool", revision).expect("exists");
            tool.fields(revision).iter().map(|field| field.name.as_str()).collect()
        };
        assert_eq!(names(Revision::V2024_11_05), ["name", "inputSchema", "description"]);
        assert!(names(Revision::V2025_11_25).contains(&"icons"));
        assert!(lookup("Icon", Revision::V2025_06_18).is_none());
    }
}
