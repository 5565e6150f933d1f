//! Runs the program on catalogs, several commands after one another. What one command answers alone stands in `tests/cmd`.

use snapbox::cmd::cargo_bin;
use std::path::Path;
use std::process::Command;

/// What a command said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(cargo_bin!("mcpproof"));
    command.args(args).current_dir(folder).env_remove("MCPPROOF_CATALOG");
    said(&mut command)
}

fn said(command: &mut Command) -> Said {
    let done = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it writes UTF-8");
    Said {
        code: done.status.code().expect("it ends by itself"),
        out: text(&done.stdout),
        err: text(&done.stderr),
    }
}

fn well(folder: &Path, args: &[&str]) -> Said {
    let said = run(folder, args);
    assert_eq!(said.code, 0, "{args:?}: {}", said.err);
    said
}

fn folder(tools: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tools.jsonl"), tools).expect("a file");
    folder
}

const TOOLS: &str = r#"{"server": "notes", "name": "find", "description": "Finds notes that hold a phrase."}
{"server": "notes", "name": "drop", "description": "Deletes a note for good."}
{"server": "mail", "name": "find", "description": "Finds letters of a person."}
"#;

#[test]
fn what_servers_offer_is_filed_and_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = well(folder.path(), &["catalog", "build", "mock:good"]);
    assert!(built.err.contains("good: 7 tools"), "{}", built.err);
    let again = well(folder.path(), &["catalog", "build", "other=mock:good", "mock:good"]);
    assert!(again.err.contains("as before") && again.err.contains("of 2 sources"), "{}", again.err);
    let found = well(folder.path(), &["search", "add", "two", "numbers", "--lexical", "--source", "other"]);
    assert!(found.out.contains("  1  other/add  "), "{}", found.out);
    let kinds = well(folder.path(), &["search", "good", "--lexical", "--kind", "prompt", "--json"]);
    assert!(!kinds.out.contains("\"kind\": \"tool\""), "{}", kinds.out);
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("lists").flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["mcp-catalog.db"], "nothing lies beside the catalog");
}

#[test]
fn a_source_that_fails_keeps_what_it_had_and_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = |command: &str| {
        let text = format!("[server.one]\n{command}\n[server.two]\nmock = \"good\"\n");
        std::fs::write(folder.path().join("mcpproof.toml"), text).expect("a file");
    };
    settings("mock = \"good\"");
    well(folder.path(), &["catalog", "build"]);
    settings("command = [\"no-such-command-anywhere\"]");
    let built = well(folder.path(), &["catalog", "build"]);
    assert!(built.err.contains("failed: one: ") && built.err.contains("1 source failed"), "{}", built.err);
    let stats = well(folder.path(), &["catalog", "stats"]);
    assert!(stats.out.contains("one  7 tools") && stats.out.contains("failed since"), "{}", stats.out);
    assert_eq!(run(folder.path(), &["catalog", "build", "one"]).code, 3, "none could be read");
}

#[test]
fn an_export_is_imported_elsewhere_with_all_that_was_said() {
    let (here, there) = (folder(TOOLS), folder(""));
    well(here.path(), &["catalog", "import", "tools.jsonl"]);
    well(here.path(), &["pin", "add", "mail/find"]);
    well(here.path(), &["pin", "add", "notes/drop", "--as", "shred"]);
    well(here.path(), &["catalog", "set-summary", "shred", "Puts paper through the shredder", "--add"]);
    let export = well(here.path(), &["catalog", "export"]).out;
    std::fs::write(there.path().join("tools.jsonl"), &export).expect("a file");
    well(there.path(), &["catalog", "import", "tools.jsonl"]);
    assert_eq!(well(there.path(), &["catalog", "export"]).out, export);
    assert_eq!(well(there.path(), &["pin", "list"]).out, "mail/find\nshred = notes/drop\n");
    let found = well(there.path(), &["search", "paper shredder", "--lexical"]).out;
    assert!(found.contains("  1  notes/drop"), "{found}");
    assert!(well(there.path(), &["search", "shred", "--lexical"]).out.contains("  1  notes/drop"));
}

