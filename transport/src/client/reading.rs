//! Reads something from a server in each revision it speaks, with as few starts as are safe. One start for each is in `revisions`.

use super::error::ClientError;
use super::open::Terms;
use super::revisions::{Spoken, as_no, each_fresh, one, patience, visit_spoken};
use super::{Client, ClientOptions};
use crate::target::Target;
use specs::Revision;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep};

/// How long discovery may stay unanswered before the handshake is tried on a server of its own.
const DISCOVERY_FIRST: Duration = Duration::from_secs(3);

/// How much longer than the first handshake a further one on the same connection may take.
const AGAIN_GRACE: Duration = Duration::from_secs(2);

/// Hands a conversation in each revision that the server speaks to `visit`, which must do no more than read: it may see
/// a revision twice. Newest first.
///
/// A server behind pipes is greeted in further revisions on the connection that is open already. What is seen so
/// counts only when a fresh start shows the same in the oldest of them; otherwise each revision has a start of its own.
pub async fn read_spoken<T: PartialEq>(
    target: &Target,
    options: &ClientOptions,
    visit: impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Vec<Spoken<T>> {
    let reader = Reader { target, options, visit: &visit };
    let mut found = match target {
        Target::Stdio(_) | Target::InProcess(_) => reader.read().await,
        Target::Http(_) | Target::Sse(_) => visit_spoken(target, &[], options, &visit).await,
    };
    found.sort_by_key(|spoken| std::cmp::Reverse(spoken.revision));
    found
}

/// A conversation with a handshake that is still open, and what it gave so far.
struct Opened<T> {
    client: Client,
    /// The revision that the handshake led to.
    revision: Revision,
    outcome: Result<T, ClientError>,
    /// How long the handshake took.
    took: Duration,
}

/// What came of greeting again on a connection that was open.
struct Again<T> {
    /// Revisions that were answered with themselves, and what they showed.
    shown: BTreeMap<Revision, T>,
    /// Revisions newer than that of the first handshake, and what was answered instead.
    refused: BTreeMap<Revision, ClientError>,
}

struct Reader<'a, F> {
    target: &'a Target,
    options: &'a ClientOptions,
    visit: &'a F,
}

