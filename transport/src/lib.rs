//! stdio, Streamable HTTP and legacy HTTP+SSE, both ends of each, with a byte-exact transcript. No judgement lives here.

mod connection;
mod exchange;
mod target;
mod transcript;

pub use connection::{
    Arrived, ConnectError, ConnectOptions, Connection, Ending, Exit, Patience, Received, SendError,
};
pub use exchange::{BodyEnd, Exchange};
pub use target::{Command, Endpoint, InProcess, Pipes, Target};
pub use transcript::{Direction, Record, Transcript};
