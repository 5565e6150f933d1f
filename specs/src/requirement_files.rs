//! The list of the requirement files; what stands in them is read in `requirements.rs`.

/// A file of requirement rows, compiled into the binary.
pub(crate) struct File {
    /// Name below `specs/requirements/`, without the extension.
    pub(crate) name: &'static str,
    /// The TOML text.
    pub(crate) text: &'static str,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(File { name: $name, text: include_str!(concat!("../requirements/", $name, ".toml")) }),*]
    };
}

/// Every file, in alphabetical order; a name is an area, or an area, a dash and a part of it.
#[rustfmt::skip] // one name a line: a new file is a one-line change
pub(crate) const FILES: &[File] = files![
    "auth-as",
    "auth-discovery",
    "auth-registration",
    "auth-scopes",
    "auth-security",
    "auth-tokens",
    "base",
    "caching",
    "cancel",
    "completion",
    "deprecated",
    "discover",
    "elicit",
    "elicit-url",
    "extensions",
    "http",
    "http-headers",
    "http-sessions",
    "http-streams",
    "http-xmcp",
    "icons",
    "jsonrpc",
    "jsonrpc-errors",
    "lifecycle",
    "lists",
    "logging",
    "meta",
    "mrtr",
    "pagination",
    "pattern",
    "ping",
    "progress",
    "prompts",
    "resources",
    "result",
    "roots",
    "sampling",
    "schema",
    "shape",
    "sse",
    "stateless",
    "stdio",
    "subs",
    "tasks-lifecycle",
    "tasks-operations",
    "tools-call",
    "tools-list",
    "transport",
    "version",
];
