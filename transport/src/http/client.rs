//! One HTTP request and its answer, with exactly the headers that were asked for.

use super::answer::{Answer, Reading};
use super::dial::{Tls, dial};
use super::failure::{HttpFailure, chain};
use super::pool::{Line, Pool};
use crate::error::ConnectError;
use crate::exchange::{BodyEnd, Exchange};
use crate::scribe::Scribe;
use crate::target::Endpoint;
use crate::transcript::Direction;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Position, Url};

/// How many redirects are followed.
const HOPS: usize = 5;

/// Stands in the transcript where a request went out a second time.
const SENT_ANEW: &str = "the server had closed the connection of earlier requests; sent on a fresh one";

/// What a conversation calls itself; raw requests do not.
const USER_AGENT: &str = concat!("mcpproof/", env!("CARGO_PKG_VERSION"));

/// A request that goes out exactly as it stands; only `Host` and `Content-Length` are added where they are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRequest {
    /// The method.
    pub method: String,
    /// The headers, in this order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long everything may take; what has come by then is the answer.
    pub within: Duration,
    /// Ends reading after this many events of an event stream.
    pub stop_after: Option<usize>,
}

impl Default for RawRequest {
    fn default() -> Self {
        Self {
            method: "POST".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            within: Duration::from_secs(10),
            stop_after: None,
        }
    }
}

/// Sends single requests to the URL of a connection, over TCP connections that may have carried others before.
#[derive(Clone, Debug)]
pub struct HttpClient {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    url: Url,
    headers: Vec<(String, String)>,
    limit: usize,
    open_within: Duration,
    scribe: Scribe,
    tls: Tls,
    /// Connections that are used again.
    pool: Pool,
}

