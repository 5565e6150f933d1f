//! The checks of servers, one file per area.

mod capabilities;
mod dialogue;
mod framing;
mod header_annotations;
mod http;
mod http_ask;
mod http_auth;
mod http_origin;
mod http_sessions;
mod http_stateless;
mod jsonrpc;
mod lifecycle;
mod offerings;
mod pagination;
mod passive;
mod ping;
mod pipelined;
mod progress;
mod prompts;
mod providers;
mod schemas;
mod shutdown;
mod sse;
mod stateless;
mod subscriptions;
mod tools_call;
mod tools_list;

use crate::check::Check;

pub(crate) use http_ask::raw_messages;
pub(crate) use http_auth::WITHOUT_ACCESS;
pub(crate) use shutdown::{NOT_BY_ITSELF, judges_endings};
pub(crate) use sse::{WITHOUT_ENDPOINT, flush, lacks_endpoint};

/// Every area with its table, in the order of reports.
pub const AREAS: &[(&str, &[Check])] = &[
    ("framing", framing::CHECKS),
    ("jsonrpc", jsonrpc::CHECKS),
    ("ping", ping::CHECKS),
    ("dialogue", dialogue::CHECKS),
    ("pipelined", pipelined::CHECKS),
    ("lifecycle", lifecycle::CHECKS),
    ("capability", capabilities::CHECKS),
    ("tools", tools_list::CHECKS),
    ("schema", schemas::CHECKS),
    ("annotations", header_annotations::CHECKS),
    ("pagination", pagination::CHECKS),
    ("call", tools_call::CHECKS),
    ("progress", progress::CHECKS),
    ("prompts", prompts::CHECKS),
    ("offerings", offerings::CHECKS),
    ("stateless", stateless::CHECKS),
    ("subscriptions", subscriptions::CHECKS),
    ("http-origin", http_origin::CHECKS),
    ("http", http::CHECKS),
    ("http-sessions", http_sessions::CHECKS),
    ("http-stateless", http_stateless::CHECKS),
    ("http-auth", http_auth::CHECKS),
    ("sse", sse::CHECKS),
    ("shutdown", shutdown::CHECKS),
    ("providers", providers::CHECKS),
];
