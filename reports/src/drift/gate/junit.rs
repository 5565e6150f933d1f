//! The gate for the test views of CI servers: the suites of the parts, and one for each server that could not be judged.

use super::GateEntry;
use crate::drift::spell::clip;
use crate::junit::{Counts, document, suites, xml};
use std::time::Duration;

/// Renders the gate as JUnit XML.
pub(super) fn render(entries: &[GateEntry<'_>]) -> String {
    let mut out = String::new();
    let mut sum = Counts::default();
    let mut took = Duration::ZERO;
    for entry in entries {
        let mut add = |(text, counts): (String, Counts)| {
            out.push_str(&text);
            sum.add(&counts);
        };
        if let Some((report, ctx)) = entry.check {
            add(suites(report, ctx));
            took += report.took;
        }
        if let Some((judgement, ctx)) = entry.drift {
            add(crate::drift::junit::suite(judgement, ctx));
        }
        if let Some(error) = entry.error_words() {
            add(trouble(&entry.name, &error));
        }
    }
    document(&out, &sum, took)
}

fn trouble(name: &str, error: &str) -> (String, Counts) {
    let counts = Counts { tests: 1, errors: 1, ..Counts::default() };
    let attributes = counts.attributes(Duration::ZERO);
    let (name, error) = (xml(&clip(name, 60)), xml(&clip(error, 2_000)));
    let case = format!(
        "    <testcase classname=\"gate\" name=\"{name}\" time=\"0.000\">\n      <error message=\"{error}\"/>\n    </testcase>\n"
    );
    (format!("  <testsuite name=\"gate {name}\"{attributes}>\n{case}  </testsuite>\n"), counts)
}
