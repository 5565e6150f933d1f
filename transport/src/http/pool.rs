//! Connections to the server of a URL that may serve another request: over TLS, opening one costs several round trips.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// How long a connection may lie idle. Servers close theirs after 5 seconds and more; a request must not cross that.
const IDLE: Duration = Duration::from_secs(1);

/// How long a connection whose answer has ended may take to be ready again.
const READY: Duration = Duration::from_millis(100);

/// One HTTP connection; it is closed when this is dropped.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) sender: SendRequest<Full<Bytes>>,
    /// The task that moves the bytes.
    pump: JoinHandle<()>,
}

impl Line {
    pub(super) fn new(sender: SendRequest<Full<Bytes>>, pump: JoinHandle<()>) -> Self {
        Self { sender, pump }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

/// Connections that wait for the next request.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(Arc<Mutex<Vec<(Line, Instant)>>>);

impl Pool {
    /// Keeps a connection whose last answer has come whole.
    pub(super) fn give(&self, line: Line) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(line, since)| since.elapsed() < IDLE && !line.sender.is_closed());
        idle.push((line, Instant::now()));
    }

    /// Takes out a connection that is ready for a request.
    pub(super) async fn take(&self) -> Option<Line> {
        loop {
            let (mut line, since) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            let fresh = since.elapsed() < IDLE && !line.sender.is_closed();
            if fresh && timeout(READY, line.sender.ready()).await.is_ok_and(|ready| ready.is_ok()) {
                return Some(line);
            }
        }
    }
}