impl<F> Reader<'_, F> {
    async fn read<T: PartialEq>(&self) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (spare, handed) = oneshot::channel();
        let (answered, answer) = watch::channel(false);
        let (modern, handshake) = tokio::join!(self.discovered(spare, answer), async {
            let handed = tokio::select! {
                handed = handed => handed.ok(),
                () = sleep(DISCOVERY_FIRST) => None,
            };
            let opened = self.first_handshake(handed).await;
            let _ = answered.send(true);
            match opened {
                Ok(opened) => self.with_handshake(opened).await,
                Err(error) => self.one_by_one(error).await,
            }
        });
        std::iter::once(modern).chain(handshake).collect()
    }

    /// Asks what the stateless era asks for. The connection of a server that refuses is handed on.
    async fn discovered<T>(
        &self,
        spare: oneshot::Sender<Client>,
        handshake: watch::Receiver<bool>,
    ) -> Spoken<T>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (revision, began) = (Revision::NEWEST_STATELESS, Instant::now());
        let outcome = match Client::connect(self.target, revision, self.options).await {
            Err(error) => Err(error),
            Ok(mut client) => {
                let greeting = client.greet(revision, Terms::AsAsked, began + self.options.start_within);
                let greeted = tokio::select! {
                    greeted = greeting => greeted,
                    () = patience(handshake, began) => {
                        Err(ClientError::Silent { method: "server/discover".into(), waited: began.elapsed(), odd: None })
                    }
                };
                match greeted {
                    Ok(()) => {
                        drop(spare);
                        self.visited(client).await
                    }
                    Err(error) => {
                        if !error.is_answer() {
                            drop(spare);
                            client.close().await;
                        } else if let Err(client) = spare.send(client) {
                            client.close().await;
                        }
                        Err(as_no(revision, error))
                    }
                }
            }
        };
        Spoken { revision, outcome }
    }

    async fn visited<T>(&self, mut client: Client) -> Result<T, ClientError>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let visited = (self.visit)(&mut client).await;
        client.close().await;
        visited
    }

    /// Shakes hands, on the connection that was `handed` over or on a fresh start, and reads.
    async fn first_handshake<T>(&self, handed: Option<Client>) -> Result<Opened<T>, ClientError>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        if let Some(client) = handed {
            let opened = self.shaken(client, self.options.answer_within).await;
            // A server may be the worse for the question that came first.
            if let Ok(opened @ Opened { outcome: Ok(_), .. }) = opened {
                return Ok(opened);
            }
            if let Ok(opened) = opened {
                opened.client.close().await;
            }
        }
        let client = Client::connect(self.target, Revision::NEWEST_WITH_HANDSHAKE, self.options).await?;
        self.shaken(client, self.options.start_within).await
    }

    async fn shaken<T>(&self, mut client: Client, within: Duration) -> Result<Opened<T>, ClientError>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (newest, began) = (Revision::NEWEST_WITH_HANDSHAKE, Instant::now());
        if let Err(error) = client.greet(newest, Terms::AnyKnown, began + within).await {
            client.close().await;
            return Err(error);
        }
        let took = began.elapsed();
        let outcome = (self.visit)(&mut client).await;
        Ok(Opened { revision: client.revision(), client, outcome, took })
    }

    /// What is left to do when the newest revision was refused or not answered at all.
    async fn one_by_one<T>(&self, error: ClientError) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let newest = Revision::NEWEST_WITH_HANDSHAKE;
        let is_dead = !error.is_answer();
        let mut found = vec![Spoken { revision: newest, outcome: Err(error) }];
        // A dead server is not started once for each revision.
        if !is_dead {
            let others = with_handshake().filter(|revision| *revision != newest).collect();
            found.extend(each_fresh(self.target, others, self.options, self.visit).await);
        }
        found
    }

    /// Finds the other revisions of a server that has shaken hands.
    async fn with_handshake<T: PartialEq>(&self, opened: Opened<T>) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (first, newest) = (opened.revision, Revision::NEWEST_WITH_HANDSHAKE);
        let is_read = opened.outcome.is_ok();
        let mut found = vec![Spoken { revision: first, outcome: opened.outcome }];
        if first != newest {
            found.push(Spoken { revision: newest, outcome: Err(instead(newest, first)) });
        }
        if !is_read {
            opened.client.close().await;
            return found;
        }
        let others: Vec<_> = with_handshake().filter(|other| *other != first && *other != newest).collect();
        // The oldest first: what changes with the revision differs between the first and the oldest.
        let mut anchors: VecDeque<_> = others.iter().rev().copied().filter(|other| *other < first).collect();
        anchors.extend(others.first().filter(|other| **other > first));
        let anchor = anchors.pop_front();
        let (mut again, start) =
            tokio::join!(self.greeted_again(opened.client, &others, opened.took), async {
                Some(self.fresh(anchor?).await)
            });
        found.extend(self.compared(&mut again, start, anchors).await);
        let mut open = VecDeque::new();
        for revision in others {
            if found.iter().any(|spoken| spoken.revision == revision) {
                continue;
            }
            match again.take(revision) {
                Some(outcome) => found.push(Spoken { revision, outcome }),
                None => open.push_back(revision),
            }
        }
        found.extend(each_fresh(self.target, open, self.options, self.visit).await);
        found
    }

    /// Holds what was said on the used connection against fresh starts, and forgets it where they differ.
    async fn compared<T: PartialEq>(
        &self,
        again: &mut Again<T>,
        mut start: Option<Spoken<T>>,
        mut anchors: VecDeque<Revision>,
    ) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (mut found, mut proven) = (Vec::new(), false);
        while let Some(fresh) = start.take() {
            match again.agrees(&fresh) {
                Verdict::SameShown => proven = true,
                Verdict::SameNo => {
                    if let Some(anchor) = anchors.pop_front() {
                        start = Some(self.fresh(anchor).await);
                    }
                }
                Verdict::Different => again.refused.clear(),
            }
            found.push(fresh);
        }
        if !proven {
            again.shown.clear();
        }
        found
    }

    async fn fresh<T>(&self, revision: Revision) -> Spoken<T>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        one(self.target, revision, self.options, self.visit, None).await
    }

    /// Greets in each of `asked` on a connection that is open, until an answer is in doubt.
    async fn greeted_again<T>(&self, mut client: Client, asked: &[Revision], took: Duration) -> Again<T>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let mut again = Again { shown: BTreeMap::new(), refused: BTreeMap::new() };
        let first = client.revision();
        let within = (took + AGAIN_GRACE).min(self.options.answer_within);
        for revision in asked {
            if client.greet(*revision, Terms::AnyKnown, Instant::now() + within).await.is_err() {
                break;
            }
            let answered = client.revision();
            if answered == *revision {
                let Ok(shown) = (self.visit)(&mut client).await else { break };
                again.shown.insert(*revision, shown);
            } else if answered == first && *revision > first {
                // Spec, lifecycle, version negotiation: what is answered instead is the newest that it speaks.
                again.refused.insert(*revision, instead(*revision, first));
            } else {
                break;
            }
        }
        client.close().await;
        again
    }
}

/// How what was said on a used connection compares with a fresh start.
enum Verdict {
    /// Both spoke the revision, and showed the same.
    SameShown,
    /// Neither spoke it.
    SameNo,
    Different,
}

impl<T: PartialEq> Again<T> {
    fn agrees(&self, fresh: &Spoken<T>) -> Verdict {
        match (self.shown.get(&fresh.revision), &fresh.outcome) {
            (Some(shown), Ok(seen)) if shown == seen => Verdict::SameShown,
            (None, Err(ClientError::NotSpoken { .. })) => Verdict::SameNo,
            _ => Verdict::Different,
        }
    }

    fn take(&mut self, revision: Revision) -> Option<Result<T, ClientError>> {
        let shown = self.shown.remove(&revision).map(Ok);
        shown.or_else(|| self.refused.remove(&revision).map(Err))
    }
}

/// The revisions with a handshake, newest first.
fn with_handshake() -> impl Iterator<Item = Revision> {
    Revision::WITH_HANDSHAKE.into_iter().rev()
}

fn instead(revision: Revision, answered: Revision) -> ClientError {
    ClientError::NotSpoken { revision, why: format!("answered {answered} instead") }
}