/// A request before it goes out.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) url: Url,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl HttpClient {
    /// Checks URL and headers; nothing is sent.
    pub(crate) fn new(
        endpoint: &Endpoint,
        limit: usize,
        open_within: Duration,
        scribe: Scribe,
    ) -> Result<Self, ConnectError> {
        let bad = |cause: String| ConnectError::BadUrl { url: endpoint.url.clone(), cause };
        let url = Url::parse(&endpoint.url).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad(format!("the scheme is `{}`", url.scheme())));
        }
        for (name, value) in &endpoint.headers {
            header(name, value).map_err(|_| ConnectError::BadHeader { name: name.clone() })?;
        }
        let headers = endpoint.headers.clone();
        let (tls, pool) = (Tls::default(), Pool::default());
        let inner = Inner { url, headers, limit, open_within, scribe, tls, pool };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The URL as it was understood.
    pub fn url(&self) -> &str {
        self.inner.url.as_str()
    }

    /// The headers the user wants on each request, such as `Authorization`. [`Self::exchange`] does not add them.
    pub fn given_headers(&self) -> &[(String, String)] {
        &self.inner.headers
    }

    /// Sends `request` and reads the answer to its end, to the deadline, or until enough was seen.
    ///
    /// Redirects are answers like any other.
    pub async fn exchange(&self, request: RawRequest) -> Result<Exchange, HttpFailure> {
        let until = Instant::now() + request.within;
        let call = Call {
            method: request.method,
            url: self.inner.url.clone(),
            headers: request.headers,
            body: request.body,
        };
        let reading = Reading { until: Some(until), ..self.usual_reading() };
        let mut answer = self.start(call, Some(until)).await?.reading(reading);
        let mut seen = 0;
        while request.stop_after.is_none_or(|enough| seen < enough) {
            match answer.next_event().await {
                Some((event, _)) => seen += usize::from(event.dispatched),
                None => return Ok(answer.exchange),
            }
        }
        answer.stop();
        Ok(answer.exchange)
    }

    pub(super) fn base(&self) -> &Url {
        &self.inner.url
    }

    pub(super) fn scribe(&self) -> &Scribe {
        &self.inner.scribe
    }

    pub(super) fn usual_reading(&self) -> Reading {
        Reading { limit: self.inner.limit, ..Reading::default() }
    }

    /// Sends `call` and follows redirects within its origin.
    pub(super) async fn follow(&self, mut call: Call, until: Option<Instant>) -> Result<Answer, HttpFailure> {
        // Some hosts turn away whoever does not say a name.
        if !call.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
            call.headers.push(("user-agent".to_owned(), USER_AGENT.to_owned()));
        }
        let first = call.url.clone();
        let refused = |cause: String| HttpFailure::Redirect { url: first.to_string(), cause };
        for _ in 0..=HOPS {
            let answer = self.start(call.clone(), until).await?;
            // The others turn a POST into a GET, which no server of this protocol means.
            let kept = matches!(answer.exchange.status, 307 | 308);
            let moved = kept || (call.method == "GET" && matches!(answer.exchange.status, 301..=303));
            let Some(location) = answer.exchange.header("location").filter(|_| moved) else {
                return Ok(answer);
            };
            let next =
                call.url.join(location).map_err(|error| refused(format!("to `{location}`: {error}")))?;
            if next.origin() != first.origin() {
                return Err(refused(format!("to {next}, another origin, which is not followed")));
            }
            call.url = next;
        }
        Err(refused(format!("again and again, at last to {}; {HOPS} redirects were followed", call.url)))
    }

    /// Sends `call` and waits for the headers of its answer.
    async fn start(&self, call: Call, until: Option<Instant>) -> Result<Answer, HttpFailure> {
        let sent_headers = listed(request(&call)?.headers());
        let scribe = self.scribe();
        let head = head(&format!("{} {} HTTP/1.1", call.method, target(&call.url)), &sent_headers);
        scribe.transcript.push_parts(scribe.number, Direction::Sent, &[head.as_bytes(), &call.body]);
        let sent_at = Instant::now();
        let answered = self.converse(&call);
        let late =
            || HttpFailure::Deadline { url: call.url.to_string(), millis: sent_at.elapsed().as_millis() };
        let answered = match until {
            Some(deadline) => timeout_at(deadline, answered).await.unwrap_or_else(|_| Err(late())),
            None => answered.await,
        };
        let (response, line) = answered.inspect_err(|failure| scribe.event(&failure.to_string()))?;
        Ok(self.answer(response, line, call, sent_headers, sent_at))
    }

    async fn converse(&self, call: &Call) -> Result<(Response<Incoming>, Line), HttpFailure> {
        let silent =
            |error: hyper::Error| HttpFailure::NoAnswer { url: call.url.to_string(), cause: chain(&error) };
        if let Some(mut line) = self.inner.pool.take().await {
            match line.sender.send_request(request(call)?).await {
                Ok(response) => return Ok((response, line)),
                Err(error) if was_closed(&error) => self.scribe().event(SENT_ANEW),
                Err(error) => return Err(silent(error)),
            }
        }
        let mut line = self.open(call).await?;
        let response = line.sender.send_request(request(call)?).await.map_err(silent)?;
        Ok((response, line))
    }

    async fn open(&self, call: &Call) -> Result<Line, HttpFailure> {
        let unreachable = |cause| HttpFailure::Unreachable { url: call.url.to_string(), cause };
        let opening = timeout(self.inner.open_within, dial(&call.url, &self.inner.tls)).await;
        let stream = opening.unwrap_or_else(|_| Err("the time to connect is over".to_owned()));
        let stream = TokioIo::new(stream.map_err(unreachable)?);
        let (sender, connection) =
            http1::handshake(stream).await.map_err(|error| unreachable(chain(&error)))?;
        let pump = tokio::spawn(async move {
            // What goes wrong shows in the answer or in its body.
            let _ = connection.await;
        });
        Ok(Line::new(sender, pump))
    }

    fn answer(
        &self,
        response: Response<Incoming>,
        line: Line,
        call: Call,
        sent_headers: Vec<(String, String)>,
        sent_at: Instant,
    ) -> Answer {
        let (parts, body) = response.into_parts();
        let headers = listed(&parts.headers);
        let first_line = format!("{:?} {}", parts.version, parts.status);
        let record = self.scribe().bytes(Direction::Received, head(&first_line, &headers).as_bytes());
        let exchange = Exchange {
            method: call.method,
            url: call.url.into(),
            sent_headers,
            sent: call.body,
            status: parts.status.as_u16(),
            headers,
            body: Vec::new(),
            events: Vec::new(),
            unterminated: None,
            end: BodyEnd::Complete,
            first_byte: sent_at.elapsed(),
            took: sent_at.elapsed(),
        };
        let pool = self.inner.pool.clone();
        Answer::new(exchange, (body, line), pool, self.scribe().clone(), record, sent_at)
    }
}

