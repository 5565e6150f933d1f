//! The server as a probe sees it: one revision, all its conversations, and what has been learnt so far.

use crate::check::{Check, Stop};
use crate::ends::End;
use crate::evidence::Evidence;
use crate::finding::Profile;
use crate::held::HELD;
use crate::listing::{Listing, Listings};
use crate::log::{Answer, Conversation, Reply, is_too_deep};
use crate::opener::Opener;
use crate::quiet::comments_words;
use crate::session::{Outgoing, Session, Timing};
use crate::words::{self, seconds};
use serde_json::{Value as Json, json};
use specs::Revision;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use transport::{Exchange, Exit};
use wire::Value;

/// How long garbage may take before the server is asked for a sign of life, and how long at least after that.
const FIRST_LOOK: Duration = Duration::from_millis(60);
const SECOND_LOOK: Duration = Duration::from_millis(120);

/// Why nothing can be said of some lines.
pub(crate) const TOO_DEEP: &str =
    "something came that is nested deeper than 512 levels, which is not read here";

/// The server under proof, in one revision.
#[derive(Debug)]
pub struct Peer {
    pub(crate) revision: Revision,
    pub(crate) transport: &'static str,
    pub(crate) timing: Timing,
    /// The live conversation; there is none in the phase `Afterwards`.
    pub(crate) session: Option<Session>,
    /// Conversations that have ended.
    pub(crate) past: Vec<Conversation>,
    /// The declared capabilities, as of the shared conversation.
    pub(crate) capabilities: Json,
    /// The whole result of the handshake or discovery.
    pub(crate) greeting: Json,
    /// What came of discovery and of `initialize`, in words, for a server that answers neither.
    pub(crate) greeting_words: String,
    pub(crate) handshake_words: String,
    /// The checks that were asked for.
    pub(crate) asked: Vec<&'static str>,
    /// Whose limits become interop findings; empty means all.
    pub(crate) profiles: Vec<Profile>,
    pub(crate) opener: Opener,
    /// The newest revision with a handshake that the server speaks.
    pub(crate) newest_spoken: Option<Revision>,
    /// False once `ping` has gone unanswered or was refused; then it is no sign of life.
    pub(crate) ping_works: bool,
    /// What came of the `initialize` that the stateless revision refuses.
    pub(crate) foreign_handshake: Option<Reply>,
    /// Methods that were declared and never answered; a check of its own says so.
    pub(crate) unserved: Vec<&'static str>,
    pub(crate) listings: Listings,
    /// Until when the answer to the cancelled call would come if it came.
    pub(crate) linger_until: Option<Instant>,
    /// The listed resources that were read, with what came of it.
    pub(crate) reads: Option<Arc<Vec<(String, Reply)>>>,
    /// The listed prompts that were got, with what came of it.
    pub(crate) gets: Option<Arc<Vec<(String, Reply)>>>,
    /// What came of completing the argument of a listed prompt.
    pub(crate) completion: Option<Arc<Reply>>,
    pub(crate) calls: Option<Arc<Vec<crate::calls::Call>>>,
    /// The last thing that was asked.
    pub(crate) last_asked: Option<Asked>,
    /// The entry of the last sign-of-life request.
    pub(crate) sign_at: Option<usize>,
    /// Ends of the server that the message before them was not to blame for.
    pub(crate) ends: Vec<End>,
    /// The notifications that were sent before ends that were found to be the fault of a check's message.
    pub(crate) killers: Vec<String>,
    /// How the server was found to hold its answers back; then nothing more is asked of it.
    pub(crate) held: Option<Evidence>,
}

/// Something that was asked, to look for its answer again.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    text: String,
    at: usize,
    post: u64,
    began: Instant,
}

