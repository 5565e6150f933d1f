//! A single schema as data, whatever draft it is written in. How schemas hang together stands in `graph`.

use super::dialect::age;
use super::document::{Document, Spot};
use super::number::{Bound, Num, Range, Span};
use super::types::Types;
use crate::change::pointer;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The number of a node in its graph.
pub(super) type Id = usize;

/// A condition with its two branches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cond {
    pub(super) test: Id,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}

/// Where a reference of a node leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lost<'a> {
    /// To another document.
    External(&'a str),
    /// To nothing.
    Dangling(&'a str),
}

/// A schema, its keywords read and its subschemas numbered.
#[derive(Default)]
pub(super) struct Node<'a> {
    pub(super) raw: Option<&'a Value>,
    pub(super) pointer: String,
    /// How old the draft is in which it is written.
    pub(super) age: u8,
    pub(super) never: bool,
    pub(super) types: Option<Types>,
    pub(super) values: Option<&'a [Value]>,
    pub(super) constant: Option<&'a Value>,
    pub(super) range: Range,
    pub(super) multiple: Option<Num>,
    pub(super) length: Span,
    pub(super) pattern: Option<&'a str>,
    pub(super) items: Span,
    pub(super) unique: bool,
    pub(super) prefix: Vec<Id>,
    pub(super) rest: Option<Id>,
    pub(super) contains: Option<(Id, Span)>,
    pub(super) size: Span,
    pub(super) props: BTreeMap<&'a str, Id>,
    pub(super) patterns: Vec<(&'a str, Id)>,
    pub(super) additional: Option<Id>,
    pub(super) names: Option<Id>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) needs: BTreeMap<&'a str, BTreeSet<&'a str>>,
    pub(super) dependent: BTreeMap<&'a str, Id>,
    /// `allOf` and the target of `$ref`.
    pub(super) all: Vec<Id>,
    pub(super) any: Vec<Id>,
    pub(super) one: Vec<Id>,
    pub(super) not: Option<Id>,
    pub(super) cond: Option<Cond>,
    pub(super) open_props: Option<Id>,
    pub(super) open_items: Option<Id>,
    pub(super) lost: Option<Lost<'a>>,
    /// Keywords that this code, or the draft, does not know; and ones it cannot judge.
    pub(super) unknown: BTreeMap<&'a str, &'a Value>,
}

/// Numbers the subschemas that a node names.
pub(super) trait Numbering<'a> {
    /// The number of a schema.
    fn number(&mut self, spot: Spot<'a>) -> Id;
    /// Follows a reference.
    fn refer(&mut self, spot: &Spot<'a>, reference: &'a str) -> Result<Id, Lost<'a>>;
}

struct Reader<'r, 'a, N> {
    document: &'r Document<'a>,
    spot: &'r Spot<'a>,
    numbering: &'r mut N,
    age: u8,
    node: Node<'a>,
}

/// Reads the schema at `spot`.
pub(super) fn read<'a, N: Numbering<'a>>(
    document: &Document<'a>,
    spot: &Spot<'a>,
    numbering: &mut N,
) -> Node<'a> {
    let age = age(document.draft);
    let node = Node { raw: Some(spot.value), pointer: spot.pointer.clone(), age, ..Node::default() };
    let mut reader = Reader { document, spot, numbering, age, node };
    match spot.value {
        Value::Bool(false) => reader.node.never = true,
        Value::Object(members) => reader.members(members),
        _ => {}
    }
    reader.node
}

impl<'a, N: Numbering<'a>> Reader<'_, 'a, N> {
    fn members(&mut self, members: &'a Map<String, Value>) {
        let reference = members.get("$ref").and_then(Value::as_str);
        if let Some(reference) = reference
            && self.age <= 7
        {
            // Up to draft-07, what stands beside `$ref` is ignored.
            self.refer(reference);
            return;
        }
        for (key, value) in members {
            let known = self.applicator(key, value)
                || self.object(key, value, members)
                || self.array(key, value, members)
                || self.scalar(key, value, members)
                || annotation(key);
            if !known {
                self.node.unknown.insert(key, value);
            }
        }
        self.any_name();
    }

