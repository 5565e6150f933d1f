//! Reads the files of accepted findings and finds out what they accept in a report.

use crate::config::{line_of, toml_failure};
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::select;
use crate::texts;
use checks::{Report, RevisionReport, Verdict};
use jiff::civil::Date;
use reports::{BaselineOutcome, Entry};
use serde::Deserialize;
use specs::Revision;
use std::path::{Path, PathBuf};
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accept: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    check: Spanned<String>,
    reason: Spanned<String>,
    until: Option<Spanned<String>>,
    revision: Option<Spanned<String>>,
}

/// An entry that was found valid.
#[derive(Debug)]
struct Accept {
    file: String,
    line: usize,
    check: String,
    reason: String,
    until: Option<Date>,
    revision: Option<Revision>,
}

/// The entries of all baselines of a run.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    files: Vec<String>,
    accepts: Vec<Accept>,
}

impl Baseline {
    /// Reads `paths`.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut baseline = Self::default();
        for path in paths {
            baseline.add(path)?;
        }
        Ok(baseline)
    }

    fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let file = path.display().to_string();
        let text = texts::read(path).map_err(|cause| {
            Failure::file(format!("failed to read baseline `{file}`"), cause, "check the path")
        })?;
        let rows: File = toml::from_str(&text).map_err(|error| toml_failure(&file, &text, &error))?;
        for row in rows.accept {
            self.accepts.push(accept(&file, &text, row)?);
        }
        self.files.push(file);
        Ok(())
    }

    /// Finds out what the entries accept in `report` on the day `today`.
    pub(crate) fn apply(&self, report: &Report, today: Date) -> BaselineOutcome {
        let mut outcome = BaselineOutcome { files: self.files.clone(), ..BaselineOutcome::default() };
        for (at, accept) in self.accepts.iter().enumerate() {
            if self.accepts[..at].iter().any(|before| before.says_more_than(accept, today)) {
                outcome.repeated.push(accept.entry(Vec::new()));
                continue;
            }
            let covered =
                report.revisions.iter().filter(|r| accept.revision.is_none_or(|only| only == r.revision));
            let verdicts: Vec<_> =
                covered.filter_map(|r| Some((r.revision, verdict(r, &accept.check)?))).collect();
            let with = |wanted: fn(&Verdict) -> bool| {
                verdicts
                    .iter()
                    .filter(|(_, verdict)| wanted(verdict))
                    .map(|(revision, _)| *revision)
                    .collect()
            };
            let broken: Vec<Revision> = with(|verdict| matches!(verdict, Verdict::Broken(_)));
            let passed: Vec<Revision> = with(|verdict| matches!(verdict, Verdict::Pass));
            let undecided = verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Unproven(_)));
            if accept.is_over(today) {
                outcome.expired.push(accept.entry(broken));
            } else if !broken.is_empty() {
                outcome.accepted.push(accept.entry(broken));
            } else if !passed.is_empty() && !undecided {
                outcome.stale.push(accept.entry(passed));
            }
        }
        outcome
    }
}

/// Today, in UTC so that every machine agrees.
pub(crate) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn verdict<'a>(revision: &'a RevisionReport, id: &str) -> Option<&'a Verdict> {
    revision.results.iter().find(|result| result.id == id).map(|result| &result.verdict)
}

impl Accept {
    fn is_over(&self, today: Date) -> bool {
        self.until.is_some_and(|last| last < today)
    }

    /// Tells whether `other` accepts nothing that this entry does not accept today.
    fn says_more_than(&self, other: &Self, today: Date) -> bool {
        let covers = self.revision.is_none() || self.revision == other.revision;
        self.check == other.check && covers && !self.is_over(today)
    }

    fn entry(&self, revisions: Vec<Revision>) -> Entry {
        Entry {
            file: self.file.clone(),
            line: self.line,
            check: self.check.clone(),
            reason: self.reason.clone(),
            until: self.until.map(|day| day.to_string()),
            revisions,
        }
    }
}

