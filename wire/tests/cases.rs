//! Streams and what is read from them, as data; laws on generated input stand in `laws.rs`.

use mcpproof_wire::{Answer, DeviationKind, Frame, LineReader, Message, Value};

/// A stream, and its frames: the message, then the names of its deviations; frames are divided by ` | `.
type Case = (&'static [u8], &'static str);

const FRAMING: &[Case] = &[
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", "response"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n", "request"),
    (
        b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n \t{\"jsonrpc\":\"2.0\",\"method\":\"x\"} \n",
        "notification | notification",
    ),
    (b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", "notification byte-order-mark"),
    (b"\xEF\xBB\xBFhello\n", "noise byte-order-mark not-json"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\n", "notification carriage-return"),
    (b"\n", "noise blank-line"),
    (b" \t\r\n", "noise blank-line carriage-return"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "notification missing-final-newline"),
    (b"x\nNo newline", "noise not-json | noise not-json missing-final-newline"),
    (b"", ""),
];

const CONTENT_LENGTH: &[Case] = &[
    (b"Content-Length: 31\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"xy\"}", "notification content-length-framing"),
    (
        b"Content-Type: a/b\r\ncontent-length:31\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"xy\"}Content-Length: 2\n\n{}",
        "notification content-length-framing | other content-length-framing not-envelope",
    ),
    (b"\xEF\xBB\xBFContent-Length: 2\n\n{}", "other byte-order-mark content-length-framing not-envelope"),
    (b"Content-Length: 2\n{}\n", "noise content-length-framing | other not-envelope"),
    (b"Content-Length: 9\n\n{}\n", "other content-length-framing not-envelope missing-final-newline"),
    (b"Content-Length: 99999999999\n\n{}\n", "noise content-length-framing | noise blank-line | other not-envelope"),
    (b"Content-Length: 2\n", "noise content-length-framing"),
    (b"Content-Length: 2", "noise content-length-framing missing-final-newline"),
];

const SEVERAL_LINES: &[Case] = &[
    (b"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"x\"\n}\n", "notification embedded-newline"),
    (
        b"{\r\n  \"jsonrpc\": \"2.0\", \"method\": \"x\"\r\n}\r\n",
        "notification embedded-newline carriage-return",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\nb\"}\n", "notification control-character embedded-newline"),
    (b"[\n {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n]\n", "batch batch embedded-newline"),
    (b"{\n\"jsonrpc\":\"2.0\",\"method\":\"x\"\n}", "notification embedded-newline missing-final-newline"),
    // A line that was cut must not swallow the message after it.
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"res\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
        "noise not-json | response",
    ),
    (b"[\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", "noise not-json | response"),
    (b"{\nlog\n{\n}\n", "noise not-json | noise not-json | other not-envelope embedded-newline"),
    (b"{\n\"a\"", "noise not-json | other not-envelope missing-final-newline"),
    (b"{\n", "noise not-json"),
];

const TEXT: &[Case] = &[
    (b"Server listening on port 3000\n", "noise not-json"),
    (b"[info] ready\n2024-05-01 12:00:00 up\n[1] up\n", "noise not-json | noise not-json | noise not-json"),
    (b"{\"level\":\"info\",\"msg\":\"ready\"}\n", "other not-envelope"),
    (
        b"1\n\"text\"\nnull\n[1,2]\n",
        "other not-envelope | other not-envelope | other not-envelope | other not-envelope",
    ),
    (
        b"01\n+1\n.5\n1.\n1e\n-\n",
        "noise not-json | noise not-json | noise not-json | noise not-json | noise not-json | noise not-json",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"id\":01,\"result\":{}}\n", "noise not-json"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",}\n", "noise not-json"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"caf\xE9\"}\n", "notification invalid-utf8"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\tb\"}\n", "notification control-character"),
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":[NaN,Infinity,-Infinity]}}\n",
        "response not-a-number not-a-number not-a-number",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud83d\\ude00\"}\n", "notification"),
    (
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud83d \\ude00\\ud800\\ud83d\\ude00\"}\n",
        "notification lone-surrogate lone-surrogate lone-surrogate",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"method\":\"y\"}\n", "notification duplicate-member"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}{\"a\":1}\n", "response trailing-bytes"),
];

