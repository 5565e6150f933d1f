//! Reads the files of accepted findings and finds out what they accept in a report.

use crate::config::{line_of, toml_failure};
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::select;
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
        let text = std::fs::read_to_string(path).map_err(|cause| {
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
        for accept in &self.accepts {
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
            if accept.until.is_some_and(|last| last < today) {
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
