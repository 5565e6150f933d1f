//! The report for code scanning: SARIF 2.1.0 with one result per fault.

use crate::merge::{Fault, faults};
use crate::plain::plain_json;
use crate::{RenderContext, plain};
use checks::{Class, Ran, Report};
use serde_json::{Value, json};

/// Where the results point to. Scanners want a file; a server has none, but its entry in this one names it.
pub(crate) const FILE: &str = "mcpproof.toml";

/// Renders `report` as SARIF.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    document(&run(report, ctx))
}

/// The run of `report` without the frame of a document.
pub(crate) fn run(report: &Report, ctx: &RenderContext) -> Value {
    let faults = faults(report, |_| true);
    let mut rules: Vec<&Fault<'_>> = Vec::new();
    for fault in &faults {
        if !rules.iter().any(|rule| rule.finding.id == fault.finding.id) {
            rules.push(fault);
        }
    }
    let results: Vec<_> = faults
        .iter()
        .enumerate()
        .map(|(idx, fault)| {
            let nth = faults[..idx].iter().filter(|other| other.finding.id == fault.finding.id).count();
            result(fault, nth, &rules, report, ctx)
        })
        .collect();
    let rules = rules.iter().map(|fault| rule(fault)).collect();
    frame(&ctx.version, rules, vec![invocation(report, ctx)], results)
}

/// Makes a run of what it consists of.
pub(crate) fn frame(version: &str, rules: Vec<Value>, invocations: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "tool": { "driver": {
            "name": "mcpproof",
            "semanticVersion": version,
            "informationUri": "https://modelcontextprotocol.io/specification",
            "rules": rules,
        }},
        "invocations": invocations,
        "columnKind": "unicodeCodePoints",
        "results": results,
    })
}

/// Writes the document around one run.
pub(crate) fn document(run: &Value) -> String {
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    plain_json(&format!("{document:#}\n"))
}

/// SARIF knows three levels.
const fn level(class: Class) -> &'static str {
    match class {
        Class::Violation => "error",
        Class::Should | Class::Interop => "warning",
        Class::Note => "note",
    }
}

fn rule(fault: &Fault<'_>) -> Value {
    let finding = fault.finding;
    let (tags, page) = match finding.requirement {
        "" => (vec![finding.class.as_str()], Value::Null),
        id => (vec![finding.class.as_str(), id], finding.page.as_str().into()),
    };
    let mut rule = json!({
        "id": finding.id,
        "shortDescription": { "text": plain(&finding.rule) },
        "fullDescription": { "text": format!("{} {}", plain(&finding.rule), finding.breaks) },
        "helpUri": page,
        "help": { "text": format!("{}\n{}\nmcpproof explain {}", finding.breaks, finding.page, finding.id) },
        "defaultConfiguration": { "level": level(finding.class) },
        "properties": { "tags": tags },
    });
    if page.is_null() {
        // An empty address is none, and the format has no null.
        rule.as_object_mut().and_then(|rule| rule.remove("helpUri"));
    }
    rule
}

fn result(
    fault: &Fault<'_>,
    nth: usize,
    rules: &[&Fault<'_>],
    report: &Report,
    ctx: &RenderContext,
) -> Value {
    let finding = fault.finding;
    let seen = plain(&finding.seen);
    let expected = plain(&finding.expected);
    let revisions = fault.revision_list();
    let mut result = json!({
        "ruleId": finding.id,
        "ruleIndex": rules.iter().position(|rule| rule.finding.id == finding.id),
        "level": level(finding.class),
        "message": { "text": format!("{seen}; expected {expected} ({revisions})") },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": format!("{}{FILE}", ctx.folder) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "name": plain(&report.target), "kind": "resource" }],
        }],
        "partialFingerprints": { "mcpproofFault/v1": fingerprint(&[&report.target, finding.id, &nth.to_string()]) },
        "properties": {
            "revisions": fault.revisions.iter().map(|r| r.as_str()).collect::<Vec<_>>(),
            "requirement": finding.requirement,
            "bytes": finding.bytes,
            "sent": finding.sent,
            "details": finding.details,
            "profiles": finding.profiles,
            "reproduce": ctx.reproduce(finding.id, finding.revision),
        },
    });
    if let Some(entry) = ctx.baseline.accepts(finding) {
        result["suppressions"] = json!([{ "kind": "external", "justification": plain(&entry.reason) }]);
    }
    result
}

fn invocation(report: &Report, ctx: &RenderContext) -> Value {
    let why = match &report.ran {
        Ran::Complete => None,
        Ran::CutShort(why) => Some(format!("cut short: {}", plain(why))),
        Ran::Dead(dead) => Some(format!("could not run: {}", plain(&dead.what))),
    };
    let stale = ctx.baseline.stale.iter().map(|entry| {
        format!("stale entry at {}:{}: {} passes now", plain(&entry.file), entry.line, entry.check)
    });
    let notices: Vec<_> = why
        .iter()
        .cloned()
        .chain(stale)
        .map(|text| json!({ "level": "error", "message": { "text": text } }))
        .collect();
    json!({
        "executionSuccessful": why.is_none(),
        "exitCode": ctx.exit_code,
        "toolExecutionNotifications": notices,
    })
}

/// A stable name for a fault: 64-bit FNV-1a over its parts.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("sarif_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn every_result_has_its_rule_a_place_and_a_name_of_its_own() {
        let (report, ctx) = samples::flawed();
        let document: Value = serde_json::from_str(&render(&report, &ctx)).expect("is JSON");
        let run = &document["runs"][0];
        let results = run["results"].as_array().expect("a list");
        let mut names = std::collections::BTreeSet::new();
        for result in results {
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            let place = &result["locations"][0]["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string() && place["region"]["startLine"] == 1);
            assert!(names.insert(result["partialFingerprints"].to_string()));
        }
        assert_eq!(results.len(), 3);
    }
}
