//! The laws that every stream must keep, for the fuzz targets, the replay of their corpus, and the property tests.

use mcpproof_wire::{DeviationKind, Frame, LineReader, SseEvent, SseReader};

/// Reads a stream in these chunks to its end.
pub(crate) fn frames(limit: usize, chunks: &[&[u8]]) -> Vec<Frame> {
    let mut reader = LineReader::new(limit);
    let mut frames: Vec<Frame> = chunks.iter().flat_map(|chunk| reader.push(chunk)).collect();
    frames.extend(reader.finish());
    assert!(reader.pending().is_empty(), "a finished reader holds nothing");
    frames
}

/// Reads events in these chunks, with what is left pending.
pub(crate) fn events(limit: usize, chunks: &[&[u8]]) -> (Vec<SseEvent>, Option<SseEvent>) {
    let mut reader = SseReader::with_limit(limit);
    let events = chunks.iter().flat_map(|chunk| reader.push(chunk)).collect();
    (events, reader.pending())
}

/// Puts the stream together again from its frames.
pub(crate) fn restored(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for frame in frames {
        let has = |kind| frame.deviations.iter().any(|deviation| deviation.kind == kind);
        bytes.extend_from_slice(&frame.raw);
        if has(DeviationKind::CarriageReturn) {
            bytes.push(b'\r');
        }
        let text = frame.raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&frame.raw);
        let block = text.to_ascii_lowercase().starts_with(b"content-") && text.contains(&b'\n');
        if !block && !has(DeviationKind::MissingFinalNewline) {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// Asserts that frames keep every byte, read alone as they read in the stream, and do not depend on chunks.
pub(crate) fn wire_line(stream: &[u8]) {
    let whole = frames(1 << 20, &[stream]);
    assert_eq!(restored(&whole), stream);
    for frame in &whole {
        let alone = Frame::read(&frame.raw);
        assert_eq!((&alone.message, &alone.value), (&frame.message, &frame.value));
        if let Some(value) = &alone.value {
            assert_eq!(Frame::read(value.to_string().as_bytes()).value.as_ref(), Some(value));
        }
    }
    for limit in [1 << 20, 40] {
        let whole = frames(limit, &[stream]);
        assert_eq!(frames(limit, &stream.chunks(1).collect::<Vec<_>>()), whole);
        assert_eq!(frames(limit, &uneven(stream)), whole);
    }
}

/// Asserts that events do not depend on chunks.
pub(crate) fn sse(stream: &[u8]) {
    for limit in [1 << 20, 40] {
        let whole = events(limit, &[stream]);
        assert_eq!(events(limit, &stream.chunks(1).collect::<Vec<_>>()), whole);
        assert_eq!(events(limit, &uneven(stream)), whole);
    }
}

/// Cuts a stream at places that depend on its bytes, so that a corpus file needs nothing but the stream.
fn uneven(stream: &[u8]) -> Vec<&[u8]> {
    let mut state =
        stream.iter().fold(17_u32, |state, byte| state.wrapping_mul(31).wrapping_add(u32::from(*byte)));
    let mut chunks = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (chunk, after) = rest.split_at(rest.len().min(1 + (state >> 24) as usize % 24));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}