const ENVELOPE: &[Case] = &[
    (b"{\"id\":1,\"result\":{}}\n", "response jsonrpc-missing"),
    (b"{\"jsonrpc\":2.0,\"id\":1,\"result\":{}}\n", "response jsonrpc-wrong"),
    (b"{\"jsonrpc\":\"1.0\",\"method\":\"x\"}\n", "notification jsonrpc-wrong"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}\n", "request id-null"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n", "response id-null"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"parse\"}}\n", "response"),
    (b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"parse\"}}\n", "response"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}\n", "response id-float"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1e0,\"method\":\"x\"}\n", "request id-float"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":true,\"result\":{}}\n", "response id-boolean"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":{\"n\":1},\"result\":{}}\n", "response id-structured"),
    (b"{\"jsonrpc\":\"2.0\",\"result\":{}}\n", "response id-missing"),
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"x\"}}\n",
        "response result-and-error",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":null}\n", "response result-and-error"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1}\n", "response neither-result-nor-error"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n", "response result-not-object"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}\n", "response result-not-object"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}\n", "response error-not-object"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null}\n", "response error-not-object"),
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"E1\",\"message\":\"x\"}}\n",
        "response error-code-not-integer",
    ),
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601.0,\"message\":\"x\"}}\n",
        "response error-code-not-integer",
    ),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\n", "response error-message-missing"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":\"y\"}\n", "request params-not-structured"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":null}\n", "notification params-not-structured"),
    (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}\n", "notification params-array"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}\n", "other method-not-string"),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"result\":{}}\n", "response method-and-outcome"),
    (b"{\"id\":1,\"name\":\"x\"}\n", "other not-envelope"),
    (b"{\"level\":\"error\",\"error\":\"no file\"}\n", "other not-envelope"),
    (b"{\"level\":\"info\",\"method\":\"GET\",\"path\":\"/\"}\n", "other not-envelope"),
    (b"{\"error\":\"no file\"}\n", "response jsonrpc-missing error-not-object"),
    (b"{\"jsonrpc\":\"2.0\"}\n", "other not-envelope"),
    (b"[]\n", "batch batch"),
    (
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"id\":2,\"result\":{}},3]\n",
        "batch batch jsonrpc-missing not-envelope",
    ),
];

const CUT: &[Case] = &[
    // The limit of these is 60 bytes.
    (
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"x\":\"0123456789012345678901234567890123456789\"}}\n{}\n",
        "response line-too-long | other not-envelope",
    ),
    (
        b"{\"result\":{\"x\":\"01234567890123456789012345678901234567890123456789\",\"id\":1},\"jsonrpc\":\"2.0\",\"id\":8}\r\n",
        "response line-too-long carriage-return",
    ),
    (
        b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"x\":\"0123456789012345678901234567890123456789\",\"id\":1}}",
        "notification line-too-long missing-final-newline",
    ),
    (b"no json: 0123456789012345678901234567890123456789012345678901234567890123456789\n", "noise line-too-long"),
];

fn read(stream: &[u8], limit: usize) -> Vec<Frame> {
    let mut reader = LineReader::new(limit);
    let mut frames = reader.push(stream);
    frames.extend(reader.finish());
    frames
}

