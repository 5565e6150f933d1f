//! How fast the server answers what needs no work, over all conversations of a run. Who waits by it lives with the peer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long the last look for an answer lasts at least, before silence is told of something malformed.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// How long what nothing answered in another revision is looked for at least.
const SHORT_LOOK: Duration = Duration::from_millis(250);

/// The slowest answer seen so far; JSON-RPC lets answers come late and in any order.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    nanos: AtomicU64,
    errors: AtomicBool,
    /// What nothing came to, and how long that was waited for.
    silences: Mutex<BTreeMap<String, Duration>>,
}

impl Pace {
    /// Notes how long an answer took, and whether it was an error.
    pub(crate) fn note(&self, took: Duration, error: bool) {
        self.nanos.fetch_max(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.errors.fetch_or(error, Ordering::Relaxed);
    }

    /// Tells whether an error was timed: some servers answer well at once, and errors late.
    pub(crate) fn knows_errors(&self) -> bool {
        self.errors.load(Ordering::Relaxed)
    }

    /// How long to look for an answer: at least `least`, longer when the server is slow, never longer than `most`.
    pub(crate) fn look(&self, least: Duration, most: Duration) -> Duration {
        least.max(self.slowest().saturating_mul(4)).min(most)
    }

    /// How long to look for an answer to `text` before silence is told: less when it was waited for before.
    pub(crate) fn last_look(&self, text: &str, most: Duration) -> Duration {
        let least = if self.silence(text).is_some() { SHORT_LOOK } else { LAST_LOOK };
        self.look(least, most)
    }

    /// Notes that nothing came to `text`, in whatever revision.
    pub(crate) fn note_silence(&self, text: &str, waited: Duration) {
        let mut silences = self.silences.lock().unwrap_or_else(PoisonError::into_inner);
        silences.entry(text.to_owned()).or_insert(waited);
    }

    /// How long an answer to `text` was waited for in the revision that came first.
    pub(crate) fn silence(&self, text: &str) -> Option<Duration> {
        self.silences.lock().unwrap_or_else(PoisonError::into_inner).get(text).copied()
    }

    /// Tells whether silence of `waited` is no proof, since other answers took half of that or more.
    pub(crate) fn is_too_slow_for(&self, waited: Duration) -> bool {
        self.slowest().saturating_mul(2) >= waited
    }

    fn slowest(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use std::time::Duration;

    #[test]
    fn a_slow_server_is_looked_at_longer_and_proves_less_by_silence() {
        let (least, most) = (Duration::from_millis(250), Duration::from_secs(10));
        let pace = Pace::default();
        assert_eq!(pace.look(least, most), least);
        assert!(!pace.is_too_slow_for(least));
        pace.note(Duration::from_millis(200), false);
        pace.note(Duration::from_millis(100), true);
        assert_eq!(pace.look(least, most), Duration::from_millis(800));
        assert!(pace.is_too_slow_for(Duration::from_millis(400)));
        assert!(!pace.is_too_slow_for(Duration::from_millis(401)));
        pace.note(Duration::from_secs(6), true);
        assert_eq!(pace.last_look("[]", most), most);
        assert!(pace.is_too_slow_for(most));
    }

    #[test]
    fn what_nothing_came_to_before_is_looked_for_shortly_unless_the_server_is_slow() {
        let (most, full) = (Duration::from_secs(10), Duration::from_secs(1));
        let pace = Pace::default();
        pace.note_silence("[]", full);
        assert_eq!((pace.silence("[]"), pace.silence("{}")), (Some(full), None));
        assert!(pace.last_look("[]", most) < full && pace.last_look("{}", most) == full);
        pace.note(full, true);
        assert_eq!(pace.last_look("[]", most), full * 4);
    }

    #[test]
    fn only_an_error_tells_how_late_errors_are() {
        let pace = Pace::default();
        pace.note(Duration::from_millis(1), false);
        assert!(!pace.knows_errors());
        pace.note(Duration::from_millis(1), true);
        pace.note(Duration::from_millis(1), false);
        assert!(pace.knows_errors());
    }
}
