//! Lifecycle: the handshake of the session revisions, version negotiation, and what comes before it is done.

use super::dialogue::{at_part, of_answer};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::detect::answered_version;
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::log::{Entry, Reply};
use crate::opener::initialize_message;
use crate::peer::Peer;
use crate::words::{quoted, seconds, short};
use serde_json::{Value as Json, json};
use specs::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25};
use specs::Revisions;
use std::time::Duration;
use tokio::time::Instant;
use wire::Message;

/// A version that no server can speak.
const IMPOSSIBLE: &str = "2999-01-01";

/// A row of this area.
const ROW: Check = Check { revisions: Revisions::until(V2025_11_25), ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "lifecycle-initialize-result",
        requirement: "lifecycle.server-answers-initialize",
        fault: "initialize-result-no-server-info",
        explain: "Typed clients cannot decode the result, and the connection fails before anything else happens.",
        probe: |peer| Box::pin(async move { initialize_result(peer) }),
        ..ROW
    },
    Check {
        id: "lifecycle-version-known",
        requirement: "lifecycle.version-counteroffer",
        fault: "version-unknown-answered",
        explain: "Clients disconnect when they do not know the version that the server answers.",
        probe: |peer| Box::pin(async move { version_known(peer) }),
        ..ROW
    },
    Check {
        id: "lifecycle-version-counteroffer",
        requirement: "lifecycle.version-counteroffer",
        fault: "version-echoes-anything",
        explain: "A client that asks for a newer revision believes that it is spoken, and then meets messages of \
                  another one.",
        probe: |peer| Box::pin(version_counteroffer(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-survives-discovery",
        requirement: "lifecycle.init-gate",
        level: Level::Should,
        fault: "dies-on-unknown-first-method",
        explain: "Clients of the stateless revision ask `server/discover` first to find out the era; a server that ends \
                  over it cannot be reached by them at all.",
        probe: |peer| Box::pin(async move { survives_discovery(peer) }),
        ..ROW
    },
    Check {
        id: "lifecycle-ping-before-initialize",
        requirement: "ping.before-initialized",
        level: Level::Should,
        needs: Needs::STDIO,
        phase: Phase::Opening,
        fault: "ping-before-initialize-refused",
        explain: "`ping` is the one request that a client may send before the handshake, to see whether anybody is there.",
        probe: |peer| Box::pin(ping_before_initialize(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-request-before-initialize",
        requirement: "lifecycle.init-gate",
        level: Level::Should,
        phase: Phase::Opening,
        fault: "requests-before-initialize-hang",
        explain: "A client that sends too early waits for ever, or loses the server, instead of learning its mistake.",
        probe: |peer| Box::pin(request_before_initialize(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-initialize-meta",
        requirement: "shape.message-valid",
        phase: Phase::Opening,
        fault: "initialize-rejects-meta",
        explain: "Clients put trace ids and flags into `_meta`; every request may carry it, `initialize` included.",
        probe: |peer| Box::pin(initialize_meta(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-ping-before-initialized",
        requirement: "ping.before-initialized",
        level: Level::Should,
        phase: Phase::Opening,
        fault: "ping-before-initialized-refused",
        explain: "Clients may check that the server is alive before the handshake is done.",
        probe: |peer| Box::pin(ping_before_initialized(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-quiet-before-initialized",
        requirement: "lifecycle.server-waits",
        level: Level::Should,
        phase: Phase::Opening,
        fault: "sends-before-initialized",
        explain: "A client that is not ready yet refuses or drops what comes before `notifications/initialized`.",
        probe: |peer| Box::pin(quiet_before_initialized(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-initialize-unknown-members",
        requirement: "lifecycle.unknown-fields-tolerated",
        level: Level::Should,
        phase: Phase::Opening,
        fault: "initialize-rejects-unknown-capability",
        explain: "Capabilities are an open set: a newer client declares what an older server has never heard of.",
        probe: |peer| Box::pin(initialize_unknown_members(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-second-initialize",
        requirement: "lifecycle.error-cases-handled",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "initialize-twice-crashes",
        explain: "A client that reconnects over the same pipe must not take the server down.",
        probe: |peer| Box::pin(second_initialize(peer)),
        ..ROW
    },
    Check {
        id: "lifecycle-client-capabilities",
        requirement: "lifecycle.respect-capabilities",
        revisions: Revisions::between(V2025_06_18, V2025_11_25),
        phase: Phase::Afterwards,
        fault: "server-request-undeclared",
        explain: "The client declared nothing, so it cannot answer; the server waits, or fails the call that asked.",
        probe: |peer| Box::pin(async move { client_capabilities(peer) }),
        ..ROW
    },
    Check {
        id: "lifecycle-client-capabilities-early",
        requirement: "lifecycle.respect-capabilities-should",
        level: Level::Should,
        revisions: Revisions::until(V2025_03_26),
        phase: Phase::Afterwards,
        fault: "server-request-undeclared",
        explain: "The client declared nothing, so it cannot answer; the server waits, or fails the call that asked.",
        probe: |peer| Box::pin(async move { client_capabilities(peer) }),
        ..ROW
    },
];

/// Words for the places where `value` is not what `definition` of the revision says.
pub(super) fn shape_faults(
    revision: Revision,
    definition: &str,
    value: &Json,
) -> Vec<specs::schema::Violation> {
    specs::schema::violations(revision, definition, value)
}

/// Breaks on the first shape fault of an answer and lists the others.
pub(super) fn well_shaped(faults: &[specs::schema::Violation], what: &str, evidence: Evidence) -> Outcome {
    let Some(first) = faults.first() else { return Ok(()) };
    let place = if first.pointer.is_empty() { "the result".to_owned() } else { first.pointer.clone() };
    let mut evidence = Evidence {
        expected: format!("{what}: {} at {place}", first.expected),
        seen: first.seen.clone(),
        ..evidence
    };
    for fault in faults.iter().skip(1).take(4) {
        let place = if fault.pointer.is_empty() { "the result" } else { &fault.pointer };
        evidence.details.push(format!("also at {place}: expected {}, seen {}", fault.expected, fault.seen));
    }
    if faults.len() > 5 {
        evidence.details.push(format!("and {} more places", faults.len() - 5));
    }
    Err(evidence.stop())
}

fn initialize_result(peer: &mut Peer) -> Outcome {
    let faults = shape_faults(peer.revision(), "InitializeResult", &peer.greeting);
    // The version has a check of its own; what is wrong with its value is said there.
    let evidence = Evidence { bytes: greeting_bytes(peer, &first_place(&faults)), ..Evidence::default() };
    well_shaped(&faults, "an InitializeResult", evidence)
}

/// Where the first of `faults` stands in the message whose result they were found in.
pub(super) fn first_place(faults: &[specs::schema::Violation]) -> String {
    format!("/result{}", faults.first().map_or("", |fault| &fault.pointer))
}

/// The frame that answered `initialize` or `server/discover` on the live conversation, around the part at `pointer`.
pub(super) fn greeting_bytes(peer: &Peer, pointer: &str) -> Option<Excerpt> {
    let log = &peer.session.as_ref()?.log;
    let greets = |method: Option<&str>| matches!(method, Some("initialize" | "server/discover"));
    let answers = |sent: &crate::log::Sent| sent.answers.first().copied();
    let at = log
        .all_sent()
        .filter(|(_, sent)| greets(sent.method.as_deref()))
        .filter_map(|(_, s)| answers(s))
        .last()?;
    match log.entries.get(at)? {
        Entry::Got { arrived, .. } => Some(Excerpt::at(&arrived.frame.raw, pointer)),
        _ => None,
    }
}

fn version_known(peer: &mut Peer) -> Outcome {
    let Some(version) = peer.greeting.get("protocolVersion").and_then(Json::as_str) else {
        return Err(Stop::Unproven("no version was answered; `lifecycle-initialize-result` says so".into()));
    };
    if version.parse::<Revision>().is_ok() {
        return Ok(());
    }
    let known: Vec<_> = Revision::WITH_HANDSHAKE.iter().map(|r| r.as_str()).collect();
    let expected = format!("one of the revisions that exist: {}", known.join(", "));
    let mut evidence = Evidence::new(expected, format!("protocolVersion {}, which is none", quoted(version)));
    evidence.bytes = greeting_bytes(peer, "/result/protocolVersion");
    Err(evidence.stop())
}

async fn version_counteroffer(peer: &mut Peer) -> Outcome {
    let reply = peer.counteroffer().await?;
    let expected = "a result with a revision that the server speaks";
    if let Some(version) = answered_version(&reply) {
        let Reply::Answered(answer) = &reply else { return Ok(()) };
        if version == IMPOSSIBLE {
            let evidence = at_part(answer, "/result/protocolVersion", expected);
            return Err(Evidence {
                seen: format!("it agreed to {IMPOSSIBLE}, which does not exist"),
                ..evidence
            }
            .stop());
        }
        if version.parse::<Revision>().is_err() {
            return Err(Stop::Unproven(
                "the version answered is unknown; `lifecycle-version-known` says so".into(),
            ));
        }
        return Ok(());
    }
    match &reply {
        Reply::Answered(answer) if answer.is_error() => {
            let evidence = of_answer(answer, expected).class(Class::Should);
            let why = "the page says a server MUST answer with another version, and shows an error as an example; \
                       clients that offer a newer version first cannot fall back on an error";
            Err(evidence.detail(why).stop())
        }
        Reply::Answered(_) => {
            Err(Stop::Unproven("the answer names no version; `lifecycle-initialize-result` says so".into()))
        }
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(other, "") }
            .class(Class::Should)
            .stop()),
    }
}

impl Peer {
    /// What the server answers to a version that does not exist; asked on a start of its own, once per run.
    pub(super) async fn counteroffer(&mut self) -> Result<Reply, Stop> {
        if !self.opener.counteroffer.initialized() {
            self.make_room().await;
        }
        let opener = self.opener.clone();
        let ask = async || {
            let Ok(mut session) = opener.open(self.revision, Phase::Opening).await else {
                return Reply::Failed("the server could not be started again".into());
            };
            let reply = session.initialize(IMPOSSIBLE).await;
            opener.end_quickly(session).await;
            reply
        };
        Ok(self.opener.counteroffer.get_or_init(ask).await.clone())
    }
}

fn survives_discovery(peer: &mut Peer) -> Outcome {
    if !peer.opener.died_of_discovery {
        return Ok(());
    }
    let sent = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{...}}}"#;
    let evidence =
        Evidence::new("an error, as for any unknown method; the server lives on", "the server ended");
    Err(evidence.sent(sent).detail("a second start without it was answered").stop())
}

async fn ping_before_initialize(peer: &mut Peer) -> Outcome {
    let message = json!({"jsonrpc": "2.0", "id": "mcpproof-early-ping", "method": "ping"});
    match peer.probe_message(&message).await? {
        Reply::Answered(answer) if answer.is_error() => Err(of_answer(&answer, "an empty result").stop()),
        Reply::Answered(_) => Ok(()),
        // Spec 2025-03-26, transports: a server with sessions refuses what comes without one.
        Reply::NoMessage(exchange) if matches!(exchange.status, 400 | 404) => {
            Err(Stop::NotApplicable("over HTTP it belongs to no session, and may be refused for that".into()))
        }
        other => {
            let sent = Some(message.to_string());
            Err(Evidence { expected: "an empty result".into(), sent, ..peer.unanswered(&other, "") }.stop())
        }
    }
}

async fn request_before_initialize(peer: &mut Peer) -> Outcome {
    let reply = peer
        .probe_message(&json!({"jsonrpc": "2.0", "id": "mcpproof-early", "method": "tools/list"}))
        .await?;
    let expected = "an error: nothing but `ping` comes before `initialize`";
    match &reply {
        Reply::Answered(answer) if answer.result().is_some() => Err(of_answer(answer, expected)
            .class(Class::Note)
            .detail("the text does not say that it must refuse")
            .stop()),
        Reply::Answered(_) | Reply::NoMessage(_) => Ok(()),
        other => Err(Evidence { expected: expected.into(), ..peer.unanswered(other, "") }.stop()),
    }
}

/// Sends `initialize` with `_meta` and nothing else unusual.
async fn initialize_meta(peer: &mut Peer) -> Outcome {
    let revision = peer.revision();
    let id = peer.live()?.fresh_id();
    let mut message = initialize_message(id, revision.as_str());
    message["params"]["_meta"] = json!({"example.invalid/trace": "1"});
    let within = peer.timing.start;
    let reply = peer.live()?.request_within(crate::session::Outgoing::message(&message), within).await;
    match reply {
        Reply::Answered(answer) if answer.is_error() => {
            let evidence = of_answer(&answer, "the same result as without `_meta`");
            Err(evidence.detail("without `_meta` the same request was answered with a result").stop())
        }
        Reply::Answered(_) => Ok(()),
        other => {
            Err(Evidence { expected: "an answer to `initialize`".into(), ..peer.unanswered(&other, "") }
                .stop())
        }
    }
}

/// Judges the frames between the answer to `initialize` and `notifications/initialized`, which is held back.
async fn quiet_before_initialized(peer: &mut Peer) -> Outcome {
    require_greeted(peer)?;
    let session = peer.live()?;
    session.drain(Instant::now() + Duration::from_millis(80)).await;
    let early = session.log.messages().find_map(|(_, arrived, message)| match message {
        Message::Request(request) if request.method != "ping" => {
            Some((arrived, format!("a request: `{}`", request.method)))
        }
        Message::Notification(n) if n.method != "notifications/message" => {
            Some((arrived, format!("a notification: `{}`", n.method)))
        }
        _ => None,
    });
    let Some((arrived, seen)) = early else { return Ok(()) };
    let mut evidence =
        Evidence::new("nothing but `ping` and log messages before `notifications/initialized`", seen);
    evidence.bytes = Some(Excerpt::of(&arrived.frame.raw, None));
    Err(evidence.stop())
}

/// Says that `initialize` was refused on this conversation, where that is so.
fn require_greeted(peer: &mut Peer) -> Outcome {
    let log = &peer.live()?.log;
    let greeted = log.responses().any(|(_, response, sent)| {
        response.result.is_some() && sent.is_some_and(|sent| sent.method.as_deref() == Some("initialize"))
    });
    if greeted {
        Ok(())
    } else {
        Err(Stop::Unproven("`initialize` was not answered on this conversation".into()))
    }
}

async fn ping_before_initialized(peer: &mut Peer) -> Outcome {
    require_greeted(peer)?;
    let reply = peer.probe("ping", json!({})).await?;
    let answer = peer.answered(reply, "`ping` between `initialize` and `notifications/initialized`")?;
    match answer.is_error() {
        true => Err(of_answer(&answer, "an empty result").stop()),
        false => Ok(()),
    }
}

/// Opens one more conversation whose client declares what no server knows.
async fn initialize_unknown_members(peer: &mut Peer) -> Outcome {
    if !peer.opener.may_start() {
        return Err(Stop::Unproven("the server had been started too often".into()));
    }
    peer.make_room().await;
    let opened = peer.opener.open(peer.revision, Phase::Opening).await;
    let mut session = opened.map_err(|error| Stop::Unproven(error.to_string()))?;
    let mut message = initialize_message(1, peer.revision.as_str());
    message["params"]["capabilities"] =
        json!({"experimental": {"mcpproof": {}}, "mcpproofUnknown": {"x": 1}});
    message["params"]["mcpproofUnknown"] = json!(true);
    let within = peer.timing.start;
    let reply = session.request_within(crate::session::Outgoing::message(&message), within).await;
    let ended = peer.opener.end_quickly(session).await;
    peer.past.push(ended);
    let expected = "the same result as without the unknown members";
    match reply {
        Reply::Answered(answer) if answer.is_error() => Err(of_answer(&answer, expected).stop()),
        Reply::Answered(_) => Ok(()),
        other => {
            let seen = crate::detect::reply_words(&other);
            Err(Evidence::new(expected, seen).sent(short(&message.to_string(), 300)).stop())
        }
    }
}

async fn second_initialize(peer: &mut Peer) -> Outcome {
    let id = peer.live()?.fresh_id();
    let message = initialize_message(id, peer.revision.as_str());
    let reply = peer.probe_message(&message).await?;
    let expected = "an error or a result; the server lives on";
    if let Reply::Gone { .. } = reply {
        return Err(Evidence { expected: expected.into(), ..peer.unanswered(&reply, "") }.stop());
    }
    if let Reply::Silent { waited, .. } = reply {
        let seen = format!("no answer to a second `initialize` within {}", seconds(waited));
        return Err(Evidence::new(expected, seen).sent(short(&message.to_string(), 300)).stop());
    }
    Ok(())
}

fn client_capabilities(peer: &mut Peer) -> Outcome {
    let found = super::passive::offences(peer, |_, _, message| match message {
        Message::Request(request) if request.method != "ping" => Some(format!(
            "the server sent `{}`, although the client declared no capabilities",
            request.method
        )),
        _ => None,
    });
    super::passive::no_offence("no requests that the client has not declared to support", found)
}
