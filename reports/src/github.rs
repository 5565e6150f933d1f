//! The report as annotations of GitHub Actions: one workflow command per fault.

use crate::merge::faults;
use crate::{RenderContext, plain};
use checks::{Class, Ran, Report};

/// Renders `report` as workflow commands.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    let mut out = String::new();
    let mut say = |command: &str, title: &str, message: &str| {
        out.push_str(&format!("::{command} title={}::{}\n", property(title), data(message)));
    };
    match &report.ran {
        Ran::Complete => {}
        Ran::CutShort(why) => say("error", "mcpproof: cut short", &plain(why)),
        Ran::Dead(dead) => {
            let tail: Vec<_> = dead.stderr.lines().rev().take(5).map(plain).collect();
            let stderr: Vec<_> = tail.into_iter().rev().collect();
            say("error", "mcpproof: could not run", &format!("{}\n{}", plain(&dead.what), stderr.join("\n")));
        }
    }
    for fault in faults(report, |finding| ctx.is_open(finding)) {
        let finding = fault.finding;
        let command = match (finding.class, ctx.fails(finding)) {
            (_, true) => "error",
            (Class::Note, _) => "notice",
            _ => "warning",
        };
        let title = format!("{} {}", finding.class, finding.id);
        let lines = [
            plain(&finding.seen),
            format!("expected: {}", plain(&finding.expected)),
            format!("in {} of {}", fault.revision_list(), plain(&report.target)),
            format!("impact: {}", finding.breaks),
            finding.page.clone(),
            ctx.reproduce(finding.id, finding.revision),
        ];
        let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        say(command, &title, &lines.join("\n"));
    }
    for entry in &ctx.baseline.stale {
        let message =
            format!("{} passes now; remove the entry at {}:{}", entry.check, plain(&entry.file), entry.line);
        say("error", "mcpproof: stale baseline", &message);
    }
    out
}

/// Escapes the message of a workflow command.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("github_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn words_of_a_server_start_no_command() {
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a: b, c"), "a%3A b%2C c");
        let (report, ctx) = samples::flawed();
        let commands = ["::error ", "::warning ", "::notice "];
        assert!(
            render(&report, &ctx)
                .lines()
                .all(|line| commands.iter().any(|command| line.starts_with(command)))
        );
    }
}
