//! Puts `${NAME}` in the place of what is or may be a secret, so that no file of a repository holds one.

use super::{Candidate, Way};
use crate::secrets::{is_secret, variable};

/// Words before a secret in a header that are none.
const SCHEMES: [&str; 4] = ["", "bearer", "basic", "token"];

/// The names of all `${NAME}` in `text`.
pub(super) fn names(text: &str) -> Vec<String> {
    let parts = text.split("${").skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

/// Writes the variables of clients (`${env:X}`, `${X:-default}`, `${input:x}`, `${workspaceFolder}`) as ours.
pub(super) fn translate(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, after)) = after.split_once('}') else { break };
        out.push_str(before);
        match inside {
            "workspaceFolder" | "workspaceRoot" => out.push('.'),
            _ => {
                let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
                let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
                out.push_str(&format!("${{{}}}", variable(name)));
            }
        }
        rest = after;
    }
    out + rest
}

/// A value that may be written down: one that holds nothing but variables and a scheme stays, any other becomes `${variable}`.
pub(super) fn placeholder(value: &str, name: &str) -> String {
    let ours = translate(value);
    let mut bare = ours.clone();
    for name in names(&ours) {
        bare = bare.replace(&format!("${{{name}}}"), "");
    }
    if !names(&ours).is_empty() && SCHEMES.contains(&bare.trim().to_lowercase().as_str()) {
        return ours;
    }
    format!("${{{}}}", variable(name))
}

/// Looks for secrets among the arguments and in the address.
pub(super) fn replace_secrets(candidate: &mut Candidate) {
    match &mut candidate.way {
        Way::Command(words) => {
            for at in 1..words.len() {
                let before = words[at - 1].clone();
                words[at] = argument(&before, &words[at], &candidate.name);
            }
        }
        Way::Url { url, .. } => *url = address(url, &candidate.name),
        Way::Mock(_) => {}
    }
}

fn argument(before: &str, word: &str, server: &str) -> String {
    if let Some((flag, value)) = word.split_once('=').filter(|(flag, _)| is_secret(flag)) {
        return format!("{flag}={}", placeholder(value, &capitals(flag)));
    }
    if before.starts_with('-') && !before.contains('=') && is_secret(before) && !word.starts_with('-') {
        return placeholder(word, &capitals(before));
    }
    address(word, server)
}

/// An address without its password and without the parameters that are secrets.
fn address(word: &str, server: &str) -> String {
    let Some((_, rest)) = word.split_once("://") else { return word.to_owned() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':')) {
        return format!("${{{}}}", capitals(&format!("{server}_url")));
    }
    let Some((before, query)) = word.split_once('?') else { return word.to_owned() };
    let parameter = |pair: &str| match pair.split_once('=') {
        Some((name, value)) if is_secret(name) => format!("{name}={}", placeholder(value, &capitals(name))),
        _ => pair.to_owned(),
    };
    format!("{before}?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&"))
}

fn capitals(name: &str) -> String {
    variable(name).to_uppercase()
}
