//! One request as the server understood it.

use serde_json::Value;
use specs::Revision;

/// Where a stateless request says which revision it speaks.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where a stateless request says what the client can do.
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where a stateless request asks for log messages.
pub(crate) const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The id, a string or an integer.
    pub id: Value,
    /// The method.
    pub method: String,
    /// The params; an empty object when absent.
    pub params: Value,
    /// The revision it is answered in; none before the handshake.
    pub revision: Option<Revision>,
    /// How often the method was asked for before.
    pub turn: usize,
}

impl Call {
    /// The value of a `_meta` key.
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }

    /// The token for progress notifications, if the client wants them.
    pub fn progress_token(&self) -> Option<&Value> {
        self.meta("progressToken").filter(|token| token.is_string() || token.is_i64() || token.is_u64())
    }

    /// A string among the params.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }

    /// The name under which it can be cancelled.
    pub(crate) fn key(&self) -> String {
        key(&self.id)
    }

    /// Tells whether a tool, prompt or method of this name is asked for.
    pub fn is(&self, method: &str) -> bool {
        self.method == method
    }
}

/// The name under which the request `id` can be cancelled; 7 and "7" are two requests.
pub(crate) fn key(id: &Value) -> String {
    id.to_string()
}
