//! Laws of the readers on generated input; named cases stand in `cases.rs`.

mod bodies;

use mcpproof_wire::{DeviationKind, Frame, Number, Object, Value};
use proptest::prelude::*;

/// Streams that are rich in what the readers look for.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"a\":",
        b"\"a",
        b"\"",
        b"\\",
        b",",
        b"1",
        b"NaN",
        b"\n",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\r",
        b" ",
        b"log line",
        b"\xEF\xBB\xBF",
        b"\xE9",
        "é".as_bytes(),
        b"Content-Length: 3\r\n\r\n",
        b"Content-Length: 9\n",
        b"Content-Type: x\r\n",
        b"data: x\n",
        b"data:\n",
        b"id: 1\n",
        b":c\r",
        b"retry: 10\n",
        b"event: message",
    ];
    let piece = prop_oneof![
        20 => proptest::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn number() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?"];
    text.prop_map(|text| Value::Number(Number::parse(&text).expect("the pattern is the grammar")))
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["\\PC{0,12}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        text.prop_map(Value::String)
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Object>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back_as_itself(value in value()) {
        let text = value.to_string();
        let frame = Frame::read(text.as_bytes());
        prop_assert_eq!(frame.value.as_ref(), Some(&value));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok() || text.contains('e') || text.contains('E'));
    }

    #[test]
    fn no_bytes_make_a_frame_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(Frame::read(&bytes).raw, bytes);
    }

    #[test]
    fn a_message_printed_over_several_lines_is_one_frame(value in value()) {
        let message = serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"x": value.to_json()}});
        let pretty = serde_json::to_string_pretty(&message).expect("a value prints") + "\n";
        let frames = bodies::frames(1 << 20, &[pretty.as_bytes()]);
        prop_assert_eq!(frames.len(), 1);
        prop_assert_eq!(frames[0].deviations[0].kind, DeviationKind::EmbeddedNewline);
        prop_assert_eq!(&frames[0].value, &Frame::read(message.to_string().as_bytes()).value);
    }

    #[test]
    fn frames_lose_no_byte_and_do_not_depend_on_chunks(stream in stream()) {
        bodies::wire_line(&stream);
    }

    #[test]
    fn events_do_not_depend_on_chunks(stream in stream()) {
        bodies::sse(&stream);
    }
}
