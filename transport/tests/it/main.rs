//! The transports from outside, against servers that behave and servers that do not.

mod client;
mod http;
mod legacy;
mod processes;
mod serving;
mod support;
