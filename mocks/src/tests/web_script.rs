//! Talks to a mock over HTTP without a network: requests in, a transcript out.

use super::conversation::{describe, initialize_params};
use crate::mock::Mock;
use crate::web::Web;
use serde_json::{Value, json};
use specs::{Revision, Revisions};
use tokio::sync::mpsc;
use transport::serve::{Chunk, HttpAnswer, HttpBody, HttpHandler, HttpRequest};

/// A client of one server in one revision.
pub(super) struct Client {
    pub(super) revision: Revision,
    web: Web,
    pub(super) session: Option<String>,
    pub(super) text: String,
    next_id: u64,
}

/// An answer whose body has come in.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The error code of a JSON body.
    pub(super) fn code(&self) -> Option<i64> {
        serde_json::from_str::<Value>(&self.body).ok()?["error"]["code"].as_i64()
    }
}

impl Client {
    pub(super) fn of(mock: &Mock, revisions: Revisions, revision: Revision) -> Self {
        // Nobody waits for the exit; a server that wants one gives no answer.
        let (exit, _) = mpsc::unbounded_channel();
        let web = Web::new(&mock.setup(revisions), exit);
        Self { revision, web, session: None, text: String::new(), next_id: 1 }
    }

    /// Starts a session where there is one.
    pub(super) async fn open(&mut self) {
        if !self.revision.is_stateless() {
            let message = self.message("initialize", initialize_params(self.revision.as_str()));
            let answer = self.send(self.post(&message)).await;
            self.session = answer.header("mcp-session-id").map(str::to_owned);
        }
    }

    /// Builds a request message.
    pub(super) fn message(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": describe(self.revision, params)})
    }

    /// Builds the POST of a message with all its headers.
    pub(super) fn post(&self, message: &Value) -> HttpRequest {
        let mut headers = vec![
            ("host", "127.0.0.1:4000".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(self.session.clone().map(|id| ("mcp-session-id", id)));
        if self.revision.has_version_header() && message["method"] != "initialize" {
            headers.push(("mcp-protocol-version", self.revision.to_string()));
        }
        if self.revision.is_stateless() {
            headers.push(("mcp-method", message["method"].as_str().unwrap_or_default().to_owned()));
            let params = &message["params"];
            let name = params["name"].as_str().or(params["uri"].as_str());
            headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
        }
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let body = message.to_string().into_bytes();
        HttpRequest { method: "POST".into(), path: "/mcp".into(), headers, body }
    }

    /// Builds a request without a body.
    pub(super) fn bare(&self, method: &str) -> HttpRequest {
        let mut request = self.post(&json!({"method": "none"}));
        request.headers.retain(|(name, _)| name != "content-type" && name != "mcp-method");
        HttpRequest { method: method.into(), body: Vec::new(), ..request }
    }

    /// Sends a request, takes in the answer and writes both down.
    pub(super) async fn send(&mut self, request: HttpRequest) -> Answer {
        let line = format!("> {} {:?}\n", request.method, String::from_utf8_lossy(&request.body));
        let answer = match self.web.answer(&request) {
            None => Answer { status: 0, headers: Vec::new(), body: "(the connection breaks)".into() },
            Some(answer) => take_in(answer, request.method == "GET").await,
        };
        let session = answer.header("mcp-session-id").is_some_and(|id| !id.is_ascii());
        self.text.push_str(&line);
        let names: Vec<_> = answer.headers.iter().map(|(name, _)| name.as_str()).collect();
        let kind = answer.header("content-type").unwrap_or("none");
        let facts = format!("{} {names:?} {kind} {session} {}\n", answer.status, answer.body);
        self.text.push_str(&facts);
        answer
    }
}

/// Takes in an answer; of a stream that stays open only the first piece.
async fn take_in(answer: HttpAnswer, stays: bool) -> Answer {
    let mut body = Vec::new();
    match answer.body {
        HttpBody::Whole(bytes) => body = bytes,
        HttpBody::Open(_) if stays => {}
        HttpBody::Open(mut chunks) => {
            while let Some(chunk) = chunks.recv().await {
                let Chunk::Bytes(bytes) = chunk else { continue };
                let listens = String::from_utf8_lossy(&bytes).contains("acknowledged");
                body.extend(bytes);
                if listens {
                    break;
                }
            }
        }
        HttpBody::Chunks(_) => {}
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    Answer { status: answer.status, headers: answer.headers, body }
}

/// Replaces a header, or takes it away.
pub(super) fn with(mut request: HttpRequest, name: &str, value: Option<&str>) -> HttpRequest {
    request.headers.retain(|(known, _)| known != name);
    request.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    request
}

/// Has one long conversation and returns its transcript.
pub(super) async fn transcript(mock: &Mock, revision: Revision) -> String {
    let mut client = Client::of(mock, Revisions::only(revision), revision);
    let lone = client.message("tools/list", json!({}));
    client.send(client.post(&lone)).await;
    client.open().await;
    ordinary(&mut client).await;
    guarded(&mut client).await;
    if revision.is_stateless() {
        mirrored(&mut client).await;
    } else {
        client.send(client.bare("GET")).await;
        client.send(client.bare("DELETE")).await;
        client.send(client.post(&lone)).await;
    }
    client.text
}

async fn ordinary(client: &mut Client) {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    client.send(client.post(&note)).await;
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "echo", "arguments": {"text": "hello"}})),
        ("no/such/method", json!({})),
    ] {
        let message = client.message(method, params);
        client.send(client.post(&message)).await;
    }
}

