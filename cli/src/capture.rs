//! Reads the surface of a live server. Comparing surfaces is the business of `surface`.

use crate::failure::Failure;
use crate::live::{self, Wanted};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::target::Named;
use checks::Event;
use serde_json::Value;
use specs::Revision;
use surface::{Item, Kind, Session, Surface, View};
use tokio::time::Instant;
use transport::{Client, ClientError, Greeting};

/// What a server answers to a method that it does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// A list, how it is asked for, and the capability that offers it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListOf {
    /// What it lists.
    pub kind: Kind,
    /// The method.
    pub method: &'static str,
    /// The capability.
    pub capability: &'static str,
}

/// The four lists.
pub(crate) const LISTS: [ListOf; 4] = [
    ListOf { kind: Kind::Tool, method: "tools/list", capability: "tools" },
    ListOf { kind: Kind::Prompt, method: "prompts/list", capability: "prompts" },
    ListOf { kind: Kind::Resource, method: "resources/list", capability: "resources" },
    ListOf { kind: Kind::Template, method: "resources/templates/list", capability: "resources" },
];

impl ListOf {
    /// Tells whether an error says no more than that there is no such list: many servers with resources have no
    /// method for templates, and only this method shares its capability.
    pub(crate) fn is_absent(self, error: &ClientError) -> bool {
        self.kind == Kind::Template && error.code() == Some(METHOD_NOT_FOUND)
    }
}

/// Reads what the server shows in each revision that is set, or in each that it speaks when none is.
pub(crate) async fn capture(named: &Named, settings: &Settings) -> Result<Surface, Failure> {
    let revisions = settings.revisions.as_slice();
    let wanted = if revisions.is_empty() { Wanted::Spoken } else { Wanted::All(revisions) };
    capture_in(named, settings, wanted).await
}

/// Reads what the server shows in the one revision that a handshake leads to, or in each that is set.
pub(crate) async fn capture_once(named: &Named, settings: &Settings) -> Result<Surface, Failure> {
    let revisions = settings.revisions.as_slice();
    let wanted = if revisions.is_empty() { Wanted::Negotiated } else { Wanted::All(revisions) };
    capture_in(named, settings, wanted).await
}

async fn capture_in(named: &Named, settings: &Settings, wanted: Wanted<'_>) -> Result<Surface, Failure> {
    let progress = Progress::start();
    progress.on(Event::Detecting);
    let captured = live::visit(named, wanted, &settings.into(), async |client: &mut Client, deadline| {
        view(client, deadline, &|revision, id| progress.on(Event::Began { revision, id })).await
    })
    .await;
    progress.finish();
    let views = captured?.into_iter().map(|(revision, view)| named_after(revision, view)).collect();
    Ok(Surface { views, every_revision: matches!(wanted, Wanted::Spoken) })
}

/// What was read is held against what other revisions show, so it gets its name last.
fn named_after(revision: Revision, mut view: View) -> View {
    view.session.protocol_version = Some(revision.to_string());
    view
}

/// Reads the surface of one conversation.
async fn view(
    client: &mut Client,
    deadline: Instant,
    tell: &dyn Fn(Revision, &'static str),
) -> Result<View, ClientError> {
    let mut view = View { session: session(client.greeting()), lists: Default::default() };
    for list in LISTS {
        tell(client.revision(), list.method);
        view.lists[list.kind as usize] = Some(items(client, list, deadline).await?);
    }
    Ok(view)
}

/// Reads one list; one that is not offered is empty.
async fn items(client: &mut Client, list: ListOf, deadline: Instant) -> Result<Vec<Item>, ClientError> {
    if !client.greeting().offers(list.capability) {
        return Ok(Vec::new());
    }
    match client.list(list.method, list.kind.member(), deadline).await {
        Ok(values) => values.iter().enumerate().map(|(at, value)| item(list, at, value)).collect(),
        Err(error) if list.is_absent(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn item(list: ListOf, at: usize, value: &Value) -> Result<Item, ClientError> {
    surface::item(list.kind, value, &format!("/{}/{at}", list.kind.member())).map_err(|error| {
        ClientError::Misshapen {
            method: list.method.to_owned(),
            what: format!("holds an item that is none: {error}"),
        }
    })
}

/// What the server said of itself, but for the revision.
fn session(greeting: &Greeting) -> Session {
    Session {
        protocol_version: None,
        capabilities: Some(greeting.capabilities()),
        server_info: Some(greeting.server_info().cloned().unwrap_or_default()),
        instructions: Some(greeting.instructions().map(str::to_owned)),
    }
}
