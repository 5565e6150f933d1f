//! Compares the schemas of a tool, and applies the rules on text to what `schema` found written in them.

use super::findings::{Findings, called, member};
use super::texts::{self, Wording};
use super::{scan, swap};
use crate::model::Item;
use crate::rules::text::{INPUT_DESCRIPTION_CHANGED, OUTPUT_DESCRIPTION_CHANGED};
use crate::schema::{self, Role, Root, Side, TextPair};
use serde_json::Value;

/// Compares both schemas of a tool at `path`.
pub(super) fn compare(findings: &mut Findings<'_>, path: &str, before: &Item, after: &Item) {
    for (name, side) in [("inputSchema", Side::Input), ("outputSchema", Side::Output)] {
        let (old, new) = (member(&before.definition, name), member(&after.definition, name));
        if old == new {
            continue;
        }
        let path = format!("{path}/{name}");
        let root = if side == Side::Input { Root::Object } else { findings.results };
        let comparison = schema::compare_as(&path, side, root, old, new);
        let kept = comparison.changes.into_iter().map(|change| change.within(&mut findings.room));
        findings.changes.extend(kept);
        let rule = match side {
            Side::Input => &INPUT_DESCRIPTION_CHANGED,
            Side::Output => &OUTPUT_DESCRIPTION_CHANGED,
        };
        for pair in comparison.texts.iter().filter(|pair| pair.role == Role::Description) {
            if is_news(&path, old, new, pair) {
                describe(findings, rule, after, &path, pair);
            }
        }
        if side == Side::Input {
            swap::parameters(findings, &path, after, (old, new));
        }
        scan::scan_schema(findings, &path, old, new);
    }
}

/// Whether what is described is in both schemas; the text of what came or went goes with it.
fn is_news(path: &str, old: Option<&Value>, new: Option<&Value>, pair: &TextPair) -> bool {
    let described =
        pair.path.strip_prefix(path).and_then(|inside| inside.rsplit_once('/')).map(|(node, _)| node);
    let stands = |schema: Option<&Value>| match (schema, described) {
        (Some(schema), Some(node)) => reaches(schema, node),
        _ => false,
    };
    match (&pair.before, &pair.after) {
        (None, Some(_)) => stands(old),
        (Some(_), None) => stands(new),
        _ => true,
    }
}

/// Follows a JSON pointer, through references where a member is not there itself.
fn reaches(root: &Value, pointer: &str) -> bool {
    let mut node = root;
    'tokens: for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        for _ in 0..32 {
            let found = match node {
                Value::Object(members) => members.get(&token),
                Value::Array(items) => token.parse().ok().and_then(|idx: usize| items.get(idx)),
                _ => None,
            };
            if let Some(found) = found {
                node = found;
                continue 'tokens;
            }
            let Some(target) = node.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'))
            else {
                return false;
            };
            let Some(target) = root.pointer(target) else { return false };
            node = target;
        }
        return false;
    }
    true
}

fn describe(
    findings: &mut Findings<'_>,
    rule: &'static crate::Rule,
    tool: &Item,
    path: &str,
    pair: &TextPair,
) {
    // Behind a reference the path names the definition, which says nothing about the member.
    let node = pair.about.clone().unwrap_or_else(|| {
        let inside = pair.path.strip_prefix(path).unwrap_or(&pair.path);
        inside.trim_start_matches('/').trim_end_matches("/description").replace("properties/", "")
    });
    let what = match node.as_str() {
        "" => format!("the description of the schema of {}", called(tool)),
        node => format!("the description of {} in {}", super::findings::shown(node), called(tool)),
    };
    let known = findings.changes.len();
    texts::compare(
        findings,
        &pair.path,
        &Wording::of(what, rule),
        pair.before.as_deref(),
        pair.after.as_deref(),
    );
    // All text of the schema is looked at once, wherever it stands.
    findings.changes.truncate(known + 1);
}
