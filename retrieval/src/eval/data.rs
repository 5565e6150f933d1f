//! The data that search is judged on: a catalog, queries, and what each query should find, read from text. Reading files is the caller's.

use crate::entry::{Entry, Kind};
use serde_json::{Map, Value};
use std::collections::HashMap;
use thiserror::Error;

/// A line of the data that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: `{field}`: {problem}")]
pub struct DataError {
    /// The file as the caller calls it.
    pub file: String,
    /// The line, counted from 1; 0 means the file as a whole.
    pub line: usize,
    /// The field, or `line` when it is no JSON object at all.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

/// One file of the data: how it is called in errors, and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name or path.
    pub file: &'a str,
    /// JSON objects, one a line.
    pub text: &'a str,
}

/// A catalog and the queries that are asked of it.
#[derive(Clone, Debug)]
pub struct Set {
    /// How reports call it.
    pub name: String,
    /// What can be found. Unlike in a catalog, several may have one source and name.
    pub entries: Vec<Entry>,
    /// What is asked, in the order of the file.
    pub cases: Vec<Case>,
}

/// A query and what it should find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its id in the file.
    pub id: String,
    /// The request.
    pub text: String,
    /// For each thing that should be found, the places in `Set::entries` of all that count as it.
    /// Empty means that nothing in the catalog fits.
    pub gold: Vec<Vec<usize>>,
}

/// Reads a set from its two files, `catalog.jsonl` and `queries.jsonl`.
///
/// # Errors
/// Names file, line and field of the first thing that is missing, of another type, double or unknown.
pub fn read_set(name: &str, catalog: Source<'_>, queries: Source<'_>) -> Result<Set, DataError> {
    let mut places = HashMap::new();
    let mut entries = Vec::new();
    for row in rows(catalog) {
        let row = row?;
        let id = row.text("id")?;
        if places.insert(id.to_owned(), entries.len()).is_some() {
            return Err(row.wrong("id", format!("`{id}` stands on an earlier line too")));
        }
        entries.push(entry(&row)?);
    }
    let mut seen = HashMap::new();
    let mut cases = Vec::new();
    for row in rows(queries) {
        let row = row?;
        let case = case(&row, &places)?;
        if let Some(line) = seen.insert(case.id.clone(), row.line) {
            return Err(row.wrong("id", format!("`{}` stands on line {line} too", case.id)));
        }
        cases.push(case);
    }
    for (source, empty) in [(catalog, entries.is_empty()), (queries, cases.is_empty())] {
        if empty {
            let problem = "the file has no line with an object".to_owned();
            return Err(DataError {
                file: source.file.to_owned(),
                line: 0,
                field: "line".to_owned(),
                problem,
            });
        }
    }
    Ok(Set { name: name.to_owned(), entries, cases })
}

fn entry(row: &Row<'_>) -> Result<Entry, DataError> {
    Ok(Entry {
        source: row.text("server")?.to_owned(),
        kind: kind(row)?,
        name: row.text("name")?.to_owned(),
        title: row.optional_text("title")?.map(ToOwned::to_owned),
        description: row.optional_text("description")?.unwrap_or_default().to_owned(),
        input: row.fields.get("inputSchema").cloned().unwrap_or_default(),
        source_description: row.optional_text("server_description")?.unwrap_or_default().to_owned(),
    })
}

fn kind(row: &Row<'_>) -> Result<Kind, DataError> {
    let Some(name) = row.optional_text("kind")? else { return Ok(Kind::Tool) };
    let known = Kind::ALL.into_iter().find(|kind| kind.as_str() == name);
    known.ok_or_else(|| {
        row.wrong("kind", format!("`{name}` is no kind; tool, prompt, resource and template are"))
    })
}

fn case(row: &Row<'_>, places: &HashMap<String, usize>) -> Result<Case, DataError> {
    let ids = row.list("gold", row.fields.get("gold").unwrap_or(&Value::Null))?;
    let alternatives = match row.fields.get("alt") {
        None | Some(Value::Null) => &Map::new(),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(row.wrong("alt", "expected an object from gold ids to lists of ids")),
    };
    if let Some(stray) = alternatives.keys().find(|key| !ids.contains(&key.as_str())) {
        return Err(row.wrong("alt", format!("`{stray}` is not among the gold ids")));
    }
    let place = |field: &str, id: &str| {
        let known = places.get(id).copied();
        known.ok_or_else(|| row.wrong(field, format!("no line of the catalog has the id `{id}`")))
    };
    let mut gold = Vec::new();
    for id in ids {
        let mut fits = vec![place("gold", id)?];
        for other in alternatives.get(id).map_or_else(|| Ok(Vec::new()), |list| row.list("alt", list))? {
            fits.push(place("alt", other)?);
        }
        fits.sort_unstable();
        fits.dedup();
        gold.push(fits);
    }
    Ok(Case { id: row.text("id")?.to_owned(), text: row.text("text")?.to_owned(), gold })
}

