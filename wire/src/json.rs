//! Reads JSON tolerantly: what is merely wrong becomes a deviation, only what has no meaning is a fault. No envelopes here.

use std::collections::HashSet;

use crate::deviation::{Deviation, DeviationKind};
use crate::excerpt::Excerpt;
use crate::log::Log;
use crate::scan;
use crate::value::{Number, Object, Value};

/// Levels of nesting that are followed; deeper text is a fault, so that no input can exhaust the stack.
pub(crate) const DEPTH: usize = 512;

/// The UTF-8 byte order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Why bytes have no meaning as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The bytes end inside a value: more could complete it.
    Truncated,
    /// A byte stands where the grammar has no place for it.
    Malformed,
    /// The nesting is deeper than [`DEPTH`].
    TooDeep,
}

/// Where reading stopped and what would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) offset: usize,
    pub(crate) expected: &'static str,
}

/// Flags the byte order mark at the start.
pub(crate) fn mark() -> Deviation {
    Deviation::new(DeviationKind::ByteOrderMark, "the text opens with a byte order mark (EF BB BF)").at(0)
}

/// Reads the value at the start of `bytes` and returns it with the offset behind it and the whitespace after it.
pub(crate) fn read(bytes: &[u8], log: &mut Log) -> Result<(Value, usize), Fault> {
    let mut parser = Parser::new(bytes, log);
    if bytes.starts_with(BOM) {
        parser.log.add(DeviationKind::ByteOrderMark, |_| mark());
        parser.at = BOM.len();
    }
    let value = parser.value(&Path::Root, 0)?;
    parser.skip_whitespace();
    Ok((value, parser.at))
}

/// Tells whether a text is one number and nothing else.
pub(crate) fn is_number(text: &str) -> bool {
    let mut log = Log::default();
    let mut parser = Parser::new(text.as_bytes(), &mut log);
    parser.number().is_ok() && parser.at == text.len()
}

/// Reads the members of the object that `prefix` starts, up to the first that is not whole.
pub(crate) fn leading_members(prefix: &[u8]) -> Object {
    let mut members = Vec::new();
    let mut log = Log::default();
    let mut parser = Parser::new(prefix, &mut log);
    parser.skip_whitespace();
    if parser.eat(b'{') {
        while let Ok((name, value)) = parser.member(&Path::Root, 1) {
            // A number at the very end may have lost digits.
            if parser.at < prefix.len() {
                members.push((name, value));
            }
            parser.skip_whitespace();
            if !parser.eat(b',') {
                break;
            }
        }
    }
    Object(members)
}

/// Reads the id from the last bytes of an object, when it is among the last members.
pub(crate) fn closing_id(tail: &[u8]) -> Option<Value> {
    let at = tail.windows(4).rposition(|window| window == b"\"id\"")?;
    let object = [b"{", &tail[at..]].concat();
    // An id of a nested object has more brackets after it, so that the whole does not read as one object.
    match read(&object, &mut Log::default()) {
        Ok((value, end)) if end == object.len() => value.get("id").cloned(),
        _ => None,
    }
}

