//! Catalogs as JSON lines: what `export` writes, and the format of retrieval data, in which every line is a tool. The database is elsewhere.

use super::{Source, Wish};
use crate::entry::{Entry, Kind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why a file of lines was not taken.
#[derive(Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LinesError {
    /// A line is no JSON.
    #[error("{file}, line {line}: {what}")]
    Syntax {
        /// How the file is called.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What the reader says.
        what: String,
    },
    /// A member of a line is missing or of another type.
    #[error("{file}, line {line}: `{field}` is {found}, expected {expected}")]
    Field {
        /// How the file is called.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The name of the member.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Two lines are about the same entry.
    #[error("{file}, lines {first} and {second}: both are the {kind} `{name}` of `{source_name}`")]
    Twice {
        /// How the file is called.
        file: String,
        /// The line that was there before.
        first: usize,
        /// The line that says it again.
        second: usize,
        /// The source of both.
        source_name: String,
        /// The kind of both.
        kind: Kind,
        /// The name of both.
        name: String,
    },
}

/// What is done about two lines of one source, kind and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twins {
    /// The file is refused.
    Refuse,
    /// The later ones are called `name#2`, `name#3`, and so on.
    Number,
}

/// What a file of lines holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// What can be found, sorted by source, kind and name.
    pub entries: Vec<Entry>,
    /// What a user said about it.
    pub wishes: Vec<Wish>,
    /// How many entries were numbered because another one has their name.
    pub numbered: usize,
}

impl Lines {
    /// Reads `text`, which the user calls `file`.
    ///
    /// # Errors
    /// When a line is no entry, or is about the entry of another line and `twins` refuses that.
    pub fn read(file: &str, text: &str, twins: Twins) -> Result<Self, LinesError> {
        let mut lines = Self::default();
        let mut seen = BTreeMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
            let place = Place { file, line: at + 1 };
            match row_of(place, row)? {
                Row::Wish(wish) => lines.wishes.push(wish),
                Row::Entry(entry) => {
                    let entry = lines.tell_apart(place, *entry, &mut seen, twins)?;
                    lines.entries.push(entry);
                }
            }
        }
        lines.entries.sort_by(|a, b| key(a).cmp(&key(b)));
        lines.describe();
        Ok(lines)
    }

    /// Writes a line for each entry and each wish.
    pub fn write(entries: &[Entry], wishes: &[Wish]) -> String {
        let line = |value: serde_json::Result<String>| value.expect("texts and JSON values are JSON") + "\n";
        let entries = entries.iter().map(|entry| line(serde_json::to_string(entry)));
        entries.chain(wishes.iter().map(|wish| line(serde_json::to_string(wish)))).collect()
    }

    /// The entries by source.
    pub fn sources(&self) -> Vec<Source<'_>> {
        let groups = self.entries.chunk_by(|one, next| one.source == next.source);
        groups
            .filter_map(|entries| {
                let first = entries.first()?;
                Some(Source { name: &first.source, description: &first.source_description, entries })
            })
            .collect()
    }

    /// Calls a source otherwise, and tells whether it was there.
    pub fn rename(&mut self, old: &str, new: &str) -> bool {
        let mut found = false;
        for entry in self.entries.iter_mut().filter(|entry| entry.source == old) {
            entry.source = new.to_owned();
            found = true;
        }
        for source in self.wishes.iter_mut().map(Wish::source_mut).filter(|source| *source == old) {
            *source = new.to_owned();
        }
        self.entries.sort_by(|a, b| key(a).cmp(&key(b)));
        found
    }

    fn tell_apart(
        &mut self,
        place: Place<'_>,
        mut entry: Entry,
        seen: &mut BTreeMap<(String, Kind, String), usize>,
        twins: Twins,
    ) -> Result<Entry, LinesError> {
        let plain = entry.name.clone();
        let mut number = 1;
        while let Some(first) = seen.get(&owned_key(&entry)) {
            if twins == Twins::Refuse {
                return Err(place.twice(*first, entry));
            }
            number += 1;
            entry.name = format!("{plain}#{number}");
        }
        self.numbered += usize::from(number > 1);
        seen.insert(owned_key(&entry), place.line);
        Ok(entry)
    }

    /// A source says one thing about itself: the first that any of its lines has.
    fn describe(&mut self) {
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| !entry.source_description.is_empty()) {
            said.entry(entry.source.clone()).or_insert_with(|| entry.source_description.clone());
        }
        for entry in &mut self.entries {
            entry.source_description = said.get(&entry.source).cloned().unwrap_or_default();
        }
    }
}

