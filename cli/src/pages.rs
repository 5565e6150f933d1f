//! The pages of the repository that are generated from the tables, so that tests can compare them.

use crate::args::Cli;
use crate::commands::list::revision_range;
use crate::select;
use checks::{AREAS, Check};
use clap::CommandFactory;
use specs::{Observable, Requirement, Role, requirements};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use surface::policy::Profile;
use surface::{Area, Mirror, Rule};

/// Writes all help texts, for `cli/HELP.md`.
pub fn help() -> String {
    let mut page = String::from("# Help\n\nGenerated from the program; `BLESS=1` rewrites it.\n");
    section(&mut page, &["mcpproof"]);
    for command in Cli::command().get_subcommands() {
        section(&mut page, &["mcpproof", command.get_name()]);
        for part in command.get_subcommands() {
            section(&mut page, &["mcpproof", command.get_name(), part.get_name()]);
        }
    }
    page
}

/// Adds what `--help` prints.
fn section(page: &mut String, words: &[&str]) {
    let asked = words.iter().copied().chain(["--help"]);
    let answer = Cli::command().term_width(100).try_get_matches_from(asked);
    let help = answer.expect_err("clap answers --help instead of going on").render().to_string();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    _ = write!(page, "\n## {}\n\n```text\n{}\n```\n", words.join(" "), lines.join("\n").trim_end());
}

/// Writes the tables of all checks, for the part of `checks/README.md` between its markers.
pub fn checks() -> String {
    let total: usize = AREAS.iter().map(|(_, table)| table.len()).sum();
    let mut page = format!("{total} checks in {} areas.\n", AREAS.len());
    for (area, table) in AREAS {
        _ = write!(
            page,
            "\n### {area}\n\n| check | class | revisions | rule | what breaks in practice |\n|---|---|---|---|---|\n"
        );
        for check in *table {
            let class = check.level.class();
            let revisions = revision_range(check);
            let breaks = check.explain.replace('|', "\\|");
            let rule = match check.requirement {
                "" => "none is broken".to_owned(),
                id => format!("`{id}`"),
            };
            _ = writeln!(page, "| `{}` | {class} | {revisions} | {rule} | {breaks} |", check.id);
        }
    }
    page
}

const RULES_HEAD: &str = "# Drift rules

What `mcpproof diff` and `mcpproof gate` can say of a change; generated from the tables, `BLESS=1` rewrites it.
`mcpproof explain RULE` says the same of one rule, `mcpproof list rules --json` of all.

The severity is what a rule says by default; a comparison may find it milder or worse and says why.
`breaking`: a call, a reader or a client that works today fails tomorrow, and where a schema says so there is a value that proves it.
`risky`: it could not be decided, or a model or a person reads it.
`compatible`: whoever works today works tomorrow.
`none`: nothing that anyone could notice.

The level is what each profile makes of that: `error` fails the gate, `warn`, `info` and `hidden` do not.
";

/// Writes every drift rule, for `surface/RULES.md`.
pub fn rules() -> String {
    let mut page = RULES_HEAD.to_owned();
    let rules: Vec<_> = surface::all_rules().collect();
    _ = writeln!(page, "\n{} rules.", rules.len());
    for rules in rules.chunk_by(|one, next| one.area == next.area) {
        let Some(first) = rules.first() else { continue };
        _ = write!(page, "\n## {}\n\n{}\n", first.area.word(), looks_at(first.area));
        rules.iter().for_each(|rule| rule_part(&mut page, rule));
    }
    page
}

fn looks_at(area: Area) -> &'static str {
    match area {
        Area::Items => "Tools, prompts, resources and templates as such.",
        Area::Input => "What a tool takes.",
        Area::Output => "What a tool returns.",
        Area::Text => "What a model or a person reads.",
        Area::Hints => "Hints, execution and metadata of an item.",
        Area::Session => "Capabilities, revisions and the name of the server.",
        Area::Gate => "The settings of the gate itself.",
    }
}

fn rule_part(page: &mut String, rule: &Rule) {
    let level =
        |profile: Profile| format!("{} {}", profile.word(), profile.level(rule, rule.severity).word());
    let levels = Profile::ALL.map(level).join(", ");
    let other = |mirror| match mirror {
        Mirror::Rule(id) => format!("`{id}`"),
        Mirror::Itself => "itself".to_owned(),
        Mirror::Waived(reason) => format!("none, since {reason}"),
    };
    let Rule { id, detects, explain, fix, .. } = rule;
    let audience = rule.audience.word();
    _ = write!(page, "\n### {id}\n\nDetects {detects}.\n{explain}\n\n");
    _ = writeln!(page, "- {}, for: {audience}; {levels}", rule.severity.word());
    _ = writeln!(page, "- fix: {fix}");
    _ = writeln!(page, "- reversed: {}", other(rule.mirror));
    if let Some(counterpart) = rule.counterpart {
        _ = writeln!(page, "- other side of the call: {}", other(counterpart));
    }
}

/// The checks of each requirement row.
fn covered() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut covered: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (_, check) in select::rows() {
        covered.entry(check.requirement).or_default().push(check.id);
    }
    covered
}

