//! Takes secrets out of what is shown or written: header values, query parameters, and words we were told about.

use std::borrow::Cow;

/// What stands in the place of a secret.
const MARK: &str = "[redacted]";

/// Shorter words are left alone: they occur by chance.
const SHORTEST: usize = 6;

const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];

const PARAMETERS: [&str; 6] = ["token", "key", "secret", "password", "auth", "signature"];

/// Knows the secrets of a run.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Longest first, so that one that contains another is taken out whole.
    words: Vec<String>,
}

impl Redactor {
    /// Learns the literal `secrets`, such as the values of passed variables and headers; those under 6 bytes are ignored.
    ///
    /// Of `Bearer abc…` the part after the scheme is a secret of its own, and each is also known as JSON would write it.
    pub fn new(secrets: &[String]) -> Self {
        let bare = secrets.iter().filter_map(|secret| secret.split_once(' ')).map(|(_, rest)| rest.trim());
        let mut words: Vec<String> =
            secrets.iter().map(|secret| secret.trim()).chain(bare).map(str::to_owned).collect();
        words.retain(|word| word.len() >= SHORTEST);
        let escaped = words.iter().map(|word| serde_json::Value::from(word.as_str()).to_string());
        let escaped: Vec<String> = escaped.map(|json| json[1..json.len() - 1].to_owned()).collect();
        words.extend(escaped);
        words.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        words.dedup();
        Self { words }
    }

    /// Takes the known secrets out of `text`.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for word in self.words.iter() {
            if text.contains(word.as_str()) {
                text = Cow::Owned(text.replace(word.as_str(), MARK));
            }
        }
        text
    }

    /// Takes the known secrets out of `bytes`, and out of the head of an HTTP message what its headers keep secret.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let (head, body) = split_head(bytes);
        let mut all = redact_head(head);
        all.extend_from_slice(body);
        for word in &self.words {
            all = replace(all, word.as_bytes());
        }
        all
    }

    /// Takes the known secrets and the query parameters that are likely ones out of words about URLs.
    pub(crate) fn words(&self, bytes: &[u8]) -> Vec<u8> {
        self.bytes(&redact_queries(bytes))
    }
}

fn replace(bytes: Vec<u8>, word: &[u8]) -> Vec<u8> {
    if !bytes.windows(word.len()).any(|window| window == word) {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while let Some(&first) = rest.first() {
        if let Some(after) = rest.strip_prefix(word) {
            out.extend_from_slice(MARK.as_bytes());
            rest = after;
        } else {
            out.push(first);
            rest = &rest[1..];
        }
    }
    out
}

/// Splits an HTTP message after its headers; of anything else the head is empty.
fn split_head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let first_line = bytes.split(|&byte| byte == b'\r').next().unwrap_or_default();
    if !(first_line.starts_with(b"HTTP/1.") || first_line.ends_with(b" HTTP/1.1")) {
        return (&[], bytes);
    }
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    bytes.split_at(end)
}

fn redact_head(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let is_secret = HEADERS.iter().any(|name| line[..colon].eq_ignore_ascii_case(name.as_bytes()));
        if is_secret {
            out.extend_from_slice(&line[..colon]);
            out.extend_from_slice(format!(": {MARK}\r\n").as_bytes());
        } else {
            out.extend_from_slice(&redact_queries(line));
        }
    }
    out
}

/// Replaces the values of query parameters whose names sound secret.
fn redact_queries(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'?' | b'&')) {
        let (before, after) = rest.split_at(at + 1);
        out.extend_from_slice(before);
        rest = after;
        let name_end = after.iter().position(|byte| !is_query(*byte) || matches!(byte, b'=' | b'&'));
        let Some(equals) = name_end.filter(|&end| after[end] == b'=') else { continue };
        let name = String::from_utf8_lossy(&after[..equals]).to_ascii_lowercase();
        if PARAMETERS.iter().any(|word| name.contains(word)) {
            out.extend_from_slice(&after[..=equals]);
            out.extend_from_slice(MARK.as_bytes());
            let value = &after[equals + 1..];
            let end = value.iter().position(|byte| !is_query(*byte) || matches!(byte, b'&' | b'#'));
            rest = &value[end.unwrap_or(value.len())..];
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Tells whether a byte may stand in a URL.
fn is_query(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(secrets: &[&str], input: &str, expected: &str) {
        let secrets: Vec<String> = secrets.iter().map(|&secret| secret.to_owned()).collect();
        let redacted = Redactor::new(&secrets).words(input.as_bytes());
        assert_eq!(String::from_utf8_lossy(&redacted), expected);
    }

    #[test]
    fn secret_headers_lose_their_values_and_bodies_do_not() {
        let request = "POST /mcp?api_key=abc&x=1 HTTP/1.1\r\nAuthorization: Bearer t\r\naccept: */*\r\ncookie: a=b\r\n\r\ncookie: stays";
        let expected = "POST /mcp?api_key=[redacted]&x=1 HTTP/1.1\r\nAuthorization: [redacted]\r\naccept: */*\r\ncookie: [redacted]\r\n\r\ncookie: stays";
        check(&[], request, expected);
        check(
            &[],
            "HTTP/1.1 200 OK\r\nset-cookie: s\r\n\r\n",
            "HTTP/1.1 200 OK\r\nset-cookie: [redacted]\r\n\r\n",
        );
        check(&[], "authorization: not a head", "authorization: not a head");
    }

    #[test]
    fn queries_lose_the_values_that_sound_secret() {
        check(&[], "to http://h/?Token=1&b=2#c, again", "to http://h/?Token=[redacted]&b=2#c, again");
        check(&[], "a&b?c&d=", "a&b?c&d=");
        check(&[], "?key", "?key");
        check(&[], "?key=", "?key=[redacted]");
    }

    #[test]
    fn literal_secrets_go_wherever_they_stand() {
        check(&["hunter22", "hunter22-long"], "hunter22-long, hunter22", "[redacted], [redacted]");
        check(&["short"], "short", "short");
        check(&["Bearer sk-12345"], "key sk-12345 seen", "key [redacted] seen");
        check(&["quo\"ted1"], r#"{"a":"quo\"ted1"}"#, r#"{"a":"[redacted]"}"#);
    }
}
