//! Finds out which era a server speaks, by the rules of the specification, and whether it lives at all.
//! Spec 2026-07-28, basic/versioning: `server/discover` first; a discovery result or -32022 means the stateless era;
//! any other error, or silence, means `initialize`.

use crate::check::Phase;
use crate::death;
use crate::evidence::Evidence;
use crate::held::end_of_silence;
use crate::log::{Conversation, Reply, Sent};
use crate::opener::Opener;
use crate::peer::{DEAF, exchange_words, exit_words};
use crate::report::DeadServer;
use crate::session::Session;
use crate::words::seconds;
use serde_json::Value as Json;
use specs::Revision;
use std::time::Duration;
use transport::{ConnectError, Exchange};

/// How long silence lasts before it means the era with a handshake.
const DISCOVER_WITHIN: Duration = Duration::from_millis(1500);

/// A conversation past its greeting.
#[derive(Debug)]
pub(crate) struct Greeted {
    pub(crate) session: Session,
    /// The result of `initialize` or `server/discover`; null when there is none.
    pub(crate) greeting: Json,
    /// What came of discovery, in words, when it gave no result.
    pub(crate) words: String,
    /// What came of `initialize`, in words, when the server answers neither.
    pub(crate) handshake_words: String,
}

/// What was found out.
#[derive(Debug, Default)]
pub(crate) struct Detected {
    /// A conversation in the stateless era, if the server speaks it.
    pub(crate) stateless: Option<Greeted>,
    /// Why there is none, in words.
    pub(crate) not_stateless: String,
    /// What `initialize` for the newest revision asked for led to.
    pub(crate) handshake: Option<Handshake>,
    /// The server ended when `server/discover` was the first thing it heard.
    pub(crate) died_of_discovery: bool,
    /// The server could not be talked to.
    pub(crate) dead: Option<DeadServer>,
    /// The server holds its answers back until the next message, or until the end of its input.
    pub(crate) held: Option<(Revision, Evidence)>,
    /// Time to the first answer.
    pub(crate) answered_after: Option<Duration>,
}

/// An answered `initialize`.
#[derive(Debug)]
pub(crate) struct Handshake {
    /// The revision asked for.
    pub(crate) asked: Revision,
    /// What came.
    pub(crate) reply: Reply,
    /// The conversation it was said on, still without `notifications/initialized`; none once it was ended.
    pub(crate) session: Option<Session>,
    /// All that was said on a conversation that was ended because nothing was answered.
    pub(crate) silence: Option<Conversation>,
}

impl Detected {
    /// The newest revision with a handshake that the server speaks: what it answers to the newest one.
    pub(crate) fn newest_spoken(&self) -> Option<Revision> {
        self.handshake.as_ref()?.answered()?.parse().ok()
    }
}

impl Handshake {
    /// All that was said on its conversation.
    pub(crate) fn log(&self) -> Option<&Conversation> {
        self.silence.as_ref().or(self.session.as_ref().map(|session| &session.log))
    }

    /// The revision the server answered, as text.
    pub(crate) fn answered(&self) -> Option<String> {
        answered_version(&self.reply)
    }
}

/// `result.protocolVersion` of an answer to `initialize`.
pub(crate) fn answered_version(reply: &Reply) -> Option<String> {
    let Reply::Answered(answer) = reply else { return None };
    Some(answer.result()?.get("protocolVersion")?.as_str()?.to_owned())
}

/// The whole result of an answer as JSON; null when there is none.
pub(crate) fn greeting_of(reply: &Reply) -> Json {
    match reply {
        Reply::Answered(answer) => answer.result().map_or(Json::Null, wire::Value::to_json),
        _ => Json::Null,
    }
}

