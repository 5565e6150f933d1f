//! Talks to a live server in each revision it speaks, and turns what goes wrong into an error with a way out. What is asked of it stands with the commands.

use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::redaction;
use crate::runtime;
use crate::settings::Settings;
use crate::target::Named;
use specs::Revision;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use transport::{Client, ClientError, ClientOptions, ConnectOptions, Spoken, Target, Transcript};

/// How long things may take, and how long a message may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For one answer.
    pub answer: Duration,
    /// For the first answer of a fresh server.
    pub start: Duration,
    /// For everything.
    pub run: Duration,
    /// Bytes of a message.
    pub bytes: usize,
}

impl From<&Settings> for Limits {
    fn from(settings: &Settings) -> Self {
        Self {
            answer: settings.timeout,
            start: settings.start_timeout,
            run: settings.run_timeout,
            bytes: settings.limit,
        }
    }
}

impl Limits {
    fn client(&self) -> ClientOptions {
        let connect =
            ConnectOptions { limit: self.bytes, open_within: self.start, transcript: Transcript::default() };
        ClientOptions { connect, start_within: self.start, answer_within: self.answer }
    }
}

/// Which revisions are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// Each that the server speaks; one may be visited twice.
    Spoken,
    /// These, and it is an error when the server does not speak one of them.
    All(&'a [Revision]),
    /// The one that a handshake leads to.
    Negotiated,
}

/// Does `work` until it is done or the user interrupts it; then nothing comes back.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<Option<T>, Failure> {
    let runtime = runtime::start()?;
    let done = runtime.block_on(async {
        tokio::select! {
            done = work => done.map(Some),
            () = runtime::interrupted() => {
                transport::kill_all_children();
                Ok(None)
            }
        }
    });
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    done
}

/// Opens a conversation in each revision and hands it to `visit`, with the moment when all must be done. Newest first.
pub(crate) async fn visit<T: PartialEq>(
    named: &Named,
    wanted: Wanted<'_>,
    limits: &Limits,
    visit: impl AsyncFn(&mut Client, Instant) -> Result<T, ClientError>,
) -> Result<Vec<(Revision, T)>, Failure> {
    let target = match &named.http_mock {
        Some(name) => named.at(crate::commands::mock::serve_for_a_check(name.clone()).await?),
        None => named.target.clone(),
    };
    let deadline = Instant::now() + limits.run;
    let visit = async |client: &mut Client| visit(client, deadline).await;
    let found = match timeout_at(deadline, speak(&target, wanted, limits, &visit)).await {
        Ok(found) => found,
        Err(_) => {
            let error = format!("the time of the run was up ({} s)", limits.run.as_secs());
            return Err(could_not_run(error, "more time for everything is given with --run-timeout"));
        }
    };
    let only_spoken = !matches!(wanted, Wanted::All(_));
    choose(found, only_spoken).map_err(|error| failure(named, &error))
}

async fn speak<T: PartialEq>(
    target: &Target,
    wanted: Wanted<'_>,
    limits: &Limits,
    visit: &impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Vec<Spoken<T>> {
    let options = limits.client();
    let revisions = match wanted {
        Wanted::All(revisions) => revisions,
        Wanted::Spoken => return transport::read_spoken(target, &options, visit).await,
        Wanted::Negotiated => return vec![negotiated(target, &options, visit).await],
    };
    transport::visit_spoken(target, revisions, &options, visit).await
}

async fn negotiated<T>(
    target: &Target,
    options: &ClientOptions,
    visit: &impl AsyncFn(&mut Client) -> Result<T, ClientError>,
) -> Spoken<T> {
    match Client::negotiate(target, options).await {
        Ok(mut client) => {
            let spoken = Spoken { revision: client.revision(), outcome: visit(&mut client).await };
            client.close().await;
            spoken
        }
        Err(error) => Spoken { revision: Revision::NEWEST_WITH_HANDSHAKE, outcome: Err(error) },
    }
}

/// Keeps what was spoken. An error that is no clear "not spoken" counts more than any success.
fn choose<T>(found: Vec<Spoken<T>>, only_spoken: bool) -> Result<Vec<(Revision, T)>, ClientError> {
    let (mut kept, mut refusals) = (Vec::new(), Vec::new());
    for spoken in found {
        match spoken.outcome {
            Ok(visited) => kept.push((spoken.revision, visited)),
            Err(error @ ClientError::NotSpoken { .. }) => refusals.push(error),
            Err(error) => return Err(error),
        }
    }
    match refusals.into_iter().next() {
        Some(refusal) if kept.is_empty() || !only_spoken => Err(refusal),
        _ => Ok(kept),
    }
}

/// Blames the server: it could not be read.
pub(crate) fn could_not_run(error: impl Into<String>, hint: impl Into<String>) -> Failure {
    let error = anyhow::Error::msg(error.into());
    Failure { status: ExitStatus::CouldNotRun, about: About::Anything, error, hint: hint.into() }
}

/// Says what went wrong with a server and what to do about it; its words may hold secrets of ours.
pub(crate) fn failure(named: &Named, error: &ClientError) -> Failure {
    let words = format!("{}: {error}", named.shown);
    could_not_run(redaction::text(named, &words), hint(named, error))
}

fn hint(named: &Named, error: &ClientError) -> String {
    match error {
        ClientError::Connect(_) => "check the command or the URL".to_owned(),
        ClientError::NoMessage { status: 401 | 403, .. } => {
            "if it wants a token: --header 'Authorization: Bearer ...'".to_owned()
        }
        ClientError::NoMessage { status: 404, .. } => {
            "check the path of the URL; the usual endpoint is /mcp".to_owned()
        }
        ClientError::Silent { .. } => {
            "give it more time with --timeout or --start-timeout, or look whether it hangs".to_owned()
        }
        ClientError::Gone { .. } => "start it by hand to see why it ends".to_owned(),
        ClientError::List { .. } => {
            "a list that cannot be read whole is never compared, since what is missing would look removed"
                .to_owned()
        }
        _ => format!("`mcpproof check {}` tells more", named.args),
    }
}
