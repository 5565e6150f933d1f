//! The report of drift for code scanning: SARIF 2.1.0 with one result per change, at the line of its item.

use super::context::{DriftContext, in_repository};
use super::spell::{clip, spell};
use super::witness::{Renames, told};
use crate::sarif::{FILE, document, frame};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use surface::policy::{Judged, Judgement};
use surface::{Level, Rule};

/// Renders `judgement` as SARIF.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    document(&run(judgement, ctx))
}

/// The run of `judgement` without the frame of a document.
pub(crate) fn run(judgement: &Judgement, ctx: &DriftContext) -> Value {
    let shown: Vec<_> = judgement.judged.iter().filter(|judged| judged.level > Level::Hidden).collect();
    let mut rules: Vec<&Rule> = Vec::new();
    let mut index = BTreeMap::new();
    for judged in &shown {
        let rule = judged.change.rule;
        index.entry(rule.id).or_insert_with(|| {
            rules.push(rule);
            rules.len() - 1
        });
    }
    let renames = Renames::of(judgement);
    let results =
        shown.iter().map(|judged| result(judged, index[judged.change.rule.id], &renames, ctx)).collect();
    let invocation = json!({
        "executionSuccessful": true,
        "exitCode": ctx.exit_code,
        "properties": { "verdict": judgement.verdict().word(), "profile": judgement.profile.word() },
    });
    frame(&ctx.version, rules.into_iter().map(rule).collect(), vec![invocation], results)
}

/// SARIF knows three levels.
const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info | Level::Hidden => "note",
    }
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.detects },
        "fullDescription": { "text": rule.explain },
        "help": { "text": format!("{}\nFix: {}\nmcpproof explain {}", rule.explain, rule.fix, rule.id) },
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "tags": [rule.area.word(), rule.direction.word(), rule.audience.word()] },
    })
}

fn result(judged: &Judged, rule: usize, renames: &Renames<'_>, ctx: &DriftContext) -> Value {
    let change = &judged.change;
    let (file, line) = ctx.place(judged).unwrap_or((FILE, 1));
    let told = told(change, renames);
    let proof =
        told.as_ref().map_or(String::new(), |it| format!(". {}: {}", it.sentence, clip(&it.text, 1_000)));
    let mut result = json!({
        "ruleId": change.rule.id,
        "ruleIndex": rule,
        "level": level(judged.level),
        "message": { "text": format!("{}: {}{proof}", clip(&change.path, 300), clip(&change.message, 1_000)) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&in_repository(&ctx.folder, file)) },
                "region": { "startLine": line },
            },
            "logicalLocations": [{ "fullyQualifiedName": spell(&change.path), "kind": "member" }],
        }],
        "partialFingerprints": { "mcpproofChange/v1": judged.fingerprint },
        "properties": {
            "severity": change.severity.word(),
            "for": change.rule.audience.word(),
            "fails": ctx.fails(judged),
            "revisions": change.revisions,
            "old": ctx.old.name,
            "new": ctx.new.name,
            "fix": change.rule.fix,
            "reproduce": ctx.reproduce,
        },
    });
    if let Some(reason) = &judged.accepted {
        result["suppressions"] = json!([{ "kind": "external", "justification": spell(reason) }]);
    }
    result
}

/// Writes the path of a file as a reference that a URI may be.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("drift_sarif_{name}"), render(&judgement, &ctx));
        }
    }

    #[test]
    fn every_result_has_its_rule_a_place_and_a_name_of_its_own() {
        let (judgement, ctx) = samples::hostile();
        let document: Value = serde_json::from_str(&render(&judgement, &ctx)).expect("is JSON");
        let run = &document["runs"][0];
        let mut names = std::collections::BTreeSet::new();
        for result in run["results"].as_array().expect("a list") {
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(rule["help"]["text"].as_str().is_some_and(|text| text.contains("Fix: ")));
            let place = &result["locations"][0]["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string() && place["region"]["startLine"].is_u64());
            assert!(names.insert(result["partialFingerprints"].to_string()));
        }
        let accepted = run["results"].as_array().expect("a list").iter();
        assert_eq!(accepted.filter(|result| result["suppressions"].is_array()).count(), 1);
    }

    #[test]
    fn a_path_is_a_valid_reference() {
        assert_eq!(uri("a b/mcp-surface.lock"), "a%20b/mcp-surface.lock");
        assert_eq!(uri("ä:%"), "%C3%A4%3A%25");
    }
}