impl Peer {
    /// The revision spoken.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Tells whether a capability such as `tools` or `resources.subscribe` is declared.
    pub fn declares(&self, capability: &str) -> bool {
        let pointer = format!("/{}", capability.replace('.', "/"));
        self.capabilities
            .pointer(&pointer)
            .is_some_and(|value| !matches!(value, Json::Bool(false) | Json::Null))
    }

    /// Tells whether the check `id` is run as well, so that what it names need not be named twice.
    pub(crate) fn judges(&self, id: &str) -> bool {
        let fits = |needed: Option<&str>| needed.is_none_or(|needed| needed == self.transport);
        let runs = |check: &Check| check.revisions.contains(self.revision) && fits(check.needs.transport);
        self.asked.contains(&id) && crate::run::all_checks().any(|check| check.id == id && runs(check))
    }

    /// Every conversation that has ended.
    pub fn conversations(&self) -> &[Conversation] {
        &self.past
    }

    pub(crate) fn live(&mut self) -> Result<&mut Session, Stop> {
        self.session.as_mut().ok_or_else(|| Stop::Unproven("the server could not be started again".into()))
    }

    /// Ends the live conversation before another is opened beside it, where a server may mix them up: those of
    /// HTTP+SSE with one queue for all streams do.
    pub(crate) async fn make_room(&mut self) {
        if self.transport == "sse"
            && let Some(session) = self.session.take()
        {
            let ended = self.opener.end_quickly(session).await;
            self.past.push(ended);
        }
    }

    /// Sends a request and waits for the answer; silence, an end or a refusal breaks the check.
    pub async fn request(&mut self, method: &str, params: Json) -> Result<Answer, Stop> {
        let reply = self.try_request(method, params).await?;
        self.answered(reply, method)
    }

    /// Sends a request and returns whatever comes of it, with the patience that real work needs.
    pub async fn try_request(&mut self, method: &str, params: Json) -> Result<Reply, Stop> {
        let within = self.timing.answer;
        let session = self.live()?;
        let message = session.build(method, params);
        self.send_and_wait(Outgoing::message(&message), within).await
    }

    /// As [`Peer::try_request`], for what no server needs time for: after a short while it is asked for a sign of life.
    pub async fn probe(&mut self, method: &str, params: Json) -> Result<Reply, Stop> {
        let session = self.live()?;
        let message = session.build(method, params);
        self.probe_message(&message).await
    }

    /// Sends a message exactly so and waits as in [`Peer::probe`].
    pub async fn probe_message(&mut self, message: &Json) -> Result<Reply, Stop> {
        self.probe_outgoing(Outgoing::message(message)).await
    }

    /// Sends text that is deliberately no proper message and waits as in [`Peer::probe`].
    pub async fn probe_text(&mut self, text: &str, id: Option<Value>) -> Result<Reply, Stop> {
        self.probe_outgoing(Outgoing::improper(text, id)).await
    }

    async fn probe_outgoing(&mut self, outgoing: Outgoing) -> Result<Reply, Stop> {
        // No server works on what is no message, so the sign of life may follow close behind.
        let improper = outgoing.sent.improper;
        let quick = if improper { FIRST_LOOK } else { self.timing.quick.min(self.timing.answer) };
        let (began, fresh) = (Instant::now(), self.is_fresh());
        let text = outgoing.text.clone();
        let session = self.live()?;
        let Some((at, post)) = session.send(outgoing).await else {
            return Ok(session.gone_after_send().await);
        };
        let reply = session.answer_to(at, post, began, began + quick).await;
        self.last_asked = Some(Asked { text, at, post, began });
        let Reply::Silent { pending, .. } = reply else { return Ok(self.timed(reply, fresh)) };
        if !improper {
            self.holds_back(at).await?;
        }
        let alive = pending.is_empty() && self.is_alive().await;
        // It may only be slow, and slower still when it has just started; a sign of life is no proof of silence, since
        // answers come in any order. So what is proper gets the full time.
        let deadline = match alive || !pending.is_empty() {
            true if improper => Instant::now() + self.opener.pace.look(SECOND_LOOK, self.timing.answer),
            true => began + self.timing.answer,
            false => began + self.patience(),
        };
        let reply = self.live()?.answer_to(at, post, began, deadline).await;
        Ok(self.timed(with_sign(reply, alive), fresh))
    }

