//! The plain client against servers of both eras, and against lists that cannot be read whole.

use mcpproof_transport::serve::{self, Action, Handler, HttpAnswer, HttpBody};
use mcpproof_transport::{
    Client, ClientError, ClientOptions, ConnectOptions, InProcess, Target, Transcript, read_spoken,
    visit_spoken,
};
use serde_json::{Value, json};
use specs::Revision;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const NEWEST: Revision = Revision::NEWEST_WITH_HANDSHAKE;

/// A server made of a function from request to the messages it sends.
struct Script<F>(F);

impl<F: Fn(&Value) -> Vec<Value> + Send> Handler for Script<F> {
    fn input(&mut self, line: &[u8]) -> Vec<Action> {
        let message: Value = serde_json::from_slice(line).expect("the client sends JSON");
        let said = (self.0)(&message);
        said.iter().map(|one| Action::Write(format!("{one}\n").into_bytes())).collect()
    }
}

fn target<F: Fn(&Value) -> Vec<Value> + Send + Sync + Clone + 'static>(script: F) -> Target {
    Target::InProcess(InProcess(Arc::new(move || {
        let (theirs, ours) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(serve::stdio(input, output, Script(script.clone())));
        let (output, input) = tokio::io::split(ours);
        (Box::new(output), Box::new(input))
    })))
}

fn options() -> ClientOptions {
    let open_within = Duration::from_secs(5);
    ClientOptions {
        connect: ConnectOptions { limit: 1 << 20, open_within, transcript: Transcript::default() },
        start_within: Duration::from_secs(30),
        answer_within: Duration::from_secs(10),
    }
}

fn result(request: &Value, result: Value) -> Vec<Value> {
    vec![json!({"jsonrpc": "2.0", "id": request["id"], "result": result})]
}

fn refusal(request: &Value, code: i64) -> Vec<Value> {
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

/// Speaks the stateless revision and two with a handshake.
fn versatile(message: &Value) -> Vec<Value> {
    match message["method"].as_str() {
        Some("initialize") => {
            let asked = message["params"]["protocolVersion"].as_str();
            let known = ["2025-06-18", "2025-03-26"];
            let answer = asked.filter(|asked| known.contains(asked)).unwrap_or(known[0]);
            result(message, json!({"protocolVersion": answer}))
        }
        Some("server/discover") => result(message, json!({"supportedVersions": ["2026-07-28"]})),
        _ => Vec::new(),
    }
}

/// The revisions that read, newest first.
async fn spoken(server: &Target) -> Vec<&'static str> {
    let found = read_spoken(server, &options(), async |_| Ok(())).await;
    found.iter().filter(|one| one.outcome.is_ok()).map(|one| one.revision.as_str()).collect()
}

/// What a server shows in each revision, and how often it was started.
async fn shown<F: Fn(&mut Value, &Value) -> Vec<Value> + Send + Sync + Clone + 'static>(
    script: F,
) -> (Vec<(&'static str, String)>, usize) {
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&starts);
    let server = Target::InProcess(InProcess(Arc::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let (theirs, ours) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let (script, state) = (script.clone(), std::sync::Mutex::new(Value::Null));
        let stateful = move |message: &Value| script(&mut state.lock().expect("one task takes it"), message);
        tokio::spawn(serve::stdio(input, output, Script(stateful)));
        let (output, input) = tokio::io::split(ours);
        (Box::new(output), Box::new(input))
    })));
    let read = async |client: &mut Client| {
        let soon = client.soon();
        Ok(client.list("tools/list", "tools", soon).await?[0].to_string())
    };
    let found = read_spoken(&server, &options(), read).await;
    let found = found.into_iter().filter_map(|one| Some((one.revision.as_str(), one.outcome.ok()?)));
    (found.collect(), starts.load(Ordering::Relaxed))
}

