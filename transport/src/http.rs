//! The client side of HTTP: what all its transports share stands in the modules below.

mod answer;
mod client;
mod dial;
mod failure;
mod headers;
mod legacy;
mod pool;
mod streamable;

pub use client::{HttpClient, RawRequest};
pub use failure::HttpFailure;
pub use headers::header_value;
pub(crate) use legacy::Legacy;
pub(crate) use streamable::Streamable;
