//! Everything that can be wrong with bytes that were still understood, by name.

use std::fmt;

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviationKind {
    /// The stream or line opens with U+FEFF.
    ByteOrderMark,
    /// The line ends in CR LF.
    CarriageReturn,
    /// A line with nothing on it.
    BlankLine,
    /// The line is not JSON: a banner, a log line, a stack trace.
    NotJson,
    /// The line is JSON but no JSON-RPC message: a JSON log line, a bare value.
    NotEnvelope,
    /// The message is framed by `Content-Length` headers as in LSP.
    ContentLengthFraming,
    /// The message is spread over several lines.
    EmbeddedNewline,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// `NaN`, `Infinity` or `-Infinity` stands where JSON wants a number.
    NotANumber,
    /// An escape such as `\ud800` without its partner.
    LoneSurrogate,
    /// An object names a member twice.
    DuplicateMember,
    /// A control character such as a raw tab stands unescaped in a string.
    ControlCharacter,
    /// Bytes follow the JSON value on the same line.
    TrailingBytes,
    /// `jsonrpc` is absent.
    JsonrpcMissing,
    /// `jsonrpc` is not the string `2.0`.
    JsonrpcWrong,
    /// A request has the id `null`.
    IdNull,
    /// An id is a number with a fraction or an exponent.
    IdFloat,
    /// An id is a boolean.
    IdBoolean,
    /// An id is an object or an array.
    IdStructured,
    /// A response has no id.
    IdMissing,
    /// A response has `result` and `error`.
    ResultAndError,
    /// A response has neither `result` nor `error`.
    NeitherResultNorError,
    /// `result` is not an object.
    ResultNotObject,
    /// `error` is not an object.
    ErrorNotObject,
    /// `error.code` is absent or not an integer.
    ErrorCodeNotInteger,
    /// `error.message` is absent or not a string.
    ErrorMessageMissing,
    /// `params` is neither an object nor an array.
    ParamsNotStructured,
    /// `params` is an array, which JSON-RPC allows and MCP does not.
    ParamsArray,
    /// `method` is not a string.
    MethodNotString,
    /// Several messages in one JSON array.
    Batch,
    /// The stream ended without a newline after the last message.
    MissingFinalNewline,
    /// The line is longer than the limit; the rest was dropped.
    LineTooLong,
}

/// One thing that is wrong with a frame, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// What is wrong.
    pub kind: DeviationKind,
    /// Byte offset in the frame, where one byte is to blame.
    pub offset: Option<usize>,
    /// JSON pointer of the value to blame, where there is one.
    pub pointer: Option<String>,
    /// What was seen, in a few words: `id is 1.0`, `byte 0xE9 at offset 51`.
    pub detail: String,
}

impl Deviation {
    /// Names a deviation of the whole frame.
    pub fn new(kind: DeviationKind, detail: impl Into<String>) -> Self {
        Self { kind, offset: None, pointer: None, detail: detail.into() }
    }

    /// Adds the byte offset.
    #[must_use]
    pub fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Adds the JSON pointer.
    #[must_use]
    pub fn on(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}
