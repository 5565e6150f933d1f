//! Framing: what may stand on stdout, and how one message ends and the next begins.

use super::passive::{moment, none_of, none_where};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Excerpt;
use crate::peer::{Peer, TOO_DEEP};
use crate::session::is_unreadable;
use crate::words::count;
use specs::Revision::V2025_06_18;
use specs::Revisions;
use transport::Arrived;
use wire::{DeviationKind as Kind, Message};

/// A row of this area: all are judged afterwards, on everything that was recorded.
const ROW: Check = Check {
    requirement: "stdio.stdout-only-mcp",
    needs: Needs::STDIO,
    phase: Phase::Afterwards,
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "framing-stdout-only-messages",
        fault: "stdout-banner",
        explain: "Strict clients drop the session with a JSON parse error that quotes a few letters of the text; \
                  lenient ones hide it. Logs belong on stderr.",
        probe: |peer| Box::pin(async move { stdout_only_messages(peer) }),
        ..ROW
    },
    Check {
        id: "framing-blank-lines",
        level: Level::Should,
        fault: "stdout-blank-line",
        explain: "An empty line is no message; line readers that parse each line fail on it.",
        probe: |peer| {
            Box::pin(async move {
                none_of(peer, &[Kind::BlankLine], "one JSON-RPC message on each line of stdout")
            })
        },
        ..ROW
    },
    Check {
        id: "framing-content-length",
        requirement: "stdio.newline-delimited",
        fault: "framing-content-length",
        explain: "`Content-Length` headers are the framing of the Language Server Protocol; MCP clients read lines and \
                  take the headers for garbage.",
        probe: |peer| {
            Box::pin(async move {
                none_of(peer, &[Kind::ContentLengthFraming], "newline-delimited JSON without headers")
            })
        },
        ..ROW
    },
    Check {
        id: "framing-one-line-per-message",
        requirement: "stdio.no-embedded-newline",
        fault: "framing-pretty-printed",
        explain: "Clients parse line by line, so a pretty-printed message is many broken ones.",
        probe: |peer| {
            Box::pin(async move { none_of(peer, &[Kind::EmbeddedNewline], "each message on one line") })
        },
        ..ROW
    },
    Check {
        id: "framing-nothing-after-message",
        requirement: "stdio.newline-delimited",
        fault: "framing-two-per-line",
        explain: "Whatever follows the message on its line makes the whole line unparseable for clients.",
        probe: |peer| {
            Box::pin(
                async move { none_of(peer, &[Kind::TrailingBytes], "a newline right after each message") },
            )
        },
        ..ROW
    },
    Check {
        id: "framing-newline",
        requirement: "stdio.newline-delimited",
        fault: "framing-cr-only",
        explain: "A client waits for the newline, so that it never sees a single message.",
        probe: |peer| Box::pin(async move { newline(peer) }),
        ..ROW
    },
    Check {
        id: "framing-final-newline",
        requirement: "stdio.newline-delimited",
        fault: "framing-no-final-newline",
        explain: "A client waits for the newline; the last message is lost, and the request behind it seems unanswered.",
        probe: |peer| Box::pin(async move { final_newline(peer) }),
        ..ROW
    },
    Check {
        id: "framing-flushed",
        requirement: "stdio.newline-delimited",
        fault: "framing-held-until-next",
        explain: "A client waits for the answer before it sends anything else, so that both wait for ever. Most \
                  runtimes keep what is written to a pipe until the buffer is full, unless it is flushed.",
        probe: |peer| Box::pin(async move { flushed(peer) }),
        ..ROW
    },
    Check {
        id: "framing-crlf",
        requirement: "stdio.newline-delimited",
        level: Level::Note,
        fault: "framing-crlf",
        explain: "CR before LF is white space in JSON and parses; it usually means stdout is in text mode on Windows.",
        probe: |peer| {
            Box::pin(async move { none_of(peer, &[Kind::CarriageReturn], "lines that end in LF alone") })
        },
        ..ROW
    },
    Check {
        id: "framing-byte-order-mark",
        requirement: "jsonrpc.valid-json",
        needs: Needs::NOTHING,
        fault: "framing-bom",
        explain: "RFC 8259 forbids a byte order mark; most parsers reject the first message because of it.",
        probe: |peer| {
            Box::pin(
                async move { none_of(peer, &[Kind::ByteOrderMark], "JSON text that opens without U+FEFF") },
            )
        },
        ..ROW
    },
    Check {
        id: "framing-utf8",
        requirement: "stdio.utf8",
        fault: "framing-invalid-utf8",
        explain: "Clients that decode strictly drop the connection; others show broken characters. Set the output \
                  encoding to UTF-8 explicitly.",
        probe: |peer| Box::pin(async move { none_of(peer, &[Kind::InvalidUtf8], "messages in UTF-8") }),
        ..ROW
    },
    Check {
        id: "framing-json-numbers",
        requirement: "jsonrpc.valid-json",
        needs: Needs::NOTHING,
        fault: "framing-nan",
        explain: "NaN and Infinity are not JSON; JavaScript, Rust and Go clients fail on the whole message.",
        probe: |peer| Box::pin(async move { none_of(peer, &[Kind::NotANumber], "numbers that JSON knows") }),
        ..ROW
    },
    Check {
        id: "framing-lone-surrogates",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        needs: Needs::NOTHING,
        fault: "framing-lone-surrogate",
        explain: "Half a surrogate pair is no character: Rust, Python and Swift clients fail when they decode the string.",
        probe: |peer| {
            Box::pin(
                async move { none_of(peer, &[Kind::LoneSurrogate], "escapes that form whole characters") },
            )
        },
        ..ROW
    },
    Check {
        id: "framing-duplicate-members",
        requirement: "jsonrpc.no-duplicate-members",
        level: Level::Should,
        needs: Needs::NOTHING,
        fault: "framing-duplicate-member",
        explain: "Parsers disagree on which of two members counts, so two clients see two different messages.",
        probe: |peer| {
            Box::pin(
                async move { none_of(peer, &[Kind::DuplicateMember], "objects that name each member once") },
            )
        },
        ..ROW
    },
    Check {
        id: "framing-message-size",
        requirement: Check::NO_RULE,
        level: Level::Interop,
        needs: Needs::NOTHING,
        fault: "framing-huge-line",
        explain: "The protocol sets no limit, but hosts do: they cut the connection or run out of memory.",
        probe: |peer| {
            Box::pin(
                async move { none_of(peer, &[Kind::LineTooLong], "messages within the limit of --limit") },
            )
        },
        ..ROW
    },
    Check {
        id: "framing-no-batches",
        requirement: "jsonrpc.batch.removed",
        revisions: Revisions::since(V2025_06_18),
        needs: Needs::NOTHING,
        fault: "framing-unasked-batch",
        explain: "Clients of this revision expect an object; an array is dropped, and its requests time out.",
        probe: |peer| Box::pin(async move { no_batches(peer) }),
        ..ROW
    },
];

