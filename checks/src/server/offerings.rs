//! Resources, completion and logging: what the server offers beside tools and prompts.

use super::dialogue::{at_part, of_answer};
use super::lifecycle::{first_place, shape_faults, well_shaped};
use super::passive::{no_offence, offences};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::log::{Answer, Reply};
use crate::peer::Peer;
use crate::words::quoted;
use serde_json::json;
use specs::Revision::{V2025_11_25, V2026_07_28};
use specs::Revisions;
use std::sync::Arc;
use wire::{Message, Value};

/// Prompts and resources tried per revision.
pub(super) const TRIED: usize = 3;

/// A row of this area.
const ROW: Check = Check { requirement: "shape.message-valid", ..Check::BLANK };

const RESOURCES: Needs = Needs { capability: Some("resources"), transport: None };

pub(super) const LIST: &str =
    "Typed clients decode the list as a whole: one bad entry, and all of them are gone.";

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "resources-list-shape",
        needs: RESOURCES,
        fault: "resources-list-shape",
        explain: LIST,
        probe: |peer| Box::pin(list_shape(peer, "resources/list", "ListResourcesResult")),
        ..ROW
    },
    Check {
        id: "resources-templates-shape",
        needs: RESOURCES,
        fault: "templates-list-shape",
        explain: LIST,
        probe: |peer| Box::pin(templates_shape(peer)),
        ..ROW
    },
    Check {
        id: "resources-read-shape",
        requirement: "resources.contents-shape",
        needs: RESOURCES,
        fault: "resource-read-shape",
        explain: "The host cannot decode the contents, so the model never sees them.",
        probe: |peer| Box::pin(read_shape(peer)),
        ..ROW
    },
    Check {
        id: "resources-listed-readable",
        requirement: "resources.listed-readable",
        level: Level::Should,
        needs: RESOURCES,
        fault: "resource-listed-unreadable",
        explain: "The user picks from the list and gets an error.",
        probe: |peer| Box::pin(listed_readable(peer)),
        ..ROW
    },
    Check {
        id: "resources-read-uri",
        requirement: "resources.read-uri-relates",
        level: Level::Should,
        needs: RESOURCES,
        fault: "resource-read-wrong-uri",
        explain: "Hosts file contents under the URI that comes back, and then find another resource's there.",
        probe: |peer| Box::pin(read_uri(peer)),
        ..ROW
    },
    Check {
        id: "resources-missing-code",
        requirement: "resources.error-not-found-32002",
        level: Level::Should,
        revisions: Revisions::until(V2025_11_25),
        needs: RESOURCES,
        phase: Phase::Hostile,
        fault: "resource-missing-wrong-code",
        explain: "Clients tell a resource that is gone from a server that failed by the code.",
        probe: |peer| Box::pin(missing_code(peer, -32002)),
    },
    Check {
        id: "resources-missing-refused",
        requirement: "resources.not-found-32602",
        revisions: Revisions::only(V2026_07_28),
        needs: RESOURCES,
        phase: Phase::Hostile,
        fault: "resource-missing-empty-contents",
        explain: "Clients tell a resource that is gone from an empty one by the error.",
        probe: |peer| Box::pin(missing_code(peer, -32602)),
        ..ROW
    },
    Check {
        id: "completion-answered",
        requirement: "jsonrpc.response.every-request-answered",
        level: Level::Should,
        revisions: Revisions::since(specs::Revision::V2025_03_26),
        needs: Needs { capability: Some("completions"), transport: None },
        fault: "completion-silent",
        explain: "The menu under the field never opens, and hosts that wait for it do not let the user go on.",
        probe: |peer| Box::pin(completion_answered(peer)),
        ..ROW
    },
    Check {
        id: "completion-limit",
        requirement: "completion.max-100",
        revisions: Revisions::since(specs::Revision::V2025_03_26),
        needs: Needs { capability: Some("completions"), transport: None },
        fault: "completion-over-100",
        explain: "Clients size their menu for 100 values; typed ones refuse more.",
        probe: |peer| Box::pin(completion_limit(peer)),
        ..ROW
    },
    Check {
        id: "completion-unknown-refused",
        requirement: "completion.error-codes",
        level: Level::Should,
        revisions: Revisions::since(specs::Revision::V2025_03_26),
        needs: Needs { capability: Some("completions"), transport: None },
        phase: Phase::Hostile,
        fault: "completion-unknown-succeeds",
        explain: "A client that completes for a prompt that is gone sees an empty menu instead of the cause.",
        probe: |peer| Box::pin(completion_unknown(peer)),
    },
    Check {
        id: "notifications-shape",
        phase: Phase::Afterwards,
        fault: "log-level-unknown",
        explain: "Typed clients cannot decode the notification and drop it, or the connection.",
        probe: |peer| Box::pin(async move { notifications_shape(peer) }),
        ..ROW
    },
    Check {
        id: "logging-level-refused",
        requirement: "logging.invalid-level",
        level: Level::Should,
        revisions: Revisions::until(V2025_11_25),
        needs: Needs { capability: Some("logging"), transport: None },
        phase: Phase::Hostile,
        fault: "log-level-invalid-accepted",
        explain: "A client that mistypes a level believes that it is set.",
        probe: |peer| Box::pin(level_refused(peer)),
    },
];

