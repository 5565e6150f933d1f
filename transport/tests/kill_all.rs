//! Killing every child at once, in a process of its own because it would hit the children of other tests.

use mcpproof_transport::{
    Command, ConnectOptions, Connection, Exit, Received, Target, Transcript, kill_all_children,
};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn every_living_group_is_killed() {
    let guard = Duration::from_secs(20);
    let options = ConnectOptions { limit: 1024, open_within: guard, transcript: Transcript::default() };
    let script = "trap '' TERM; echo up; while :; do sleep 600; done";
    let target = Target::Stdio(Command {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        ..Command::default()
    });
    let mut connections = Vec::new();
    for _ in 0..3 {
        let mut connection = Connection::open(&target, &options).await.expect("opens");
        assert!(matches!(connection.receive(Instant::now() + guard).await, Received::Frame(_)));
        connections.push(connection);
    }
    kill_all_children();
    for mut connection in connections {
        assert!(matches!(connection.receive(Instant::now() + guard).await, Received::Closed));
        assert_eq!(connection.exited(), Some(Exit::Signal(9)));
    }
    kill_all_children();
}
