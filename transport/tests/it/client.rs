//! The plain client against servers of both eras, and against lists that cannot be read whole.

use mcpproof_transport::serve::{self, Action, Handler, HttpAnswer, HttpBody};
use mcpproof_transport::{Client, ClientError, ClientOptions, ConnectOptions, InProcess, Target, Transcript};
use serde_json::{Value, json};
use specs::Revision;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const NEWEST: Revision = Revision::NEWEST_WITH_HANDSHAKE;

/// A server made of a function from request to the messages it sends.
pub(crate) struct Script<F>(pub(crate) F);

impl<F: Fn(&Value) -> Vec<Value> + Send> Handler for Script<F> {
    fn input(&mut self, line: &[u8]) -> Vec<Action> {
        let message: Value = serde_json::from_slice(line).expect("the client sends JSON");
        let said = (self.0)(&message);
        said.iter().map(|one| Action::Write(format!("{one}\n").into_bytes())).collect()
    }
}

pub(crate) fn target<F: Fn(&Value) -> Vec<Value> + Send + Sync + Clone + 'static>(script: F) -> Target {
    Target::InProcess(InProcess(Arc::new(move || {
        let (theirs, ours) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(serve::stdio(input, output, Script(script.clone())));
        let (output, input) = tokio::io::split(ours);
        (Box::new(output), Box::new(input))
    })))
}

pub(crate) fn options() -> ClientOptions {
    let open_within = Duration::from_secs(5);
    ClientOptions {
        connect: ConnectOptions { limit: 1 << 20, open_within, transcript: Transcript::default() },
        start_within: Duration::from_secs(30),
        answer_within: Duration::from_secs(10),
    }
}

pub(crate) fn result(request: &Value, result: Value) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": result})]
}

pub(crate) fn refusal(request: &Value, code: i64) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}})]
}

/// A server of one revision with a handshake, and `list` as what it answers to `tools/list` after a cursor.
fn lister(list: impl Fn(Option<&str>) -> Value + Send + Sync + Clone + 'static) -> Target {
    target(move |request| match request["method"].as_str() {
        Some("initialize") => {
            result(request, json!({"protocolVersion": NEWEST.as_str(), "capabilities": {"tools": {}}}))
        }
        Some("tools/list") => result(request, list(request["params"]["cursor"].as_str())),
        Some(_) if request.get("id").is_some() => refusal(request, -32601),
        _ => Vec::new(),
    })
}

async fn read(server: &Target) -> Result<Vec<Value>, ClientError> {
    let mut client = Client::open(server, NEWEST, &options()).await.expect("the server speaks it");
    let deadline = client.soon() + Duration::from_secs(600);
    let list = client.list("tools/list", "tools", deadline).await;
    client.close().await;
    list
}

