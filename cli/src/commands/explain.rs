//! `mcpproof explain`: says what a check demands and where the rule stands.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::{printer, select};
use checks::Check;
use specs::{Requirement, requirements};

/// What `explain` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  mcpproof explain ping-answered")]
pub(crate) struct ExplainArgs {
    /// The check, as reports name it
    pub id: String,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitStatus, Failure> {
    let Some((area, check)) = select::check(&args.id) else {
        let ids = select::rows().map(|(_, check)| check.id);
        let hint = did_you_mean(&args.id, ids, "`mcpproof list` shows every check");
        return Err(Failure::usage(format!("no check is named `{}`", args.id), hint));
    };
    printer::out(&text(area, check));
    Ok(ExitStatus::Clean)
}

/// All that is known of a check.
pub(crate) fn text(area: &str, check: &Check) -> String {
    let rule = requirements::get(check.requirement);
    let mut lines = vec![format!("{}  ({}, area {area})", check.id, check.level.class()), String::new()];
    let mut field = |label: &str, text: &str| {
        for (idx, line) in reports::wrap(text, 67).into_iter().enumerate() {
            lines.push(format!("  {:11}{line}", if idx == 0 { label } else { "" }).trim_end().to_owned());
        }
    };
    if let Some(rule) = rule {
        field("rule", &sentence(&rule.summary));
        field("", &format!("{}, {}{}", rule.level, rule.id, derived(rule)));
        field("probe", &sentence(&rule.probe));
    }
    field("needs", &needs(check));
    field("impact", check.explain);
    for (idx, revision) in check.revisions.iter().enumerate() {
        let url = rule.map_or(String::new(), |rule| format!("  {}", rule.url(revision)));
        lines.push(format!("  {:11}{revision}{url}", if idx == 0 { "holds in" } else { "" }));
    }
    lines.push(format!("  {:11}mcpproof check --only {} mock:{}", "fails on", check.id, check.fault));
    lines.join("\n") + "\n"
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{}", chars.as_str(), if text.ends_with('.') { "" } else { "." })
}

fn derived(rule: &Requirement) -> &'static str {
    if rule.derived { " (follows from the text without standing there)" } else { "" }
}

fn needs(check: &Check) -> String {
    match (check.needs.capability, check.needs.transport) {
        (None, None) => "nothing".to_owned(),
        (Some(capability), None) => format!("the `{capability}` capability"),
        (None, Some(transport)) => format!("the {transport} transport"),
        (Some(capability), Some(transport)) => format!("the `{capability}` capability over {transport}"),
    }
}
