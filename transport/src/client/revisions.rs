//! Finds out which revisions a server speaks, by opening a conversation in each.

use super::error::ClientError;
use super::{Client, ClientOptions};
use crate::target::Target;
use specs::Revision;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How much longer than the handshake a server may take to answer discovery before its silence means no.
const DISCOVERY_GRACE: Duration = Duration::from_secs(2);

/// How long to wait for the `endpoint` event of a URL that may be no HTTP+SSE stream at all.
const ENDPOINT_WITHIN: Duration = Duration::from_secs(8);

/// What came of one revision.
#[derive(Debug)]
pub struct Spoken<T> {
    /// The revision.
    pub revision: Revision,
    /// What the visit gave, or why there was none; [`ClientError::NotSpoken`] is the clear no of a living server.
    pub outcome: Result<T, ClientError>,
}

/// Opens a conversation in each of `wanted` (all that the transport knows when it is empty), two at a time, and hands
/// those that open to `visit`. The server is started once per revision at most, so that nothing that is said in one
/// revision can change what is seen in another. Newest first.
///
/// A URL that speaks none is tried once more as HTTP+SSE.
pub async fn visit_spoken<T>(
    target: &Target,
    wanted: &[Revision],
    options: &ClientOptions,
    visit: impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Vec<Spoken<T>> {
    let found = visit_each(target, wanted, options, &visit).await;
    let is_refused = |spoken: &Spoken<T>| matches!(spoken.outcome, Err(ClientError::NotSpoken { .. }));
    if let (Target::Http(endpoint), true) = (target, found.iter().all(is_refused)) {
        // Spec 2025-03-26, transports, backwards compatibility: it may be an HTTP+SSE stream.
        let older = Target::Sse(endpoint.clone());
        let mut quick = options.clone();
        quick.connect.open_within = quick.connect.open_within.min(ENDPOINT_WITHIN);
        let second = visit_each(&older, wanted, &quick, &visit).await;
        if second.iter().any(|spoken| !matches!(spoken.outcome, Err(ClientError::Connect(_)))) {
            return second;
        }
    }
    found
}

async fn visit_each<T>(
    target: &Target,
    wanted: &[Revision],
    options: &ClientOptions,
    visit: &impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Vec<Spoken<T>> {
    let mut all: VecDeque<Revision> = Revision::ALL
        .into_iter()
        .rev()
        .filter(
            |revision| {
                if wanted.is_empty() { is_known(*revision, target) } else { wanted.contains(revision) }
            },
        )
        .collect();
    let stateless = all.iter().position(|revision| revision.is_stateless()).and_then(|at| all.remove(at));
    let newest = all.pop_front();
    let (answered, answer) = watch::channel(None);
    // The two eras first, so that a dead server is not started once for each revision.
    let (modern, first) = tokio::join!(
        async { Some(one(target, stateless?, options, visit, newest.map(|_| answer)).await) },
        async {
            let (newest, began) = (newest?, Instant::now());
            let spoken = one(target, newest, options, visit, None).await;
            answered.send_replace(Some(began.elapsed()));
            Some(spoken)
        },
    );
    let is_dead = first.as_ref().is_some_and(|first| match &first.outcome {
        Ok(_) => false,
        Err(error) => !error.is_answer(),
    });
    let mut found: Vec<_> = modern.into_iter().chain(first).collect();
    if !is_dead {
        found.extend(each_fresh(target, all, options, visit).await);
    }
    found.sort_by_key(|spoken| std::cmp::Reverse(spoken.revision));
    found
}

/// Starts the server for each of `revisions`, two at a time.
pub(super) async fn each_fresh<T>(
    target: &Target,
    revisions: VecDeque<Revision>,
    options: &ClientOptions,
    visit: &impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Vec<Spoken<T>> {
    let (rest, done) = (Mutex::new(revisions), Mutex::new(Vec::new()));
    let worker = async || {
        loop {
            let next = rest.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(revision) = next else { break };
            let spoken = one(target, revision, options, visit, None).await;
            done.lock().unwrap_or_else(PoisonError::into_inner).push(spoken);
        }
    };
    tokio::join!(worker(), worker());
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Tells whether the texts of `revision` know the transport.
fn is_known(revision: Revision, target: &Target) -> bool {
    match target {
        Target::Http(_) => revision.has_streamable_http(),
        Target::Sse(_) => !revision.has_streamable_http(),
        Target::Stdio(_) | Target::InProcess(_) => true,
    }
}

/// Opens one conversation and visits it. Once `handshake` is answered, silence is not waited for much longer.
pub(super) async fn one<T>(
    target: &Target,
    revision: Revision,
    options: &ClientOptions,
    visit: &impl AsyncFn(&mut Client) -> Result<T, ClientError>,
    handshake: Option<watch::Receiver<Option<Duration>>>,
) -> Spoken<T> {
    let began = Instant::now();
    let open = Client::open(target, revision, options);
    let opened = match handshake {
        None => open.await,
        Some(handshake) => tokio::select! {
            opened = open => opened,
            () = patience(handshake) => {
                Err(ClientError::Silent { method: "server/discover".into(), waited: began.elapsed(), odd: None })
            }
        },
    };
    let outcome = match opened {
        Ok(mut client) => {
            let visited = visit(&mut client).await;
            client.close().await;
            visited
        }
        // Spec 2026-07-28, basic/versioning: any other error, or silence, means the era with a handshake.
        Err(error) if revision.is_stateless() && !matches!(error, ClientError::Connect(_)) => {
            Err(as_no(revision, error))
        }
        Err(error) => Err(error),
    };
    Spoken { revision, outcome }
}

pub(super) fn as_no(revision: Revision, error: ClientError) -> ClientError {
    match &error {
        // These say nothing about revisions.
        ClientError::NotSpoken { .. }
        | ClientError::NoMessage { status: 401 | 403 | 429 | 502..=504, .. } => error,
        _ => ClientError::NotSpoken { revision, why: error.to_string() },
    }
}

/// Ends when the handshake has been answered, and twice the time that it took by itself, and more, has passed. The first
/// start may be much slower than the second, so something is waited even after a quick one.
pub(super) async fn patience(mut handshake: watch::Receiver<Option<Duration>>) {
    let took = handshake.wait_for(Option::is_some).await.ok().and_then(|took| *took);
    match took {
        Some(took) => sleep(took * 2 + DISCOVERY_GRACE).await,
        None => std::future::pending().await,
    }
}
