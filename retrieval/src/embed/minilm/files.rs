//! Which files the model consists of, and whether those in a folder are the ones. Where they come from stands in `fetch`.

use crate::embed::EmbedError;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A file of the model as it is known.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile {
    /// Its name in the folder and on the hub.
    pub name: &'static str,
    /// Its length.
    pub bytes: u64,
    /// Its hash, in hexadecimal digits.
    pub sha256: &'static str,
}

pub(super) const WEIGHTS: KnownFile = KnownFile {
    name: "model.safetensors",
    bytes: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};

/// The files of the model.
pub const FILES: [KnownFile; 3] = [
    WEIGHTS,
    KnownFile {
        name: "vocab.txt",
        bytes: 231_508,
        sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    KnownFile {
        name: "config.json",
        bytes: 612,
        sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
];

/// Holds every file of the model in `folder` against its known length and hash.
///
/// # Errors
/// When one is missing, cannot be read, or is another.
pub fn verify(folder: &Path) -> Result<(), EmbedError> {
    FILES.iter().try_for_each(|known| known.read(folder).map(drop))
}

/// Reads the weights, which are the known ones. The other two files say nothing that is not built in.
pub(super) fn read_weights(folder: &Path) -> Result<Vec<u8>, EmbedError> {
    WEIGHTS.read(folder)
}

impl KnownFile {
    /// Reads the file in `folder`, if it is the known one.
    pub(crate) fn read(&self, folder: &Path) -> Result<Vec<u8>, EmbedError> {
        let path = folder.join(self.name);
        let wrong = |what: String| EmbedError::Model(format!("`{}`: {what}", path.display()));
        // Opening a pipe might never end.
        if std::fs::metadata(&path).is_ok_and(|known| !known.is_file()) {
            return Err(wrong("is no regular file".to_owned()));
        }
        let file = File::open(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0) + 1);
        // One byte more than expected is enough to tell that there are too many.
        let read = file.take(self.bytes + 1).read_to_end(&mut bytes);
        read.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 != self.bytes {
            let relation = if bytes.len() as u64 > self.bytes { "more" } else { "fewer" };
            return Err(wrong(format!("has {relation} than the {} bytes of the known file", self.bytes)));
        }
        let seen = hex(&Sha256::digest(&bytes));
        if seen != self.sha256 {
            return Err(wrong(format!("has the sha256 {seen}, expected {}", self.sha256)));
        }
        Ok(bytes)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: KnownFile = KnownFile {
        name: "small",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    fn told(content: Option<&[u8]>) -> String {
        let folder = tempfile::tempdir().expect("a folder for a test");
        if let Some(content) = content {
            std::fs::write(folder.path().join("small"), content).expect("a file for a test");
        }
        let told = SMALL.read(folder.path()).map(|bytes| format!("{bytes:?}"));
        let told = told.unwrap_or_else(|error| error.to_string());
        told.replace(&folder.path().display().to_string(), "DIR")
    }

    #[test]
    fn only_the_known_file_is_read() {
        assert_eq!(told(Some(b"abc")), "[97, 98, 99]");
        let other = told(Some(b"abd"));
        assert!(other.starts_with("`DIR/small`: has the sha256 a52d159f"), "{other}");
        assert!(other.ends_with(&format!("expected {}", SMALL.sha256)), "{other}");
        assert_eq!(told(Some(b"ab")), "`DIR/small`: has fewer than the 3 bytes of the known file");
        assert_eq!(told(Some(b"abcd")), "`DIR/small`: has more than the 3 bytes of the known file");
        let folder = tempfile::tempdir().expect("a folder for a test");
        std::fs::create_dir(folder.path().join("small")).expect("a folder for a test");
        let error = SMALL.read(folder.path()).expect_err("a folder is no file");
        assert!(error.to_string().ends_with("small`: is no regular file"), "{error}");
        assert!(told(None).starts_with("`DIR/small`: cannot be read: "), "{}", told(None));
    }
}
