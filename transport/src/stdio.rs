//! A conversation over two byte streams with a newline after each message: a child process, or a server in this process.

use crate::child::{self, Ended, GRACE, Running, Watch, quiet_after};
use crate::error::{ConnectError, SendError};
use crate::inbox::{Inbox, Outbox, mailbox, weight};
use crate::received::{Arrived, Ending, Exit, Patience, Received};
use crate::scribe::Scribe;
use crate::target::{Command, InProcess};
use crate::transcript::Direction;
use crate::writer::Writer;
use nix::sys::signal::Signal;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use wire::LineReader;

/// How much memory late frames may take.
const LATE: usize = 2 * 1024 * 1024;

/// More frames than can wait unread at one moment.
const MOST_UNREAD: usize = 10_000;

/// How long the system may take to end a process after SIGKILL.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// A conversation over lines.
#[derive(Debug)]
pub(crate) struct Lines {
    scribe: Scribe,
    lines: Arc<Mutex<LineReader>>,
    inbox: Inbox,
    writer: Writer,
    reader: Reader,
    child: Option<Running>,
    /// Whether it was waited for the end of the process once an end of it was seen closed.
    settled: bool,
}

/// The task that reads the output; it ends with its owner.
#[derive(Debug)]
struct Reader(JoinHandle<()>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Lines {
    /// Starts a command.
    pub(crate) fn spawn(command: &Command, limit: usize, scribe: Scribe) -> Result<Self, ConnectError> {
        let (child, stdin, stdout) = child::start(command, &scribe)?;
        let watch = Some(child.ended.clone());
        Ok(Self::over(stdout, stdin, limit, scribe, watch, Some(child)))
    }

    /// Starts a server in this process.
    pub(crate) fn in_process(server: &InProcess, limit: usize, scribe: Scribe) -> Self {
        let (output, input) = (server.0)();
        scribe.event("started in process");
        Self::over(output, input, limit, scribe, None, None)
    }

    fn over(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
        limit: usize,
        scribe: Scribe,
        ended: Option<Watch>,
        child: Option<Running>,
    ) -> Self {
        let (outbox, inbox) = mailbox();
        let lines = Arc::new(Mutex::new(LineReader::new(limit)));
        let reader = read(output, Arc::clone(&lines), outbox, ended, scribe.clone());
        let reader = Reader(tokio::spawn(reader));
        Self { writer: Writer::start(input), scribe, lines, inbox, reader, child, settled: false }
    }

    /// Writes exactly these bytes.
    pub(crate) async fn send(&mut self, bytes: Vec<u8>) -> Result<(), SendError> {
        self.scribe.bytes(Direction::Sent, &bytes);
        let sent = self.writer.send(bytes).await;
        match sent {
            Err(SendError) => {
                self.scribe.event("writing failed: the server closed its input");
                self.settle().await;
            }
            Ok(()) if self.writer.is_stuck() => self.scribe.event("the server does not read its input"),
            Ok(()) => {}
        }
        sent
    }

    pub(crate) async fn receive(&mut self, deadline: Instant) -> Received {
        let received = self.inbox.next(deadline).await;
        if matches!(received, Received::Closed) {
            self.settle().await;
        }
        received
    }

    /// A pipe closes a moment before its process ends; whoever sees it closed will ask how the process ended.
    async fn settle(&mut self) {
        if let Some(child) = self.child.as_mut().filter(|_| !self.settled) {
            child.settle().await;
        }
        self.settled = true;
    }

    pub(crate) fn pending(&self) -> Vec<u8> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).pending().to_vec()
    }

    pub(crate) fn pending_length(&self) -> usize {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).pending_length()
    }

    pub(crate) fn stderr_tail(&self) -> String {
        let tail = self.child.as_ref().map(|child| &child.stderr);
        tail.map_or_else(String::new, |tail| tail.lock().unwrap_or_else(PoisonError::into_inner).text())
    }

    pub(crate) fn exited(&self) -> Option<Exit> {
        let ended = *self.child.as_ref()?.ended.borrow();
        ended.map(|ended| ended.exit)
    }

    /// Ends the conversation step by step; see the README for the order.
    pub(crate) async fn close(mut self, patience: Patience) -> Ending {
        let mut ending = Ending::without_process();
        ending.before_eof = self.exited().is_some() || (self.child.is_none() && self.reader.0.is_finished());
        let mut late = Late::since(self.scribe.opened.elapsed());
        if let Some(child) = &self.child {
            child.group.note_strays();
        }
        self.scribe.event("closed stdin");
        self.writer.close().await;
        let closed = Instant::now();
        match self.child.take() {
            Some(child) => self.end_process(child, patience, closed, &mut ending, &mut late).await,
            None => {
                let done = async { timeout(patience.after_eof, &mut self.reader.0).await.is_ok() };
                if collecting(&mut self.inbox, &mut late, done).await && !ending.before_eof {
                    ending.by_eof = Some(closed.elapsed());
                }
            }
        }
        ending.late_frames = late.frames;
        ending
    }

    async fn end_process(
        &mut self,
        mut child: Running,
        patience: Patience,
        closed: Instant,
        ending: &mut Ending,
        late: &mut Late,
    ) {
        let steps = end_in_steps(&mut child, patience, closed, &self.scribe, ending);
        collecting(&mut self.inbox, late, steps).await;
        // The keeper waits for the group at most twice the grace, the reader for bytes at most once.
        let settled = async {
            ending.left_children =
                timeout(4 * GRACE, &mut child.keeper).await.is_ok_and(|left| left.unwrap_or(false));
            let _ = timeout(2 * GRACE, &mut self.reader.0).await;
            child.settle().await;
        };
        collecting(&mut self.inbox, late, settled).await;
    }
}

