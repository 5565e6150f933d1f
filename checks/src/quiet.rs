//! What a server sent that is no message while an answer was waited for: the comments of an event stream.

use crate::session::Session;
use crate::words::count;
use transport::{Direction, Record};
use wire::SseReader;

/// How many of the last records are looked at.
const LOOK: usize = 10_000;

/// Says that nothing but comments came since `asked` was sent; `None` when there were none.
pub(crate) fn comments_words(session: &mut Session, asked: &str) -> Option<String> {
    let records = session.last_records(LOOK);
    let number = session.connection().number();
    let comments = comments_since(&records, number, asked);
    let words =
        || format!("the event stream stays open, and brought {} and no answer", count(comments, "comment"));
    (comments > 0).then(words)
}

/// Counts the comments that came on `connection` since `asked` was sent.
fn comments_since(records: &[Record], connection: u32, asked: &str) -> usize {
    let own: Vec<&Record> = records.iter().filter(|record| record.connection == connection).collect();
    let is_asked = |record: &&Record| {
        let bytes = &record.bytes;
        record.direction == Direction::Sent
            && bytes.windows(asked.len().max(1)).any(|part| part == asked.as_bytes())
    };
    let Some(at) = own.iter().rposition(is_asked) else { return 0 };
    let came = own[at..].iter().filter(|record| record.direction == Direction::Received);
    let bytes: Vec<u8> = came.flat_map(|record| record.bytes.iter().copied()).collect();
    let events = SseReader::with_limit(bytes.len() + 1).push(&bytes);
    events.iter().map(|event| event.comments.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::comments_since;
    use std::time::Duration;
    use transport::{Direction, Record};

    #[test]
    fn comments_count_since_the_request() {
        let record = |connection, direction, text: &str| Record {
            at: Duration::ZERO,
            connection,
            direction,
            bytes: text.as_bytes().to_vec(),
        };
        let (sent, received) = (Direction::Sent, Direction::Received);
        let records = [
            record(1, received, ": before\n\n"),
            record(1, sent, "POST /mcp\n\n{\"id\":1}"),
            record(1, received, ": ping\n\n"),
            record(2, received, ": of another\n\n"),
            record(1, received, ": ping\n\n: ping\n\n"),
        ];
        assert_eq!(comments_since(&records, 1, "{\"id\":1}"), 3);
        assert_eq!(comments_since(&records, 1, "{\"id\":2}"), 0);
    }
}
