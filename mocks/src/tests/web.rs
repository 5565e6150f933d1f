//! The good server keeps the rules of HTTP, and every HTTP fault breaks one.

use super::web_script::{Client, legacy_transcript, transcript, with};
use crate::{faults, find, quirks};
use serde_json::json;
use specs::{Revision, Revisions};
use transport::serve::HttpRequest;

const STREAMABLE: [Revision; 4] =
    [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

async fn good(revision: Revision) -> Client {
    let mut client = Client::of(&find("good").expect("good is a mock"), Revisions::ALL, revision);
    client.open().await;
    client
}

#[tokio::test]
async fn every_http_fault_differs_from_good_in_each_revision_it_claims() {
    let mut same = Vec::new();
    for revision in STREAMABLE {
        let expected = transcript(&find("good").expect("good is a mock"), revision).await;
        let here = faults()
            .chain(quirks())
            .filter(|fault| fault.transport == Some("http") && fault.revisions.contains(revision));
        for fault in here {
            if transcript(&find(fault.id).expect("a fault is a mock"), revision).await == expected {
                same.push(format!("{} in {revision}", fault.id));
            }
        }
    }
    assert!(same.is_empty(), "no difference: {same:#?}");
}

#[tokio::test]
async fn every_fault_of_http_and_sse_differs_from_good() {
    let expected = legacy_transcript(&find("good").expect("good is a mock")).await;
    assert!(expected.contains("event: endpoint") && expected.contains("2024-11-05"), "{expected}");
    for fault in faults().filter(|fault| fault.transport == Some("sse")) {
        let mock = find(fault.id).expect("a fault is a mock");
        assert_ne!(legacy_transcript(&mock).await, expected, "{}", fault.id);
    }
}

#[tokio::test]
async fn requests_are_answered_as_json_and_calls_as_a_stream() {
    for revision in STREAMABLE {
        let mut client = good(revision).await;
        let list = client.message("tools/list", json!({}));
        let answer = client.send(client.post(&list)).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        let call = client.message("tools/call", json!({"name": "echo", "arguments": {"text": "hello"}}));
        let answer = client.send(client.post(&call)).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
        assert!(answer.body.contains("hello") && answer.body.ends_with("\n\n"), "{}", answer.body);
    }
}

#[tokio::test]
async fn notifications_are_accepted_without_a_body() {
    for revision in STREAMABLE {
        let mut client = good(revision).await;
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = client.send(client.post(&note)).await;
        assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    }
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
    for revision in STREAMABLE {
        let mut client = good(revision).await;
        let list = client.message("tools/list", json!({}));
        for (name, value) in [("origin", "http://evil.example"), ("host", "evil.example"), ("origin", "null")]
        {
            assert_eq!(client.send(with(client.post(&list), name, Some(value))).await.status, 403);
        }
        let local = with(client.post(&list), "origin", Some("http://localhost:5173"));
        assert_eq!(client.send(local).await.status, 200);
    }
}

#[tokio::test]
async fn a_session_lives_from_initialize_to_delete() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut client = good(revision).await;
        let id = client.session.clone().expect("a session id");
        assert!(id.len() >= 16 && id.bytes().all(|byte| byte.is_ascii_graphic()));
        let list = client.message("tools/list", json!({}));
        assert_eq!(client.send(with(client.post(&list), "mcp-session-id", None)).await.status, 400);
        assert_eq!(client.send(with(client.post(&list), "mcp-session-id", Some("x"))).await.status, 404);
        assert_eq!(client.send(client.bare("GET")).await.header("content-type"), Some("text/event-stream"));
        assert_eq!(client.send(client.bare("DELETE")).await.status, 204);
        assert_eq!(client.send(client.post(&list)).await.status, 404);
        assert_eq!(client.send(client.bare("PATCH")).await.status, 405);
    }
}

#[tokio::test]
async fn the_version_header_counts_where_the_revision_has_it() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut client = good(revision).await;
        let list = client.message("tools/list", json!({}));
        let odd = client.send(with(client.post(&list), "mcp-protocol-version", Some("1999-01-01"))).await;
        assert_eq!(odd.status, if revision.has_version_header() { 400 } else { 200 });
        assert_eq!(client.send(with(client.post(&list), "mcp-protocol-version", None)).await.status, 200);
    }
}

#[tokio::test]
async fn stateless_headers_must_agree_with_the_body() {
    let mut client = good(Revision::V2026_07_28).await;
    let call = client.message("tools/call", json!({"name": "echo", "arguments": {"text": "x"}}));
    for (name, value) in [
        ("mcp-method", Some("tools/list")),
        ("mcp-method", Some("TOOLS/CALL")),
        ("mcp-method", None),
        ("mcp-name", Some("add")),
        ("mcp-name", None),
        ("mcp-protocol-version", None),
        ("mcp-protocol-version", Some("2025-11-25")),
    ] {
        let answer = client.send(with(client.post(&call), name, value)).await;
        assert_eq!((answer.status, answer.code()), (400, Some(-32020)), "{name}: {value:?}");
    }
    let encoded = with(client.post(&call), "mcp-name", Some("=?base64?ZWNobw==?="));
    assert_eq!(client.send(encoded).await.status, 200);
}

#[tokio::test]
async fn stateless_errors_have_their_status() {
    let only = Revisions::only(Revision::V2026_07_28);
    let mut client = Client::of(&find("good").expect("good is a mock"), only, Revision::V2026_07_28);
    let unknown = client.message("no/such/method", json!({}));
    let answer = client.send(client.post(&unknown)).await;
    assert_eq!((answer.status, answer.code()), (404, Some(-32601)));
    let mut bare = client.message("tools/list", json!({}));
    bare["params"]["_meta"] = json!({});
    let answer = client.send(client.post(&bare)).await;
    assert_eq!((answer.status, answer.code()), (400, Some(-32602)));
    for method in ["GET", "DELETE", "PUT"] {
        assert_eq!(client.send(client.bare(method)).await.status, 405);
    }
    let list = client.message("tools/list", json!({}));
    let answer = client.send(with(client.post(&list), "mcp-session-id", Some("left over"))).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
}

#[tokio::test]
async fn a_stream_of_updates_goes_to_the_one_who_subscribed() {
    let mut client = good(Revision::V2025_11_25).await;
    let subscribe = client.message("resources/subscribe", json!({"uri": "note:///apple"}));
    client.send(client.post(&subscribe)).await;
    let touch =
        client.message("tools/call", json!({"name": "touch_note", "arguments": {"uri": "note:///apple"}}));
    let answer = client.send(client.post(&touch)).await;
    assert!(!answer.body.contains("notifications/resources/updated"), "{}", answer.body);
}

#[tokio::test]
async fn bad_bodies_are_refused_with_400() {
    for revision in STREAMABLE {
        let mut client = good(revision).await;
        let list = client.message("tools/list", json!({}));
        let post = client.post(&list);
        let answer = client.send(HttpRequest { body: b"nonsense".to_vec(), ..post.clone() }).await;
        assert_eq!((answer.status, answer.code()), (400, Some(-32700)));
        let plain = with(post.clone(), "content-type", Some("text/plain"));
        assert_eq!(client.send(plain).await.status, 415);
        assert_eq!(client.send(with(post, "accept", Some("text/plain"))).await.status, 406);
    }
}
