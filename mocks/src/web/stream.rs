//! Event streams: where messages become events, and who fills a stream while others are served.

use crate::fault::Twist;
use crate::setup::Setup;
use crate::step::Step;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use transport::serve::{Chunk, HttpAnswer, HttpBody};

/// The end of an event stream that the server writes to. The stream ends when all its sinks are dropped.
#[derive(Clone, Debug)]
pub(super) struct Sink(UnboundedSender<Chunk>);

impl Sink {
    /// Opens a stream.
    pub(super) fn open() -> (Self, HttpBody) {
        let (sender, body) = HttpBody::open();
        (Self(sender), body)
    }

    /// Sends bytes; false when the client has gone.
    pub(super) fn bytes(&self, bytes: Vec<u8>) -> bool {
        self.0.send(Chunk::Bytes(bytes)).is_ok()
    }

    /// Sends a message; false when the client has gone.
    pub(super) fn message(&self, setup: &Setup, message: &Value) -> bool {
        self.bytes(event(setup, message))
    }

    /// Tells whether the client still listens.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }
}

/// The answer that opens a stream.
pub(super) fn answer(body: HttpBody, stateless: bool) -> HttpAnswer {
    let answer = HttpAnswer::new(200, "text/event-stream", body).with("cache-control", "no-cache");
    // Spec 2026-07-28, transports: proxies must not hold events back.
    if stateless { answer.with("x-accel-buffering", "no") } else { answer }
}

/// The event of a message.
fn event(setup: &Setup, message: &Value) -> Vec<u8> {
    let mut bytes = b"event: message\n".to_vec();
    for line in setup.encode(message).trim_ascii_end().split(|byte| *byte == b'\n') {
        bytes.extend_from_slice(b"data: ");
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes.push(b'\n');
    edited(setup, message, bytes)
}

/// The event that says where to post.
pub(super) fn endpoint(setup: &Setup, address: &str) -> Vec<u8> {
    let bytes = format!("event: endpoint\ndata: {address}\n\n").into_bytes();
    edited(setup, &Value::from(address), bytes)
}

fn edited(setup: &Setup, message: &Value, mut bytes: Vec<u8>) -> Vec<u8> {
    for twist in setup.twists() {
        if let Twist::Event(edit) = twist {
            edit(message, &mut bytes);
        }
    }
    bytes
}

/// Carries out steps on a stream while others are served; the stream ends with them if this is its only sink.
pub(super) fn play(setup: Arc<Setup>, steps: Vec<Step>, sink: Sink) -> AbortHandle {
    let work = async move {
        for step in steps {
            match step {
                Step::Say(message) if !sink.message(&setup, &message) => return,
                Step::Wait(pause) => tokio::time::sleep(pause).await,
                _ => {}
            }
        }
    };
    tokio::spawn(work).abort_handle()
}
