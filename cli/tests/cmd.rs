//! Runs the program on the cases in `tests/cmd`: arguments in, output and exit code out. Servers are checked in other tests.

use serde::Deserialize;
use snapbox::cmd::{Command, cargo_bin};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    args: Vec<String>,
    status: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    /// What it reads from standard input.
    #[serde(default)]
    stdin: String,
    /// Files to write into the working directory first.
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
}

#[test]
fn the_program_answers_as_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "the cases are gone");
    for path in paths {
        run(&path);
    }
}

fn run(path: &Path) {
    eprintln_name(path);
    let text = std::fs::read_to_string(path).expect("the case can be read");
    let case: Case = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in &case.files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder of the case");
        std::fs::write(path, content).expect("a file of the case");
    }
    let program = cargo_bin!("mcpproof");
    let command = Command::new(program).args(&case.args).current_dir(folder.path()).env_remove("NO_COLOR");
    let command = command.stdin(case.stdin);
    command.assert().code(case.status).stdout_eq(case.stdout).stderr_eq(case.stderr);
}

/// Says which case is at work, for whoever reads a failure.
#[expect(clippy::print_stderr, reason = "the harness shows it only when the test fails")]
fn eprintln_name(path: &Path) {
    eprintln!("case {}", path.display());
}
