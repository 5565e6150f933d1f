//! The server ends, for mocks: a handler decides what to write and when, and may misbehave in any way it likes.

mod process;
mod web;

pub use process::process;
pub use web::{Chunk, HttpAnswer, HttpBody, HttpHandler, HttpRequest, http};

use std::collections::VecDeque;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep_until};

/// One thing a server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes exactly these bytes; the newline is the handler's business.
    Write(Vec<u8>),
    /// Waits before the next action of this list, while input goes on being handled.
    Sleep(Duration),
    /// Writes these bytes for ever, with a pause after each time, while input goes on being handled.
    Flood(Vec<u8>, Duration),
    /// Closes the output and goes on reading.
    CloseOutput,
    /// Closes the input and goes on writing; the handler is not asked about the end of input.
    CloseInput,
    /// Ends at once with this exit code.
    Exit(i32),
    /// Does nothing ever again, not even at the end of input.
    Hang,
}

/// A server as a function from input to actions. Lists that sleep run side by side, each in its own order.
pub trait Handler: Send {
    /// Says what to do before any input.
    fn start(&mut self) -> Vec<Action> {
        Vec::new()
    }

    /// Says what to do about one line, given without its newline; the last one may have had none.
    fn input(&mut self, line: &[u8]) -> Vec<Action>;

    /// Says what to do at the end of input. When all lists are through, the server ends with code 0.
    fn end_of_input(&mut self) -> Vec<Action> {
        Vec::new()
    }
}

impl<H: Handler + ?Sized> Handler for Box<H> {
    fn start(&mut self) -> Vec<Action> {
        (**self).start()
    }

    fn input(&mut self, line: &[u8]) -> Vec<Action> {
        (**self).input(line)
    }

    fn end_of_input(&mut self) -> Vec<Action> {
        (**self).end_of_input()
    }
}

/// Serves lines from `reader` until the end of input or an exit, and returns the exit code.
pub async fn stdio<R, W, H>(reader: R, writer: W, mut handler: H) -> i32
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    H: Handler,
{
    let mut server = Server { output: Some(writer), waiting: Vec::new() };
    let mut input = Some(BufReader::new(reader));
    let mut line = Vec::new();
    let mut next = server.run(&mut input, handler.start().into()).await;
    loop {
        match next {
            Next::GoOn => {}
            Next::Exit(code) => return code,
            Next::Hang => std::future::pending().await,
        }
        if input.is_none() && server.waiting.is_empty() {
            return 0;
        }
        next = tokio::select! {
            actions = server.due() => server.run(&mut input, actions).await,
            whole = next_line(&mut input, &mut line) => {
                let mut actions = Vec::new();
                if !line.is_empty() || whole {
                    actions.extend(handler.input(&line));
                    line.clear();
                }
                if !whole {
                    input = None;
                    actions.extend(handler.end_of_input());
                }
                server.run(&mut input, actions.into()).await
            }
        };
    }
}

/// Reads on until `line` is whole; false at the end of input. What it has read stays in `line` when it is dropped half way.
async fn next_line<R: AsyncRead + Unpin>(input: &mut Option<BufReader<R>>, line: &mut Vec<u8>) -> bool {
    let Some(input) = input else { return std::future::pending().await };
    let read = input.read_until(b'\n', line).await;
    if read.is_err() || line.last() != Some(&b'\n') {
        return false;
    }
    line.pop();
    true
}

/// What follows after a list of actions.
enum Next {
    GoOn,
    Exit(i32),
    Hang,
}

/// The output, and the lists that sleep.
struct Server<W> {
    output: Option<W>,
    waiting: Vec<(Instant, VecDeque<Action>)>,
}

impl<W: AsyncWrite + Unpin> Server<W> {
    /// Does what `actions` say up to the first sleep.
    async fn run<R>(&mut self, input: &mut Option<R>, mut actions: VecDeque<Action>) -> Next {
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Write(bytes) => self.write(&bytes).await,
                Action::Sleep(pause) => {
                    self.waiting.push((Instant::now() + pause, actions));
                    break;
                }
                Action::Flood(bytes, pause) => {
                    self.write(&bytes).await;
                    if self.output.is_some() {
                        self.waiting.push((Instant::now() + pause, [Action::Flood(bytes, pause)].into()));
                    }
                }
                Action::CloseOutput => self.close().await,
                Action::CloseInput => *input = None,
                Action::Exit(code) => return Next::Exit(code),
                Action::Hang => return Next::Hang,
            }
        }
        Next::GoOn
    }

    /// Waits for the list that is due first and takes it out; waits for ever when there is none.
    async fn due(&mut self) -> VecDeque<Action> {
        let first =
            self.waiting.iter().enumerate().min_by_key(|(_, (at, _))| *at).map(|(n, (at, _))| (n, *at));
        let Some((first, at)) = first else { return std::future::pending().await };
        sleep_until(at).await;
        self.waiting.remove(first).1
    }

    async fn write(&mut self, bytes: &[u8]) {
        let Some(output) = &mut self.output else { return };
        let written = async {
            output.write_all(bytes).await?;
            output.flush().await
        };
        if written.await.is_err() {
            self.output = None;
        }
    }

    async fn close(&mut self) {
        if let Some(mut output) = self.output.take() {
            let _ = output.shutdown().await;
        }
    }
}
