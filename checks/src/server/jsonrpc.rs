//! The JSON-RPC envelope and ids, judged on everything that was recorded.

use super::http::is_on_foreign_stream;
use super::passive::{Offence, no_offence, none_of, none_where, offences};
use crate::check::{Check, Level, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::log::{Conversation, Entry, Sent};
use crate::peer::Peer;
use crate::words::{quoted, short};
use specs::Revision::{V2025_11_25, V2026_07_28};
use specs::Revisions;
use wire::{DeviationKind as Kind, Message, Response, Value};

/// A row of this area: all are judged afterwards, on everything that was recorded.
const ROW: Check = Check { phase: Phase::Afterwards, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc-version-member",
        requirement: "jsonrpc.version-field",
        fault: "jsonrpc-version-missing",
        explain: "Typed clients reject a message without `\"jsonrpc\":\"2.0\"` before they look at anything else.",
        probe: |peer| Box::pin(async move { version_member(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-id-present",
        requirement: "jsonrpc.response.id-echo",
        fault: "id-missing",
        explain: "Without its id a response cannot be matched; the caller waits until its timeout.",
        probe: |peer| Box::pin(async move { id_present(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-id-type",
        requirement: "jsonrpc.response.id-type-preserved",
        fault: "id-becomes-string",
        explain: "Clients look ids up by value and type: 7 and \"7\" are two keys, and the request times out.",
        probe: |peer| Box::pin(async move { id_type(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-single-answer",
        requirement: "jsonrpc.response.single",
        fault: "response-duplicated",
        explain: "The second answer hits no request; strict clients treat it as a protocol error and disconnect.",
        probe: |peer| Box::pin(async move { single_answer(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-no-orphan-answers",
        requirement: "jsonrpc.response.no-orphan",
        fault: "response-orphan",
        explain: "A response to a request that was never sent is a protocol error for strict clients.",
        probe: |peer| Box::pin(async move { no_orphans(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-result-xor-error",
        requirement: "jsonrpc.response.result-xor-error",
        fault: "result-and-error",
        explain: "Clients decide by the presence of `error`; with both members, or neither, each decides differently.",
        probe: |peer| Box::pin(async move { result_xor_error(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-response-or-request",
        requirement: "jsonrpc.messages-follow-jsonrpc",
        fault: "response-with-method",
        explain: "Clients that look at `method` first take the answer for a request, and the caller waits for ever.",
        probe: |peer| {
            Box::pin(async move {
                none_of(peer, &[Kind::MethodAndOutcome], "a response without `method`: it is either or")
            })
        },
        ..ROW
    },
    Check {
        id: "jsonrpc-result-object",
        requirement: "jsonrpc.response.result-object",
        fault: "result-not-object",
        explain: "In MCP each result is an object. An empty PHP or Lua map that is encoded as [] is the usual cause.",
        probe: |peer| {
            Box::pin(async move { none_of(peer, &[Kind::ResultNotObject], "`result` is an object") })
        },
        ..ROW
    },
    Check {
        id: "jsonrpc-error-shape",
        requirement: "jsonrpc.error.object-shape",
        fault: "error-message-missing",
        explain: "Typed clients cannot decode the error, so the user sees a decoding failure instead of the cause.",
        probe: |peer| {
            Box::pin(async move {
                let kinds = [Kind::ErrorNotObject, Kind::ErrorMessageMissing];
                none_of(peer, &kinds, "`error` is an object with an integer `code` and a string `message`")
            })
        },
        ..ROW
    },
    Check {
        id: "jsonrpc-error-code-integer",
        requirement: "jsonrpc.error.code-integer",
        fault: "error-code-string",
        explain: "Clients branch on the number; a string code fails to decode or never compares equal.",
        probe: |peer| {
            Box::pin(async move { none_of(peer, &[Kind::ErrorCodeNotInteger], "`error.code` is an integer") })
        },
        ..ROW
    },
    Check {
        id: "jsonrpc-error-code-reserved",
        requirement: "jsonrpc.error.reserved-range",
        level: Level::Should,
        fault: "error-code-reserved",
        explain: "Codes from -32768 to -32100 belong to JSON-RPC; generic clients give them their reserved meaning.",
        probe: |peer| Box::pin(async move { reserved_codes(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-error-code-unassigned",
        requirement: "jsonrpc.error.no-unknown-mcp-codes",
        revisions: Revisions::only(V2026_07_28),
        fault: "error-code-unassigned",
        explain: "-32020 to -32099 belong to the specification; an unassigned one may get another meaning later.",
        probe: |peer| Box::pin(async move { unassigned_codes(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-error-code-retired",
        requirement: "jsonrpc.error.retired-codes",
        revisions: Revisions::only(V2026_07_28),
        fault: "retired-code-used",
        explain: "Clients of this revision no longer give -32002 and -32042 a meaning.",
        probe: |peer| Box::pin(async move { retired_codes(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-params-object",
        requirement: "jsonrpc.request.params-structured",
        fault: "notification-params-scalar",
        explain: "Clients decode `params` as an object and drop a message where it is something else.",
        probe: |peer| {
            Box::pin(async move {
                none_of(
                    peer,
                    &[Kind::ParamsNotStructured, Kind::ParamsArray],
                    "`params` is an object where it is sent",
                )
            })
        },
        ..ROW
    },
    Check {
        id: "jsonrpc-server-request-id",
        requirement: "jsonrpc.request.id-not-null",
        revisions: Revisions::until(V2025_11_25),
        fault: "server-request-id-null",
        explain: "A request without a usable id cannot be answered; the server waits for ever.",
        probe: |peer| Box::pin(async move { server_request_id(peer) }),
        ..ROW
    },
    Check {
        id: "jsonrpc-server-request-id-unique",
        requirement: "jsonrpc.request.id-unique-session",
        revisions: Revisions::until(V2025_11_25),
        fault: "server-request-reused-id",
        explain: "The answer to a reused id may be taken for the answer to the earlier request.",
        probe: |peer| Box::pin(async move { server_ids_unique(peer) }),
        ..ROW
    },
];

fn version_member(peer: &Peer) -> Outcome {
    none_of(peer, &[Kind::JsonrpcMissing, Kind::JsonrpcWrong], "each message carries \"jsonrpc\":\"2.0\"")
}

fn result_xor_error(peer: &Peer) -> Outcome {
    let kinds = [Kind::ResultAndError, Kind::NeitherResultNorError];
    none_of(peer, &kinds, "a response has either `result` or `error`")
}

fn id_present(peer: &Peer) -> Outcome {
    let kinds = [Kind::IdMissing, Kind::IdNull, Kind::IdBoolean, Kind::IdStructured];
    none_where(peer, "a response repeats the id of its request", |conversation, arrived, deviation| {
        // We ask with a null id ourselves once; a server that answers it is the business of `jsonrpc-null-id`.
        let asked_null =
            || conversation.all_sent().any(|(_, sent)| sent.improper && sent.text.contains("\"id\":null"));
        let is_answer = arrived.frame.responses().next().is_some();
        kinds.contains(&deviation.kind) && is_answer && !(deviation.kind == Kind::IdNull && asked_null())
    })?;
    no_offence("an error repeats the id of its request", nameless_errors(peer))
}

/// Errors without an id that answer proper requests: only who cannot read the id may leave it out.
fn nameless_errors(peer: &Peer) -> Vec<Offence<'_>> {
    let mut found = Vec::new();
    for conversation in peer.conversations() {
        for (arrived, response, sent) in conversation.responses() {
            let Some(sent) = sent.filter(|sent| sent.is_request()) else { continue };
            let unnamed = response.id.as_ref().is_none_or(Value::is_null);
            // -32700 and -32600 say that the request was not understood as one, its id included.
            let unread = matches!(response.error_code(), Some(-32700 | -32600));
            if let (true, false, Some(_), Some(id)) = (unnamed, unread, &response.error, &sent.id) {
                let what = if response.id.is_some() { "the id null" } else { "no id" };
                let method = sent.method.as_deref().unwrap_or_default();
                let seen = format!("the error in answer to `{method}` (id {id}) has {what}");
                found.push(Offence { conversation, arrived, seen });
            }
        }
    }
    found
}

/// Compares each answer's id with the request's by JSON type, not by text.
fn id_type(peer: &Peer) -> Outcome {
    for conversation in peer.conversations() {
        for (arrived, response, sent) in conversation.responses() {
            let Some((ours, theirs)) = ids_of(response, sent) else { continue };
            if theirs.is_null() || ours == theirs {
                continue;
            }
            let expected = format!("id {ours} ({})", ours.kind());
            let mut evidence = Evidence::new(expected, format!("id {theirs} ({})", theirs.kind()));
            evidence.bytes = Some(Excerpt::at(&arrived.frame.raw, "/id"));
            evidence.sent = sent.map(|sent| short(&sent.text, 200));
            evidence.records = Some((arrived.record, arrived.record));
            if theirs.kind() == "number" && ours.as_f64() == theirs.as_f64() {
                // 7.0 equals 7 as a number, and some parsers see no difference; the schema wants an integer.
                evidence = evidence.class(Class::Should);
            }
            return Err(evidence.stop());
        }
    }
    Ok(())
}

fn ids_of<'a>(response: &'a Response, sent: Option<&'a Sent>) -> Option<(&'a Value, &'a Value)> {
    Some((sent?.id.as_ref()?, response.id.as_ref()?))
}

fn single_answer(peer: &Peer) -> Outcome {
    for conversation in peer.conversations() {
        // An answer without an id was only guessed to belong here; that it has none is said by another check.
        let with_id = |sent: &Sent| -> Vec<usize> {
            sent.answers.iter().copied().filter(|at| has_id(conversation, *at)).collect()
        };
        let twice = conversation.all_sent().find(|(_, sent)| sent.id.is_some() && with_id(sent).len() > 1);
        let Some((_, sent)) = twice else { continue };
        let frames: Vec<_> = with_id(sent).iter().filter_map(|at| frame_at(conversation, *at)).collect();
        let seen = format!("{} answers to one request", frames.len());
        let mut evidence = Evidence::new("one answer per request", seen).sent(short(&sent.text, 200));
        evidence.bytes = frames.last().map(|raw| Excerpt::of(raw, None));
        evidence.details =
            frames.iter().take(2).map(|raw| Excerpt::of(raw, None).text).map(|t| short(&t, 120)).collect();
        return Err(evidence.stop());
    }
    Ok(())
}

/// Tells whether the responses of the frame at `at` carry ids.
fn has_id(conversation: &Conversation, at: usize) -> bool {
    match conversation.entries.get(at) {
        Some(Entry::Got { arrived, .. }) => {
            arrived.frame.responses().all(|response| response.id.as_ref().is_some_and(|id| !id.is_null()))
        }
        _ => false,
    }
}

fn frame_at(conversation: &Conversation, at: usize) -> Option<&[u8]> {
    match conversation.entries.get(at)? {
        Entry::Got { arrived, .. } => Some(&arrived.frame.raw),
        _ => None,
    }
}

/// A response without an id is the business of other checks; here only ids that nobody used count.
fn no_orphans(peer: &Peer) -> Outcome {
    let (mut found, mut elsewhere) = (Vec::new(), false);
    let streams_judged = peer.judges("http-response-own-stream");
    for conversation in peer.conversations() {
        for (arrived, response, sent) in conversation.responses() {
            let id = response.id.as_ref().filter(|id| !id.is_null());
            if let (None, Some(id)) = (sent, id)
                && !in_a_batch(conversation, id)
            {
                if streams_judged && is_on_foreign_stream(conversation, arrived, id) {
                    elsewhere = true;
                    continue;
                }
                found.push(Offence {
                    conversation,
                    arrived,
                    seen: format!("a response with id {id}, which was never sent"),
                });
            }
        }
    }
    no_offence("responses only to requests that were sent", found)?;
    match elsewhere {
        true => Err(Stop::Unproven(
            "answers came on streams of other requests; `http-response-own-stream` says so".into(),
        )),
        false => Ok(()),
    }
}

/// Tells whether `id` stood in an array that we sent.
fn in_a_batch(conversation: &Conversation, id: &Value) -> bool {
    let id = id.to_string();
    conversation.all_sent().any(|(_, sent)| sent.text.starts_with('[') && sent.text.contains(&id))
}

/// Collects error responses whose code `is_bad`.
fn no_codes(peer: &Peer, expected: &str, is_bad: impl Fn(i64) -> bool) -> Outcome {
    let found = offences(peer, |_, _, message| {
        let Message::Response(response) = message else { return None };
        let code = response.error_code().filter(|code| is_bad(*code))?;
        Some(format!("error code {code} {}", quoted(response.error_message().unwrap_or(""))))
    });
    no_offence(expected, found)
}

fn reserved_codes(peer: &Peer) -> Outcome {
    let defined = [-32700, -32600, -32601, -32602, -32603];
    let expected = "codes outside -32768 to -32100, or one of the five that JSON-RPC defines";
    no_codes(peer, expected, |code| (-32768..=-32100).contains(&code) && !defined.contains(&code))
}

fn unassigned_codes(peer: &Peer) -> Outcome {
    let expected = "of -32020 to -32099 only -32020, -32021 and -32022";
    no_codes(peer, expected, |code| (-32099..=-32020).contains(&code) && code < -32022 && code != -32042)
}

fn retired_codes(peer: &Peer) -> Outcome {
    no_codes(peer, "no code that earlier revisions have retired", |code| matches!(code, -32002 | -32042))
}

fn server_request_id(peer: &Peer) -> Outcome {
    let found = offences(peer, |_, _, message| match message {
        Message::Request(request) if !matches!(request.id.kind(), "string" | "integer") => {
            Some(format!("`{}` with id {} ({})", request.method, request.id, request.id.kind()))
        }
        _ => None,
    });
    no_offence("requests of the server have a string or integer id", found)
}

fn server_ids_unique(peer: &Peer) -> Outcome {
    let found = offences(peer, |conversation, at, message| {
        let Message::Request(request) = message else { return None };
        let earlier = conversation.messages().take_while(|(before, _, _)| *before < at);
        let mut same = earlier.filter(|(_, _, m)| matches!(m, Message::Request(r) if r.id == request.id));
        same.next().map(|_| format!("id {} was used before in this session", request.id))
    });
    no_offence("each request of the server has an id of its own", found)
}
