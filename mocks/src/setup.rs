//! What a running server was told: its revisions and how it misbehaves.

use crate::fault::{End, Fault, Twist, Until};
use crate::surface::Surface;
use serde_json::{Value, json};
use specs::{Revision, Revisions};
use std::sync::{Arc, OnceLock};

/// The settings of a server.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    revisions: Revisions,
    /// The revisions that the transport can carry.
    reach: Revisions,
    pub(crate) faults: Vec<&'static Fault>,
    /// What is offered in each revision, once it was asked for.
    surfaces: [OnceLock<Arc<Surface>>; 5],
    /// What the good server would offer.
    good: [OnceLock<Surface>; 5],
}

impl Setup {
    pub(crate) fn new(revisions: Revisions, faults: Vec<&'static Fault>) -> Self {
        Self {
            revisions,
            reach: Revisions::ALL,
            faults,
            surfaces: Default::default(),
            good: Default::default(),
        }
    }

    /// The same server where only some revisions can be spoken.
    pub(crate) fn reaching(&self, reach: Revisions) -> Arc<Self> {
        let faults = self.faults.clone();
        Arc::new(Self {
            revisions: self.revisions,
            reach,
            faults,
            surfaces: Default::default(),
            good: Default::default(),
        })
    }

    /// The revisions that are spoken, oldest first.
    pub(crate) fn spoken(&self) -> impl Iterator<Item = Revision> {
        self.revisions.iter().filter(|r| self.reach.contains(*r))
    }

    /// The revisions with a handshake, oldest first.
    pub(crate) fn with_handshake(&self) -> impl Iterator<Item = Revision> {
        self.spoken().filter(|r| !r.is_stateless())
    }

    pub(crate) fn twists(&self) -> impl Iterator<Item = &Twist> {
        self.faults.iter().flat_map(|fault| match &fault.twist {
            Twist::All(twists) => *twists,
            one => std::slice::from_ref(one),
        })
    }

    /// The revisions without a handshake.
    pub(crate) fn stateless(&self) -> Vec<Revision> {
        self.spoken().filter(|r| r.is_stateless()).collect()
    }

    /// The newest revision that `initialize` can agree on.
    pub(crate) fn newest_with_handshake(&self) -> Option<Revision> {
        self.with_handshake().last()
    }

    /// What is offered in `revision`.
    pub(crate) fn surface(&self, revision: Revision) -> Arc<Surface> {
        Arc::clone(self.surfaces[revision as usize].get_or_init(|| Arc::new(self.bent(revision))))
    }

    /// What the good server would offer in `revision`.
    pub(crate) fn good(&self, revision: Revision) -> &Surface {
        self.good[revision as usize].get_or_init(|| Surface::good(revision))
    }

    fn bent(&self, revision: Revision) -> Surface {
        let mut surface = self.good(revision).clone();
        for twist in self.twists() {
            if let Twist::Surface(edit) = twist {
                edit(&mut surface);
            }
        }
        surface
    }

    /// Turns a message into the bytes of one line.
    pub(crate) fn encode(&self, message: &Value) -> Vec<u8> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        for twist in self.twists() {
            if let Twist::Encode(edit) = twist {
                edit(message, &mut line);
            }
        }
        line
    }

    /// Tells whether only one of several requests is taken.
    pub(crate) fn takes_one_at_a_time(&self) -> bool {
        self.twists().any(|twist| matches!(twist, Twist::OneAtATime))
    }

    /// What makes the server write, when it does not do so at once.
    pub(crate) fn holds(&self) -> Option<Until> {
        self.twists().find_map(|twist| if let Twist::Hold(until) = twist { Some(*until) } else { None })
    }

    /// What happens at the end of input.
    pub(crate) fn end(&self) -> End {
        let end = |twist: &Twist| if let Twist::End(end) = twist { Some(*end) } else { None };
        self.twists().find_map(end).unwrap_or(End::Exit(0))
    }
}

/// The name and version of the server.
pub(crate) fn server_info() -> Value {
    json!({"name": "mcpproof-mock", "version": env!("CARGO_PKG_VERSION")})
}
