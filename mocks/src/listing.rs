//! Lists in pages behind opaque cursors.

use crate::call::Call;
use crate::problem::Problem;
use serde_json::{Value, json};

/// How many items stand on a page.
pub(crate) const PAGE: usize = 4;

/// The page of `items` that the cursor of `call` names, under `member`.
pub(crate) fn page(call: &Call, member: &str, items: &[Value]) -> Result<Value, Problem> {
    let start = match call.params.get("cursor") {
        None => 0,
        Some(cursor) => cursor
            .as_str()
            .and_then(|cursor| read(cursor, member))
            .filter(|start| *start < items.len())
            .ok_or_else(|| Problem::params("unknown cursor"))?,
    };
    let end = items.len().min(start + PAGE);
    let mut result = json!({member: items.get(start..end).unwrap_or_default()});
    if end < items.len() {
        result["nextCursor"] = json!(cursor(member, end));
    }
    Ok(result)
}

/// The cursor of the page that starts at `start`.
pub(crate) fn cursor(member: &str, start: usize) -> String {
    format!("{member}-{:x}", start * 7919)
}

/// Where the page of a cursor starts, if it is one of ours.
pub(crate) fn read(text: &str, member: &str) -> Option<usize> {
    let number = usize::from_str_radix(text.strip_prefix(member)?.strip_prefix('-')?, 16).ok()?;
    let start = number / 7919;
    (start > 0 && start % PAGE == 0 && cursor(member, start) == text).then_some(start)
}
