//! Why a request got no answer.

use std::error::Error;

/// Why a request got no answer. An answer with a bad status is an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpFailure {
    /// A header name or value is not allowed in HTTP.
    #[error("not a valid header: `{name}`")]
    BadHeader {
        /// The header's name.
        name: String,
    },
    /// Name resolution, TCP or TLS failed.
    #[error("cannot reach {url}: {cause}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The whole chain of causes in one line.
        cause: String,
    },
    /// The connection was there, but what came was no HTTP answer.
    #[error("no answer from {url}: {cause}")]
    NoAnswer {
        /// The URL.
        url: String,
        /// The whole chain of causes in one line.
        cause: String,
    },
    /// The deadline passed before the headers of an answer.
    #[error("no answer from {url} within {millis} ms")]
    Deadline {
        /// The URL.
        url: String,
        /// How long it was waited for.
        millis: u128,
    },
    /// A redirect that is not followed: to another origin, in a loop, or to no URL.
    #[error("{url} redirects {cause}")]
    Redirect {
        /// The URL that was asked first.
        url: String,
        /// Where it would go, and why that is not followed.
        cause: String,
    },
}

/// The whole chain of causes in one line, without saying anything twice.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !line.contains(&words) {
            line = format!("{line}: {words}");
        }
        source = cause.source();
    }
    line
}
