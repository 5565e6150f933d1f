//! The queue between the tasks that read from a server and the one that asks what came next.

use crate::received::Received;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};

/// Memory that may wait unread before the reading tasks pause, so that a flood stays in the server's pipe.
const BUDGET: u32 = 4 * 1024 * 1024;

/// About what a received thing of `bytes` bytes takes: its bytes, twice what they mean, and what holds them.
pub(crate) fn weight(bytes: usize) -> usize {
    512 + 4 * bytes
}

/// Gives an outbox and the inbox it feeds.
pub(crate) fn mailbox() -> (Outbox, Inbox) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let budget = Arc::new(Semaphore::new(BUDGET as usize));
    (Outbox { sender, budget }, Inbox { receiver })
}

/// The end that tasks put things into; when the last one is dropped the inbox is closed.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    sender: mpsc::UnboundedSender<(Received, OwnedSemaphorePermit)>,
    budget: Arc<Semaphore>,
}

impl Outbox {
    /// Adds `item`, which holds `bytes` bytes, and waits while too much is unread. False when nobody listens.
    pub(crate) async fn put(&self, item: Received, bytes: usize) -> bool {
        // A frame larger than the budget takes all of it; it must pass all the same.
        let share = u32::try_from(weight(bytes)).unwrap_or(BUDGET).clamp(1, BUDGET);
        tokio::select! {
            permit = Arc::clone(&self.budget).acquire_many_owned(share) => {
                permit.is_ok_and(|permit| self.sender.send((item, permit)).is_ok())
            }
            () = self.sender.closed() => false,
        }
    }
}

/// The end that is asked.
#[derive(Debug)]
pub(crate) struct Inbox {
    receiver: mpsc::UnboundedReceiver<(Received, OwnedSemaphorePermit)>,
}

impl Inbox {
    /// Waits until `deadline`; what is there already comes out even after it.
    pub(crate) async fn next(&mut self, deadline: Instant) -> Received {
        match timeout_at(deadline, self.receiver.recv()).await {
            Ok(Some((item, _))) => item,
            Ok(None) => Received::Closed,
            Err(_) => Received::Silence,
        }
    }

    /// Waits without a deadline; `None` once the inbox is closed. Safe to drop half way.
    pub(crate) async fn take(&mut self) -> Option<Received> {
        self.receiver.recv().await.map(|(item, _)| item)
    }

    /// What is there without waiting.
    pub(crate) fn take_now(&mut self) -> Option<Received> {
        self.receiver.try_recv().ok().map(|(item, _)| item)
    }
}
