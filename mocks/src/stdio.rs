//! Carries out steps over two byte streams, one line per message: stdin and stdout, or pipes in this process.

use crate::fault::{End, Twist, Until};
use crate::session::Session;
use crate::setup::Setup;
use crate::step::{Flow, Step};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep, sleep_until};

/// Where the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a process of its own: signals and children are its business.
    Process,
    /// In the process of a test.
    InProcess,
}

/// Serves until the end of input or an exit, and returns the exit code.
pub(crate) async fn run<R, W>(reader: R, writer: W, setup: Arc<Setup>, place: Place) -> i32
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if place == Place::Process && setup.end() == End::IgnoreTerm {
        ignore_term();
    }
    let mut server =
        Server { output: writer, setup: Arc::clone(&setup), waiting: Vec::new(), held: Vec::new() };
    let mut session = Session::new(Arc::clone(&setup));
    for twist in setup.twists() {
        match twist {
            Twist::Start(text) => server.write(text.as_bytes()).await,
            Twist::Delay(pause) => sleep(*pause).await,
            _ => {}
        }
    }
    let mut input = Some(BufReader::new(reader));
    let mut line = Vec::new();
    while input.is_some() || !server.waiting.is_empty() {
        let exit = tokio::select! {
            due = server.due() => server.go_on(due).await,
            whole = next_line(&mut input, &mut line) => {
                if !whole {
                    input = None;
                }
                if setup.takes_one_at_a_time() {
                    drop_the_next(&line, &mut input);
                }
                let flow = if line.trim_ascii().is_empty() { Flow::default() } else { session.hear(&line) };
                line.clear();
                if setup.holds() == Some(Until::NextMessage) {
                    server.release().await;
                }
                server.start(flow).await
            }
        };
        if let Some(code) = exit {
            return code;
        }
    }
    server.release().await;
    end(setup.end(), place).await
}

/// Reads on until `line` is whole; false at the end of input. What it has read stays in `line` when it is dropped half way.
async fn next_line<R: AsyncRead + Unpin>(input: &mut Option<BufReader<R>>, line: &mut Vec<u8>) -> bool {
    let Some(input) = input else { return std::future::pending().await };
    let read = input.read_until(b'\n', line).await;
    read.is_ok() && line.pop_if(|last| *last == b'\n').is_some()
}

/// Drops what was read together with a request and is one, too.
fn drop_the_next<R: AsyncRead + Unpin>(line: &[u8], input: &mut Option<BufReader<R>>) {
    let Some(input) = input else { return };
    let is_request = |line: &[u8]| {
        let message = serde_json::from_slice::<serde_json::Value>(line);
        message.is_ok_and(|message| message.get("id").is_some() && message.get("method").is_some())
    };
    let rest = input.buffer();
    if is_request(line) && is_request(rest.split(|byte| *byte == b'\n').next().unwrap_or_default()) {
        let length = rest.len();
        input.consume(length);
    }
}

async fn end(end: End, place: Place) -> i32 {
    match (end, place) {
        (End::Exit(code), _) => code,
        (End::Grandchild, Place::Process) => {
            // It inherits stdout, which is the point; it goes away by itself if nobody ends it.
            let _ = std::process::Command::new("sleep").arg("60").spawn();
            0
        }
        _ => std::future::pending().await,
    }
}

fn ignore_term() {
    use tokio::signal::unix::{SignalKind, signal};
    // Tokio's handler stays in place after the stream is gone, so that SIGTERM has no effect any more.
    let _ = signal(SignalKind::terminate());
}

/// A list of steps that waits.
struct Waiting {
    due: Instant,
    key: Option<String>,
    steps: VecDeque<Step>,
}

/// The output, and the lists that wait.
struct Server<W> {
    output: W,
    setup: Arc<Setup>,
    waiting: Vec<Waiting>,
    /// What was not flushed.
    held: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> Server<W> {
    /// Drops what was cancelled and carries out what is new, up to its first wait.
    async fn start(&mut self, flow: Flow) -> Option<i32> {
        if let Some(cancelled) = flow.cancels {
            self.waiting.retain(|waiting| waiting.key.as_ref() != Some(&cancelled));
        }
        self.go_on(Waiting { due: Instant::now(), key: flow.key, steps: flow.steps.into() }).await
    }

    async fn go_on(&mut self, mut list: Waiting) -> Option<i32> {
        while let Some(step) = list.steps.pop_front() {
            match step {
                Step::Say(message) | Step::Tell(message) => {
                    let line = self.setup.encode(&message);
                    self.write(&line).await;
                }
                Step::Raw(bytes) => self.write(&bytes).await,
                Step::Wait(pause) => {
                    list.due = Instant::now() + pause;
                    self.waiting.push(list);
                    break;
                }
                Step::Exit(code) => return Some(code),
            }
        }
        None
    }

    /// Waits for the list that is due first and takes it out; waits for ever when there is none.
    async fn due(&mut self) -> Waiting {
        let first = (0..self.waiting.len()).min_by_key(|at| self.waiting[*at].due);
        let Some(first) = first else { return std::future::pending().await };
        sleep_until(self.waiting[first].due).await;
        self.waiting.remove(first)
    }

    /// Writes what was held back.
    async fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.write_out(&held).await;
    }

    async fn write(&mut self, bytes: &[u8]) {
        match self.setup.holds() {
            Some(_) => self.held.extend_from_slice(bytes),
            None => self.write_out(bytes).await,
        }
    }

    async fn write_out(&mut self, bytes: &[u8]) {
        // Nobody reads any more: the end of input will follow, and it ends the server.
        if self.output.write_all(bytes).await.is_ok() {
            let _ = self.output.flush().await;
        }
    }
}
