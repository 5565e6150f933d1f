//! JSON-RPC messages as far as they can be understood, and how a frame becomes one.

use crate::deviation::Deviation;
use crate::value::Value;

/// What one frame carried.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// `method` and `id`.
    Request(Request),
    /// `method` without `id`.
    Notification(Notification),
    /// `result`, `error`, or at least an `id` and no `method`.
    Response(Response),
    /// A JSON array of messages.
    Batch(Vec<Message>),
    /// JSON that is no JSON-RPC message.
    Other(Value),
    /// Not JSON at all.
    Noise,
}

/// A request from either side.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id as written, whatever its type.
    pub id: Value,
    /// The method.
    pub method: String,
    /// The params as written.
    pub params: Option<Value>,
}

/// A notification from either side.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The method.
    pub method: String,
    /// The params as written.
    pub params: Option<Value>,
}

/// A response from either side.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id as written; `None` when absent.
    pub id: Option<Value>,
    /// `result` as written; `None` when absent.
    pub result: Option<Value>,
    /// `error` as written; `None` when absent.
    pub error: Option<Value>,
}

impl Response {
    /// The error code, if `error.code` is an integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error.as_ref()?.get("code")?.as_i64()
    }

    /// The error message, if `error.message` is a string.
    pub fn error_message(&self) -> Option<&str> {
        self.error.as_ref()?.get("message")?.as_str()
    }
}

/// One framed piece of a stream: its bytes, what they mean, and what is wrong with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The bytes between the delimiters, exactly as they came.
    pub raw: Vec<u8>,
    /// What they mean.
    pub message: Message,
    /// The whole value, when the bytes were JSON.
    pub value: Option<Value>,
    /// What is wrong with them.
    pub deviations: Vec<Deviation>,
}

impl Frame {
    /// Reads one frame without its delimiter; never fails.
    pub fn read(raw: &[u8]) -> Self {
        todo!("{raw:?}")
    }

    /// The responses in it, through a batch.
    pub fn responses(&self) -> impl Iterator<Item = &Response> {
        let all: &[Message] = match &self.message {
            Message::Batch(messages) => messages,
            one => std::slice::from_ref(one),
        };
        all.iter().filter_map(|m| if let Message::Response(r) = m { Some(r) } else { None })
    }
}
