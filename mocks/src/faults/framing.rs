//! Faults of the bytes on stdout: noise between the messages, and messages framed or encoded in another way.

use super::code_in;
use crate::fault::{Fault, Heard, Twist, Until};
use crate::step::{Step, is_response};
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "framing-bom",
        "Opens its output with a byte order mark, which strict JSON parsers refuse.",
        Twist::Start("\u{feff}"),
    )
    .on("stdio"),
    Fault::new(
        "framing-content-length",
        "Frames its messages with Content-Length headers as language servers do.",
        Twist::Encode(|_, line| {
            line.pop();
            let header = format!("Content-Length: {}\r\n\r\n", line.len());
            line.splice(0..0, header.into_bytes());
        }),
    )
    .on("stdio"),
    Fault::new(
        "framing-cr-only",
        "Ends its lines with CR alone, as no system of today does.",
        Twist::Encode(|_, line| {
            if let Some(end) = line.last_mut() {
                *end = b'\r';
            }
        }),
    )
    .on("stdio"),
    Fault::new(
        "framing-crlf",
        "Ends its lines with CR LF, as text streams on some systems do.",
        Twist::Encode(|_, line| line.insert(line.len() - 1, b'\r')),
    )
    .on("stdio"),
    Fault::new(
        "framing-duplicate-member",
        "Writes the member jsonrpc twice in each response.",
        Twist::Encode(|message, line| {
            if is_response(message) && message.is_object() {
                line.splice(1..1, *b"\"jsonrpc\":\"2.0\",");
            }
        }),
    ),
    Fault::new(
        "framing-held-until-end",
        "Never flushes, so that its answers come when its input ends.",
        Twist::Hold(Until::End),
    )
    .on("stdio"),
    Fault::new(
        "framing-held-until-next",
        "Flushes late, so that each answer comes with the next message.",
        Twist::Hold(Until::NextMessage),
    )
    .on("stdio"),
    Fault::new(
        "framing-huge-line",
        "Answers a tool call with 17 MiB on one line, more than many clients take.",
        Twist::Reply(|call, reply| {
            if call.is("tools/call")
                && let Some(text) = reply.pointer_mut("/result/content/0/text")
            {
                *text = json!("x".repeat(17 * MIB));
            }
        }),
    ),
    Fault::new(
        "framing-invalid-utf8",
        "Writes the text of tool results in Latin-1, so that an accent is a stray byte.",
        Twist::Encode(|message, line| insert_in_text(message, line, b"caf\xe9 ")),
    ),
    Fault::new(
        "framing-lone-surrogate",
        "Escapes half of a surrogate pair in the text of tool results.",
        Twist::Encode(|message, line| insert_in_text(message, line, b"\\ud83d ")),
    ),
    Fault::new(
        "framing-nan",
        "Writes the bare word NaN into tool results, which is not JSON.",
        Twist::Encode(|message, line| {
            if message.pointer("/result/content").is_some() {
                insert_after(line, b"\"result\":{", b"\"mean\":NaN,");
            }
        }),
    ),
    Fault::new(
        "framing-no-final-newline",
        "Answers a tool call without the final newline and exits.",
        Twist::Steps(|heard, steps| {
            let last = steps.pop_if(|step| step.response().is_some_and(|r| r.get("result").is_some()));
            match last {
                Some(Step::Say(message)) if heard.asks("tools/call") => {
                    steps.extend([Step::Raw(message.to_string().into_bytes()), Step::Exit(0)]);
                }
                other => steps.extend(other),
            }
        }),
    )
    .on("stdio"),
    Fault::new(
        "framing-pretty-printed",
        "Spreads each message over several indented lines.",
        Twist::Encode(|message, line| *line = format!("{message:#}\n").into_bytes()),
    )
    .on("stdio"),
    Fault::new(
        "framing-two-per-line",
        "Writes two messages on one line when a tool was called.",
        Twist::Encode(|message, line| {
            if message.pointer("/result/content").is_some() {
                let second = r#" {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
                line.splice(line.len() - 1..line.len() - 1, second.bytes());
            }
        }),
    )
    .on("stdio"),
    Fault::new(
        "framing-unasked-batch",
        "Wraps each response in an array although nobody sent a batch.",
        Twist::Encode(|message, line| {
            if is_response(message) && message.is_object() {
                line.insert(0, b'[');
                line.insert(line.len() - 1, b']');
            }
        }),
    ),
    Fault::new(
        "stdout-banner",
        "Prints a banner on stdout before the first message.",
        Twist::Start("\u{26a1} Mock server 1.0\nListening on stdio...\n"),
    )
    .on("stdio"),
    Fault::new(
        "stdout-blank-line",
        "Writes a blank line before each list of tools.",
        Twist::Steps(|heard, steps| noise(heard, steps, "\n")),
    )
    .on("stdio"),
    Fault::new(
        "stdout-json-log",
        "Logs to stdout in JSON that is no message whenever tools are listed.",
        Twist::Steps(|heard, steps| {
            noise(heard, steps, "{\"level\":\"info\",\"msg\":\"listing tools\",\"count\":7}\n");
        }),
    )
    .on("stdio"),
    Fault::new(
        "stdout-log-line",
        "Prints a log line on stdout whenever tools are listed; the handshake looks clean.",
        Twist::Steps(|heard, steps| noise(heard, steps, "[mock] tools/list requested\n")),
    )
    .on("stdio"),
    Fault::new(
        "stdout-text-before-message",
        "Prints a word without a newline, so that the first message stands behind it on one line.",
        Twist::Start("Starting... "),
    )
    .on("stdio"),
];

fn noise(heard: &Heard<'_>, steps: &mut Vec<Step>, text: &str) {
    if heard.asks("tools/list") && code_in(steps).is_none() {
        steps.insert(0, Step::Raw(text.into()));
    }
}

fn insert_in_text(message: &Value, line: &mut Vec<u8>, bytes: &[u8]) {
    if message.pointer("/result/content").is_some() {
        insert_after(line, b"\"text\":\"", bytes);
    }
}

/// Inserts `bytes` after the first `mark`.
fn insert_after(line: &mut Vec<u8>, mark: &[u8], bytes: &[u8]) {
    if let Some(at) = line.windows(mark.len()).position(|window| window == mark) {
        let at = at + mark.len();
        line.splice(at..at, bytes.iter().copied());
    }
}
