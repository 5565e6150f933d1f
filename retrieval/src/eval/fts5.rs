//! SQLite's full-text search alone, as a yardstick: what one gets without an own ranking. The catalog's own text index stands in `catalog/`.

use super::finder::{Finder, FinderError, Found};
use crate::entry::Entry;
use rusqlite::{Connection, params};

/// How many different terms of a query are asked for; SQLite has limits of its own.
const MOST_TERMS: usize = 500;

/// How the terms of a query are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// Each of them must be there.
    All,
    /// Any of them will do.
    Any,
}

/// Entries in an FTS5 table: name, source, description and parameters, cut into words by SQLite's own
/// `unicode61`, ranked by its `bm25` with weights for the four.
#[derive(Debug)]
pub struct Fts5(Connection);

impl Fts5 {
    /// Fills a table in memory.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn build(entries: &[Entry]) -> Result<Self, FinderError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE entries USING fts5(name, source, description, parameters)",
        )?;
        let filling = connection.transaction()?;
        {
            let sql = "INSERT INTO entries(rowid, name, source, description, parameters) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = filling.prepare(sql)?;
            for (at, entry) in entries.iter().enumerate() {
                let words = entry.parameters().into_iter().map(|it| format!("{} {}", it.name, it.text));
                let parameters = words.collect::<Vec<_>>().join(" ");
                insert.execute(params![
                    at as i64,
                    entry.name,
                    entry.source,
                    entry.description,
                    parameters
                ])?;
            }
        }
        filling.commit()?;
        Ok(Self(connection))
    }

    /// Finds by terms; `None` when the text has no term.
    pub(super) fn matches(
        &self,
        text: &str,
        join: Join,
        limit: usize,
    ) -> Result<Option<Vec<usize>>, FinderError> {
        let Some(expression) = expression(text, join) else { return Ok(None) };
        let sql = "SELECT rowid FROM entries WHERE entries MATCH ?1 \
                   ORDER BY bm25(entries, 3.0, 1.5, 1.0, 0.5), rowid LIMIT ?2";
        let mut select = self.0.prepare_cached(sql)?;
        let rows = select.query_map(params![expression, limit as i64], |row| row.get::<_, i64>(0))?;
        let places = rows.map(|row| row.map(|at| at as usize)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(places))
    }
}

/// Quotes each term, so that nothing in it is syntax, and joins them.
fn expression(text: &str, join: Join) -> Option<String> {
    let mut terms: Vec<String> = Vec::new();
    for term in text.split(|c: char| !c.is_alphanumeric()).filter(|term| !term.is_empty()) {
        let quoted = format!("\"{term}\"");
        if terms.len() < MOST_TERMS && !terms.contains(&quoted) {
            terms.push(quoted);
        }
    }
    let word = if join == Join::All { " AND " } else { " OR " };
    (!terms.is_empty()).then(|| terms.join(word))
}

impl Finder for Fts5 {
    fn find(&self, text: &str, limit: usize) -> Result<Found, FinderError> {
        Ok(Found::plain(self.matches(text, Join::Any, limit)?.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::entries;
    use super::*;

    #[test]
    fn the_syntax_of_fts5_in_a_query_is_text() {
        let fts = Fts5::build(&entries()).expect("SQLite is there");
        for text in ["name:read NOT (\"file\" *", "\"", "NEAR(read, 2)", "x\0y", "read AND", "-read ^file"] {
            let found = fts.find(text, 10).expect("no query fails");
            assert_eq!(found.abstain, !text.contains("read"), "{text}");
        }
        assert_eq!(fts.find("", 10).expect("no query fails"), Found { entries: vec![], abstain: true });
        let long = (0..5_000).map(|n| format!("w{n} read")).collect::<Vec<_>>().join(" ");
        assert_eq!(fts.find(&long, 10).expect("no query fails").entries, [0]);
    }

    #[test]
    fn any_term_will_do_and_the_name_weighs_most() {
        let fts = Fts5::build(&entries()).expect("SQLite is there");
        assert_eq!(fts.find("please read the weather", 10).expect("it works").entries[0], 1);
        assert_eq!(fts.matches("read weather", Join::All, 10).expect("it works"), Some(vec![]));
    }
}