impl Wish {
    fn source_mut(&mut self) -> &mut String {
        match self {
            Self::Pin(subject) => &mut subject.source,
            Self::Alias { source, .. } | Self::Summary { source, .. } => source,
        }
    }
}

fn key(entry: &Entry) -> (&str, Kind, &str) {
    (&entry.source, entry.kind, &entry.name)
}

fn owned_key(entry: &Entry) -> (String, Kind, String) {
    (entry.source.clone(), entry.kind, entry.name.clone())
}

/// Finds names of one source and kind that differ in case or punctuation only; each group is sorted.
pub fn lookalikes(entries: &[Entry]) -> Vec<(String, Vec<String>)> {
    let mut groups: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for entry in entries {
        let bare: String = entry
            .name
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        if !bare.is_empty() {
            groups.entry((&entry.source, entry.kind, bare)).or_default().insert(entry.name.clone());
        }
    }
    let groups = groups.into_iter().filter(|(_, names)| names.len() > 1);
    groups.map(|((source, ..), names)| (source.clone(), names.into_iter().collect())).collect()
}

/// What a line is.
enum Row {
    Entry(Box<Entry>),
    Wish(Wish),
}

/// Where a line stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: usize,
}

impl Place<'_> {
    fn syntax(self, what: &str) -> LinesError {
        // The reader counts lines too, and its line is always the first.
        let what = what.split(" at line ").next().unwrap_or_default().to_owned();
        LinesError::Syntax { file: self.file.to_owned(), line: self.line, what }
    }

    fn field(self, field: &'static str, expected: &'static str, found: Option<&Value>) -> LinesError {
        let found = match found {
            None => "missing".to_owned(),
            Some(Value::Null) => "null".to_owned(),
            Some(Value::Array(_)) => "a list".to_owned(),
            Some(Value::Object(_)) => "an object".to_owned(),
            Some(other) => other.to_string().chars().take(40).collect(),
        };
        LinesError::Field { file: self.file.to_owned(), line: self.line, field, expected, found }
    }

    fn twice(self, first: usize, entry: Entry) -> LinesError {
        let Entry { source: source_name, kind, name, .. } = entry;
        LinesError::Twice { file: self.file.to_owned(), first, second: self.line, source_name, kind, name }
    }
}

fn row_of(place: Place<'_>, row: &str) -> Result<Row, LinesError> {
    let value: Value = serde_json::from_str(row).map_err(|error| place.syntax(&error.to_string()))?;
    let Value::Object(members) = value else { return Err(place.syntax("expected an object")) };
    if let [only] = members.keys().map(String::as_str).collect::<Vec<_>>()[..]
        && ["pin", "alias", "summary"].contains(&only)
    {
        let wish = serde_json::from_value(Value::Object(members));
        return wish.map(Row::Wish).map_err(|error| place.syntax(&error.to_string()));
    }
    entry_of(place, members).map(|entry| Row::Entry(Box::new(entry)))
}

/// A line of retrieval data names its `server`; its `source` is where the data came from and is not read.
fn entry_of(place: Place<'_>, mut members: Map<String, Value>) -> Result<Entry, LinesError> {
    let of_data = members.contains_key("server");
    let (source, input, about) = if of_data {
        ("server", "inputSchema", "server_description")
    } else {
        ("source", "input", "source_description")
    };
    let kind = kind_of(place, members.get("kind"))?;
    Ok(Entry {
        source: needed(place, source, &mut members)?,
        kind,
        name: needed(place, "name", &mut members)?,
        title: text(place, "title", &mut members)?,
        description: text(place, "description", &mut members)?.unwrap_or_default(),
        input: members.remove(input).unwrap_or_default(),
        source_description: text(place, about, &mut members)?.unwrap_or_default(),
    })
}

fn kind_of(place: Place<'_>, word: Option<&Value>) -> Result<Kind, LinesError> {
    let Some(word) = word else { return Ok(Kind::Tool) };
    let known = Kind::ALL.into_iter().find(|kind| word.as_str() == Some(kind.as_str()));
    known.ok_or_else(|| place.field("kind", "`tool`, `prompt`, `resource` or `template`", Some(word)))
}