fn described(frames: &[Frame]) -> String {
    let one = |frame: &Frame| {
        let message = match &frame.message {
            Message::Request(_) => "request",
            Message::Notification(_) => "notification",
            Message::Response(_) => "response",
            Message::Batch(_) => "batch",
            Message::Other(_) => "other",
            Message::Noise => "noise",
        };
        let names = frame.deviations.iter().map(|deviation| deviation.kind.name());
        [message].into_iter().chain(names).collect::<Vec<_>>().join(" ")
    };
    frames.iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn check(cases: &[Case], limit: usize) {
    for (stream, expected) in cases {
        assert_eq!(described(&read(stream, limit)), *expected, "{}", stream.escape_ascii());
    }
}

#[test]
fn framing_is_read_whatever_is_wrong_with_it() {
    check(FRAMING, 1000);
}

#[test]
fn content_length_blocks_are_messages() {
    check(CONTENT_LENGTH, 1000);
}

#[test]
fn values_over_several_lines_are_joined_or_given_up() {
    check(SEVERAL_LINES, 1000);
}

#[test]
fn text_is_json_tolerantly_or_noise() {
    check(TEXT, 1000);
}

#[test]
fn envelopes_are_classified_with_all_that_is_wrong() {
    check(ENVELOPE, 1000);
}

#[test]
fn lines_over_the_limit_keep_their_id() {
    check(CUT, 60);
    let ids = |case: usize| match &read(CUT[case].0, 60)[0].message {
        Message::Response(response) => response.id.as_ref().and_then(Value::as_i64),
        other => panic!("{other:?}"),
    };
    assert_eq!((ids(0), ids(1)), (Some(7), Some(8)));
}

#[test]
fn every_kind_of_deviation_has_a_case() {
    let all = [FRAMING, CONTENT_LENGTH, SEVERAL_LINES, TEXT, ENVELOPE, CUT].concat();
    // `id-changed` needs the request too; its case stands below.
    for kind in DeviationKind::ALL.iter().filter(|kind| **kind != DeviationKind::IdChanged) {
        assert!(
            all.iter().any(|(_, expected)| expected.contains(kind.name())),
            "{} has no case",
            kind.name()
        );
    }
}

#[test]
fn an_answer_with_its_id_in_another_spelling_is_known() {
    let cases = [
        ("1", "1", "exactly"),
        ("\"a\"", "\"a\"", "exactly"),
        ("1", "2", "no"),
        ("1", "null", "no"),
        ("1", "\"1\"", "\"id\" came back as \"1\" (a string); it was sent as 1 (an integer)"),
        ("\"1\"", "1", "\"id\" came back as 1 (an integer); it was sent as \"1\" (a string)"),
        ("1", "1.0", "\"id\" came back as 1.0 (a number with a fraction); it was sent as 1 (an integer)"),
        ("9007199254740993", "9007199254740992", "no"),
    ];
    for (sent, back, expected) in cases {
        let sent = Frame::read(sent.as_bytes()).value.expect("an id");
        let frame = Frame::read(format!("{{\"jsonrpc\":\"2.0\",\"id\":{back},\"result\":{{}}}}").as_bytes());
        let response = frame.responses().next().expect("a response");
        let seen = match response.answers(&sent) {
            Answer::Exactly => "exactly".to_owned(),
            Answer::No => "no".to_owned(),
            Answer::Changed(deviation) => deviation.detail,
        };
        assert_eq!(seen, expected);
    }
}

#[test]
fn every_kind_of_deviation_stands_in_the_readme() {
    let readme = include_str!("../README.md");
    for kind in DeviationKind::ALL {
        assert!(readme.contains(&format!("\n| `{}` | ", kind.name())), "{} is missing", kind.name());
    }
}

/// Where the deviation is and how it is told.
fn told(stream: &[u8], expected: &[(Option<usize>, Option<&str>, &str)]) {
    let frames = read(stream, 1000);
    let deviations = frames.iter().flat_map(|frame| &frame.deviations);
    let seen: Vec<_> = deviations.map(|d| (d.offset, d.pointer.as_deref(), d.detail.as_str())).collect();
    assert_eq!(seen, expected, "{}", stream.escape_ascii());
}

#[test]
fn deviations_tell_the_place_and_the_value() {
    told(
        b"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}\n",
        &[(None, Some("/id"), "\"id\" came back as 1.0 (a number with a fraction)")],
    );
    told(
        b"[{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a/b~\":[0,\"\xE9\"]}}]\n",
        &[
            (Some(52), Some("/0/params/a~1b~0/1"), "byte 0xE9 at offset 52 is not UTF-8"),
            (None, Some(""), "a JSON array of 1 message (a batch)"),
        ],
    );
    told(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"x\":NaN}} \n",
        &[(Some(44), Some("/params/x"), "NaN stands where JSON wants a number")],
    );
}

/// What kind of noise a line is told to be.
fn noise(line: &[u8], expected: &str) {
    let frame = Frame::read(line);
    assert_eq!(frame.message, Message::Noise, "{}", line.escape_ascii());
    assert_eq!(frame.deviations[0].detail, expected, "{}", line.escape_ascii());
}

#[test]
fn noise_is_told_by_its_origin() {
    noise(b"Content-Length: 42", "\"Content-Length: 42\" is a header as in LSP");
    noise(b"<!DOCTYPE html>", "HTML: \"<!DOCTYPE html>\"");
    noise(
        b"Traceback (most recent call last):",
        "a Python traceback: \"Traceback (most recent call last):\"",
    );
    noise(b"  File \"a.py\", line 3, in f", "a Python traceback: \"File \"a.py\", line 3, in f\"");
    noise(b"    at main (/srv/a.js:10:5)", "a Node.js stack trace: \"at main (/srv/a.js:10:5)\"");
    noise(b"\x1b[32mINFO\x1b[0m up", "a log line with ANSI colours: \"\\x1b[32mINFO\\x1b[0m up\"");
    noise(b"{'jsonrpc': '2.0'}", "a Python dict printed with single quotes: \"{'jsonrpc': '2.0'}\"");
    noise(
        b"{ jsonrpc: '2.0' }",
        "a JavaScript object printed without quotes around its names: \"{ jsonrpc: '2.0' }\"",
    );
    noise(b"\xFF\xFE{\0", "text in UTF-16 or binary bytes: \"\u{fffd}\u{fffd}{\\x00\"");
    noise(b"[MCP] listing tools", "plain text: \"[MCP] listing tools\"");
    noise(b"[{\"id\":1]", "broken JSON: at byte 8 \",\" or \"}\" should stand, not \"]\"");
    noise(b"Ready.", "plain text: \"Ready.\"");
    noise(b"{\"id\":1,}", "broken JSON: at byte 8 a member name in double quotes should stand, not \"}\"");
    noise(b"{\"id\":1", "JSON that ends too early: after 7 bytes \",\" or \"}\" should follow");
}

#[test]
fn nesting_is_followed_to_512_levels() {
    let nested = |levels| ["[".repeat(levels), "]".repeat(levels)].concat();
    assert!(Frame::read(nested(512).as_bytes()).value.is_some());
    noise(nested(513).as_bytes(), "JSON nested too deep to follow: more than 512 levels at byte 512");
    assert_eq!(
        described(&read("[".repeat(100_000).as_bytes(), 200_000)),
        "noise not-json missing-final-newline"
    );
}

#[test]
fn numbers_stay_as_they_were_written() {
    for text in
        ["1", "1.0", "-0", "1e400", "1E+2", "9007199254740993", "0.1e-7", "123456789012345678901234567890"]
    {
        let frame = Frame::read(text.as_bytes());
        assert_eq!(frame.value.map(|value| value.to_string()).as_deref(), Some(text));
    }
}

#[test]
fn hostile_bytes_give_a_bounded_list_of_deviations() {
    let frame = Frame::read(&[b"\"".as_slice(), &[0xFF; 5000], b"\""].concat());
    assert_eq!(frame.deviations.len(), 17, "sixteen bytes and the missing envelope");
    assert_eq!(frame.deviations[15].detail, "byte 0xFF at offset 16 is not UTF-8 (and 4984 more like it)");
}

#[test]
fn a_line_over_the_limit_is_not_kept_in_memory() {
    let mut reader = LineReader::new(1_000_000);
    for _ in 0..100 {
        assert!(reader.push(&[b'a'; 100_000]).is_empty());
        assert!(reader.pending().len() <= 1_000_000);
    }
    assert_eq!(reader.pending().len(), 64 * 1024);
    let frames = reader.push(b"\n");
    assert_eq!(
        frames[0].deviations[0].detail,
        "the line has 10000000 bytes, over the limit of 1000000; the rest was dropped"
    );
}
