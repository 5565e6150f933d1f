//! The transports from outside, against servers that behave and servers that do not.

mod client;
mod http;
mod legacy;
mod processes;
mod reading;
mod serving;
mod support;
