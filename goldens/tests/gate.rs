//! The gate as CI runs it: on this repository, and on locks and servers that are not as they should be. It runs the built program.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{binary, mcpproof};
use surface::{Item, Kind, lock};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("goldens has a parent")
}

/// Everything in a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder exists").flatten();
    let content = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
    };
    entries.map(content).collect()
}

const ONE: &str = "[server.one]\nmock = \"good\"\nlock = \"one.lock\"\n";

/// A folder with these settings, and the lock of the good server after `edit`.
fn folder(settings: &str, edit: impl Fn(String) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let good = fs::read_to_string(root().join("goldens/locks/good.lock")).expect("the lock is committed");
    fs::write(folder.path().join("mcpproof.toml"), settings).expect("the settings");
    fs::write(folder.path().join("one.lock"), edit(good)).expect("the lock");
    folder
}

/// The README shows the report between this line and the end of its block.
const SHOWN: &str = "$ mcpproof diff before.json after.json\n";

#[test]
fn the_report_of_drift_in_the_readme_is_what_the_program_prints() {
    let ran = mcpproof(&["diff", "before.json", "after.json"], &root().join("goldens/cases/readme"));
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let path = root().join("README.md");
    let page = fs::read_to_string(&path).expect("the page exists");
    let (before, rest) = page.split_once(SHOWN).expect("the page has the command");
    let (_, after) = rest.split_once("```\n").expect("the block has an end");
    let wanted = format!("{before}{SHOWN}{}```\n{after}", ran.stdout);
    if std::env::var_os("BLESS").is_some() {
        return fs::write(&path, wanted).expect("the page can be written");
    }
    assert!(page == wanted, "the README is out of date: run `make bless`");
}

#[test]
fn the_action_the_hooks_and_the_readme_use_flags_and_formats_that_the_gate_has() {
    let help = mcpproof(&["gate", "--help"], root()).stdout;
    for file in ["action.yml", ".pre-commit-hooks.yaml", "README.md"] {
        let text = fs::read_to_string(root().join(file)).expect("the file exists");
        let begins = ["mcpproof gate", "arguments=", "arguments+="];
        let lines = text.lines().filter(|line| begins.iter().any(|begin| line.contains(begin)));
        let words: Vec<_> = lines.flat_map(|line| line.split([' ', '(', ')', '`'])).collect();
        let flags: Vec<_> = words
            .iter()
            .filter(|word| word.starts_with("--") && word.contains(char::is_alphabetic))
            .collect();
        assert!(!flags.is_empty(), "{file}");
        for flag in flags {
            assert!(help.contains(*flag), "{file}: {flag}");
        }
    }
    let action = fs::read_to_string(root().join("action.yml")).expect("the file exists");
    let formats =
        action.lines().find_map(|line| line.trim().strip_prefix("for format in ")).expect("the loop");
    for format in formats.trim_end_matches("; do").split(' ') {
        let name = format.split('=').next().unwrap_or_default();
        assert!(help.contains(name), "{name}");
    }
}

/// What is done to the text of a lock.
type Edit = fn(String) -> String;

/// The lock with one tool more, which the server does not have.
fn with_another_tool(text: String) -> String {
    let mut surface = lock::parse(&text).expect("the lock is whole");
    let definition =
        serde_json::json!({"name": "gone", "inputSchema": {"type": "object", "required": ["x"]}});
    for view in &mut surface.views {
        let item = Item { id: "gone".into(), definition: definition.clone() };
        view.lists[Kind::Tool as usize].get_or_insert_default().push(item);
    }
    lock::render(&surface, &|text| text.len() / 4).text
}

#[test]
fn this_repository_passes_its_own_gate() {
    let before = files(&root().join("goldens/locks"));
    let ran = mcpproof(&["gate"], root());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("gate passes; 2 servers: 2 pass"), "{}", ran.stdout);
    assert_eq!(files(&root().join("goldens/locks")), before);
}

