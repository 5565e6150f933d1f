//! What the tests of this room share: opening a shell script as a server, and deadlines that only guard.

use mcpproof_transport::{
    Command, ConnectError, ConnectOptions, Connection, Direction, Ending, Patience, Received, Target,
    Transcript,
};
use std::time::Duration;
use tokio::time::Instant;

/// A guard against hanging, far above what anything here takes.
pub(crate) const GUARD: Duration = Duration::from_secs(20);

/// Steps short enough for tests.
pub(crate) const PATIENCE: Patience =
    Patience { after_eof: Duration::from_millis(300), after_term: Duration::from_millis(300) };

/// Steps long enough that an orderly end never needs the next one.
pub(crate) const PATIENT: Patience = Patience { after_eof: GUARD, after_term: GUARD };

pub(crate) fn options() -> ConnectOptions {
    ConnectOptions { limit: 1024 * 1024, open_within: GUARD, transcript: Transcript::default() }
}

pub(crate) fn shell(script: &str) -> Target {
    Target::Stdio(Command {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        ..Command::default()
    })
}

/// Opens `target` with a transcript of its own.
pub(crate) async fn open(target: &Target) -> Result<(Connection, Transcript), ConnectError> {
    let options = options();
    Ok((Connection::open(target, &options).await?, options.transcript))
}

pub(crate) async fn next(connection: &mut Connection) -> Received {
    connection.receive(Instant::now() + GUARD).await
}

/// The bytes of the next frame.
pub(crate) async fn frame(connection: &mut Connection) -> String {
    match next(connection).await {
        Received::Frame(arrived) => String::from_utf8_lossy(&arrived.frame.raw).into_owned(),
        other => panic!("expected a frame, got {other:?}"),
    }
}

pub(crate) async fn close(connection: Connection, patience: Patience) -> Ending {
    tokio::time::timeout(GUARD * 2, connection.close(patience)).await.expect("closing has its own deadlines")
}

/// The records of one direction in one text.
pub(crate) fn text(transcript: &Transcript, direction: Direction) -> String {
    let records = transcript.records().into_iter().filter(|record| record.direction == direction);
    records.map(|record| String::from_utf8_lossy(&record.bytes).into_owned() + "\n").collect()
}

/// Tells whether the process runs; one that is dead and not yet collected does not.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|stat| {
        !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
    })
}
