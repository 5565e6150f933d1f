//! Reads the JSON of clients as people write it: with a byte order mark, comments and trailing commas. What it says is read elsewhere.

/// Puts spaces in the place of what JSON does not know, so that lines and columns of mistakes stay true. Strings are not touched.
pub(super) fn plain(text: &str) -> String {
    let mut bytes = text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes().to_vec();
    let (mut at, mut before, mut comma) = (0, b'[', None);
    while at < bytes.len() {
        if let Some(end) = comment_end(&bytes, at) {
            blank(&mut bytes[at..end]);
            at = end;
            continue;
        }
        let byte = bytes[at];
        at = if byte == b'"' { string_end(&bytes, at) } else { at + 1 };
        if byte.is_ascii_whitespace() {
            continue;
        }
        match (byte, comma.take()) {
            (b']' | b'}', Some(trailing)) => blank(&mut bytes[trailing..=trailing]),
            // A comma after nothing is a slip, and no trailing one.
            (b',', None) if !b"[{,".contains(&before) => comma = Some(at - 1),
            _ => {}
        }
        before = byte;
    }
    String::from_utf8(bytes).expect("only whole characters became spaces")
}

/// Where the comment that begins at `at` ends. One that never ends is none, so that it is told as a mistake.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inside = at + 2;
    match bytes.get(at..inside)? {
        b"//" => {
            let rest = &bytes[inside..];
            Some(inside + rest.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(rest.len()))
        }
        b"/*" => Some(inside + bytes[inside..].windows(2).position(|two| two == b"*/")? + 2),
        _ => None,
    }
}

/// Where the string that begins at `at` ends.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    while let Some(byte) = bytes.get(next) {
        next += if *byte == b'\\' { 2 } else { 1 };
        if *byte == b'"' {
            break;
        }
    }
    next.min(bytes.len())
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| !b"\r\n".contains(byte)).for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn comments_trailing_commas_and_a_mark_are_read_over() {
        for (text, expected) in [
            ("\u{feff}{\"a\": 1}", json!({"a": 1})),
            (
                "{\n  // \"off\": 1,\n  /* two\n lines */ \"u\": \"http://h/*x*/\" // end\n}",
                json!({"u": "http://h/*x*/"}),
            ),
            ("[\"-y\", \"x\", // last\n /* ü */ ]", json!(["-y", "x"])),
            ("{\"a\": {\"b\": [1,],},}", json!({"a": {"b": [1]}})),
            (r#"["\"//", "\\", ",]"]"#, json!(["\"//", "\\", ",]"])),
            ("// only\r\n[]", json!([])),
        ] {
            assert_eq!(serde_json::from_str::<Value>(&plain(text)).ok(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_either_way_is_told_with_its_line() {
        for (text, line) in [
            ("{\n/* never ends", "line 2 column 1"),
            ("[1,\n,]", "line 2 column 1"),
            ("[\n,]", "line 2 column 1"),
            ("{,}", "line 1 column 2"),
            ("// fine\n{\"a\" 1}", "line 2 column 6"),
            ("\"\\", "line 1 column 2"),
        ] {
            let error = serde_json::from_str::<Value>(&plain(text)).expect_err(text).to_string();
            assert!(error.ends_with(line), "{text}: {error}");
        }
    }

    /// Prints `value` with something to be read over wherever there may be something.
    fn decorated(value: &Value, noise: &mut dyn Iterator<Item = &'static str>) -> String {
        let mut more =
            |text: String| format!("{}{text}{}", noise.next().unwrap_or(""), noise.next().unwrap_or(""));
        let (open, close, keys, values): (_, _, Vec<_>, Vec<_>) = match value {
            Value::Array(items) => ('[', ']', vec![String::new(); items.len()], items.iter().collect()),
            Value::Object(members) => {
                let keys =
                    members.keys().map(|name| format!("{}:", more(Value::from(name.as_str()).to_string())));
                ('{', '}', keys.collect(), members.values().collect())
            }
            one => return more(one.to_string()),
        };
        let all: Vec<_> =
            keys.iter().zip(values).map(|(key, value)| format!("{key}{}", decorated(value, noise))).collect();
        let trailing = if !all.is_empty() && noise.next() == Some("") { "," } else { "" };
        format!("{open}{}{trailing}{}{close}", all.join(","), noise.next().unwrap_or(""))
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let text = "[a-z\"\\\\/*, ü\\]\\n]{0,8}";
        let leaf =
            prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), text.prop_map(Value::from)];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text, inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_decorates_json_changes_nothing(
            value in any_json(),
            noise in prop::collection::vec(
                prop::sample::select(vec!["", " ", "\n", "// \"x\", ]\n", "/* { ü , */", "/**/", "//\r\n"]), 1..12),
        ) {
            let text = decorated(&value, &mut noise.iter().copied().cycle());
            prop_assert_eq!(serde_json::from_str::<Value>(&plain(&text)).ok(), Some(value), "{}", text);
        }

        #[test]
        fn json_stays_as_it_is(value in any_json()) {
            let text = format!("{value:#}");
            prop_assert_eq!(plain(&text), text);
        }

        #[test]
        fn any_text_keeps_its_length_and_its_lines(text in "[\\[\\]{},/*\"\\\\\r\n ü1]{0,40}") {
            let read = plain(&text);
            prop_assert_eq!(read.len(), text.len());
            prop_assert_eq!(read.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(plain(&read), read);
        }
    }
}