/// Tells whether a connection that had served others ended before a byte of the answer: servers close the idle ones
/// whenever they like, and some after each answer without a word.
fn was_closed(error: &hyper::Error) -> bool {
    let io = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    let is_broken =
        io.is_some_and(|io| matches!(io.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe));
    // Hyper says the same of an end amid the headers; then the fresh connection shows it again.
    error.is_canceled() || error.is_incomplete_message() || is_broken
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HttpFailure> {
    let bad = || HttpFailure::BadHeader { name: name.to_owned() };
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
    Ok((key, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?))
}

fn request(call: &Call) -> Result<Request<Full<Bytes>>, HttpFailure> {
    let mut request = Request::new(Full::from(Bytes::from(call.body.clone())));
    let bad_method = |_| HttpFailure::BadHeader { name: call.method.clone() };
    *request.method_mut() = Method::from_bytes(call.method.as_bytes()).map_err(bad_method)?;
    let bad_target = |_| HttpFailure::BadHeader { name: call.url.to_string() };
    *request.uri_mut() = target(&call.url).parse::<Uri>().map_err(bad_target)?;
    let headers = request.headers_mut();
    if !call.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        let host = &call.url[Position::BeforeHost..Position::AfterPort];
        let (name, value) = header("host", host)?;
        headers.append(name, value);
    }
    for (name, value) in &call.headers {
        let (name, value) = header(name, value)?;
        headers.append(name, value);
    }
    let has_body = !call.body.is_empty() || matches!(call.method.as_str(), "POST" | "PUT" | "PATCH");
    if has_body && !headers.contains_key("content-length") && !headers.contains_key("transfer-encoding") {
        headers.append("content-length", call.body.len().into());
    }
    Ok(request)
}

/// Path and query.
fn target(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

fn listed(headers: &hyper::HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// A first line and headers as they look in HTTP/1.1.
fn head(first_line: &str, headers: &[(String, String)]) -> String {
    let mut text = format!("{first_line}\r\n");
    headers.iter().for_each(|(name, value)| text.extend([name, ": ", value, "\r\n"]));
    text + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    const OK: &str = "200 OK";

    /// Answers so many requests, each of which is one read here, and closes at the next, or at once when it has
    /// `no_ear` for more.
    async fn serve(mut stream: TcpStream, status: &str, requests: usize, no_ear: bool) {
        let mut buffer = [0; 4096];
        for _ in 0..requests {
            if stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\n{{}}");
                stream.write_all(answer.as_bytes()).await.expect("writes");
            }
        }
        if !no_ear {
            let _ = stream.read(&mut buffer).await;
        }
    }

    /// Connections that ten requests need, and how many of them were answered.
    async fn connections(status: &'static str, requests: usize, no_ear: bool) -> (usize, usize) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let url = format!("http://{}/", listener.local_addr().expect("is bound"));
        let (count, mut counted) = tokio::sync::watch::channel(0);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.send_modify(|count| *count += 1);
                tokio::spawn(serve(stream, status, requests, no_ear));
            }
        });
        let endpoint = Endpoint { url, headers: Vec::new() };
        let within = Duration::from_secs(20);
        let client = HttpClient::new(&endpoint, 1024, within, Scribe::new(&Transcript::default()));
        let client = client.expect("is a URL");
        let mut answered = 0;
        for _ in 0..10 {
            let ask = RawRequest { body: b"{}".to_vec(), within, ..RawRequest::default() };
            let answer = client.exchange(ask).await;
            answered +=
                usize::from(answer.is_ok_and(|a| (a.body.as_slice(), a.end) == (b"{}", BodyEnd::Complete)));
        }
        (*counted.borrow_and_update(), answered)
    }

    #[tokio::test]
    async fn a_connection_serves_many_requests() {
        let (opened, answered) = connections(OK, 100, false).await;
        // One, unless this machine sleeps for as long as a connection may lie idle.
        assert!(opened < 10 && answered == 10, "{opened} {answered}");
    }

    #[tokio::test]
    async fn a_connection_that_the_server_closed_after_an_answer_costs_no_answer() {
        assert_eq!(connections(OK, 1, true).await, (10, 10));
        assert_eq!(connections(OK, 1, false).await, (10, 10));
    }

    #[tokio::test]
    async fn a_fresh_connection_that_closes_without_an_answer_is_asked_once() {
        assert_eq!(connections(OK, 0, false).await, (10, 0));
    }

    #[tokio::test]
    async fn after_a_refusal_the_next_request_has_a_connection_of_its_own() {
        assert_eq!(connections("400 Bad Request", 100, false).await, (10, 10));
    }
}