async fn guarded(client: &mut Client) {
    let message = client.message("tools/list", json!({}));
    let post = client.post(&message);
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "http://localhost.evil.example"),
        ("origin", "null"),
        ("host", "evil.example"),
        ("accept", "text/event-stream;q=0.9, application/json"),
        ("content-type", "text/plain"),
        ("mcp-protocol-version", "1999-01-01"),
        ("mcp-session-id", "nobody"),
    ] {
        client.send(with(post.clone(), name, Some(value))).await;
    }
    client.send(with(post.clone(), "mcp-session-id", None)).await;
    client.send(with(post.clone(), "mcp-protocol-version", None)).await;
    client.send(HttpRequest { body: b"nonsense".to_vec(), ..post.clone() }).await;
    client.send(HttpRequest { body: b"[]".to_vec(), ..post.clone() }).await;
    client.send(client.bare("PUT")).await;
}

async fn mirrored(client: &mut Client) {
    let call = client.message("tools/call", json!({"name": "echo", "arguments": {"text": "x"}}));
    let post = client.post(&call);
    for (name, value) in [
        ("mcp-method", Some("tools/list")),
        ("mcp-method", Some("TOOLS/CALL")),
        ("mcp-method", None),
        ("mcp-name", Some("add")),
        ("mcp-name", Some("=?base64?ZWNobw==?=")),
        ("mcp-name", None),
    ] {
        client.send(with(post.clone(), name, value)).await;
    }
    let mut bare = call.clone();
    bare["params"]["_meta"] = json!({});
    client.send(client.post(&bare)).await;
    let mut other = call.clone();
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    client.send(with(client.post(&other), "mcp-protocol-version", Some("1999-01-01"))).await;
    let listen = client.message("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    client.send(client.post(&listen)).await;
    client.send(client.bare("GET")).await;
}

/// Has one conversation over HTTP+SSE and returns its transcript.
pub(super) async fn legacy_transcript(mock: &Mock) -> String {
    let revision = Revision::V2024_11_05;
    let mut client = Client::of(mock, Revisions::only(revision), revision);
    let stream = client.web.answer(&HttpRequest { path: "/sse".into(), ..client.bare("GET") });
    let Some(HttpAnswer { status: 200, body: HttpBody::Open(mut events), .. }) = stream else {
        return "no stream".into();
    };
    let foreign = with(client.bare("GET"), "origin", Some("http://evil.example"));
    let refused = client.web.answer(&HttpRequest { path: "/sse".into(), ..foreign });
    let mut text = format!("foreign: {}\n", refused.map_or(0, |answer| answer.status));
    let Some(Chunk::Bytes(endpoint)) = events.recv().await else { return "no event".into() };
    let endpoint = String::from_utf8_lossy(&endpoint).into_owned();
    let path = endpoint.lines().find_map(|line| line.strip_prefix("data: /messages")).unwrap_or_default();
    text.push_str(endpoint.split("session=").next().unwrap_or_default());
    let message = client.message("initialize", initialize_params("2024-11-05"));
    let post = HttpRequest { path: format!("/messages{path}"), ..client.post(&message) };
    let status = client.web.answer(&post).map_or(0, |answer| answer.status);
    text.push_str(&format!("post: {status}\n"));
    if status == 202
        && let Some(Chunk::Bytes(event)) = events.recv().await
    {
        text.push_str(&String::from_utf8_lossy(&event));
    }
    text
}
