//! Finds what is secret among the words that name a server, and writes the words without it. What the wire carries is redacted in `transport`.

use transport::shell_word;

/// Parts of a name that say that its value is a secret.
const PARTS: [&str; 7] = ["token", "secret", "passw", "passphrase", "credential", "signature", "apikey"];

/// Words in a name that say the same; as parts of longer words they would not.
const WORDS: [&str; 8] = ["key", "auth", "authorization", "pwd", "pass", "sig", "jwt", "pat"];

/// Tells whether a parameter, a flag, a variable or a header with this name holds a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    PARTS.iter().any(|part| name.contains(part))
        || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Makes the name of a variable: letters, digits and underscores, in capitals unless it is one already.
pub(crate) fn variable(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // A variable that exists may be spelt in small letters.
    if plain == name { name.to_owned() } else { plain.trim_matches('_').to_uppercase() }
}

/// A secret and the variable that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    /// The name of the variable.
    pub name: String,
    /// What must not be shown.
    pub value: String,
}

/// A word of a command line, its secrets apart from the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Secret(Secret),
}

impl Word {
    /// Takes an argument of a program apart; the argument `before` it may be the flag it belongs to.
    pub(crate) fn argument(before: &str, word: &str) -> Self {
        let separated = |between: char| word.split_once(between).filter(|(name, _)| is_name(name));
        for between in ['=', ':'] {
            if let Some((name, value)) = separated(between).filter(|(name, _)| is_secret(name)) {
                let gap = value.len() - value.trim_start().len();
                let text = &word[..name.len() + 1 + gap];
                return Self::default().text(text).secret(name, value.trim_start());
            }
        }
        let is_flag = before.starts_with('-') && !before.contains('=');
        if is_flag && is_secret(before) && !word.starts_with('-') {
            return Self::default().secret(before, word);
        }
        Self::address(word)
    }

    /// Takes a URL apart: its password, and the parameters that sound secret.
    pub(crate) fn address(url: &str) -> Self {
        let Some((scheme, rest)) = url.split_once("://") else { return Self::default().text(url) };
        let (host, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let word = Self::default().text(scheme).text("://");
        let word = match host.rsplit_once('@').map(|(user, host)| (user.split_once(':'), user, host)) {
            None => word.text(host),
            Some((Some((user, password)), _, host)) => {
                word.text(user).text(":").secret("PASSWORD", password).text("@").text(host)
            }
            Some((None, user, host)) => word.secret("URL_USER", user).text("@").text(host),
        };
        let (path, query) = after.split_at(after.find('?').unwrap_or(after.len()));
        query.split_inclusive(['?', '&', '#']).fold(word.text(path), |word, part| {
            let end = part.len() - usize::from(part.ends_with(['&', '#']));
            let (pair, mark) = part.split_at(end);
            match pair.split_once('=').filter(|(name, _)| is_secret(name)) {
                Some((name, value)) => word.text(name).text("=").secret(name, value).text(mark),
                None => word.text(part),
            }
        })
    }

    fn text(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
        self
    }

    /// Adds a value unless it is too plain to be a secret.
    pub(crate) fn secret(mut self, name: &str, value: &str) -> Self {
        if value.is_empty()
            || value.parse::<f64>().is_ok_and(|_| value.len() < 6)
            || value.parse::<bool>().is_ok()
        {
            return self.text(value);
        }
        let name = variable(name.trim_matches('-')).to_uppercase();
        self.0.push(Piece::Secret(Secret { name, value: value.to_owned() }));
        self
    }

    /// Writes the word for a shell, which fills the secrets in.
    pub(crate) fn shell(&self) -> String {
        if self.secrets().next().is_none() {
            return shell_word(&self.plain());
        }
        let quoted = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => in_double_quotes(text),
            Piece::Secret(secret) => format!("${{{}}}", secret.name),
        });
        format!("\"{}\"", quoted.collect::<String>())
    }

    /// Writes the word for the eye.
    pub(crate) fn plain(&self) -> String {
        let shown = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Secret(secret) => format!("${{{}}}", secret.name),
        });
        shown.collect()
    }

    /// The secrets in it.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Secret(secret) => Some(secret),
            Piece::Text(_) => None,
        })
    }
}

/// Escapes what a shell obeys between double quotes.
pub(crate) fn in_double_quotes(text: &str) -> String {
    let escaped =
        text.chars().flat_map(|c| matches!(c, '"' | '\\' | '$' | '`').then_some('\\').into_iter().chain([c]));
    escaped.collect()
}

/// Tells the names of flags, variables and headers from other text before a `=` or a `:`.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str, shown: &str, secrets: &[&str]) {
        let word = Word::address(url);
        assert_eq!(word.shell(), shown);
        assert_eq!(word.secrets().map(|secret| secret.value.as_str()).collect::<Vec<_>>(), secrets);
    }

    fn argument(before: &str, word: &str, shown: &str) {
        assert_eq!(Word::argument(before, word).shell(), shown);
    }

    #[test]
    fn addresses_lose_their_passwords_and_the_parameters_that_sound_secret() {
        address("https://h/mcp", "https://h/mcp", &[]);
        address("https://h/mcp?a=1&b", "'https://h/mcp?a=1&b'", &[]);
        address("https://h/?token=abc&x=1#top", "\"https://h/?token=${TOKEN}&x=1#top\"", &["abc"]);
        address("https://h/?x=1&api_key=a%20b", "\"https://h/?x=1&api_key=${API_KEY}\"", &["a%20b"]);
        address("https://me:s3cret@h:8/m", "\"https://me:${PASSWORD}@h:8/m\"", &["s3cret"]);
        address("https://ghp_1@h", "\"https://${URL_USER}@h\"", &["ghp_1"]);
        address("https://h/a@b?monkey=1&key=", "'https://h/a@b?monkey=1&key='", &[]);
    }

    #[test]
    fn arguments_lose_the_values_of_flags_variables_and_headers_that_sound_secret() {
        argument("", "--api-key=sk-1", "\"--api-key=${API_KEY}\"");
        argument("--token", "abc", "\"${TOKEN}\"");
        argument("-e", "DB_PASSWORD=a b", "\"DB_PASSWORD=${DB_PASSWORD}\"");
        argument("--header", "Authorization: Bearer x", "\"Authorization: ${AUTHORIZATION}\"");
        argument("mcp-remote", "https://h/?token=$x", "\"https://h/?token=${TOKEN}\"");
        argument("--key", "--verbose", "--verbose");
        argument("--max-tokens", "500", "500");
        argument("--author", "jo", "jo");
        argument("-c", "echo token=1; exit", "'echo token=1; exit'");
    }

    #[test]
    fn what_a_shell_obeys_is_escaped_beside_a_secret() {
        address("https://h/$a`b`?token=x", "\"https://h/\\$a\\`b\\`?token=${TOKEN}\"", &["x"]);
    }
}
