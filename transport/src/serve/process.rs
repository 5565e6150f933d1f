//! Serving lines on the streams of this very process, so that a mock can close one of them and keep the other.

use super::{Handler, stdio};
use std::os::fd::{AsFd, OwnedFd, RawFd};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

/// Serves lines on stdin and stdout of this process and returns the exit code; the caller ends the process with it.
///
/// Where stdin or stdout is a pipe it is taken over whole: [`super::Action::CloseInput`] and
/// [`super::Action::CloseOutput`] really close it, and nothing else in this process can use it afterwards.
pub async fn process<H: Handler>(handler: H) -> i32 {
    stdio(input(), output(), handler).await
}

fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    let pipe = copy(std::io::stdin()).and_then(|fd| pipe::Receiver::from_owned_fd(fd).ok());
    match pipe {
        Some(pipe) => {
            close(0);
            Box::new(pipe)
        }
        None => Box::new(tokio::io::stdin()),
    }
}

fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    let pipe = copy(std::io::stdout()).and_then(|fd| pipe::Sender::from_owned_fd(fd).ok());
    match pipe {
        Some(pipe) => {
            close(1);
            Box::new(pipe)
        }
        None => Box::new(tokio::io::stdout()),
    }
}

fn copy(stream: impl AsFd) -> Option<OwnedFd> {
    stream.as_fd().try_clone_to_owned().ok()
}

/// Closes a standard stream, of which a copy is in use; the other end sees the end only when all copies are closed.
fn close(stream: RawFd) {
    let _ = nix::unistd::close(stream);
}
