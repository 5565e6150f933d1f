//! Everything that can be wrong with bytes that were still understood, by name.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $name:literal,)*) => {
        /// What is wrong with a frame.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DeviationKind {
            $($(#[$doc])* $kind,)*
        }

        impl DeviationKind {
            /// Lists every kind in its order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Names it for reports and machine output.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

// One list makes the enum, its names and `ALL`, so that none can lack an entry.
kinds! {
    /// The stream or line opens with U+FEFF.
    ByteOrderMark => "byte-order-mark",
    /// The line ends in CR LF.
    CarriageReturn => "carriage-return",
    /// A line with nothing on it.
    BlankLine => "blank-line",
    /// The line is not JSON: a banner, a log line, a stack trace.
    NotJson => "not-json",
    /// The line is JSON but no JSON-RPC message: a JSON log line, a bare value.
    NotEnvelope => "not-envelope",
    /// The message is framed by `Content-Length` headers as in LSP.
    ContentLengthFraming => "content-length-framing",
    /// The message is spread over several lines.
    EmbeddedNewline => "embedded-newline",
    /// The bytes are not UTF-8.
    InvalidUtf8 => "invalid-utf8",
    /// `NaN`, `Infinity` or `-Infinity` stands where JSON wants a number.
    NotANumber => "not-a-number",
    /// An escape such as `\ud800` without its partner.
    LoneSurrogate => "lone-surrogate",
    /// An object names a member twice.
    DuplicateMember => "duplicate-member",
    /// A control character such as a raw tab stands unescaped in a string.
    ControlCharacter => "control-character",
    /// Bytes follow the JSON value on the same line.
    TrailingBytes => "trailing-bytes",
    /// `jsonrpc` is absent.
    JsonrpcMissing => "jsonrpc-missing",
    /// `jsonrpc` is not the string `2.0`.
    JsonrpcWrong => "jsonrpc-wrong",
    /// A request has the id `null`.
    IdNull => "id-null",
    /// An id is a number with a fraction or an exponent.
    IdFloat => "id-float",
    /// An id is a boolean.
    IdBoolean => "id-boolean",
    /// An id is an object or an array.
    IdStructured => "id-structured",
    /// A response has the id of its request in another spelling: as another JSON type, or as 1.0 for 1.
    IdChanged => "id-changed",
    /// A response has no id.
    IdMissing => "id-missing",
    /// A response has `result` and `error`.
    ResultAndError => "result-and-error",
    /// A response has neither `result` nor `error`.
    NeitherResultNorError => "neither-result-nor-error",
    /// `result` is not an object.
    ResultNotObject => "result-not-object",
    /// `error` is not an object.
    ErrorNotObject => "error-not-object",
    /// `error.code` is absent or not an integer.
    ErrorCodeNotInteger => "error-code-not-integer",
    /// `error.message` is absent or not a string.
    ErrorMessageMissing => "error-message-missing",
    /// `params` is neither an object nor an array.
    ParamsNotStructured => "params-not-structured",
    /// `params` is an array, which JSON-RPC allows and MCP does not.
    ParamsArray => "params-array",
    /// `method` is not a string.
    MethodNotString => "method-not-string",
    /// A response has `method` too.
    MethodAndOutcome => "method-and-outcome",
    /// Several messages in one JSON array.
    Batch => "batch",
    /// The stream ended without a newline after the last message.
    MissingFinalNewline => "missing-final-newline",
    /// The line is longer than the limit; the rest was dropped.
    LineTooLong => "line-too-long",
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
