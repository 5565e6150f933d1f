//! What recording and verifying share: specs from files, and the exchanges of a live conversation. Their form stands in `surface`.

use crate::capture::LISTS;
use crate::config;
use crate::failure::Failure;
use crate::live::Wanted;
use crate::settings::Settings;
use serde_json::{Value, json};
use specs::Revision;
use std::path::Path;
use surface::cassette::{Call, CassetteError, Conversation, Exchange, Opening, Outcome, Spec};
use tokio::time::Instant;
use transport::{Client, ClientError};

/// How the files of calls end.
pub(crate) const SPEC: &str = ".spec.toml";

/// Reads a file of calls, and the revision that it asks for.
pub(crate) fn read_spec(path: &Path) -> Result<(Spec, Option<Revision>), Failure> {
    let spec: Spec = config::read_toml(path)?;
    let revision = spec.revision.as_ref().map(|word| word.parse::<Revision>()).transpose();
    let revision = revision.map_err(|unknown| {
        Failure::usage(format!("{}: {unknown}", path.display()), "write one of the known revisions")
    })?;
    Ok((spec, revision))
}

/// The revisions in which a spec is run: its own, else those that are set, else the one that a handshake leads to.
pub(crate) fn wanted<'a>(own: Option<&'a Revision>, settings: &'a Settings) -> Wanted<'a> {
    match own {
        Some(revision) => Wanted::All(std::slice::from_ref(revision)),
        None if settings.revisions.is_empty() => Wanted::Negotiated,
        None => Wanted::All(&settings.revisions),
    }
}

/// Blames the file `shown` for what cannot be read in it.
pub(crate) fn malformed(shown: &str, error: &CassetteError) -> Failure {
    let hint = "restore it from git, or write it again";
    Failure::usage(format!("{shown}, {error}"), hint)
}

/// Reads all lists, and makes `calls`. The revision is left to the caller.
pub(crate) async fn conversation(
    client: &mut Client,
    calls: &[Call],
    deadline: Instant,
) -> Result<Conversation, ClientError> {
    let mut exchanges = lists(client, deadline).await?;
    exchanges.extend(answers(client, calls, deadline).await?);
    Ok(Conversation { revisions: Vec::new(), opening: opening(client), exchanges })
}

/// Makes `calls` in their order and gives an exchange for each, with its placeholders.
pub(crate) async fn answers(
    client: &mut Client,
    calls: &[Call],
    deadline: Instant,
) -> Result<Vec<Exchange>, ClientError> {
    let mut exchanges = Vec::new();
    for call in calls {
        let by = deadline.min(client.soon());
        let answer = client.request(&call.method, call.params.clone(), by).await;
        let outcome = outcome(answer.map(|result| result.to_json()))?;
        let mut exchange = Exchange::new(&call.method, &call.params, outcome);
        exchange.name = Some(call.name.clone());
        exchange.redact(&call.redactions);
        exchanges.push(exchange);
    }
    Ok(exchanges)
}

/// An error that the server answered is an answer; what else went wrong is none.
fn outcome(answer: Result<Value, ClientError>) -> Result<Outcome, ClientError> {
    match answer {
        Ok(result) => Ok(Outcome::Result(result)),
        Err(error) => match error.refusal() {
            Some(refusal) => Ok(Outcome::Error(refusal.to_json())),
            None => Err(error),
        },
    }
}

/// The pages of all lists that are offered.
async fn lists(client: &mut Client, deadline: Instant) -> Result<Vec<Exchange>, ClientError> {
    let mut exchanges = Vec::new();
    for list in LISTS {
        if !client.greeting().offers(list.capability) {
            continue;
        }
        match client.pages(list.method, list.kind.member(), deadline).await {
            Ok(pages) => exchanges.extend(pages.into_iter().map(|page| {
                let params = page.cursor.map_or(Value::Null, |cursor| json!({"cursor": cursor}));
                Exchange::new(list.method, &params, Outcome::Result(page.result))
            })),
            Err(error) if list.is_absent(&error) => {
                exchanges.push(Exchange::new(list.method, &Value::Null, outcome(Err(error))?));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(exchanges)
}

/// How the conversation was opened. The revision is told by the conversation itself.
fn opening(client: &Client) -> Opening {
    let mut result = client.greeting().result.as_object().cloned().unwrap_or_default();
    let method = if client.revision().is_stateless() { "server/discover" } else { "initialize" };
    if !client.revision().is_stateless() {
        result.remove("protocolVersion");
    }
    Opening { method: method.to_owned(), result }
}
