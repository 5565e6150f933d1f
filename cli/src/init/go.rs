//! Reads `go.mod`: whether a module has an SDK for servers, and which programs it makes.

use super::manifests::{files, folders, no_sdk, read};
use super::{Candidate, Found, Way};
use std::path::Path;

/// Modules that are an SDK for servers.
const SDKS: [&str; 3] = [
    "github.com/modelcontextprotocol/go-sdk",
    "github.com/mark3labs/mcp-go",
    "github.com/metoro-io/mcp-golang",
];

/// A folder with a `package main`.
struct Program {
    name: String,
    /// As `go run` takes it.
    path: String,
    has_sdk: bool,
}

/// Looks for the programs of `go.mod`, here and in `cmd`.
pub(super) fn find(folder: &Path, found: &mut Found) {
    const FILE: &str = "go.mod";
    let Some(module) = read(folder, FILE, found) else { return };
    if !module.lines().any(requires_sdk) {
        return found.notes.push(no_sdk(FILE, &SDKS));
    }
    let root = program(folder, module_name(&module), ".", found);
    let below = folders(&folder.join("cmd")).into_iter().filter_map(|name| {
        let path = format!("./cmd/{name}");
        program(folder, name, &path, found)
    });
    let mut programs: Vec<_> = root.into_iter().chain(below.collect::<Vec<_>>()).collect();
    // The others of a module are tools more often than servers.
    if programs.iter().any(|program| program.has_sdk) {
        programs.retain(|program| program.has_sdk);
    }
    if programs.is_empty() {
        found.notes.push(format!("{FILE} names no program: no `package main` here or in cmd/*"));
    }
    for Program { name, path, .. } in programs {
        let built = [format!("./bin/{name}"), format!("./{name}")];
        let built = built.into_iter().find(|built| folder.join(built).is_file());
        let words =
            built.map_or_else(|| vec!["go".to_owned(), "run".to_owned(), path.clone()], |built| vec![built]);
        let origin = if path == "." { FILE.to_owned() } else { format!("{FILE}, {}", &path[2..]) };
        found.candidates.push(Candidate::new(&name, origin, Way::Command(words)));
    }
}

/// A line as `require github.com/x/y v1.2.3`, or as it stands in a block.
fn requires_sdk(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word == "require");
    let is_sdk = |path: &str| {
        SDKS.iter()
            .any(|sdk| path.strip_prefix(sdk).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    words.next().is_some_and(is_sdk) && !line.ends_with("// indirect")
}

/// The last word of the path of the module that is no version.
fn module_name(module: &str) -> String {
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module ")).unwrap_or("server").trim();
    let is_version =
        |part: &&str| part.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    path.trim_matches('"').rsplit('/').find(|part| !is_version(part)).unwrap_or("server").to_owned()
}

fn program(folder: &Path, name: String, path: &str, found: &mut Found) -> Option<Program> {
    let (mut is_main, mut has_sdk) = (false, false);
    for file in files(&folder.join(path), ".go").into_iter().filter(|file| !file.ends_with("_test.go")) {
        let text = read(folder, &format!("{path}/{file}"), found).unwrap_or_default();
        is_main |= text.lines().any(|line| line.trim() == "package main");
        has_sdk |= SDKS.iter().any(|sdk| text.contains(&format!("\"{sdk}")));
    }
    is_main.then(|| Program { name, path: path.to_owned(), has_sdk })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, servers};

    const MODULE: &str =
        "module github.com/me/notes/v2\n\ngo 1.24\n\nrequire (\n\tgithub.com/mark3labs/mcp-go v0.43.0\n)\n";
    const MAIN: &str =
        "// A server.\npackage main\n\nimport (\n\t\"github.com/mark3labs/mcp-go/server\"\n)\n";

    #[test]
    fn programs_of_a_module_are_its_servers() {
        let other = "package main\n";
        for (files, expected) in [
            (vec![("main.go", MAIN)], vec!["notes: go run ."]),
            (vec![("cmd/a/main.go", MAIN), ("cmd/migrate/main.go", other)], vec!["a: go run ./cmd/a"]),
            (
                vec![("cmd/a/main.go", other), ("cmd/b/b.go", other)],
                vec!["a: go run ./cmd/a", "b: go run ./cmd/b"],
            ),
            (vec![("main.go", MAIN), ("bin/notes", "")], vec!["notes: ./bin/notes"]),
            (vec![("notes.go", "package notes\n"), ("main_test.go", MAIN)], vec![]),
        ] {
            let mut all = files.clone();
            all.push(("go.mod", MODULE));
            assert_eq!(servers(&all), expected, "{files:?}");
        }
    }

    #[test]
    fn a_module_without_an_sdk_of_its_own_is_told() {
        for (text, part) in [
            ("module x\nrequire github.com/mark3labs/mcp-go v1 // indirect\n", "no MCP SDK"),
            ("module github.com/mark3labs/mcp-go\n", "no MCP SDK"),
            ("module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n", "no `package main`"),
        ] {
            let notes = found(&[("go.mod", text)]).notes;
            assert!(notes[0].contains(part), "{text} {notes:?}");
        }
    }
}
