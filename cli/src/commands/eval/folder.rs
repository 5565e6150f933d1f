//! Finds and reads the sets below a folder. What a line means stands in `retrieval::eval`.

use crate::failure::Failure;
use crate::texts;
use retrieval::eval::{Set, Source, read_set};
use std::fs;
use std::path::{Path, PathBuf};

const CATALOG: &str = "catalog.jsonl";
const QUERIES: &str = "queries.jsonl";
const HINT: &str = "a set is a folder with catalog.jsonl, {id, server, name, description, inputSchema?} a line, and queries.jsonl, {id, text, gold: [id], alt?: {id: [id]}} a line; --data is one or a folder of such";

/// Reads the set that `data` is, or those in it, by name.
pub(crate) fn read(data: &Path) -> Result<Vec<Set>, Failure> {
    folders(data)?.iter().map(|folder| read_one(folder)).collect()
}

fn folders(data: &Path) -> Result<Vec<PathBuf>, Failure> {
    if data.join(CATALOG).is_file() {
        return Ok(vec![data.to_owned()]);
    }
    let unreadable = |cause| Failure::file(format!("cannot read {}", data.display()), cause, HINT);
    let mut found = Vec::new();
    for item in fs::read_dir(data).map_err(unreadable)? {
        let path = item.map_err(unreadable)?.path();
        if path.join(CATALOG).is_file() {
            found.push(path);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Failure::usage(format!("no set is in {}", data.display()), HINT));
    }
    Ok(found)
}

fn read_one(folder: &Path) -> Result<Set, Failure> {
    let text = |path: &Path| {
        let unreadable = |cause| Failure::file(format!("cannot read {}", path.display()), cause, HINT);
        texts::read(path).map_err(unreadable)
    };
    let (catalog, queries) = (folder.join(CATALOG), folder.join(QUERIES));
    let (catalog_text, queries_text) = (text(&catalog)?, text(&queries)?);
    let (catalog, queries) = (catalog.display().to_string(), queries.display().to_string());
    // The folder may be called `.`; its name is that of where it stands then.
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().map_or_else(|| "set".into(), |name| name.to_string_lossy());
    let catalog = Source { file: &catalog, text: &catalog_text };
    let queries = Source { file: &queries, text: &queries_text };
    read_set(&name, catalog, queries).map_err(|error| Failure::usage(error.to_string(), HINT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, queries: &str) {
        fs::create_dir_all(folder).expect("a folder");
        fs::write(folder.join(CATALOG), r#"{"id": "a", "server": "s", "name": "one"}"#).expect("a file");
        fs::write(folder.join(QUERIES), queries).expect("a file");
    }

    #[test]
    fn a_folder_is_a_set_or_holds_sets_which_come_by_name() {
        let data = tempfile::tempdir().expect("a folder");
        let query = r#"{"id": "1", "text": "t", "gold": ["a"]}"#;
        for name in ["two", "one"] {
            write(&data.path().join(name), query);
        }
        fs::create_dir(data.path().join("notes")).expect("a folder");
        let names = |data: &Path| {
            let sets = read(data).expect("they are right");
            sets.into_iter().map(|set| set.name).collect::<Vec<_>>()
        };
        assert_eq!(names(data.path()), ["one", "two"]);
        assert_eq!(names(&data.path().join("two")), ["two"]);
    }

    #[test]
    fn what_is_no_set_is_told_with_the_place() {
        let data = tempfile::tempdir().expect("a folder");
        let error = |data: &Path| read(data).expect_err("it is wrong").error.to_string();
        assert!(error(data.path()).starts_with("no set is in "));
        assert!(error(&data.path().join("none")).starts_with("cannot read "));
        write(data.path(), r#"{"id": "1", "text": "t"}"#);
        assert!(error(data.path()).ends_with("queries.jsonl:1: `gold`: expected a list of ids"));
    }
}