    /// A schema for names that fit anything holds for all members, where none has an entry of its own.
    fn any_name(&mut self) {
        if let [(pattern, id)] = self.node.patterns.as_slice()
            && fits_all(pattern)
            && self.node.props.is_empty()
        {
            self.node.additional = Some(*id);
            self.node.patterns.clear();
        }
    }

    fn refer(&mut self, reference: &'a str) {
        match self.numbering.refer(self.spot, reference) {
            Ok(id) => self.node.all.push(id),
            Err(lost) => self.node.lost = Some(lost),
        }
    }

    fn child(&mut self, suffix: &str, value: &'a Value) -> Id {
        let spot = self.document.below(self.spot, suffix, value);
        self.numbering.number(spot)
    }

    fn list(&mut self, key: &str, value: &'a Value) -> Vec<Id> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().enumerate().map(|(idx, item)| self.child(&format!("/{key}/{idx}"), item)).collect()
    }

    fn map(&mut self, key: &str, value: &'a Value) -> Vec<(&'a str, Id)> {
        let Some(members) = value.as_object() else { return Vec::new() };
        let base = format!("/{key}");
        members
            .iter()
            .map(|(name, member)| (name.as_str(), self.child(&pointer(&base, name), member)))
            .collect()
    }

    fn applicator(&mut self, key: &'a str, value: &'a Value) -> bool {
        match (key, value) {
            ("$ref", Value::String(reference)) => self.refer(reference),
            ("$ref", _) => self.node.lost = Some(Lost::Dangling("a value that is no text")),
            ("$dynamicRef", Value::String(reference)) if self.age >= 9 => self.refer(reference),
            ("$recursiveRef", Value::String(reference)) if self.age == 8 => self.refer(reference),
            ("allOf", _) => {
                let mut all = self.list(key, value);
                self.node.all.append(&mut all);
            }
            ("anyOf", _) => self.node.any = self.list(key, value),
            ("oneOf", _) => self.node.one = self.list(key, value),
            ("not", _) => self.node.not = Some(self.child("/not", value)),
            ("if", _) if self.age >= 7 => self.condition(value),
            ("then" | "else", _) if self.age >= 7 => {}
            _ => return false,
        }
        true
    }

    fn condition(&mut self, test: &'a Value) {
        let branch = |name: &str| self.spot.value.get(name);
        let (then, otherwise) = (branch("then"), branch("else"));
        let then = then.map(|value| self.child("/then", value));
        let otherwise = otherwise.map(|value| self.child("/else", value));
        if then.is_some() || otherwise.is_some() {
            let test = self.child("/if", test);
            self.node.cond = Some(Cond { test, then, otherwise });
        }
    }

    fn object(&mut self, key: &'a str, value: &'a Value, members: &'a Map<String, Value>) -> bool {
        match key {
            "properties" => self.node.props = self.map(key, value).into_iter().collect(),
            "patternProperties" => self.node.patterns = self.map(key, value),
            "additionalProperties" => self.node.additional = Some(self.child("/additionalProperties", value)),
            "propertyNames" if self.age >= 6 => self.node.names = Some(self.child("/propertyNames", value)),
            "required" if value.is_array() => self.node.required = strings(value),
            "minProperties" => self.node.size.min = count(value).unwrap_or(0),
            "maxProperties" => self.node.size.max = count(value),
            "dependentRequired" if self.age >= 8 => {
                let members = value.as_object().into_iter().flatten();
                self.node.needs.extend(members.map(|(name, needs)| (name.as_str(), strings(needs))));
            }
            "dependentSchemas" if self.age >= 8 => {
                let map = self.map(key, value);
                self.node.dependent.extend(map);
            }
            "dependencies" if self.age <= 8 || !members.contains_key("dependentRequired") => {
                self.dependencies(value);
            }
            "unevaluatedProperties" if self.age >= 8 => {
                self.node.open_props = Some(self.child("/unevaluatedProperties", value));
            }
            _ => return false,
        }
        true
    }

    fn dependencies(&mut self, value: &'a Value) {
        for (name, member) in value.as_object().into_iter().flatten() {
            if member.is_array() {
                self.node.needs.insert(name, strings(member));
            } else {
                let id = self.child(&pointer("/dependencies", name), member);
                self.node.dependent.insert(name, id);
            }
        }
    }

