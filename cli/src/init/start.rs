//! Decides whether a server may be started now: nothing is installed or built, and nothing is started that is not there.

use super::{Candidate, Way};
use crate::settings;
use std::path::Path;

/// Programs that fetch what they start.
const FETCHERS: [&str; 8] = ["npx", "bunx", "pnpx", "uvx", "pipx", "dnx", "docker", "podman"];

/// Programs that fetch or build with one of these words after them, or run a script that may.
const FETCHING_WORDS: [(&str, &[&str]); 8] = [
    ("npm", &["exec", "x", "install", "run", "start"]),
    ("pnpm", &["dlx", "exec", "run", "start"]),
    ("yarn", &["dlx", "run", "start"]),
    ("bun", &["x", "run"]),
    ("uv", &["run", "tool"]),
    ("cargo", &["run"]),
    ("go", &["run"]),
    ("deno", &["run", "task"]),
];

/// Programs whose first argument is a script.
const INTERPRETERS: [&str; 6] = ["node", "bun", "deno", "python", "python3", "ruby"];

/// Says why `candidate` is not started in `folder`, if there is a reason.
pub(crate) fn reason_not_to_start(candidate: &Candidate, folder: &Path) -> Option<String> {
    let missing: Vec<_> = candidate.variables().into_iter().filter(|name| !settings::is_set(name)).collect();
    if let Some(name) = missing.first() {
        let more =
            if missing.len() > 1 { format!(" and {} more are", missing.len() - 1) } else { " is".to_owned() };
        return Some(format!("the variable {name}{more} not set"));
    }
    let Way::Command(words) = &candidate.way else { return None };
    let (program, args) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let first = args.first().map(String::as_str);
    let fetches = FETCHING_WORDS
        .iter()
        .any(|(of, words)| *of == name && first.is_some_and(|word| words.contains(&word)));
    if FETCHERS.contains(&name) || fetches {
        return Some(format!("`{name}` may fetch or build what it starts, and nothing is installed here"));
    }
    let folder = candidate.cwd.as_ref().map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
    let there =
        if program.contains('/') { folder.join(program).is_file() } else { settings::on_path(program) };
    if !there {
        return Some(format!("`{program}` is not there; build or install it"));
    }
    let script = first.filter(|word| INTERPRETERS.contains(&name) && !word.starts_with('-'));
    let missing = script.filter(|script| !folder.join(script).exists())?;
    Some(format!("`{missing}` is not there; build it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_and_fetches_nothing_is_started() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("server"), "").expect("a file");
        for (words, part) in [
            (vec!["./server"], None),
            (vec!["sh", "-c", "true"], None),
            (vec!["./other"], Some("`./other` is not there")),
            (vec!["no-such-program-at-all"], Some("is not there")),
            (vec!["npx", "-y", "some-server"], Some("`npx` may fetch")),
            (vec!["npm", "run", "--silent", "start"], Some("`npm` may fetch")),
            (vec!["deno", "task", "start"], Some("`deno` may fetch")),
            (vec!["/usr/bin/uv", "run", "x"], Some("`uv` may fetch")),
            (vec!["./server", "${NO_SUCH_VARIABLE_AT_ALL}"], Some("NO_SUCH_VARIABLE_AT_ALL is not set")),
        ] {
            let way = Way::Command(words.iter().map(|word| (*word).to_owned()).collect());
            let reason = reason_not_to_start(&Candidate::new("x", "", way), folder.path());
            match part {
                None => assert_eq!(reason, None, "{words:?}"),
                Some(part) => assert!(
                    reason.as_ref().is_some_and(|reason| reason.contains(part)),
                    "{words:?} {reason:?}"
                ),
            }
        }
    }
}