/// Tells whether a checker of servers could see the statement broken and may call that a violation.
fn is_demand_on_servers(row: &Requirement) -> bool {
    row.role != Role::Client && row.observable == Observable::Yes && row.level.is_absolute() && !row.derived
}

/// Writes which statements of the specification are checked, for `specs/COVERAGE.md`.
pub fn coverage() -> String {
    let covered = covered();
    let mut areas: BTreeMap<&str, Vec<&Requirement>> = BTreeMap::new();
    for row in requirements::all() {
        areas.entry(row.area()).or_default().push(row);
    }
    let mut page = String::from(
        "# Coverage\n\nWhich statements of the specification have a check; generated from the tables, `BLESS=1` rewrites it.\n\
         A demand is a MUST or MUST NOT that binds servers and shows on the wire.\n\n",
    );
    counts(&mut page, &areas, &covered);
    levels(&mut page, &covered);
    for (area, rows) in &areas {
        _ = write!(
            page,
            "\n## {area}\n\n| statement | level | binds | since | until | shows | checks |\n|---|---|---|---|---|---|---|\n"
        );
        rows.iter().for_each(|row| statement(&mut page, row, &covered));
    }
    page.push_str("\n## Without a statement\n\nNo rule is broken where these find something; they tell what is known to go wrong in practice.\n\n");
    for (_, check) in select::rows().filter(|(_, check)| check.requirement == Check::NO_RULE) {
        _ = writeln!(page, "- `{}`", check.id);
    }
    page
}

fn counts(
    page: &mut String,
    areas: &BTreeMap<&str, Vec<&Requirement>>,
    covered: &BTreeMap<&'static str, Vec<&'static str>>,
) {
    let sum = |rows: &[&Requirement], keep: fn(&Requirement) -> bool| {
        let kept = rows.iter().filter(|row| keep(row));
        let checked = kept.clone().filter(|row| covered.contains_key(row.id.as_str())).count();
        (kept.count(), checked)
    };
    page.push_str("| area | statements | checked | demands | checked |\n|---|--:|--:|--:|--:|\n");
    let all: Vec<_> = areas.values().flatten().copied().collect();
    for (area, rows) in areas.iter().map(|(area, rows)| (*area, rows)).chain([("**all**", &all)]) {
        let ((n, checked), (demands, met)) = (sum(rows, |_| true), sum(rows, is_demand_on_servers));
        _ = writeln!(page, "| {area} | {n} | {checked} | {demands} | {met} |");
    }
}

fn levels(page: &mut String, covered: &BTreeMap<&'static str, Vec<&'static str>>) {
    page.push_str("\n| level | statements | checked |\n|---|--:|--:|\n");
    for level in ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"] {
        let rows: Vec<_> = requirements::all().iter().filter(|row| row.level.to_string() == level).collect();
        let checked = rows.iter().filter(|row| covered.contains_key(row.id.as_str())).count();
        _ = writeln!(page, "| {level} | {} | {checked} |", rows.len());
    }
}

fn statement(page: &mut String, row: &Requirement, covered: &BTreeMap<&'static str, Vec<&'static str>>) {
    let binds = match row.role {
        Role::Server => "server",
        Role::Client => "client",
        Role::Both => "both",
    };
    let shows = match row.observable {
        Observable::Yes => "yes",
        Observable::Partly => "partly",
        Observable::No => "no",
    };
    let checks = covered
        .get(row.id.as_str())
        .map_or(String::new(), |ids| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "));
    let derived = if row.derived { " (derived)" } else { "" };
    let until = row.until.map_or(String::new(), |revision| revision.to_string());
    let Requirement { id, level, since, .. } = row;
    _ = writeln!(page, "| `{id}` | {level}{derived} | {binds} | {since} | {until} | {shows} | {checks} |");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_page_holds_every_subcommand_in_lines_that_fit() {
        let page = help();
        for name in ["check", "init", "lock", "diff", "gate", "accept", "explain", "list", "mock", "schema"] {
            assert!(page.contains(&format!("## mcpproof {name}\n")), "{name}");
        }
        for line in page.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }

    #[test]
    fn the_check_page_names_every_check_once() {
        let page = checks();
        for (_, check) in select::rows() {
            assert_eq!(page.matches(&format!("| `{}` |", check.id)).count(), 1, "{}", check.id);
        }
    }

    #[test]
    fn the_rule_page_tells_of_every_rule_once_and_links_only_to_rules() {
        let page = rules();
        for rule in surface::all_rules() {
            assert_eq!(page.matches(&format!("\n### {}\n", rule.id)).count(), 1, "{}", rule.id);
            for mirror in [Some(rule.mirror), rule.counterpart].into_iter().flatten() {
                if let Mirror::Rule(id) = mirror {
                    assert!(surface::rule(id).is_some(), "{} names `{id}`", rule.id);
                }
            }
        }
    }

    #[test]
    fn the_coverage_page_names_every_statement_and_every_check() {
        let page = coverage();
        assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), requirements::all().len());
        for (_, check) in select::rows() {
            assert!(page.contains(&format!("`{}`", check.id)), "{}", check.id);
        }
    }
}
