//! Finds what a `$ref` means inside one document. Other documents are never read.

use crate::change::pointer;
use jsonschema::Draft;
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashMap;
use url::Url;

/// A part of a document with a URI of its own; the document itself is the first.
struct Resource<'a> {
    uri: Url,
    place: Spot<'a>,
}

/// A schema inside a document.
#[derive(Clone)]
pub(super) struct Spot<'a> {
    /// The schema.
    pub(super) value: &'a Value,
    /// Which resource its references start from.
    pub(super) resource: usize,
    /// Where it stands in the document, as a JSON pointer.
    pub(super) pointer: String,
}

/// What a reference names.
pub(super) enum Target<'a> {
    /// A schema of this document.
    Spot(Spot<'a>),
    /// A schema of another document.
    External,
    /// Nothing.
    Dangling,
}

#[derive(Default)]
struct Index<'a> {
    resources: Vec<Resource<'a>>,
    /// Which resource a value opens, by the address of the value.
    opened: HashMap<usize, usize>,
    anchors: HashMap<(usize, &'a str), Spot<'a>>,
}

/// A whole schema with the names inside it.
pub(super) struct Document<'a> {
    pub(super) root: &'a Value,
    pub(super) draft: Draft,
    index: OnceCell<Index<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(root: &'a Value, draft: Draft) -> Self {
        Self { root, draft, index: OnceCell::new() }
    }

    /// The whole schema as a spot.
    pub(super) fn start(&self) -> Spot<'a> {
        Spot { value: self.root, resource: 0, pointer: String::new() }
    }

    /// The schema at `suffix` below `spot`.
    pub(super) fn below(&self, spot: &Spot<'a>, suffix: &str, value: &'a Value) -> Spot<'a> {
        let resource = self.resource_of(value).unwrap_or(spot.resource);
        Spot { value, resource, pointer: format!("{}{suffix}", spot.pointer) }
    }

    fn resource_of(&self, value: &Value) -> Option<usize> {
        // Few documents hold resources of their own, and then only for values that say so.
        id_of(value)?;
        self.index().opened.get(&address(value)).copied()
    }

    fn index(&self) -> &Index<'a> {
        self.index.get_or_init(|| index(self.root))
    }

    /// Follows `reference` from `spot`.
    pub(super) fn resolve(&self, spot: &Spot<'a>, reference: &str) -> Target<'a> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() { Some(spot.resource) } else { self.resource_named(spot, uri) };
        let Some(resource) = resource else { return Target::External };
        let from = self.index().resources.get(resource).map(|found| found.place.clone());
        let Some(from) = from else { return Target::Dangling };
        let fragment = unescape(fragment);
        let found = match fragment.strip_prefix('/') {
            Some(path) => self.follow(from, path),
            None if fragment.is_empty() => Some(from),
            None => self.index().anchors.get(&(resource, fragment.as_str())).cloned(),
        };
        // What is neither an object nor a boolean is no schema.
        let found = found.filter(|spot| spot.value.is_object() || spot.value.is_boolean());
        found.map_or(Target::Dangling, Target::Spot)
    }

    fn resource_named(&self, spot: &Spot<'a>, uri: &str) -> Option<usize> {
        let resources = &self.index().resources;
        let mut full = resources.get(spot.resource)?.uri.join(uri).ok()?;
        full.set_fragment(None);
        resources.iter().position(|resource| resource.uri == full)
    }

    fn follow(&self, mut spot: Spot<'a>, path: &str) -> Option<Spot<'a>> {
        for token in path.split('/') {
            let name = token.replace("~1", "/").replace("~0", "~");
            let value = match spot.value {
                Value::Object(members) => members.get(&name)?,
                Value::Array(items) => items.get(name.parse::<usize>().ok()?)?,
                _ => return None,
            };
            spot = self.below(&spot, &pointer("", &name), value);
        }
        Some(spot)
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

fn id_of(value: &Value) -> Option<&str> {
    let id = value.get("$id").or_else(|| value.get("id"))?;
    id.as_str()
}

fn index(root: &Value) -> Index<'_> {
    let base = Url::parse("schema://document/").expect("a constant URI is valid");
    let mut index = Index::default();
    index
        .resources
        .push(Resource { uri: base, place: Spot { value: root, resource: 0, pointer: String::new() } });
    let mut left = vec![index.resources[0].place.clone()];
    while let Some(mut spot) = left.pop() {
        if let Value::Object(_) = spot.value {
            name_spot(&mut index, &mut spot);
        }
        let children: Vec<_> = match spot.value {
            Value::Object(members) => members.iter().map(|(key, value)| (pointer("", key), value)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(idx, value)| (format!("/{idx}"), value)).collect()
            }
            _ => Vec::new(),
        };
        for (suffix, value) in children {
            if value.is_object() || value.is_array() {
                let at = format!("{}{suffix}", spot.pointer);
                left.push(Spot { value, resource: spot.resource, pointer: at });
            }
        }
    }
    index
}

/// Notes the `$id` and the anchors of a schema.
fn name_spot<'a>(index: &mut Index<'a>, spot: &mut Spot<'a>) {
    let id = id_of(spot.value).unwrap_or_default();
    if let Some(anchor) = id.strip_prefix('#') {
        index.anchors.entry((spot.resource, anchor)).or_insert_with(|| spot.clone());
    } else if !id.is_empty() {
        open_resource(index, spot, id);
    }
    for keyword in ["$anchor", "$dynamicAnchor"] {
        if let Some(anchor) = spot.value.get(keyword).and_then(Value::as_str) {
            index.anchors.entry((spot.resource, anchor)).or_insert_with(|| spot.clone());
        }
    }
}

fn open_resource<'a>(index: &mut Index<'a>, spot: &mut Spot<'a>, id: &str) {
    let Ok(mut uri) = index.resources[spot.resource].uri.join(id) else { return };
    uri.set_fragment(None);
    if spot.pointer.is_empty() {
        index.resources[0].uri = uri;
        index.opened.insert(address(spot.value), 0);
        return;
    }
    spot.resource = index.resources.len();
    index.opened.insert(address(spot.value), spot.resource);
    index.resources.push(Resource { uri, place: spot.clone() });
}

/// Undoes percent-encoding, as a fragment may have it.
fn unescape(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| fragment.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