#[test]
fn a_lock_that_says_something_else_fails_the_gate_and_stays() {
    let folder = folder(ONE, with_another_tool);
    let before = files(folder.path());
    let ran = mcpproof(&["gate", "--skip", "check", "--format", "json"], folder.path());
    let json = ran.json();
    assert_eq!((ran.code, json["verdict"].as_str()), (1, Some("fail")), "{}", ran.stdout);
    let changes = json["servers"][0]["drift"]["changes"].as_array().expect("a list of changes");
    let removed: Vec<_> = changes.iter().filter(|change| change["rule"] == "tool-removed").collect();
    assert_eq!(removed.len(), 1, "{}", ran.stdout);
    assert_eq!(removed[0]["path"], "/tools/gone");
    let lock = String::from_utf8_lossy(&before["one.lock"]).into_owned();
    let line = removed[0]["line"].as_u64().expect("a line") as usize;
    assert!(
        lock.lines().nth(line - 1).is_some_and(|line| line.contains("\"name\": \"gone\"")),
        "line {line}"
    );
    assert_eq!(files(folder.path()), before, "a gate writes no lock");
}

#[test]
fn what_is_allowed_with_a_reason_passes_until_its_day_is_over() {
    let allow =
        "\n[[allow]]\nrule = \"tool-removed\"\npath = \"/tools/go*\"\nreason = \"nobody called it\"\n";
    for (until, code) in [("", 0), ("until = \"2999-12-31\"\n", 0), ("until = \"2001-01-01\"\n", 1)] {
        let folder = folder(&format!("{ONE}{allow}{until}"), with_another_tool);
        let ran = mcpproof(&["gate", "--skip", "check"], folder.path());
        assert_eq!(ran.code, code, "{until}: {}", ran.stdout);
    }
}

#[test]
fn an_entry_is_unused_only_when_no_server_needs_it() {
    let two = "[server.one]\nmock = \"good\"\nlock = \"one.lock\"\n[server.two]\nmock = \"good\"\nlock = \"two.lock\"\n";
    let entry = |rule: &str, path: &str| {
        format!("[[allow]]\nrule = \"{rule}\"\npath = \"{path}\"\nreason = \"nobody called it\"\n")
    };
    let unused = |allow: &str, names: &[&str]| {
        let folder = folder(&format!("{two}{allow}"), with_another_tool);
        let good = fs::read(root().join("goldens/locks/good.lock")).expect("the lock is committed");
        fs::write(folder.path().join("two.lock"), good).expect("the lock");
        let ran = mcpproof(&[&["gate", "--skip", "check"], names].concat(), folder.path());
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        ran.stdout.matches("matches no change").count()
    };
    let needed = entry("tool-removed", "/tools/go*");
    let idle = entry("prompt-removed", "/prompts/*");
    assert_eq!(unused(&needed, &[]), 0, "the other server needs it");
    assert_eq!(unused(&needed, &["two"]), 0, "a server that was left out may need it");
    let both = format!("{needed}{idle}");
    assert_eq!(unused(&both, &["one"]), 0, "a server that was left out may need it");
    assert!(unused(&both, &[]) > 0, "nobody needs it");
}

