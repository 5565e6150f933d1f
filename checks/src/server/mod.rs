//! The checks of servers, one file per area.

mod capabilities;
mod dialogue;
mod framing;
mod jsonrpc;
mod lifecycle;
mod offerings;
mod pagination;
mod passive;
mod ping;
mod progress;
mod providers;
mod schemas;
mod shutdown;
mod stateless;
mod tools_call;
mod tools_list;

use crate::check::Check;

/// Every area with its table, in the order of reports.
pub const AREAS: &[(&str, &[Check])] = &[
    ("framing", framing::CHECKS),
    ("jsonrpc", jsonrpc::CHECKS),
    ("dialogue", dialogue::CHECKS),
    ("lifecycle", lifecycle::CHECKS),
    ("ping", ping::CHECKS),
    ("capability", capabilities::CHECKS),
    ("tools", tools_list::CHECKS),
    ("schema", schemas::CHECKS),
    ("pagination", pagination::CHECKS),
    ("call", tools_call::CHECKS),
    ("progress", progress::CHECKS),
    ("offerings", offerings::CHECKS),
    ("stateless", stateless::CHECKS),
    ("shutdown", shutdown::CHECKS),
    ("providers", providers::CHECKS),
];