#[tokio::test(start_paused = true)]
async fn all_pages_of_a_list_are_read() {
    let server = lister(|cursor| match cursor {
        None => json!({"tools": [1, 2], "nextCursor": "b"}),
        Some(_) => json!({"tools": [3]}),
    });
    assert_eq!(read(&server).await.expect("a list"), [json!(1), json!(2), json!(3)]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_cursor_ends_the_list_of_servers_that_mean_no_more() {
    let server = lister(|_| json!({"tools": [1], "nextCursor": ""}));
    assert_eq!(read(&server).await.expect("a list"), [json!(1)]);
    let server = lister(|cursor| match cursor {
        None => json!({"tools": [1], "nextCursor": ""}),
        Some(_) => json!({"tools": [2]}),
    });
    assert_eq!(read(&server).await.expect("a list"), [json!(1), json!(2)]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_cannot_be_read_whole_is_an_error_that_says_where() {
    let looping = lister(|cursor| match cursor {
        None => json!({"tools": [1], "nextCursor": "a"}),
        Some(_) => json!({"tools": [2], "nextCursor": "a"}),
    });
    let error = read(&looping).await.expect_err("no list").to_string();
    assert!(error.contains("page 2 (cursor \"a\"), after 2 items"), "{error}");
    assert!(error.contains("came a second time"), "{error}");
    let endless = lister(|cursor| {
        let page: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        json!({"tools": [page], "nextCursor": (page + 1).to_string()})
    });
    assert!(read(&endless).await.expect_err("no list").to_string().contains("1000 pages"));
    let shapeless = lister(|_| json!({"tools": {}}));
    assert!(read(&shapeless).await.expect_err("no list").to_string().contains("no array `tools`"));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_meanwhile_is_answered() {
    let server = target(|message| match message["method"].as_str() {
        Some("initialize") => result(message, json!({"protocolVersion": NEWEST.as_str()})),
        Some("tools/list") => vec![
            json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"}),
        ],
        _ if message["id"] == "r" => {
            // Request 1 was the handshake.
            result(&json!({"id": 2}), json!({"tools": [message["error"]["code"]]}))
        }
        _ => Vec::new(),
    });
    assert_eq!(read(&server).await.expect("a list"), [json!(-32601)]);
}

#[tokio::test(start_paused = true)]
async fn silence_and_a_flood_end_at_the_deadline() {
    let silent = target(|message| match message["method"].as_str() {
        Some("initialize") => result(message, json!({"protocolVersion": NEWEST.as_str()})),
        _ => Vec::new(),
    });
    let error = read(&silent).await.expect_err("no list").to_string();
    assert!(error.contains("no answer within 10.0 s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_answer_is_quoted_when_the_answer_stays_away() {
    let mumbling = target(|message| match message["method"].as_str() {
        Some("initialize") => result(message, json!({"protocolVersion": NEWEST.as_str()})),
        Some("tools/list") => vec![json!("hello"), json!({"jsonrpc": "2.0", "result": {"tools": []}})],
        _ => Vec::new(),
    });
    let error = read(&mumbling).await.expect_err("no list").to_string();
    assert!(error.contains("7 bytes that are no message: \"hello\""), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_nested_too_deep_is_told_at_once() {
    let began = tokio::time::Instant::now();
    let deep = (0..600).fold(json!(0), |inner, _| json!([inner]));
    let error = read(&lister(move |_| json!({"tools": [deep]}))).await.expect_err("it cannot be read");
    let told = error.to_string();
    assert!(
        told.contains("could not be read: JSON nested too deep to follow: more than 512 levels"),
        "{told}"
    );
    assert!(began.elapsed() < options().answer_within, "nothing else was waited for");
}

#[tokio::test(start_paused = true)]
async fn an_error_that_is_null_beside_a_result_is_none() {
    let server = target(|message| match message["method"].as_str() {
        Some("initialize") => result(message, json!({"protocolVersion": NEWEST.as_str()})),
        Some("tools/list") => {
            vec![json!({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [1]}, "error": null})]
        }
        _ => Vec::new(),
    });
    assert_eq!(read(&server).await.expect("a list"), [json!(1)]);
}

#[tokio::test]
async fn over_http_arguments_travel_as_headers_where_the_schema_says_so() {
    let url = crate::http::served(|request| {
        let message: Value = serde_json::from_slice(&request.body).expect("JSON");
        let answer = match message["method"].as_str() {
            Some("server/discover") => json!({"supportedVersions": ["2026-07-28"]}),
            Some("tools/list") => json!({"tools": [{"name": "t", "inputSchema": {"properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
            }}}]}),
            _ => json!({"region": request.header("mcp-param-region")}),
        };
        let body = result(&message, answer)[0].to_string();
        Some(HttpAnswer::new(200, "application/json", HttpBody::Whole(body.into())))
    })
    .await;
    let server = Target::Http(crate::http::endpoint(&url));
    let mut client = Client::open(&server, Revision::NEWEST_STATELESS, &options()).await.expect("opens");
    let soon = client.soon();
    client.list("tools/list", "tools", soon).await.expect("a list");
    let params = json!({"name": "t", "arguments": {"region": "north"}});
    let called = client.request("tools/call", params, soon).await.expect("an answer");
    assert_eq!(called.to_json(), json!({"region": "north"}));
}

#[tokio::test]
async fn an_http_refusal_is_told_with_its_status_and_its_words() {
    let url = crate::http::served(|_| {
        Some(HttpAnswer::new(401, "text/plain", HttpBody::Whole("who are you".into())))
    })
    .await;
    let server = Target::Http(crate::http::endpoint(&url));
    let error = Client::open(&server, NEWEST, &options()).await.expect_err("refused");
    assert!(matches!(&error, ClientError::NoMessage { status: 401, .. }), "{error}");
    assert!(error.to_string().contains("who are you"), "{error}");
}