    /// Looks again for the answer to something malformed before its silence is told: for as long as answers of this
    /// server may take, and unproven where that says nothing.
    pub(crate) async fn look_again(&mut self, reply: Reply) -> Result<Reply, Stop> {
        let Reply::Silent { alive, pending, .. } = &reply else { return Ok(reply) };
        let (alive, stuck) = (*alive, !pending.is_empty());
        let Some(Asked { text, at, post, began }) = self.last_asked.clone() else { return Ok(reply) };
        if !alive && !stuck {
            return Ok(reply);
        }
        let pace = self.opener.pace.clone();
        let deadline = began + pace.last_look(&text, self.timing.answer);
        let reply = self.live()?.answer_to(at, post, began, deadline).await;
        if let Reply::Silent { waited, unread: false, .. } = &reply {
            if pace.is_too_slow_for(*waited) {
                return Err(Stop::Unproven("it answers slowly or out of order".into()));
            }
            pace.note_silence(&text, *waited);
        }
        Ok(self.timed(with_sign(reply, alive), false))
    }

    /// Waits until some answer with `id` has come, as long as any answer may take.
    pub(crate) async fn comes(&mut self, id: &Value) -> Result<bool, Stop> {
        let deadline = Instant::now() + self.timing.answer;
        let session = self.live()?;
        loop {
            if session.log.responses().any(|(_, response, _)| response.id.as_ref() == Some(id)) {
                return Ok(true);
            }
            if session.closed || Instant::now() >= deadline {
                return Ok(false);
            }
            session.pump(deadline).await;
        }
    }

    /// Finds out how long an error takes, before one is missed; a server that leaves it out counts as slow as can be.
    pub(crate) async fn time_an_error(&mut self) -> Result<(), Stop> {
        if self.opener.pace.knows_errors() {
            return Ok(());
        }
        let within = self.timing.answer;
        let session = self.live()?;
        let message = session.build("mcpproof/sign-of-life", json!({}));
        let began = Instant::now();
        let reply = session.request_within(Outgoing::message(&message), within).await;
        let took = match reply {
            Reply::Silent { .. } => within,
            _ => began.elapsed(),
        };
        self.opener.pace.note(took, true);
        Ok(())
    }

    /// Notes how long an answer took; the first of a fresh server tells how long it starts.
    fn timed(&self, reply: Reply, fresh: bool) -> Reply {
        if let Reply::Answered(answer) = &reply
            && !fresh
        {
            self.opener.pace.note(answer.took, answer.is_error());
        }
        reply
    }

