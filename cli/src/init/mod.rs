//! Finds the MCP servers of a repository, and writes them down as `mcpproof.toml`. Starting them is the business of the command.

mod clients;
mod containers;
mod go;
mod jsonc;
mod manifests;
mod node;
mod placeholders;
mod python;
mod registry;
mod start;
mod write;

pub(crate) use start::reason_not_to_start;
pub(crate) use write::{FILE, SKELETON, further_servers, settings};

use std::collections::BTreeMap;
use std::path::Path;

/// How a server may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A program and its arguments.
    Command(Vec<String>),
    /// An address, and whether it is one of legacy HTTP+SSE.
    Url { url: String, sse: bool },
    /// A built-in server.
    Mock(String),
}

/// A server that may be one of this repository. It holds no secrets: values stand as `${NAME}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// What it will be called.
    pub name: String,
    /// Where it was found, as `package.json, bin`.
    pub origin: String,
    /// How it is reached.
    pub way: Way,
    /// Variables of the command.
    pub env: BTreeMap<String, String>,
    /// Headers of each request.
    pub headers: BTreeMap<String, String>,
    /// What its variables are elsewhere when they are not set.
    pub defaults: BTreeMap<String, String>,
    /// Where the command is started.
    pub cwd: Option<String>,
}

impl Candidate {
    /// Makes one that is reached in `way` and needs nothing else.
    pub(crate) fn new(name: &str, origin: impl Into<String>, way: Way) -> Self {
        let none = BTreeMap::new;
        let (name, origin) = (name.to_owned(), origin.into());
        Self { name, origin, way, env: none(), headers: none(), defaults: none(), cwd: None }
    }