#[test]
fn a_source_that_is_there_is_not_replaced_unless_that_is_said() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    let refused = run(folder.path(), &["catalog", "import", "tools.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("has a source `mail` already") && refused.err.contains("--rename"),
        "{}",
        refused.err
    );
    well(folder.path(), &["catalog", "import", "tools.jsonl", "--replace"]);
    well(
        folder.path(),
        &["catalog", "import", "tools.jsonl", "--rename", "mail=post", "--rename", "notes=pad"],
    );
    assert!(well(folder.path(), &["catalog", "stats"]).out.contains("6 entries of 4 sources"));
    well(folder.path(), &["catalog", "remove", "post"]);
    let unknown = run(folder.path(), &["catalog", "remove", "pots"]);
    assert_eq!(unknown.code, 2);
}

#[test]
fn pins_are_added_and_taken_away_and_a_name_of_several_is_asked_back() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    let several = run(folder.path(), &["pin", "add", "find"]);
    assert_eq!(several.code, 2);
    assert!(several.err.contains("say which: mail/find, notes/find"), "{}", several.err);
    let unknown = run(folder.path(), &["pin", "add", "notes/fnid"]);
    assert!(unknown.err.contains("did you mean `notes/find`?"), "{}", unknown.err);
    assert!(well(folder.path(), &["pin", "add", "drop"]).err.contains("pinned notes/drop"));
    assert!(well(folder.path(), &["pin", "add", "drop"]).err.contains("is pinned already"));
    let listed = well(folder.path(), &["pin", "list", "--json"]).out;
    assert!(listed.contains("\"name\": \"drop\""), "{listed}");
    well(folder.path(), &["pin", "remove", "drop"]);
    assert_eq!(well(folder.path(), &["pin", "list"]).out, "nothing is pinned\n");
    assert_eq!(run(folder.path(), &["pin", "remove", "drop"]).code, 2);
}

#[test]
fn the_environment_names_the_catalog_and_disturbs_no_other_command() {
    let folder = folder(TOOLS);
    let with = |args: &[&str]| {
        let mut command = Command::new(cargo_bin!("mcpproof"));
        said(command.args(args).current_dir(folder.path()).env("MCPPROOF_CATALOG", "mine.db"))
    };
    assert_eq!(with(&["catalog", "import", "tools.jsonl"]).code, 0);
    assert!(folder.path().join("mine.db").exists());
    assert!(with(&["search", "letters", "--lexical"]).out.contains("mail/find"));
    let checked = with(&["check", "--only", "ping-answered", "--revision", "2025-11-25", "mock:good"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_cannot_be_written_is_an_error() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    for args in [&["catalog", "export"][..], &["search", "notes", "--lexical", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(cargo_bin!("mcpproof"));
        command.args(args).current_dir(folder.path()).env_remove("MCPPROOF_CATALOG").stdout(full);
        let said = said(&mut command);
        assert_eq!(said.code, 3, "{args:?}: {}", said.err);
        assert!(said.err.contains("standard output cannot be written"), "{}", said.err);
    }
}

#[test]
fn an_import_takes_nothing_away_that_was_said_here_unless_that_is_said() {
    let (here, there) = (folder(TOOLS), folder(TOOLS));
    for (folder, words) in [(&here, "Finds letters"), (&there, "Seeks mail")] {
        well(folder.path(), &["catalog", "import", "tools.jsonl"]);
        well(folder.path(), &["catalog", "set-summary", "mail/find", words]);
    }
    well(here.path(), &["pin", "add", "notes/drop", "--as", "it"]);
    well(there.path(), &["pin", "add", "notes/find", "--as", "it"]);
    well(there.path(), &["catalog", "remove", "mail"]);
    well(there.path(), &["catalog", "remove", "notes"]);
    let export = well(here.path(), &["catalog", "export"]).out;
    std::fs::write(there.path().join("more.jsonl"), &export).expect("a file");
    let kept = well(there.path(), &["catalog", "import", "more.jsonl"]);
    assert!(kept.err.contains("note: the alias `it` is another one"), "{}", kept.err);
    assert!(kept.err.contains("note: the summary of mail/find is another one"), "{}", kept.err);
    assert_eq!(well(there.path(), &["pin", "list"]).out, "it = notes/find\n");
    let taken = well(there.path(), &["catalog", "import", "more.jsonl", "--replace"]);
    assert!(taken.err.contains("2 sources, 1 alias, 1 summary in"), "{}", taken.err);
    assert_eq!(well(there.path(), &["catalog", "export"]).out, export);
}

#[test]
fn a_name_before_json_lines_is_refused() {
    let folder = folder(TOOLS);
    let refused = run(folder.path(), &["catalog", "build", "mine=tools.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--rename OLD=mine"), "{}", refused.err);
}