/// Probes both eras; `wanted` are the revisions the user asked for.
pub(crate) async fn detect(opener: &Opener, wanted: &[Revision]) -> Detected {
    let mut found = Detected::default();
    let newest = wanted.iter().copied().filter(|r| !r.is_stateless()).max();
    let stateless = wanted.iter().copied().filter(|r| r.is_stateless()).max();
    let mut session =
        match opener.open(stateless.or(newest).unwrap_or(Revision::NEWEST_STATELESS), Phase::Shared).await {
            Ok(session) => session,
            Err(error) => return dead(found, death::before_start(&error)),
        };
    if let Some(revision) = stateless {
        let within = if newest.is_some() { DISCOVER_WITHIN } else { opener.timing.start };
        match try_stateless(&mut found, opener, session, revision, within).await {
            // The headers of one era must not leak into the other; opening HTTP anew costs nothing.
            Some(same) if opener.transport() == "stdio" => session = same,
            _ => match reopen(opener, newest).await {
                Ok(Some(fresh)) => session = fresh,
                Ok(None) => return without_handshake(found, opener, revision).await,
                Err(error) => return dead(found, death::before_start(&error)),
            },
        }
    }
    let Some(asked) = newest else {
        opener.end_quickly(session).await;
        return without_handshake(found, opener, stateless.unwrap_or(Revision::NEWEST_STATELESS)).await;
    };
    try_handshake(&mut found, opener, session, asked).await;
    if let (Some(revision), None) = (stateless, &found.stateless) {
        after_slow_start(&mut found, opener, revision, asked).await;
    }
    if let (Some(revision), true) = (stateless, is_refused(&found)) {
        try_without_discovery(&mut found, opener, revision).await;
    }
    found
}

/// A server that starts slowly answers discovery only after `initialize` has been sent as well; then both are asked
/// again, each on a conversation of its own.
async fn after_slow_start(found: &mut Detected, opener: &Opener, revision: Revision, asked: Revision) {
    let Some(handshake) = &found.handshake else { return };
    let is_modern = |response: &wire::Response| {
        let versions =
            response.result.as_ref().is_some_and(|result| result.get("supportedVersions").is_some());
        versions || response.error_code() == Some(-32022)
    };
    let to_discovery =
        |sent: Option<&Sent>| sent.is_some_and(|s| s.method.as_deref() == Some("server/discover"));
    let Some(log) = handshake.log() else { return };
    let mut responses = log.responses();
    if !responses.any(|(_, response, sent)| to_discovery(sent) && is_modern(response)) {
        return;
    }
    drop(responses);
    let refused = answered_version(&handshake.reply).is_none();
    if let Ok(session) = opener.open(revision, Phase::Shared).await {
        try_stateless(found, opener, session, revision, opener.timing.start).await;
    }
    if refused && let Ok(session) = opener.open(asked, Phase::Shared).await {
        (found.dead, found.handshake) = (None, None);
        try_handshake(found, opener, session, asked).await;
    }
}

/// Ends detection where only the stateless era was asked for.
async fn without_handshake(mut found: Detected, opener: &Opener, revision: Revision) -> Detected {
    if found.stateless.is_none() && found.dead.is_none() {
        try_without_discovery(&mut found, opener, revision).await;
    }
    found
}

/// True when the server answered, but neither to discovery nor to `initialize` with a result.
fn is_refused(found: &Detected) -> bool {
    let reply = found.handshake.as_ref().map(|handshake| &handshake.reply);
    found.stateless.is_none() && matches!(reply, Some(Reply::Answered(answer)) if answer.result().is_none())
}

/// A server that answers `tools/list` with the metadata of `revision` speaks it, discovery or not.
async fn try_without_discovery(found: &mut Detected, opener: &Opener, revision: Revision) {
    let Ok(mut session) = opener.open(revision, Phase::Shared).await else { return };
    session.adopt(revision);
    let message = session.build("tools/list", serde_json::json!({}));
    let within = opener.timing.start;
    let reply = session.request_within(crate::session::Outgoing::message(&message), within).await;
    if greeting_of(&reply).get("tools").is_none() {
        opener.end_quickly(session).await;
        return;
    }
    let declared = serde_json::json!({"capabilities": {"tools": {}}});
    session.settle(revision, &declared).await;
    let handshake_words = found.handshake.as_ref().map(|h| reply_words(&h.reply)).unwrap_or_default();
    let words = found.not_stateless.clone();
    found.stateless = Some(Greeted { session, greeting: Json::Null, words, handshake_words });
}

fn dead(mut found: Detected, dead: DeadServer) -> Detected {
    found.dead = Some(dead);
    found
}

async fn reopen(opener: &Opener, newest: Option<Revision>) -> Result<Option<Session>, ConnectError> {
    match newest {
        Some(revision) => opener.open(revision, Phase::Shared).await.map(Some),
        None => Ok(None),
    }
}

