//! Streamable HTTP against servers that behave and servers that do not.

use crate::support::{GUARD, PATIENT, close, next, open, options, text};
use mcpproof_transport::serve::{self, Chunk, HttpAnswer, HttpBody, HttpHandler, HttpRequest};
use mcpproof_transport::{
    BodyEnd, Command, ConnectError, Connection, Direction, Endpoint, Exchange, HttpFailure, RawRequest,
    Received, Target,
};
use specs::Revision;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::Instant;

/// A handler made of a function.
struct With<F>(F);

impl<F: FnMut(&HttpRequest) -> Option<HttpAnswer> + Send + 'static> HttpHandler for With<F> {
    fn answer(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        (self.0)(request)
    }
}

/// Starts a server and gives its address.
pub(crate) async fn served(
    answer: impl FnMut(&HttpRequest) -> Option<HttpAnswer> + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(serve::http(listener, With(answer)));
    format!("http://{address}/mcp")
}

pub(crate) fn endpoint(url: &str) -> Endpoint {
    Endpoint { url: url.to_owned(), headers: Vec::new() }
}

fn json(status: u16, body: &str) -> HttpAnswer {
    HttpAnswer::new(status, "application/json", HttpBody::Whole(body.into()))
}

pub(crate) fn stream(chunks: Vec<Chunk>) -> HttpAnswer {
    HttpAnswer::new(200, "text/event-stream", HttpBody::Chunks(chunks))
}

