//! Opens a conversation in one revision, with a handshake or without, as the revision wants it.

use super::error::ClientError;
use super::reply::short;
use super::{Client, ClientOptions, client_info};
use crate::connection::Connection;
use crate::target::Target;
use serde_json::{Value as Json, json};
use specs::Revision;
use std::collections::BTreeMap;
use tokio::time::Instant;

/// The error that names the versions a server does speak.
const UNSUPPORTED_VERSION: i64 = -32022;

/// What a server says of itself when a conversation is opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Greeting {
    /// The whole result of `initialize` or `server/discover`.
    pub result: Json,
}

impl Greeting {
    /// Its capabilities; empty when it names none.
    pub fn capabilities(&self) -> serde_json::Map<String, Json> {
        self.result.get("capabilities").and_then(Json::as_object).cloned().unwrap_or_default()
    }

    /// Its name and version.
    pub fn server_info(&self) -> Option<&serde_json::Map<String, Json>> {
        let nested = || self.result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
        self.result.get("serverInfo").or_else(nested)?.as_object()
    }

    /// Its instructions.
    pub fn instructions(&self) -> Option<&str> {
        self.result.get("instructions")?.as_str()
    }

    /// Tells whether it offers what `capability` names.
    pub fn offers(&self, capability: &str) -> bool {
        self.result.get("capabilities").and_then(|all| all.get(capability)).is_some_and(Json::is_object)
    }
}

/// Which answer to a handshake is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Terms {
    /// The revision that was asked for.
    AsAsked,
    /// Any revision that we know.
    AnyKnown,
}

impl Client {
    /// Opens a conversation in `revision`. That the server speaks another one is [`ClientError::NotSpoken`].
    pub async fn open(
        target: &Target,
        revision: Revision,
        options: &ClientOptions,
    ) -> Result<Self, ClientError> {
        Self::open_on(Terms::AsAsked, target, revision, options).await
    }

    /// Opens a conversation in the revision that a handshake leads to, as most clients do; a server without handshake
    /// is spoken to without.
    pub async fn negotiate(target: &Target, options: &ClientOptions) -> Result<Self, ClientError> {
        let newest = Revision::NEWEST_WITH_HANDSHAKE;
        match Self::open_on(Terms::AnyKnown, target, newest, options).await {
            Err(refusal @ ClientError::NotSpoken { .. }) => {
                let stateless = Self::open(target, Revision::NEWEST_STATELESS, options).await;
                stateless.map_err(|_| refusal)
            }
            opened => opened,
        }
    }

    async fn open_on(
        terms: Terms,
        target: &Target,
        revision: Revision,
        options: &ClientOptions,
    ) -> Result<Self, ClientError> {
        let mut client = Self::connect(target, revision, options).await?;
        match client.greet(revision, terms, Instant::now() + options.start_within).await {
            Ok(()) => Ok(client),
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    /// Connects, and says nothing yet.
    pub(super) async fn connect(
        target: &Target,
        revision: Revision,
        options: &ClientOptions,
    ) -> Result<Self, ClientError> {
        let connection = Connection::open(target, &options.connect).await?;
        Ok(Self {
            connection,
            revision,
            over_sse: matches!(target, Target::Sse(_)),
            answer_within: options.answer_within,
            greeting: Greeting::default(),
            next_id: 1,
            mirrored: BTreeMap::new(),
        })
    }

    /// Opens the conversation in `revision`, also on a connection that has been used before.
    pub(super) async fn greet(
        &mut self,
        revision: Revision,
        terms: Terms,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        self.revision = revision;
        match revision.is_stateless() {
            true => self.discover(deadline).await,
            false => self.initialize(terms, deadline).await,
        }
    }

    async fn initialize(&mut self, terms: Terms, deadline: Instant) -> Result<(), ClientError> {
        let params = json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let result = self.request("initialize", params, deadline).await;
        let result = result.map_err(|error| self.refusal(error))?.to_json();
        let Some(answered) = result.get("protocolVersion").and_then(Json::as_str) else {
            let what = "names no `protocolVersion`".to_owned();
            return Err(ClientError::Misshapen { method: "initialize".into(), what });
        };
        match answered.parse::<Revision>() {
            Ok(same) if same == self.revision => {}
            Ok(other) if terms == Terms::AnyKnown && !other.is_stateless() => self.revision = other,
            _ => return Err(self.not_spoken(format!("answered {} instead", short(answered)))),
        }
        self.connection.adopt(self.revision);
        self.greeting = Greeting { result };
        self.notify("notifications/initialized", Json::Null).await;
        Ok(())
    }

    async fn discover(&mut self, deadline: Instant) -> Result<(), ClientError> {
        self.connection.adopt(self.revision);
        let result = self.request("server/discover", json!({}), deadline).await;
        let result = result.map_err(|error| self.refusal(error))?.to_json();
        let Some(versions) = result.get("supportedVersions").and_then(Json::as_array) else {
            return Err(self.not_spoken("`server/discover` names no `supportedVersions`".to_owned()));
        };
        if !versions.iter().any(|version| version == self.revision.as_str()) {
            return Err(
                self.not_spoken(format!("it supports {}", short(&Json::from(versions.clone()).to_string())))
            );
        }
        self.greeting = Greeting { result };
        Ok(())
    }

    /// Turns an answer that is a clear no into [`ClientError::NotSpoken`]; silence and an end stay what they are.
    fn refusal(&self, error: ClientError) -> ClientError {
        match &error {
            ClientError::Refused { code: Some(UNSUPPORTED_VERSION), words, error, .. } => {
                let supported = error.get("data").and_then(|data| data.get("supported"));
                let supported = supported.map(|all| format!("; it supports {}", short(&all.to_string())));
                self.not_spoken(format!("{words}{}", supported.unwrap_or_default()))
            }
            ClientError::Refused { method, words, .. } => self.not_spoken(format!("`{method}`: {words}")),
            // Whoever wants a token or time has not said what it speaks.
            ClientError::NoMessage { status, .. } if is_no(*status) => self.not_spoken(error.to_string()),
            _ => error,
        }
    }

    fn not_spoken(&self, why: String) -> ClientError {
        ClientError::NotSpoken { revision: self.revision, why }
    }
}

/// Tells whether an HTTP status says that the request itself is not understood.
fn is_no(status: u16) -> bool {
    matches!(status, 400 | 404 | 405 | 406 | 410 | 415 | 422 | 426 | 501)
}
