//! Single HTTP requests of probes: what a client would send, varied, and words for what came back. No check lives here.

use crate::check::Stop;
use crate::evidence::Evidence;
use crate::finding::Excerpt;
use crate::log::{Conversation, Entry};
use crate::peer::Peer;
use crate::session::Session;
use crate::words::{quoted, short};
use serde_json::{Value as Json, json};
use std::time::Duration;
use transport::{BodyEnd, Connection, Endpoint, Exchange, HttpClient, HttpFailure, RawRequest, Target};
use wire::{Frame, Message, Response};

/// How long one such request may take; nothing they ask for needs work.
const WITHIN: Duration = Duration::from_secs(5);

/// One request, to be varied before it is sent.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    client: HttpClient,
    request: RawRequest,
    /// How it differs from what a client sends.
    varied: Vec<String>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Took {
    /// It was answered with a result.
    Served,
    /// It was answered with an error, of HTTP or of JSON-RPC.
    Refused,
    /// Neither can be said; the words say why.
    Unclear(String),
}

impl Ask {
    /// A POST of `message` as a client of this conversation sends it.
    pub(super) fn post(session: &mut Session, message: &Json) -> Result<Self, Stop> {
        let within = session.timing.answer.min(WITHIN);
        let connection = session.connection();
        let client = connection.http().ok_or_else(|| Stop::NotApplicable("only for HTTP".into()))?;
        let body = message.to_string().into_bytes();
        let headers = connection.headers_for(&body);
        // One event may only prepare the stream; the answer is the next.
        let request = RawRequest { headers, body, within, stop_after: Some(2), ..RawRequest::default() };
        Ok(Self { client, request, varied: Vec::new() })
    }

    /// A POST of a request that costs nothing.
    pub(super) fn harmless(peer: &mut Peer) -> Result<Self, Stop> {
        let message = harmless(peer)?;
        Self::post(peer.live()?, &message)
    }

    /// A GET of `endpoint` without anything.
    pub(super) async fn get(peer: &Peer, url: &str) -> Result<Self, Stop> {
        let endpoint = Endpoint { url: url.to_owned(), headers: Vec::new() };
        let client = client_of(peer, endpoint).await?;
        let within = peer.timing.answer.min(WITHIN);
        let request = RawRequest { method: "GET".into(), within, ..RawRequest::default() };
        Ok(Self { client, request, varied: Vec::new() })
    }

    /// Uses another method; what only a POST carries goes, and so does the body.
    pub(super) fn method(mut self, method: &str) -> Self {
        self.request.method = method.to_owned();
        self.request.body.clear();
        let of_post = ["content-type", "accept", "mcp-method", "mcp-name"];
        self.request.headers.retain(|(name, _)| !of_post.contains(&name.as_str()));
        self
    }

    /// Sets a header that is not worth a word.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.request.headers.retain(|(known, _)| known != name);
        self.request.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a header to something that the check is about.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.varied.push(format!("with `{name}: {value}`"));
        self.header(&name.to_ascii_lowercase(), value)
    }

    /// Leaves a header out.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.varied.push(format!("without `{name}`"));
        let lower = name.to_ascii_lowercase();
        self.request.headers.retain(|(known, _)| *known != lower);
        self
    }

    /// Sends other bytes in the place of the message.
    pub(super) fn body(mut self, body: &str) -> Self {
        self.request.body = body.as_bytes().to_vec();
        self
    }

    /// Waits at most so long.
    pub(super) fn within(mut self, within: Duration) -> Self {
        self.request.within = within;
        self
    }

    /// Reads at most so many events.
    pub(super) fn events(mut self, enough: usize) -> Self {
        self.request.stop_after = Some(enough);
        self
    }

    /// How long it may take.
    pub(super) fn patience(&self) -> Duration {
        self.request.within
    }

    /// The URL it goes to.
    pub(super) fn url(&self) -> &str {
        self.client.url()
    }

    /// Tells whether it carries this header.
    pub(super) fn has(&self, name: &str) -> bool {
        self.request.headers.iter().any(|(known, _)| known == name)
    }

    /// Says what was sent, for a finding.
    pub(super) fn words(&self) -> String {
        let mut words = format!("{} {}", self.request.method, self.client.url());
        if !self.varied.is_empty() {
            words = format!("{words} {}", self.varied.join(" and "));
        }
        if !self.request.body.is_empty() {
            let body = String::from_utf8_lossy(&self.request.body);
            words = format!("{words}, body {}", short(&body, 220));
        }
        words
    }

    /// Sends it and returns what came, failures included.
    pub(super) async fn try_send(&self) -> Result<Exchange, HttpFailure> {
        self.client.exchange(self.request.clone()).await
    }

    /// Sends it; where no answer comes at all nothing can be said.
    pub(super) async fn send(&self) -> Result<Exchange, Stop> {
        self.try_send().await.map_err(|failure| Stop::Unproven(format!("{}: {failure}", self.words())))
    }

    /// Makes sure that the request is served as it stands, so that a refusal has the right cause.
    pub(super) async fn control(&self) -> Result<(), Stop> {
        let exchange = self.send().await?;
        match took(&exchange) {
            Took::Served => Ok(()),
            _ => {
                let why = seen(&exchange);
                Err(Stop::Unproven(format!("the request as a client sends it was not served either: {why}")))
            }
        }
    }

    /// Evidence from what came.
    pub(super) fn evidence(&self, expected: impl Into<String>, exchange: &Exchange) -> Evidence {
        let mut evidence = Evidence::new(expected, seen(exchange)).sent(short(&self.words(), 400));
        if !exchange.body.is_empty() {
            evidence.bytes = Some(Excerpt::of(&exchange.body, None));
        }
        evidence
    }
}

