//! The report for programs. Its shape is promised by `report.schema.json`; add members, never change them.

use crate::RenderContext;
use crate::baseline::BaselineOutcome;
use crate::plain::plain_json;
use checks::{
    CheckResult, DeadServer, Finding, Ran, Report, RevisionReport, ServerFacts, Spoken, Tally, Verdict,
};
use serde::Serialize;
use std::time::Duration;

/// The JSON Schema of what [`render`] writes.
pub const SCHEMA: &str = include_str!("report.schema.json");

/// The name of the shape, for programs that read several versions.
const NAME: &str = "mcpproof-report-1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    tool: Tool<'a>,
    target: &'a str,
    transport: &'a str,
    server: Server<'a>,
    ran: Run<'a>,
    exit_code: u8,
    took_ms: u64,
    revisions: Vec<Row<'a>>,
    findings: Vec<Found<'a>>,
    baseline: &'a BaselineOutcome,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Server<'a> {
    name: Option<&'a str>,
    version: Option<&'a str>,
    tools: Option<usize>,
    capabilities: &'a [String],
    answered_after_ms: Option<u64>,
}

#[derive(Serialize)]
struct Run<'a> {
    status: &'static str,
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead: Option<Dead<'a>>,
}

#[derive(Serialize)]
struct Dead<'a> {
    sent: Option<&'a str>,
    stdout: Option<&'a str>,
    stderr: &'a str,
    hint: Option<&'a str>,
    starts: u32,
}

#[derive(Serialize)]
struct Row<'a> {
    revision: &'static str,
    spoken: &'static str,
    why: Option<&'a str>,
    verdict: &'static str,
    tally: Counts,
    starts: u32,
    took_ms: u64,
    checks: Vec<Check<'a>>,
}

#[derive(Serialize)]
struct Counts {
    passed: usize,
    broken: usize,
    not_applicable: usize,
    unproven: usize,
    skipped: usize,
}

#[derive(Serialize)]
struct Check<'a> {
    id: &'static str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    took_ms: u64,
}

#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    reproduce: String,
    baselined: bool,
}

/// Renders `report` as one JSON document.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    let found = |finding| Found {
        finding,
        reproduce: ctx.reproduce(finding.id, finding.revision),
        baselined: ctx.baseline.accepts(finding).is_some(),
    };
    let document = Document {
        schema: NAME,
        tool: Tool { name: "mcpproof", version: &ctx.version },
        target: &report.target,
        transport: report.transport,
        server: server(&report.server),
        ran: ran(&report.ran),
        exit_code: ctx.exit_code,
        took_ms: ms(report.took),
        revisions: report.revisions.iter().map(|revision| row(revision, ctx)).collect(),
        findings: report.findings().into_iter().map(found).collect(),
        baseline: &ctx.baseline,
    };
    let text = serde_json::to_string_pretty(&document).expect("the document has string keys only");
    plain_json(&text) + "\n"
}

fn server(facts: &ServerFacts) -> Server<'_> {
    Server {
        name: facts.name.as_deref(),
        version: facts.version.as_deref(),
        tools: facts.tools,
        capabilities: &facts.capabilities,
        answered_after_ms: facts.answered_after.map(ms),
    }
}

fn ran(ran: &Ran) -> Run<'_> {
    match ran {
        Ran::Complete => Run { status: "complete", why: None, dead: None },
        Ran::CutShort(why) => Run { status: "cut-short", why: Some(why), dead: None },
        Ran::Dead(dead) => Run { status: "dead", why: Some(&dead.what), dead: Some(remains(dead)) },
    }
}

fn remains(dead: &DeadServer) -> Dead<'_> {
    Dead {
        sent: dead.sent.as_deref(),
        stdout: dead.stdout.as_deref(),
        stderr: &dead.stderr,
        hint: dead.hint.as_deref(),
        starts: dead.starts,
    }
}

fn row<'a>(revision: &'a RevisionReport, ctx: &RenderContext) -> Row<'a> {
    let (spoken, why) = match &revision.spoken {
        Spoken::Yes => ("yes", None),
        Spoken::No(why) => ("no", Some(why.as_str())),
        Spoken::Unknown(why) => ("unknown", Some(why.as_str())),
    };
    Row {
        revision: revision.revision.as_str(),
        spoken,
        why,
        verdict: ctx.verdict(revision).word(),
        tally: counts(&revision.tally()),
        starts: revision.starts,
        took_ms: ms(revision.took),
        checks: revision.results.iter().map(check).collect(),
    }
}

fn counts(tally: &Tally) -> Counts {
    Counts {
        passed: tally.passed,
        broken: tally.broken,
        not_applicable: tally.not_applicable,
        unproven: tally.unproven,
        skipped: tally.skipped,
    }
}

fn check(result: &CheckResult) -> Check<'_> {
    let (verdict, why) = match &result.verdict {
        Verdict::Pass => ("pass", None),
        Verdict::Broken(_) => ("broken", None),
        Verdict::NotApplicable(why) => ("not-applicable", Some(why.as_str())),
        Verdict::Unproven(why) => ("unproven", Some(why.as_str())),
    };
    Check { id: result.id, verdict, why, took_ms: ms(result.took) }
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::Value;

    fn parse(text: &str) -> Value {
        serde_json::from_str(text).expect("is JSON")
    }

    #[test]
    fn every_sample_keeps_the_published_shape() {
        let schema = parse(SCHEMA);
        jsonschema::draft202012::meta::validate(&schema).expect("the schema is one");
        let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
        for (name, (report, ctx)) in samples::all() {
            let document = parse(&render(&report, &ctx));
            let errors: Vec<_> =
                validator.iter_errors(&document).map(|e| format!("{} {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{name}: {errors:#?}");
        }
    }

    #[test]
    fn the_shape_forbids_what_is_not_in_it() {
        let validator = jsonschema::validator_for(&parse(SCHEMA)).expect("the schema compiles");
        let (report, ctx) = samples::flawed();
        let mut document = parse(&render(&report, &ctx));
        document["findings"][0].as_object_mut().expect("an object").remove("seen");
        assert!(!validator.is_valid(&document));
    }

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("json_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn there_is_one_row_per_check_and_revision() {
        let (report, ctx) = samples::flawed();
        let document = parse(&render(&report, &ctx));
        let rows = document["findings"].as_array().expect("a list");
        let keys: std::collections::BTreeSet<_> =
            rows.iter().map(|row| (row["id"].to_string(), row["revision"].to_string())).collect();
        assert_eq!((rows.len(), keys.len()), (5, 5));
    }
}
