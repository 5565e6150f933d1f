//! Walks a paginated list to its end, or to the point where it turns out to have none.

use crate::check::Stop;
use crate::log::{Answer, Reply};
use crate::peer::Peer;
use crate::words;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use wire::Value;

/// Pages read before a list counts as endless.
const PAGE_LIMIT: usize = 200;

/// Listings by method.
pub(crate) type Listings = BTreeMap<&'static str, Arc<Listing>>;

/// How a walk through pages ended.
#[derive(Clone, Debug)]
pub enum ListEnd {
    /// With a page that has no `nextCursor`.
    Complete,
    /// A cursor came that had been followed before.
    Repeated(String),
    /// More pages than anybody reads.
    TooMany,
    /// A page was answered with an error.
    Refused(Box<Answer>),
    /// A page was not answered.
    Unanswered(Box<Reply>),
    /// The result has no array of items, or a cursor that is no string.
    Misshapen(String),
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The cursor it was asked with.
    pub cursor: Option<String>,
    /// The answer.
    pub answer: Answer,
    /// Names of its items, or their JSON where they have none.
    pub names: Vec<String>,
}

/// A whole list.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The method.
    pub method: &'static str,
    /// Its pages.
    pub pages: Vec<Page>,
    /// Its items over all pages, first occurrence of a repeated page only.
    pub items: Vec<Value>,
    /// How it ended.
    pub end: ListEnd,
}

impl Listing {
    /// Says in a few words why nothing could be listed.
    pub fn failure(&self) -> Option<String> {
        match &self.end {
            ListEnd::Refused(answer) => Some(answer.in_words()),
            ListEnd::Unanswered(_) => Some("no answer".into()),
            ListEnd::Misshapen(what) => Some(what.clone()),
            ListEnd::Complete | ListEnd::Repeated(_) | ListEnd::TooMany => None,
        }
    }

    /// Tool definitions with their names; nameless ones as `#3`.
    pub fn named(&self) -> impl Iterator<Item = (String, &Value)> {
        self.items.iter().enumerate().map(|(at, item)| (name_of(item, at), item))
    }
}

/// The member that holds the items of a list method.
pub(crate) fn items_member(method: &str) -> &'static str {
    match method {
        "tools/list" => "tools",
        "prompts/list" => "prompts",
        "resources/list" => "resources",
        _ => "resourceTemplates",
    }
}

fn name_of(item: &Value, at: usize) -> String {
    match item.get("name").and_then(Value::as_str) {
        Some(name) => name.to_owned(),
        None => format!("#{at}"),
    }
}

/// Follows `nextCursor` until it stays away, repeats, or somebody gives up.
pub(crate) async fn walk(peer: &mut Peer, method: &'static str) -> Result<Listing, Stop> {
    let mut listing = Listing { method, pages: Vec::new(), items: Vec::new(), end: ListEnd::TooMany };
    let mut cursor: Option<String> = None;
    while listing.pages.len() < PAGE_LIMIT {
        let params = cursor.as_ref().map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let answer = match peer.try_request(method, params).await? {
            Reply::Answered(answer) if !answer.is_error() => answer,
            Reply::Answered(answer) => return Ok(ended(listing, ListEnd::Refused(answer))),
            other => return Ok(ended(listing, ListEnd::Unanswered(Box::new(other)))),
        };
        let next = match add_page(&mut listing, cursor.take(), *answer) {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(ended(listing, ListEnd::Complete)),
            Err(what) => return Ok(ended(listing, ListEnd::Misshapen(what))),
        };
        if listing.pages.iter().any(|page| page.cursor.as_ref() == Some(&next)) {
            return Ok(ended(listing, ListEnd::Repeated(next)));
        }
        cursor = Some(next);
    }
    Ok(listing)
}

fn ended(mut listing: Listing, end: ListEnd) -> Listing {
    listing.end = end;
    listing
}

/// Adds a page and returns the cursor of the next one.
fn add_page(listing: &mut Listing, cursor: Option<String>, answer: Answer) -> Result<Option<String>, String> {
    let member = items_member(listing.method);
    let result = answer.result().cloned().unwrap_or(Value::Null);
    let items = result.get(member).and_then(Value::as_array).map(<[Value]>::to_vec);
    let names: Vec<_> = items.iter().flatten().enumerate().map(|(at, item)| name_of(item, at)).collect();
    let repeats = listing.pages.iter().any(|page| page.names == names && !names.is_empty());
    listing.pages.push(Page { cursor, answer, names });
    let Some(items) = items else {
        let seen = result.get(member).map_or("absent", Value::kind);
        return Err(format!("`{member}` is {seen} in {}", words::short(&result.to_string(), 80)));
    };
    if !repeats {
        listing.items.extend(items);
    }
    match result.get("nextCursor") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(next)) => Ok(Some(next.clone())),
        Some(other) => Err(format!("`nextCursor` is {}, not a string", other.kind())),
    }
}

/// The params of a request for the page after `cursor`.
pub(crate) fn page_params(cursor: &str) -> Json {
    json!({"cursor": cursor})
}
