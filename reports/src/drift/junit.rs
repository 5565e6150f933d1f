//! The report of drift for the test views of CI servers: a case per item, with all that changed in it.

use super::context::{DriftContext, item_of};
use super::spell::{clip, spell};
use super::sums::{concern, headline, lead, revisions, sides};
use super::witness::{Renames, told};
use crate::junit::{Counts, document, xml};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;
use surface::Level;
use surface::policy::{Judged, Judgement};

/// Renders `judgement` as JUnit XML.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    let (suite, counts) = suite(judgement, ctx);
    document(&suite, &counts, Duration::ZERO)
}

/// The suite of `judgement` without the frame of a document. Items that did not change pass, where the lines of a lock tell of them.
pub(crate) fn suite(judgement: &Judgement, ctx: &DriftContext) -> (String, Counts) {
    let mut items: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    let locked = ctx.lines.iter().flat_map(|lines| lines.of.keys());
    for path in locked.filter(|path| item_of(path) == path.as_str()) {
        items.entry(path).or_default();
    }
    for judged in judgement.judged.iter().filter(|judged| judged.level > Level::Hidden) {
        items.entry(item_of(&judged.change.path)).or_default().push(judged);
    }
    if items.is_empty() {
        // A suite without a case counts as a run that went wrong in some views.
        items.insert("surface", Vec::new());
    }
    let mut counts = Counts { tests: items.len(), ..Counts::default() };
    let class = xml(&clip(&format!("drift.{}", ctx.new.name), 200)).replace(char::is_whitespace, "_");
    let renames = Renames::of(judgement);
    let mut cases = String::new();
    for (path, changes) in items {
        let head = format!(r#"classname="{class}" name="{}" time="0.000""#, xml(&clip(&name(path), 300)));
        let inner = case(&changes, &renames, ctx, &mut counts);
        if inner.is_empty() {
            _ = writeln!(cases, "    <testcase {head}/>");
        } else {
            _ = writeln!(cases, "    <testcase {head}>\n{inner}    </testcase>");
        }
    }
    // The name stays the same from run to run, so that views can compare.
    let title = xml(&clip(&format!("drift {}", ctx.new.name), 200));
    let words = xml(&format!("{} ({})", headline(judgement, ctx), sides(ctx)));
    let attributes = counts.attributes(Duration::ZERO);
    (
        format!(
            "  <testsuite name=\"{title}\"{attributes}>\n{cases}    <system-out>{words}</system-out>\n  </testsuite>\n"
        ),
        counts,
    )
}

/// The path of an item as people write it: `tools/search`, `resources/file:///a`.
fn name(path: &str) -> String {
    path.strip_prefix('/').map_or_else(|| path.to_owned(), |path| path.replace("~1", "/").replace("~0", "~"))
}

/// What stands inside a case: what fails, else what is accepted, and the rest as words.
fn case(changes: &[&Judged], renames: &Renames<'_>, ctx: &DriftContext, counts: &mut Counts) -> String {
    let mut out = String::new();
    let failing: Vec<_> = changes.iter().filter(|judged| ctx.fails(judged)).collect();
    let milder: Vec<_> =
        changes.iter().filter(|judged| judged.accepted.is_none() && !ctx.fails(judged)).collect();
    let accepted: Vec<_> = changes.iter().filter(|judged| judged.accepted.is_some()).collect();
    if let Some(first) = failing.first() {
        counts.failures += 1;
        let head = format!(
            r#"type="{}" message="{}""#,
            first.change.rule.id,
            xml(&clip(&first.change.message, 400))
        );
        let bodies: Vec<_> = failing.iter().map(|judged| body(judged, renames, ctx)).collect();
        _ = writeln!(out, "      <failure {head}>{}</failure>", bodies.join("\n\n"));
    } else if let (Some(first), true) = (accepted.first(), milder.is_empty()) {
        counts.skipped += 1;
        let reason = format!("accepted: {}", first.accepted.as_deref().unwrap_or_default());
        _ = writeln!(out, r#"      <skipped message="{}"/>"#, xml(&clip(&reason, 1_000)));
    }
    if !milder.is_empty() {
        let bodies: Vec<_> = milder.iter().map(|judged| body(judged, renames, ctx)).collect();
        _ = writeln!(out, "      <system-out>{}</system-out>", bodies.join("\n\n"));
    }
    out
}

fn body(judged: &Judged, renames: &Renames<'_>, ctx: &DriftContext) -> String {
    let change = &judged.change;
    let (label, text) = concern(judged);
    let mut lines = vec![
        format!("{} {}: {}", lead(judged), change.rule.id, clip(&change.message, 400)),
        format!("where: {}", spell(&change.path)),
        format!("{label}: {text}"),
    ];
    lines.extend(revisions(change, ctx).map(|revisions| format!("revisions: {revisions}")));
    if let Some(told) = told(change, renames) {
        lines.push(format!("{}: {}", told.sentence, clip(&told.text, 2_000)));
    }
    lines.push(format!("why: {}", change.rule.explain));
    lines.push(format!("fix: {}", change.rule.fix));
    lines.push(format!("fingerprint: {}", judged.fingerprint));
    lines.iter().map(|line| xml(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("drift_junit_{name}"), render(&judgement, &ctx));
        }
    }

    #[test]
    fn each_item_is_one_case_and_an_unchanged_one_passes() {
        let (judgement, ctx) = samples::hostile();
        let text = render(&judgement, &ctx);
        assert_eq!(text.matches(r#"name="tools/search""#).count(), 1);
        assert!(text.contains(r#"name="tools/unchanged" time="0.000"/>"#));
        let (judgement, ctx) = samples::same();
        assert!(render(&judgement, &ctx).contains(r#"tests="1" failures="0""#));
    }
}
