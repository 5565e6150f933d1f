//! What a fault is: one bend in the behaviour of the good server. The faults themselves stand in `faults/`.

use crate::call::Call;
use crate::session::Session;
use crate::step::Step;
use crate::surface::Surface;
use serde_json::Value;
use specs::{Revision, Revisions};
use std::time::Duration;
use transport::serve::{HttpAnswer, HttpRequest};

/// One way to misbehave.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Stable, kebab, area first: what the server does wrong.
    pub id: &'static str,
    /// The same in one sentence, with what it does to others.
    pub story: &'static str,
    /// What is bent.
    pub twist: Twist,
    /// The revisions in which it makes a difference.
    pub revisions: Revisions,
    /// The transport on which it makes a difference: `stdio`, `http` or `sse`; any when `None`.
    pub transport: Option<&'static str>,
}

impl Fault {
    /// Describes a fault that makes a difference in every revision.
    pub(crate) const fn new(id: &'static str, story: &'static str, twist: Twist) -> Self {
        Self { id, story, twist, revisions: Revisions::ALL, transport: None }
    }

    /// Limits it to `revisions`.
    pub(crate) const fn within(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }

    /// Limits it to the revisions with a handshake.
    pub(crate) const fn with_handshake(self) -> Self {
        self.within(Revisions::until(Revision::NEWEST_WITH_HANDSHAKE))
    }

    /// Limits it to the revisions without a handshake.
    pub(crate) const fn stateless(self) -> Self {
        self.within(Revisions::since(Revision::V2026_07_28))
    }

    /// Limits it to one transport.
    pub(crate) const fn on(mut self, transport: &'static str) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Limits it to `first` and later revisions.
    pub(crate) const fn since(self, first: Revision) -> Self {
        self.within(Revisions::since(first))
    }
}

/// Where the good server can be bent.
#[derive(Clone, Copy, Debug)]
pub enum Twist {
    /// Writes text before it has heard anything.
    Start(&'static str),
    /// Waits before it reads anything.
    Delay(Duration),
    /// Keeps what it writes until something makes it write.
    Hold(Until),
    /// Drops a request that it reads together with another before it.
    OneAtATime,
    /// Edits what is offered.
    Surface(fn(&mut Surface)),
    /// Edits a message before the server looks at it, or what the server remembers.
    Hear(fn(&mut Value, &mut Session)),
    /// Edits the response to a request.
    Reply(fn(&Call, &mut Value)),
    /// Edits all that is done about a line of input.
    Steps(fn(&Heard<'_>, &mut Vec<Step>)),
    /// Edits the bytes of a message, newline included.
    Encode(fn(&Value, &mut Vec<u8>)),
    /// Does something else at the end of input.
    End(End),
    /// Edits an HTTP request before the server looks at it.
    HttpIn(fn(&mut HttpRequest)),
    /// Edits the answer to an HTTP request, which is given as it came.
    HttpOut(fn(&HttpRequest, &mut HttpAnswer)),
    /// Edits the bytes of an event, blank line included; of an `endpoint` event the address is given.
    Event(fn(&Value, &mut Vec<u8>)),
    /// Several of these, where one behaviour shows in several places.
    All(&'static [Twist]),
}

/// What makes a server write that does not flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The next message, or the end of input.
    NextMessage,
    /// The end of input.
    End,
}

/// A line of input, for [`Twist::Steps`].
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// The line as it came.
    pub line: &'a [u8],
    /// Its value, if it was JSON.
    pub message: Option<&'a Value>,
    /// How many lines came before it.
    pub before: usize,
    /// The revision of the conversation when the line came; none before the handshake.
    pub revision: Option<Revision>,
}

impl Heard<'_> {
    /// The method, if it is a request or notification.
    pub fn method(&self) -> &str {
        self.message.and_then(|m| m.get("method")).and_then(Value::as_str).unwrap_or("")
    }

    /// The id as written.
    pub fn id(&self) -> Option<&Value> {
        self.message?.get("id")
    }

    /// The value at a JSON pointer.
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        self.message?.pointer(pointer)
    }

    /// Tells whether it is a request for `method`.
    pub fn asks(&self, method: &str) -> bool {
        self.id().is_some() && self.method() == method
    }

    /// Tells whether it is a notification.
    pub fn notifies(&self) -> bool {
        self.id().is_none() && !self.method().is_empty()
    }
}

/// What happens at the end of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process ends with this code.
    Exit(i32),
    /// The process goes on until a signal ends it.
    Ignore,
    /// The process goes on, and does not mind SIGTERM.
    IgnoreTerm,
    /// The process ends, but a child of it lives on and holds the output open.
    Grandchild,
}
