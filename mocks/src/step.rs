//! What a server does about one message, as a list of small steps. Who carries them out lives elsewhere.

use serde_json::Value;
use std::time::Duration;

/// One thing the server does.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Sends a message that belongs to what was heard.
    Say(Value),
    /// Sends a message that belongs to no request.
    Tell(Value),
    /// Writes bytes as they are.
    Raw(Vec<u8>),
    /// Waits before the next step of the same list; other lists go on.
    Wait(Duration),
    /// Ends the process with this code.
    Exit(i32),
}

impl Step {
    /// Builds a notification that belongs to a request.
    pub fn notify(method: &str, params: Value) -> Self {
        Self::Say(notification(method, params))
    }

    /// The response in this step, if it is one.
    pub fn response(&self) -> Option<&Value> {
        match self {
            Self::Say(message) if is_response(message) => Some(message),
            _ => None,
        }
    }
}

/// Builds a notification.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Tells a response, or an array of them, from a request or notification.
pub(crate) fn is_response(message: &Value) -> bool {
    match message {
        Value::Array(items) => items.iter().any(is_response),
        one => one.get("method").is_none(),
    }
}

/// The steps about one line of input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// The request it answers, for cancellation.
    pub(crate) key: Option<String>,
    /// The request that is to be dropped.
    pub(crate) cancels: Option<String>,
    /// What to do, in order.
    pub(crate) steps: Vec<Step>,
}

impl Flow {
    /// Says one message and nothing else.
    pub(crate) fn say(message: Value) -> Self {
        Self { steps: vec![Step::Say(message)], ..Self::default() }
    }
}
