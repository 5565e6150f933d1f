//! Event streams and what the WHATWG rules make of them, as data.

use mcpproof_wire::{SseEvent, SseReader};

fn read(stream: &[u8]) -> (Vec<SseEvent>, SseReader) {
    let mut reader = SseReader::default();
    (reader.push(stream), reader)
}

/// Data of the dispatched events, and their type and id when they have one.
fn check(stream: &[u8], expected: &[(&str, &str, Option<&str>)]) {
    let (events, _) = read(stream);
    let dispatched = events.iter().filter(|event| event.dispatched);
    let seen: Vec<_> = dispatched
        .map(|event| (event.data.as_deref().unwrap_or("none"), event.event.as_str(), event.id.as_deref()))
        .collect();
    assert_eq!(seen, expected, "{}", stream.escape_ascii());
}

#[test]
fn all_three_line_ends_end_lines() {
    check(b"data: a\n\ndata: b\r\rdata: c\r\n\r\n", &[("a", "", None), ("b", "", None), ("c", "", None)]);
    check(b"data: a\r\ndata: b\rdata: c\n\r\n", &[("a\nb\nc", "", None)]);
}

#[test]
fn the_examples_of_the_standard_hold() {
    check(b"data: YHOO\ndata: +2\ndata: 10\n\n", &[("YHOO\n+2\n10", "", None)]);
    check(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        &[("first event", "", Some("1")), ("second event", "", Some("")), (" third event", "", None)],
    );
    check(b"data\n\ndata\ndata\n\ndata:", &[("", "", None), ("\n", "", None)]);
    check(b"data:test\n\ndata: test\n\n", &[("test", "", None), ("test", "", None)]);
}

#[test]
fn a_priming_event_is_dispatched_with_empty_data() {
    check(b"id: x\ndata:\n\n", &[("", "", Some("x"))]);
}

#[test]
fn a_block_without_data_is_returned_but_not_dispatched() {
    let (events, reader) = read(b"id: 3\nevent: ping\nretry: 20\n\n: alive\n\n");
    let [ping, comment] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((ping.data.as_deref(), ping.event.as_str(), ping.retry), (None, "ping", Some(20)));
    assert_eq!(comment.comments, ["alive"]);
    assert!(!ping.dispatched && !comment.dispatched);
    assert_eq!(reader.last_event_id(), "3");
}

#[test]
fn a_byte_order_mark_is_skipped_once_at_the_start() {
    check(b"\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\n", &[("a", "", None)]);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", &[]);
}

#[test]
fn ids_with_nul_and_retries_with_other_than_digits_are_ignored() {
    check(b"id: a\0b\ndata: x\n\n", &[("x", "", None)]);
    for (field, expected) in [("10", Some(10)), ("1e3", None), ("", None), ("-1", None), ("1 ", None)] {
        let (events, _) = read(format!("retry: {field}\ndata: x\n\n").as_bytes());
        assert_eq!(events[0].retry, expected, "{field}");
    }
}

#[test]
fn an_unfinished_event_is_pending() {
    let (events, reader) = read(b"event: a\ndata: x\ndata: y");
    assert!(events.is_empty());
    let pending = reader.pending().expect("two lines and a half came");
    assert_eq!(
        (pending.event.as_str(), pending.data.as_deref(), pending.dispatched),
        ("a", Some("x\ny"), false)
    );
    assert_eq!(read(b"data: x\n\n").1.pending(), None);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_flagged() {
    let (events, _) = read(b"data: caf\xE9\n\n");
    assert_eq!(events[0].data.as_deref(), Some("caf\u{fffd}"));
    assert_eq!(events[0].deviations[0].detail, "byte 0xE9 in the data field of an event is not UTF-8");
}

#[test]
fn an_event_over_the_limit_is_cut_and_flagged() {
    let mut reader = SseReader::with_limit(20);
    assert!(reader.push("data: 0123456789012é".as_bytes()).is_empty());
    let events = reader.push(b"456789\ndata: more\n\ndata: next\n\n");
    assert_eq!(events[0].data.as_deref(), Some("0123456789012"));
    assert_eq!(events[0].deviations.len(), 1);
    assert_eq!(events[0].deviations[0].detail, "the event is over the limit; 17 bytes of it were dropped");
    assert_eq!(events[1].data.as_deref(), Some("next"));
    assert!(events[1].deviations.is_empty());
}
