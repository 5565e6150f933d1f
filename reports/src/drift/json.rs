//! The report of drift for programs. Its shape is promised by `drift.schema.json`; add members, never change them.

use super::context::DriftContext;
use super::sums::Counts;
use super::{Bump, Side};
use crate::plain::plain_json;
use serde::Serialize;
use serde_json::Value;
use surface::Level;
use surface::policy::{Judged, Judgement};

/// The JSON Schema of what [`render`] writes.
pub const SCHEMA: &str = include_str!("drift.schema.json");

/// The name of the shape, for programs that read several versions.
const NAME: &str = "mcpproof-drift-1";

/// The document.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    schema: &'static str,
    tool: Tool<'a>,
    verdict: &'static str,
    profile: &'static str,
    fail_on: Option<&'static str>,
    fails: bool,
    exit_code: u8,
    old: Surface<'a>,
    new: Surface<'a>,
    counts: Counts,
    bump: Option<&'static str>,
    reproduce: &'a str,
    changes: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Surface<'a> {
    name: &'a str,
    revisions: &'a [String],
    tokens: Option<usize>,
}

#[derive(Serialize)]
struct Row<'a> {
    rule: &'static str,
    area: &'static str,
    direction: &'static str,
    r#for: &'static str,
    severity: &'static str,
    level: &'static str,
    fails: bool,
    path: &'a str,
    message: &'a str,
    before: Option<&'a Value>,
    after: Option<&'a Value>,
    witness: Option<Proof<'a>>,
    accepted: Option<&'a str>,
    fingerprint: &'a str,
    revisions: &'a [String],
    bump: &'static str,
    file: Option<&'a str>,
    line: Option<usize>,
    explain: &'static str,
    fix: &'static str,
}

#[derive(Serialize)]
struct Proof<'a> {
    instance: &'a Value,
    before: bool,
    after: bool,
}

/// Renders `judgement` as one JSON document.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    let document = document(judgement, ctx);
    let text = serde_json::to_string_pretty(&document).expect("the document has string keys only");
    plain_json(&text) + "\n"
}

/// The document, to be written or to be put into another.
pub(crate) fn document<'a>(judgement: &'a Judgement, ctx: &'a DriftContext) -> Document<'a> {
    Document {
        schema: NAME,
        tool: Tool { name: "mcpproof", version: &ctx.version },
        verdict: judgement.verdict().word(),
        profile: judgement.profile.word(),
        fail_on: ctx.fail_on.map(Level::word),
        fails: ctx.gate_fails(judgement),
        exit_code: ctx.exit_code,
        old: surface(&ctx.old),
        new: surface(&ctx.new),
        counts: Counts::of(judgement),
        bump: Bump::of_all(judgement).map(Bump::word),
        reproduce: &ctx.reproduce,
        changes: judgement.judged.iter().map(|judged| row(judged, ctx)).collect(),
    }
}

fn surface(side: &Side) -> Surface<'_> {
    Surface { name: &side.name, revisions: &side.revisions, tokens: side.tokens }
}

fn row<'a>(judged: &'a Judged, ctx: &'a DriftContext) -> Row<'a> {
    let change = &judged.change;
    let place = ctx.place(judged);
    let proof = change.witness.as_ref();
    Row {
        rule: change.rule.id,
        area: change.rule.area.word(),
        direction: change.rule.direction.word(),
        r#for: change.rule.audience.word(),
        severity: change.severity.word(),
        level: judged.level.word(),
        fails: ctx.fails(judged),
        path: &change.path,
        message: &change.message,
        before: change.before.as_ref(),
        after: change.after.as_ref(),
        witness: proof.map(|it| Proof { instance: &it.instance, before: it.before, after: it.after }),
        accepted: judged.accepted.as_deref(),
        fingerprint: &judged.fingerprint,
        revisions: &change.revisions,
        bump: Bump::of(change).word(),
        file: place.map(|(file, _)| file),
        line: place.map(|(_, line)| line),
        explain: change.rule.explain,
        fix: change.rule.fix,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    fn parse(text: &str) -> Value {
        serde_json::from_str(text).expect("is JSON")
    }

    #[test]
    fn every_sample_keeps_the_published_shape() {
        let schema = parse(SCHEMA);
        jsonschema::draft202012::meta::validate(&schema).expect("the schema is one");
        let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
        for (name, (judgement, ctx)) in samples::all() {
            let document = parse(&render(&judgement, &ctx));
            let errors: Vec<_> =
                validator.iter_errors(&document).map(|e| format!("{} {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{name}: {errors:#?}");
        }
    }

    #[test]
    fn the_shape_demands_each_member_it_describes() {
        let validator = jsonschema::validator_for(&parse(SCHEMA)).expect("the schema compiles");
        let (judgement, ctx) = samples::hostile();
        let document = parse(&render(&judgement, &ctx));
        for member in document["changes"][0].as_object().expect("an object").keys() {
            let mut broken = document.clone();
            broken["changes"][0].as_object_mut().expect("an object").remove(member);
            assert!(!validator.is_valid(&broken), "{member} may be missing");
        }
        for member in document.as_object().expect("an object").keys() {
            let mut broken = document.clone();
            broken.as_object_mut().expect("an object").remove(member);
            assert!(!validator.is_valid(&broken), "{member} may be missing");
        }
    }

    #[test]
    fn nothing_is_shortened_for_programs() {
        let (judgement, ctx) = samples::hostile();
        let document = parse(&render(&judgement, &ctx));
        for (row, judged) in document["changes"].as_array().expect("a list").iter().zip(&judgement.judged) {
            assert_eq!(row["before"], judged.change.before.clone().unwrap_or_default());
            assert_eq!(row["message"], judged.change.message);
        }
    }

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            // The long text is tested above.
            let text = render(&judgement, &ctx).replace(&"very ".repeat(100), "");
            insta::assert_snapshot!(format!("drift_json_{name}"), text);
        }
    }
}
