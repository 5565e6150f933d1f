//! How a server that could not be talked to is told of: what happened, what it printed, and what may help.

use crate::evidence::Evidence;
use crate::log::{Conversation, Reply};
use crate::peer::{DEAF, exchange_words, exit_words};
use crate::quiet::comments_words;
use crate::report::DeadServer;
use crate::session::Session;
use crate::words::{self, count, quoted, seconds};
use transport::{BodyEnd, ConnectError, Exchange};
use wire::Message;

/// How much of a body that never ended is shown.
const SHOWN: usize = 200;

/// Describes a server that could not even be started or reached.
pub(crate) fn before_start(error: &ConnectError) -> DeadServer {
    let hint = match error {
        ConnectError::CommandNotFound { .. } => {
            Some("check the spelling and PATH; everything after `--` is the command")
        }
        ConnectError::CannotExecute { .. } => {
            Some("is the file marked executable, and is its first line right?")
        }
        ConnectError::Unreachable { cause, .. } => {
            Some(of_failure(cause).unwrap_or("is the server running, and is the port right?"))
        }
        ConnectError::NoEndpointEvent { .. } => {
            Some("maybe this is a Streamable HTTP URL: try it without --sse")
        }
        _ => None,
    };
    DeadServer {
        what: error.to_string(),
        sent: None,
        stdout: None,
        stderr: String::new(),
        hint: hint.map(str::to_owned),
        starts: 0,
    }
}

/// Describes a server that answers, but not in time for anybody to talk to it.
pub(crate) fn held_back(conversation: &Conversation, evidence: &Evidence) -> DeadServer {
    DeadServer {
        what: evidence.seen.clone(),
        sent: evidence.sent.clone(),
        stdout: None,
        stderr: conversation.stderr.clone(),
        hint: Some("flush stdout after each message".into()),
        starts: 0,
    }
}

/// Describes a server that started and never answered.
pub(crate) fn after_start(session: &mut Session, reply: &Reply) -> DeadServer {
    let last = session.log.all_sent().last().map(|(_, sent)| sent.clone());
    let asked = last.as_ref().and_then(|sent| sent.method.as_deref()).unwrap_or("initialize");
    let noise = Noise::of(session);
    let (what, hint) = match reply {
        Reply::Gone { deaf: true, .. } => (format!("{DEAF}{}", noise.after()), None),
        Reply::Gone { exit, .. } => {
            (format!("the server {} before it answered `{asked}`{}", exit_words(*exit), noise.after()), None)
        }
        Reply::Silent { waited, .. } => {
            let no_answer = match waited.as_millis() {
                0..10 => format!("no time was left to wait for an answer to `{asked}`"),
                _ => format!("no answer to `{asked}` within {}", seconds(*waited)),
            };
            silence(session, &noise, no_answer)
        }
        Reply::NoMessage(exchange) => {
            (format!("`{asked}` was answered with {}", answer_words(exchange)), of_answer(exchange))
        }
        Reply::Failed(cause) => {
            (format!("the HTTP request failed: {cause}"), of_failure(cause).map(str::to_owned))
        }
        Reply::Answered(answer) => (format!("`{asked}` was answered with {}", answer.in_words()), None),
    };
    DeadServer {
        what,
        sent: last.map(|sent| words::short(&sent.text, 300)),
        stdout: (!noise.lines.is_empty()).then(|| noise.lines.join("\n")),
        stderr: session.connection().stderr_tail(),
        hint,
        starts: 0,
    }
}

