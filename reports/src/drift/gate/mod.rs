//! One report of a gate over several servers: what the checks say of each and what drifted, in every format.

mod github;
mod json;
mod junit;
mod markdown;
mod sarif;
mod text;

pub use json::SCHEMA;

use super::DriftContext;
use super::sums::verdict;
use crate::merge::faults;
use crate::{Detail, Format, RenderContext, words};
use checks::{Ran, Report};
use surface::Level;
use surface::policy::Judgement;

/// What the gate knows of one server.
#[derive(Clone, Debug)]
pub struct GateEntry<'a> {
    /// Its name in the settings.
    pub name: String,
    /// What the checks say, with the circumstances that judge it: the exit code, what fails, the baseline.
    pub check: Option<(&'a Report, &'a RenderContext)>,
    /// What drifted.
    pub drift: Option<(&'a Judgement, &'a DriftContext)>,
    /// Why something could not be found out: the lock is missing, the server does not start.
    pub error: Option<String>,
}

/// How a server fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing to say.
    Pass,
    /// Something to look at that fails no gate.
    Warn,
    /// It could not be judged.
    Error,
    /// Findings or drift that fail the gate.
    Fail,
}

impl Outcome {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Fail => "fail",
        }
    }

    /// What is said of so many servers.
    const fn phrase(self, n: usize) -> &'static str {
        match (self, n) {
            (Self::Pass, 1) => "passes",
            (Self::Pass, _) => "pass",
            (Self::Warn, 1) => "passes with warnings",
            (Self::Warn, _) => "pass with warnings",
            (Self::Error, _) => "could not be judged",
            (Self::Fail, 1) => "fails",
            (Self::Fail, _) => "fail",
        }
    }
}

impl GateEntry<'_> {
    /// Says how the server fared. What fails counts for more than what could not be found out, as with exit codes.
    pub fn outcome(&self) -> Outcome {
        let check = self.check.map_or(Outcome::Pass, |(report, ctx)| match ctx.exit_code {
            1 => Outcome::Fail,
            0 if faults(report, |finding| ctx.is_open(finding)).is_empty() => Outcome::Pass,
            0 => Outcome::Warn,
            _ => Outcome::Error,
        });
        let drift = self.drift.map_or(Outcome::Pass, |(judgement, ctx)| {
            if ctx.gate_fails(judgement) {
                Outcome::Fail
            } else if judgement.fails(Level::Warn) {
                Outcome::Warn
            } else {
                Outcome::Pass
            }
        });
        let nothing_known = self.check.is_none() && self.drift.is_none();
        let error = if self.error.is_some() || nothing_known { Outcome::Error } else { Outcome::Pass };
        check.max(drift).max(error)
    }

    /// Sums up what the checks say: `2 violations, 1 should`.
    fn check_words(&self) -> Option<String> {
        let (report, ctx) = self.check?;
        let open = faults(report, |finding| ctx.is_open(finding));
        let classes: Vec<_> = open.iter().map(|fault| fault.finding.class).collect();
        let counts = words::classes(&classes);
        let mut counts = if counts.is_empty() { "no findings".to_owned() } else { counts };
        let stale = ctx.baseline.stale.len();
        if stale > 0 {
            counts.push_str(&format!(", {stale} stale in a baseline"));
        }
        let unproven: usize = report.revisions.iter().map(|revision| revision.tally().unproven).sum();
        if ctx.deny_unproven && unproven > 0 {
            counts.push_str(&format!(", {unproven} unproven"));
        }
        Some(match &report.ran {
            Ran::Complete => counts,
            Ran::CutShort(why) => format!("{counts}; cut short: {why}"),
            Ran::Dead(dead) => format!("could not run: {}", dead.what),
        })
    }

    /// Sums up what drifted, and why it is worth a warning: `none: no change, 1 settings warning`.
    fn drift_words(&self) -> Option<String> {
        let (judgement, _) = self.drift?;
        Some(verdict(judgement))
    }

    /// Why it could not be judged, where nothing else says so.
    fn error_words(&self) -> Option<String> {
        let nothing_known = self.check.is_none() && self.drift.is_none();
        self.error.clone().or_else(|| nothing_known.then(|| "nothing was looked at".to_owned()))
    }
}

