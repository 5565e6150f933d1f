//! Reads a lockfile back. What is malformed is told with its line and what was expected there.

use super::VERSION;
use crate::canonical::content_hash;
use crate::json::{self, Fault};
use crate::model::{Item, Kind, Session, Surface, View};
use serde_json::{Map, Value};
use thiserror::Error;

/// Why a lockfile cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LockError {
    /// Git left its marks in it.
    #[error("line {line}: a conflict marker of a merge")]
    Conflict {
        /// Counted from 1.
        line: usize,
    },
    /// It is no JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the reader says.
        message: String,
    },
    /// A later program wrote it.
    #[error("lock version {found} is newer than {VERSION}, the newest that this program reads")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// A member is missing or of another type.
    #[error("{place}: expected {expected}")]
    Shape {
        /// A line, or a pointer where no line is known.
        place: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// It is not what its hash says, though each item is.
    #[error("{place}: the file does not match its sha256; it was edited by hand or merged")]
    Whole {
        /// A line, or a member where no line is known.
        place: String,
    },
    /// An item is not what its hash says.
    #[error("{place}: the {kind} `{id}` does not match its sha256; it was edited by hand or merged")]
    Hash {
        /// A line, or a pointer where no line is known.
        place: String,
        /// `tool`, `prompt`, `resource` or `template`.
        kind: &'static str,
        /// Its name or URI.
        id: String,
    },
}

/// Reads the text of a lockfile.
pub fn parse(text: &str) -> Result<Surface, LockError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lock: Value = json::parse(text).map_err(|fault| syntax(text, fault))?;
    let reader = Reader { text };
    let members = lock.as_object().ok_or_else(|| reader.shape("/", "an object"))?;
    match members.get("lockVersion").and_then(Value::as_u64) {
        Some(found) if found > VERSION => return Err(LockError::Newer { found }),
        Some(1..) => {}
        _ => return Err(reader.shape("lockVersion", "a whole number, 1 or more")),
    }
    let surface = reader.surface(members)?;
    let told = members.get("sha256").and_then(Value::as_str);
    let told = told.ok_or_else(|| reader.shape("sha256", "a text"))?;
    if told != super::render::hash(&surface) {
        return Err(LockError::Whole { place: reader.place("sha256") });
    }
    Ok(surface)
}

