//! The runtime and the signals that end a command.

use crate::failure::Failure;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// Starts a runtime of one thread: the work is waiting.
pub(crate) fn start() -> Result<Runtime, Failure> {
    let built = Builder::new_current_thread().enable_all().build();
    built
        .map_err(|cause| Failure::file("failed to start".into(), cause, "look at the limits of this machine"))
}

/// Waits for SIGINT or SIGTERM.
pub(crate) async fn interrupted() {
    let streams = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut interrupt), Ok(mut terminate)) = streams else {
        // Without handlers the system ends the process as ever.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
