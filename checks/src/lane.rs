//! Runs the checks of one revision: one conversation per phase, opened again when the server dies on the way.

use crate::check::{Check, Level, Phase, Stop, Verdict};
use crate::detect::{Greeted, answered_version, greeting_of, reply_words};
use crate::ends::{self, Blame, End, Memory};
use crate::evidence::Evidence;
use crate::finding::Finding;
use crate::held::HELD;
use crate::log::{Conversation, Reply};
use crate::opener::{Opener, START_LIMIT};
use crate::peer::Peer;
use crate::report::{CheckResult, RevisionReport, Spoken};
use crate::run::{Event, RunOptions, all_checks};
use crate::server::{NOT_BY_ITSELF, judges_endings};
use crate::session::Session;
use futures_util::future::join;
use serde_json::Value as Json;
use specs::Revision;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use transport::{Patience, Target};

/// How long one probe may take in all, its waits included.
const CHECK_WITHIN: Duration = Duration::from_secs(60);

/// How long the end of a server may lag behind its last word.
const SETTLE: Duration = Duration::from_millis(3);

/// How long to listen for what comes late, before the shared conversation ends.
const LINGER: Duration = Duration::from_millis(120);

/// The same where it costs no time, since other conversations are held meanwhile.
const LINGER_ASIDE: Duration = Duration::from_millis(500);

