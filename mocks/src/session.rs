//! One conversation with the good server: what it remembers, and how a line becomes steps.

use crate::answer::Answer;
use crate::call::{self, Call, LOG_LEVEL_KEY};
use crate::envelope::{self, Envelope};
use crate::fault::{Heard, Twist};
use crate::problem::Problem;
use crate::setup::Setup;
use crate::step::{Flow, Step, is_response, notification};
use crate::surface::Surface;
use crate::{handshake, stateless};
use serde_json::{Value, json};
use specs::Revision;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The log levels, least first.
pub(crate) const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// One conversation.
#[derive(Clone, Debug)]
pub struct Session {
    pub(crate) setup: Arc<Setup>,
    /// The revision that `initialize` agreed on.
    pub agreed: Option<Revision>,
    /// The log level that was set, as a place in the levels.
    pub(crate) log_level: Option<usize>,
    /// The resources that were subscribed to.
    pub(crate) subscribed: BTreeSet<String>,
    /// The open subscriptions: id and what was asked for.
    pub(crate) listening: Vec<(Value, Value)>,
    /// Whether the client has said that it is ready.
    pub(crate) ready: bool,
    /// How often each method was asked for.
    pub(crate) turns: BTreeMap<String, usize>,
    /// How many lines were heard.
    pub(crate) lines: usize,
    /// Whether batches are taken, whatever the revision says.
    pub(crate) batches: Option<bool>,
    /// Whether requests are served before `initialize`.
    pub(crate) gate_open: bool,
    /// The refusal of the request that is being heard, whatever it is.
    pub(crate) refusal: Option<Problem>,
}

impl Session {
    pub(crate) fn new(setup: Arc<Setup>) -> Self {
        Self {
            setup,
            agreed: None,
            log_level: None,
            subscribed: BTreeSet::new(),
            listening: Vec::new(),
            ready: false,
            turns: BTreeMap::new(),
            lines: 0,
            batches: None,
            gate_open: false,
            refusal: None,
        }
    }

    pub(crate) fn surface(&self, revision: Revision) -> Arc<Surface> {
        self.setup.surface(revision)
    }

    /// Says what to do about one line.
    pub(crate) fn hear(&mut self, line: &[u8]) -> Flow {
        let mut message = serde_json::from_slice::<Value>(line).ok();
        let setup = Arc::clone(&self.setup);
        let revision = self.agreed;
        for twist in setup.twists() {
            if let (Twist::Hear(edit), Some(message)) = (twist, &mut message) {
                edit(message, self);
            }
        }
        let mut flow = match &message {
            None => Flow::say(Problem::parse().reply(Value::Null)),
            Some(Value::Array(items)) => self.batch(items),
            Some(one) => self.one(one),
        };
        let heard = Heard { line, message: message.as_ref(), before: self.lines, revision };
        self.lines += 1;
        for twist in setup.twists() {
            if let Twist::Steps(edit) = twist {
                edit(&heard, &mut flow.steps);
            }
        }
        flow
    }

    fn batch(&mut self, items: &[Value]) -> Flow {
        if !self.batches.unwrap_or_else(|| self.agreed.is_some_and(Revision::has_batches)) {
            return Flow::say(Problem::request("a message is an object").reply(Value::Null));
        }
        if items.is_empty() {
            return Flow::say(Problem::request("the batch is empty").reply(Value::Null));
        }
        let mut flow = Flow::default();
        let mut replies = Vec::new();
        for step in items.iter().flat_map(|item| self.one(item).steps) {
            match step {
                Step::Say(message) if is_response(&message) => replies.push(message),
                other => flow.steps.push(other),
            }
        }
        if !replies.is_empty() {
            flow.steps.push(Step::Say(Value::Array(replies)));
        }
        flow
    }

    fn one(&mut self, message: &Value) -> Flow {
        match envelope::read(message) {
            Envelope::Request(call) => self.request(call),
            Envelope::Notification { method, params } => self.notification(&method, &params),
            Envelope::Response => Flow::default(),
            Envelope::Broken(reply) => Flow::say(reply),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) -> Flow {
        let mut flow = Flow::default();
        self.ready |= method == "notifications/initialized";
        if method == "notifications/cancelled"
            && let Some(id) = params.get("requestId")
        {
            self.listening.retain(|(listening, _)| listening != id);
            flow.cancels = Some(call::key(id));
        }
        flow
    }

    fn request(&mut self, mut call: Call) -> Flow {
        let turns = self.turns.entry(call.method.clone()).or_default();
        call.turn = *turns;
        *turns += 1;
        let answer = match self.refusal.take() {
            Some(problem) => Err(problem).into(),
            None if stateless::is_meant(self, &call) => stateless::answer(self, &mut call),
            None => handshake::answer(self, &mut call),
        };
        let Answer { before: mut steps, outcome, after } = answer;
        let mut reply = match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": call.id, "result": result}),
            Err(problem) => problem.reply(call.id.clone()),
        };
        for twist in self.setup.twists() {
            if let Twist::Reply(edit) = twist {
                edit(&call, &mut reply);
            }
        }
        // A subscription is answered when it ends, and the good server never ends one.
        let listens = call.is("subscriptions/listen") && reply.get("result").is_some();
        if !listens {
            steps.push(Step::Say(reply));
        }
        steps.extend(after);
        Flow { key: Some(call.key()), cancels: None, steps }
    }

    /// A log message, if the client wants messages of this level.
    pub(crate) fn log(&self, call: &Call, level: &str, text: &str) -> Option<Step> {
        let rank = |level: &str| LEVELS.iter().position(|known| *known == level);
        let wanted = if call.revision.is_some_and(Revision::is_stateless) {
            call.meta(LOG_LEVEL_KEY).and_then(Value::as_str).and_then(rank)
        } else {
            self.log_level
        };
        let loud = rank(level) >= wanted;
        let params = json!({"level": level, "logger": "mock", "data": text});
        (wanted.is_some() && loud).then(|| Step::notify("notifications/message", params))
    }

    /// Tells whoever subscribed that a resource has changed.
    pub(crate) fn updated(&self, uri: &str) -> Vec<Step> {
        let method = "notifications/resources/updated";
        let mut steps = Vec::new();
        if self.subscribed.contains(uri) {
            steps.push(Step::Tell(notification(method, json!({"uri": uri}))));
        }
        for (id, wanted) in &self.listening {
            let uris = wanted.get("resourceSubscriptions").and_then(Value::as_array);
            if uris.is_some_and(|uris| uris.iter().any(|wanted| wanted == uri)) {
                let params = json!({"uri": uri, "_meta": stateless::subscription(id)});
                steps.push(Step::Tell(notification(method, params)));
            }
        }
        steps
    }
}
