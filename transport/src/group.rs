//! Process groups: signalling them, seeing whether anyone is left, and never leaving one behind.

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The groups that live. The one global of this room: when our own process is told to stop, whoever handles that has
/// no way to reach each connection, and a server left behind is worse than a global. It is also the lock under which
/// every signal is sent, so that none goes to a group whose number has been given back to the system.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Sends SIGKILL to every process group this room has started and not yet seen end.
pub fn kill_all_children() {
    for &id in LIVE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
}

/// A process group with our child as its leader; killed when dropped.
#[derive(Debug)]
pub(crate) struct Group(i32);

impl Group {
    /// Takes charge of the group that the child `leader` leads.
    pub(crate) fn led_by(leader: i32) -> Self {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
        Self(leader)
    }

    /// Signals every member; nothing happens when the group has been given up.
    pub(crate) fn signal(&self, signal: Signal) {
        let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if live.contains(&self.0) {
            let _ = killpg(Pid::from_raw(self.0), signal);
        }
    }

    /// Waits until no member runs any more; false when some still do after `within`.
    pub(crate) async fn is_empty_within(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let mut pause = Duration::from_millis(2);
        while self.has_members() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        true
    }

    /// Gives the group up: it is empty, and its number may soon be someone else's.
    pub(crate) fn retire(&self) {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }

    fn has_members(&self) -> bool {
        killpg(Pid::from_raw(self.0), None) != Err(Errno::ESRCH) && !only_zombies(self.0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        self.retire();
    }
}

/// Tells whether all members of the group are dead and merely not yet collected.
///
/// Orphans belong to process 1, and in a container that is often a program that never collects anyone: its zombies
/// would look like survivors for ever. Where there is no /proc the system's first answer stands.
fn only_zombies(group: i32) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let stats = processes.flatten().filter_map(|entry| {
        let digits = entry.file_name().to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()));
        if digits { std::fs::read(entry.path().join("stat")).ok() } else { None }
    });
    let mut any = false;
    for stat in stats {
        if let Some((state, its_group)) = state_and_group(&stat)
            && its_group == group
        {
            any = true;
            if !matches!(state, b'Z' | b'X') {
                return false;
            }
        }
    }
    any
}

/// Reads fields 3 and 5 of a `/proc/<pid>/stat` line; the second field is a name in parentheses that may hold anything.
fn state_and_group(stat: &[u8]) -> Option<(u8, i32)> {
    let after_name = stat.iter().rposition(|&b| b == b')')? + 1;
    let rest = String::from_utf8_lossy(&stat[after_name..]);
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    Some((state, fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        assert_eq!(state_and_group(b"42 (a) Z 1 (b c)) S 1 77 77 0 -1"), Some((b'S', 77)));
        assert_eq!(state_and_group(b"42 (sh) Z"), None);
        assert_eq!(state_and_group(b""), None);
    }
}
