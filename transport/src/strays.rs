//! Processes that left the group of our child and still descend from it. Who is found, and when, stands in `group.rs`.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;

/// How many descendants are followed; who forks more than that is not to be outrun.
const MOST: usize = 4096;

/// A process, with the moment of its start: its number may be another's by the time it is to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stray {
    pid: i32,
    began: u64,
}

impl Stray {
    /// Tells whether it still is who it was, and alive.
    pub(crate) fn runs(self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.began == self.began && !stat.is_dead())
    }

    /// Kills it and what it has started since, if it still is who it was; says whom.
    ///
    /// Everyone is stopped before anyone is killed: a parent that dies first leaves children nobody can find, and one
    /// that runs on while its children are listed can start more.
    pub(crate) fn end(self) -> Vec<Self> {
        if !self.runs() {
            return Vec::new();
        }
        self.signal(Signal::SIGSTOP);
        let mut all = vec![self];
        loop {
            let new: Vec<_> =
                descendants(self.pid).into_iter().filter(|stray| !all.contains(stray)).collect();
            if new.is_empty() || all.len() >= MOST {
                break;
            }
            new.iter().for_each(|stray| stray.signal(Signal::SIGSTOP));
            all.extend(new);
        }
        all.iter().for_each(|stray| stray.signal(Signal::SIGKILL));
        all
    }

    fn signal(self, signal: Signal) {
        if self.runs() {
            let _ = kill(Pid::from_raw(self.pid), signal);
        }
    }
}

/// The descendants of `leader` that are in another process group than its own.
///
/// Only Linux lists the children of a process; elsewhere nobody is found.
pub(crate) fn of(leader: i32) -> Vec<Stray> {
    let elsewhere = |stray: &Stray| stat(stray.pid).is_some_and(|stat| stat.group != leader);
    descendants(leader).into_iter().filter(elsewhere).collect()
}

fn descendants(of: i32) -> Vec<Stray> {
    let mut found: Vec<Stray> = Vec::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop().filter(|_| found.len() < MOST) {
        for pid in children(parent) {
            if let Some(stat) = stat(pid)
                && !found.iter().any(|stray| stray.pid == pid)
            {
                found.push(Stray { pid, began: stat.began });
                parents.push(pid);
            }
        }
    }
    found
}

/// The children of all threads of `parent`.
fn children(parent: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// What is read of a `/proc/<pid>/stat` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    state: u8,
    pub(crate) group: i32,
    began: u64,
}

fn stat(pid: i32) -> Option<Stat> {
    Stat::read(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

impl Stat {
    /// Tells whether the process is dead and merely not yet collected.
    pub(crate) fn is_dead(self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }

    /// Reads fields 3, 5 and 22; the second field is a name in parentheses that may hold anything.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let after_name = line.iter().rposition(|&b| b == b')')? + 1;
        let rest = String::from_utf8_lossy(&line[after_name..]);
        let mut fields = rest.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let group = fields.nth(1)?.parse().ok()?;
        Some(Self { state, group, began: fields.nth(16)?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let line = b"42 (a) Z 1 (b c)) S 1 77 78 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 991 5";
        assert_eq!(Stat::read(line), Some(Stat { state: b'S', group: 77, began: 991 }));
        assert_eq!(Stat::read(b"42 (sh) Z"), None);
        assert_eq!(Stat::read(b""), None);
    }
}
