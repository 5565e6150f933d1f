//! Well-behaved and misbehaving MCP servers, over stdio, HTTP and in process. What a checker makes of them is not known here.

mod answer;
mod call;
mod envelope;
mod fault;
mod faults;
mod handshake;
mod listing;
mod mock;
mod problem;
mod prompts;
mod resources;
mod session;
mod setup;
mod stateless;
mod stdio;
mod step;
mod surface;
#[cfg(test)]
mod tests;
mod tools;
mod web;

pub use call::Call;
pub use fault::{End, Fault, Heard, Twist};
pub use mock::{
    Mock, Options, UnknownMock, faults, find, in_process, names, quirks, serve_http, serve_stdio,
};
pub use problem::Problem;
pub use session::Session;
pub use step::Step;
pub use surface::Surface;
