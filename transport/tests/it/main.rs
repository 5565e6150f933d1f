//! The transports from outside, against servers that behave and servers that do not.

mod processes;
mod support;