/// Faults of a result, without the members that the stateless revision has checks for.
pub(super) fn faults_of(peer: &Peer, definition: &str, answer: &Answer) -> Vec<specs::schema::Violation> {
    let result = answer.result().map(Value::to_json).unwrap_or_default();
    let mut faults = shape_faults(peer.revision(), definition, &result);
    let elsewhere = ["resultType", "ttlMs", "cacheScope"];
    faults.retain(|f| {
        !elsewhere.iter().any(|member| f.pointer.contains(member) || f.expected.contains(member))
    });
    faults
}

/// The answer, where it is a result; an error is the business of other checks.
pub(super) fn result_or_unproven(reply: Reply, method: &str) -> Result<Answer, Stop> {
    match reply {
        Reply::Answered(answer) if answer.result().is_some() => Ok(*answer),
        Reply::Answered(answer) => Err(Stop::Unproven(format!("`{method}`: {}", answer.in_words()))),
        other => Err(Stop::Unproven(format!("`{method}`: {}", crate::detect::reply_words(&other)))),
    }
}

pub(super) async fn list_shape(peer: &mut Peer, method: &'static str, definition: &str) -> Outcome {
    let list = peer.list(method).await?;
    if list.pages.is_empty() {
        let why = list.failure().unwrap_or_else(|| "no page came".into());
        return Err(Stop::Unproven(format!("`{method}`: {why}")));
    }
    for page in &list.pages {
        let faults = faults_of(peer, definition, &page.answer);
        let evidence = Evidence { bytes: bytes_at(&page.answer, &faults), ..of_answer(&page.answer, "") };
        well_shaped(&faults, &format!("a {definition}"), evidence)?;
    }
    Ok(())
}

/// The item to blame rather than the whole page, where the first fault points into one.
fn bytes_at(answer: &Answer, faults: &[specs::schema::Violation]) -> Option<Excerpt> {
    let pointer = &faults.first()?.pointer;
    let item: String = pointer.split('/').take(3).collect::<Vec<_>>().join("/");
    let value = answer.result()?.pointer(&item)?;
    Some(Excerpt::at(value.to_string().as_bytes(), &pointer[item.len()..]))
}

async fn templates_shape(peer: &mut Peer) -> Outcome {
    let method = "resources/templates/list";
    let answer = match peer.try_request(method, json!({})).await? {
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            return Err(Stop::NotApplicable("the server has no resource templates".into()));
        }
        reply => result_or_unproven(reply, method)?,
    };
    let definition = "ListResourceTemplatesResult";
    let faults = faults_of(peer, definition, &answer);
    let evidence = Evidence { bytes: bytes_at(&answer, &faults), ..of_answer(&answer, "") };
    well_shaped(&faults, &format!("a {definition}"), evidence)
}

/// Reads the first few listed resources, once per revision.
async fn read_listed(peer: &mut Peer) -> Result<Arc<Vec<(String, Reply)>>, Stop> {
    if let Some(known) = &peer.reads {
        return Ok(known.clone());
    }
    let list = peer.list("resources/list").await?;
    let uris = list.items.iter().filter_map(|item| item.get("uri")?.as_str().map(str::to_owned));
    let mut reads = Vec::new();
    for uri in uris.take(TRIED) {
        let reply = peer.try_request("resources/read", json!({"uri": uri})).await?;
        let answered = matches!(reply, Reply::Answered(_));
        reads.push((uri, reply));
        if !answered {
            break;
        }
    }
    let reads = Arc::new(reads);
    peer.reads = Some(reads.clone());
    Ok(reads)
}

