//! Values that match an official schema, drawn from a seed that the name of the definition gives.

use serde_json::{Map, Value, json};

use crate::official::Official;

/// How deep optional members and free values go.
const DEPTH: usize = 6;

/// Which optional members a value gets.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Smallest,
    Random,
    Fullest,
}

/// Draws instances of one definition.
pub(crate) struct Generator<'a> {
    official: &'a Official,
    name: &'a str,
    state: u64,
}

impl<'a> Generator<'a> {
    /// Starts at the seed of `name`.
    pub(crate) fn new(official: &'a Official, name: &'a str) -> Self {
        let state = name
            .bytes()
            .fold(0x9e37_79b9_7f4a_7c15, |hash: u64, b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self { official, name, state }
    }

    /// Draws the smallest instance of each branch, the fullest one and `n_random` between.
    pub(crate) fn instances(&mut self, n_random: usize) -> Vec<Value> {
        let mut branches = vec![self.official.definition(self.name)];
        while let Some(idx) = branches.iter().position(|schema| self.branches(schema).is_some()) {
            let union = branches.remove(idx);
            branches.extend(self.branches(union).expect("found by having branches"));
        }
        let mut instances = Vec::new();
        for branch in branches {
            instances.push(self.value(branch, Size::Smallest, 0));
            instances.push(self.value(branch, Size::Fullest, 0));
        }
        let whole = self.official.definition(self.name);
        instances.extend((0..n_random).map(|_| self.value(whole, Size::Random, 0)));
        instances
    }

    /// Keeps at most `n` of `values`, spread evenly from a random start.
    pub(crate) fn sample(&mut self, values: Vec<Value>, n: usize) -> Vec<Value> {
        let step = values.len().div_ceil(n).max(1);
        let start = self.below(step);
        values.into_iter().skip(start).step_by(step).collect()
    }

    fn branches(&self, schema: &'a Value) -> Option<Vec<&'a Value>> {
        self.official.resolve(schema)["anyOf"].as_array().map(|branches| branches.iter().collect())
    }

    /// A splitmix step; the low bits are good enough for choices.
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).expect("below a usize")
    }

    fn value(&mut self, schema: &'a Value, size: Size, depth: usize) -> Value {
        let schema = self.official.resolve(schema);
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(options) = schema["enum"].as_array().or(schema["anyOf"].as_array()) {
            let idx = if size == Size::Smallest { 0 } else { self.below(options.len()) };
            let is_enum = schema.get("enum").is_some();
            return if is_enum { options[idx].clone() } else { self.value(&options[idx], size, depth + 1) };
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return self.merged(schema, parts, size, depth);
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.below(kinds.len())].as_str(),
            kind => kind.as_str(),
        };
        self.of_kind(kind, schema, size, depth)
    }

    /// Draws every part of an `allOf`, the schema beside it included, and joins the members; later ones win.
    fn merged(&mut self, schema: &'a Value, parts: &'a [Value], size: Size, depth: usize) -> Value {
        let mut members = Map::new();
        for part in parts {
            if let Value::Object(more) = self.value(part, size, depth + 1) {
                members.extend(more);
            }
        }
        if schema.get("properties").is_some() {
            members.extend(self.object(schema, size, depth + 1));
        }
        Value::Object(members)
    }

    fn of_kind(&mut self, kind: Option<&str>, schema: &'a Value, size: Size, depth: usize) -> Value {
        match kind {
            Some("string") => string(schema["format"].as_str()),
            Some("integer") => json!(schema["minimum"].as_i64().unwrap_or(0) + self.below(2) as i64),
            Some("number") => json!(schema["minimum"].as_f64().unwrap_or(0.0) + 0.5),
            Some("boolean") => json!(self.below(2) == 0),
            Some("null") => Value::Null,
            Some("array") => {
                let n = if size == Size::Smallest || depth > DEPTH { 0 } else { 1 + self.below(2) };
                (0..n).map(|_| self.value(&schema["items"], size, depth + 1)).collect()
            }
            Some("object") => Value::Object(self.object(schema, size, depth)),
            _ => [json!(1.5), json!({ "free": [null] }), json!("free"), json!(true)][self.below(4)].clone(),
        }
    }

    fn object(&mut self, schema: &'a Value, size: Size, depth: usize) -> Map<String, Value> {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.iter().any(|known| known == name);
            let is_wanted = match size {
                Size::Smallest => false,
                Size::Random => self.below(2) == 0,
                Size::Fullest => true,
            };
            if is_required || is_wanted && depth < DEPTH {
                members.insert(name.clone(), self.value(member, size, depth + 1));
            }
        }
        let free = &schema["additionalProperties"];
        if free.is_object() && size != Size::Smallest && depth < DEPTH {
            members.insert("anyName".into(), self.value(free, size, depth + 1));
        }
        members
    }
}

fn string(format: Option<&str>) -> Value {
    json!(match format {
        Some("uri") => "https://example.com/a?b=c",
        Some("uri-template") => "file:///{path}",
        Some("byte") => "aGVsbG8=",
        _ => "text",
    })
}