/// Words and a hint for a server that lives and does not answer.
fn silence(session: &mut Session, noise: &Noise, no_answer: String) -> (String, Option<String>) {
    if let Some((length, start)) = session.connection().open_body() {
        let start = quoted(&String::from_utf8_lossy(&start[..start.len().min(SHOWN)]));
        let what = format!("{no_answer}: {length} bytes of a body came, beginning with {start}, and no end");
        return (what, Some("a JSON answer ends its body; a stream of events is text/event-stream".into()));
    }
    let asked = session.log.all_sent().last().map(|(_, sent)| sent.text.clone()).unwrap_or_default();
    if !session.is_over_lines()
        && let Some(words) = comments_words(session, &asked)
    {
        return (format!("{no_answer}: {words}"), Some("an answer is an event with `data:`".into()));
    }
    let slow = "a slow start can be given more time with --start-timeout";
    match (noise.whole, noise.unfinished) {
        (0, 0) => (no_answer, Some(slow.into())),
        (0, bytes) => (
            format!("{bytes} bytes came without a newline, and {no_answer}"),
            Some("messages end with a newline that is flushed".into()),
        ),
        _ => (format!("{no_answer}{}", noise.after()), Some("logs belong on stderr".into())),
    }
}

/// What came on stdout that was no answer.
struct Noise {
    /// Its first lines, and the line that never ended.
    lines: Vec<String>,
    /// How many lines there were.
    whole: usize,
    /// Their bytes, newlines left out.
    bytes: usize,
    /// Bytes without a newline, all of them also where only the first are kept.
    unfinished: usize,
}

impl Noise {
    fn of(session: &mut Session) -> Self {
        let pending = session.connection_pending();
        let unfinished = session.connection().pending_length();
        let mut noise = Self { lines: Vec::new(), whole: 0, bytes: 0, unfinished };
        let is_noise = |message: &Message| matches!(message, Message::Noise | Message::Other(_));
        for (_, arrived) in session.log.frames().filter(|(_, a)| is_noise(&a.frame.message)) {
            let raw = &arrived.frame.raw;
            noise.whole += 1;
            noise.bytes += raw.len();
            if noise.whole <= 6 {
                noise.lines.push(quoted(&String::from_utf8_lossy(raw)));
            }
        }
        noise.whole += session.log.more_noise.lines;
        noise.bytes += session.log.more_noise.bytes;
        if noise.whole > 6 {
            noise.lines.push(format!("({} more lines)", noise.whole - 6));
        }
        if !pending.is_empty() {
            noise.lines.push(quoted(&String::from_utf8_lossy(&pending)));
        }
        noise
    }

    /// How much it was and how it begins, to go on with a sentence.
    fn after(&self) -> String {
        let Some(first) = self.lines.first() else { return String::new() };
        let amount = count(self.bytes + self.unfinished, "byte");
        let lines = count(self.whole + usize::from(self.unfinished > 0), "line");
        format!("; {amount} of other output came in {lines}, the first is {first}")
    }
}

/// What an HTTP answer without a message was, where it points to, and how its body ended.
fn answer_words(exchange: &Exchange) -> String {
    let mut text = exchange_words(exchange);
    if let Some(location) = exchange.header("location") {
        text.push_str(&format!(", Location {location}"));
    }
    if exchange.end != BodyEnd::Complete {
        text.push_str(&format!("; the body {} after {} bytes", exchange.end, exchange.body.len()));
    }
    text
}

/// What may help against such an answer.
fn of_answer(exchange: &Exchange) -> Option<String> {
    let path = path_of(&exchange.url);
    let body = String::from_utf8_lossy(&exchange.body);
    let usual =
        if path == "/mcp" { "the server may be at another path" } else { "the usual endpoint is /mcp" };
    let text = match exchange.status {
        301..=303 | 307 | 308 => match exchange.header("location") {
            Some(location) => format!("the server is elsewhere: check {}", absolute(&exchange.url, location)),
            None => "a redirect without `Location` leads nowhere".into(),
        },
        401 | 403 => {
            "a token is given with --header 'Authorization: Bearer ...'; this one, if any, was refused".into()
        }
        404 => format!("nothing is at the path {path}; {usual}, of HTTP+SSE /sse with --sse"),
        400 if body.to_ascii_lowercase().contains("https") && exchange.url.starts_with("http://") => {
            "the port speaks TLS: write https://".into()
        }
        405 => format!("the path {path} takes no POST; {usual}, of HTTP+SSE /sse with --sse"),
        _ if exchange.media_type() == "text/html" => {
            format!("a web page is at the path {path}, not an MCP server; {usual}")
        }
        _ => return None,
    };
    Some(text)
}