/// One revision under proof.
pub(crate) struct Lane<'a> {
    revision: Revision,
    opener: Opener,
    options: &'a RunOptions,
    events: &'a (dyn Fn(Event) + Send + Sync),
    peer: Peer,
    /// True when the check before did not pass, so that the server may be on its way out.
    unsettled: bool,
    results: BTreeMap<&'static str, CheckResult>,
    /// The conversation of the hostile phase, whose server starts while others are talked to.
    ahead: Option<Session>,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(
        revision: Revision,
        opener: Opener,
        options: &'a RunOptions,
        events: &'a (dyn Fn(Event) + Send + Sync),
    ) -> Self {
        let peer = Peer {
            revision,
            transport: opener.transport(),
            timing: opener.timing,
            opener: opener.clone(),
            newest_spoken: opener.newest_spoken,
            session: None,
            past: Vec::new(),
            capabilities: Json::Null,
            greeting: Json::Null,
            ping_works: true,
            foreign_handshake: None,
            greeting_words: String::new(),
            handshake_words: String::new(),
            asked: options.checks.clone(),
            profiles: options.profiles.clone(),
            unserved: Vec::new(),
            listings: BTreeMap::new(),
            linger_until: None,
            reads: None,
            gets: None,
            completion: None,
            calls: None,
            last_asked: None,
            sign_at: None,
            ends: Vec::new(),
            killers: Vec::new(),
            held: None,
        };
        let results = BTreeMap::new();
        Self { revision, opener, options, events, peer, unsettled: false, results, ahead: None }
    }

    /// Runs everything; `greeted` is a conversation that detection left over.
    ///
    /// It gives its `turn` back when all that is left is to wait for the end of the server.
    pub(crate) async fn run(
        mut self,
        greeted: Option<Greeted>,
        deadline: Instant,
        turn: impl Sized,
    ) -> (RevisionReport, Option<usize>) {
        let began = Instant::now();
        // No start of the server may outlast the run.
        self.opener.timing.start = self.opener.timing.start.min(deadline.saturating_duration_since(began));
        let spoken = match greeted {
            Some(mut greeted) => {
                if greeted.is_unsettled() {
                    greeted.session.settle(self.revision, &greeted.greeting).await;
                }
                self.take(greeted)
            }
            None => self.greet().await,
        };
        if spoken == Spoken::Yes {
            self.run_phase(Phase::Shared, deadline).await;
            let (at, ending) = (self.peer.past.len(), self.end_judged());
            if self.may_overlap() {
                let ((), ended) = join(self.run_alone(deadline, turn), ending).await;
                self.peer.past.splice(at..at, ended);
            } else {
                self.peer.past.extend(ending.await);
                self.run_alone(deadline, turn).await;
            }
            self.run_phase(Phase::Afterwards, deadline + CHECK_WITHIN).await;
            self.tell_ends();
        } else if let Some(session) = self.peer.session.take() {
            self.opener.end_quickly(session).await;
        }
        let tools = self.peer.listings.get("tools/list").map(|listing| listing.items.len());
        (self.report(spoken, began.elapsed()), tools)
    }

    /// Tells of ends that came after the check of them had passed.
    fn tell_ends(&mut self) {
        let check = all_checks().find(|check| check.id == NOT_BY_ITSELF);
        let (Some(check), Some(result)) = (check, self.results.get_mut(NOT_BY_ITSELF)) else { return };
        result.verdict = match (ends::evidence(&self.peer.ends, &self.peer.killers), &result.verdict) {
            (Some(evidence), _) => Verdict::Broken(Box::new(finding(check, self.revision, evidence))),
            (None, Verdict::Broken(_)) => Verdict::Pass,
            (None, _) => return,
        };
    }

    /// Takes over a conversation that has been held already.
    pub(crate) fn with_past(mut self, conversation: Conversation) -> Self {
        self.peer.past.push(conversation);
        self
    }

    /// Takes over that the server holds its answers back.
    pub(crate) fn with_held(mut self, evidence: Evidence) -> Self {
        self.peer.held = Some(evidence);
        self
    }

    /// Judges what can be judged of a server that cannot be talked to; with everything else stands `why`.
    pub(crate) async fn run_closed(mut self, decidable: &[&str], why: &str) -> RevisionReport {
        let began = Instant::now();
        let of_revision = all_checks().filter(|check| check.revisions.contains(self.revision));
        let asked: Vec<_> = of_revision.filter(|check| self.options.checks.contains(&check.id)).collect();
        for check in asked {
            let verdict = match self.other_transport(check) {
                Some(other) => Verdict::NotApplicable(other),
                None if decidable.contains(&check.id) => self.judge(check, Phase::Afterwards).await,
                None => Verdict::Unproven(why.to_owned()),
            };
            self.results.insert(check.id, CheckResult { id: check.id, verdict, took: began.elapsed() });
        }
        self.report(Spoken::Yes, began.elapsed())
    }

    fn report(mut self, spoken: Spoken, took: Duration) -> RevisionReport {
        let spoke = spoken == Spoken::Yes;
        let of_revision = || all_checks().filter(|check| check.revisions.contains(self.revision));
        let results: Vec<_> = of_revision().filter_map(|check| self.results.remove(check.id)).collect();
        let skipped = if spoke { of_revision().count() - results.len() } else { 0 };
        RevisionReport {
            revision: self.revision,
            spoken,
            starts: self.opener.starts(),
            results,
            skipped,
            took,
        }
    }

    fn take(&mut self, mut greeted: Greeted) -> Spoken {
        greeted.session.until = None;
        self.peer.capabilities = greeted.session.log.capabilities.clone();
        self.peer.greeting = greeted.greeting;
        self.peer.greeting_words = greeted.words;
        self.peer.handshake_words = greeted.handshake_words;
        self.peer.session = Some(greeted.session);
        Spoken::Yes
    }

    /// Asks for this revision on a fresh conversation.
    async fn greet(&mut self) -> Spoken {
        let mut session = match self.opener.open(self.revision, Phase::Shared).await {
            Ok(session) => session,
            Err(error) => return Spoken::Unknown(error.to_string()),
        };
        let reply = session.initialize(self.revision.as_str()).await;
        let spoken = judge_greeting(self.revision, &reply);
        if spoken == Spoken::Yes {
            let greeting = greeting_of(&reply);
            session.settle(self.revision, &greeting).await;
            return self.take(Greeted::new(session, greeting));
        }
        self.peer.session = Some(session);
        spoken
    }

    /// Tells whether other conversations may be held while one ends.
    fn may_overlap(&self) -> bool {
        self.opener.transport() == "stdio" && self.options.jobs > 1
    }

    /// Runs what has conversations of its own.
    async fn run_alone(&mut self, deadline: Instant, turn: impl Sized) {
        self.start_ahead(deadline).await;
        for phase in [Phase::Opening, Phase::Hostile] {
            self.run_phase(phase, deadline).await;
            self.end_conversation().await;
        }
        if let Some(unused) = self.ahead.take() {
            self.opener.end_quickly(unused).await;
        }
        drop(turn);
    }

    /// Starts the server of the hostile phase, where that saves the wait for its start.
    async fn start_ahead(&mut self, deadline: Instant) {
        let is_due = |phase| all_checks().any(|check| self.is_due(check, phase));
        let is_slow = matches!(self.opener.target, Target::Stdio(_)) && self.may_overlap();
        let is_wanted = is_due(Phase::Opening) && is_due(Phase::Hostile) && Instant::now() < deadline;
        if is_slow && is_wanted && self.opener.may_start() {
            // If it does not start now, whoever needs it tries again and says so.
            self.ahead = self.opener.open(self.revision, Phase::Hostile).await.ok();
        }
    }

    async fn run_phase(&mut self, phase: Phase, deadline: Instant) {
        let due: Vec<_> = all_checks().filter(|check| self.is_due(check, phase)).collect();
        for check in due {
            (self.events)(Event::Began { revision: self.revision, id: check.id });
            let began = Instant::now();
            let verdict = if began >= deadline {
                // What does not apply needs no time to be said.
                let too_late =
                    || Verdict::Unproven("the time for the whole run was over; raise --run-timeout".into());
                self.unmet(check).map_or_else(too_late, Verdict::NotApplicable)
            } else {
                self.judge(check, phase).await
            };
            let broken = matches!(verdict, Verdict::Broken(_));
            self.unsettled = !matches!(verdict, Verdict::Pass);
            self.results.insert(check.id, CheckResult { id: check.id, verdict, took: began.elapsed() });
            (self.events)(Event::Ended { revision: self.revision, id: check.id, broken });
        }
    }

    fn is_due(&self, check: &Check, phase: Phase) -> bool {
        check.phase == phase
            && check.revisions.contains(self.revision)
            && self.options.checks.contains(&check.id)
    }

    async fn judge(&mut self, check: &'static Check, phase: Phase) -> Verdict {
        if let Some(why) = self.unmet(check) {
            return Verdict::NotApplicable(why);
        }
        if phase == Phase::Afterwards {
            return self.probe(check).await;
        }
        let fresh = match self.ensure(phase).await {
            Ok(fresh) => fresh,
            Err(why) => return Verdict::Unproven(why),
        };
        let memory = Memory::of(&self.peer);
        let verdict = self.probe(check).await;
        match self.end_in(&verdict) {
            Some(end) => self.judge_end(check, phase, verdict, end, memory, fresh).await,
            None => verdict,
        }
    }

    /// How the server ended in a probe that says so; what a probe has passed by is noticed by the next.
    fn end_in(&mut self, verdict: &Verdict) -> Option<End> {
        let told = matches!(verdict, Verdict::Broken(_) | Verdict::Unproven(_));
        let ended = self.peer.session.as_mut().filter(|session| told && session.closed)?;
        (self.peer.transport == "stdio").then(|| End::of(ended, Blame::Innocent))
    }

    /// Finds out whether the server ended because of the check at hand: then it ends again on a fresh start.
    async fn judge_end(
        &mut self,
        check: &'static Check,
        phase: Phase,
        verdict: Verdict,
        end: End,
        memory: Memory,
        fresh: bool,
    ) -> Verdict {
        let counted = |lane: &Self, end: &End| lane.peer.ends.iter().any(|e| e.messages == end.messages);
        if check.id == NOT_BY_ITSELF {
            return verdict;
        }
        if fresh {
            if !counted(self, &end) {
                self.peer.killers.extend(end.suspects);
                return verdict;
            }
            let why = format!("the server ends after {} messages, whatever they are", end.messages);
            self.peer.ends.push(end);
            return Verdict::Unproven(why);
        }
        memory.restore(&mut self.peer);
        // This end is told of here, and not by whoever finds the conversation closed.
        self.unsettled = true;
        if self.ensure(phase).await.is_err() {
            return verdict;
        }
        let verdict = self.probe(check).await;
        match self.end_in(&verdict) {
            Some(again) if again.messages != end.messages => {
                self.peer.killers.extend(again.suspects);
                verdict
            }
            Some(again) => {
                let why = format!("the server ends after {} messages, whatever they are", again.messages);
                self.peer.ends.extend([end, again]);
                Verdict::Unproven(why)
            }
            None => {
                self.peer.ends.push(end);
                verdict
            }
        }
    }

    async fn probe(&mut self, check: &'static Check) -> Verdict {
        match timeout(CHECK_WITHIN, (check.probe)(&mut self.peer)).await {
            Ok(Ok(())) => Verdict::Pass,
            Ok(Err(Stop::NotApplicable(why))) => Verdict::NotApplicable(why),
            Ok(Err(Stop::Unproven(why))) => Verdict::Unproven(why),
            Ok(Err(Stop::Broken(evidence))) => {
                Verdict::Broken(Box::new(finding(check, self.revision, *evidence)))
            }
            Err(_) => Verdict::Unproven(format!("the probe took longer than {} s", CHECK_WITHIN.as_secs())),
        }
    }

    /// Says what the server lacks for this check to make sense.
    fn unmet(&self, check: &Check) -> Option<String> {
        if let Some(other) = self.other_transport(check) {
            return Some(other);
        }
        let capability = check.needs.capability?;
        (!self.peer.declares(capability)).then(|| format!("the server does not declare `{capability}`"))
    }

    fn other_transport(&self, check: &Check) -> Option<String> {
        let transport = check.needs.transport.filter(|transport| *transport != self.peer.transport)?;
        Some(format!("only for {transport}"))
    }

    /// Makes sure that a live conversation of this phase is there.
    ///
    /// Tells whether it was opened just now.
    async fn ensure(&mut self, phase: Phase) -> Result<bool, String> {
        if self.peer.held.is_some() {
            return Err(HELD.into());
        }
        if let Some(session) = self.peer.session.as_mut()
            && (phase != Phase::Shared || self.unsettled)
        {
            // The end of a server that has just said its last word may be a moment behind.
            session.drain(Instant::now() + SETTLE).await;
        }
        let usable = |s: &Session| !s.closed && !s.mute && s.log.phase == phase;
        if self.peer.session.as_ref().is_some_and(usable) {
            return Ok(false);
        }
        if let Some(mut old) = self.peer.session.take() {
            if old.closed
                && old.log.phase == Phase::Shared
                && !self.unsettled
                && self.peer.transport == "stdio"
            {
                self.peer.ends.push(End::of(&mut old, Blame::Answered));
            }
            let ended = self.opener.end_quickly(old).await;
            self.peer.past.push(ended);
        }
        let session = match self.ahead.take_if(|_| phase == Phase::Hostile) {
            Some(started) => started,
            None if self.opener.may_start() => {
                self.opener.open(self.revision, phase).await.map_err(|error| error.to_string())?
            }
            None => {
                return Err(format!(
                    "the server had already been started {START_LIMIT} times for this revision"
                ));
            }
        };
        self.peer.session =
            Some(if phase == Phase::Opening { session } else { self.greet_again(session).await? });
        Ok(true)
    }

    async fn greet_again(&mut self, mut session: Session) -> Result<Session, String> {
        if self.revision.is_stateless() {
            session.adopt(self.revision);
            // A cold start must not be taken for an answer that stays away.
            session.discover(self.peer.timing.start).await;
            session.log.capabilities = self.peer.capabilities.clone();
            session.log.initialized_at = Some(0);
            return Ok(session);
        }
        let reply = session.initialize(self.revision.as_str()).await;
        if judge_greeting(self.revision, &reply) != Spoken::Yes {
            let words = format!("a second start did not get through the handshake: {}", reply_words(&reply));
            self.peer.past.push(self.opener.end_quickly(session).await);
            return Err(words);
        }
        session.settle(self.revision, &greeting_of(&reply)).await;
        Ok(session)
    }

    /// Ends the shared conversation with full patience, since its ending is judged.
    fn end_judged(&mut self) -> impl Future<Output = Option<Conversation>> + use<> {
        let cancelled = self.peer.linger_until.take().unwrap_or_else(Instant::now);
        let linger = if self.may_overlap() { LINGER_ASIDE } else { LINGER };
        let linger = linger.max(cancelled.saturating_duration_since(Instant::now()));
        let session = self.peer.session.take();
        let judged = all_checks().any(|check| self.is_due(check, Phase::Afterwards) && judges_endings(check));
        let opener = self.opener.clone();
        async move {
            let session = session?;
            let patient = judged && session.is_over_lines();
            Some(if patient {
                session.end(linger, full_patience()).await
            } else {
                opener.end_after(session, linger).await
            })
        }
    }

    /// Ends a conversation whose ending nobody judges.
    async fn end_conversation(&mut self) {
        if let Some(session) = self.peer.session.take() {
            let conversation = self.opener.end_quickly(session).await;
            self.peer.past.push(conversation);
        }
    }
}

