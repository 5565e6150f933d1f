//! JSON-RPC messages as far as they can be understood, and how a frame becomes one.

use crate::deviation::{Deviation, DeviationKind};
use crate::headers::{self, Block};
use crate::json::{self, Fault, FaultKind};
use crate::log::Log;
use crate::value::Value;
use crate::{envelope, noise};

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
    /// Tells whether it answers the request with the id `sent`, be it in another spelling.
    pub fn answers(&self, sent: &Value) -> Answer {
        let Some(id) = &self.id else { return Answer::No };
        if id == sent {
            return Answer::Exactly;
        }
        if !same_but_for_spelling(id, sent) {
            return Answer::No;
        }
        let detail =
            format!("\"id\" came back as {}; it was sent as {}", envelope::seen(id), envelope::seen(sent));
        Answer::Changed(Deviation::new(DeviationKind::IdChanged, detail).on("/id"))
    }

    /// The error code, if `error.code` is an integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error.as_ref()?.get("code")?.as_i64()
    }

    /// The error message, if `error.message` is a string.
    pub fn error_message(&self) -> Option<&str> {
        self.error.as_ref()?.get("message")?.as_str()
    }
}

/// How a response and the id of a request fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The ids are the same.
    Exactly,
    /// The ids are the same to a human, not to a strict peer.
    Changed(Deviation),
    /// It answers another request.
    No,
}

/// Tells ids that mean the same: `1` and `"1"`, `1` and `1.0`.
fn same_but_for_spelling(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            number.as_str() == text
        }
        // Beyond 2^53 doubles are no longer apart, so that only smaller ones can be compared.
        (Value::Number(one), Value::Number(other)) => {
            one.as_f64() == other.as_f64() && one.as_f64().abs() < 9_007_199_254_740_992.0
        }
        _ => false,
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
    ///
    /// A block of `Content-Length` headers with its body is one frame too.
    pub fn read(raw: &[u8]) -> Self {
        Self::of(raw.to_vec())
    }

    /// Reads one frame whose bytes are at hand already; never fails.
    pub fn of(raw: Vec<u8>) -> Self {
        if is_blank(&raw) {
            let blank = Deviation::new(DeviationKind::BlankLine, "a line with nothing on it");
            return Self::noise(raw, vec![blank]);
        }
        if let Some(block) = headers::block(&raw) {
            return Self::of_block(raw, block);
        }
        match Parts::read(&raw) {
            Ok(parts) => Self::of_parts(raw, parts),
            Err(fault) => Self::of_fault(raw, fault),
        }
    }

    pub(crate) fn of_parts(raw: Vec<u8>, parts: Parts) -> Self {
        let Parts { message, value, deviations } = parts;
        Self { raw, message, value: Some(value), deviations }
    }

    pub(crate) fn of_fault(raw: Vec<u8>, fault: Fault) -> Self {
        if let Some((message, value, deviations)) = behind_text(&raw) {
            return Self { raw, message, value: Some(value), deviations };
        }
        let mark = raw.starts_with(json::BOM).then(json::mark);
        let deviations = mark.into_iter().chain([noise::describe(&raw, fault)]).collect();
        Self::noise(raw, deviations)
    }

    pub(crate) fn noise(raw: Vec<u8>, deviations: Vec<Deviation>) -> Self {
        Self { raw, message: Message::Noise, value: None, deviations }
    }

    fn of_block(raw: Vec<u8>, block: Block) -> Self {
        let body = &raw[block.header..];
        let mark = raw.starts_with(json::BOM).then(json::mark);
        let framing = Deviation::new(
            DeviationKind::ContentLengthFraming,
            format!(
                "the message has Content-Length headers as in LSP ({} bytes announced, {} came)",
                block.body,
                body.len()
            ),
        );
        let framing = mark.into_iter().chain([framing]);
        match Parts::read(body) {
            Ok(mut parts) => {
                for deviation in &mut parts.deviations {
                    deviation.offset = deviation.offset.map(|offset| offset + block.header);
                }
                parts.deviations.splice(0..0, framing);
                Self::of_parts(raw, parts)
            }
            Err(fault) => {
                let mut noise = noise::describe(body, fault);
                noise.offset = noise.offset.map(|offset| offset + block.header);
                Self::noise(raw, framing.chain([noise]).collect())
            }
        }
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

/// Finds a message behind text on the same line: a banner without a newline, a colour code, a prompt.
fn behind_text(raw: &[u8]) -> Option<(Message, Value, Vec<Deviation>)> {
    let start = raw.iter().position(|byte| *byte == b'{').filter(|start| *start > 0)?;
    let parts = Parts::read(&raw[start..]).ok()?;
    let is_message = !matches!(parts.message, Message::Noise | Message::Other(_) | Message::Batch(_));
    if !is_message || parts.value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    let text = json::quoted(&String::from_utf8_lossy(&raw[..start]));
    let detail = format!("text before the message on its line: {text}");
    let mut deviations = vec![Deviation::new(DeviationKind::NotJson, detail).at(0)];
    deviations.extend(parts.deviations.into_iter().map(|mut deviation| {
        deviation.offset = deviation.offset.map(|offset| offset + start);
        deviation
    }));
    Some((parts.message, parts.value, deviations))
}

/// Tells whether a line has nothing on it.
pub(crate) fn is_blank(raw: &[u8]) -> bool {
    raw.iter().all(u8::is_ascii_whitespace)
}

/// What a frame is apart from its bytes.
pub(crate) struct Parts {
    pub(crate) message: Message,
    pub(crate) value: Value,
    pub(crate) deviations: Vec<Deviation>,
}

impl Parts {
    /// Reads JSON and its envelope, or says where it has no meaning.
    pub(crate) fn read(raw: &[u8]) -> Result<Self, Fault> {
        let mut log = Log::default();
        let (value, end) = json::read(raw, &mut log)?;
        if end < raw.len() {
            if !may_have_trailing_bytes(&value) {
                return Err(Fault {
                    kind: FaultKind::Malformed,
                    offset: end,
                    expected: "the end of the line",
                });
            }
            log.add(DeviationKind::TrailingBytes, |kind| {
                let detail = format!(
                    "{} after the JSON value on the same line",
                    envelope::count(raw.len() - end, "byte")
                );
                Deviation::new(kind, detail).at(end)
            });
        }
        let message = envelope::read(&value, &mut log);
        Ok(Self { message, value, deviations: log.into_deviations() })
    }
}

/// Tells a message with bytes after it from a log line that happens to start like JSON: `2024-05-01`, `[7] ready`.
fn may_have_trailing_bytes(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => matches!(items.first(), Some(Value::Object(_))),
        _ => false,
    }
}
