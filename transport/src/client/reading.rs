//! Reads something from a server in each revision it speaks, with as few starts as are safe. One start for each is in `revisions`.

use super::error::ClientError;
use super::open::Terms;
use super::revisions::{Spoken, as_no, each_fresh, one, patience};
use super::{Client, ClientOptions, visit_spoken};
use crate::target::Target;
use specs::Revision;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, timeout};

/// The first of all revisions, where a server that changes with them is least like in the newest.
const OLDEST: Revision = Revision::WITH_HANDSHAKE[0];

/// How long discovery may stay unanswered before the handshake is tried on a server of its own.
const DISCOVERY_FIRST: Duration = Duration::from_secs(3);

/// How much longer than the first time a further handshake or visit on the same connection may take.
const AGAIN_GRACE: Duration = Duration::from_secs(2);

/// Hands a conversation in each revision that the server speaks to `visit`, which must do no more than read: it may see
/// a revision twice. Newest first.
///
/// A server behind pipes is greeted in each revision with a handshake on one connection. What is seen so counts only
/// when all of them are spoken and show the same, and a fresh start shows the same in the oldest; otherwise each has a
/// start of its own. So what `visit` gives must not name the revision, or nothing is ever the same.
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

/// A conversation in the newest revision with a handshake that is still open, and what it showed.
struct Opened<T> {
    client: Client,
    shown: T,
    pace: Pace,
}

/// How long the first handshake and the first visit of a connection took.
#[derive(Clone, Copy)]
struct Pace {
    greeting: Duration,
    visit: Duration,
}

/// What was said on a connection before its first handshake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Discovery,
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
        let (answered, answer) = watch::channel(None);
        let (modern, handshake) = tokio::join!(self.discovered(spare, answer), async {
            let handed = tokio::select! {
                handed = handed => handed.ok(),
                () = sleep(DISCOVERY_FIRST) => None,
            };
            self.handshakes(handed, &answered).await
        });
        std::iter::once(modern).chain(handshake).collect()
    }

    /// Asks what the stateless era asks for. The connection of a server that refuses is handed on.
    async fn discovered<T>(
        &self,
        spare: oneshot::Sender<Client>,
        handshake: watch::Receiver<Option<Duration>>,
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
                    () = patience(handshake) => {
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

    /// Reads in each revision with a handshake, first on the connection that was `handed` over. `answered` is told how
    /// long a fresh server takes to answer.
    async fn handshakes<T: PartialEq>(
        &self,
        handed: Option<Client>,
        answered: &watch::Sender<Option<Duration>>,
    ) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        if let Some(client) = handed {
            match self.on_handed(client).await {
                Ok(opened) => return self.with_others(opened, Before::Discovery).await,
                Err(error) if error.is_answer() => return self.and_the_rest(Vec::new()).await,
                // A server may be the worse for the question that came first, or dead.
                Err(_) => {}
            }
        }
        let began = Instant::now();
        let opened = Client::open(self.target, Revision::NEWEST_WITH_HANDSHAKE, self.options).await;
        answered.send_replace(Some(began.elapsed()));
        let opened = match opened {
            Ok(client) => self.opened(client, began.elapsed()).await,
            Err(error) => Err(error),
        };
        match opened {
            Ok(opened) => self.with_others(opened, Before::Nothing).await,
            Err(error) => {
                // A dead server is not started once for each revision.
                let is_dead = !error.is_answer();
                let newest = vec![Spoken { revision: Revision::NEWEST_WITH_HANDSHAKE, outcome: Err(error) }];
                if is_dead { newest } else { self.and_the_rest(newest).await }
            }
        }
    }

    /// Shakes hands on a connection that has refused discovery, and reads.
    async fn on_handed<T>(&self, mut client: Client) -> Result<Opened<T>, ClientError>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let (newest, began) = (Revision::NEWEST_WITH_HANDSHAKE, Instant::now());
        match client.greet(newest, Terms::AsAsked, began + self.options.answer_within).await {
            Ok(()) => self.opened(client, began.elapsed()).await,
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    async fn opened<T>(&self, mut client: Client, greeting: Duration) -> Result<Opened<T>, ClientError>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let began = Instant::now();
        match (self.visit)(&mut client).await {
            Ok(shown) => Ok(Opened { client, shown, pace: Pace { greeting, visit: began.elapsed() } }),
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    /// Reads the other revisions of a server that speaks the newest: on the connection that is open if that can be
    /// believed, else with a start for each.
    async fn with_others<T: PartialEq>(&self, opened: Opened<T>, before: Before) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let newest = Revision::NEWEST_WITH_HANDSHAKE;
        let Opened { client, shown, pace } = opened;
        let (again, oldest) = tokio::join!(
            self.the_same_again(client, &shown, pace),
            one(self.target, OLDEST, self.options, self.visit, None),
        );
        let is_same = oldest.outcome.as_ref().is_ok_and(|fresh| *fresh == shown);
        let mut found = vec![oldest];
        match again {
            Some(again) if is_same => {
                found.push(Spoken { revision: newest, outcome: Ok(shown) });
                found.extend(again.into_iter().filter(|spoken| spoken.revision != OLDEST));
                return found;
            }
            // Discovery may have changed what this start showed.
            _ if before == Before::Discovery => {}
            _ => found.push(Spoken { revision: newest, outcome: Ok(shown) }),
        }
        self.and_the_rest(found).await
    }

    /// Greets in all older revisions on a connection that is open. Gives nothing as soon as one is not spoken, shows
    /// something other than `shown`, or takes longer than `pace` allows.
    async fn the_same_again<T: PartialEq>(
        &self,
        mut client: Client,
        shown: &T,
        pace: Pace,
    ) -> Option<Vec<Spoken<T>>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let mut again = Vec::new();
        for revision in with_handshake().skip(1) {
            match self.once_more(&mut client, revision, pace).await {
                Some(seen) if seen == *shown => again.push(Spoken { revision, outcome: Ok(seen) }),
                _ => break,
            }
        }
        client.close().await;
        (again.len() + 1 == Revision::WITH_HANDSHAKE.len()).then_some(again)
    }

    async fn once_more<T>(&self, client: &mut Client, revision: Revision, pace: Pace) -> Option<T>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let within = (pace.greeting + AGAIN_GRACE).min(self.options.answer_within);
        client.greet(revision, Terms::AsAsked, Instant::now() + within).await.ok()?;
        timeout(pace.visit + AGAIN_GRACE, (self.visit)(client)).await.ok()?.ok()
    }

    /// Starts the server for each revision with a handshake that is not yet among the `found`.
    async fn and_the_rest<T>(&self, mut found: Vec<Spoken<T>>) -> Vec<Spoken<T>>
    where
        F: AsyncFn(&mut Client) -> Result<T, ClientError>,
    {
        let is_open = |revision: &Revision| found.iter().all(|spoken| spoken.revision != *revision);
        let open = with_handshake().filter(is_open).collect();
        found.extend(each_fresh(self.target, open, self.options, self.visit).await);
        found
    }
}

/// The revisions with a handshake, newest first.
fn with_handshake() -> impl Iterator<Item = Revision> {
    Revision::WITH_HANDSHAKE.into_iter().rev()
}
