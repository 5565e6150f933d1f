//! A server as a child process: starting it, noticing its end, and keeping what it says on stderr.

use crate::error::ConnectError;
use crate::group::{Group, none_within};
use crate::received::Exit;
use crate::scribe::Scribe;
use crate::target::Command;
use crate::transcript::Direction;
use nix::sys::signal::Signal;
use std::io::{self, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long members of the group, or bytes in a pipe someone else holds, may come after the child has ended.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// How long the end of a process may come after the end of its output, and its last words after that.
const SETTLED: Duration = Duration::from_millis(300);

/// How much of stderr is kept for reports.
const TAIL: usize = 4 * 1024;

/// The end of a process and when it was noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) exit: Exit,
    pub(crate) at: Instant,
}

/// Tells when the process has ended.
pub(crate) type Watch = watch::Receiver<Option<Ended>>;

/// A running child; its whole group is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) group: Arc<Group>,
    pub(crate) ended: Watch,
    pub(crate) stderr: Arc<Mutex<Tail>>,
    /// Reads stderr to its end.
    pub(crate) drain: JoinHandle<()>,
    /// Collects the child; says whether members of the group outlived it.
    pub(crate) keeper: JoinHandle<bool>,
}

impl Running {
    /// Waits until the end of the process and its last words are known, but not long: it may go on living.
    pub(crate) async fn settle(&mut self) {
        let last_words = async {
            let _ = self.ended.wait_for(Option::is_some).await;
            if !self.drain.is_finished() {
                let _ = (&mut self.drain).await;
            }
        };
        let _ = timeout(SETTLED, last_words).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The keeper goes on by itself and collects the child, or is dropped with its runtime; either way it ends.
        self.group.signal(Signal::SIGKILL);
    }
}

/// Starts `command` as the leader of a new process group with all three streams piped.
pub(crate) fn start(
    command: &Command,
    scribe: &Scribe,
) -> Result<(Running, ChildStdin, ChildStdout), ConnectError> {
    let mut child = spawn(command)?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok());
    let leader = leader.expect("a child that was not yet waited for has an id");
    let group = Arc::new(Group::led_by(leader));
    scribe.event(&format!("started {} as process {leader}", command.program.display()));
    let stdin = child.stdin.take().expect("stdin was piped");
    let stdout = child.stdout.take().expect("stdout was piped");
    let stderr = child.stderr.take().expect("stderr was piped");
    let (noted, ended) = watch::channel(None);
    let tail = Arc::new(Mutex::new(Tail::default()));
    let drain = tokio::spawn(drain(stderr, Arc::clone(&tail), ended.clone(), scribe.clone()));
    let keeper = tokio::spawn(keep(child, Arc::clone(&group), noted, scribe.clone()));
    Ok((Running { group, ended, stderr: tail, drain, keeper }, stdin, stdout))
}

fn spawn(command: &Command) -> Result<Child, ConnectError> {
    // The system reports a missing directory and a missing program alike.
    if let Some(cwd) = &command.cwd
        && !cwd.is_dir()
    {
        return Err(ConnectError::NoSuchDirectory { path: cwd.display().to_string() });
    }
    let mut process = tokio::process::Command::new(&command.program);
    process.args(&command.args).envs(command.env.iter().map(|(name, value)| (name, value)));
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.process_group(0).kill_on_drop(true);
    if let Some(cwd) = &command.cwd {
        process.current_dir(cwd);
    }
    process.spawn().map_err(|cause| refused(command, cause))
}

fn refused(command: &Command, cause: io::Error) -> ConnectError {
    let program = command.program.display().to_string();
    let path = match &command.cwd {
        Some(cwd) => cwd.join(&command.program),
        None => command.program.clone().into(),
    };
    // A script whose interpreter is missing is reported as missing itself.
    let script = program.contains('/') && path.exists();
    if cause.kind() == ErrorKind::NotFound && !script {
        return ConnectError::CommandNotFound { program };
    }
    let cause = match cause.kind() {
        ErrorKind::NotFound => io::Error::new(cause.kind(), "the interpreter it names does not exist"),
        _ => cause,
    };
    ConnectError::CannotExecute { program, cause }
}

/// Waits for the child to end, then for its group, and kills what is left of that.
async fn keep(
    mut child: Child,
    group: Arc<Group>,
    noted: watch::Sender<Option<Ended>>,
    scribe: Scribe,
) -> bool {
    let status = child.wait().await;
    let exit = exit_of(status.as_ref().copied().unwrap_or_default());
    scribe.event(&match (&status, exit) {
        (Err(cause), _) => format!("lost sight of the process: {cause}"),
        (Ok(_), Exit::Signal(signal)) => format!("ended by signal {signal}"),
        (Ok(_), Exit::Code(code)) => format!("exited with code {code}"),
        (Ok(_), Exit::NoProcess) => "ended".to_owned(),
    });
    noted.send_replace(Some(Ended { exit, at: Instant::now() }));
    let left = !group.is_empty_within(GRACE).await;
    if left {
        scribe.event("processes of its group outlived it: SIGKILL to them");
        group.signal(Signal::SIGKILL);
        group.is_empty_within(GRACE).await;
    }
    let strays = group.end_strays();
    if !strays.is_empty() {
        scribe.event("processes that had left its group: SIGKILL to them");
        none_within(GRACE, || strays.iter().any(|stray| stray.runs())).await;
    }
    group.retire();
    left
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::NoProcess,
    }
}

/// Resolves when the process has ended and then nothing came for [`GRACE`].
pub(crate) async fn quiet_after(ended: &mut Watch) {
    let _ = ended.wait_for(Option::is_some).await;
    sleep(GRACE).await;
}

/// Reads stderr to its end, so that a talkative server never waits for us.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>, mut ended: Watch, scribe: Scribe) {
    let mut buffer = vec![0; 32 * 1024];
    loop {
        let count = tokio::select! {
            read = stderr.read(&mut buffer) => read.unwrap_or(0),
            () = quiet_after(&mut ended) => 0,
        };
        if count == 0 {
            return;
        }
        scribe.bytes(Direction::Stderr, &buffer[..count]);
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(excess) = self.bytes.len().checked_sub(TAIL).filter(|&excess| excess > 0) {
            self.bytes.drain(..excess);
            self.cut = true;
        }
    }

    /// Decodes leniently, without the broken line at the front where that leaves something.
    pub(crate) fn text(&self) -> String {
        let newline = self.bytes.iter().position(|&b| b == b'\n').filter(|_| self.cut);
        let whole = newline.map(|at| &self.bytes[at + 1..]).filter(|rest| !rest.is_empty());
        String::from_utf8_lossy(whole.unwrap_or(&self.bytes)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_whole_lines_of_the_end() {
        let mut tail = Tail::default();
        tail.push(b"short");
        assert_eq!(tail.text(), "short");
        (0..1000).for_each(|n| tail.push(format!("line {n}\n").as_bytes()));
        assert!(tail.text().starts_with("line ") && tail.text().ends_with("line 999\n"));
        assert!(tail.text().len() <= TAIL);
        tail.push(&[b'x'; 2 * TAIL]);
        assert_eq!(tail.text().len(), TAIL);
    }
}