/// Sends `server/discover`. Returns the session when it is still good for `initialize`.
async fn try_stateless(
    found: &mut Detected,
    opener: &Opener,
    mut session: Session,
    revision: Revision,
    within: Duration,
) -> Option<Session> {
    session.adopt(revision);
    let reply = session.discover(within).await;
    if matches!(reply, Reply::Answered(_)) {
        found.answered_after = Some(session.age());
    }
    let greeting = greeting_of(&reply);
    let modern = match &reply {
        Reply::Answered(answer) => {
            greeting.get("supportedVersions").is_some() || answer.code() == Some(-32022)
        }
        _ => false,
    };
    if modern {
        session.settle(revision, &greeting).await;
        found.stateless = Some(Greeted::new(session, greeting));
        return None;
    }
    found.not_stateless = format!("server/discover: {}", reply_words(&reply));
    found.died_of_discovery = matches!(reply, Reply::Gone { .. });
    if within > DISCOVER_WITHIN && !matches!(reply, Reply::Answered(_) | Reply::NoMessage(_)) {
        found.dead = Some(death::after_start(&mut session, &reply));
        if matches!(reply, Reply::Silent { .. }) && session.is_over_lines() {
            if let (conversation, Some(evidence)) = end_of_silence(opener, session).await {
                held(found, revision, &conversation, evidence);
            }
            return None;
        }
    }
    if session.closed {
        opener.end_quickly(session).await;
        return None;
    }
    Some(session)
}

/// Sends `initialize` for `asked`; a server that died of an earlier message gets a second chance without it.
async fn try_handshake(found: &mut Detected, opener: &Opener, mut session: Session, asked: Revision) {
    session.revision = asked;
    let had_sent_more = !session.log.entries.is_empty();
    let mut reply = match session.initialize_first(asked.as_str()).await {
        Ok(reply) => reply,
        Err(evidence) => return held(found, asked, &opener.end_quickly(session).await, *evidence),
    };
    if matches!(reply, Reply::Gone { .. }) && had_sent_more {
        opener.end_quickly(session).await;
        session = match opener.open(asked, Phase::Shared).await {
            Ok(session) => session,
            Err(error) => {
                found.dead = Some(death::before_start(&error));
                return;
            }
        };
        reply = session.initialize(asked.as_str()).await;
    }
    if let Reply::NoMessage(exchange) = &reply
        && exchange.status == 400
        && opener.transport() == "http"
        && let Some(better) = with_version_header(opener, &mut session, asked, exchange).await
    {
        reply = better;
    }
    if matches!(reply, Reply::Answered(_)) {
        found.answered_after.get_or_insert(session.age());
    } else if found.stateless.is_none() {
        found.dead = Some(death::after_start(&mut session, &reply));
    }
    let is_silent = matches!(reply, Reply::Silent { .. }) && session.is_over_lines();
    let mut handshake = Handshake { asked, reply, session: None, silence: None };
    if is_silent && found.stateless.is_none() {
        let (conversation, evidence) = end_of_silence(opener, session).await;
        if let Some(evidence) = evidence {
            return held(found, asked, &conversation, evidence);
        }
        if let (true, Some(dead)) = (conversation.refused_input, found.dead.as_mut()) {
            dead.what = format!("{}; {DEAF}", dead.what);
        }
        handshake.silence = Some(conversation);
    } else {
        handshake.session = Some(session);
    }
    found.handshake = Some(handshake);
}

/// Ends with a server that holds its answers back: nothing else can be judged then.
fn held(found: &mut Detected, asked: Revision, conversation: &Conversation, evidence: Evidence) {
    found.dead = Some(death::held_back(conversation, &evidence));
    found.held = Some((asked, evidence));
}

/// Some servers refuse even the first request without `MCP-Protocol-Version`; the rest can still be checked.
async fn with_version_header(
    opener: &Opener,
    session: &mut Session,
    asked: Revision,
    refusal: &Exchange,
) -> Option<Reply> {
    session.say_version_always();
    let reply = session.initialize(asked.as_str()).await;
    answered_version(&reply)?;
    opener.needs_version_header.get_or_init(|| exchange_words(refusal));
    Some(reply)
}

/// Says in a few words what came of a request.
pub(crate) fn reply_words(reply: &Reply) -> String {
    match reply {
        Reply::Answered(answer) => answer.in_words(),
        Reply::Silent { waited, .. } => format!("no answer within {}", seconds(*waited)),
        Reply::Gone { deaf: true, .. } => DEAF.into(),
        Reply::Gone { exit, .. } => format!("the server {}", exit_words(*exit)),
        Reply::NoMessage(exchange) => exchange_words(exchange),
        Reply::Failed(cause) => cause.clone(),
    }
}
