//! Connections to the server of a URL that may serve another request: opening one costs round trips, and both ends work.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long a connection may lie idle. Servers close theirs after 5 seconds and more; a request must not cross that,
/// and a server that serves one connection at a time waits for the end of this one.
const IDLE: Duration = Duration::from_millis(500);

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

type Idle = Mutex<Vec<(Line, Instant)>>;

/// Connections that wait for the next request.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(Arc<Idle>);

impl Pool {
    /// Keeps a connection whose last answer has come whole, for a while.
    pub(super) fn give(&self, line: Line) {
        if line.sender.is_closed() {
            return;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((line, Instant::now()));
        let idle = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            sleep(IDLE).await;
            if let Some(idle) = idle.upgrade() {
                idle.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .retain(|(_, since)| since.elapsed() < IDLE);
            }
        });
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