/// How long the server may take to end when its ending is judged.
pub(crate) fn full_patience() -> Patience {
    Patience { after_eof: Duration::from_secs(5), after_term: Duration::from_secs(2) }
}

/// Tells from an answer to `initialize` whether the server speaks the revision asked for.
fn judge_greeting(asked: Revision, reply: &Reply) -> Spoken {
    match answered_version(reply) {
        Some(version) if version == asked.as_str() => Spoken::Yes,
        Some(version) => Spoken::No(format!("answered {version} instead")),
        None => match reply {
            Reply::Answered(answer) if answer.is_error() => {
                Spoken::No(format!("refused with {}", answer.in_words()))
            }
            // A result without a version is a finding, and everything else can still be checked.
            Reply::Answered(answer) if answer.result().is_some() => Spoken::Yes,
            other => Spoken::Unknown(format!("`initialize`: {}", reply_words(other))),
        },
    }
}

/// Joins what the probe saw with what the row knows.
fn finding(check: &Check, revision: Revision, evidence: Evidence) -> Finding {
    let row = specs::requirements::get(check.requirement);
    Finding {
        id: check.id,
        class: evidence.class.unwrap_or(check.level.class()),
        requirement: check.requirement,
        revision,
        expected: evidence.expected,
        seen: evidence.seen,
        sent: evidence.sent,
        bytes: evidence.bytes,
        details: evidence.details,
        profiles: evidence.profiles,
        breaks: check.explain,
        page: row.map(|row| row.url(revision)).unwrap_or_default(),
        rule: match (row, check.level) {
            (Some(row), _) => row.summary.clone(),
            (None, Level::Interop) => "No rule is broken: the specification allows it, others do not".into(),
            (None, _) => "No rule is broken: it is only worth knowing".into(),
        },
        records: evidence.records,
    }
}
