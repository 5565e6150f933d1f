//! Real processes under the real binary: how servers end, how they fail to start, and what is said about it.

mod support;

use std::fs;
use std::path::Path;
use support::{Ran, mcpproof};

/// Checks a shell script as a server, in one revision and with little patience.
fn check_script(script: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("server.sh");
    fs::write(&path, script).expect("a file");
    let mut arguments = vec!["check", "--start-timeout", "2", "--timeout", "2", "--format", "json"];
    arguments.extend(more);
    arguments.extend(["--", "sh", "server.sh"]);
    mcpproof(&arguments, folder.path())
}

fn dead_words(ran: &Ran) -> String {
    assert_eq!(ran.code, 3, "{ran:#?}");
    ran.json()["ran"].to_string()
}

#[test]
fn endings_of_processes_are_judged() {
    for (mock, id) in [
        ("mock:eof-ignored", "shutdown-on-end-of-input"),
        ("mock:eof-and-term-ignored", "shutdown-on-sigterm"),
        ("mock:eof-exit-code", "shutdown-exit-code"),
        ("mock:eof-grandchild", "shutdown-leaves-nobody"),
    ] {
        let ran = mcpproof(&["check", "--revision", "2025-11-25", "--format", "json", mock], Path::new("."));
        assert!(ran.ids().iter().any(|found| found == id), "{mock}: {:?}", ran.ids());
    }
}

#[test]
fn a_server_that_ends_before_answering_is_quoted_with_its_exit_code_and_stderr() {
    let words = dead_words(&check_script("echo 'API_KEY is not set' >&2; exit 7", &[]));
    assert!(words.contains("code 7"), "{words}");
    assert!(words.contains("API_KEY is not set"), "{words}");
}

#[test]
fn a_server_that_never_answers_is_given_up_on() {
    let words = dead_words(&check_script("exec sleep 60", &[]));
    assert!(words.contains("no answer"), "{words}");
}

#[test]
fn noise_without_a_newline_is_cut_and_named() {
    let ran = check_script(
        "while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done",
        &["--limit", "65536"],
    );
    assert!(ran.code == 1 || ran.code == 3, "{ran:#?}");
}

#[test]
fn a_flood_of_lines_is_bounded_and_told_with_its_size() {
    let ran = check_script("exec yes", &["--run-timeout", "20"]);
    let words = dead_words(&ran);
    assert!(words.contains("bytes of other output came in") && words.contains("more lines)"), "{words}");
    assert!(ran.stdout.len() < 1 << 20, "{} bytes of report", ran.stdout.len());
}

#[test]
fn megabytes_of_noise_do_not_hide_the_verdict() {
    let script =
        "i=0; while [ $i -lt 20000 ]; do echo 'log line log line log line'; i=$((i+1)); done; exec sleep 60";
    let words = dead_words(&check_script(script, &[]));
    assert!(words.contains("520000 bytes of other output came in 20000 lines"), "{words}");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let ran = mcpproof(&["check", "--", "mcpproof-no-such-command"], Path::new("."));
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stdout.contains("command not found: `mcpproof-no-such-command`"), "{ran:#?}");
}

#[test]
fn a_file_that_is_not_executable_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("server"), "#!/bin/sh\n").expect("a file");
    let ran = mcpproof(&["check", "--", "./server"], folder.path());
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stdout.contains("cannot execute `./server`"), "{ran:#?}");
}

#[test]
fn a_refused_url_is_named() {
    let ran = mcpproof(&["check", "http://127.0.0.1:9/mcp"], Path::new("."));
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stdout.contains("127.0.0.1:9"), "{ran:#?}");
}

#[test]
fn the_good_mock_passes_as_a_process() {
    let ran = mcpproof(&["check", "--deny", "unproven", "--fail-on", "interop", "mock:good"], Path::new("."));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn a_server_that_only_makes_noise_could_not_be_run_and_is_quoted() {
    let script = "while read -r line; do echo 'INFO listening on port 3000'; done";
    let words = dead_words(&check_script(script, &[]));
    assert!(words.contains("no answer to `initialize`"), "{words}");
    assert!(words.contains("INFO listening on port 3000"), "{words}");
}

#[test]
fn a_server_that_does_not_flush_is_found_out_by_one_finding() {
    for (mock, seen) in [
        ("mock:framing-held-until-next", "came only after the next message was sent"),
        ("mock:framing-held-until-end", "came only when stdin was closed"),
    ] {
        let arguments = ["check", "--start-timeout", "4", "--timeout", "2", "--format", "json", mock];
        let ran = mcpproof(&arguments, Path::new("."));
        assert_eq!((ran.code, ran.ids()), (1, vec!["framing-flushed".to_owned()]), "{mock}: {ran:#?}");
        let words = ran.json()["findings"][0]["seen"].to_string();
        assert!(words.contains("unflushed: the answer to `initialize`") && words.contains(seen), "{words}");
    }
}

#[test]
fn a_server_that_closes_its_input_and_lives_on_is_told_so() {
    let words = dead_words(&check_script("read -r line; exec 0<&-; exec sleep 60", &[]));
    assert!(words.contains("closed its input (stdin) and lives on"), "{words}");
}

#[test]
fn a_server_whose_errors_come_late_is_accused_of_nothing() {
    // Its errors take 2.6 s: more than is waited for, and less.
    for (seconds, verdict) in [("1", "unproven"), ("4", "pass")] {
        let only = ["--only", "jsonrpc-parse-error", "--revision", "2025-06-18"];
        let arguments = ["check", "--timeout", seconds, "--format", "json", "mock:legal-slow-errors"];
        let ran = mcpproof(&[&arguments[..], &only].concat(), Path::new("."));
        assert_eq!((ran.code, ran.ids()), (0, Vec::new()), "{seconds}: {ran:#?}");
        assert_eq!(ran.json()["revisions"][0]["checks"][0]["verdict"], verdict, "{seconds}: {ran:#?}");
    }
}
