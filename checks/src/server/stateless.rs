//! The stateless revision: discovery, self-describing requests, typed results and cache hints.

use super::dialogue::of_answer;
use super::lifecycle::{first_place, greeting_bytes, shape_faults, well_shaped};
use super::passive::{Offence, no_offence, offences};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::listing::ListEnd;
use crate::log::Reply;
use crate::peer::Peer;
use crate::session::client_meta;
use crate::words::listed;
use serde_json::{Value as Json, json};
use specs::Revision::{self, V2026_07_28};
use specs::Revisions;
use wire::{Message, Value};

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// A row of this area.
const ROW: Check = Check { revisions: Revisions::only(V2026_07_28), ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "discover-answered",
        requirement: "discover.implemented",
        fault: "discover-missing",
        explain: "Clients find out the era and the versions with `server/discover`; without it a stateless server is \
                  taken for an old one, and then for a broken one.",
        probe: |peer| Box::pin(async move { discover_answered(peer) }),
        ..ROW
    },
    Check {
        id: "discover-shape",
        requirement: "discover.result-shape",
        fault: "discover-shape",
        explain: "Typed clients cannot decode the result, so they take the server for one of the older era.",
        probe: |peer| Box::pin(async move { discover_shape(peer) }),
        ..ROW
    },
    Check {
        id: "discover-lists-version",
        requirement: "discover.lists-request-version",
        level: Level::Should,
        fault: "discover-omits-own-version",
        explain: "The client picks from this list, and finds nothing that both speak.",
        probe: |peer| Box::pin(async move { discover_lists_version(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-result-type",
        requirement: "result.result-type-present",
        phase: Phase::Afterwards,
        fault: "result-type-missing",
        explain: "Clients tell a finished result from a question by `resultType`; only for older servers is its \
                  absence read as complete.",
        probe: |peer| Box::pin(async move { result_type(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-result-type-known",
        requirement: "result.result-type-known",
        phase: Phase::Afterwards,
        fault: "result-type-unknown",
        explain: "Clients must treat an unknown `resultType` as an invalid result.",
        probe: |peer| Box::pin(async move { result_type_known(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-cache-hints",
        requirement: "caching.hints-present",
        phase: Phase::Afterwards,
        fault: "cache-hints-missing",
        explain: "Typed clients fail to decode the result; others ask for the list again before each turn.",
        probe: |peer| Box::pin(async move { cache_hints(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-server-info",
        requirement: "meta.server-info",
        level: Level::Should,
        phase: Phase::Afterwards,
        fault: "server-info-missing",
        explain: "Without serverInfo in `_meta`, logs and error reports cannot name the server.",
        probe: |peer| Box::pin(async move { server_info(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-meta-required",
        requirement: "meta.missing-fields-rejected",
        phase: Phase::Hostile,
        fault: "meta-missing-accepted",
        explain: "A server that guesses what the request did not say answers in a version nobody asked for.",
        probe: |peer| Box::pin(meta_required(peer)),
        ..ROW
    },
    Check {
        id: "stateless-version-refused",
        requirement: "version.unsupported-error",
        needs: Needs::STDIO,
        phase: Phase::Hostile,
        fault: "version-wrong-code",
        explain: "Clients pick another version when they see -32022; any other code looks like a broken server.",
        probe: |peer| Box::pin(version_refused(peer)),
        ..ROW
    },
    Check {
        id: "stateless-version-data",
        requirement: "version.unsupported-data",
        needs: Needs::STDIO,
        phase: Phase::Hostile,
        fault: "version-data-missing",
        explain: "Without `data.supported` the client has nothing to pick from.",
        probe: |peer| Box::pin(version_data(peer)),
        ..ROW
    },
    Check {
        id: "stateless-first-request",
        requirement: "stateless.no-prior-context",
        needs: Needs::TOOLS,
        phase: Phase::Opening,
        fault: "first-request-refused",
        explain: "Gateways send each request to any process; one that insists on an earlier request fails at random.",
        probe: |peer| Box::pin(first_request(peer)),
        ..ROW
    },
    Check {
        id: "stateless-ping-gone",
        requirement: "ping.removed",
        level: Level::Should,
        fault: "stateless-ping-served",
        explain: "Clients tell the eras apart by what is served; `ping` is not part of this one.",
        probe: |peer| Box::pin(ping_gone(peer)),
        ..ROW
    },
    Check {
        id: "stateless-no-requests",
        requirement: "stdio.server-no-requests",
        needs: Needs::STDIO,
        phase: Phase::Afterwards,
        fault: "stateless-server-request",
        explain: "Clients of this revision never answer requests; the server waits for ever.",
        probe: |peer| Box::pin(async move { no_requests(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-log-opt-in",
        requirement: "logging.per-request-opt-in",
        phase: Phase::Afterwards,
        fault: "log-without-level",
        explain: "Log messages nobody asked for reach clients that do not expect them, and cost them tokens.",
        probe: |peer| Box::pin(async move { log_opt_in(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-input-declared",
        requirement: "mrtr.respects-capabilities",
        phase: Phase::Afterwards,
        fault: "input-required-undeclared",
        explain: "The client cannot give what is asked for, so that the call never comes to an end.",
        probe: |peer| Box::pin(async move { input_declared(peer) }),
        ..ROW
    },
    Check {
        id: "stateless-initialize-gone",
        requirement: "lifecycle.initialize-removed",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "stateless-initialize-served",
        explain: "This revision has no session; a client that believes in one sends requests without the metadata.",
        probe: |peer| Box::pin(initialize_gone(peer)),
        ..ROW
    },
    Check {
        id: "stateless-initialize-names-versions",
        requirement: "version.modern-only-names-versions",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "initialize-error-silent-on-versions",
        explain: "An older client can only tell its user that the server failed, not that it is too new.",
        probe: |peer| Box::pin(initialize_names_versions(peer)),
        ..ROW
    },
];

fn discover_answered(peer: &Peer) -> Outcome {
    if peer.greeting.is_object() {
        return Ok(());
    }
    let seen =
        format!("{}; yet it answers `tools/list` with the metadata of this revision", peer.greeting_words);
    let evidence = Evidence::new("a result from `server/discover`", seen);
    Err(evidence.detail(format!("`initialize`: {}", peer.handshake_words)).stop())
}

fn greeted(peer: &Peer) -> Result<&Json, Stop> {
    let unproven = || Stop::Unproven("`server/discover` gave no result; `discover-answered` says so".into());
    peer.greeting.is_object().then_some(&peer.greeting).ok_or_else(unproven)
}

fn discover_shape(peer: &Peer) -> Outcome {
    let mut faults = shape_faults(peer.revision(), "DiscoverResult", greeted(peer)?);
    // Result type and cache hints are missing from all results or from none; they have checks of their own.
    faults.retain(|f| {
        !["resultType", "ttlMs", "cacheScope"].iter().any(|m| f.expected.contains(m) || f.pointer.contains(m))
    });
    let evidence = Evidence { bytes: greeting_bytes(peer, &first_place(&faults)), ..Evidence::default() };
    well_shaped(&faults, "a DiscoverResult", evidence)
}

fn discover_lists_version(peer: &Peer) -> Outcome {
    let version = peer.revision().as_str();
    let supported =
        greeted(peer)?.get("supportedVersions").and_then(Json::as_array).cloned().unwrap_or_default();
    if supported.iter().any(|v| v == version) {
        return Ok(());
    }
    let names: Vec<_> = supported.iter().map(ToString::to_string).collect();
    let seen = format!("supportedVersions: {}", listed(&names));
    let mut evidence =
        Evidence::new(format!("supportedVersions holds {version}, which the request was made in"), seen);
    evidence.bytes = greeting_bytes(peer, "/result/supportedVersions");
    Err(evidence.stop())
}

/// What a result may ask for, and the capability of the client that it needs.
const INPUTS: [(&str, &str); 3] =
    [("sampling/createMessage", "sampling"), ("elicitation/create", "elicitation"), ("roots/list", "roots")];

/// Clients declare nothing here, so that nothing may be asked of them.
fn input_declared(peer: &Peer) -> Outcome {
    let found = bad_results(peer, |_, result| {
        let asked = result.get("inputRequests")?.as_object()?;
        let methods = asked.iter().filter_map(|(_, input)| input.get("method")?.as_str());
        let (method, capability) =
            methods.filter_map(|method| INPUTS.into_iter().find(|(known, _)| *known == method)).next()?;
        Some(format!("asks for `{method}`, although the request does not declare `{capability}`"))
    });
    no_offence("input requests only of the kinds that the request declares", found)
}

/// Results to requests that describe themselves, with what `seen` finds wrong with them.
fn bad_results(peer: &Peer, seen: impl Fn(&str, &Value) -> Option<String>) -> Vec<Offence<'_>> {
    let mut found = Vec::new();
    for conversation in peer.conversations() {
        for (arrived, response, sent) in conversation.responses() {
            let method = sent.and_then(|sent| sent.method.as_deref());
            // A dual-era server answers a message without metadata by the rules of the other era.
            let modern = sent.is_some_and(|sent| sent.text.contains(VERSION_KEY));
            let result = response.result.as_ref().filter(|result| result.as_object().is_some());
            if let (Some(method), Some(result), true) = (method, result, modern)
                && let Some(seen) = seen(method, result)
            {
                found.push(Offence {
                    conversation,
                    arrived,
                    seen: format!("the result of `{method}` {seen}"),
                });
            }
        }
    }
    found
}

fn result_type(peer: &Peer) -> Outcome {
    let found =
        bad_results(peer, |_, result| result.get("resultType").is_none().then(|| "has no resultType".into()));
    no_offence("each result has a resultType", found)
}

fn result_type_known(peer: &Peer) -> Outcome {
    let known = ["complete", "input_required"];
    let extended = peer.capabilities.get("extensions").is_some();
    let found = bad_results(peer, |_, result| {
        let kind = result.get("resultType")?;
        let fine = kind.as_str().is_some_and(|kind| known.contains(&kind) || extended);
        (!fine).then(|| format!("has the resultType {kind}"))
    });
    no_offence("resultType complete or input_required (the server declares no extension)", found)
}

fn cache_hints(peer: &Peer) -> Outcome {
    const CACHEABLE: &[&str] = &[
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];
    let found = bad_results(peer, |method, result| {
        if !CACHEABLE.contains(&method)
            || result.get("resultType").and_then(Value::as_str) == Some("input_required")
        {
            return None;
        }
        let ttl = result.get("ttlMs");
        // JSON Schema takes 1000.0 for an integer.
        let ttl_ok = ttl.and_then(Value::as_f64).is_some_and(|ms| ms >= 0.0 && ms.fract() == 0.0);
        let scope = result.get("cacheScope");
        let scope_ok = scope.is_some_and(|scope| matches!(scope.as_str(), Some("public" | "private")));
        let show = |value: Option<&Value>| value.map_or("absent".into(), ToString::to_string);
        (!ttl_ok || !scope_ok).then(|| format!("has ttlMs {}, cacheScope {}", show(ttl), show(scope)))
    });
    no_offence(
        "ttlMs (an integer, 0 or more) and cacheScope (public or private) on each cacheable result",
        found,
    )
}

fn server_info(peer: &Peer) -> Outcome {
    let key = "io.modelcontextprotocol/serverInfo";
    let found = bad_results(peer, |_, result| {
        let present = result.get("_meta").is_some_and(|meta| meta.get(key).is_some());
        (!present).then(|| "has no serverInfo in _meta".into())
    });
    no_offence("each result names the server in `_meta`", found)
}

/// Sends `tools/list` without `_meta`, without the version, and without the capabilities.
async fn meta_required(peer: &mut Peer) -> Outcome {
    let whole = client_meta(peer.revision().as_str());
    let without = |key: &str| {
        let mut meta = whole.clone();
        meta.as_object_mut().map(|members| members.remove(key));
        json!({"_meta": meta})
    };
    let method = if lists_tools(peer) { "tools/list" } else { "server/discover" };
    let tries = [
        ("`_meta`", json!({})),
        ("protocolVersion", without(VERSION_KEY)),
        ("clientCapabilities", without(CAPABILITIES_KEY)),
    ];
    for (what, params) in tries {
        let id = format!("mcpproof-without-{}", what.trim_matches('`'));
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let expected = format!("error -32602 (invalid params) for a request without {what}");
        match peer.probe_message(&message).await? {
            Reply::Answered(answer) if answer.code() == Some(-32602) => {}
            // A server of both eras may read a request without a version as one of an unopened session.
            Reply::Answered(answer) if answer.is_error() => {
                return Err(of_answer(&answer, &expected).class(Class::Should).stop());
            }
            Reply::Answered(answer) => return Err(of_answer(&answer, &expected).stop()),
            other => {
                let evidence =
                    Evidence { expected, sent: Some(message.to_string()), ..peer.unanswered(&other, "") };
                return Err(evidence.stop());
            }
        }
    }
    Ok(())
}

/// Tells whether tools are listed when that is asked for; a server that never answers has a check of its own.
fn lists_tools(peer: &Peer) -> bool {
    let listing = peer.listings.get("tools/list");
    peer.declares("tools") && !listing.is_some_and(|l| matches!(l.end, ListEnd::Unanswered(_)))
}

async fn ask_in(peer: &mut Peer, version: &str) -> Result<Reply, Stop> {
    let id = peer.live()?.fresh_id();
    let method = if lists_tools(peer) { "tools/list" } else { "server/discover" };
    let params = json!({"_meta": client_meta(version)});
    peer.live()?.say_version_once(version);
    peer.probe_message(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
}

async fn version_refused(peer: &mut Peer) -> Outcome {
    let expected = "error -32022 (unsupported protocol version)";
    match ask_in(peer, "1999-01-01").await? {
        Reply::Answered(answer) if answer.code() == Some(-32022) => Ok(()),
        Reply::Answered(answer) => {
            let evidence = of_answer(&answer, expected);
            let draft = "-32004 was the number in drafts of this revision";
            Err(if answer.code() == Some(-32004) { evidence.detail(draft) } else { evidence }.stop())
        }
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}

async fn version_data(peer: &mut Peer) -> Outcome {
    let refused = match ask_in(peer, "1999-01-01").await? {
        Reply::Answered(answer) if answer.code() == Some(-32022) => answer,
        _ => {
            return Err(Stop::Unproven(
                "the version was not refused; `stateless-version-refused` says so".into(),
            ));
        }
    };
    let data = refused.response.error.as_ref().and_then(|error| error.get("data"));
    let supported = data.and_then(|data| data.get("supported")).and_then(Value::as_array);
    let strings = supported.is_some_and(|all| !all.is_empty() && all.iter().all(|v| v.as_str().is_some()));
    let requested = data.and_then(|data| data.get("requested")).and_then(Value::as_str);
    if strings && requested == Some("1999-01-01") {
        return Ok(());
    }
    let seen = data.map_or("no data".into(), |data| format!("data {data}"));
    let expected = "data.supported, a list of version strings, and data.requested, \"1999-01-01\"";
    Err(Evidence { seen, ..of_answer(&refused, expected) }.stop())
}

/// The very first message of a conversation is an ordinary request.
async fn first_request(peer: &mut Peer) -> Outcome {
    let revision = peer.revision();
    peer.live()?.adopt(revision);
    let within = peer.timing.start;
    let session = peer.live()?;
    let message = session.build("tools/list", json!({}));
    let reply = session.request_within(crate::session::Outgoing::message(&message), within).await;
    match reply {
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            Err(Stop::Unproven("`tools/list` is not served; `capability-tools-served` says so".into()))
        }
        Reply::Answered(answer) if answer.is_error() => {
            Err(of_answer(&answer, "the list of tools, as the first request of a connection").stop())
        }
        Reply::Answered(_) => Ok(()),
        other => Err(peer.unanswered(&other, "`tools/list` as the first request of a connection").stop()),
    }
}

async fn ping_gone(peer: &mut Peer) -> Outcome {
    let expected = "error -32601 (method not found): this revision has no `ping`";
    match peer.probe("ping", json!({})).await? {
        Reply::Answered(answer) if answer.code() == Some(-32601) => Ok(()),
        Reply::Answered(answer) => Err(of_answer(&answer, expected).stop()),
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(&other, "") }.stop()),
    }
}

fn no_requests(peer: &Peer) -> Outcome {
    let found = offences(peer, |_, _, message| match message {
        Message::Request(request) => Some(format!("a request of the server: `{}`", request.method)),
        _ => None,
    });
    no_offence("no requests from the server: it asks by an input_required result", found)
}

fn log_opt_in(peer: &Peer) -> Outcome {
    // The checker never sends a logLevel, so no log message has been asked for.
    let found = offences(peer, |_, _, message| match message {
        Message::Notification(n) if n.method == "notifications/message" => {
            Some("`notifications/message`, although no request had asked for log messages".into())
        }
        _ => None,
    });
    no_offence("log messages only for requests that carry a logLevel", found)
}

impl Peer {
    /// What the server answers when a conversation opens with `initialize` for this revision; asked once.
    async fn foreign_handshake(&mut self) -> Result<Reply, Stop> {
        if let Some(known) = &self.foreign_handshake {
            return Ok(known.clone());
        }
        if !self.opener.may_start() {
            return Err(Stop::Unproven("the server had been started too often".into()));
        }
        let opened = self.opener.open(Revision::NEWEST_WITH_HANDSHAKE, Phase::Opening).await;
        let mut session = opened.map_err(|error| Stop::Unproven(error.to_string()))?;
        let reply = session.initialize(self.revision.as_str()).await;
        self.opener.end_quickly(session).await;
        self.foreign_handshake = Some(reply.clone());
        Ok(reply)
    }
}

async fn initialize_gone(peer: &mut Peer) -> Outcome {
    let version = peer.revision().as_str();
    let reply = peer.foreign_handshake().await?;
    let agreed = crate::detect::answered_version(&reply).is_some_and(|answered| answered == version);
    match reply {
        Reply::Answered(answer) if agreed => {
            let expected = format!("an error, or an older version: {version} has no `initialize`");
            Err(of_answer(&answer, &expected).stop())
        }
        _ => Ok(()),
    }
}

async fn initialize_names_versions(peer: &mut Peer) -> Outcome {
    let version = peer.revision().as_str();
    match peer.foreign_handshake().await? {
        Reply::Answered(answer) if answer.is_error() => {
            let error = answer.response.error.as_ref().map(ToString::to_string).unwrap_or_default();
            if error.contains(version) {
                return Ok(());
            }
            let expected = format!("an error to `initialize` that names {version}, in its message or data");
            Err(of_answer(&answer, &expected).stop())
        }
        Reply::Answered(_) => {
            Err(Stop::NotApplicable("the server also speaks revisions with a handshake".into()))
        }
        other => Err(Stop::Unproven(format!("`initialize`: {}", crate::detect::reply_words(&other)))),
    }
}
