//! Reads texts that a user names, none of them without end. What they mean is said by whoever asked.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// How large a text may be, in bytes.
const LARGEST: u64 = 256 << 20;

/// Reads the text at `path`, be it a file or what a shell puts in place of one.
///
/// # Errors
/// When it cannot be read, is no UTF-8, or is larger than anybody writes.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    File::open(path).and_then(read_all)
}

/// Reads all of `from`, unless it does not end.
///
/// # Errors
/// As `read`.
pub(crate) fn read_all(from: impl io::Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_read_to_a_limit_only() {
        let error = read_all(io::repeat(b'a')).expect_err("it has no end");
        assert_eq!(error.to_string(), "it is larger than 256 MiB");
        assert_eq!(read_all(&b"text"[..]).expect("it is short"), "text");
    }
}
