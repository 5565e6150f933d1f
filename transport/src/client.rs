//! A plain client that keeps the rules of one revision: it opens, asks, reads whole lists and closes. It judges nothing; what keeps it from an answer is an error.

mod error;
mod list;
mod mirror;
mod open;
mod reading;
mod reply;
mod revisions;

pub use error::ClientError;
pub use list::Page;
pub use open::Greeting;
pub use reading::read_spoken;
pub use revisions::{Spoken, visit_spoken};

use crate::connection::{ConnectOptions, Connection};
use crate::received::{Ending, Patience};
use mirror::Mirrored;
use reply::Pending;
use serde_json::{Value as Json, json};
use specs::Revision;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;
use wire::Value;

/// How long a server may take to end once it is no longer needed.
const GOODBYE: Patience =
    Patience { after_eof: Duration::from_secs(1), after_term: Duration::from_millis(500) };

/// How long things may take.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Limits and the transcript of the connection.
    pub connect: ConnectOptions,
    /// How long the first answer of a fresh server may take.
    pub start_within: Duration,
    /// How long any other answer may take.
    pub answer_within: Duration,
}

/// A conversation that is open in one revision. Dropping it kills the server without asking.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    revision: Revision,
    over_sse: bool,
    answer_within: Duration,
    greeting: Greeting,
    next_id: i64,
    /// HTTP without a handshake: which arguments of which tool travel as headers too.
    mirrored: BTreeMap<String, Vec<Mirrored>>,
}

impl Client {
    /// The revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// What the server said of itself.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// When an answer is due that is asked for now.
    pub fn soon(&self) -> Instant {
        Instant::now() + self.answer_within
    }

    /// Sends a request and returns its result. Null `params` are left out.
    ///
    /// Meanwhile a `ping` of the server is answered and any other request of it refused, since we declare nothing.
    pub async fn request(
        &mut self,
        method: &str,
        params: Json,
        deadline: Instant,
    ) -> Result<Value, ClientError> {
        let params = self.with_meta(params);
        let headers = self.mirror(method, &params);
        let id = self.next_id;
        self.next_id += 1;
        let message = with_params(json!({"jsonrpc": "2.0", "id": id, "method": method}), params);
        let mut pending = Pending::new(method, id, deadline);
        match self.connection.send_with_headers(message.to_string().as_bytes(), &headers).await {
            Ok(post) => {
                pending.post = post;
                self.answer_to(pending).await
            }
            Err(_) => self.last_words(pending).await,
        }
    }

    /// Sends a notification; a server that no longer listens is noticed by the next request.
    pub async fn notify(&mut self, method: &str, params: Json) {
        let message = with_params(json!({"jsonrpc": "2.0", "method": method}), self.with_meta(params));
        let _ = self.connection.send(message.to_string().as_bytes()).await;
    }

    /// Ends the conversation, and the process where there is one.
    pub async fn close(self) -> Ending {
        self.connection.close(GOODBYE).await
    }

    /// Adds what each request describes of itself where there is no handshake.
    fn with_meta(&self, mut params: Json) -> Json {
        if !self.revision.is_stateless() {
            return params;
        }
        if params.is_null() {
            params = json!({});
        }
        let Some(members) = params.as_object_mut() else { return params };
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            for (key, value) in [
                ("protocolVersion", json!(self.revision.as_str())),
                ("clientCapabilities", json!({})),
                ("clientInfo", client_info()),
            ] {
                meta.entry(format!("io.modelcontextprotocol/{key}")).or_insert(value);
            }
        }
        params
    }
}

fn with_params(mut message: Json, params: Json) -> Json {
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// Who we are.
fn client_info() -> Json {
    json!({"name": "mcpproof", "version": env!("CARGO_PKG_VERSION")})
}