async fn listed_readable(peer: &mut Peer) -> Outcome {
    let reads = read_listed(peer).await?;
    if reads.is_empty() {
        return Err(Stop::NotApplicable("no resource is listed".into()));
    }
    for (uri, reply) in reads.iter() {
        if let Reply::Answered(answer) = reply
            && answer.is_error()
            && answer.code() != Some(-32601)
        {
            return Err(
                of_answer(answer, &format!("the contents of the listed resource {}", quoted(uri))).stop()
            );
        }
        if !matches!(reply, Reply::Answered(_) | Reply::NoMessage(_)) {
            let what = format!("`resources/read` of the listed resource {}", quoted(uri));
            return Err(peer.unanswered(reply, &what).stop());
        }
    }
    Ok(())
}

async fn read_uri(peer: &mut Peer) -> Outcome {
    let reads = read_listed(peer).await?;
    for (uri, reply) in reads.iter() {
        let Reply::Answered(answer) = reply else { continue };
        let Some(contents) = answer.result().and_then(|r| r.get("contents")?.as_array()) else { continue };
        let uris: Vec<_> = contents.iter().filter_map(|entry| entry.get("uri")?.as_str()).collect();
        // A folder may answer with what lies below it, and a server may normalise a trailing slash.
        let related = |found: &&str| {
            found.starts_with(uri.trim_end_matches('/')) || uri.starts_with(found.trim_end_matches('/'))
        };
        if !uris.is_empty() && !uris.iter().any(related) {
            let seen = format!("contents of {}", quoted(uris[0]));
            return Err(
                Evidence { seen, ..of_answer(answer, &format!("contents of {}", quoted(uri))) }.stop()
            );
        }
    }
    if reads.is_empty() { Err(Stop::NotApplicable("no resource is listed".into())) } else { Ok(()) }
}

async fn completion_unknown(peer: &mut Peer) -> Outcome {
    let reference = json!({"type": "ref/prompt", "name": "mcpproof-no-such-prompt"});
    let params = json!({"ref": reference, "argument": {"name": "a", "value": "b"}});
    match peer.try_request("completion/complete", params).await? {
        Reply::Answered(answer) if answer.is_error() => Ok(()),
        Reply::Answered(answer) => {
            Err(of_answer(&answer, "error -32602 (invalid params): unknown prompt").stop())
        }
        other => {
            Err(Stop::Unproven(format!("`completion/complete`: {}", crate::detect::reply_words(&other))))
        }
    }
}

async fn read_shape(peer: &mut Peer) -> Outcome {
    let reads = read_listed(peer).await?;
    if reads.is_empty() {
        return Err(Stop::NotApplicable("no resource is listed".into()));
    }
    let mut tried = false;
    for (uri, reply) in reads.iter() {
        let Reply::Answered(answer) = reply else { continue };
        let Some(result) = answer.result() else { continue };
        tried = true;
        let claimed = specs::schema::claimed_definition("resources/read", peer.revision(), &result.to_json());
        let definition = claimed.unwrap_or("ReadResourceResult");
        let faults = faults_of(peer, definition, answer);
        well_shaped(
            &faults,
            &format!("a {definition} for {}", quoted(uri)),
            at_part(answer, &first_place(&faults), ""),
        )?;
    }
    if tried { Ok(()) } else { Err(Stop::Unproven("no listed resource was answered with a result".into())) }
}

async fn missing_code(peer: &mut Peer, code: i64) -> Outcome {
    let expected = format!("error {code} for a resource that does not exist");
    let reply = peer.try_request("resources/read", json!({"uri": "mcpproof://no/such/resource"})).await?;
    match reply {
        Reply::Answered(answer) if answer.code() == Some(code) => Ok(()),
        Reply::Answered(answer) if answer.code() == Some(-32601) && !lists_resources(peer) => {
            Err(Stop::Unproven("`resources/read` is not served".into()))
        }
        Reply::Answered(answer) if answer.is_error() && code == -32002 && answer.code() == Some(-32602) => {
            // Later revisions ask for -32602, and servers of both eras answer so in all.
            Err(of_answer(&answer, &expected).class(Class::Note).stop())
        }
        Reply::Answered(answer) => Err(of_answer(&answer, &expected).stop()),
        Reply::NoMessage(_) => Ok(()),
        other => Err(Evidence { expected, ..peer.unanswered(&other, "") }.stop()),
    }
}

