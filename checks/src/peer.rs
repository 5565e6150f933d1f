//! The server as a probe sees it.

/// The server under proof, on one conversation.
#[derive(Debug)]
pub struct Peer {}
