//! The gate as annotations of GitHub Actions: those of the parts, and one for each server that could not be judged.

use super::GateEntry;
use crate::drift::spell::clip;
use crate::github::{data, property};

/// Renders the gate as workflow commands.
pub(super) fn render(entries: &[GateEntry<'_>]) -> String {
    let mut out = String::new();
    for entry in entries {
        if let Some(error) = entry.error_words() {
            let title = property(&format!("mcpproof gate: {}", clip(&entry.name, 60)));
            out.push_str(&format!("::error title={title}::{}\n", data(&clip(&error, 2_000))));
        }
        if let Some((report, ctx)) = entry.check {
            out.push_str(&crate::github::render(report, ctx));
        }
        if let Some((judgement, ctx)) = entry.drift {
            out.push_str(&crate::drift::github::render(judgement, ctx));
        }
    }
    out
}