fn syntax(text: &str, fault: Fault) -> LockError {
    let marks = ["<<<<<<<", "=======", ">>>>>>>"];
    let conflict = text.lines().position(|line| marks.iter().any(|mark| line.starts_with(mark)));
    match conflict {
        Some(idx) => LockError::Conflict { line: idx + 1 },
        None => LockError::Syntax { line: fault.line, column: fault.column, message: fault.message },
    }
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn surface(&self, lock: &Map<String, Value>) -> Result<Surface, LockError> {
        let revisions =
            words(lock.get("revisions")).ok_or_else(|| self.shape("revisions", "a list of revisions"))?;
        let every_revision = lock.get("everyRevision").and_then(Value::as_bool);
        let every_revision = every_revision.ok_or_else(|| self.shape("everyRevision", "true or false"))?;
        // A surface of a file may not know its revision; it still has a view.
        let names: Vec<_> = match revisions.is_empty() {
            true => vec![None],
            false => revisions.into_iter().map(Some).collect(),
        };
        let mut views: Vec<_> = names.iter().map(|name| empty(name.clone())).collect();
        for block in self.blocks(lock, "initialize")? {
            for view in self.fitting(&mut views, block, "initialize")? {
                self.session(view, block)?;
            }
        }
        for kind in Kind::ALL {
            for block in self.blocks(lock, kind.member())? {
                let item = self.item(kind, block)?;
                for view in self.fitting(&mut views, block, kind.member())? {
                    view.lists[kind as usize].get_or_insert_default().push(item.clone());
                }
            }
        }
        Ok(Surface { views, every_revision })
    }

    fn blocks<'v>(&self, lock: &'v Map<String, Value>, name: &'static str) -> Result<&'v [Value], LockError> {
        match lock.get(name) {
            None => Ok(&[]),
            Some(Value::Array(blocks)) => Ok(blocks),
            Some(_) => Err(self.shape(name, "a list of blocks")),
        }
    }

    /// The views in which `block` holds.
    fn fitting<'v>(
        &self,
        views: &'v mut [View],
        block: &Value,
        name: &str,
    ) -> Result<Vec<&'v mut View>, LockError> {
        let Some(given) = block.get("revisions") else { return Ok(views.iter_mut().collect()) };
        let given =
            words(Some(given)).ok_or_else(|| self.shape(name, "a list of revisions in each block"))?;
        let known =
            |name: &String| views.iter().any(|view| view.session.protocol_version.as_ref() == Some(name));
        if given.is_empty() || !given.iter().all(known) {
            return Err(self.shape(name, "in each block only revisions that `revisions` names"));
        }
        let fits =
            |view: &View| view.session.protocol_version.as_ref().is_some_and(|name| given.contains(name));
        Ok(views.iter_mut().filter(|view| fits(view)).collect())
    }

    fn session(&self, view: &mut View, block: &Value) -> Result<(), LockError> {
        let object = |name: &'static str| match block.get(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members.clone())),
            Some(_) => Err(self.shape(name, "an object")),
        };
        view.session.capabilities = object("capabilities")?;
        view.session.server_info = object("serverInfo")?;
        view.session.instructions = match block.get("instructions") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(Value::String(text)) => Some(Some(text.clone())),
            Some(_) => return Err(self.shape("instructions", "a text or null")),
        };
        let lists = words(block.get("lists")).ok_or_else(|| self.shape("lists", "a list of names"))?;
        for kind in Kind::ALL.into_iter().filter(|kind| lists.iter().any(|name| name == kind.member())) {
            view.lists[kind as usize].get_or_insert_default();
        }
        Ok(())
    }

    fn item(&self, kind: Kind, block: &Value) -> Result<Item, LockError> {
        let id = block.get(kind.identity()).and_then(Value::as_str);
        let id = id.ok_or_else(|| self.shape(kind.member(), "a name or URI in each block"))?.to_owned();
        let definition = block.get("definition").filter(|value| value.is_object()).cloned();
        let definition = definition.ok_or_else(|| self.item_shape(kind, &id, "an object `definition`"))?;
        let hash = block.get("sha256").and_then(Value::as_str);
        let hash = hash.ok_or_else(|| self.item_shape(kind, &id, "a text `sha256`"))?;
        if !block.get("tokens").is_some_and(Value::is_u64) {
            return Err(self.item_shape(kind, &id, "a whole number `tokens`"));
        }
        if hash != content_hash(&definition) {
            return Err(LockError::Hash { place: self.item_place(kind, &id), kind: kind.word(), id });
        }
        Ok(Item { id, definition })
    }

    fn shape(&self, member: &str, expected: &'static str) -> LockError {
        LockError::Shape { place: self.place(member), expected }
    }

    fn place(&self, member: &str) -> String {
        let found = self.line_with(&format!("{}:", Value::from(member)));
        found.map_or_else(|| format!("`{member}`"), |line| format!("line {line}, `{member}`"))
    }

    fn item_shape(&self, kind: Kind, id: &str, expected: &'static str) -> LockError {
        LockError::Shape { place: self.item_place(kind, id), expected }
    }

    fn item_place(&self, kind: Kind, id: &str) -> String {
        let line = self.line_with(&format!("\"{}\": {},", kind.identity(), Value::from(id)));
        line.map_or_else(|| format!("/{}/{id}", kind.member()), |line| format!("line {line}"))
    }

    fn line_with(&self, part: &str) -> Option<usize> {
        self.text.lines().position(|line| line.trim_start().starts_with(part)).map(|idx| idx + 1)
    }
}

fn empty(revision: Option<String>) -> View {
    View { session: Session { protocol_version: revision, ..Session::default() }, ..View::default() }
}

fn words(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}
