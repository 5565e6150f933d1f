//! Reads what Python knows of a repository: the scripts of `pyproject.toml`, and files that start a server themselves.

use super::manifests::{files, no_sdk, read, read_table};
use super::{Candidate, Found, Way};
use std::path::Path;

/// Packages that are an SDK for servers.
const SDKS: [&str; 3] = ["mcp", "fastmcp", "mcp-server"];
/// How a line begins that takes the server's half of an SDK in.
const IMPORTS: [&str; 5] =
    ["from mcp.server", "import mcp.server", "from fastmcp import", "from fastmcp.server", "import fastmcp"];
/// Calls that start a server.
const RUNS: [&str; 4] = [".run(", ".run_async(", ".run_stdio_async(", "stdio_server("];

/// Looks for the programs of `pyproject.toml`, else for files that start a server.
pub(super) fn find(folder: &Path, found: &mut Found) {
    let before = found.candidates.len();
    pyproject(folder, found);
    // Where a script is named, the file behind it would be the same server once more.
    if found.candidates.len() == before {
        plain(folder, found);
    }
}

fn pyproject(folder: &Path, found: &mut Found) {
    const FILE: &str = "pyproject.toml";
    let Some(project) = read_table(folder, FILE, found) else { return };
    let get = |path: &[&str]| path.iter().try_fold(&project, |at, key| at.get(key));
    let listed = get(&["project", "dependencies"]).and_then(toml::Value::as_array).into_iter().flatten();
    let listed = listed.filter_map(toml::Value::as_str).map(requirement_name);
    let poetry = get(&["tool", "poetry", "dependencies"]).and_then(toml::Value::as_table);
    let poetry = poetry.into_iter().flat_map(|table| table.keys().map(String::as_str));
    if !listed.chain(poetry).any(|name| SDKS.contains(&name)) {
        return found.notes.push(no_sdk(FILE, &SDKS));
    }
    let tables = [get(&["project", "scripts"]), get(&["tool", "poetry", "scripts"])];
    let scripts: Vec<_> =
        tables.into_iter().flatten().filter_map(toml::Value::as_table).flat_map(toml::Table::keys).collect();
    if scripts.is_empty() {
        return found.notes.push(format!("{FILE} names no program: it has no [project.scripts]"));
    }
    for script in scripts {
        let way = Way::Command(vec![installed(folder, script, script)]);
        found.candidates.push(Candidate::new(script, format!("{FILE}, project.scripts"), way));
    }
}

/// The package of a requirement such as `mcp[cli]>=1.2; python_version > "3"`.
fn requirement_name(requirement: &str) -> &str {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    &requirement[..end.unwrap_or(requirement.len())]
}

/// A program of the repository's own environment where it has one, else `otherwise`.
fn installed(folder: &Path, program: &str, otherwise: &str) -> String {
    let own = [".venv", "venv"].map(|environment| format!("{environment}/bin/{program}"));
    own.into_iter().find(|own| folder.join(own).exists()).unwrap_or_else(|| otherwise.to_owned())
}

/// Looks for files that make a server, here and in `src`.
fn plain(folder: &Path, found: &mut Found) {
    let (before, mut seen) = (found.candidates.len(), false);
    for at in ["", "src/"] {
        for name in files(&folder.join(at), ".py") {
            seen = true;
            let file = format!("{at}{name}");
            let is_test = name.starts_with("test_") || name.ends_with("_test.py") || name == "conftest.py";
            let text = if is_test { None } else { read(folder, &file, found) };
            if let Some(way) = text.and_then(|text| starter(folder, &file, &text)) {
                found.candidates.push(Candidate::new(name.trim_end_matches(".py"), file.as_str(), way));
            }
        }
    }
    let requirements = read(folder, "requirements.txt", found).unwrap_or_default();
    let sdk = requirements.lines().map(|line| requirement_name(line.trim())).find(|name| SDKS.contains(name));
    match sdk {
        _ if found.candidates.len() > before => {}
        Some(sdk) => {
            found
                .notes
                .push(format!("requirements.txt has `{sdk}`, but no *.py here or in src/ makes a server"));
        }
        None if seen => {
            found.notes.push("no *.py here or in src/ makes a server of `mcp` or `fastmcp`".into())
        }
        None => found.absent.push("*.py".into()),
    }
}

/// How the server of a file is started, if it makes one.
fn starter(folder: &Path, file: &str, text: &str) -> Option<Way> {
    let imports =
        |of: &[&str]| text.lines().any(|line| of.iter().any(|import| line.trim().starts_with(import)));
    if !imports(&IMPORTS) || !["FastMCP(", "Server("].iter().any(|make| text.contains(make)) {
        return None;
    }
    if RUNS.iter().any(|run| text.contains(run)) {
        return Some(Way::Command(vec![installed(folder, "python", "python3"), file.to_owned()]));
    }
    // Such a file is handed to the program of its SDK.
    let sdk = if imports(&IMPORTS[2..]) { "fastmcp" } else { "mcp" };
    let words = vec![installed(folder, sdk, sdk), "run".to_owned(), file.to_owned()];
    text.contains("FastMCP(").then_some(Way::Command(words))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, servers};

    const SERVER: &str = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('n')\n";

    #[test]
    fn a_file_that_makes_a_server_is_started_the_way_it_is_written() {
        let running = format!("{SERVER}\nif __name__ == '__main__':\n    mcp.run()\n");
        let low = "    from mcp.server import Server\nasync def main():\n  app = Server('n')\n  async with stdio_server() as x: ...";
        let other = "from fastmcp import FastMCP\nmcp = FastMCP('n')\n";
        let client = "from mcp import ClientSession\nfrom fastmcp import Client\nasyncio.run(main())";
        for (files, expected) in [
            (vec![("server.py", running.as_str())], vec!["server: python3 server.py"]),
            (
                vec![("main.py", running.as_str()), (".venv/bin/python", "")],
                vec!["main: .venv/bin/python main.py"],
            ),
            (vec![("src/app.py", low)], vec!["app: python3 src/app.py"]),
            (vec![("server.py", SERVER)], vec!["server: mcp run server.py"]),
            (vec![("server.py", other)], vec!["server: fastmcp run server.py"]),
            (vec![("client.py", client), ("test_server.py", running.as_str())], vec![]),
            (
                vec![
                    ("server.py", running.as_str()),
                    ("pyproject.toml", "[project]\ndependencies = ['mcp']\n[project.scripts]\nn = 's:m'"),
                ],
                vec!["n: n"],
            ),
        ] {
            assert_eq!(servers(&files), expected, "{files:?}");
        }
    }

    #[test]
    fn requirements_without_a_server_are_told() {
        let notes = found(&[("requirements.txt", "requests\nmcp[cli]>=1\n"), ("x.py", "1")]).notes;
        assert_eq!(notes, ["requirements.txt has `mcp`, but no *.py here or in src/ makes a server"]);
    }
}