/// A client for single requests to `endpoint`.
pub(super) async fn client_of(peer: &Peer, endpoint: Endpoint) -> Result<HttpClient, Stop> {
    let opened = Connection::open(&Target::Http(endpoint), &peer.opener.options).await;
    let client = opened.map_err(|error| Stop::Unproven(error.to_string()))?.http();
    client.ok_or_else(|| Stop::Unproven("it is no HTTP URL".into()))
}

/// A request that costs nothing, in the words of the revision.
pub(super) fn harmless(peer: &mut Peer) -> Result<Json, Stop> {
    let method = match (peer.declares("tools"), peer.revision().has_ping()) {
        (true, _) => "tools/list",
        (false, true) => "ping",
        (false, false) => "server/discover",
    };
    Ok(peer.live()?.build(method, json!({})))
}

/// The first response in the body of an answer, whatever its content type.
pub(super) fn response_of(exchange: &Exchange) -> Option<Response> {
    let of = |bytes: &[u8]| Frame::read(bytes).responses().next().cloned();
    if exchange.media_type() == "text/event-stream" {
        exchange.events.iter().filter_map(|event| event.data.as_deref()).find_map(|data| of(data.as_bytes()))
    } else {
        of(&exchange.body)
    }
}

/// The code of the JSON-RPC error in an answer.
pub(super) fn code_of(exchange: &Exchange) -> Option<i64> {
    response_of(exchange)?.error_code()
}

/// Says whether a request was served.
pub(super) fn took(exchange: &Exchange) -> Took {
    if let Some(why) = not_the_server(exchange) {
        return Took::Unclear(why);
    }
    match (exchange.status, response_of(exchange)) {
        (200..300, Some(response)) if response.result.is_some() => Took::Served,
        (400.., _) | (_, Some(_)) => Took::Refused,
        _ => Took::Unclear(seen(exchange)),
    }
}

/// Statuses that gateways and rate limits give, whatever the server thinks.
pub(super) fn not_the_server(exchange: &Exchange) -> Option<String> {
    matches!(exchange.status, 300..=399 | 401 | 407 | 429).then(|| seen(exchange))
}

/// Says what an answer was: the status, the content type, and the message in it.
pub(super) fn seen(exchange: &Exchange) -> String {
    let media = exchange.media_type();
    let media = if media.is_empty() { "no content type".to_owned() } else { media };
    let what = match response_of(exchange) {
        Some(response) => match (&response.result, &response.error) {
            (None, Some(error)) => format!("error {}", short(&error.to_string(), 160)),
            (Some(_), _) => "a result".to_owned(),
            (None, None) => "a response with neither result nor error".to_owned(),
        },
        None if exchange.body.is_empty() => "no body".to_owned(),
        None => format!("body {}", quoted(&String::from_utf8_lossy(&exchange.body))),
    };
    let end = if matches!(exchange.end, BodyEnd::Complete | BodyEnd::Stopped) {
        String::new()
    } else {
        format!("; the body {}", exchange.end)
    };
    format!("HTTP status {}, {media}, {what}{end}", exchange.status)
}

/// Every exchange that the conversations recorded.
pub(super) fn exchanges(conversations: &[Conversation]) -> impl Iterator<Item = (u64, &Exchange)> {
    let entries = conversations.iter().flat_map(|conversation| &conversation.entries);
    entries.filter_map(|entry| match entry {
        Entry::Exchange { post, exchange } => Some((*post, &**exchange)),
        _ => None,
    })
}

/// The method of the request that an exchange answers, when it was a proper one.
pub(super) fn asked(exchange: &Exchange) -> Option<String> {
    match Frame::read(&exchange.sent).message {
        Message::Request(request) if matches!(request.id.kind(), "string" | "integer") => {
            Some(request.method)
        }
        _ => None,
    }
}

/// Evidence from an exchange of a conversation.
pub(super) fn of_exchange(expected: &str, seen: String, exchange: &Exchange) -> Evidence {
    let sent =
        format!("{} {}, body {}", exchange.method, exchange.url, String::from_utf8_lossy(&exchange.sent));
    let mut evidence = Evidence::new(expected, seen).sent(short(&sent, 300));
    if !exchange.body.is_empty() {
        evidence.bytes = Some(Excerpt::of(&exchange.body, None));
    }
    evidence
}

/// The name of the host in a URL, without its port.
pub(super) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Tells whether a URL leads to this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let host = host_of(url);
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

/// Whole messages in the body of an event stream that stand there without `data:`.
pub(crate) fn raw_messages(exchange: &Exchange) -> Vec<Frame> {
    let events = exchange.events.iter().chain(&exchange.unterminated);
    if exchange.media_type() != "text/event-stream" || events.into_iter().any(|event| event.data.is_some()) {
        return Vec::new();
    }
    let whole = Frame::read(&exchange.body);
    let is_message = |frame: &Frame| !matches!(frame.message, Message::Noise | Message::Other(_));
    if is_message(&whole) {
        return vec![whole];
    }
    let lines = exchange.body.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.filter(|line| line.starts_with(b"{")).map(Frame::read).filter(is_message).collect()
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_urls_of_this_machine_are_loopback() {
        for url in
            ["http://127.0.0.1:80/mcp", "http://localhost", "https://[::1]:9/x", "http://u@localhost:1/"]
        {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["http://example.com/127.0.0.1", "http://localhost.example.com/", "http://10.0.0.1:127/"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
