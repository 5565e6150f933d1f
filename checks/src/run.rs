//! Runs the table against a target.

use crate::check::Check;
use crate::closed;
use crate::detect::{Detected, detect};
use crate::finding::Profile;
use crate::lane::Lane;
use crate::log::Reply;
use crate::opener::Opener;
use crate::plan::Plan;
use crate::report::{Ran, Report, RevisionReport, ServerFacts, Spoken};
use crate::server::flush;
use crate::session::Timing;
use crate::words::seconds;
use futures_util::future::join_all;
use specs::Revision;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use transport::{ConnectOptions, Target, Transcript};

/// What to run and how long to wait.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The revisions to check; empty means every one the server speaks.
    pub revisions: Vec<Revision>,
    /// Ids of the checks to run, in table order; the others count as skipped.
    pub checks: Vec<&'static str>,
    /// Whose limits become interop findings; empty means all.
    pub profiles: Vec<Profile>,
    /// How long one answer may take.
    pub answer_within: Duration,
    /// How long the first answer of a fresh server may take.
    pub start_within: Duration,
    /// How long the whole run may take.
    pub run_within: Duration,
    /// Conversations in parallel.
    pub jobs: usize,
    /// Longest message in bytes.
    pub limit: usize,
    /// Where every byte is written down.
    pub transcript: Transcript,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            revisions: Vec::new(),
            checks: all_checks().map(|check| check.id).collect(),
            profiles: Vec::new(),
            answer_within: Duration::from_secs(10),
            start_within: Duration::from_secs(30),
            run_within: Duration::from_secs(150),
            jobs: 2,
            limit: 16 * 1024 * 1024,
            transcript: Transcript::default(),
        }
    }
}

/// What happens during a run, for progress displays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The revisions the server speaks are being found out.
    Detecting,
    /// These revisions will be checked, with so many checks in all.
    Planned {
        /// The revisions.
        revisions: Vec<Revision>,
        /// The checks of all of them.
        checks: usize,
    },
    /// A check began.
    Began {
        /// The revision.
        revision: Revision,
        /// The check.
        id: &'static str,
    },
    /// A check ended.
    Ended {
        /// The revision.
        revision: Revision,
        /// The check.
        id: &'static str,
        /// True when it is broken.
        broken: bool,
    },
}

/// Every check of the table, in table order.
pub fn all_checks() -> impl Iterator<Item = &'static Check> {
    crate::server::AREAS.iter().flat_map(|(_, table)| table.iter())
}

/// How long to wait for the `endpoint` event of a URL that may be no HTTP+SSE stream at all.
const ENDPOINT_WITHIN: Duration = Duration::from_secs(8);

/// Proofs the server at `target` and reports every verdict. Never fails: a dead server is a report too.
///
/// It is boxed so that all of it is compiled here: a bare future is compiled anew by each crate that awaits it.
pub fn run<'a>(
    target: &'a Target,
    options: &'a RunOptions,
    events: &'a (dyn Fn(Event) + Send + Sync),
) -> Pin<Box<dyn Future<Output = Report> + Send + 'a>> {
    Box::pin(proof(target, options, events))
}

async fn proof(target: &Target, options: &RunOptions, events: &(dyn Fn(Event) + Send + Sync)) -> Report {
    let began = Instant::now();
    events(Event::Detecting);
    let mut wanted = wanted_revisions(target, &options.revisions);
    let deadline = began + options.run_within;
    let mut opener = opener_for(target, options).cut_at(deadline);
    let mut found = detect(&opener, &wanted).await;
    if let Some(fallback) = older_transport(&found, target).filter(|_| Instant::now() < deadline) {
        let mut older = opener_for(&fallback, options).cut_at(deadline);
        // The server is up, and the event comes first on the stream.
        older.options.open_within = older.options.open_within.min(ENDPOINT_WITHIN);
        let speaks = wanted_revisions(&fallback, &options.revisions);
        flush(&older).await;
        let second = detect(&older, &speaks).await;
        if second.dead.is_none() {
            (opener, found, wanted) = (older, second, speaks);
        }
    }
    // What needs no waiting is judged also when the time is over.
    if found.dead.is_some()
        && let Ok(Some(revision)) =
            timeout_at(deadline, closed::judge(&found, target, &opener, options, events)).await
    {
        let report = Report { revisions: vec![revision], ..empty_report(target, &opener, began) };
        return finished(report, options, began);
    }
    if let Some(mut dead) = found.dead.take() {
        dead.starts = opener.starts();
        if Instant::now() >= deadline && is_about_time(&found) {
            dead.what = format!("the run's time was over ({}): {}", seconds(options.run_within), dead.what);
            dead.hint = Some("more time for everything is given with --run-timeout".into());
        }
        return Report { ran: Ran::Dead(dead), ..empty_report(target, &opener, began) };
    }
    let mut report = empty_report(target, &opener, began);
    report.server.answered_after = found.answered_after;
    report.revisions =
        run_lanes(&opener, options, events, found, &wanted, deadline, &mut report.server).await;
    report.revisions.extend(without_transport(&opener, options, &report.revisions));
    finished(report, options, began)
}

