//! The errors of JSON-RPC and MCP that the good server answers with.

use serde_json::{Value, json};

/// What stands in the `error` member.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The error code.
    pub code: i64,
    /// The message.
    pub message: String,
    /// The data, if any.
    pub data: Option<Value>,
}

impl Problem {
    /// Names a problem by its code.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn parse() -> Self {
        Self::new(-32700, "Parse error: the input is not JSON")
    }

    pub(crate) fn request(why: impl Into<String>) -> Self {
        Self::new(-32600, format!("Invalid request: {}", why.into()))
    }

    pub(crate) fn method(method: &str) -> Self {
        Self::new(-32601, format!("Method not found: {method}"))
    }

    pub(crate) fn params(why: impl Into<String>) -> Self {
        Self::new(-32602, format!("Invalid params: {}", why.into()))
    }

    pub(crate) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Builds the response.
    pub fn reply(self, id: Value) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = self.data {
            error["data"] = data;
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}
