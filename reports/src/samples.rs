//! Hand-made reports for the tests of the renderers.

use crate::{BaselineOutcome, Entry, Invocation, RenderContext};
use checks::{
    CheckResult, Class, DeadServer, Excerpt, Finding, Profile, Ran, Report, RevisionReport, ServerFacts,
    Spoken, Verdict,
};
use specs::Revision::{self, V2024_11_05, V2025_06_18, V2025_11_25};
use std::time::Duration;

fn result(id: &'static str, verdict: Verdict) -> CheckResult {
    CheckResult { id, verdict, took: Duration::from_millis(12) }
}

fn revision(revision: Revision, results: Vec<CheckResult>) -> RevisionReport {
    let took = Duration::from_millis(2140);
    RevisionReport { revision, spoken: Spoken::Yes, starts: 4, results, skipped: 0, took }
}

fn not_spoken() -> RevisionReport {
    let spoken = Spoken::No("answered 2025-11-25 instead".into());
    RevisionReport { spoken, starts: 1, ..revision(V2024_11_05, Vec::new()) }
}

fn report(revisions: Vec<RevisionReport>, ran: Ran) -> Report {
    Report {
        target: "-- node 'my server.js'".into(),
        transport: "stdio",
        server: ServerFacts {
            name: Some("demo".into()),
            version: Some("1.4.2".into()),
            tools: Some(5),
            capabilities: vec!["logging".into(), "tools".into()],
            answered_after: Some(Duration::from_millis(310)),
        },
        revisions,
        ran,
        took: Duration::from_millis(4300),
    }
}

fn banner(revision: Revision) -> Finding {
    let text = "Server <ready> on stdio | %s `now` @all";
    Finding {
        id: "stdout-banner",
        class: Class::Violation,
        requirement: "stdio.stdout-only-mcp",
        revision,
        expected: "every line on stdout is one JSON-RPC message".into(),
        seen: "the first line on stdout is no JSON".into(),
        sent: None,
        bytes: Some(Excerpt { text: text.into(), length: text.len(), offset: Some(7) }),
        details: vec!["2 more lines like it, the last one after 1.2 s".into()],
        profiles: vec![],
        breaks: "Clients that parse each line log an error for each, and some close the connection.",
        page: format!("https://modelcontextprotocol.io/specification/{revision}/basic/transports"),
        rule: "A server writes nothing to stdout that is not a valid MCP message.".into(),
        records: Some((0, 3)),
    }
}

fn long_name(revision: Revision) -> Finding {
    Finding {
        id: "tool-name-long",
        class: Class::Interop,
        requirement: "tools.name-length",
        expected: "tool names of at most 64 characters".into(),
        seen: format!("`{}\u{1b}[31m\u{202e}` has 90 characters in {revision}", "search_everything_".repeat(5)),
        sent: Some(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"progressToken":"p-1"},"cursor":"page-2"}}"#.into()),
        bytes: Some(Excerpt { text: r#"…{"name":"search_everything_sear…"#.into(), length: 20_480, offset: None }),
        profiles: vec![Profile::Openai, Profile::ClaudeCode],
        details: vec!["/result/tools/4/name".into(), "keep names to [A-Za-z0-9_-]".into()],
        ..banner(revision)
    }
}

fn flawed_results(revision: Revision) -> Vec<CheckResult> {
    vec![
        result("stdout-banner", Verdict::Broken(Box::new(banner(revision)))),
        result("ping-answered", Verdict::Pass),
        result("tool-name-long", Verdict::Broken(Box::new(long_name(revision)))),
        result("cancel-stops", Verdict::Unproven("no tool ran long enough to be cancelled".into())),
        result("resources-listed", Verdict::NotApplicable("`resources` is not declared".into())),
    ]
}

/// Everything is well.
pub(crate) fn clean() -> (Report, RenderContext) {
    let results = || vec![result("ping-answered", Verdict::Pass), result("ping-empty", Verdict::Pass)];
    let revisions = vec![revision(V2025_11_25, results()), revision(V2025_06_18, results()), not_spoken()];
    (report(revisions, Ran::Complete), ctx(0))
}

/// Two faults in two revisions, one of them accepted there.
pub(crate) fn flawed() -> (Report, RenderContext) {
    let should = Finding { id: "tool-unknown-code", class: Class::Should, ..banner(V2025_06_18) };
    let mut older = flawed_results(V2025_06_18);
    older.push(result("tool-unknown-code", Verdict::Broken(Box::new(should))));
    let revisions =
        vec![revision(V2025_11_25, flawed_results(V2025_11_25)), revision(V2025_06_18, older), not_spoken()];
    let entry = Entry {
        file: "baseline.toml".into(),
        line: 3,
        check: "tool-unknown-code".into(),
        reason: "the SDK answers so; fixed upstream".into(),
        until: Some("2026-12-31".into()),
        revisions: vec![V2025_06_18],
    };
    let stale = Entry {
        check: "ping-answered".into(),
        line: 9,
        until: None,
        revisions: vec![V2025_11_25],
        ..entry.clone()
    };
    let expired =
        Entry { check: "tool-name-long".into(), line: 14, until: Some("2026-01-31".into()), ..stale.clone() };
    let repeated = Entry { line: 20, revisions: vec![], ..entry.clone() };
    let baseline = BaselineOutcome {
        files: vec!["baseline.toml".into()],
        accepted: vec![entry],
        stale: vec![stale],
        expired: vec![expired],
        repeated: vec![repeated],
    };
    (report(revisions, Ran::Complete), RenderContext { baseline, ..ctx(1) })
}

/// The server ended before it said anything of use.
pub(crate) fn dead() -> (Report, RenderContext) {
    let dead = DeadServer {
        what: "exited with code 1 before answering".into(),
        sent: Some(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.into()),
        stdout: Some("Booting…<LF>".into()),
        stderr: "Error: Cannot find module 'x'\n\tat require (node:internal:7)\n\x1b[31mred\x1b[0m\n".into(),
        hint: Some("install its dependencies, then try the command by hand".into()),
        starts: 2,
    };
    let report = Report { server: ServerFacts::default(), ..report(Vec::new(), Ran::Dead(dead)) };
    (report, ctx(3))
}

/// The deadline of the run came first.
pub(crate) fn cut_short() -> (Report, RenderContext) {
    let unknown = RevisionReport {
        spoken: Spoken::Unknown("the time of the run was over".into()),
        starts: 0,
        took: Duration::ZERO,
        ..revision(V2025_06_18, Vec::new())
    };
    let revisions = vec![revision(V2025_11_25, vec![result("ping-answered", Verdict::Pass)]), unknown];
    (report(revisions, Ran::CutShort("after 150 s, with 61 of 120 checks to go".into())), ctx(3))
}

/// Every sample with its name.
pub(crate) fn all() -> [(&'static str, (Report, RenderContext)); 4] {
    [("clean", clean()), ("flawed", flawed()), ("dead", dead()), ("cut_short", cut_short())]
}

fn ctx(exit_code: u8) -> RenderContext {
    RenderContext {
        invocation: Invocation {
            target: "-- node 'my server.js'".into(),
            limits: "--timeout 2s ".into(),
            choice: "--revision 2025-11-25,2025-06-18 ".into(),
            longer: 300,
            hidden: Vec::new(),
        },
        version: "0.1.0".into(),
        exit_code,
        ..RenderContext::default()
    }
}