    fn array(&mut self, key: &'a str, value: &'a Value, members: &'a Map<String, Value>) -> bool {
        match key {
            "items" if value.is_array() && self.age <= 8 => self.node.prefix = self.list(key, value),
            "items" => self.node.rest = Some(self.child("/items", value)),
            "additionalItems" if self.age <= 8 => {
                // It means something beside a list of items only.
                if members.get("items").is_some_and(Value::is_array) {
                    self.node.rest = Some(self.child("/additionalItems", value));
                }
            }
            "prefixItems" if self.age >= 9 => self.node.prefix = self.list(key, value),
            "minItems" => self.node.items.min = count(value).unwrap_or(0),
            "maxItems" => self.node.items.max = count(value),
            "uniqueItems" => self.node.unique = value == &Value::Bool(true),
            "contains" if self.age >= 6 => {
                let bound = |name| members.get(name).filter(|_| self.age >= 8).and_then(count);
                let span = Span { min: bound("minContains").unwrap_or(1), max: bound("maxContains") };
                self.node.contains = Some((self.child("/contains", value), span));
            }
            "minContains" | "maxContains" if self.age >= 8 => {}
            "unevaluatedItems" if self.age >= 8 => {
                self.node.open_items = Some(self.child("/unevaluatedItems", value));
            }
            _ => return false,
        }
        true
    }

    fn scalar(&mut self, key: &'a str, value: &'a Value, members: &'a Map<String, Value>) -> bool {
        let opens = |name| members.get(name) == Some(&Value::Bool(true));
        match (key, value) {
            ("type", Value::String(name)) => self.node.types = Some(Types::named(name)),
            ("type", Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str).map(Types::named);
                self.node.types = Some(names.fold(Types::NONE, Types::or));
            }
            ("enum", Value::Array(values)) => self.node.values = Some(values),
            ("const", _) if self.age >= 6 => self.node.constant = Some(value),
            ("minimum", Value::Number(number)) => {
                self.node
                    .range
                    .raise(Bound { at: Num::of(number), open: self.age <= 4 && opens("exclusiveMinimum") });
            }
            ("maximum", Value::Number(number)) => {
                self.node
                    .range
                    .lower(Bound { at: Num::of(number), open: self.age <= 4 && opens("exclusiveMaximum") });
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if self.age <= 4 => {}
            ("exclusiveMinimum", Value::Number(number)) if self.age >= 6 => {
                self.node.range.raise(Bound { at: Num::of(number), open: true });
            }
            ("exclusiveMaximum", Value::Number(number)) if self.age >= 6 => {
                self.node.range.lower(Bound { at: Num::of(number), open: true });
            }
            ("multipleOf", Value::Number(number)) => self.node.multiple = Some(Num::of(number)),
            ("minLength", _) => self.node.length.min = count(value).unwrap_or(0),
            ("maxLength", _) => self.node.length.max = count(value),
            ("pattern", Value::String(pattern)) => {
                self.node.pattern = Some(pattern.as_str()).filter(|pattern| !fits_all(pattern));
            }
            _ => return false,
        }
        true
    }
}

fn count(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole float, as 3.0")]
    let whole = |float: f64| (float >= 0.0 && float.fract() == 0.0).then_some(float as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(whole))
}

fn strings(value: &Value) -> BTreeSet<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether a pattern is one of those that are written for any text at all; `^.*$` is none, since a line may end.
fn fits_all(pattern: &str) -> bool {
    let begun = pattern.strip_prefix('^').unwrap_or(pattern);
    let anything = begun.strip_suffix('$').unwrap_or(begun);
    matches!(begun, "" | "$" | ".*") && pattern != "^$"
        || matches!(anything, "[\\s\\S]*" | "[\\S\\s]*" | "[\\d\\D]*" | "[\\w\\W]*" | "(.|\\n|\\r)*")
}

/// Whether `key` says nothing about which values are taken.
fn annotation(key: &str) -> bool {
    const KNOWN: &[&str] = &[
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$vocabulary",
        "$comment",
        "$defs",
        "definitions",
        "components",
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "format",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "markdownDescription",
        "enumNames",
        "enumDescriptions",
        "deprecationMessage",
        "errorMessage",
        "propertyOrder",
        "propertyOrdering",
    ];
    KNOWN.contains(&key) || key.starts_with("x-") || key.starts_with("_")
}
