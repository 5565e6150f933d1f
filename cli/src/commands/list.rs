//! `mcpproof list`: shows the checks, the drift rules or the mocks, as a table or as JSON.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::{printer, select};
use checks::{AREAS, Check};
use clap::ValueEnum;
use serde_json::{Value, json};
use specs::Revision;

/// What `list` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mcpproof list\n  mcpproof list --area tools\n  mcpproof list rules\n  mcpproof list mocks\n  mcpproof list --json"
)]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(default_value = "checks")]
    pub what: What,
    /// Only the checks of this area
    #[arg(long, value_name = "AREA")]
    pub area: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Every check of the table
    Checks,
    /// Every drift rule, for `diff` and `gate`
    Rules,
    /// Every built-in server, for mock:NAME
    Mocks,
}

/// Runs the command.
pub(crate) fn run(args: &ListArgs) -> Result<ExitStatus, Failure> {
    if let Some(area) = &args.area
        && !AREAS.iter().any(|(name, _)| name == area)
    {
        let names: Vec<_> = AREAS.iter().map(|(name, _)| *name).collect();
        let hint = did_you_mean(area, names.iter().copied(), &format!("areas: {}", names.join(", ")));
        return Err(Failure::usage(format!("--area: no area is named `{area}`"), hint));
    }
    let rows = || select::rows().filter(|(area, _)| args.area.as_deref().is_none_or(|only| only == *area));
    let text = match (args.what, args.json) {
        (What::Checks, false) => check_table(rows()),
        (What::Checks, true) => pretty(&rows().map(|(area, check)| check_json(area, check)).collect()),
        (What::Rules, false) => rule_table(),
        (What::Rules, true) => pretty(&surface::all_rules().map(rule_json).collect()),
        (What::Mocks, false) => mock_table(),
        (What::Mocks, true) => {
            pretty(&mock_stories().map(|(name, does)| json!({"name": name, "does": does})).collect())
        }
    };
    printer::out(&text);
    Ok(ExitStatus::Clean)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Lists checks under their areas.
pub(crate) fn check_table(rows: impl Iterator<Item = (&'static str, &'static Check)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(_, check)| check.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut last = "";
    for (area, check) in &rows {
        if *area != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{area}\n"));
            last = area;
        }
        let class = check.level.class();
        text.push_str(&format!("  {:width$}  {class:9}  {}\n", check.id, revision_range(check)));
    }
    text.push_str(&format!("\n{} checks; `mcpproof explain ID` tells about one\n", rows.len()));
    text
}

/// Writes the revisions of a check as a range where they are one.
pub(crate) fn revision_range(check: &Check) -> String {
    let all: Vec<Revision> = check.revisions.iter().collect();
    match (all.first(), all.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(only), _) => only.to_string(),
        _ => "none".to_owned(),
    }
}

fn check_json(area: &str, check: &Check) -> Value {
    let revisions: Vec<_> = check.revisions.iter().map(Revision::as_str).collect();
    json!({
        "id": check.id,
        "area": area,
        "class": check.level.class().as_str(),
        "requirement": check.requirement,
        "revisions": revisions,
        "capability": check.needs.capability,
        "transport": check.needs.transport,
        "mock": format!("mock:{}", check.fault),
        "breaks": check.explain,
    })
}

fn rule_table() -> String {
    let rules: Vec<_> = surface::all_rules().collect();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut last = None;
    for rule in &rules {
        if last != Some(rule.area) {
            let gap = if last.is_some() { "\n" } else { "" };
            text.push_str(&format!("{gap}{}\n", rule.area.word()));
            last = Some(rule.area);
        }
        let (severity, level) = (rule.severity.word(), rule.level.word());
        text.push_str(&format!("  {:width$}  {severity:10}  {level:6}  {}\n", rule.id, rule.detects));
    }
    text.push_str(&format!("\n{} rules; `mcpproof explain RULE` tells about one\n", rules.len()));
    text
}

fn rule_json(rule: &surface::Rule) -> Value {
    json!({
        "id": rule.id,
        "area": rule.area.word(),
        "direction": rule.direction.word(),
        "action": rule.action.word(),
        "for": rule.audience.word(),
        "severity": rule.severity.word(),
        "level": rule.level.word(),
        "detects": rule.detects,
        "breaks": rule.explain,
        "fix": rule.fix,
    })
}

fn mock_stories() -> impl Iterator<Item = (&'static str, &'static str)> {
    mocks::names().filter_map(|name| Some((name, mocks::find(name)?.story)))
}

fn mock_table() -> String {
    let width = mock_stories().map(|(name, _)| name.len()).max().unwrap_or(0);
    mock_stories().map(|(name, does)| format!("{name:width$}  {does}\n")).collect()
}
