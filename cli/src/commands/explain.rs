//! `mcpproof explain`: says what a check or a requirement demands, where the rule stands, and what proves it; and what a drift rule means.

use crate::commands::list::{check_table, revision_range};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::{examples, printer, select};
use checks::{AREAS, Check};
use specs::{Level, Observable, Requirement, Role, Transport, requirements};
use surface::policy::Profile;
use surface::{Area, Audience, Direction, Mirror, Rule};

/// What `explain` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mcpproof explain ping-answered\n  mcpproof explain ping.responds\n  mcpproof explain input-required-added\n  mcpproof explain ping"
)]
pub(crate) struct ExplainArgs {
    /// The check, the requirement or the drift rule, as reports name them, or an area of checks
    pub id: String,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitStatus, Failure> {
    let text = if let Some((area, check)) = select::check(&args.id) {
        text(area, check)
    } else if let Some(rule) = requirements::get(&args.id) {
        requirement_text(rule)
    } else if let Some(rule) = surface::rule(&args.id) {
        rule_text(rule)
    } else if AREAS.iter().any(|(area, _)| *area == args.id) {
        area_text(&args.id)
    } else {
        return Err(unknown(&args.id));
    };
    printer::out(&text);
    Ok(ExitStatus::Clean)
}

/// The checks of an area.
fn area_text(area: &str) -> String {
    let of_area = select::rows().filter(|(of, _)| *of == area);
    format!(
        "an area of checks; run just these with `mcpproof check --only {area}`\n\n{}",
        check_table(of_area)
    )
}

fn unknown(id: &str) -> Failure {
    let name = id.strip_prefix("mock:").unwrap_or(id);
    if mocks::find(name).is_some() {
        let hint = format!("`mcpproof check mock:{name}` shows what is found on it");
        return Failure::usage(
            format!("`{id}` is a built-in server, and no check, requirement or drift rule"),
            hint,
        );
    }
    // The last of equals is taken: what is half a name means a check.
    let requirements = requirements::all().iter().map(|rule| rule.id.as_str());
    let rules = surface::all_rules().map(|rule| rule.id);
    let areas = AREAS.iter().map(|(area, _)| *area);
    let ids = requirements.chain(rules).chain(areas).chain(select::rows().map(|(_, check)| check.id));
    let hint = did_you_mean(
        id,
        ids,
        "`mcpproof list` shows every check, and `mcpproof list rules` every drift rule",
    );
    Failure::usage(format!("no check, requirement or drift rule is named `{id}`"), hint)
}

/// All that is known of a check.
pub(crate) fn text(area: &str, check: &Check) -> String {
    let rule = requirements::get(check.requirement);
    let mut page = Page::titled(format!("{}  ({}, area {area})", check.id, check.level.class()));
    if let Some(rule) = rule {
        page.field("rule", &sentence(&rule.summary));
        page.field("", &format!("{}, {}{}", rule.level, rule.id, derived(rule)));
        page.field("probe", &sentence(&rule.probe));
    }
    page.field("needs", &needs(check));
    page.field("impact", check.explain);
    let url = |revision| rule.map_or(String::new(), |rule| format!("  {}", rule.url(revision)));
    page.rows("holds in", check.revisions.iter().map(|revision| format!("{revision}{}", url(revision))));
    page.rows("fails on", [format!("mcpproof check --only {} mock:{}", check.id, check.fault)]);
    page.text()
}

/// All that is known of a requirement, with the checks that prove it.
fn requirement_text(rule: &Requirement) -> String {
    let mut page = Page::titled(format!("{}  ({}, binds {})", rule.id, rule.level, bound(rule)));
    page.field("rule", &format!("{}{}", sentence(&rule.summary), derived(rule)));
    page.field("probe", &sentence(&rule.probe));
    let over = match rule.transport {
        Transport::Any => "every transport",
        Transport::Stdio => "stdio",
        Transport::Http => "Streamable HTTP",
        Transport::Sse => "HTTP+SSE",
    };
    page.field("over", over);
    let pages = rule.revisions().iter().map(|revision| format!("{revision}  {}", rule.url(revision)));
    page.rows("holds in", pages);
    let proving: Vec<_> = select::rows().filter(|(_, check)| check.requirement == rule.id).collect();
    if proving.is_empty() {
        page.field("proven by", unproven(rule));
    }
    let width = proving.iter().map(|(_, check)| check.id.len()).max().unwrap_or(0);
    let row = |(_, check): &(&str, &Check)| {
        format!("{:width$}  {:9}  {}", check.id, check.level.class(), revision_range(check))
    };
    page.rows("proven by", proving.iter().map(row));
    page.text()
}

/// All that is known of a drift rule.
fn rule_text(rule: &Rule) -> String {
    let (severity, area) = (rule.severity.word(), rule.area.word());
    let mut page = Page::titled(format!("{}  ({severity}, drift, area {area})", rule.id));
    page.field("detects", &sentence(rule.detects));
    page.field("touches", touched(rule.audience));
    page.field("impact", rule.explain);
    page.field("fix", &sentence(rule.fix));
    let level = |profile: Profile| (profile.word(), profile.level(rule, rule.severity).word());
    let levels = Profile::ALL.map(|profile| format!("{:10}{}", level(profile).0, level(profile).1));
    page.rows("profiles", levels);
    page.field("reversed", &other(rule.mirror));
    if let Some(counterpart) = rule.counterpart {
        page.field("other side", &other(counterpart));
    }
    if let Some(example) = examples::find(rule.id) {
        page.rows("example", [reports::plain(&example.path)]);
        page.field("", &reports::plain(&sentence(&example.message)));
        // The pair that stands for a rule is small, and so is what proves it.
        let proof = match rule.direction {
            Direction::Output => "new result",
            _ => "worked",
        };
        page.rows(proof, example.witness.map(|witness| reports::plain(&witness)));
    }
    if rule.area == Area::Gate {
        return page.text();
    }
    page.rows("settings", [format!("[rules] {} = \"{severity}\"  # or another severity, or off", rule.id)]);
    page.text()
}

fn touched(audience: Audience) -> &'static str {
    match audience {
        Audience::Caller => "Whoever calls the tool.",
        Audience::Consumer => "Whoever reads the results.",
        Audience::Model => "The model that chooses the tool and fills in its arguments.",
        Audience::User => "The person who approves calls.",
        Audience::Client => "The host program.",
        Audience::None => "Nobody outside.",
    }
}

