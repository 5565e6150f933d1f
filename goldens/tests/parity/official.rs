//! The official schemas and examples as files, and the list of places where we read them otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, json};
use specs::Revision;

/// A place of the official schema that our shapes read otherwise.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Divergence {
    /// Pointer to the place, below the definitions.
    pub(crate) at: String,
    /// JSON that we read there.
    pub(crate) read: String,
    pub(crate) revisions: Vec<Revision>,
    pub(crate) reason: String,
}

impl Divergence {
    /// Returns the definition that the place is in.
    pub(crate) fn definition(&self) -> &str {
        self.at.split('/').nth(1).expect("a pointer starts with a slash")
    }
}

/// The official schema of a revision.
pub(crate) struct Official {
    pub(crate) revision: Revision,
    /// The entries of the divergence list for this revision.
    pub(crate) divergences: Vec<Divergence>,
    raw: Value,
    folder: PathBuf,
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a room stands in the repository").to_owned()
}

/// Reads the list of divergences.
pub(crate) fn divergences() -> Vec<Divergence> {
    #[derive(Deserialize)]
    struct List {
        divergence: Vec<Divergence>,
    }
    let text = fs::read_to_string(root().join("specs/divergence.toml")).expect("the list is committed");
    toml::from_str::<List>(&text).expect("the list is well-formed").divergence
}

impl Official {
    /// Loads the schema of `revision` when the official files are at hand.
    pub(crate) fn load(revision: Revision) -> Option<Self> {
        let named = std::env::var_os("MCPPROOF_SPEC_DIR").map(PathBuf::from);
        let folder = named.unwrap_or_else(|| root().join("../shared/spec"));
        let text = fs::read_to_string(folder.join(format!("schema/{revision}.json"))).ok()?;
        let raw = serde_json::from_str(&text).expect("the official schema is JSON");
        let divergences = divergences().into_iter().filter(|d| d.revisions.contains(&revision)).collect();
        Some(Self { revision, divergences, raw, folder })
    }

    /// Returns the same schema with one entry of the list forgotten.
    pub(crate) fn without_divergence(&self, idx: usize) -> Self {
        let mut divergences = self.divergences.clone();
        divergences.remove(idx);
        self.with_divergences(divergences)
    }

    fn with_divergences(&self, divergences: Vec<Divergence>) -> Self {
        Self { revision: self.revision, divergences, raw: self.raw.clone(), folder: self.folder.clone() }
    }

    /// Lists copies of this schema with one member of `name` forgotten, made optional or made free.
    pub(crate) fn with_faults(&self, name: &str) -> Vec<(String, Self)> {
        let read = self.read();
        let required = read[self.keyword()][name]["required"].as_array().cloned().unwrap_or_default();
        let members = read[self.keyword()][name]["properties"].as_object().cloned().unwrap_or_default();
        let optional = required.iter().enumerate().map(|(idx, member)| {
            let fault =
                |schema: &mut Value| drop(schema["required"].as_array_mut().map(|list| list.remove(idx)));
            (format!("{name}: {member} is optional"), self.changed(name, fault))
        });
        let is_bound =
            |schema: &Value| self.resolve(schema).get("type").is_some() || schema.get("const").is_some();
        let free = members.iter().filter(|(_, schema)| is_bound(schema)).map(|(member, _)| {
            let fault = |schema: &mut Value| schema["properties"][member] = json!({});
            (format!("{name}: {member} is free"), self.changed(name, fault))
        });
        optional.chain(free).collect()
    }

    fn changed(&self, name: &str, fault: impl FnOnce(&mut Value)) -> Self {
        let mut changed = self.with_divergences(Vec::new());
        changed.raw = self.read();
        let keyword = self.keyword();
        fault(&mut changed.raw[keyword][name]);
        changed
    }

    fn keyword(&self) -> &'static str {
        if self.raw.get("$defs").is_some() { "$defs" } else { "definitions" }
    }

    /// Lists the names of the definitions.
    pub(crate) fn definitions(&self) -> Vec<String> {
        let definitions = self.raw[self.keyword()].as_object().expect("a schema has definitions");
        definitions.keys().cloned().collect()
    }

    /// Follows `schema` through its references.
    pub(crate) fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let Some(target) = schema["$ref"].as_str() else { return schema };
        self.resolve(self.raw.pointer(target.trim_start_matches('#')).expect("references are local"))
    }

    /// Returns the schema of `name`.
    pub(crate) fn definition(&self, name: &str) -> &Value {
        &self.raw[self.keyword()][name]
    }

    /// Reads the official examples of `name`.
    pub(crate) fn examples(&self, name: &str) -> Vec<Value> {
        let folder = self.folder.join(format!("examples/{}/{name}", self.revision));
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = files.map(|file| file.path()).collect();
        paths.sort();
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).expect("the example is readable");
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        paths.into_iter().map(read).collect()
    }

    /// Compiles `name` as it stands in the official schema.
    pub(crate) fn compile_raw(&self, name: &str) -> Validator {
        self.compile(self.raw.clone(), name)
    }

    /// Compiles `name` with the divergences applied.
    pub(crate) fn compile_read(&self, name: &str) -> Validator {
        self.compile(self.read(), name)
    }

    /// Returns the schema with the divergences applied.
    fn read(&self) -> Value {
        let mut document = self.raw.clone();
        for entry in &self.divergences {
            let place = document[self.keyword()].pointer_mut(&entry.at);
            let read = serde_json::from_str(&entry.read).expect("the list holds JSON");
            *place.unwrap_or_else(|| panic!("{} has no {}", self.revision, entry.at)) = read;
        }
        document
    }

    fn compile(&self, mut document: Value, name: &str) -> Validator {
        // In draft 7 a reference hides its siblings, so it stands in a list.
        document["allOf"] = json!([{ "$ref": format!("#/{}/{name}", self.keyword()) }]);
        let options = jsonschema::options().should_validate_formats(true).with_format("byte", is_base64);
        options.build(&document).unwrap_or_else(|error| panic!("{name} in {}: {error}", self.revision))
    }
}

/// Tells whether `text` decodes as padded base64; written without a look at the one in specs.
fn is_base64(text: &str) -> bool {
    text.as_bytes().chunks(4).all(|quad| {
        let digits = quad.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/".contains(b)).count();
        quad.len() == 4 && digits >= 2 && quad[digits..].iter().all(|b| *b == b'=')
    }) && !text.trim_end_matches('=').contains('=')
}
