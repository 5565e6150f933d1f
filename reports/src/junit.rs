//! The report for the test views of CI servers: a suite per revision, a case per check.

use crate::{RenderContext, plain};
use checks::{CheckResult, Finding, Ran, Report, RevisionReport, Verdict};
use std::fmt::Write as _;
use std::time::Duration;

/// Renders `report` as JUnit XML.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    let (suites, counts) = suites(report, ctx);
    document(&suites, &counts, report.took)
}

/// Puts the frame of a document around `suites`.
pub(crate) fn document(suites: &str, counts: &Counts, took: Duration) -> String {
    let attributes = counts.attributes(took);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"mcpproof\"{attributes}>\n{suites}</testsuites>\n"
    )
}

/// The suites of `report` without the frame of a document.
pub(crate) fn suites(report: &Report, ctx: &RenderContext) -> (String, Counts) {
    let mut suites = String::new();
    let mut counts = Counts::default();
    for revision in report.revisions.iter().filter(|revision| !revision.results.is_empty()) {
        let (suite, of_suite) = suite(revision, report, ctx);
        suites.push_str(&suite);
        counts.add(&of_suite);
    }
    if let Some((suite, of_suite)) = trouble(report, ctx) {
        suites.push_str(&suite);
        counts.add(&of_suite);
    }
    (suites, counts)
}

/// What a suite sums up.
#[derive(Default)]
pub(crate) struct Counts {
    pub tests: usize,
    pub failures: usize,
    pub errors: usize,
    pub skipped: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }

    pub(crate) fn attributes(&self, took: Duration) -> String {
        let Self { tests, failures, errors, skipped } = self;
        let time = took.as_secs_f64();
        format!(
            r#" tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="{time:.3}""#
        )
    }
}

fn suite(revision: &RevisionReport, report: &Report, ctx: &RenderContext) -> (String, Counts) {
    let class = format!("{}.{}", report.target, revision.revision).replace(char::is_whitespace, "_");
    let mut counts = Counts { tests: revision.results.len(), ..Counts::default() };
    let mut cases = String::new();
    for result in &revision.results {
        let inner = case(result, ctx, &mut counts);
        let head = format!(
            r#"classname="{}" name="{}" time="{:.3}""#,
            xml(&class),
            result.id,
            result.took.as_secs_f64()
        );
        match inner {
            Some(inner) => _ = writeln!(cases, "    <testcase {head}>\n      {inner}\n    </testcase>"),
            None => _ = writeln!(cases, "    <testcase {head}/>"),
        }
    }
    let name = xml(&format!("{} {}", report.target, revision.revision));
    let attributes = counts.attributes(revision.took);
    (format!("  <testsuite name=\"{name}\"{attributes}>\n{cases}  </testsuite>\n"), counts)
}

/// What stands inside a case; nothing when it passed.
fn case(result: &CheckResult, ctx: &RenderContext, counts: &mut Counts) -> Option<String> {
    let mut skipped = |why: &str| {
        counts.skipped += 1;
        Some(format!(r#"<skipped message="{}"/>"#, xml(why)))
    };
    match &result.verdict {
        Verdict::Pass => None,
        Verdict::NotApplicable(why) => skipped(&format!("not applicable: {why}")),
        Verdict::Unproven(why) if ctx.deny_unproven => {
            counts.failures += 1;
            Some(format!(r#"<failure type="unproven" message="{}"/>"#, xml(why)))
        }
        Verdict::Unproven(why) => skipped(&format!("unproven: {why}")),
        Verdict::Broken(finding) => match ctx.baseline.accepts(finding) {
            Some(entry) => skipped(&format!("accepted by {}: {}", entry.file, entry.reason)),
            None if ctx.fails(finding) => {
                counts.failures += 1;
                let head = format!(r#"type="{}" message="{}""#, finding.class, xml(&finding.seen));
                Some(format!("<failure {head}>{}</failure>", body(finding, ctx)))
            }
            // Milder than what fails the run: a pass with words.
            None => Some(format!("<system-out>{}: {}</system-out>", finding.class, body(finding, ctx))),
        },
    }
}

fn body(finding: &Finding, ctx: &RenderContext) -> String {
    let mut lines = vec![format!("expected: {}", finding.expected), format!("seen: {}", finding.seen)];
    lines.extend(finding.bytes.as_ref().map(|bytes| format!("bytes: {}", bytes.text)));
    lines.extend(finding.sent.as_ref().map(|sent| format!("after: {sent}")));
    lines.extend(finding.details.iter().map(|detail| format!("detail: {detail}")));
    lines.push(format!("impact: {}", finding.breaks));
    lines.push(match finding.page.as_str() {
        "" => format!("rule: {}", finding.rule),
        page => format!("rule: {} ({page})", finding.rule),
    });
    lines.push(format!("reproduce: {}", ctx.reproduce(finding.id, finding.revision)));
    lines.iter().map(|line| xml(line)).collect::<Vec<_>>().join("\n")
}

/// What went wrong with the run itself, or with its baseline, as a suite of its own.
fn trouble(report: &Report, ctx: &RenderContext) -> Option<(String, Counts)> {
    let mut cases = String::new();
    let mut errors = 0;
    let mut error = |name: &str, message: &str, body: &str| {
        errors += 1;
        let message = xml(message);
        let body = body.lines().map(xml).collect::<Vec<_>>().join("\n");
        _ = writeln!(
            cases,
            "    <testcase classname=\"mcpproof\" name=\"{name}\">\n      <error message=\"{message}\">{body}</error>\n    </testcase>"
        );
    };
    match &report.ran {
        Ran::Dead(dead) => error("server-answers", &dead.what, &dead.stderr),
        Ran::CutShort(why) => error("run-complete", why, ""),
        Ran::Complete if report.revisions.iter().all(|revision| revision.results.is_empty()) => {
            error("revision-spoken", "the server speaks none of the revisions asked for", "");
        }
        Ran::Complete => {}
    }
    for entry in &ctx.baseline.stale {
        let message = format!("{}:{}: {} passes now; remove the entry", entry.file, entry.line, entry.check);
        error("baseline-stale", &message, "");
    }
    let counts = Counts { tests: errors, errors, ..Counts::default() };
    let attributes = counts.attributes(Duration::ZERO);
    (errors > 0).then(|| (format!("  <testsuite name=\"run\"{attributes}>\n{cases}  </testsuite>\n"), counts))
}

/// Escapes for text and attributes; XML 1.0 has no way to write most control characters, so they are spelled out.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("junit_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(xml("<a b='\"&\u{1}]]>"), "&lt;a b=&apos;&quot;&amp;\\x01]]&gt;");
    }
}