    /// The variables of our own environment that it needs.
    pub(crate) fn variables(&self) -> Vec<String> {
        let words: Vec<&String> = match &self.way {
            Way::Command(words) => words.iter().collect(),
            Way::Url { url, .. } => vec![url],
            Way::Mock(_) => Vec::new(),
        };
        let texts = words.into_iter().chain(self.env.values()).chain(self.headers.values());
        let mut names: Vec<_> = texts.flat_map(|text| placeholders::names(text)).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// What was found in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The servers, each with a name of its own.
    pub candidates: Vec<Candidate>,
    /// What was looked at and led to nothing, and why.
    pub notes: Vec<String>,
    /// What was looked for and is not there.
    pub absent: Vec<String>,
}

/// Looks at the files of `folder`, and below it where they say so.
pub(crate) fn find(folder: &Path) -> Found {
    let mut found = Found::default();
    node::find(folder, &mut found);
    python::find(folder, &mut found);
    manifests::cargo(folder, &mut found);
    go::find(folder, &mut found);
    if found.candidates.is_empty() {
        registry::find(folder, &mut found);
    }
    clients::find(folder, &mut found);
    if found.candidates.is_empty() {
        containers::find(folder, &mut found);
    }
    let here = folder.canonicalize().map(|path| format!("{}/", path.display())).unwrap_or_default();
    let candidates = found.candidates.drain(..).map(|one| without_secrets(from_here(one, &here))).collect();
    found.candidates = candidates;
    tidy(&mut found);
    found
}

/// Shortens the paths that lead into `here`: another machine has the repository elsewhere.
fn from_here(mut candidate: Candidate, here: &str) -> Candidate {
    let words = match &mut candidate.way {
        Way::Command(words) => words.as_mut_slice(),
        _ => &mut [],
    };
    for word in words.iter_mut().chain(candidate.cwd.as_mut()) {
        match word.strip_prefix(here).filter(|rest| !here.is_empty() && !rest.is_empty()) {
            Some(rest) => *word = format!("./{rest}"),
            None if here.strip_suffix('/') == Some(word) => *word = ".".to_owned(),
            None => {}
        }
    }
    candidate
}

/// Puts placeholders in the place of secrets among the arguments and in the address.
pub(crate) fn without_secrets(mut candidate: Candidate) -> Candidate {
    placeholders::replace_secrets(&mut candidate);
    let needed = candidate.variables();
    candidate.defaults.retain(|name, _| needed.contains(name));
    candidate
}

/// The placeholder for a value that is called `name`.
pub(crate) fn variable_for(name: &str) -> String {
    placeholders::placeholder("", name)
}

/// Leaves out what stands in two files, and gives each server a name of its own.
fn tidy(found: &mut Found) {
    let mut kept: Vec<Candidate> = Vec::new();
    for mut candidate in found.candidates.drain(..) {
        if let Some(same) =
            kept.iter_mut().find(|other| other.way == candidate.way && other.cwd == candidate.cwd)
        {
            // The settings of a client may know variables that a manifest does not.
            same.env.append(&mut candidate.env);
            same.headers.append(&mut candidate.headers);
            same.defaults.append(&mut candidate.defaults);
            if !same.origin.contains(&candidate.origin) {
                same.origin = format!("{} and {}", same.origin, candidate.origin);
            }
            continue;
        }
        candidate.name = free_name(&candidate.name, &kept);
        kept.push(candidate);
    }
    found.candidates = kept;
}

fn free_name(wanted: &str, taken: &[Candidate]) -> String {
    let is_free = |name: &str| taken.iter().all(|candidate| candidate.name != name);
    let base = key(wanted);
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(base)
}

/// Makes a bare TOML key of a name: `@scope/Notes Server` becomes `notes-server`.
pub(crate) fn key(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let plain = last
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' });
    let plain: String = plain.collect();
    let trimmed = plain.trim_matches('-');
    if trimmed.is_empty() { "server".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        folder
    }

    /// What is found in a folder with these files.
    pub(super) fn found(files: &[(&str, &str)]) -> Found {
        find(folder(files).path())
    }

    /// The servers as `name: way`.
    pub(super) fn servers(files: &[(&str, &str)]) -> Vec<String> {
        let line = |candidate: &Candidate| match &candidate.way {
            Way::Command(words) => format!("{}: {}", candidate.name, words.join(" ")),
            Way::Url { url, sse } => format!("{}: {url}{}", candidate.name, if *sse { " (sse)" } else { "" }),
            Way::Mock(name) => format!("{}: mock:{name}", candidate.name),
        };
        found(files).candidates.iter().map(line).collect()
    }

    const SDK: &str = r#""dependencies": {"@modelcontextprotocol/sdk": "^1"}"#;

    #[test]
    fn each_manifest_leads_to_the_programs_that_it_makes() {
        let package = |rest: &str| format!("{{\"name\": \"@scope/notes\", {SDK}, {rest}}}");
        for (name, text, servers_of_it) in [
            ("package.json", package(r#""bin": "dist/index.js""#), vec!["notes: node dist/index.js"]),
            (
                "package.json",
                package(r#""bin": {"a": "a.js", "b": "./b.js"}"#),
                vec!["a: node a.js", "b: node ./b.js"],
            ),
            (
                "package.json",
                package(r#""scripts": {"start": "node x"}"#),
                vec!["notes: npm run --silent start"],
            ),
            ("package.json", package(r#""main": "main.js""#), vec!["notes: node main.js"]),
            ("package.json", r#"{"name": "x", "bin": "x.js"}"#.to_owned(), vec![]),
            (
                "pyproject.toml",
                "[project]\nname = 'n'\ndependencies = ['mcp[cli]>=1']\n[project.scripts]\nnotes = 'n:main'"
                    .to_owned(),
                vec!["notes: notes"],
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'n'\ndependencies = ['requests']\n[project.scripts]\nn = 'n:m'".to_owned(),
                vec![],
            ),
            ("Cargo.toml", "[package]\nname = 'notes'\n[dependencies]\nrmcp = '1'\n".to_owned(), vec![]),
            (
                "Cargo.toml",
                "[package]\nname = 'notes'\n[[bin]]\nname = 'one'\n[dependencies]\nrmcp = '1'\n".to_owned(),
                vec!["one: target/debug/one"],
            ),
        ] {
            assert_eq!(servers(&[(name, &text)]), servers_of_it, "{name}: {text}");
        }
        let notes = "[package]\nname = 'notes'\n[dependencies]\nrmcp = '1'\n";
        assert_eq!(servers(&[("Cargo.toml", notes), ("src/main.rs", "")]), ["notes: target/debug/notes"]);
        let workspace = "[workspace]\nmembers = ['crates/*']\n";
        let crates = [
            ("Cargo.toml", workspace),
            ("crates/n/Cargo.toml", notes),
            ("crates/n/src/main.rs", ""),
            ("crates/x", ""),
        ];
        assert_eq!(servers(&crates), ["notes: target/debug/notes"]);
    }

    #[test]
    fn the_settings_of_clients_are_read_and_their_secrets_are_not_copied() {
        let text = r#"{"mcpServers": {
            "My Notes": {"command": "node", "args": ["server.js", "--api-key", "s3cret", "--token=s3cret"],
                         "env": {"NOTES_TOKEN": "s3cret", "MODE": "${env:MODE}"}},
            "remote": {"type": "sse", "url": "https://example.org/sse?key=s3cret&x=1",
                       "headers": {"Authorization": "Bearer s3cret", "X-Key": "Bearer ${input:notes-key}"}},
            "db": {"command": "db", "args": ["postgres://me:s3cret@example.org/db", "${workspaceFolder}/data"]}}}"#;
        let found = found(&[(".mcp.json", text)]);
        assert!(!format!("{found:?}").contains("s3cret"), "{found:#?}");
        let named =
            |name: &str| found.candidates.iter().find(|candidate| candidate.name == name).expect(name);
        let (notes, remote, db) = (named("my-notes"), named("remote"), named("db"));
        assert_eq!(notes.env["MODE"], "${MODE}");
        let words = Way::Command(
            ["node", "server.js", "--api-key", "${API_KEY}", "--token=${TOKEN}"].map(String::from).into(),
        );
        assert_eq!(notes.way, words);
        assert_eq!(notes.variables(), ["API_KEY", "MODE", "NOTES_TOKEN", "TOKEN"]);
        assert_eq!(remote.way, Way::Url { url: "https://example.org/sse?key=${KEY}&x=1".into(), sse: true });
        assert_eq!(remote.headers["Authorization"], "${REMOTE_AUTHORIZATION}");
        assert_eq!(remote.headers["X-Key"], "Bearer ${NOTES_KEY}");
        assert_eq!(db.way, Way::Command(["db", "${DB_URL}", "./data"].map(String::from).into()));
    }

    #[test]
    fn what_cannot_be_read_is_told_and_is_no_end() {
        let found = found(&[
            (".mcp.json", "{"),
            ("package.json", "[]"),
            ("pyproject.toml", "= 1"),
            (".vscode/mcp.json", r#"{"servers": {"a": 1, "b": {"command": "b"}, "c": {}}}"#),
            (".cursor/mcp.json", r#"{"mcpServers": {"b": {"command": "b", "env": {"X": "1"}}}}"#),
        ]);
        let names: Vec<_> = found.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["b"]);
        assert_eq!(found.candidates[0].origin, ".vscode/mcp.json and .cursor/mcp.json");
        assert_eq!(found.candidates[0].variables(), ["X"]);
        assert_eq!(found.notes.len(), 5, "{:#?}", found.notes);
    }

    #[test]
    fn servers_are_found_under_the_word_of_another_client_and_none_at_all_is_told() {
        let texts = [
            (".mcp.json", r#"{"servers": {"a": {"command": "a", "envFile": ".env"}}}"#),
            (".vscode/mcp.json", r#"{"mcpServers": {"b": {"command": "b"}}}"#),
            (".cursor/mcp.json", r#"{"mcpServers": {}}"#),
            ("claude_desktop_config.json", "{\"mcpServers\": {\"d\": {\"command\": \"d\",},},}"),
        ];
        let found = found(&texts);
        let names: Vec<_> = found.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "d"]);
        assert!(found.notes[0].contains(".env"), "{:?}", found.notes);
        assert_eq!(found.notes[1], ".cursor/mcp.json lists no server");
    }

    #[test]
    fn settings_with_comments_are_read_and_their_mistakes_have_a_place() {
        let text = "\u{feff}{\n  // \"off\": 1,\n  \"servers\": {\"web\": {\"url\": \"http://127.0.0.1:9/mcp\"},} /* end */\n}";
        assert_eq!(servers(&[(".vscode/mcp.json", text)]), ["web: http://127.0.0.1:9/mcp"]);
        let notes = found(&[(".mcp.json", "// fine\n{\"mcpServers\" {}}")]).notes;
        assert!(notes[0].starts_with(".mcp.json is not JSON") && notes[0].contains("line 2"), "{notes:?}");
    }

    #[test]
    fn defaults_of_variables_are_kept_and_those_of_secrets_are_not() {
        let text = r#"{"mcpServers": {"b": {"url": "http://127.0.0.1:${PORT:-9}/mcp", "headers": {"X": "${X:-s3cret}"}},
            "c": {"command": "c", "args": ["--level", "${LEVEL:-low}"], "env": {"K": "x${N:-1}", "TOKEN": "${T:-s3cret}"}}}}"#;
        let found = found(&[(".mcp.json", text)]);
        let defaults: Vec<_> =
            found.candidates.iter().map(|candidate| format!("{:?}", candidate.defaults)).collect();
        assert_eq!(defaults, [r#"{"PORT": "9"}"#, r#"{"LEVEL": "low"}"#]);
        assert!(!settings(&found.candidates).contains("s3cret"));
        assert!(settings(&found.candidates).contains("# Where ${PORT} was not set, it was \"9\" there"));
    }

    #[test]
    fn all_that_was_looked_for_is_told() {
        let absent = found(&[("README.md", "")]).absent;
        for file in [
            "package.json",
            "deno.json",
            "pyproject.toml",
            "*.py",
            "Cargo.toml",
            "go.mod",
            "server.json",
            "smithery.yaml",
            ".mcp.json",
            "claude_desktop_config.json",
            "compose.yaml",
            "Dockerfile",
        ] {
            assert!(absent.iter().any(|one| one == file), "{file}: {absent:?}");
        }
    }

    #[test]
    fn paths_into_the_repository_are_written_from_there() {
        let room = folder(&[]);
        let here = room.path().canonicalize().expect("it exists").display().to_string();
        let text = format!(
            r#"{{"mcpServers": {{"a": {{"command": "node", "args": ["{here}/a.js", "/b.js"], "cwd": "{here}"}}}}}}"#
        );
        std::fs::write(room.path().join(".mcp.json"), text).expect("a file");
        let found = find(room.path());
        assert_eq!(
            found.candidates[0].way,
            Way::Command(["node", "./a.js", "/b.js"].map(String::from).into())
        );
        assert_eq!(found.candidates[0].cwd.as_deref(), Some("."));
    }

    #[test]
    fn names_become_keys_of_their_own() {
        for (name, expected) in
            [("@a/Notes Server", "notes-server"), ("x_1", "x_1"), ("---", "server"), ("日", "server")]
        {
            assert_eq!(key(name), expected);
        }
        let taken = [
            Candidate::new("a", "", Way::Mock("a".into())),
            Candidate::new("a-2", "", Way::Mock("b".into())),
        ];
        assert_eq!(free_name("A", &taken), "a-3");
    }
}
