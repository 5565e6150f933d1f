//! HTTP+SSE: when the next stream may be opened. A server with one queue for all streams gives the answers of a new one
//! to the one before, as long as it has not noticed that nobody reads that any more. No check lives here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use transport::{Direction, Record};
use wire::SseReader;

/// How long a server may take to notice that nobody reads a stream any more: its next two pings tell it.
const UNNOTICED: Duration = Duration::from_millis(2200);

/// What is known of the streams of one server, shared by all who open one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// When the last stream was given up.
    ended: Option<Instant>,
    /// Where the last stream said to post.
    place: Option<String>,
    /// Two streams have said different places: then each has a queue of its own.
    apart: bool,
}

impl Streams {
    /// Notes that a stream has just been given up.
    pub(crate) fn ended(&self) {
        self.with(|known| known.ended = Some(Instant::now()));
    }

    /// Waits until the server must have noticed the end of the last stream, where that matters.
    pub(crate) async fn unnoticed(&self, until: Option<Instant>) {
        let noticed = self.with(|known| known.ended.filter(|_| !known.apart).map(|ended| ended + UNNOTICED));
        if let Some(noticed) = noticed {
            sleep_until(until.map_or(noticed, |end| end.min(noticed))).await;
        }
    }

    /// Tells whether the next stream can show by the place it names that nobody has to wait for the end of the last.
    pub(crate) fn can_tell(&self) -> bool {
        self.with(|known| known.place.is_some())
    }

    /// Takes in where a new stream says to post; false when it may have to share a queue with the one before.
    pub(crate) fn named(&self, place: Option<String>) -> bool {
        self.with(|known| {
            known.apart |= matches!((&known.place, &place), (Some(before), Some(now)) if before != now);
            let before = std::mem::replace(&mut known.place, place);
            known.apart || before.is_none()
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        // What is known is whole at any time, whoever panicked.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Finds in the records of a connection where its stream says to post.
pub(crate) fn place_in(records: &[Record], connection: u32) -> Option<String> {
    let received =
        |record: &&Record| record.connection == connection && record.direction == Direction::Received;
    let bytes: Vec<u8> =
        records.iter().filter(received).flat_map(|record| record.bytes.iter().copied()).collect();
    let events = SseReader::with_limit(bytes.len() + 1).push(&bytes);
    let event = events.into_iter().find(|event| event.dispatched && event.event == "endpoint")?;
    event.data
}

#[cfg(test)]
mod tests {
    use super::Streams;

    /// Tells for each place in turn whether its stream may be used at once.
    fn usable(places: &[Option<&str>]) -> Vec<bool> {
        let streams = Streams::default();
        places.iter().map(|place| streams.named(place.map(str::to_owned))).collect()
    }

    #[test]
    fn streams_that_name_different_places_have_queues_of_their_own() {
        assert_eq!(usable(&[Some("/m?s=1"), Some("/m?s=2"), Some("/m?s=3")]), [true, true, true]);
        assert_eq!(usable(&[Some("/m?s=1"), Some("/m?s=2"), None]), [true, true, true]);
    }

    #[test]
    fn streams_that_name_one_place_may_share_a_queue() {
        assert_eq!(usable(&[Some("/m"), Some("/m"), Some("/m")]), [true, false, false]);
    }

    #[test]
    fn a_stream_whose_place_is_not_known_may_share_a_queue() {
        assert_eq!(usable(&[Some("/m"), None]), [true, false]);
    }
}
