//! The public cases: small servers made from bug reports, each with its verdict and a correct twin. They are read from
//! the folder MCPPROOF_CASES_DIR, or from ../shared/cases beside the repository, and skipped where there is none.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::mcpproof;

/// Checks that run side by side in each half.
const WORKERS: usize = 2;

fn cases_folder() -> Option<PathBuf> {
    let given = std::env::var_os("MCPPROOF_CASES_DIR").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    given.or(Some(beside)).filter(|folder| folder.is_dir())
}

/// The option that makes a finding of the verdict's class fail the run.
fn fail_on(verdict: &str) -> &'static str {
    match verdict {
        "should" => "should",
        "interop" => "interop",
        _ => "must",
    }
}

/// Runs one script of a case; returns a line when the exit code is not the wanted one.
fn judge(case: &Path, script: &str, fail_on: &str, wanted: i32) -> Option<String> {
    let arguments = ["check", "--fail-on", fail_on, "--format", "json", "--", "python3", script];
    let ran = mcpproof(&arguments, case);
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (ran.code != wanted)
        .then(|| format!("{name}/{script}: wanted {wanted}, got {}: {:?}", ran.code, ran.ids()))
}

/// Judges one case and its twin; `None` when it is of another kind.
fn judge_case(case: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(case.join("expected.json")).ok()?;
    let expected: Value = serde_json::from_str(&text).expect("expected.json is JSON");
    if expected["kind"] != "stdio" {
        return None;
    }
    let verdict = expected["verdict"].as_str().unwrap_or_default();
    let wanted = i32::from(!matches!(verdict, "ok" | "ambiguous"));
    let mut wrong: Vec<_> = judge(case, "server.py", fail_on(verdict), wanted).into_iter().collect();
    if case.join("control.py").exists() {
        wrong.extend(judge(case, "control.py", "must", 0));
    }
    Some(wrong)
}

#[expect(clippy::print_stderr, reason = "a skip is printed, never silent")]
fn wrong_verdicts(share: usize, shares: usize) -> Vec<String> {
    let Some(folder) = cases_folder() else {
        eprintln!("skip: no folder of public cases (MCPPROOF_CASES_DIR)");
        return Vec::new();
    };
    let mut cases: Vec<_> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    cases.sort();
    let mine: Vec<_> =
        cases.iter().enumerate().filter(|(at, _)| at % shares == share).map(|(_, case)| case).collect();
    // Most of a check is waiting, so several go side by side.
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || mine.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take).filter_map(|case| judge_case(case)).collect::<Vec<_>>()
    };
    let judged: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    let wrong: Vec<String> = judged.iter().flatten().cloned().collect();
    let judged = judged.len();
    eprintln!("{judged} cases judged");
    wrong
}

#[test]
fn the_first_half_of_the_public_cases_is_judged_right() {
    let wrong = wrong_verdicts(0, 2);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_second_half_of_the_public_cases_is_judged_right() {
    let wrong = wrong_verdicts(1, 2);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
