//! Turns what detection found into the revisions to check and those that are one line.

use crate::check::Phase;
use crate::detect::{Detected, Greeted, Handshake, greeting_of, reply_words};
use crate::log::Reply;
use crate::report::{RevisionReport, ServerFacts, Spoken};
use crate::session::Session;
use serde_json::Value as Json;
use specs::Revision;
use std::time::Duration;

/// One revision to check.
pub(crate) struct PlannedLane {
    pub(crate) revision: Revision,
    /// The conversation that detection left over, past `initialize` but not past `initialized`.
    pub(crate) greeted: Option<Greeted>,
}

/// What to do.
pub(crate) struct Plan {
    pub(crate) lanes: Vec<PlannedLane>,
    pub(crate) unspoken: Vec<RevisionReport>,
    pub(crate) facts: ServerFacts,
}

impl Plan {
    pub(crate) fn new(found: Detected, wanted: &[Revision]) -> Self {
        let mut plan = Self { lanes: Vec::new(), unspoken: Vec::new(), facts: ServerFacts::default() };
        let greeting = found.stateless.as_ref().map(|greeted| &greeted.greeting);
        if let Some(greeting) = greeting {
            plan.facts = facts_of(greeting);
        }
        if let Some(revision) = wanted.iter().copied().find(|r| r.is_stateless()) {
            match found.stateless {
                Some(greeted) => plan.lanes.push(PlannedLane { revision, greeted: Some(greeted) }),
                None => plan.unspoken.push(unspoken(revision, found.not_stateless)),
            }
        }
        if let Some(handshake) = found.handshake {
            plan.add_handshake(handshake, wanted);
        }
        plan
    }

    fn add_handshake(&mut self, handshake: Handshake, wanted: &[Revision]) {
        let greeting = greeting_of(&handshake.reply);
        if greeting.get("serverInfo").is_some() {
            self.facts = facts_of(&greeting);
        }
        let of_handshake = wanted.iter().copied().filter(|r| !r.is_stateless());
        if !matches!(handshake.reply, Reply::Answered(_)) {
            // Who does not answer one revision at all will not answer another: no need to wait again.
            let words = format!("`initialize`: {}", reply_words(&handshake.reply));
            self.unspoken.extend(of_handshake.map(|revision| unspoken(revision, words.clone())));
            return;
        }
        let refused = greeting.is_null();
        let answered = handshake.answered().and_then(|text| text.parse::<Revision>().ok());
        // An answer that names no known revision is a finding; the rest is checked as what was asked for.
        let spoken = if refused { None } else { Some(answered.unwrap_or(handshake.asked)) };
        let mut session = handshake.session.map(|session| (session, greeting));
        for revision in of_handshake {
            let greeted = if spoken == Some(revision) { session.take() } else { None };
            let greeted = greeted.map(|(session, greeting)| Greeted::new(session, greeting));
            match (revision == handshake.asked && greeted.is_none(), answered) {
                (true, Some(other)) => {
                    self.unspoken.push(unspoken(revision, format!("answered {other} instead")))
                }
                (true, None) => self.unspoken.push(unspoken(revision, reply_words(&handshake.reply))),
                (false, _) => self.lanes.push(PlannedLane { revision, greeted }),
            }
        }
    }
}

fn unspoken(revision: Revision, why: String) -> RevisionReport {
    let spoken = Spoken::No(why);
    RevisionReport { revision, spoken, starts: 1, results: Vec::new(), skipped: 0, took: Duration::ZERO }
}

/// What a greeting says of the server.
fn facts_of(greeting: &Json) -> ServerFacts {
    let info =
        greeting.get("serverInfo").or_else(|| greeting.pointer("/_meta/io.modelcontextprotocol~1serverInfo"));
    let text = |name: &str| info.and_then(|info| info.get(name)).and_then(Json::as_str).map(str::to_owned);
    let declared = greeting.get("capabilities").and_then(Json::as_object);
    let capabilities = declared.into_iter().flat_map(|members| members.keys().cloned()).collect();
    ServerFacts { name: text("name"), version: text("version"), capabilities, ..ServerFacts::default() }
}

impl Greeted {
    pub(crate) fn new(session: Session, greeting: Json) -> Self {
        Self { session, greeting, words: String::new(), handshake_words: String::new() }
    }

    /// True when `notifications/initialized` is still to be sent.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.session.log.initialized_at.is_none() && self.session.log.phase == Phase::Shared
    }
}
