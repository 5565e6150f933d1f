//! stdio, Streamable HTTP and legacy HTTP+SSE, both ends of each, with a byte-exact transcript. No judgement lives here.

mod child;
mod client;
mod connection;
mod error;
mod exchange;
mod group;
mod http;
mod inbox;
mod received;
mod redact;
mod scribe;
pub mod serve;
mod stdio;
mod strays;
mod target;
mod transcript;
mod writer;

pub use client::{Client, ClientError, ClientOptions, Greeting, Page, Spoken, read_spoken, visit_spoken};
pub use connection::{ConnectOptions, Connection};
pub use error::{ConnectError, SendError};
pub use exchange::{BodyEnd, Exchange};
pub use group::kill_all_children;
pub use http::{HttpClient, HttpFailure, RawRequest, header_value};
pub use received::{Arrived, Ending, Exit, Patience, Received};
pub use redact::Redactor;
pub use target::{Command, Endpoint, InProcess, Pipes, Target, shell_word};
pub use transcript::{Direction, Record, Transcript};