/// Speaks four revisions with a handshake. What it shows is the revision up to `until`, or `true`.
fn four(state: &mut Value, message: &Value, until: &str) -> Vec<Value> {
    match message["method"].as_str() {
        Some("initialize") => {
            *state = message["params"]["protocolVersion"].clone();
            result(message, json!({"protocolVersion": *state, "capabilities": {"tools": {}}}))
        }
        Some("tools/list") => {
            let is_newer = state.as_str().is_some_and(|revision| revision > until);
            result(message, json!({"tools": [is_newer]}))
        }
        Some(_) if message.get("id").is_some() => refusal(message, -32601),
        _ => Vec::new(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_many_revisions_is_started_twice() {
    let (found, starts) = shown(|state, message| four(state, message, "2025-04")).await;
    let expected = [("2025-11-25", true), ("2025-06-18", true), ("2025-03-26", false), ("2024-11-05", false)];
    assert_eq!(found, expected.map(|(revision, shown)| (revision, shown.to_string())));
    assert_eq!(starts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_shows_the_first_revision_for_ever_is_started_for_each() {
    let sticky = |state: &mut Value, message: &Value| {
        let first = state.clone();
        let answers = four(state, message, "2025-04");
        if !first.is_null() {
            *state = first;
        }
        answers
    };
    let (found, starts) = shown(sticky).await;
    let expected = [("2025-11-25", true), ("2025-06-18", true), ("2025-03-26", false), ("2024-11-05", false)];
    assert_eq!(found, expected.map(|(revision, shown)| (revision, shown.to_string())));
    assert_eq!(starts, 4);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_one_handshake_only_is_started_for_each() {
    for odd in ["error", "silence", "newest", "end"] {
        let once = move |state: &mut Value, message: &Value| {
            let is_again = message["method"] == "initialize" && !state.is_null();
            match odd {
                _ if !is_again => four(state, message, "2025-04"),
                "error" => refusal(message, -32600),
                "newest" => result(message, json!({"protocolVersion": NEWEST.as_str()})),
                "silence" => Vec::new(),
                // It says nothing any more, whatever is asked.
                _ => {
                    *state = json!("9");
                    vec![json!({"jsonrpc": "2.0", "id": message["id"], "result": {}})]
                }
            }
        };
        let (found, starts) = shown(once).await;
        let revisions: Vec<_> = found.iter().map(|(revision, _)| *revision).collect();
        assert_eq!(revisions, ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"], "{odd}");
        assert_eq!(starts, 4, "{odd}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_one_older_revision_is_started_twice_at_most() {
    let only = |revision: &'static str| {
        move |state: &mut Value, message: &Value| match message["method"].as_str() {
            Some("initialize") => {
                result(message, json!({"protocolVersion": revision, "capabilities": {"tools": {}}}))
            }
            _ => four(state, message, "2025-04"),
        }
    };
    for (revision, most) in [("2024-11-05", 2), ("2025-03-26", 3), ("2025-11-25", 4)] {
        let (found, starts) = shown(only(revision)).await;
        assert_eq!(found, [(revision, "false".to_owned())]);
        assert_eq!(starts, most, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_offers_an_older_revision_than_it_speaks_loses_none() {
    // It answers what it does not know with its oldest, against the advice of the specification.
    let humble = |state: &mut Value, message: &Value| {
        let asks_newest =
            message["method"] == "initialize" && message["params"]["protocolVersion"] == NEWEST.as_str();
        if asks_newest {
            return result(message, json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}}));
        }
        four(state, message, "2025-04")
    };
    let (found, _) = shown(humble).await;
    let revisions: Vec<_> = found.iter().map(|(revision, _)| *revision).collect();
    assert_eq!(revisions, ["2025-06-18", "2025-03-26", "2024-11-05"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_of_discovery_or_never_answers_it_is_read() {
    for odd in ["silence", "deaf"] {
        let wary = move |state: &mut Value, message: &Value| {
            let is_discovery = message["method"] == "server/discover";
            if is_discovery && odd == "deaf" {
                *state = json!("deaf");
                return refusal(message, -32600);
            }
            if is_discovery || *state == "deaf" {
                return Vec::new();
            }
            four(state, message, "2025-04")
        };
        let (found, starts) = shown(wary).await;
        assert_eq!(found.len(), 4, "{odd}");
        assert_eq!(starts, 3, "{odd}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_revisions_of_both_eras_are_found() {
    assert_eq!(spoken(&target(versatile)).await, ["2026-07-28", "2025-06-18", "2025-03-26"]);
    let older = |message: &Value| match message["method"].as_str() {
        Some("server/discover") => Vec::new(),
        _ => versatile(message),
    };
    assert_eq!(spoken(&target(older)).await, ["2025-06-18", "2025-03-26"]);
}

#[tokio::test(start_paused = true)]
async fn revisions_that_are_named_are_visited_once_each() {
    let wanted = [Revision::NEWEST_STATELESS, NEWEST, Revision::V2025_06_18];
    let found = visit_spoken(&target(versatile), &wanted, &options(), async |_| Ok(())).await;
    let spoken: Vec<_> = found.iter().map(|one| (one.revision, one.outcome.is_ok())).collect();
    assert_eq!(spoken, [(wanted[0], true), (wanted[1], false), (wanted[2], true)]);
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_is_not_started_for_each_revision() {
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&starts);
    let dead = Target::InProcess(InProcess(Arc::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        (Box::new(tokio::io::empty()), Box::new(tokio::io::sink()))
    })));
    let found = read_spoken(&dead, &options(), async |_| Ok(())).await;
    assert!(found.iter().all(|one| one.outcome.is_err()));
    assert_eq!(starts.load(Ordering::Relaxed), 2);
    let found = visit_spoken(&dead, &[], &options(), async |_| Ok(())).await;
    assert!(found.iter().all(|one| one.outcome.is_err()));
    assert_eq!(starts.load(Ordering::Relaxed), 4);
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
