//! Recording, replaying and verifying under the real binary.

#[expect(dead_code, reason = "the runs here set CI themselves")]
mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use support::binary;

const SPEC: &str = "[[call]]\ntool = \"add\"\narguments = { a = 1, b = 2 }\n";

/// Runs the binary in `folder`; `ci` is the variable CI.
fn run(folder: &Path, ci: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder).env("CI", ci).env("NO_COLOR", "1");
    command.output().expect("the binary runs")
}

/// Runs it and gives its exit code and what it printed.
fn told(folder: &Path, ci: &str, arguments: &[&str]) -> (i32, String) {
    let output = run(folder, ci, arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("an exit code"), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn a_recording_of_a_replay_is_the_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |output: &str, server: &[&str]| {
        let (code, text) = told(folder.path(), "", &[&["record", "-o", output], server].concat());
        assert_eq!(code, 0, "{text}");
        fs::read_to_string(folder.path().join(output)).expect("a cassette")
    };
    let program = binary();
    let program = program.to_str().expect("a path in UTF-8");
    let first = record("a.json", &["mock:good"]);
    let again = record("b.json", &["--", program, "replay", "a.json"]);
    assert!(first.contains("2024-11-05") && first.contains("server/discover"), "{first}");
    assert_eq!(first, again);
    fs::write(folder.path().join("x.spec.toml"), SPEC).expect("a file");
    let calls = record("c.json", &["--spec", "x.spec.toml", "mock:good"]);
    let again = record("d.json", &["--spec", "x.spec.toml", "--", program, "replay", "c.json"]);
    assert!(calls.contains("\"name\": \"add\""), "{calls}");
    assert_eq!(calls, again);
}

#[test]
fn answers_are_held_against_golden_ones_which_only_a_person_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = |text: &str| fs::write(folder.path().join("x.spec.toml"), text).expect("a file");
    let verify = |ci: &str, target: &str, more: &[&str]| {
        told(folder.path(), ci, &[&["verify", "x.spec.toml", "--target", target], more].concat())
    };
    let check = |(code, text): (i32, String), expected: i32, words: &str| {
        assert!(code == expected && text.contains(words), "{code}: {text}");
    };
    spec(SPEC);
    check(verify("true", "mock:good", &[]), 1, "missing");
    check(verify("true", "mock:good", &["--accept"]), 2, "in CI nothing is written");
    assert!(!folder.path().join("x.golden.json").exists());
    check(verify("", "mock:good", &["--accept"]), 0, "wrote x.golden.json");
    check(verify("true", "mock:good", &[]), 0, "1 as reviewed");
    check(verify("true", "mock:call-structured-mismatch", &[]), 1, "/answer/result/structuredContent/sum");
    spec(&SPEC.replace("b = 2", "b = 3"));
    check(verify("true", "mock:good", &[]), 1, "/params/arguments/b");
    spec(&SPEC.replace("tool", "name = \"other\"\ntool"));
    check(verify("true", "mock:good", &[]), 1, "unused   add");
    spec("[[call]]\ntool = \"add\"\nargs = {}\n");
    check(verify("true", "mock:good", &[]), 2, "unknown field `args`");
}

#[test]
fn the_answers_of_the_good_mock_are_those_that_were_reviewed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("goldens has a parent");
    let (code, text) = told(root, "true", &["verify", "goldens/cassettes", "--target", "mock:good"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_cassette_with_a_mistake_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.json"), "{\n  \"cassette\": 1,\n  \"sessions\": []\n}\n")
        .expect("a file");
    let (code, text) = told(folder.path(), "", &["replay", "a.json"]);
    assert!(
        code == 2 && text.contains("a.json, line 3") && text.contains("`conversations`"),
        "{code}: {text}"
    );
}
