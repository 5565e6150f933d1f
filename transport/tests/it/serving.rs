//! The stdio end for mocks, in process: every action does what it says.

use crate::support::{GUARD, PATIENT, close, frame, next, open, options};
use mcpproof_transport::serve::{self, Action, Handler};
use mcpproof_transport::{Connection, Exit, InProcess, Patience, Received, Target};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Answers each line with what was scripted for it.
#[derive(Clone, Default)]
struct Scripted {
    start: Vec<Action>,
    lines: Vec<(&'static str, Vec<Action>)>,
    end: Vec<Action>,
}

impl Handler for Scripted {
    fn start(&mut self) -> Vec<Action> {
        self.start.clone()
    }

    fn input(&mut self, line: &[u8]) -> Vec<Action> {
        let known = self.lines.iter().find(|(given, _)| given.as_bytes() == line);
        known.map_or_else(Vec::new, |(_, actions)| actions.clone())
    }

    fn end_of_input(&mut self) -> Vec<Action> {
        self.end.clone()
    }
}

fn says(text: &str) -> Action {
    Action::Write(format!("{text}\n").into())
}

async fn serving(handler: Scripted) -> Connection {
    let server = InProcess(Arc::new(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let handler = handler.clone();
        tokio::spawn(async move { serve::stdio(reader, writer, handler).await });
        let (output, input) = tokio::io::split(ours);
        (Box::new(output), Box::new(input))
    }));
    open(&Target::InProcess(server)).await.expect("opens").0
}

#[tokio::test]
async fn lines_are_answered_and_the_end_of_input_ends_the_server() {
    let handler = Scripted {
        start: vec![says("hello")],
        lines: vec![("a", vec![says("A")]), ("last", vec![says("LAST")])],
        end: vec![says("bye")],
    };
    let mut connection = serving(handler).await;
    assert_eq!(frame(&mut connection).await, "hello");
    connection.send(b"a").await.expect("sends");
    assert_eq!(frame(&mut connection).await, "A");
    connection.send_bytes(b"last").await.expect("sends");
    let ending = close(connection, PATIENT).await;
    let late: Vec<_> = ending.late_frames.iter().map(|late| late.frame.raw.as_slice()).collect();
    assert_eq!(late, [b"LAST".as_slice(), b"bye"]);
    assert_eq!((ending.exit, ending.before_eof, ending.by_eof.is_some()), (Exit::NoProcess, false, true));
}

#[tokio::test(start_paused = true)]
async fn a_list_that_sleeps_does_not_hold_up_others() {
    let slow = vec![Action::Sleep(Duration::from_secs(2)), says("slow")];
    let slower = vec![Action::Sleep(Duration::from_secs(3)), says("slower")];
    let lines = vec![("slower", slower), ("slow", slow), ("fast", vec![says("fast")])];
    let mut connection = serving(Scripted { lines, ..Scripted::default() }).await;
    for line in ["slower", "slow", "fast"] {
        connection.send(line.as_bytes()).await.expect("sends");
    }
    for expected in ["fast", "slow", "slower"] {
        assert_eq!(frame(&mut connection).await, expected);
    }
    let ending = close(connection, PATIENT).await;
    assert!(ending.by_eof.is_some());
}

#[tokio::test]
async fn a_closed_output_still_reads_and_a_closed_input_still_writes() {
    let deaf = vec![Action::CloseInput, Action::Sleep(Duration::from_millis(20)), says("still here")];
    let mute = vec![Action::CloseOutput];
    let mut connection = serving(Scripted { lines: vec![("mute", mute)], ..Scripted::default() }).await;
    connection.send(b"mute").await.expect("sends");
    assert!(matches!(next(&mut connection).await, Received::Closed));
    connection.send(b"more").await.expect("it still reads");
    close(connection, PATIENT).await;
    let mut connection = serving(Scripted { lines: vec![("deaf", deaf)], ..Scripted::default() }).await;
    connection.send(b"deaf").await.expect("sends");
    assert_eq!(frame(&mut connection).await, "still here");
    assert!(matches!(next(&mut connection).await, Received::Closed));
}

#[tokio::test]
async fn an_exit_closes_at_once_and_a_hang_never_does() {
    let lines = vec![("exit", vec![Action::Exit(3), says("never")]), ("hang", vec![Action::Hang])];
    let scripted = Scripted { lines, ..Scripted::default() };
    let mut connection = serving(scripted.clone()).await;
    connection.send(b"exit").await.expect("sends");
    assert!(matches!(next(&mut connection).await, Received::Closed));
    assert!(close(connection, PATIENT).await.before_eof);

    let mut connection = serving(scripted).await;
    connection.send(b"hang").await.expect("sends");
    let short = Patience { after_eof: Duration::from_millis(50), after_term: Duration::ZERO };
    let ending = close(connection, short).await;
    assert!(!ending.before_eof && ending.by_eof.is_none(), "{ending:?}");
}

#[tokio::test]
async fn a_flood_goes_on_while_lines_are_answered() {
    let flood = vec![Action::Flood(b"{}\n".to_vec(), Duration::ZERO)];
    let lines = vec![("flood", flood), ("stop", vec![Action::Exit(0)])];
    let mut connection = serving(Scripted { lines, ..Scripted::default() }).await;
    connection.send(b"flood").await.expect("sends");
    for _ in 0..1000 {
        assert_eq!(frame(&mut connection).await, "{}");
    }
    connection.send(b"stop").await.expect("sends");
    let deadline = Instant::now() + GUARD;
    while !matches!(connection.receive(deadline).await, Received::Closed) {
        assert!(Instant::now() < deadline);
    }
    assert!(connection.pending().len() < options().limit);
}
