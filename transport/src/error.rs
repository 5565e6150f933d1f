//! Why a connection could not be opened or a message not be sent. What a server does wrong afterwards is no error.

/// Why no connection came to be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program is not in PATH or no such file.
    #[error("command not found: `{program}`")]
    CommandNotFound {
        /// The program as given.
        program: String,
    },
    /// The file exists but cannot be executed.
    #[error("cannot execute `{program}`: {cause}")]
    CannotExecute {
        /// The program as given.
        program: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The working directory does not exist.
    #[error("no such directory: `{path}`")]
    NoSuchDirectory {
        /// The path as given.
        path: String,
    },
    /// The URL does not parse or has another scheme.
    #[error("not an http(s) URL: `{url}`: {cause}")]
    BadUrl {
        /// The URL as given.
        url: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A header name or value is not allowed in HTTP.
    #[error("not a valid header: `{name}`")]
    BadHeader {
        /// The header's name.
        name: String,
    },
    /// Name resolution, TCP or TLS failed, or a redirect loop.
    #[error("cannot reach {url}: {cause}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The whole chain of causes in one line.
        cause: String,
    },
    /// HTTP+SSE: the stream opened but the `endpoint` event did not come.
    #[error("no `endpoint` event on {url}: {seen}")]
    NoEndpointEvent {
        /// The URL.
        url: String,
        /// What came instead.
        seen: String,
    },
}

/// Sending failed because the server's end is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server closed its input")]
pub struct SendError;