fn other(mirror: Mirror) -> String {
    match mirror {
        Mirror::Rule(id) => id.to_owned(),
        Mirror::Itself => "the same rule".to_owned(),
        Mirror::Waived(reason) => format!("no rule: {reason}"),
    }
}

fn bound(rule: &Requirement) -> &'static str {
    match rule.role {
        Role::Server => "servers",
        Role::Client => "clients",
        Role::Both => "both sides",
    }
}

/// Why no check proves a requirement.
fn unproven(rule: &Requirement) -> &'static str {
    match (rule.role, rule.observable) {
        _ if rule.level == Level::May => "no check: what is allowed cannot be broken",
        (Role::Client, _) => "no check: it binds clients, and only servers are checked",
        (_, Observable::No) => "no check: nothing on the wire shows it",
        _ => "no check yet",
    }
}

/// A title, and labelled lines below it.
struct Page(Vec<String>);

impl Page {
    fn titled(title: String) -> Self {
        Self(vec![title, String::new()])
    }

    /// Adds prose, wrapped.
    fn field(&mut self, label: &str, text: &str) {
        self.rows(label, reports::wrap(text, 67));
    }

    /// Adds lines that stay whole.
    fn rows(&mut self, label: &str, rows: impl IntoIterator<Item = String>) {
        for (idx, row) in rows.into_iter().enumerate() {
            let label = if idx == 0 { label } else { "" };
            self.0.push(format!("  {label:11}{row}").trim_end().to_owned());
        }
    }

    fn text(self) -> String {
        self.0.join("\n") + "\n"
    }
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
