//! One spelling for each JSON value, and its hash. Order of members and spelling of numbers carry no meaning.

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Writes `value` on one line with sorted members and one spelling per number (`1.0` is `1`).
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Number(number) => out.push_str(&spell(number)),
        Value::Array(items) => {
            out.push('[');
            for (idx, item) in items.iter().enumerate() {
                comma(out, idx);
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (idx, (key, member)) in sorted.into_iter().enumerate() {
                comma(out, idx);
                let _ = write!(out, "{}:", Value::from(key.as_str()));
                write(out, member);
            }
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

fn comma(out: &mut String, idx: usize) {
    if idx > 0 {
        out.push(',');
    }
}

/// The largest integer below which every whole `f64` is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) fn spell(number: &Number) -> String {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 fits")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            (float as i64).to_string()
        }
        _ => number.to_string(),
    }
}

/// The SHA-256 of the canonical text, in hex.
pub fn content_hash(value: &Value) -> String {
    hex(&Sha256::digest(canonical(value).as_bytes()))
}

/// Spells bytes in lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Tells whether two values mean the same, whatever their spelling.
pub fn same_value(left: &Value, right: &Value) -> bool {
    left == right || canonical(left) == canonical(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spelling_and_order_carry_no_meaning() {
        let left: Value = serde_json::from_str(r#"{"b":1.0,"a":[1e2,-0.0]}"#).unwrap();
        let right: Value = serde_json::from_str(r#"{"a":[100,0],"b":1}"#).unwrap();
        assert_eq!(canonical(&left), r#"{"a":[100,0],"b":1}"#);
        assert!(same_value(&left, &right));
    }

    #[test]
    fn different_values_have_different_hashes() {
        assert_ne!(content_hash(&json!([1, 2])), content_hash(&json!([2, 1])));
        assert_ne!(content_hash(&json!("1")), content_hash(&json!(1)));
    }
}