/// The way from the root to the value being read; rendered only when something is wrong there.
enum Path<'p> {
    Root,
    Member(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => {
                format!("{}/{}", parent.pointer(), name.replace('~', "~0").replace('/', "~1"))
            }
            Self::Item(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

struct Parser<'b, 'l> {
    bytes: &'b [u8],
    at: usize,
    log: &'l mut Log,
}

impl<'b, 'l> Parser<'b, 'l> {
    fn new(bytes: &'b [u8], log: &'l mut Log) -> Self {
        Self { bytes, at: 0, log }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.at += usize::from(hit);
        hit
    }

    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A fault at this byte: truncated at the end of the bytes, malformed elsewhere.
    fn fault(&self, expected: &'static str) -> Fault {
        let kind = if self.at < self.bytes.len() { FaultKind::Malformed } else { FaultKind::Truncated };
        Fault { kind, offset: self.at, expected }
    }

    fn value(&mut self, path: &Path<'_>, depth: usize) -> Result<Value, Fault> {
        self.skip_whitespace();
        match self.peek() {
            Some(b'"') => Ok(Value::String(self.string(path)?)),
            Some(b'{') => self.object(path, depth + 1),
            Some(b'[') => self.array(path, depth + 1),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'N') => self.no_number("NaN", path),
            Some(b'I') => self.no_number("Infinity", path),
            Some(b'-') if self.bytes[self.at..].starts_with(b"-I") => self.no_number("-Infinity", path),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.fault("a value")),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, Fault> {
        for byte in word.bytes() {
            if !self.eat(byte) {
                return Err(self.fault(word));
            }
        }
        Ok(value)
    }

    fn no_number(&mut self, word: &'static str, path: &Path<'_>) -> Result<Value, Fault> {
        let start = self.at;
        let value = self.word(word, Value::Null)?;
        self.log.add(DeviationKind::NotANumber, |kind| {
            Deviation::new(kind, format!("{word} stands where JSON wants a number"))
                .at(start)
                .on(path.pointer())
        });
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let text = str::from_utf8(&self.bytes[start..self.at]).expect("a number is ASCII");
        Ok(Value::Number(Number(text.into())))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.fault("a digit")) } else { Ok(()) }
    }

    fn deeper(&self, depth: usize) -> Result<(), Fault> {
        if depth <= DEPTH {
            return Ok(());
        }
        Err(Fault { kind: FaultKind::TooDeep, offset: self.at, expected: "512 levels" })
    }

    fn array(&mut self, path: &Path<'_>, depth: usize) -> Result<Value, Fault> {
        self.deeper(depth)?;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_whitespace();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(&Path::Item(path, items.len()), depth)?);
            self.skip_whitespace();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.fault("\",\" or \"]\""));
            }
        }
    }

    fn object(&mut self, path: &Path<'_>, depth: usize) -> Result<Value, Fault> {
        self.deeper(depth)?;
        self.at += 1;
        let mut members = Vec::new();
        self.skip_whitespace();
        if self.eat(b'}') {
            return Ok(Value::Object(Object(members)));
        }
        loop {
            members.push(self.member(path, depth)?);
            self.skip_whitespace();
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.fault("\",\" or \"}\""));
            }
        }
        self.flag_duplicates(&members, path);
        Ok(Value::Object(Object(members)))
    }

    fn member(&mut self, path: &Path<'_>, depth: usize) -> Result<(String, Value), Fault> {
        self.skip_whitespace();
        if self.peek() != Some(b'"') {
            return Err(self.fault("a member name in double quotes"));
        }
        let name = self.string(path)?;
        self.skip_whitespace();
        if !self.eat(b':') {
            return Err(self.fault("\":\""));
        }
        let value = self.value(&Path::Member(path, &name), depth)?;
        Ok((name, value))
    }

    fn flag_duplicates(&mut self, members: &[(String, Value)], path: &Path<'_>) {
        let mut flag = |name: &str| {
            self.log.add(DeviationKind::DuplicateMember, |kind| {
                let detail = format!("member {} stands twice in one object", quoted(name));
                Deviation::new(kind, detail).on(Path::Member(path, name).pointer())
            });
        };
        if members.len() <= 16 {
            for (at, (name, _)) in members.iter().enumerate() {
                if members[..at].iter().any(|(earlier, _)| earlier == name) {
                    flag(name);
                }
            }
            return;
        }
        let mut seen = HashSet::with_capacity(members.len());
        for (name, _) in members {
            if !seen.insert(name.as_str()) {
                flag(name);
            }
        }
    }

    /// Reads a string from its opening quote; the path blames the value or the object that has the name.
    fn string(&mut self, path: &Path<'_>) -> Result<String, Fault> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let run = &self.bytes[self.at..];
            let run = &run[..scan::plain_len(run)];
            self.text(run, &mut text, path);
            self.at += run.len();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape(path)?),
                Some(control) => {
                    self.flag_control(control, path);
                    text.push(char::from(control));
                    self.at += 1;
                }
                None => return Err(self.fault("the closing quote of a string")),
            }
        }
    }

    fn flag_control(&mut self, control: u8, path: &Path<'_>) {
        let offset = self.at;
        self.log.add(DeviationKind::ControlCharacter, |kind| {
            let detail = format!("control character 0x{control:02X} stands unescaped in a string");
            Deviation::new(kind, detail).at(offset).on(path.pointer())
        });
    }

    fn text(&mut self, run: &[u8], text: &mut String, path: &Path<'_>) {
        if let Ok(valid) = str::from_utf8(run) {
            text.push_str(valid);
            return;
        }
        let mut offset = self.at;
        for chunk in run.utf8_chunks() {
            text.push_str(chunk.valid());
            offset += chunk.valid().len();
            let Some(byte) = chunk.invalid().first() else { continue };
            text.push(char::REPLACEMENT_CHARACTER);
            self.log.add(DeviationKind::InvalidUtf8, |kind| {
                let detail = format!("byte 0x{byte:02X} at offset {offset} is not UTF-8");
                Deviation::new(kind, detail).at(offset).on(path.pointer())
            });
            offset += chunk.invalid().len();
        }
    }

    fn escape(&mut self, path: &Path<'_>) -> Result<char, Fault> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.peek() else { return Err(self.fault("the rest of an escape")) };
        let plain = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode_escape(start, path);
            }
            _ => return Err(self.fault("an escape of JSON")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self, start: usize, path: &Path<'_>) -> Result<char, Fault> {
        let first = self.hex4()?;
        if let Some(char) = char::from_u32(first) {
            return Ok(char);
        }
        if first < 0xDC00 && self.bytes[self.at..].starts_with(b"\\u") {
            let behind_first = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).expect("a pair of surrogates is a character"));
            }
            self.at = behind_first;
        }
        self.log.add(DeviationKind::LoneSurrogate, |kind| {
            let detail = format!("escape \\u{first:04x} is half of a surrogate pair");
            Deviation::new(kind, detail).at(start).on(path.pointer())
        });
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.fault("a hex digit"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// Quotes a text from outside for a detail, shortened and with nothing in it that a terminal obeys.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", Excerpt::around(text.as_bytes(), None, 60))
}
