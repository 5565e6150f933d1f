//! How fast the server answers what needs no work, over all conversations of a run. Who waits by it lives with the peer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long the last look for an answer lasts at least, before silence is told of something malformed.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// The slowest answer seen so far; JSON-RPC lets answers come late and in any order.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    nanos: AtomicU64,
    errors: AtomicBool,
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

    /// How long to look before silence is told.
    pub(crate) fn last_look(&self, most: Duration) -> Duration {
        self.look(LAST_LOOK, most)
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
        assert_eq!(pace.last_look(most), most);
        assert!(pace.is_too_slow_for(most));
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
