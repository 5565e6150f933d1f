//! What a server is reached by.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A server, by how it is reached.
#[derive(Clone, Debug)]
pub enum Target {
    /// A command whose stdin and stdout carry the messages.
    Stdio(Command),
    /// A Streamable HTTP endpoint.
    Http(Endpoint),
    /// A legacy HTTP+SSE endpoint: the URL of its event stream.
    Sse(Endpoint),
    /// A server inside this process, for tests.
    InProcess(InProcess),
}

/// A command to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program, looked up in PATH.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables added to the inherited environment; their values are secrets in transcripts.
    pub env: Vec<(String, String)>,
    /// Its working directory; `None` is ours.
    pub cwd: Option<PathBuf>,
}

/// An HTTP address with headers for each request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL.
    pub url: String,
    /// Extra headers, such as `Authorization`.
    pub headers: Vec<(String, String)>,
}

/// The two byte streams of a server in this process: what it writes, and what it reads.
pub type Pipes = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

/// Starts a server inside this process and hands over its streams.
#[derive(Clone)]
pub struct InProcess(pub Arc<dyn Fn() -> Pipes + Send + Sync>);

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}

/// Prints the target as the user would type it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(command) => {
                f.write_str("-- ")?;
                f.write_str(&shell_word(&command.program.to_string_lossy()))?;
                command.args.iter().try_for_each(|arg| write!(f, " {}", shell_word(&arg.to_string_lossy())))
            }
            Self::Http(endpoint) => f.write_str(&endpoint.url),
            Self::Sse(endpoint) => write!(f, "--sse {}", endpoint.url),
            Self::InProcess(_) => f.write_str("(in process)"),
        }
    }
}

/// Quotes `word` for a POSIX shell when it needs quotes.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