/// One line, parsed, with what errors need to name it.
struct Row<'a> {
    file: &'a str,
    line: usize,
    fields: Map<String, Value>,
}

/// Reads each line that is not blank.
fn rows<'a>(source: Source<'a>) -> impl Iterator<Item = Result<Row<'a>, DataError>> {
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()).map(move |(at, text)| {
        let mut row = Row { file: source.file, line: at + 1, fields: Map::new() };
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => row.fields = fields,
            Ok(_) => return Err(row.wrong("line", "expected an object")),
            Err(error) => return Err(row.wrong("line", format!("not JSON: {error}"))),
        }
        Ok(row)
    })
}

impl Row<'_> {
    fn wrong(&self, field: &str, problem: impl Into<String>) -> DataError {
        DataError {
            file: self.file.to_owned(),
            line: self.line,
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    fn text(&self, field: &str) -> Result<&str, DataError> {
        self.optional_text(field)?.ok_or_else(|| self.wrong(field, "it is missing"))
    }

    fn optional_text(&self, field: &str) -> Result<Option<&str>, DataError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(field, "expected a string")),
        }
    }

    fn list<'v>(&self, field: &str, value: &'v Value) -> Result<Vec<&'v str>, DataError> {
        let texts = value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| self.wrong(field, "expected a list of ids"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CATALOG: &str = "\u{feff}{\"id\": \"a\", \"server\": \"s\", \"name\": \"one\"}\r\n\n{\"id\": \"b\", \"server\": \"s\", \"name\": \"one\", \"kind\": \"prompt\", \"description\": \"d\"}\n";

    fn read(catalog: &str, queries: &str) -> Result<Set, DataError> {
        read_set("x", Source { file: "c", text: catalog }, Source { file: "q", text: queries })
    }

    fn complaint(catalog: &str, queries: &str) -> String {
        read(catalog, queries).expect_err("it is wrong").to_string()
    }

    #[test]
    fn a_set_is_read_with_its_alternatives_and_queries_without_gold() {
        let queries = r#"{"id": "1", "text": "find", "gold": ["b"], "alt": {"b": ["a", "b"]}}
            {"id": "2", "text": "nothing", "gold": [], "category": "any"}"#;
        let set = read(CATALOG, queries).expect("it is right");
        assert_eq!((set.entries.len(), set.entries[1].kind), (2, Kind::Prompt));
        assert_eq!(set.cases[0].gold, vec![vec![0, 1]]);
        assert_eq!(set.cases[1].gold, Vec::<Vec<usize>>::new());
    }

    #[test]
    fn an_error_names_file_line_and_field() {
        let cases = [
            ("[]", "", "c:1: `line`: expected an object"),
            ("{\"id\": 1}", "", "c:1: `id`: expected a string"),
            ("\n{\"id\": \"a\", \"name\": \"n\"}", "", "c:2: `server`: it is missing"),
            (CATALOG, "", "q:0: `line`: the file has no line with an object"),
            (CATALOG, "{\"id\": \"1\", \"text\": \"t\"}", "q:1: `gold`: expected a list of ids"),
            (
                CATALOG,
                "{\"id\": \"1\", \"text\": \"t\", \"gold\": [\"z\"]}",
                "q:1: `gold`: no line of the catalog has the id `z`",
            ),
            (
                CATALOG,
                "{\"id\": \"1\", \"text\": \"t\", \"gold\": [\"a\"], \"alt\": {\"b\": []}}",
                "q:1: `alt`: `b` is not among the gold ids",
            ),
            (
                CATALOG,
                "{\"id\": \"1\", \"text\": \"t\", \"gold\": []}\n{\"id\": \"1\", \"text\": \"t\", \"gold\": []}",
                "q:2: `id`: `1` stands on line 1 too",
            ),
        ];
        for (catalog, queries, expected) in cases {
            assert_eq!(complaint(catalog, queries), expected);
        }
        assert!(complaint("{", "").starts_with("c:1: `line`: not JSON: "));
        assert!(
            complaint(&format!("{CATALOG}{{\"id\": \"a\"}}"), "")
                .ends_with("`a` stands on an earlier line too")
        );
    }
}
