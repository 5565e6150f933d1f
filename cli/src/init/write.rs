//! Writes servers down as `mcpproof.toml`.

use super::{Candidate, Way};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The name of the file.
pub(crate) const FILE: &str = "mcpproof.toml";

const HEAD: &str = "\
# The servers that `mcpproof gate` holds against the specification and against their lockfiles.
# All keys stand in `mcpproof gate --help`. ${NAME} is taken from the environment; no secret belongs in this file.

[gate]
profile = \"contract\" # calls, contract, model or exact
fail-on = \"error\"    # error, warn, info or never
";

/// What a file has in it at least, for whoever writes it by hand.
pub(crate) const SKELETON: &str = "\
[server.notes]
command = [\"node\", \"server.js\"]
# url = \"http://127.0.0.1:8080/mcp\" # instead of `command`
# env = { NOTES_TOKEN = \"${NOTES_TOKEN}\" }
lock = \"mcp-surface.lock\"
";

/// The whole file.
pub(crate) fn settings(candidates: &[Candidate]) -> String {
    format!("{HEAD}\n{}", servers(candidates))
}

/// The part of the file that names the servers.
fn servers(candidates: &[Candidate]) -> String {
    let all = candidates.iter().map(|candidate| server(candidate, candidates.len() == 1));
    all.collect::<Vec<_>>().join("\n")
}

/// What is to be added to a file that names servers already.
pub(crate) fn further_servers(candidates: &[Candidate]) -> String {
    candidates.iter().map(|candidate| server(candidate, false)).collect::<Vec<_>>().join("\n")
}

fn server(candidate: &Candidate, is_alone: bool) -> String {
    let mut text = format!("# From {}.\n", candidate.origin.replace(['\n', '\r'], " "));
    for (name, value) in &candidate.defaults {
        _ = writeln!(
            text,
            "# Where ${{{name}}} was not set, it was {} there; here it has to be set.",
            quoted(value)
        );
    }
    _ = writeln!(text, "[server.{}]", candidate.name);
    match &candidate.way {
        Way::Command(words) => {
            let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            _ = writeln!(text, "command = [{}]", words.join(", "));
        }
        Way::Url { url, sse } => {
            _ = writeln!(text, "url = {}", quoted(url));
            text.push_str(if *sse { "sse = true\n" } else { "" });
        }
        Way::Mock(name) => _ = writeln!(text, "mock = {}", quoted(name)),
    }
    if let Some(cwd) = &candidate.cwd {
        _ = writeln!(text, "cwd = {}", quoted(cwd));
    }
    table(&mut text, "env", &candidate.env);
    table(&mut text, "headers", &candidate.headers);
    // Named, so that a second server does not move the lock of the first.
    let lock = surface::lock::FILE_NAME;
    let lock = if is_alone { lock.to_owned() } else { format!("{}.{lock}", candidate.name) };
    _ = writeln!(text, "lock = {}", quoted(&lock));
    text
}

fn table(text: &mut String, name: &str, values: &BTreeMap<String, String>) {
    if values.is_empty() {
        return;
    }
    let pairs: Vec<_> =
        values.iter().map(|(key, value)| format!("{} = {}", quoted_key(key), quoted(value))).collect();
    _ = writeln!(text, "{name} = {{ {} }}", pairs.join(", "));
}

fn quoted_key(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// A TOML string; JSON escapes the same, but for one character.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_as_it_was() {
        let odd = "a \"b\"\\ \n\t\u{7f}\u{1b} ü";
        let mut command =
            Candidate::new("notes", "package.json, bin\n[x]", Way::Command(vec!["node".into(), odd.into()]));
        command.env.insert("A KEY".into(), "${A_KEY}".into());
        command.cwd = Some("sub".into());
        let url =
            Candidate::new("web", ".mcp.json", Way::Url { url: "https://example.org/sse".into(), sse: true });
        command.defaults.insert("A_KEY".into(), "1\n[2]".into());
        let mock = Candidate::new("good", "the command line", Way::Mock("good".into()));
        let text = settings(&[command, url, mock]);
        let config: crate::config::Config =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(
            config.server["notes"].command.as_deref(),
            Some(["node".to_owned(), odd.to_owned()].as_slice())
        );
        assert_eq!(config.server["notes"].env["A KEY"], "${A_KEY}");
        assert!(config.server["web"].sse && config.server["good"].mock.as_deref() == Some("good"));
        assert_eq!(config.server["web"].lock.as_deref(), Some(std::path::Path::new("web.mcp-surface.lock")));
    }
    #[test]
    fn what_is_proposed_to_be_written_by_hand_can_be_read() {
        let uncommented = SKELETON.replace("# env", "env");
        for text in [SKELETON.to_owned(), format!("{HEAD}\n{uncommented}")] {
            let config: crate::config::Config = toml::from_str(&text).expect("it is right");
            assert!(config.server["notes"].command.is_some() && config.server["notes"].lock.is_some());
        }
    }
}