#[test]
fn a_lock_that_cannot_be_read_is_told_with_a_way_out_and_stays() {
    let newer = |text: String| text.replace("\"lockVersion\": 1", "\"lockVersion\": 99");
    let cut = |text: String| text[..text.len() / 2].to_owned();
    let conflicted = |text: String| text.replacen("\n  \"tools\"", "\n<<<<<<< ours\n  \"tools\"", 1);
    let edited = |text: String| text.replacen("Adds two numbers.", "Adds three numbers.", 1);
    let cases: [(&str, Edit, &str); 4] = [
        ("newer", newer, "update mcpproof"),
        ("cut off", cut, "restore it from git"),
        ("conflicted", conflicted, "resolve the merge"),
        ("edited by hand", edited, "lock --force"),
    ];
    for (what, edit, hint) in cases {
        let folder = folder(ONE, edit);
        let before = files(folder.path());
        let ran = mcpproof(&["gate", "--skip", "check", "--format", "json"], folder.path());
        assert_eq!(ran.code, 2, "{what}: {}", ran.stdout);
        let error = ran.json()["servers"][0]["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains("one.lock") && error.contains(hint), "{what}: {error}");
        assert_eq!(files(folder.path()), before, "{what}");
    }
}

#[test]
fn a_lock_that_is_missing_is_told_with_the_command_that_writes_it() {
    let folder = folder(&ONE.replace("one.lock", "other.lock"), |lock| lock);
    let before = files(folder.path());
    let ran = mcpproof(&["gate", "--skip", "check", "--format", "json"], folder.path());
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let error = ran.json()["servers"][0]["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.contains("other.lock") && error.contains("mcpproof lock one"), "{error}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_dead_server_is_no_drift_and_what_fails_counts_for_more() {
    let dead = "[server.dead]\ncommand = [\"false\"]\nlock = \"one.lock\"\n";
    let folder_of_dead = folder(dead, |lock| lock);
    assert_eq!(mcpproof(&["gate"], folder_of_dead.path()).code, 3);
    assert_eq!(mcpproof(&["gate", "--skip", "check"], folder_of_dead.path()).code, 3);
    let both = folder(&format!("{dead}\n{ONE}"), with_another_tool);
    let ran = mcpproof(&["gate", "--skip", "check"], both.path());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("ERROR  dead") && ran.stdout.contains("FAIL   one"), "{}", ran.stdout);
}

#[test]
fn a_server_without_a_lock_is_not_started_and_what_fails_counts_for_more() {
    let bare = "[server.bare]\ncommand = [\"sh\", \"-c\", \"touch started\"]\nlock = \"no.lock\"\n";
    let folder_of_bare = folder(bare, |lock| lock);
    assert_eq!(mcpproof(&["gate"], folder_of_bare.path()).code, 2);
    assert!(!folder_of_bare.path().join("started").exists());
    let both = folder(&format!("{bare}\n{ONE}"), with_another_tool);
    let ran = mcpproof(&["gate", "--skip", "check"], both.path());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("ERROR  bare") && ran.stdout.contains("FAIL   one"), "{}", ran.stdout);
    let sound = folder(&format!("{bare}\n{ONE}"), |lock| lock);
    assert_eq!(mcpproof(&["gate", "--skip", "check"], sound.path()).code, 2);
}

#[test]
fn what_the_checks_find_fails_the_gate_until_a_baseline_accepts_it() {
    let folder = folder(&ONE.replace("good", "stdout-banner"), |lock| lock);
    let found = mcpproof(&["check", "one", "--format", "json"], folder.path()).ids();
    assert!(!found.is_empty());
    let ran = mcpproof(&["gate", "--skip", "drift", "--format", "json"], folder.path());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let check = serde_json::to_string(&ran.json()["servers"][0]["check"]).expect("is JSON");
    assert_eq!(support::Ran { code: 1, stdout: check }.ids(), found);
    let accept = |id: &String| format!("[[accept]]\ncheck = \"{id}\"\nreason = \"a test\"\n");
    fs::write(folder.path().join("accepted.toml"), found.iter().map(accept).collect::<String>())
        .expect("a baseline");
    let settings = format!("{}baseline = [\"accepted.toml\"]\n", ONE.replace("good", "stdout-banner"));
    fs::write(folder.path().join("mcpproof.toml"), settings).expect("the settings");
    let ran = mcpproof(&["gate", "--skip", "drift"], folder.path());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

/// Runs git in `folder`, without the settings of whoever runs the tests.
fn git(arguments: &[&str], folder: &Path) {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let status =
        Command::new("git").args(who).args(arguments).current_dir(folder).status().expect("git starts");
    assert!(status.success(), "{arguments:?}");
}

#[test]
fn a_surface_is_read_from_a_git_revision() {
    let folder = folder(ONE, with_another_tool);
    let at = folder.path();
    git(&["init", "--quiet"], at);
    git(&["add", "one.lock"], at);
    git(&["commit", "--quiet", "--message", "a lock"], at);
    fs::copy(root().join("goldens/locks/good.lock"), at.join("one.lock")).expect("a copy");
    let ran = mcpproof(&["diff", "git:HEAD:one.lock", "one.lock", "--format", "json"], at);
    assert_eq!((ran.code, ran.json()["verdict"].as_str()), (1, Some("breaking")), "{}", ran.stdout);
    assert_eq!(mcpproof(&["diff", "git:HEAD:one.lock", "git:HEAD:one.lock"], at).code, 0);
    for wrong in
        ["git:HEAD:other.lock", "git:no-such-branch:one.lock", "git:one.lock", "git:--output=x:one.lock"]
    {
        let output = Command::new(binary())
            .args(["diff", wrong, "one.lock"])
            .current_dir(at)
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{wrong}: {said}");
        assert!(said.contains("error: ") && said.contains("\nhint: "), "{wrong}: {said}");
    }
}
