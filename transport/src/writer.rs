//! Writing to a server that may not read: a task of its own, so that no one waits for ever.

use crate::error::SendError;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long one message may take before the server counts as one that does not read.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);

/// How long what is still queued may take once the conversation ends.
const CLOSE_PATIENCE: Duration = Duration::from_millis(200);

struct Job {
    bytes: Vec<u8>,
    done: oneshot::Sender<bool>,
}

/// Hands bytes to the task that writes them.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<mpsc::UnboundedSender<Job>>,
    give_up: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    /// The last message that was not written in time.
    stuck: Option<oneshot::Receiver<bool>>,
}

impl Writer {
    /// Starts the task over `input`.
    pub(crate) fn start(input: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (jobs, queue) = mpsc::unbounded_channel();
        let (give_up, given_up) = oneshot::channel();
        let task = tokio::spawn(write_all(input, queue, given_up));
        Self { jobs: Some(jobs), give_up: Some(give_up), task, stuck: None }
    }

    /// Queues `bytes` and waits until they are written, but not for ever and only once for a server that does not read.
    pub(crate) async fn send(&mut self, bytes: Vec<u8>) -> Result<(), SendError> {
        let (done, mut written) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or(SendError)?;
        jobs.send(Job { bytes, done }).map_err(|_| SendError)?;
        if self.is_stuck() {
            self.stuck = Some(written);
            return Ok(());
        }
        match timeout(WRITE_PATIENCE, &mut written).await {
            Ok(Ok(true)) => Ok(()),
            Ok(_) => Err(SendError),
            Err(_) => {
                self.stuck = Some(written);
                Ok(())
            }
        }
    }

    /// Tells whether a message still waits for a server that does not read.
    pub(crate) fn is_stuck(&mut self) -> bool {
        self.stuck.as_mut().is_some_and(|last| last.try_recv() == Err(oneshot::error::TryRecvError::Empty))
    }

    /// Writes what is queued as far as the server takes it, and closes its input.
    pub(crate) async fn close(&mut self) {
        self.jobs = None;
        if timeout(CLOSE_PATIENCE, &mut self.task).await.is_err() {
            self.give_up = None;
            let _ = timeout(CLOSE_PATIENCE, &mut self.task).await;
        }
    }
}

async fn write_all(
    mut input: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Job>,
    mut given_up: oneshot::Receiver<()>,
) {
    while let Some(job) = queue.recv().await {
        let written = tokio::select! {
            written = write(&mut input, &job.bytes) => written.is_ok(),
            _ = &mut given_up => false,
        };
        let _ = job.done.send(written);
        if !written {
            break;
        }
    }
    // Half of a stream does not close by being dropped; a pipe does.
    let _ = input.shutdown().await;
}

async fn write(input: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    input.write_all(bytes).await?;
    input.flush().await
}
