//! HTTP+SSE against servers that behave and servers that do not.

use crate::http::{bytes, endpoint, served, stream};
use crate::support::{GUARD, PATIENT, close, frame, next, open, options};
use mcpproof_transport::serve::{Chunk, HttpAnswer, HttpBody};
use mcpproof_transport::{ConnectError, ConnectOptions, Connection, Received, Target};
use std::time::Duration;

/// What is said when the stream of such a server is opened.
async fn refusal(within: Duration, answer: impl Fn() -> HttpAnswer + Send + 'static) -> String {
    let url = served(move |_| Some(answer())).await;
    let options = ConnectOptions { open_within: within, ..options() };
    let refused = Connection::open(&Target::Sse(endpoint(&url)), &options).await;
    let refused = refused.expect_err("must not open");
    assert!(matches!(refused, ConnectError::NoEndpointEvent { .. }), "{refused:?}");
    refused.to_string()
}

#[tokio::test]
async fn messages_go_to_the_endpoint_and_come_back_on_the_stream() {
    let mut back = None;
    let url = served(move |request| match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/mcp") => {
            let (sender, body) = HttpBody::open();
            sender.send(bytes("event: endpoint\ndata: /messages?session=1\n\n")).expect("is open");
            back = Some(sender);
            Some(HttpAnswer::new(200, "text/event-stream", body))
        }
        ("POST", "/messages?session=1") => {
            let event = format!("event: message\ndata: {}\n\n", String::from_utf8_lossy(&request.body));
            back.as_ref()?.send(bytes(&event)).expect("is open");
            if request.body.ends_with(b"last\"}") {
                back = None;
            }
            Some(HttpAnswer::empty(202))
        }
        _ => Some(HttpAnswer::empty(404)),
    });
    let (mut connection, _) = open(&Target::Sse(endpoint(&url.await))).await.expect("opens");
    let number = connection.send(br#"{"method":"first"}"#).await.expect("sends");
    let (mut frames, mut statuses) = (0, 0);
    while frames + statuses < 2 {
        match next(&mut connection).await {
            Received::Frame(echo) => {
                assert_eq!(
                    (echo.frame.raw.as_slice(), echo.exchange),
                    (br#"{"method":"first"}"#.as_slice(), None)
                );
                frames += 1;
            }
            Received::Exchange { id, exchange } => {
                assert_eq!((id, exchange.status), (number, 202));
                statuses += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    connection.send(br#"{"method":"last"}"#).await.expect("sends");
    while !matches!(next(&mut connection).await, Received::Closed) {}
    assert!(matches!(next(&mut connection).await, Received::Closed));
    close(connection, PATIENT).await;
}

#[tokio::test]
async fn a_missing_endpoint_event_says_what_came_instead() {
    let page = refusal(GUARD, || HttpAnswer::new(404, "text/html", HttpBody::Whole(b"<p>".to_vec()))).await;
    assert!(page.contains("status 404, text/html"), "{page}");
    let silent = refusal(Duration::from_secs(2), || {
        stream(vec![bytes(": ping\n\n: ping\n\nevent: hello\ndata: x\n\n"), Chunk::Hang])
    })
    .await;
    assert!(silent.contains("events: hello, 2 comment lines"), "{silent}");
    assert!(silent.contains("still open at the deadline"), "{silent}");
    let empty = refusal(GUARD, || stream(vec![])).await;
    assert!(empty.contains("no event, 0 comment lines"), "{empty}");
    let elsewhere =
        refusal(GUARD, || stream(vec![bytes("event: endpoint\ndata: http://example.org/x\n\n")])).await;
    assert!(elsewhere.contains("another origin"), "{elsewhere}");
}

#[tokio::test]
async fn the_rest_of_the_first_chunk_is_not_lost() {
    let both = "event: endpoint\ndata: /m\n\nevent: message\ndata: {\"a\":1}\n\n";
    let url = served(move |_| Some(stream(vec![bytes(both), Chunk::Hang]))).await;
    let (mut connection, _) = open(&Target::Sse(endpoint(&url))).await.expect("opens");
    assert_eq!(frame(&mut connection).await, "{\"a\":1}");
    close(connection, PATIENT).await;
}

#[tokio::test]
async fn a_refused_connection_is_unreachable() {
    let refused = Connection::open(&Target::Sse(endpoint("http://127.0.0.1:1/sse")), &options()).await;
    let refused = refused.expect_err("must not open");
    assert!(matches!(refused, ConnectError::Unreachable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("refused"), "{refused}");
}