/// Checks what the format alone cannot: names, dates, and that a reason is one.
fn accept(file: &str, text: &str, row: Row) -> Result<Accept, Failure> {
    let wrong = |at: &Spanned<String>, key: &str, what: &str, hint: String| {
        let line = line_of(text, at.span().start);
        let value = at.get_ref();
        Failure::usage(format!("{file}, line {line}: {key} = \"{value}\": {what}"), hint)
    };
    if select::check(row.check.get_ref()).is_none() {
        let ids = select::rows().map(|(_, check)| check.id);
        let hint = did_you_mean(row.check.get_ref(), ids, "`mcpproof list` shows every check");
        return Err(wrong(&row.check, "check", "no such check", hint));
    }
    if row.reason.get_ref().trim().is_empty() {
        let hint = "say why the finding is accepted, for whoever reads this next year".to_owned();
        return Err(wrong(&row.reason, "reason", "is empty", hint));
    }
    let until = row.until.as_ref().map(|day| {
        day.get_ref().parse::<Date>().map_err(|_| wrong(day, "until", "no date", "write YYYY-MM-DD".into()))
    });
    let revision = row.revision.as_ref().map(|word| {
        let hint = || did_you_mean(word.get_ref(), Revision::ALL.map(Revision::as_str), "write YYYY-MM-DD");
        word.get_ref().parse::<Revision>().map_err(|_| wrong(word, "revision", "no such revision", hint()))
    });
    Ok(Accept {
        file: file.to_owned(),
        line: line_of(text, row.check.span().start),
        until: until.transpose()?,
        revision: revision.transpose()?,
        check: row.check.into_inner(),
        reason: row.reason.into_inner(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use checks::{CheckResult, Class, Finding, Ran, ServerFacts, Spoken};
    use jiff::civil::date;
    use specs::Revision::{V2025_06_18, V2025_11_25};
    use std::time::Duration;

    fn read(text: &str) -> Result<Baseline, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("accepted.toml");
        std::fs::write(&path, text).expect("a file");
        Baseline::read(&[path])
    }

    fn message(text: &str) -> String {
        let failure = read(text).expect_err("must fail");
        let error = failure.error.to_string();
        let short = error.split_once("accepted.toml, ").map_or(&*error, |(_, short)| short);
        format!("{short} / {}", failure.hint)
    }

    fn revision(revision: Revision, verdict: Verdict) -> RevisionReport {
        let result = CheckResult { id: "ping-answered", verdict, took: Duration::ZERO };
        let spoken = Spoken::Yes;
        RevisionReport {
            revision,
            spoken,
            starts: 1,
            results: vec![result],
            skipped: 0,
            took: Duration::ZERO,
        }
    }

    fn broken(revision: Revision) -> Verdict {
        Verdict::Broken(Box::new(Finding {
            id: "ping-answered",
            class: Class::Violation,
            requirement: "ping.responds",
            revision,
            expected: String::new(),
            seen: String::new(),
            sent: None,
            bytes: None,
            details: Vec::new(),
            profiles: Vec::new(),
            breaks: "",
            page: String::new(),
            rule: String::new(),
            records: None,
        }))
    }

    fn apply(text: &str, newer: Verdict, older: Verdict) -> BaselineOutcome {
        let report = Report {
            target: String::new(),
            transport: "stdio",
            server: ServerFacts::default(),
            revisions: vec![revision(V2025_11_25, newer), revision(V2025_06_18, older)],
            ran: Ran::Complete,
            took: Duration::ZERO,
        };
        read(text).expect("valid").apply(&report, date(2026, 7, 1))
    }

    const ENTRY: &str = "[[accept]]\ncheck = \"ping-answered\"\nreason = \"known\"\n";

    #[test]
    fn an_entry_accepts_the_findings_of_its_check() {
        let outcome = apply(ENTRY, broken(V2025_11_25), Verdict::Pass);
        assert_eq!(outcome.accepted[0].revisions, [V2025_11_25]);
        assert!(outcome.stale.is_empty());
    }

    #[test]
    fn an_entry_of_one_revision_leaves_the_others() {
        let text = format!("{ENTRY}revision = \"2025-06-18\"\n");
        let outcome = apply(&text, broken(V2025_11_25), broken(V2025_06_18));
        assert_eq!(outcome.accepted[0].revisions, [V2025_06_18]);
    }

    #[test]
    fn an_entry_whose_check_passes_is_stale_unless_some_of_it_is_undecided() {
        let outcome = apply(ENTRY, Verdict::Pass, Verdict::NotApplicable(String::new()));
        assert_eq!((outcome.stale.len(), outcome.stale[0].line), (1, 2));
        assert!(apply(ENTRY, Verdict::Pass, Verdict::Unproven(String::new())).stale.is_empty());
        let nothing = || Verdict::NotApplicable(String::new());
        assert!(apply(ENTRY, nothing(), nothing()).stale.is_empty());
    }

    #[test]
    fn an_entry_holds_through_its_last_day() {
        let until =
            |day: &str| apply(&format!("{ENTRY}until = \"{day}\"\n"), broken(V2025_11_25), Verdict::Pass);
        assert_eq!(until("2026-07-01").accepted.len(), 1);
        let over = until("2026-06-30");
        assert_eq!((over.accepted.len(), over.expired.len()), (0, 1));
    }

    #[test]
    fn an_entry_that_says_what_one_before_it_says_is_told_and_not_counted() {
        let repeated = |text: &str| {
            let outcome = apply(text, broken(V2025_11_25), broken(V2025_06_18));
            (outcome.accepted.len(), outcome.repeated.iter().map(|entry| entry.line).collect::<Vec<_>>())
        };
        let older = format!("{ENTRY}revision = \"2025-06-18\"\n");
        assert_eq!(repeated(&format!("{ENTRY}{ENTRY}")), (1, vec![5]));
        assert_eq!(repeated(&format!("{ENTRY}{older}")), (1, vec![5]));
        assert_eq!(repeated(&format!("{older}{ENTRY}")), (2, vec![]));
        assert_eq!(repeated(&format!("{ENTRY}until = \"2026-06-30\"\n{ENTRY}")), (1, vec![]));
    }

    #[test]
    fn mistakes_are_told_with_line_field_and_the_nearest_right_thing() {
        let bad_check = "\n[[accept]]\ncheck = \"ping-anwered\"\nreason = \"x\"\n";
        let expected = "line 3: check = \"ping-anwered\": no such check / did you mean `ping-answered`?";
        assert_eq!(message(bad_check), expected);
        assert!(message("[[accept]]\ncheck = \"ping-answered\"\n").contains("missing field `reason`"));
        assert!(message(&ENTRY.replace("known", " ")).contains("line 3: reason"));
        assert!(message(&format!("{ENTRY}until = \"soon\"\n")).contains("line 4: until = \"soon\": no date"));
        let bare = message(&format!("{ENTRY}until = 2027-06-30 # then\n"));
        assert_eq!(
            bare,
            "line 4: `until` is a text, and 2027-06-30 is none / put it in quotes: until = \"2027-06-30\""
        );
        let revision = message(&format!("{ENTRY}revision = \"2025-06-17\"\n"));
        assert!(revision.contains("did you mean `2025-06-18`?"), "{revision}");
        let unknown = message(&format!("{ENTRY}untl = \"2026-01-01\"\n"));
        assert!(
            unknown.starts_with("line 4: unknown field `untl`") && unknown.contains("mean `until`?"),
            "{unknown}"
        );
        assert!(message("[[acept]]\n").contains("did you mean `accept`?"));
        assert!(message("[[accept]\n").contains("line 1"));
    }
}