    fn is_fresh(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.log.frames().next().is_none())
    }

    /// How long one answer may take: longer as long as a fresh server has not said anything.
    fn patience(&self) -> Duration {
        if self.is_fresh() { self.timing.start.max(self.timing.answer) } else { self.timing.answer }
    }

    async fn send_and_wait(&mut self, outgoing: Outgoing, within: Duration) -> Result<Reply, Stop> {
        let session = self.live()?;
        if session.mute {
            return Err(Stop::Unproven("the server had stopped answering before".into()));
        }
        let began = Instant::now();
        let text = outgoing.text.clone();
        let Some((at, post)) = session.send(outgoing).await else {
            return Ok(session.gone_after_send().await);
        };
        let reply = session.answer_to(at, post, began, began + within).await;
        self.last_asked = Some(Asked { text, at, post, began });
        if !matches!(reply, Reply::Silent { .. }) {
            return Ok(reply);
        }
        self.holds_back(at).await?;
        let alive = self.is_alive().await;
        let session = self.live()?;
        session.mute = !alive;
        // What was only late has come in the meantime.
        Ok(with_sign(session.answer_to(at, post, began, began).await, alive))
    }

    /// Stops when the answer to the silent request at `at` came with the next message, as all others will.
    async fn holds_back(&mut self, at: usize) -> Result<(), Stop> {
        self.sign_at = self.session.as_ref().map(|session| session.log.entries.len());
        self.held = self.live()?.holds_back(at).await;
        if self.held.is_some() { Err(Stop::Unproven(HELD.into())) } else { Ok(()) }
    }

    /// Asks for a sign of life: `ping` or `server/discover`, then a method that nobody has. Any answer counts.
    pub async fn is_alive(&mut self) -> bool {
        // A slow server is not a dead one: the first question gets the time that any answer gets.
        let mut within = self.timing.answer.max(self.timing.quick);
        let fresh = self.is_fresh();
        let Some(session) = self.session.as_mut() else { return false };
        if session.closed {
            return false;
        }
        let mut methods = vec!["mcpproof/sign-of-life"];
        if session.revision.is_stateless() {
            methods.insert(0, "server/discover");
        } else if self.ping_works {
            methods.insert(0, "ping");
        }
        for method in methods {
            let message = session.build(method, json!({}));
            self.sign_at = Some(session.log.entries.len());
            let reply = session.request_within(Outgoing::message(&message), within).await;
            if let Reply::Answered(answer) = &reply
                && !fresh
            {
                self.opener.pace.note(answer.took, answer.is_error());
            }
            if matches!(reply, Reply::Answered(_) | Reply::NoMessage(_)) {
                return true;
            }
            within = self.timing.quick;
        }
        false
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Json) -> Result<(), Stop> {
        self.live()?.notify(method, params).await;
        Ok(())
    }

    /// Turns anything but an answer into a broken check.
    pub fn answered(&mut self, reply: Reply, what: &str) -> Result<Answer, Stop> {
        match reply {
            Reply::Answered(answer) => Ok(*answer),
            other => Err(self.unanswered(&other, what).stop()),
        }
    }

    /// What was sent last, except that nobody is blamed for a sign-of-life request.
    fn blamed_text(&self) -> Option<String> {
        let (at, sent) = self.session.as_ref()?.log.all_sent().last()?;
        match &self.last_asked {
            Some(asked) if self.sign_at == Some(at) => Some(asked.text.clone()),
            _ => Some(sent.text.clone()),
        }
    }

    /// Words for a request that got no answer.
    pub fn unanswered(&mut self, reply: &Reply, what: &str) -> Evidence {
        let sent = self.blamed_text();
        let seen = match reply {
            Reply::Answered(answer) => answer.in_words(),
            Reply::Silent { waited, pending, .. } if !pending.is_empty() => {
                format!("{} bytes without a newline, then nothing for {}", pending.len(), seconds(*waited))
            }
            Reply::Silent { waited, alive: true, .. } => {
                format!("no answer in {}, although the server answered a later request", seconds(*waited))
            }
            Reply::Silent { waited, .. } => {
                format!(
                    "no answer within {}, and none to a later sign-of-life request either",
                    seconds(*waited)
                )
            }
            Reply::Gone { deaf: true, .. } => DEAF.into(),
            Reply::Gone { exit, .. } => format!("the server {} without answering", exit_words(*exit)),
            Reply::NoMessage(exchange) => exchange_words(exchange),
            Reply::Failed(cause) => format!("the HTTP request failed: {cause}"),
        };
        let seen = self.with_comments(reply, seen);
        let mut evidence = Evidence::new(format!("an answer to {what}"), seen);
        let unread = match reply {
            Reply::Silent { unread, .. } => *unread,
            Reply::NoMessage(exchange) => {
                let events = exchange.events.iter().filter_map(|event| event.data.as_deref());
                is_too_deep(&exchange.body) || events.map(str::as_bytes).any(is_too_deep)
            }
            _ => false,
        };
        evidence.undecided = unread.then(|| TOO_DEEP.into());
        evidence.sent = sent.map(|text| words::short(&text, 300));
        evidence.details.extend(self.waited_before(reply));
        if let Reply::Gone { stderr, .. } = reply
            && !stderr.trim().is_empty()
        {
            evidence = evidence.detail(format!("stderr ended with: {}", last_lines(stderr, 3)));
        }
        if let Reply::Silent { pending, .. } = reply
            && !pending.is_empty()
        {
            evidence.bytes = Some(crate::finding::Excerpt::of(pending, None));
        }
        evidence
    }

    /// Adds what came on an event stream instead of an answer.
    fn with_comments(&mut self, reply: &Reply, seen: String) -> String {
        let (Reply::Silent { .. }, Some(asked)) = (reply, self.last_asked.as_ref()) else { return seen };
        let Some(session) = self.session.as_mut().filter(|session| !session.is_over_lines()) else {
            return seen;
        };
        comments_words(session, &asked.text).map_or(seen.clone(), |words| format!("{seen}; {words}"))
    }

    /// Says how long silence was waited for in the revision where it was met first, when that was longer than here.
    pub(crate) fn waited_before(&self, reply: &Reply) -> Option<String> {
        let Reply::Silent { waited, .. } = reply else { return None };
        let before = self.opener.pace.silence(&self.last_asked.as_ref()?.text)?;
        (before > *waited)
            .then(|| format!("nothing came in another revision either, within {}", seconds(before)))
    }

    /// Lists everything of one kind through all pages, once per revision.
    pub async fn list(&mut self, method: &'static str) -> Result<Arc<Listing>, Stop> {
        if let Some(known) = self.listings.get(method) {
            return Ok(known.clone());
        }
        let listing = Arc::new(crate::listing::walk(self, method).await?);
        self.listings.insert(method, listing.clone());
        Ok(listing)
    }

    /// The tools, once per revision; unproven when they cannot be listed, since a check of its own says so.
    pub async fn tools(&mut self) -> Result<Arc<Listing>, Stop> {
        let listing = self.list("tools/list").await?;
        if listing.items.is_empty() {
            return Err(match listing.failure() {
                Some(failure) => Stop::Unproven(format!("tools could not be listed: {failure}")),
                None => Stop::NotApplicable("the server lists no tools".into()),
            });
        }
        Ok(listing)
    }
}

