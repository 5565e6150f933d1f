//! Reads all pages of a list, or says on which page it failed; a list that was cut short is never given.

use super::Client;
use super::error::ClientError;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use tokio::time::Instant;

/// Pages after which a list counts as endless.
const PAGE_LIMIT: usize = 1000;

/// Items after which it does.
const ITEM_LIMIT: usize = 200_000;

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The cursor it was asked with; the first page has none.
    pub cursor: Option<String>,
    /// The whole result.
    pub result: Json,
}

/// A walk through pages.
#[derive(Debug)]
struct Walk<'a> {
    method: &'a str,
    member: &'a str,
    pages: Vec<Page>,
    items: usize,
    followed: BTreeSet<String>,
}

impl Client {
    /// Reads the items of a list over all its pages: `tools/list` has them in `tools`.
    pub async fn list(
        &mut self,
        method: &str,
        member: &str,
        deadline: Instant,
    ) -> Result<Vec<Json>, ClientError> {
        let pages = self.pages(method, member, deadline).await?;
        let items = pages.into_iter().filter_map(|mut page| match page.result.get_mut(member)?.take() {
            Json::Array(items) => Some(items),
            _ => None,
        });
        Ok(items.flatten().collect())
    }

    /// Reads all pages of a list as the server sent them.
    pub async fn pages(
        &mut self,
        method: &str,
        member: &str,
        deadline: Instant,
    ) -> Result<Vec<Page>, ClientError> {
        let mut walk = Walk { method, member, pages: Vec::new(), items: 0, followed: BTreeSet::new() };
        let mut cursor = None;
        loop {
            let params = cursor.as_ref().map_or(json!({}), |cursor| json!({"cursor": cursor}));
            let by = deadline.min(self.soon());
            let answer = self.request(method, params, by).await.map(|result| result.to_json());
            let only_blank = !self.revision.is_stateless() && cursor.as_deref() == Some("");
            let next = match answer {
                // Many servers of these revisions say with an empty cursor that there is no more.
                Err(error) if only_blank && error.is_answer() => None,
                Ok(result) if only_blank && walk.has_seen(&result) => None,
                Ok(result) => {
                    walk.add(cursor.clone(), result).map_err(|cause| walk.failed(&cursor, cause))?
                }
                Err(error) => return Err(walk.failed(&cursor, error)),
            };
            let Some(next) = next else { break };
            cursor = Some(next);
        }
        let pages = walk.pages;
        self.learn_headers(method, &pages);
        Ok(pages)
    }
}

impl Walk<'_> {
    /// Adds a page and returns the cursor of the next one.
    fn add(&mut self, cursor: Option<String>, result: Json) -> Result<Option<String>, ClientError> {
        let misshapen = |what: String| ClientError::Misshapen { method: self.method.to_owned(), what };
        let Some(items) = result.get(self.member).and_then(Json::as_array) else {
            return Err(misshapen(format!("has no array `{}`", self.member)));
        };
        let next = match result.get("nextCursor") {
            None | Some(Json::Null) => None,
            Some(Json::String(next)) => Some(next.clone()),
            Some(other) => {
                let seen: String = other.to_string().chars().take(60).collect();
                return Err(misshapen(format!("has a `nextCursor` that is no string: {seen}")));
            }
        };
        self.items += items.len();
        self.pages.push(Page { cursor, result });
        if let Some(next) = &next {
            self.may_go_on(next)?;
        }
        Ok(next)
    }

    fn may_go_on(&mut self, next: &str) -> Result<(), ClientError> {
        let endless = |what: String| Err(ClientError::Endless { what });
        let shown: String = next.chars().take(60).collect();
        if !self.followed.insert(next.to_owned()) {
            return endless(format!("the cursor {} came a second time", Json::from(shown)));
        }
        if self.pages.len() >= PAGE_LIMIT {
            return endless(format!(
                "{PAGE_LIMIT} pages were read, and the cursor {} leads on",
                Json::from(shown)
            ));
        }
        if self.items > ITEM_LIMIT {
            return endless(format!(
                "{} items were read, and the cursor {} leads on",
                self.items,
                Json::from(shown)
            ));
        }
        Ok(())
    }

    fn has_seen(&self, result: &Json) -> bool {
        let items = result.get(self.member);
        let empty = items.and_then(Json::as_array).is_some_and(Vec::is_empty);
        empty || self.pages.iter().any(|page| page.result.get(self.member) == items)
    }

    fn failed(&self, cursor: &Option<String>, cause: ClientError) -> ClientError {
        // A page that was added is the one that failed; else it is the one after it.
        let added = self.pages.last().is_some_and(|page| page.cursor == *cursor);
        ClientError::List {
            method: self.method.to_owned(),
            page: self.pages.len() + usize::from(!added),
            cursor: cursor.clone(),
            items: self.items,
            cause: Box::new(cause),
        }
    }
}
