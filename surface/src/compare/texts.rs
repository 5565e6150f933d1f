//! Compares two texts by their words, and the size of two lists. What came with a text is looked at in `scan`.

use super::findings::Findings;
use super::scan::scan;
use crate::canonical::canonical;
use crate::change::{Change, Severity};
use crate::model::{Item, Kind};
use crate::rule::Rule;
use crate::rules::text::{TEXT_GREW, TEXT_WHITESPACE_CHANGED};
use crate::text::{excerpt, same_words, word_diff};
use serde_json::Value;

/// A text by what may happen to it.
pub(super) struct Wording {
    /// What it is called in a message, as ``the description of `search` ``.
    pub(super) what: String,
    pub(super) changed: &'static Rule,
    pub(super) added: &'static Rule,
    pub(super) removed: &'static Rule,
}

impl Wording {
    /// A text for which one rule tells everything.
    pub(super) fn of(what: String, rule: &'static Rule) -> Self {
        Self { what, changed: rule, added: rule, removed: rule }
    }
}

/// Compares two texts; what came with the new one is looked at as well.
pub(super) fn compare(
    findings: &mut Findings<'_>,
    path: &str,
    wording: &Wording,
    before: Option<&str>,
    after: Option<&str>,
) {
    if before == after {
        return;
    }
    let what = &wording.what;
    let (rule, message) = match (before, after) {
        (None, None) => return,
        (None, Some(after)) => (wording.added, format!("{what} is new: \"{}\"", excerpt(after, 120))),
        (Some(before), None) => (wording.removed, format!("{what} is gone: \"{}\"", excerpt(before, 120))),
        (Some(before), Some(after)) if same_words(before, after) => {
            (&TEXT_WHITESPACE_CHANGED, format!("the layout of {} changed, its words are the same", what))
        }
        (Some(before), Some(after)) => {
            (wording.changed, format!("{what} changed: \"{}\"", word_diff(before, after)))
        }
    };
    findings.add(
        Change::of(rule, path, message)
            .from_to(before.map(Value::from).as_ref(), after.map(Value::from).as_ref()),
    );
    if let Some(after) = after {
        scan(findings, path, before.unwrap_or_default(), after);
    }
}

/// Tells when a list with changes has become much longer. Four bytes count as a token, as an estimate.
pub(super) fn grew(findings: &mut Findings<'_>, kind: Kind, known: usize, lists: (&[Item], &[Item])) {
    // The same values in a longer spelling are no change.
    if findings.changes[known..].iter().all(|change| change.severity == Severity::None) {
        return;
    }
    let size = |items: &[Item]| items.iter().map(|item| canonical(&item.definition).len()).sum::<usize>();
    let (before, after) = (size(lists.0), size(lists.1));
    if after > before + 200 && after * 5 > before * 6 {
        let (before, after) = (before / 4, after / 4);
        let message = format!("the list costs about {after} tokens, where it cost {before}");
        let change = Change::of(&TEXT_GREW, format!("/{}", kind.member()), message);
        findings.add(change.from_to(Some(&Value::from(before)), Some(&Value::from(after))));
    }
}
