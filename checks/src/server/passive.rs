//! What checks share that judge the record of all conversations.

use crate::check::{Outcome, Phase};
use crate::evidence::Evidence;
use crate::finding::Excerpt;
use crate::log::{Conversation, Entry};
use crate::peer::Peer;
use crate::words::{count, short};
use transport::Arrived;
use wire::{Deviation, DeviationKind, Message};

/// Breaks when a frame of the server shows one of `kinds`; the first is quoted, all are counted.
pub(super) fn none_of(peer: &Peer, kinds: &[DeviationKind], expected: &str) -> Outcome {
    none_where(peer, expected, |_, _, deviation| kinds.contains(&deviation.kind))
}

/// Breaks when a frame of the server shows a deviation that `is_bad`.
pub(super) fn none_where(
    peer: &Peer,
    expected: &str,
    is_bad: impl Fn(&Conversation, &Arrived, &Deviation) -> bool,
) -> Outcome {
    let mut all = peer.conversations().iter().flat_map(|conversation| {
        let bad = |arrived: &Arrived| {
            let found = arrived.frame.deviations.iter().find(|d| is_bad(conversation, arrived, d));
            found.cloned().map(|deviation| (conversation, arrived.clone(), deviation))
        };
        conversation.all_frames().filter_map(bad).collect::<Vec<_>>()
    });
    let Some((conversation, arrived, deviation)) = all.next() else { return Ok(()) };
    let more: Vec<_> = all.collect();
    let mut evidence = Evidence::new(expected, deviation.detail.clone());
    let raw = &arrived.frame.raw;
    evidence.bytes = Some(match (deviation.offset, &deviation.pointer) {
        (None, Some(pointer)) => Excerpt::at(raw, pointer),
        (offset, _) => Excerpt::of(raw, offset),
    });
    evidence.records = Some((arrived.record, arrived.record));
    evidence.details.push(moment(conversation, &arrived));
    if let Some(pointer) = deviation.pointer.filter(|pointer| !pointer.is_empty()) {
        evidence.details.push(format!("at {pointer}"));
    }
    if !more.is_empty() {
        let others = more.iter().take(2).map(|(_, a, _)| Excerpt::of(&a.frame.raw, None).text);
        let shown: Vec<_> = others.map(|text| short(&text, 70)).collect();
        evidence.details.push(format!("{} more like it: {}", more.len(), shown.join("  |  ")));
    }
    if matches!(arrived.frame.message, Message::Noise | Message::Other(_)) && !rest_of_flood(peer).is_empty()
    {
        evidence.details.push(rest_of_flood(peer));
    }
    Err(evidence.stop())
}

/// Tells how much was no message and came when enough of it was kept; empty when there was no such flood.
fn rest_of_flood(peer: &Peer) -> String {
    let all = peer.conversations().iter().map(|conversation| conversation.more_noise);
    let (lines, bytes) = all.fold((0, 0), |sum, more| (sum.0 + more.lines, sum.1 + more.bytes));
    let unkept = |lines| {
        format!(
            "a flood: {} of further output, {}, were only counted",
            count(lines, "line"),
            count(bytes, "byte")
        )
    };
    (lines > 0).then_some(lines).map(unkept).unwrap_or_default()
}

/// Says when a frame came: `before the first answer`, `while tools/list (id 4) waited for its answer`.
pub(super) fn moment(conversation: &Conversation, arrived: &Arrived) -> String {
    let at = conversation.frames().find(|(_, a)| a.record == arrived.record && a.frame == arrived.frame);
    let Some((at, _)) = at else { return "it came after stdin was closed".into() };
    let answered =
        |entry: &Entry| matches!(entry, Entry::Got { answers, .. } if answers.iter().any(Option::is_some));
    if !conversation.entries[..at].iter().any(answered) && conversation.phase == Phase::Shared {
        return "it came before the first answer".into();
    }
    let waiting = conversation.all_sent().filter(|(from, sent)| {
        *from < at && sent.id.is_some() && sent.answers.first().is_none_or(|first| *first >= at)
    });
    match waiting.last() {
        Some((_, sent)) => {
            let method = sent.method.as_deref().unwrap_or("a malformed message");
            format!("it came while `{method}` waited for its answer: {}", short(&sent.text, 160))
        }
        None => match conversation.sent_before(at) {
            Some(sent) => format!("it came after we had sent {}", short(&sent.text, 160)),
            None => "it came before we had sent anything".into(),
        },
    }
}

/// A message of the server that breaks a rule, with what to say of it.
pub(super) struct Offence<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) arrived: &'a Arrived,
    pub(super) seen: String,
}

/// Breaks on the first of `offences` and counts the others.
pub(super) fn no_offence(expected: &str, offences: Vec<Offence<'_>>) -> Outcome {
    let Some(first) = offences.first() else { return Ok(()) };
    let mut evidence = Evidence::new(expected, first.seen.clone());
    evidence.bytes = Some(Excerpt::of(&first.arrived.frame.raw, None));
    evidence.records = Some((first.arrived.record, first.arrived.record));
    evidence.details.push(moment(first.conversation, first.arrived));
    if offences.len() > 1 {
        evidence.details.push(format!("{} of this kind in all", count(offences.len(), "message")));
    }
    Err(evidence.stop())
}

/// Collects the messages of all conversations for which `seen` finds words.
pub(super) fn offences<'a>(
    peer: &'a Peer,
    seen: impl Fn(&'a Conversation, usize, &'a Message) -> Option<String>,
) -> Vec<Offence<'a>> {
    let mut found = Vec::new();
    for conversation in peer.conversations() {
        for (at, arrived, message) in conversation.messages() {
            if let Some(seen) = seen(conversation, at, message) {
                found.push(Offence { conversation, arrived, seen });
            }
        }
    }
    found
}
