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
    while let Some((before, inside, after)) = split(rest) {
        out.push_str(before);
        match inside {
            "workspaceFolder" | "workspaceRoot" => out.push('.'),
            "userHome" => out.push_str("${HOME}"),
            _ => out.push_str(&format!("${{{}}}", ours(inside).0)),
        }
        rest = after;
    }
    out + rest
}

/// The variables of a text that have a default, unless that may be a secret. `before` is the name of the text, or the flag before it.
pub(super) fn defaults(before: &str, text: &str) -> Vec<(String, String)> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((left, inside, after)) = split(rest) {
        let names = [before, left, inside.split(":-").next().unwrap_or_default()];
        let is_password = after.starts_with('@');
        if let (name, Some(value)) = ours(inside)
            && !names.into_iter().any(is_secret)
            && !is_password
            && !looks_secret(value)
        {
            all.push((name, value.to_owned()));
        }
        rest = after;
    }
    all
}

/// Tells whether a value may be one of those that are made to be secret: it has a password, or is long and random.
fn looks_secret(value: &str) -> bool {
    let is_random = |word: &str| {
        word.len() >= 16
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    address(value, "") != value || value.split(|c: char| !c.is_ascii_alphanumeric()).any(is_random)
}

/// Splits at the first `${...}`: what is before it, in it and after it. A default may hold variables itself.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '$' if rest[at..].starts_with("${") => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((before, &rest[..at], &rest[at + 1..]));
        }
    }
    None
}

/// The name of ours for what stands between the braces, and the default.
fn ours(inside: &str) -> (String, Option<&str>) {
    let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, value)| (name, Some(value)));
    (variable(name.rsplit_once(':').map_or(name, |(_, name)| name)), default)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_clients_become_ours() {
        for (text, expected) in [
            ("${env:MODE}/${input:notes-key}", "${MODE}/${NOTES_KEY}"),
            ("http://h:${PORT:-9}/mcp", "http://h:${PORT}/mcp"),
            ("${A:-${B:-c}}/d", "${A}/d"),
            ("${workspaceFolder}/x ${userHome}/y", "./x ${HOME}/y"),
            ("${open", "${open"),
        ] {
            assert_eq!(translate(text), expected, "{text}");
        }
    }

    #[test]
    fn defaults_are_kept_unless_they_may_be_secrets() {
        let check = |before: &str, text: &str, expected: &[(&str, &str)]| {
            let expected: Vec<_> =
                expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(defaults(before, text), expected, "{before} {text}");
        };
        check("", "http://${HOST:-127.0.0.1}:${env:PORT:-9}/mcp", &[("HOST", "127.0.0.1"), ("PORT", "9")]);
        check("LEVEL", "${LEVEL:-}", &[("LEVEL", "")]);
        check("", "${A:-${B:-c}}", &[("A", "${B:-c}")]);
        check("", "${MODE} ${API_KEY:-s3cret}", &[]);
        check("--api-key", "${K:-s3cret}", &[]);
        check("", "--token=${K:-s3cret}", &[]);
        check("NOTES_TOKEN", "${K:-s3cret}", &[]);
        check("", "postgres://me:${K:-s3cret}@h/db", &[]);
        check("DB", "${DB:-postgres://me:s3cret@h/db}", &[]);
        check("X", "${X:-ghp_0123456789abcdefABCD}", &[]);
    }
}