pub(crate) fn bytes(text: &str) -> Chunk {
    Chunk::Bytes(text.into())
}

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Sends a ping to a server with one answer; gives the frames and how the exchange ended.
async fn ping(
    answer: impl Fn() -> Option<HttpAnswer> + Send + 'static,
) -> (Vec<String>, Result<Exchange, String>) {
    let url = served(move |_| answer()).await;
    let (mut connection, _) = open(&Target::Http(endpoint(&url))).await.expect("opens");
    let number = connection.send(PING).await.expect("sends");
    let mut frames = Vec::new();
    loop {
        match next(&mut connection).await {
            Received::Frame(arrived) => {
                assert_eq!(arrived.exchange, Some(number));
                frames.push(String::from_utf8_lossy(&arrived.frame.raw).into_owned());
            }
            Received::Exchange { id, exchange } => {
                assert_eq!(id, number);
                return (frames, Ok(*exchange));
            }
            Received::ExchangeFailed { id, cause } => {
                assert_eq!(id, number);
                return (frames, Err(cause));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_json_answer_is_one_frame_and_then_the_exchange() {
    let (frames, exchange) = ping(|| Some(json(200, "{\"a\":1}"))).await;
    let exchange = exchange.expect("answers");
    assert_eq!(frames, ["{\"a\":1}"]);
    assert_eq!((exchange.status, exchange.end), (200, BodyEnd::Complete));
    assert_eq!((exchange.sent.as_slice(), exchange.body.as_slice()), (PING, b"{\"a\":1}".as_slice()));
}

#[tokio::test]
async fn each_event_with_data_is_a_frame() {
    let events = "id: 0\ndata:\n\n: ping\n\ndata: {\"a\":1}\n\nevent: message\r\ndata: {\"b\":\r\ndata: 2}\r\n\r\ndata: rest";
    let (frames, exchange) = ping(move || Some(stream(vec![bytes(events)]))).await;
    let exchange = exchange.expect("answers");
    assert_eq!(frames, ["{\"a\":1}", "{\"b\":\n2}"]);
    assert_eq!(exchange.events.iter().filter(|event| event.dispatched).count(), 3);
    assert_eq!(exchange.unterminated.and_then(|rest| rest.data).as_deref(), Some("rest"));
    assert_eq!(exchange.end, BodyEnd::Complete);
}

#[tokio::test]
async fn an_html_page_is_no_frame() {
    let page = || Some(HttpAnswer::new(404, "text/html; charset=utf-8", HttpBody::Whole(b"<p>no".to_vec())));
    let (frames, exchange) = ping(page).await;
    let exchange = exchange.expect("answers");
    assert_eq!((frames.len(), exchange.status, exchange.media_type().as_str()), (0, 404, "text/html"));
}

#[tokio::test]
async fn a_cut_body_says_so() {
    let (frames, exchange) = ping(|| Some(stream(vec![bytes("data: {}\n\ndata: {"), Chunk::Cut]))).await;
    assert_eq!((frames.len(), exchange.expect("answers").end), (1, BodyEnd::Cut));
    let cut = || {
        Some(json(200, "").with("x", "y"))
            .map(|a| HttpAnswer { body: HttpBody::Chunks(vec![bytes("{"), Chunk::Cut]), ..a })
    };
    let (_, exchange) = ping(cut).await;
    assert_eq!(exchange.expect("answers").end, BodyEnd::Cut);
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_is_a_failure() {
    let (_, exchange) = ping(|| None).await;
    assert!(exchange.expect_err("no answer").starts_with("no answer from http://127.0.0.1:"));
}

#[tokio::test]
async fn a_redirect_loop_ends_with_words() {
    let (_, exchange) = ping(|| Some(HttpAnswer::empty(307).with("location", "/mcp"))).await;
    let words = exchange.expect_err("loops");
    assert!(words.contains("redirects again and again") && words.contains("5 redirects"), "{words}");
    let (_, exchange) = ping(|| Some(HttpAnswer::empty(308).with("location", "http://example.org/"))).await;
    assert!(exchange.expect_err("leaves").contains("another origin"));
}

#[tokio::test]
async fn a_redirect_within_the_origin_keeps_the_message() {
    let url = served(|request| match request.path.as_str() {
        "/mcp" => Some(HttpAnswer::empty(307).with("location", "/mcp/")),
        _ => Some(json(200, &String::from_utf8_lossy(&request.body))),
    });
    let (mut connection, _) = open(&Target::Http(endpoint(&url.await))).await.expect("opens");
    connection.send(PING).await.expect("sends");
    assert!(matches!(next(&mut connection).await, Received::Frame(echo) if echo.frame.raw == PING));
}

#[tokio::test]
async fn a_refused_connection_names_the_cause() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let url = format!("http://{}/", listener.local_addr().expect("is bound"));
    drop(listener);
    let (mut connection, _) = open(&Target::Http(endpoint(&url))).await.expect("opens");
    connection.send(PING).await.expect("sends");
    match next(&mut connection).await {
        Received::ExchangeFailed { cause, .. } => assert!(cause.contains("refused"), "{cause}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tls_to_a_server_without_it_names_the_cause() {
    let url = served(|_| None).await.replace("http:", "https:");
    let (mut connection, _) = open(&Target::Http(endpoint(&url))).await.expect("opens");
    connection.send(PING).await.expect("sends");
    match next(&mut connection).await {
        Received::ExchangeFailed { cause, .. } => {
            assert!(cause.contains("TLS") || cause.contains("root"), "{cause}")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn session_and_version_go_with_every_request_after_the_handshake_and_end_with_delete() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let url = served(move |request| {
        log.lock().expect("is whole").push(request.clone());
        let opens = request.body.windows(12).any(|bytes| bytes == b"\"initialize\"");
        Some(if opens { json(200, "{}").with("Mcp-Session-Id", "s 1") } else { HttpAnswer::empty(202) })
    });
    let target = Endpoint { url: url.await, headers: vec![("Authorization".into(), "Bearer x".into())] };
    let (mut connection, _) = open(&Target::Http(target)).await.expect("opens");
    connection.send(br#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#).await.expect("sends");
    while !matches!(next(&mut connection).await, Received::Exchange { .. }) {}
    assert_eq!(connection.session().as_deref(), Some("s 1"));
    connection.adopt(Revision::V2025_06_18);
    connection.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await.expect("sends");
    assert_eq!(seen.lock().expect("is whole").len(), 2, "what gets no answer is waited for");
    close(connection, PATIENT).await;
    let seen = seen.lock().expect("is whole");
    let methods: Vec<_> = seen.iter().map(|request| request.method.as_str()).collect();
    assert_eq!(methods, ["POST", "POST", "DELETE"]);
    assert_eq!(seen[0].header("mcp-session-id"), None);
    assert_eq!(seen[0].header("mcp-protocol-version"), None);
    for request in &seen[1..] {
        assert_eq!(request.header("mcp-session-id"), Some("s 1"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"));
    }
    assert!(seen.iter().all(|request| request.header("authorization") == Some("Bearer x")));
    assert_eq!(seen[1].header("accept"), Some("application/json, text/event-stream"));
}

#[tokio::test]
async fn a_stateless_request_mirrors_its_name_and_takes_extra_headers() {
    let url = served(|request| {
        let heads = ["mcp-method", "mcp-name", "mcp-param-region", "mcp-protocol-version"];
        let heads = heads.map(|name| format!("{:?}", request.header(name).unwrap_or("")));
        Some(json(200, &format!("[{}]", heads.join(","))))
    });
    let (mut connection, _) = open(&Target::Http(endpoint(&url.await))).await.expect("opens");
    connection.adopt(Revision::V2026_07_28);
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///ä"}}"#;
    let extra = [("Mcp-Param-Region".to_owned(), "eu".to_owned())];
    connection.send_with_headers(message.as_bytes(), &extra).await.expect("sends");
    let Received::Frame(heads) = next(&mut connection).await else { panic!("a frame comes first") };
    let heads = String::from_utf8_lossy(&heads.frame.raw).into_owned();
    assert_eq!(heads, r#"["resources/read","=?base64?ZmlsZTovLy/DpA==?=","eu","2026-07-28"]"#);
}

#[tokio::test]
async fn frames_of_the_get_stream_belong_to_no_exchange() {
    let url = served(|request| {
        assert_eq!((request.method.as_str(), request.header("accept")), ("GET", Some("text/event-stream")));
        Some(stream(vec![bytes("data: {}\n\n")]))
    });
    let (mut connection, _) = open(&Target::Http(endpoint(&url.await))).await.expect("opens");
    let number = connection.open_stream(&[]).expect("is HTTP");
    assert!(matches!(next(&mut connection).await, Received::Frame(frame) if frame.exchange.is_none()));
    assert!(matches!(next(&mut connection).await, Received::Exchange { id, .. } if id == number));
}

#[tokio::test]
async fn an_endless_stream_shows_what_waits_and_stops_with_the_connection() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let url = served(move |_| {
        let (chunks, body) = HttpBody::open();
        chunks.send(bytes("data: {}\n\ndata: half")).expect("is open");
        sender.send(chunks).expect("someone listens");
        Some(HttpAnswer::new(200, "text/event-stream", body))
    });
    let (mut connection, _) = open(&Target::Http(endpoint(&url.await))).await.expect("opens");
    let number = connection.send(PING).await.expect("sends");
    assert!(matches!(next(&mut connection).await, Received::Frame(_)));
    let soon = Instant::now() + Duration::from_millis(50);
    assert!(matches!(connection.receive(soon).await, Received::Silence));
    assert_eq!(connection.pending(), b"data: half");
    let chunks = receiver.try_recv().expect("was asked");
    assert!(!chunks.is_closed());
    connection.abandon(number);
    tokio::time::timeout(GUARD, chunks.closed()).await.expect("the server notices");
    close(connection, PATIENT).await;
}

async fn raw(url: &str, request: RawRequest) -> Result<Exchange, HttpFailure> {
    let (connection, _) = open(&Target::Http(endpoint(url))).await.expect("opens");
    connection.http().expect("is HTTP").exchange(request).await
}

#[tokio::test]
async fn a_raw_request_carries_its_own_headers_and_nothing_else() {
    let url = served(|request| {
        let names: Vec<_> = request.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(HttpAnswer::new(200, "", HttpBody::Whole(names.join("\n").into())))
    })
    .await;
    let bare =
        raw(&url, RawRequest { body: b"{}".to_vec(), ..RawRequest::default() }).await.expect("answers");
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    assert_eq!(String::from_utf8_lossy(&bare.body), format!("host={host}\ncontent-length=2"));
    let headers = [("Host", "evil.example"), ("Origin", "http://evil.example"), ("accept", "*/*")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let get = RawRequest { method: "GET".to_owned(), headers, ..RawRequest::default() };
    let odd = raw(&url, get).await.expect("answers");
    assert_eq!(
        String::from_utf8_lossy(&odd.body),
        "host=evil.example\norigin=http://evil.example\naccept=*/*"
    );
}

#[tokio::test]
async fn an_endless_answer_to_a_raw_request_ends_by_deadline_count_or_limit() {
    let url = served(|request| {
        let flood =
            |bytes: &[u8]| HttpBody::Chunks(vec![Chunk::Flood(bytes.to_vec(), Duration::from_millis(1))]);
        match request.header("x") {
            Some("events") => Some(HttpAnswer::new(200, "text/event-stream", flood(b"data: {}\n\n"))),
            Some("bytes") => Some(HttpAnswer::new(200, "text/plain", flood(&[b'x'; 64 * 1024]))),
            _ => Some(HttpAnswer { after: GUARD * 3, ..HttpAnswer::empty(200) }),
        }
    })
    .await;
    let ask = |x: &str, within: Duration, stop_after| RawRequest {
        headers: vec![("x".to_owned(), x.to_owned())],
        within,
        stop_after,
        ..RawRequest::default()
    };
    let short = Duration::from_secs(1);
    let late = raw(&url, ask("events", short, None)).await.expect("answers");
    assert_eq!(late.end, BodyEnd::Deadline);
    assert!(!late.events.is_empty());
    let enough = raw(&url, ask("events", GUARD, Some(3))).await.expect("answers");
    assert_eq!(enough.end, BodyEnd::Stopped);
    let long = raw(&url, ask("bytes", GUARD, None)).await.expect("answers");
    assert_eq!((long.end, long.body.len()), (BodyEnd::TooLong, options().limit));
    let none = raw(&url, ask("", short, None)).await.expect_err("no headers come");
    assert!(matches!(none, HttpFailure::Deadline { .. }), "{none}");
}

#[tokio::test]
async fn what_is_no_http_is_a_failure_that_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let url = format!("http://{}/", listener.local_addr().expect("is bound"));
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("accepts");
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"SSH-2.0-OpenSSH\r\n").await.expect("writes");
        std::future::pending::<()>().await;
    });
    let failure = raw(&url, RawRequest::default()).await.expect_err("is no HTTP");
    assert!(matches!(failure, HttpFailure::NoAnswer { .. }), "{failure}");
}

#[tokio::test]
async fn urls_and_headers_that_cannot_be_are_refused_before_anything_is_sent() {
    for url in ["ftp://x/", "localhost:80", "http://", "no url"] {
        let refused = Connection::open(&Target::Http(endpoint(url)), &options()).await;
        assert!(matches!(refused, Err(ConnectError::BadUrl { .. })), "{url}: {refused:?}");
    }
    let bad = Endpoint { url: "http://127.0.0.1/".into(), headers: vec![("a b".into(), String::new())] };
    let refused = Connection::open(&Target::Http(bad), &options()).await;
    assert!(matches!(refused, Err(ConnectError::BadHeader { .. })), "{refused:?}");
}

#[tokio::test]
async fn the_transcript_reads_like_http() {
    let url = served(|_| Some(json(400, "{\"x\":1}"))).await;
    let (mut connection, transcript) = open(&Target::Http(endpoint(&url))).await.expect("opens");
    connection.send(PING).await.expect("sends");
    while !matches!(next(&mut connection).await, Received::Exchange { .. }) {}
    let sent = text(&transcript, Direction::Sent);
    assert!(sent.starts_with("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:"), "{sent}");
    assert!(sent.contains(&format!("\r\n\r\n{}", String::from_utf8_lossy(PING))), "{sent}");
    let received = text(&transcript, Direction::Received);
    assert!(
        received.starts_with("HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"),
        "{received}"
    );
    assert!(received.contains("\r\n\r\n\n{\"x\":1}\n"), "{received}");
}

#[tokio::test]
async fn an_independent_server_is_understood() {
    let script = "import http.server as h\n\
        s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n\
        print(s.server_port, flush=True)\n\
        s.serve_forever()";
    let python =
        Command { program: "python3".into(), args: vec!["-c".into(), script.into()], ..Command::default() };
    let (mut server, _) = open(&Target::Stdio(python)).await.expect("opens");
    let port = crate::support::frame(&mut server).await;
    let answer = raw(&format!("http://127.0.0.1:{port}/"), RawRequest::default()).await.expect("answers");
    assert_eq!((answer.status, answer.media_type().as_str()), (501, "text/html"));
    drop(server);
}