/// End of input, SIGTERM, SIGKILL, as far as needed.
async fn end_in_steps(
    child: &mut Running,
    patience: Patience,
    closed: Instant,
    scribe: &Scribe,
    ending: &mut Ending,
) {
    if let Some(ended) = ended_within(child, patience.after_eof).await {
        ending.exit = ended.exit;
        ending.before_eof |= ended.at < closed;
        ending.by_eof = (!ending.before_eof).then(|| ended.at.saturating_duration_since(closed));
        return;
    }
    scribe.event("SIGTERM to the process group");
    let asked = Instant::now();
    child.group.signal(Signal::SIGTERM);
    if let Some(ended) = ended_within(child, patience.after_term).await {
        ending.exit = ended.exit;
        ending.by_term = Some(ended.at.saturating_duration_since(asked));
        return;
    }
    scribe.event("SIGKILL to the process group");
    ending.killed = true;
    child.group.signal(Signal::SIGKILL);
    let ended = ended_within(child, AFTER_KILL).await;
    ending.exit = ended.map_or(Exit::Signal(Signal::SIGKILL as i32), |ended| ended.exit);
}

async fn ended_within(child: &mut Running, within: Duration) -> Option<Ended> {
    let ended = timeout(within, child.ended.wait_for(Option::is_some)).await;
    ended.ok().and_then(|seen| seen.map_or(None, |ended| *ended))
}

/// Frames that came after a moment.
struct Late {
    since: Duration,
    weight: usize,
    frames: Vec<Arrived>,
}

impl Late {
    fn since(since: Duration) -> Self {
        Self { since, weight: 0, frames: Vec::new() }
    }

    fn take(&mut self, received: Received) {
        if let Received::Frame(arrived) = received
            && arrived.at >= self.since
            && self.weight < LATE
        {
            self.weight += weight(arrived.frame.raw.len());
            self.frames.push(arrived);
        }
    }
}

/// Drives `work` while frames are taken in, so that a server that still writes is never held up by us.
async fn collecting<T>(inbox: &mut Inbox, late: &mut Late, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            Some(received) = inbox.take() => late.take(received),
        }
    };
    // Whoever still writes now must not keep us.
    for received in std::iter::from_fn(|| inbox.take_now()).take(MOST_UNREAD) {
        late.take(received);
    }
    done
}

/// Reads the output to its end and delivers its frames; a rest without newline is the last of them.
async fn read(
    mut output: impl AsyncRead + Unpin,
    lines: Arc<Mutex<LineReader>>,
    outbox: Outbox,
    mut ended: Option<Watch>,
    scribe: Scribe,
) {
    let mut buffer = vec![0; 32 * 1024];
    loop {
        let held_open = async {
            match &mut ended {
                Some(ended) => quiet_after(ended).await,
                None => pending().await,
            }
        };
        let count = tokio::select! {
            read = output.read(&mut buffer) => read.unwrap_or(0),
            () = held_open => {
                scribe.event("stdout is held open by another process");
                0
            }
        };
        let frames = {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            if count == 0 { lines.finish() } else { lines.push(&buffer[..count]) }
        };
        let whole = if count == 0 { frames.len().saturating_sub(1) } else { frames.len() };
        for (at, frame) in frames.into_iter().enumerate() {
            let bytes = frame.raw.len();
            let end: &[u8] = if at < whole { b"\n" } else { b"" };
            if !outbox.put(Received::Frame(scribe.line(frame, end)), bytes).await {
                return;
            }
        }
        if count == 0 {
            scribe.event("stdout ended");
            return;
        }
    }
}
