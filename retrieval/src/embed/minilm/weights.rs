//! Reads tensors out of the bytes of a safetensors file. Which tensors there must be stands in the encoder.

use crate::embed::EmbedError;
use serde_json::{Map, Value};
use std::path::Path;

/// A safetensors file: the length of a JSON header, the header with the place of each tensor, the tensors.
pub(super) struct Tensors<'a> {
    file: &'a Path,
    header: Map<String, Value>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Reads the header; `file` is for messages.
    pub(super) fn read(bytes: &'a [u8], file: &'a Path) -> Result<Self, EmbedError> {
        let wrong = |what: &str| EmbedError::Model(format!("`{}` {what}", file.display()));
        let (length, rest) = bytes.split_first_chunk().ok_or_else(|| wrong("is cut short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (header, data) = rest.split_at_checked(length).ok_or_else(|| wrong("is cut short"))?;
        let header =
            serde_json::from_slice(header).map_err(|_| wrong("has no header of a safetensors file"))?;
        Ok(Self { file, header, data })
    }

    /// Gives the numbers of the tensor `name`, which must have the shape `shape`.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let wrong =
            |what: String| EmbedError::Model(format!("`{}`, tensor `{name}`: {what}", self.file.display()));
        let about = self.header.get(name).ok_or_else(|| wrong("is missing".into()))?;
        let expected = serde_json::json!(shape);
        if about["dtype"] != "F32" || about["shape"] != expected {
            let (kind, seen) = (&about["dtype"], &about["shape"]);
            return Err(wrong(format!("is {kind} {seen}, expected \"F32\" {expected}")));
        }
        let place = |at: usize| usize::try_from(about["data_offsets"][at].as_u64()?).ok();
        let bytes = place(0).zip(place(1)).and_then(|(start, end)| self.data.get(start..end));
        let length = shape.iter().product::<usize>() * 4;
        let bytes = bytes
            .filter(|bytes| bytes.len() == length)
            .ok_or_else(|| wrong("does not lie within the file".into()))?;
        let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("chunks are 4 bytes long"));
        Ok(bytes.chunks_exact(4).map(number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn told(bytes: &[u8]) -> String {
        let result = Tensors::read(bytes, Path::new("m")).and_then(|tensors| tensors.get("a", &[2]));
        result.map(|numbers| format!("{numbers:?}")).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_tensor_is_read_and_what_is_wrong_with_it_is_told() {
        let data = [1.0_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat();
        let header = |about: &str| format!(r#"{{"a": {{{about}}}}}"#);
        let good = header(r#""dtype": "F32", "shape": [2], "data_offsets": [0, 8]"#);
        assert_eq!(told(&file(&good, &data)), "[1.0, 2.0]");
        assert_eq!(told(&file(&good, &data[..7])), "`m`, tensor `a`: does not lie within the file");
        let half = header(r#""dtype": "F16", "shape": [2], "data_offsets": [0, 4]"#);
        assert_eq!(told(&file(&half, &data)), r#"`m`, tensor `a`: is "F16" [2], expected "F32" [2]"#);
        assert_eq!(told(&file("{}", &data)), "`m`, tensor `a`: is missing");
        let back = header(r#""dtype": "F32", "shape": [2], "data_offsets": [8, 0]"#);
        assert_eq!(told(&file(&back, &data)), "`m`, tensor `a`: does not lie within the file");
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        assert_eq!(told(b"abc"), "`m` is cut short");
        assert_eq!(told(&[0xff; 20]), "`m` is cut short");
        assert_eq!(told(&file("not JSON", b"")), "`m` has no header of a safetensors file");
    }
}
