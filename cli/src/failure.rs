//! What stops a command before it has a result: an error, a way out of it, and the exit code.

use crate::exit::ExitStatus;

/// What has to change so that it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The command, a file, a server.
    Anything,
    /// A variable that is not set here; elsewhere all may be well.
    Environment,
}

/// An error for the person at the keyboard.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What the process exits with.
    pub status: ExitStatus,
    /// What it is about.
    pub about: About,
    /// What is wrong and where, with its causes.
    pub error: anyhow::Error,
    /// What to do about it.
    pub hint: String,
}

impl Failure {
    /// Blames the arguments or the configuration.
    pub(crate) fn usage(error: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            status: ExitStatus::Usage,
            about: About::Anything,
            error: anyhow::Error::msg(error.into()),
            hint: hint.into(),
        }
    }

    /// Blames a file that cannot be read or written.
    pub(crate) fn file(what: String, cause: std::io::Error, hint: &str) -> Self {
        let error = anyhow::Error::new(cause).context(what);
        Self { status: ExitStatus::Usage, about: About::Anything, error, hint: hint.to_owned() }
    }
}