/// Judges every notification that the revision knows; progress has a check of its own.
fn notifications_shape(peer: &Peer) -> Outcome {
    let revision = peer.revision();
    let found = offences(peer, |_, _, message| {
        let Message::Notification(notification) = message else { return None };
        if notification.method == "notifications/progress" {
            return None;
        }
        let definition = specs::schema::params_definition(&notification.method, revision)?;
        // `params` may be left out where nothing in them is required.
        let params = notification.params.as_ref().filter(|params| params.as_object().is_some())?;
        let fault = specs::schema::violations(revision, definition, &params.to_json()).into_iter().next()?;
        let (at, expected, seen) = (fault.pointer, fault.expected, fault.seen);
        Some(format!(
            "`{}` with params that are wrong at {at}: expected {expected}, seen {seen}",
            notification.method
        ))
    });
    no_offence("notifications with the params that the schema has", found)
}

/// Tells whether the server has listed a resource, so that it must be able to read.
fn lists_resources(peer: &Peer) -> bool {
    peer.listings.get("resources/list").is_some_and(|list| !list.items.is_empty())
}

/// Completes the first argument of a listed prompt that has one, once per revision.
async fn completed(peer: &mut Peer) -> Result<Arc<Reply>, Stop> {
    if let Some(known) = &peer.completion {
        return Ok(known.clone());
    }
    let list = if peer.declares("prompts") { peer.list("prompts/list").await.ok() } else { None };
    let target = list.as_ref().and_then(|list| {
        list.items.iter().find_map(|prompt| {
            let argument = prompt.get("arguments")?.as_array()?.first()?.get("name")?.as_str()?;
            Some((prompt.get("name")?.as_str()?.to_owned(), argument.to_owned()))
        })
    });
    let Some((prompt, argument)) = target else {
        return Err(Stop::NotApplicable("no listed prompt has an argument to complete".into()));
    };
    let params =
        json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": ""}});
    let reply = Arc::new(peer.try_request("completion/complete", params).await?);
    peer.completion = Some(reply.clone());
    Ok(reply)
}

/// An error is an answer, too: not every argument can be completed.
async fn completion_answered(peer: &mut Peer) -> Outcome {
    match &*completed(peer).await? {
        Reply::Answered(_) | Reply::NoMessage(_) => Ok(()),
        _ if peer.unserved.contains(&"completion/complete") => {
            Err(Stop::Unproven("no completion is answered; `capability-completions-served` says so".into()))
        }
        other => {
            Err(peer.unanswered(other, "`completion/complete` for the argument of a listed prompt").stop())
        }
    }
}

async fn completion_limit(peer: &mut Peer) -> Outcome {
    let answer = result_or_unproven((*completed(peer).await?).clone(), "completion/complete")?;
    let faults = faults_of(peer, "CompleteResult", &answer);
    well_shaped(
        &faults,
        "a CompleteResult with at most 100 values",
        at_part(&answer, &first_place(&faults), ""),
    )?;
    let values =
        answer.result().and_then(|r| r.pointer("/completion/values")?.as_array()).map_or(0, <[_]>::len);
    if values <= 100 {
        return Ok(());
    }
    Err(Evidence { seen: format!("{values} values"), ..of_answer(&answer, "at most 100 values") }.stop())
}

async fn level_refused(peer: &mut Peer) -> Outcome {
    let expected = "error -32602 (invalid params): unknown level";
    match peer.try_request("logging/setLevel", json!({"level": "mcpproof-loud"})).await? {
        Reply::Answered(answer) if answer.code() == Some(-32602) => Ok(()),
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            Err(Stop::Unproven("not served; `capability-logging-served` says so".into()))
        }
        Reply::Answered(answer) => Err(of_answer(&answer, expected).stop()),
        Reply::NoMessage(_) => Ok(()),
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}
