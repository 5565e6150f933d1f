//! Process groups: signalling them, seeing whether anyone is left, and never leaving one behind, nor who left it.

use crate::strays::{self, Stat, Stray};
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

/// Sends SIGKILL to every process group this room has started and not yet seen end, and to who left them.
pub fn kill_all_children() {
    for &id in LIVE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        strays::of(id).into_iter().for_each(|stray| drop(stray.end()));
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
}

/// A process group with our child as its leader; killed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    leader: i32,
    /// Descendants of the leader that have left the group. Once it has ended nobody can tell whose they are.
    strays: Mutex<BTreeSet<Stray>>,
}

impl Group {
    /// Takes charge of the group that the child `leader` leads.
    pub(crate) fn led_by(leader: i32) -> Self {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
        Self { leader, strays: Mutex::default() }
    }

    /// Signals every member, and with SIGKILL also who left; nothing happens when the group has been given up.
    pub(crate) fn signal(&self, signal: Signal) {
        let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if !live.contains(&self.leader) {
            return;
        }
        self.note_strays();
        let _ = killpg(Pid::from_raw(self.leader), signal);
        if signal == Signal::SIGKILL {
            self.end_strays();
        }
    }

    /// Remembers who has left the group by now; to be called while the leader lives.
    pub(crate) fn note_strays(&self) {
        self.strays.lock().unwrap_or_else(PoisonError::into_inner).extend(strays::of(self.leader));
    }

    /// Kills whoever was seen to have left the group; says who still ran.
    pub(crate) fn end_strays(&self) -> Vec<Stray> {
        let strays = self.strays.lock().unwrap_or_else(PoisonError::into_inner).clone();
        strays.into_iter().flat_map(Stray::end).collect()
    }

    /// Waits until no member runs any more; false when some still do after `within`.
    pub(crate) async fn is_empty_within(&self, within: Duration) -> bool {
        none_within(within, || self.has_members()).await
    }

    /// Gives the group up: it is empty, and its number may soon be someone else's.
    pub(crate) fn retire(&self) {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.leader);
    }

    fn has_members(&self) -> bool {
        killpg(Pid::from_raw(self.leader), None) != Err(Errno::ESRCH) && !only_zombies(self.leader)
    }
}

/// Waits until nobody runs any more; false when `runs` still says so after `within`.
///
/// A signal is an order, not an end: who was killed lives on for a moment, the longer the busier the machine is.
pub(crate) async fn none_within(within: Duration, runs: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + within;
    let mut pause = Duration::from_millis(2);
    while runs() {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    true
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
        if let Some(stat) = Stat::read(&stat)
            && stat.group == group
        {
            any = true;
            if !stat.is_dead() {
                return false;
            }
        }
    }
    any
}