fn stdout_only_messages(peer: &Peer) -> Outcome {
    let expected = "nothing on stdout but JSON-RPC messages; logs go to stderr";
    none_where(peer, expected, |_, arrived, deviation| {
        let other_cause = is_unreadable(&arrived.frame) || has_returns(arrived);
        matches!(deviation.kind, Kind::NotJson | Kind::NotEnvelope) && !other_cause
    })?;
    let mut frames = peer.conversations().iter().flat_map(|conversation| conversation.all_frames());
    if frames.any(|arrived| is_unreadable(&arrived.frame)) {
        return Err(Stop::Unproven(TOO_DEEP.into()));
    }
    Ok(())
}

/// An array that answers an array we sent is what the probe for batches judges.
fn no_batches(peer: &Peer) -> Outcome {
    none_where(peer, "one JSON object per message", |conversation, arrived, deviation| {
        let asked = || {
            let at = conversation.frames().find(|(_, a)| a.record == arrived.record).map_or(0, |(at, _)| at);
            conversation.sent_before(at).is_some_and(|sent| sent.text.starts_with('['))
        };
        deviation.kind == Kind::Batch && !asked()
    })
}

fn is_cut(arrived: &Arrived) -> bool {
    arrived.frame.deviations.iter().any(|deviation| deviation.kind == Kind::MissingFinalNewline)
}

/// Tells whether a line that never ended holds messages that end by CR alone.
fn has_returns(arrived: &Arrived) -> bool {
    let is_message = |line: &[u8]| {
        matches!(line.first(), Some(b'{' | b'['))
            && !matches!(wire::Frame::read(line).message, Message::Noise | Message::Other(_))
    };
    let raw = &arrived.frame.raw;
    is_cut(arrived) && raw.contains(&b'\r') && raw.split(|byte| *byte == b'\r').any(is_message)
}

fn newline(peer: &Peer) -> Outcome {
    let mut all = peer.conversations().iter().flat_map(|conversation| conversation.all_frames());
    let Some(arrived) = all.find(|arrived| has_returns(arrived)) else { return Ok(()) };
    let mut evidence = Evidence::new("a newline (LF) after each message", "messages that end in CR alone");
    let at = arrived.frame.raw.iter().position(|byte| *byte == b'\r');
    evidence.bytes = Some(Excerpt::of(&arrived.frame.raw, at));
    evidence.records = Some((arrived.record, arrived.record));
    Err(evidence.stop())
}

/// Whoever waits for an answer finds out; here it is only told.
fn flushed(peer: &Peer) -> Outcome {
    peer.held.clone().map_or(Ok(()), |evidence| Err(evidence.stop()))
}

/// Judges the end of each stream, and answers that came whole but for their newline.
fn final_newline(peer: &Peer) -> Outcome {
    let expected = "a newline after each message, the last one included";
    let cut = |a: &Arrived| is_cut(a) && !has_returns(a);
    let all =
        peer.conversations().iter().flat_map(|c| c.all_frames().filter(|a| cut(a)).map(move |a| (c, a)));
    // A half-written line of a server that we killed in the middle is our doing.
    let whole: Vec<_> = all.filter(|(c, a)| a.frame.value.is_some() || !was_killed(c)).collect();
    let Some((conversation, arrived)) = whole.first() else { return Ok(()) };
    let seen = format!("the stream ended after {} without a newline", count(arrived.frame.raw.len(), "byte"));
    let mut evidence = Evidence::new(expected, seen).detail(moment(conversation, arrived));
    evidence.bytes = Some(Excerpt::of(&arrived.frame.raw, Some(arrived.frame.raw.len())));
    Err(evidence.stop())
}

fn was_killed(conversation: &crate::log::Conversation) -> bool {
    conversation.ending.as_ref().is_some_and(|ending| ending.killed || ending.by_term.is_some())
}
