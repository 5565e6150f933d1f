//! Which revisions a server speaks and what it shows in each, with how many starts. What one conversation can do is in `client`.

use crate::client::{NEWEST, Script, options, refusal, result, target};
use mcpproof_transport::{Client, InProcess, Target, read_spoken, serve, visit_spoken};
use serde_json::{Value, json};
use specs::Revision;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

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

/// As [`four`], in a surface that is the same in each revision.
fn level(state: &mut Value, message: &Value) -> Vec<Value> {
    four(state, message, "9")
}

fn initialize(message: &Value) -> Option<&str> {
    message["params"]["protocolVersion"].as_str().filter(|_| message["method"] == "initialize")
}

fn greeting(message: &Value, revision: &str) -> Vec<Value> {
    result(message, json!({"protocolVersion": revision, "capabilities": {"tools": {}}}))
}

const ALL_FOUR: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

fn in_all(shown: [bool; 4]) -> Vec<(&'static str, String)> {
    ALL_FOUR.into_iter().zip(shown.map(|shown| shown.to_string())).collect()
}

fn revisions(found: &[(&'static str, String)]) -> Vec<&'static str> {
    found.iter().map(|(revision, _)| *revision).collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_shows_the_same_in_all_revisions_is_started_twice() {
    let (found, starts) = shown(level).await;
    assert_eq!(found, in_all([false; 4]));
    assert_eq!(starts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_shows_what_differs_with_the_revision_is_started_for_each() {
    let (found, starts) = shown(|state, message| four(state, message, "2025-04")).await;
    assert_eq!(found, in_all([true, true, false, false]));
    assert_eq!(starts, 5);
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
    assert_eq!(found, in_all([true, true, false, false]));
    assert_eq!(starts, 5);
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_surface_alternates_with_each_handshake_shows_what_a_fresh_start_shows() {
    let alternating = |state: &mut Value, message: &Value| match message["method"].as_str() {
        Some("initialize") => {
            *state = json!(!state.as_bool().unwrap_or(true));
            greeting(message, initialize(message).unwrap_or_default())
        }
        Some("tools/list") => result(message, json!({"tools": [*state]})),
        _ => level(state, message),
    };
    let (found, _) = shown(alternating).await;
    assert_eq!(found, in_all([false; 4]));
}

#[tokio::test(start_paused = true)]
async fn what_discovery_does_to_a_process_is_shown_in_no_revision_with_a_handshake() {
    // Of each revision, of the newest only, of the oldest only.
    for known in [ALL_FOUR.as_slice(), &ALL_FOUR[..1], &ALL_FOUR[3..]] {
        let marked = move |state: &mut Value, message: &Value| match message["method"].as_str() {
            Some("server/discover") => {
                *state = json!(true);
                refusal(message, -32601)
            }
            Some("initialize") => {
                let asked = initialize(message).filter(|asked| known.contains(asked));
                greeting(message, asked.unwrap_or(known[0]))
            }
            Some("tools/list") => result(message, json!({"tools": [*state == true]})),
            _ => Vec::new(),
        };
        let (found, starts) = shown(marked).await;
        assert_eq!(revisions(&found), known);
        assert!(found.iter().all(|(_, shown)| shown == "false"), "{found:?}");
        assert_eq!(starts, 5, "{known:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_one_handshake_only_is_started_for_each() {
    for odd in ["error", "silence", "newest", "end"] {
        let once = move |state: &mut Value, message: &Value| {
            let is_again = message["method"] == "initialize" && !state.is_null();
            match odd {
                _ if !is_again => level(state, message),
                "error" => refusal(message, -32600),
                "newest" => greeting(message, NEWEST.as_str()),
                "silence" => Vec::new(),
                // It says nothing any more, whatever is asked.
                _ => {
                    *state = json!("9");
                    vec![json!({"jsonrpc": "2.0", "id": message["id"], "result": {}})]
                }
            }
        };
        let (found, starts) = shown(once).await;
        assert_eq!(found, in_all([false; 4]), "{odd}");
        assert_eq!(starts, 5, "{odd}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_lists_nothing_after_a_second_handshake_is_not_waited_for_long() {
    let mute = |state: &mut Value, message: &Value| {
        let is_again = message["method"] == "initialize" && !state.is_null();
        if message["method"] == "tools/list" && *state == "again" {
            return Vec::new();
        }
        let answers = level(state, message);
        if is_again {
            *state = json!("again");
        }
        answers
    };
    let began = tokio::time::Instant::now();
    let (found, starts) = shown(mute).await;
    assert_eq!(found, in_all([false; 4]));
    assert_eq!(starts, 5);
    assert!(began.elapsed() < options().answer_within, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_server_of_one_revision_is_asked_for_each_on_a_start_of_its_own() {
    let only = |revision: &'static str| {
        move |state: &mut Value, message: &Value| match initialize(message) {
            Some(_) => greeting(message, revision),
            None => level(state, message),
        }
    };
    for revision in ALL_FOUR {
        let (found, starts) = shown(only(revision)).await;
        assert_eq!(found, [(revision, "false".to_owned())]);
        assert_eq!(starts, 5, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_offers_an_older_revision_than_it_speaks_loses_none() {
    // They answer what they do not know with their oldest, against the advice of the specification; one of them stays
    // with what it said first.
    for (known, stays) in [(&ALL_FOUR[1..], false), (&ALL_FOUR[1..], true), (&ALL_FOUR[2..], true)] {
        let humble = move |state: &mut Value, message: &Value| match initialize(message) {
            Some(_) if stays && !state.is_null() => greeting(message, state.as_str().unwrap_or_default()),
            Some(asked) => {
                let answer = if known.contains(&asked) { asked } else { "2024-11-05" };
                *state = json!(answer);
                greeting(message, answer)
            }
            None => level(state, message),
        };
        let (found, _) = shown(humble).await;
        assert_eq!(revisions(&found), known, "{stays}");
    }
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
            level(state, message)
        };
        let (found, starts) = shown(wary).await;
        assert_eq!(found, in_all([false; 4]), "{odd}");
        assert_eq!(starts, 3, "{odd}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_discovery_without_an_answer_is_given_up_soon_after_a_quick_handshake() {
    let began = tokio::time::Instant::now();
    let (found, _) = shown(|state, message| match message["method"].as_str() {
        Some("server/discover") => Vec::new(),
        _ => level(state, message),
    })
    .await;
    assert_eq!(found.len(), 4);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
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