/// Adds to silence whether there was a sign of life.
fn with_sign(reply: Reply, alive: bool) -> Reply {
    match reply {
        Reply::Silent { waited, pending, unread, .. } => Reply::Silent { waited, alive, pending, unread },
        other => other,
    }
}

/// Says that a server no longer reads.
pub(crate) const DEAF: &str =
    "the server closed its input (stdin) and lives on: it takes no messages any more";

/// Says how a process ended: `exited with code 1`, `was killed by signal 9`, `closed its output`.
pub(crate) fn exit_words(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("exited with code {code}"),
        Some(Exit::Signal(signal)) => format!("was ended by signal {signal}"),
        Some(Exit::NoProcess) | None => "closed its output".into(),
    }
}

/// Says what an HTTP answer without a message was.
pub(crate) fn exchange_words(exchange: &Exchange) -> String {
    let media = exchange.media_type();
    let media = if media.is_empty() { "no content type".into() } else { format!("content type {media}") };
    let body = words::quoted(&String::from_utf8_lossy(&exchange.body));
    format!("HTTP status {}, {media}, body {body}", exchange.status)
}

/// The last `n` lines of `text` that are not blank, joined by ` | `.
pub(crate) fn last_lines(text: &str, n: usize) -> String {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown: Vec<_> =
        lines.iter().skip(lines.len().saturating_sub(n)).map(|l| words::short(l, 160)).collect();
    shown.join(" | ")
}