fn needed(
    place: Place<'_>,
    field: &'static str,
    members: &mut Map<String, Value>,
) -> Result<String, LinesError> {
    match members.remove(field) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        other => Err(place.field(field, "a text", other.as_ref())),
    }
}

fn text(
    place: Place<'_>,
    field: &'static str,
    members: &mut Map<String, Value>,
) -> Result<Option<String>, LinesError> {
    match members.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        other => Err(place.field(field, "a text", other.as_ref())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Lines::read("c.jsonl", text, Twins::Refuse).expect_err("is refused").to_string()
    }

    #[test]
    fn lines_of_retrieval_data_and_of_an_export_are_read() {
        let text = "\u{feff}{\"id\": \"x\", \"server\": \"s\", \"name\": \"b\", \"description\": null, \"source\": \"live\", \"inputSchema\": {}}\r\n\n\
                    {\"source\": \"s\", \"kind\": \"prompt\", \"name\": \"a\", \"source_description\": \"Says.\", \"later\": 1}\n\
                    {\"pin\": {\"source\": \"s\", \"name\": \"b\"}}";
        let lines = Lines::read("c.jsonl", text, Twins::Refuse).expect("reads");
        let named: Vec<_> = lines.entries.iter().map(|entry| (entry.kind, entry.name.as_str())).collect();
        assert_eq!(named, [(Kind::Tool, "b"), (Kind::Prompt, "a")]);
        assert!(lines.entries.iter().all(|entry| entry.source == "s" && entry.source_description == "Says."));
        assert_eq!(lines.entries[0].input, serde_json::json!({}));
        assert_eq!(lines.wishes.len(), 1);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_field() {
        let good = "{\"server\":\"s\",\"name\":\"a\"}\n";
        let told = |line: &str| refused(&format!("{good}{line}"));
        assert_eq!(told("{\"server\":\"s\"}"), "c.jsonl, line 2: `name` is missing, expected a text");
        assert_eq!(told("{\"name\":\"b\"}"), "c.jsonl, line 2: `source` is missing, expected a text");
        assert_eq!(
            told("{\"server\":\"\",\"name\":\"b\"}"),
            "c.jsonl, line 2: `server` is \"\", expected a text"
        );
        let kind = told("{\"server\":\"s\",\"name\":\"b\",\"kind\":\"agent\"}");
        assert_eq!(
            kind,
            "c.jsonl, line 2: `kind` is \"agent\", expected `tool`, `prompt`, `resource` or `template`"
        );
        let description = told("{\"server\":\"s\",\"name\":\"b\",\"description\":[]}");
        assert_eq!(description, "c.jsonl, line 2: `description` is a list, expected a text");
        assert_eq!(told("[]"), "c.jsonl, line 2: expected an object");
        assert!(told("{\"server\":").starts_with("c.jsonl, line 2: EOF"));
        assert!(told("{\"pin\":{\"source\":1}}").starts_with("c.jsonl, line 2: invalid type"));
    }

    #[test]
    fn two_lines_of_one_name_are_refused_with_both_places_or_numbered() {
        let text = "{\"server\":\"s\",\"name\":\"a\",\"description\":\"1\"}\n".repeat(3);
        assert_eq!(refused(&text), "c.jsonl, lines 1 and 2: both are the tool `a` of `s`");
        let lines = Lines::read("c.jsonl", &text, Twins::Number).expect("reads");
        let names: Vec<_> = lines.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!((names, lines.numbered), (vec!["a", "a#2", "a#3"], 2));
    }

    #[test]
    fn a_source_is_renamed_with_all_that_was_said_about_it() {
        let text = "{\"server\":\"s\",\"name\":\"a\"}\n{\"pin\":{\"source\":\"s\",\"name\":\"a\"}}\n";
        let mut lines = Lines::read("c.jsonl", text, Twins::Refuse).expect("reads");
        assert_eq!((lines.rename("t", "u"), lines.rename("s", "t")), (false, true));
        assert!(!Lines::write(&lines.entries, &lines.wishes).contains("\"s\""));
        assert_eq!(lines.sources()[0].name, "t");
    }
}