/// What may help against a request that got no answer.
fn of_failure(cause: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|word| cause.contains(word));
    if has(&["TLS: "]) && has(&["corrupt message"]) {
        return Some("what came is no TLS: the port may speak plain HTTP, so write http://");
    }
    if has(&["TLS: "]) && has(&["certificate", "UnknownIssuer"]) {
        return Some("the certificate is not trusted; SSL_CERT_FILE names a file of roots that are");
    }
    let no_http = ["invalid HTTP", "reset by peer", "closed before"];
    if has(&["no answer from http://"]) && has(&no_http) {
        return Some("the port is open, and what answers is no HTTP: if it speaks TLS, write https://");
    }
    if has(&["Connection refused"]) {
        return Some("is the server running, and is the port right?");
    }
    has(&["another origin"])
        .then_some("headers do not follow to another origin; if that is the server, check that URL")
}

/// Where a redirect leads; one without a host stays on the host of `url`.
fn absolute(url: &str, location: &str) -> String {
    let origin: Vec<_> = url.splitn(4, '/').take(3).collect();
    let stays = location.starts_with('/') && !location.starts_with("//");
    if stays { format!("{}{location}", origin.join("/")) } else { location.to_owned() }
}

/// The path in a URL, without what follows a question mark.
fn path_of(url: &str) -> String {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    format!("/{}", path.split(['?', '#']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn answer(url: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Exchange {
        Exchange {
            method: "POST".into(),
            url: url.into(),
            sent_headers: Vec::new(),
            sent: Vec::new(),
            status,
            headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            body: body.as_bytes().to_vec(),
            events: Vec::new(),
            unterminated: None,
            end: BodyEnd::Complete,
            first_byte: Duration::ZERO,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn usual_mistakes_with_urls_are_told_with_a_way_out() {
        let html = ("content-type", "text/html; charset=utf-8");
        for (exchange, words) in [
            (answer("http://a/", 302, &[("location", "https://a/mcp")], ""), "check https://a/mcp"),
            (answer("http://a:1/", 307, &[("location", "/mcp")], ""), "check http://a:1/mcp"),
            (answer("http://a/x?q=1", 404, &[html], "<html>"), "nothing is at the path /x; the usual"),
            (answer("http://a/mcp", 404, &[], ""), "may be at another path"),
            (answer("http://a", 200, &[html], "<html>"), "a web page is at the path /, not"),
            (answer("http://a/mcp", 400, &[], "sent to HTTPS port"), "write https://"),
            (answer("http://a/mcp", 401, &[], ""), "Authorization"),
        ] {
            let hint = of_answer(&exchange).unwrap_or_default();
            assert!(hint.contains(words), "{}: {hint}", exchange.status);
        }
        assert_eq!(of_answer(&answer("http://a/mcp", 500, &[], "")), None);
    }

    #[test]
    fn a_scheme_that_does_not_fit_the_port_is_told() {
        let reset = "no answer from http://a/mcp: connection error: Connection reset by peer (os error 104)";
        assert!(of_failure(reset).is_some_and(|hint| hint.contains("https://")));
        let plain = "cannot reach https://a/mcp: TLS: received corrupt message of type InvalidContentType";
        assert!(of_failure(plain).is_some_and(|hint| hint.ends_with("http://")));
        assert_eq!(of_failure("no answer from http://a/mcp within 10 ms"), None);
    }

    #[test]
    fn an_answer_is_told_with_where_it_points_and_how_its_body_ended() {
        let moved = answer("http://a/", 301, &[("location", "/mcp")], "");
        assert!(answer_words(&moved).ends_with(", Location /mcp"), "{}", answer_words(&moved));
        let cut = Exchange { end: BodyEnd::TooLong, ..answer("http://a/", 200, &[], "[1,1,") };
        assert!(answer_words(&cut).ends_with("; the body grew over the limit after 5 bytes"));
    }
}