/// The circumstances of a rendering. Width, colour and detail hold for the texts of the parts as well.
#[derive(Clone, Debug)]
pub struct GateContext {
    /// Columns of text.
    pub width: usize,
    /// True when ANSI colours may be used.
    pub color: bool,
    /// How much to tell.
    pub detail: Detail,
    /// Version of the program.
    pub version: String,
    /// What the process will exit with.
    pub exit_code: u8,
    /// The command that shows the same again.
    pub reproduce: String,
}

/// Renders the gate as `format`; the result ends with a newline or is empty.
pub fn render(format: Format, entries: &[GateEntry<'_>], ctx: &GateContext) -> String {
    match format {
        Format::Text => text::render(entries, ctx),
        Format::Json => json::render(entries, ctx),
        Format::Junit => junit::render(entries),
        Format::Sarif => sarif::render(entries, ctx),
        Format::Github => github::render(entries),
        Format::Markdown => markdown::render(entries, ctx),
    }
}

/// Sums up the gate: `fails; 3 servers: 1 fails, 1 could not be judged, 1 passes`.
fn headline(entries: &[GateEntry<'_>]) -> String {
    let outcomes: Vec<_> = entries.iter().map(GateEntry::outcome).collect();
    let verdict = match outcomes.iter().max() {
        None => return "no servers, so nothing was judged".to_owned(),
        Some(Outcome::Fail) => "fails",
        Some(Outcome::Error) => "could not judge everything",
        Some(Outcome::Warn | Outcome::Pass) => "passes",
    };
    let counts =
        [Outcome::Fail, Outcome::Error, Outcome::Warn, Outcome::Pass].into_iter().filter_map(|outcome| {
            let n = outcomes.iter().filter(|other| **other == outcome).count();
            (n > 0).then(|| format!("{n} {}", outcome.phrase(n)))
        });
    let servers = words::plural(entries.len(), "server");
    format!("{verdict}; {servers}: {}", counts.collect::<Vec<_>>().join(", "))
}

/// The entries that ask for attention, worst first.
fn loud<'a, 'b>(entries: &'a [GateEntry<'b>]) -> Vec<&'a GateEntry<'b>> {
    let mut loud: Vec<_> = entries.iter().filter(|entry| entry.outcome() > Outcome::Pass).collect();
    loud.sort_by_cached_key(|entry| std::cmp::Reverse(entry.outcome()));
    loud
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{drift, samples};

    struct Parts {
        reports: Vec<(Report, RenderContext)>,
        drifts: Vec<(Judgement, DriftContext)>,
    }

    fn parts() -> Parts {
        Parts {
            reports: vec![samples::flawed(), samples::clean(), samples::dead()],
            drifts: vec![drift::samples::hostile(), drift::samples::same()],
        }
    }

    fn entries(parts: &Parts) -> Vec<GateEntry<'_>> {
        let check = |idx: usize| Some((&parts.reports[idx].0, &parts.reports[idx].1));
        let drift = |idx: usize| Some((&parts.drifts[idx].0, &parts.drifts[idx].1));
        let entry = |name: &str, check, drift| GateEntry { name: name.into(), check, drift, error: None };
        vec![
            entry("clean", check(1), drift(1)),
            GateEntry {
                error: Some("no lock at `x`\n::error::<b>@all\u{200b}".into()),
                ..entry("a|b @all", None, None)
            },
            entry("demo", check(0), drift(0)),
            entry("dead", check(2), None),
        ]
    }

    fn ctx() -> GateContext {
        GateContext {
            width: 80,
            color: false,
            detail: Detail::Normal,
            version: "0.1.0".into(),
            exit_code: 1,
            reproduce: "mcpproof gate".into(),
        }
    }

    #[test]
    fn a_gate_reads_as_the_snapshots_show() {
        let parts = parts();
        for format in Format::ALL {
            let text = render(format, &entries(&parts), &ctx()).replace(&"very ".repeat(100), "");
            insta::assert_snapshot!(format!("gate_{}", format.as_str()), text);
        }
    }

    #[test]
    fn what_fails_counts_for_more_than_what_could_not_be_judged() {
        let parts = parts();
        let entries = entries(&parts);
        let outcomes: Vec<_> = entries.iter().map(GateEntry::outcome).collect();
        assert_eq!(outcomes, [Outcome::Pass, Outcome::Error, Outcome::Fail, Outcome::Error]);
        let failing = GateEntry { error: Some("x".into()), ..entries[2].clone() };
        assert_eq!(failing.outcome(), Outcome::Fail);
        assert_eq!(headline(&entries), "fails; 4 servers: 1 fails, 2 could not be judged, 1 passes");
    }

    #[test]
    fn a_row_that_warns_says_why() {
        let (mut judgement, ctx) = drift::samples::hostile();
        judgement.judged.retain(|judged| judged.change.rule.area == surface::Area::Gate);
        let drift = Some((&judgement, &ctx));
        let entry = GateEntry { name: "a".into(), check: None, drift, error: None };
        assert_eq!(entry.outcome(), Outcome::Warn);
        assert_eq!(entry.drift_words().as_deref(), Some("none: no change, 1 settings warning"));
    }

    #[test]
    fn json_keeps_the_published_shape_and_those_of_its_parts() {
        let parts = parts();
        let document: serde_json::Value =
            serde_json::from_str(&render(Format::Json, &entries(&parts), &ctx())).expect("is JSON");
        let check = |schema: &str, value: &serde_json::Value| {
            let schema = serde_json::from_str(schema).expect("is JSON");
            let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
            let errors: Vec<_> =
                validator.iter_errors(value).map(|e| format!("{} {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        };
        check(SCHEMA, &document);
        check(drift::SCHEMA, &document["servers"][2]["drift"]);
        check(crate::SCHEMA, &document["servers"][2]["check"]);
        assert_eq!(document["verdict"], "fail");
    }

    #[test]
    fn merged_code_scanning_has_one_run_whose_results_find_their_rules() {
        let parts = parts();
        let text = render(Format::Sarif, &entries(&parts), &ctx());
        let document: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
        assert_eq!(document["runs"].as_array().map(Vec::len), Some(1));
        let run = &document["runs"][0];
        let results = run["results"].as_array().expect("a list");
        assert!(results.len() > 8);
        for result in results {
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
    }

    #[test]
    fn a_comment_over_many_servers_ends_in_time_and_tells_of_each() {
        let flood = drift::samples::flood(300);
        let entry = |idx: usize| GateEntry {
            name: format!("server-{idx}"),
            check: None,
            drift: Some((&flood.0, &flood.1)),
            error: None,
        };
        for n in [1, 12, 3_000] {
            let entries: Vec<_> = (0..n).map(entry).collect();
            let text = render(Format::Markdown, &entries, &ctx());
            assert!(text.chars().count() < 65_536, "{}", text.chars().count());
            assert!(text.contains("server-0"));
            assert!(text.contains("left out") || n == 1 && text.contains("- and 29"), "{n}");
        }
    }

    #[test]
    fn colour_and_detail_hold_for_the_parts() {
        let parts = parts();
        let entries = entries(&parts);
        let with = |color, detail| render(Format::Text, &entries, &GateContext { color, detail, ..ctx() });
        let colored = with(true, Detail::Normal);
        let drift = colored.split("demo: drift ----").nth(1).expect("the drift of demo is told");
        assert!(drift.contains("\x1b[1;31mERRORS"), "{drift}");
        assert!(with(false, Detail::Verbose).contains("ACCEPTED  1 change"));
        assert!(!with(false, Detail::Quiet).contains("----"));
    }

    #[test]
    fn words_from_outside_stay_harmless() {
        let parts = parts();
        for format in Format::ALL {
            let text = render(format, &entries(&parts), &ctx());
            assert!(!text.chars().any(|c| c != '\n' && crate::plain::is_hidden(c)), "{format:?}");
        }
        let text = render(Format::Github, &entries(&parts), &ctx());
        assert!(
            text.lines()
                .all(|line| ["::error ", "::warning ", "::notice "].iter().any(|it| line.starts_with(it)))
        );
    }
}
