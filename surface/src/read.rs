//! Reads a surface from JSON that others wrote: a surface with its lists, the result of a list request, or a bare list of tools. Lockfiles are read by `lock`.

use crate::json::{self, Fault};
use crate::lock::{self, LockError};
use crate::model::{Item, Kind, Session, Surface, View};
use serde_json::{Map, Value};
use thiserror::Error;

/// Why a text is no surface.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
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
    /// It is JSON of another kind.
    #[error("{at}: expected {expected}, found {found}")]
    Shape {
        /// A JSON pointer.
        at: String,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// One page of several; what is on the others would look removed.
    #[error(
        "`{list}` ends with the cursor {cursor}: this is one page of several, and the rest would look removed"
    )]
    Incomplete {
        /// The name of the list.
        list: &'static str,
        /// The cursor, as JSON.
        cursor: String,
    },
    /// It is a lockfile that cannot be used.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// Reads a surface from `text`, in whichever of the known forms it has.
pub fn read(text: &str) -> Result<Surface, ReadError> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    if bare.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let value = match json::parse(bare) {
        Ok(value) => value,
        // A lock with the marks of a merge deserves its own words.
        Err(_) if bare.contains("\"lockVersion\"") => return lock::parse(bare).map_err(Into::into),
        Err(Fault { line, column, message }) => return Err(ReadError::Syntax { line, column, message }),
    };
    if value.get("lockVersion").is_some() {
        return lock::parse(bare).map_err(Into::into);
    }
    Ok(Surface { views: vec![view(&value)?], every_revision: false })
}

fn view(value: &Value) -> Result<View, ReadError> {
    if value.is_array() {
        let mut view = View::default();
        view.lists[Kind::Tool as usize] = Some(items(Kind::Tool, value, "")?);
        return Ok(view);
    }
    const FORMS: &str = "a lockfile, an object with `tools`, or a list of tools";
    let whole = value.as_object().ok_or_else(|| shape("/", FORMS, value))?;
    // An answer as it came over the wire.
    let (members, base) = match whole.get("result").and_then(Value::as_object) {
        Some(result) => (result, "/result"),
        None => (whole, ""),
    };
    let known = |kind: &Kind| members.contains_key(kind.member());
    if !Kind::ALL.iter().any(known) && !members.contains_key("initialize") {
        return Err(shape("/", FORMS, value));
    }
    let mut view = View { session: session(members)?, ..View::default() };
    for kind in Kind::ALL {
        let Some(list) = members.get(kind.member()) else { continue };
        if let Some(cursor) = members.get("nextCursor").filter(|cursor| !cursor.is_null()) {
            return Err(ReadError::Incomplete { list: kind.member(), cursor: cursor.to_string() });
        }
        view.lists[kind as usize] = Some(items(kind, list, &format!("{base}/{}", kind.member()))?);
    }
    Ok(view)
}

fn session(members: &Map<String, Value>) -> Result<Session, ReadError> {
    let Some(opening) = members.get("initialize") else { return Ok(Session::default()) };
    let told = opening.as_object().ok_or_else(|| shape("/initialize", "an object", opening))?;
    let object = |name: &str| match told.get(name) {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members.clone())),
        Some(other) => Err(shape(&format!("/initialize/{name}"), "an object", other)),
    };
    let text = |name: &str| match told.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(shape(&format!("/initialize/{name}"), "a text", other)),
    };
    Ok(Session {
        protocol_version: text("protocolVersion")?,
        capabilities: object("capabilities")?,
        server_info: object("serverInfo")?,
        instructions: Some(text("instructions")?),
    })
}

fn items(kind: Kind, list: &Value, at: &str) -> Result<Vec<Item>, ReadError> {
    let list = list.as_array().ok_or_else(|| shape(at, "a list", list))?;
    list.iter().enumerate().map(|(idx, definition)| item(kind, definition, &format!("{at}/{idx}"))).collect()
}

/// Takes an item as a server sent it; `at` says where it stood.
pub fn item(kind: Kind, definition: &Value, at: &str) -> Result<Item, ReadError> {
    let members = definition.as_object().ok_or_else(|| shape(at, "an object", definition))?;
    let id = members.get(kind.identity()).unwrap_or(&Value::Null);
    match id.as_str() {
        Some(id) => Ok(Item { id: id.to_owned(), definition: definition.clone() }),
        None => Err(shape(&format!("{at}/{}", kind.identity()), "a text", id)),
    }
}

fn shape(at: &str, expected: &'static str, found: &Value) -> ReadError {
    let found = match found {
        Value::Null => "nothing".to_owned(),
        Value::Object(members) => {
            let names: Vec<_> = members.keys().take(5).map(|name| format!("`{name}`")).collect();
            format!(
                "an object with {}",
                if names.is_empty() { "no members".into() } else { names.join(", ") }
            )
        }
        Value::Array(_) => "a list".to_owned(),
        other => format!("`{}`", other.to_string().chars().take(40).collect::<String>()),
    };
    ReadError::Shape { at: if at.is_empty() { "/".into() } else { at.to_owned() }, expected, found }
}
