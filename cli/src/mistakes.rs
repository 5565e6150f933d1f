//! Recognises the usual slips in naming a server, and says what was probably meant. It only guesses; nothing is run.

use crate::settings::on_path;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;
use transport::shell_word;

/// What starts a file with this ending.
const STARTERS: [(&str, &str); 9] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("ts", "npx tsx"),
    ("rb", "ruby"),
    ("php", "php"),
    ("sh", "sh"),
    ("jar", "java -jar"),
];

/// Programs that start servers and are rarely installed under another name.
const PROGRAMS: [&str; 14] = [
    "python", "python3", "node", "npx", "uvx", "uv", "deno", "bun", "bunx", "pipx", "docker", "java",
    "cargo", "go",
];

/// Says what somebody meant who named a server by `word`, where it is one of the usual slips.
pub(crate) fn meant(word: &str) -> Option<String> {
    address(word).or_else(|| file(word)).or_else(|| program(word)).or_else(|| package(word))
}

/// `localhost:8000/mcp`, `example.org/mcp`
fn address(word: &str) -> Option<String> {
    let (host, _) = word.split_at(word.find('/').unwrap_or(word.len()));
    let (name, port) =
        host.rsplit_once(':').map_or((host, None), |(name, port)| (name, port.parse::<u16>().ok()));
    let is_here = name == "localhost" || name.starts_with("127.") || name == "[::1]";
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-.[]:".contains(c));
    let dotted = name.contains('.') && !name.starts_with('.') && word.len() > host.len();
    let is_address = is_name && (is_here || port.is_some() || dotted) && !Path::new(word).exists();
    let scheme = if is_here || port.is_some() { "http" } else { "https" };
    is_address.then(|| format!("an address begins with its scheme: {scheme}://{word}"))
}

/// `server.py`, `build/index.js`, `./server`
fn file(word: &str) -> Option<String> {
    let path = Path::new(word);
    let ending = path.extension().and_then(|ending| ending.to_str());
    let starter = STARTERS.iter().find(|(of, _)| Some(*of) == ending).map(|(_, starter)| *starter);
    let is_file = path.is_file();
    let command = match starter {
        Some(starter) => format!("-- {starter} {}", shell_word(word)),
        None if is_file && word.contains('/') => format!("-- {}", shell_word(word)),
        None if is_file => format!("-- ./{}", shell_word(word)),
        None => return None,
    };
    let missing = if is_file { "" } else { " (and there is no such file here)" };
    Some(format!("a server is named by the command that starts it: {command}{missing}"))
}

/// `python`, `my-server` on the PATH
fn program(word: &str) -> Option<String> {
    let is_program = PROGRAMS.contains(&word) || (!word.contains('/') && on_path(word));
    is_program.then(|| format!("a program and its arguments come after `--`: -- {} ...", shell_word(word)))
}

/// `@scope/server`, `mcp-server-time`
fn package(word: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._/@".contains(c);
    if !word.chars().all(allowed) || word.starts_with('.') || word.starts_with('/') {
        return None;
    }
    if word.starts_with('@') && word.matches('/').count() == 1 {
        return Some(format!("a package is named by the command that runs it: -- npx -y {word}"));
    }
    let sounds_like_one = word.split(['-', '_', '.', '@']).any(|part| part == "mcp" || part == "server");
    (sounds_like_one && !word.contains('/')).then(|| {
        format!(
            "a package is named by the command that runs it: -- npx -y {word} (npm) or -- uvx {word} (PyPI)"
        )
    })
}

/// Says how the words of a command line would have to stand that clap refused because a command had no `--` before it.
pub(crate) fn without_dashes(args: &[OsString], refused: &clap::Error) -> Option<String> {
    if refused.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(word)) = refused.get(ContextKind::InvalidArg) else { return None };
    let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
    let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
    // The first two are the program and what it is to do.
    let at = words.iter().skip(3).position(|arg| arg.split('=').next() == Some(name) || arg == word)? + 2;
    let program = &words[at];
    if program.starts_with('-')
        || program.contains("://")
        || program.starts_with("mock:")
        || words[..at].iter().any(|w| w == "--")
    {
        return None;
    }
    let typed = |words: &[std::borrow::Cow<'_, str>]| {
        words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    };
    Some(format!("a command comes after `--`: mcpproof {} -- {}", typed(&words[1..at]), typed(&words[at..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    fn check(word: &str, part: &str) {
        let text = meant(word).unwrap_or_default();
        assert!(text.contains(part), "{word}: {text}");
    }

    #[test]
    fn addresses_without_a_scheme_get_one() {
        check("localhost:8000/mcp", ": http://localhost:8000/mcp");
        check("127.0.0.1:8000", ": http://127.0.0.1:8000");
        check("localhost/mcp", ": http://localhost/mcp");
        check("example.org/mcp", ": https://example.org/mcp");
        check("box:3000/sse", ": http://box:3000/sse");
    }

    #[test]
    fn files_programs_and_packages_get_the_command_that_starts_them() {
        check("server.py", ": -- python3 server.py (and there is no such file here)");
        check("build/index.js", ": -- node build/index.js");
        check("my server.ts", ": -- npx tsx 'my server.ts'");
        check("Cargo.toml", ": -- ./Cargo.toml");
        check("npx", ": -- npx ...");
        check("@scope/server-x", ": -- npx -y @scope/server-x");
        check("mcp-server-time", "-- uvx mcp-server-time (PyPI)");
    }

    #[test]
    fn other_words_lead_to_no_guess() {
        for word in ["notes", "my notes", "No-Such", "", "a/b/c", ":", "x:y"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }

    #[test]
    fn a_command_without_dashes_is_shown_with_them() {
        let hint = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let refused = Cli::try_parse_from(&args).expect_err("refused");
            without_dashes(&args, &refused)
        };
        let with = |line: &str| Some(format!("a command comes after `--`: {line}"));
        assert_eq!(hint("mcpproof check python server.py"), with("mcpproof check -- python server.py"));
        assert_eq!(hint("mcpproof check npx -y x"), with("mcpproof check -- npx -y x"));
        assert_eq!(
            hint("mcpproof lock --timeout 5 node a.js --port=3"),
            with("mcpproof lock --timeout 5 -- node a.js --port=3")
        );
        assert_eq!(hint("mcpproof check mock:good extra"), None);
        assert_eq!(hint("mcpproof check --no-such mock:good"), None);
        assert_eq!(hint("mcpproof check -y"), None);
    }
}
