//! Recognises messages framed by `Content-Length` headers, as LSP does and MCP does not.

use crate::json::BOM;

/// Bytes of headers before a body that are followed at most.
pub(crate) const MAX: usize = 4096;

/// A header block, and how many bytes it announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Bytes up to the body, the blank line included.
    pub(crate) header: usize,
    /// Bytes of the body as announced.
    pub(crate) body: usize,
}

/// Finds a whole header block at the start of `bytes`; a byte order mark before it counts as part of it.
pub(crate) fn block(bytes: &[u8]) -> Option<Block> {
    let mut body = None;
    let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    // Both headers that open a block start so; other lines need no second look.
    if !bytes.get(at)?.eq_ignore_ascii_case(&b'c') {
        return None;
    }
    for line in bytes[at..bytes.len().min(MAX)].split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        let content = line.strip_suffix(b"\n")?;
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        if content.is_empty() {
            return Some(Block { header: at, body: body? });
        }
        if !is_header(content) {
            return None;
        }
        body = length(content).or(body);
    }
    None
}

/// Tells whether a line can open a header block.
pub(crate) fn opens(line: &[u8]) -> bool {
    length(line).is_some() || (is_header(line) && starts_with_name(line, b"content-type"))
}

/// Tells whether a line has the form `Name: value`.
pub(crate) fn is_header(line: &[u8]) -> bool {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return false };
    colon > 0 && line[..colon].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn length(line: &[u8]) -> Option<usize> {
    if !starts_with_name(line, b"content-length") {
        return None;
    }
    str::from_utf8(&line[b"content-length:".len()..]).ok()?.trim().parse().ok()
}

fn starts_with_name(line: &[u8], name: &[u8]) -> bool {
    line.len() > name.len() && line[name.len()] == b':' && line[..name.len()].eq_ignore_ascii_case(name)
}