/// Notes how long the run took, and whether its time was over before everything was done.
fn finished(mut report: Report, options: &RunOptions, began: Instant) -> Report {
    report.took = began.elapsed();
    if report.took >= options.run_within {
        report.ran = Ran::CutShort(format!("the run was cut short after {}", seconds(options.run_within)));
    }
    report
}

/// Tells whether more time could have helped a server that was found dead: whoever ends or refuses will not.
fn is_about_time(found: &Detected) -> bool {
    let reply = found.handshake.as_ref().map(|handshake| &handshake.reply);
    !matches!(reply, Some(Reply::Gone { .. } | Reply::NoMessage(_) | Reply::Answered(_)))
}

/// The revisions to try, newest first.
fn wanted_revisions(target: &Target, asked: &[Revision]) -> Vec<Revision> {
    // Streamable HTTP took the place of HTTP+SSE: no text says what a session of one era over the other must do.
    let defined = |r: &Revision| match target {
        Target::Http(_) => r.has_streamable_http(),
        Target::Sse(_) => !r.has_streamable_http(),
        Target::Stdio(_) | Target::InProcess(_) => true,
    };
    let all = Revision::ALL.into_iter().rev();
    if asked.is_empty() { all.filter(defined).collect() } else { all.filter(|r| asked.contains(r)).collect() }
}

/// One line for each revision that does not know the transport at all.
fn without_transport(opener: &Opener, options: &RunOptions, had: &[RevisionReport]) -> Vec<RevisionReport> {
    if !options.revisions.is_empty() || opener.transport() != "http" {
        return Vec::new();
    }
    let missing = Revision::ALL.into_iter().rev().filter(|r| !had.iter().any(|report| report.revision == *r));
    let line = |revision| RevisionReport {
        revision,
        spoken: Spoken::No("it does not know Streamable HTTP; --sse checks HTTP+SSE".into()),
        starts: 0,
        results: Vec::new(),
        skipped: 0,
        took: Duration::ZERO,
    };
    missing.map(line).collect()
}

fn opener_for(target: &Target, options: &RunOptions) -> Opener {
    let timing = Timing {
        answer: options.answer_within,
        start: options.start_within,
        quick: Duration::from_secs(2).min(options.answer_within),
    };
    let connect = ConnectOptions {
        limit: options.limit,
        open_within: options.start_within,
        transcript: options.transcript.clone(),
    };
    Opener::new(target.clone(), connect, timing)
}

/// Spec 2025-03-26, transports, backwards compatibility: a URL that refuses `initialize` may be an HTTP+SSE stream.
fn older_transport(found: &Detected, target: &Target) -> Option<Target> {
    let Target::Http(endpoint) = target else { return None };
    let refused =
        |reply: &Reply| matches!(reply, Reply::NoMessage(e) if matches!(e.status, 202 | 400 | 404 | 405));
    let handshake = found.handshake.as_ref()?;
    (found.dead.is_some() && refused(&handshake.reply)).then(|| Target::Sse(endpoint.clone()))
}

fn empty_report(target: &Target, opener: &Opener, began: Instant) -> Report {
    let transport = match opener.transport() {
        "stdio" => "stdio",
        "http" => "Streamable HTTP",
        _ => "HTTP+SSE",
    };
    Report {
        target: target.to_string(),
        transport,
        server: ServerFacts::default(),
        revisions: Vec::new(),
        ran: Ran::Complete,
        took: began.elapsed(),
    }
}

/// Runs the revisions, a few at a time, and returns their reports newest first.
async fn run_lanes(
    opener: &Opener,
    options: &RunOptions,
    events: &(dyn Fn(Event) + Send + Sync),
    found: Detected,
    wanted: &[Revision],
    deadline: Instant,
    facts: &mut ServerFacts,
) -> Vec<RevisionReport> {
    let mut opener = opener.clone();
    opener.newest_spoken = found.newest_spoken();
    opener.died_of_discovery = found.died_of_discovery && found.handshake.is_some();
    let opener = &opener;
    let plan = Plan::new(found, wanted);
    let checks = |r: &Revision| all_checks().filter(|c| c.revisions.contains(*r)).count();
    let total = plan.lanes.iter().map(|lane| checks(&lane.revision)).sum();
    let revisions = plan.lanes.iter().map(|lane| lane.revision).collect();
    events(Event::Planned { revisions, checks: total });
    *facts = ServerFacts { answered_after: facts.answered_after, ..plan.facts };
    let gate = Semaphore::new(options.jobs.max(1));
    let lanes = plan.lanes.into_iter().map(|lane| {
        let gate = &gate;
        async move {
            let turn = gate.acquire().await;
            let own = opener.for_revision(u32::from(lane.greeted.is_some()));
            Lane::new(lane.revision, own, options, events).run(lane.greeted, deadline, turn).await
        }
    });
    let mut reports = join_all(lanes).await;
    facts.tools = reports.iter().find_map(|(_, tools)| *tools);
    let mut reports: Vec<_> = reports.drain(..).map(|(report, _)| report).collect();
    reports.extend(plan.unspoken);
    reports.sort_by_key(|report| std::cmp::Reverse(report.revision));
    reports
}
