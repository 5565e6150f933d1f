//! How commands are started, talked to and ended, whatever they do; nothing about what they say.

use crate::support::{GUARD, PATIENCE, PATIENT, close, frame, next, open, options, runs, shell, text};
use mcpproof_transport::{Command, ConnectError, Connection, Direction, Exit, Patience, Received, Target};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_server_that_echoes_ends_at_the_end_of_its_input() {
    let (mut connection, transcript) = open(&shell("cat")).await.expect("opens");
    connection.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.expect("sends");
    assert_eq!(frame(&mut connection).await, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(connection.exited(), None);
    let ending = close(connection, PATIENT).await;
    assert_eq!((ending.exit, ending.before_eof, ending.killed), (Exit::Code(0), false, false));
    assert!(ending.by_eof.is_some() && ending.by_term.is_none() && !ending.left_children);
    assert!(text(&transcript, Direction::Event).contains("exited with code 0"));
    assert_eq!(text(&transcript, Direction::Sent), text(&transcript, Direction::Received));
}

#[tokio::test]
async fn a_server_that_exits_at_once_is_closed_and_its_words_are_kept() {
    let (mut connection, _) = open(&shell("echo broken >&2; exit 3")).await.expect("opens");
    assert!(matches!(next(&mut connection).await, Received::Closed));
    assert_eq!((connection.exited(), connection.stderr_tail().as_str()), (Some(Exit::Code(3)), "broken\n"));
    let ending = close(connection, PATIENT).await;
    assert_eq!(ending.exit, Exit::Code(3));
}

#[tokio::test]
async fn what_was_said_before_the_end_comes_before_closed() {
    let (mut connection, _) =
        open(&shell("echo '{}'; printf '{\"a\":1}'; echo why >&2")).await.expect("opens");
    assert_eq!(frame(&mut connection).await, "{}");
    match next(&mut connection).await {
        Received::Frame(last) => {
            assert_eq!(last.frame.raw, br#"{"a":1}"#);
            let kinds: Vec<_> = last.frame.deviations.iter().map(|d| format!("{:?}", d.kind)).collect();
            assert!(kinds.contains(&"MissingFinalNewline".to_owned()), "{kinds:?}");
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(next(&mut connection).await, Received::Closed));
    assert!(matches!(next(&mut connection).await, Received::Closed));
    assert_eq!(connection.exited(), Some(Exit::Code(0)));
    assert_eq!(connection.stderr_tail(), "why\n");
    let ending = close(connection, PATIENT).await;
    assert!(ending.before_eof && ending.by_eof.is_none(), "{ending:?}");
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_input_ends_by_sigterm() {
    let (mut connection, _) = open(&shell("echo up; sleep 600 & wait")).await.expect("opens");
    frame(&mut connection).await;
    let ending = close(connection, Patience { after_term: GUARD, ..PATIENCE }).await;
    assert_eq!(ending.exit, Exit::Signal(15));
    assert!(ending.by_eof.is_none() && ending.by_term.is_some() && !ending.killed, "{ending:?}");
}

#[tokio::test]
async fn a_server_that_ignores_sigterm_is_killed_with_its_children() {
    let script = "trap '' TERM; sleep 600 & echo $! $$; while :; do wait; done";
    let (mut connection, transcript) = open(&shell(script)).await.expect("opens");
    let pids = frame(&mut connection).await;
    let ending = close(connection, PATIENCE).await;
    assert_eq!(ending.exit, Exit::Signal(9));
    assert!(ending.killed && ending.by_term.is_none(), "{ending:?}");
    assert!(!pids.split(' ').any(runs), "{pids}");
    let events = text(&transcript, Direction::Event);
    assert!(events.find("SIGTERM") < events.find("SIGKILL"), "{events}");
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_noticed_and_killed() {
    let (mut connection, _) = open(&shell("sleep 600 & echo $!; cat >/dev/null")).await.expect("opens");
    let grandchild = frame(&mut connection).await;
    assert!(runs(&grandchild));
    let ending = close(connection, PATIENT).await;
    assert_eq!(ending.exit, Exit::Code(0));
    assert!(ending.by_eof.is_some() && ending.left_children, "{ending:?}");
    assert!(!runs(&grandchild));
}

#[tokio::test]
async fn closed_comes_although_a_grandchild_holds_the_pipe_of_a_dead_server() {
    let (mut connection, _) = open(&shell("sleep 600 & echo $!")).await.expect("opens");
    let grandchild = frame(&mut connection).await;
    assert!(matches!(next(&mut connection).await, Received::Closed));
    let ending = close(connection, PATIENT).await;
    assert!(ending.before_eof && ending.left_children, "{ending:?}");
    assert!(!runs(&grandchild));
}

#[tokio::test]
async fn a_process_that_left_the_group_does_not_hold_us_up() {
    let (mut connection, _) = open(&shell("setsid sleep 20 & echo; cat >/dev/null")).await.expect("opens");
    frame(&mut connection).await;
    let ending = close(connection, PATIENT).await;
    assert_eq!(ending.exit, Exit::Code(0));
}

#[tokio::test]
async fn who_left_the_group_is_ended_with_what_it_started() {
    let script = "setsid sh -c 'sleep 600 & echo $! $$; wait' & cat >/dev/null";
    for patience in [PATIENT, PATIENCE] {
        let (mut connection, _) = open(&shell(script)).await.expect("opens");
        let pids = frame(&mut connection).await;
        assert!(pids.split(' ').all(runs), "{pids}");
        let ending = close(connection, patience).await;
        assert!(!ending.left_children, "{ending:?}");
        assert!(!pids.split(' ').any(runs), "{pids}");
    }
}

#[tokio::test]
async fn dropping_a_connection_kills_who_left_the_group() {
    let (mut connection, _) = open(&shell("setsid sleep 600 & echo $!; wait")).await.expect("opens");
    let pid = frame(&mut connection).await;
    drop(connection);
    let deadline = Instant::now() + GUARD;
    while runs(&pid) {
        assert!(Instant::now() < deadline, "{pid} still runs");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn dropping_a_connection_kills_the_group() {
    let (mut connection, _) = open(&shell("sleep 600 & echo $! $$; wait")).await.expect("opens");
    let pids = frame(&mut connection).await;
    drop(connection);
    let deadline = Instant::now() + GUARD;
    while pids.split(' ').any(runs) {
        assert!(Instant::now() < deadline, "{pids} still run");
        tokio::task::yield_now().await;
    }
}

#[test]
fn dropping_the_runtime_kills_the_group() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("builds");
    let (connection, pids) = runtime.block_on(async {
        let (mut connection, _) = open(&shell("sleep 600 & echo $! $$; wait")).await.expect("opens");
        let pids = frame(&mut connection).await;
        (connection, pids)
    });
    drop(runtime);
    drop(connection);
    let deadline = std::time::Instant::now() + GUARD;
    while pids.split(' ').any(runs) {
        assert!(std::time::Instant::now() < deadline, "{pids} still run");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_flood_without_newline_is_cut_and_the_server_still_ended() {
    let (mut connection, _) = open(&shell("yes aaaaaaaaaaaaaaaa | tr -d '\\n'")).await.expect("opens");
    let soon = Instant::now() + Duration::from_millis(300);
    assert!(!matches!(connection.receive(soon).await, Received::Closed));
    assert!(connection.pending().len() <= options().limit + 64 * 1024);
    let ending = close(connection, PATIENCE).await;
    assert!(ending.by_eof.is_none(), "{ending:?}");
}

#[tokio::test]
async fn a_flood_of_lines_waits_in_the_pipe_until_it_is_read() {
    let (mut connection, transcript) =
        open(&shell("yes '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'")).await.expect("opens");
    connection.send(b"{}").await.expect("a full output does not stop the input");
    tokio::time::timeout(Duration::from_millis(300), std::future::pending::<()>()).await.expect_err("pends");
    let unread: usize = transcript.records().iter().map(|record| record.bytes.len()).sum();
    assert!(unread < 8 * 1024 * 1024, "{unread}");
    frame(&mut connection).await;
    let ending = close(connection, PATIENCE).await;
    assert!(ending.by_eof.is_none() && !ending.late_frames.is_empty(), "{}", ending.late_frames.len());
}

#[tokio::test]
async fn a_server_that_closes_only_its_output_is_closed_but_has_not_exited() {
    let (mut connection, _) = open(&shell("exec >&-; cat >/dev/null")).await.expect("opens");
    assert!(matches!(next(&mut connection).await, Received::Closed));
    assert_eq!(connection.exited(), None);
    connection.send(b"{}").await.expect("it still reads");
    let ending = close(connection, PATIENT).await;
    assert!(!ending.before_eof && ending.by_eof.is_some(), "{ending:?}");
}

#[tokio::test]
async fn a_server_that_closes_only_its_input_fails_the_next_send() {
    let (mut connection, transcript) = open(&shell("exec <&-; echo closed; sleep 600")).await.expect("opens");
    frame(&mut connection).await;
    connection.send(b"{}").await.expect_err("nobody reads");
    assert!(text(&transcript, Direction::Event).contains("closed its input"));
    let soon = Instant::now() + Duration::from_millis(50);
    assert!(matches!(connection.receive(soon).await, Received::Silence));
    close(connection, PATIENCE).await;
}

#[tokio::test]
async fn a_server_that_does_not_read_holds_a_send_only_once_and_for_a_while() {
    let (mut connection, transcript) = open(&shell("sleep 600")).await.expect("opens");
    let large = vec![b' '; 1024 * 1024];
    let guarded = async {
        for _ in 0..20 {
            connection.send(&large).await.expect("it may still read later");
        }
    };
    tokio::time::timeout(GUARD, guarded).await.expect("sends do not hang");
    assert!(text(&transcript, Direction::Event).contains("does not read"));
    close(connection, PATIENCE).await;
}

#[tokio::test]
async fn megabytes_on_stderr_are_drained_and_their_end_kept() {
    let script = "head -c 5000000 /dev/zero | tr '\\0' x >&2; echo last words >&2; echo done; cat";
    let (mut connection, _) = open(&shell(script)).await.expect("opens");
    assert_eq!(frame(&mut connection).await, "done");
    let deadline = Instant::now() + GUARD;
    while !connection.stderr_tail().ends_with("last words\n") {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    assert!(connection.stderr_tail().len() <= 4096);
    close(connection, PATIENT).await;
}

#[tokio::test]
async fn frames_after_the_end_of_input_are_late() {
    let (mut connection, _) = open(&shell("echo first; cat >/dev/null; echo late")).await.expect("opens");
    frame(&mut connection).await;
    let ending = close(connection, PATIENT).await;
    let late: Vec<_> = ending.late_frames.iter().map(|late| late.frame.raw.clone()).collect();
    assert_eq!(late, [b"late"]);
}

async fn refusal(command: Command) -> ConnectError {
    Connection::open(&Target::Stdio(command), &options()).await.expect_err("must not open")
}

#[tokio::test]
async fn commands_that_cannot_start_say_why() {
    let of = |program: &str| Command { program: program.into(), ..Command::default() };
    let room = tempfile::tempdir().expect("makes a directory");
    let file = room.path().join("script");

    let missing = refusal(of("no-such-program-anywhere")).await.to_string();
    assert_eq!(missing, "command not found: `no-such-program-anywhere`");
    let missing = refusal(of("./no/such/path")).await;
    assert!(matches!(missing, ConnectError::CommandNotFound { .. }), "{missing}");

    std::fs::write(&file, "#!/no/such/interpreter\n").expect("writes");
    let plain = refusal(of(&file.display().to_string())).await;
    assert!(matches!(plain, ConnectError::CannotExecute { .. }), "{plain}");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("sets the mode");
    let script = refusal(of(&file.display().to_string())).await.to_string();
    assert!(script.contains("interpreter"), "{script}");

    let nowhere = Command { cwd: Some(room.path().join("gone")), ..of("sh") };
    let nowhere = refusal(nowhere).await;
    assert!(matches!(nowhere, ConnectError::NoSuchDirectory { .. }), "{nowhere}");
}

#[tokio::test]
async fn variables_and_directory_reach_the_command() {
    let room = tempfile::tempdir().expect("makes a directory");
    let Target::Stdio(mut command) = shell("echo \"$GREETING\"; pwd -P") else { unreachable!() };
    command.env.push(("GREETING".into(), "hello".into()));
    command.cwd = Some(room.path().to_owned());
    let (mut connection, _) = open(&Target::Stdio(command)).await.expect("opens");
    assert_eq!(frame(&mut connection).await, "hello");
    let real = room.path().canonicalize().expect("exists");
    assert_eq!(frame(&mut connection).await, real.display().to_string());
    close(connection, PATIENT).await;
}
