//! Where two JSON values differ, place by place, and how that is shown in lines.

use crate::canonical::same_value;
use crate::change::pointer;
use serde_json::Value;

/// Places after which a comparison stops: nobody reads more.
const MOST: usize = 200;

/// Lines of one value that are shown.
const LINES: usize = 40;

/// One place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, as a JSON pointer.
    pub path: String,
    /// What stands there on the one side.
    pub before: Option<Value>,
    /// What stands there on the other.
    pub after: Option<Value>,
}

/// Finds where `before` and `after` differ, in their order, the first 200 places. Items of arrays are matched from both ends.
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", Some(before), Some(after), &mut found);
    found
}

fn walk(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    if found.len() >= MOST {
        return;
    }
    match (before, after) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            for (key, value) in one {
                walk(&pointer(path, key), Some(value), other.get(key), found);
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                walk(&pointer(path, key), None, Some(value), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => arrays(path, one, other, found),
        (None, None) => {}
        (Some(one), Some(other)) if is_leaf(one) && is_leaf(other) && same_value(one, other) => {}
        _ => found.push(Difference { path: path.to_owned(), before: before.cloned(), after: after.cloned() }),
    }
}

/// What was put in or taken out in the middle must not make all items after it differ.
fn arrays(path: &str, one: &[Value], other: &[Value], found: &mut Vec<Difference>) {
    let at = |idx: usize| pointer(path, &idx.to_string());
    if one.len() == other.len() {
        for (idx, (before, after)) in one.iter().zip(other).enumerate() {
            walk(&at(idx), Some(before), Some(after), found);
        }
        return;
    }
    let first = one.iter().zip(other).take_while(|(one, other)| same_value(one, other)).count();
    let (one, other) = (&one[first..], &other[first..]);
    let same_end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| same_value(one, other));
    let last = same_end.count();
    let (one, other) = (&one[..one.len() - last], &other[..other.len() - last]);
    for idx in 0..one.len().max(other.len()) {
        walk(&at(first + idx), one.get(idx), other.get(idx), found);
    }
}

fn is_leaf(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_))
}

/// Shows differences as lines: the place, then what stood there with `-` and what stands there with `+`.
pub fn in_lines(differences: &[Difference]) -> Vec<String> {
    let mut lines = Vec::new();
    for one in differences {
        lines.push(if one.path.is_empty() { "(the whole)".to_owned() } else { one.path.clone() });
        match (&one.before, &one.after) {
            (Some(Value::String(before)), Some(Value::String(after)))
                if before.contains('\n') || after.contains('\n') =>
            {
                text_lines(before, after, &mut lines);
            }
            (before, after) => {
                value_lines('-', before.as_ref(), &mut lines);
                value_lines('+', after.as_ref(), &mut lines);
            }
        }
    }
    if differences.len() >= MOST {
        lines.push(format!("(only the first {MOST} places are shown)"));
    }
    lines
}

fn value_lines(mark: char, value: Option<&Value>, lines: &mut Vec<String>) {
    let Some(value) = value else { return };
    // Pretty JSON indents by two blanks.
    let text = format!("{value:#}");
    shortened(text.lines().map(|line| format!("{mark} {line}")).collect(), lines);
}

/// Lines of two texts, without those they share at both ends.
fn text_lines(before: &str, after: &str, lines: &mut Vec<String>) {
    let (one, other): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
    let first = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let (rest, others) = (&one[first..], &other[first..]);
    let last = rest.iter().rev().zip(others.iter().rev()).take_while(|(one, other)| one == other).count();
    let line = |mark: char, text: &&str| format!("{mark} {}", Value::from(*text));
    if first > 0 {
        lines.push(line(' ', &one[first - 1]));
    }
    shortened(rest[..rest.len() - last].iter().map(|text| line('-', text)).collect(), lines);
    shortened(others[..others.len() - last].iter().map(|text| line('+', text)).collect(), lines);
    if last > 0 {
        lines.push(line(' ', &one[one.len() - last]));
    }
}

fn shortened(mut new: Vec<String>, lines: &mut Vec<String>) {
    let more = new.len().saturating_sub(LINES);
    new.truncate(LINES);
    lines.append(&mut new);
    if more > 0 {
        lines.push(format!("  ({more} more lines)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(before: Value, after: Value, expected: &[&str]) {
        assert_eq!(in_lines(&differences(&before, &after)), expected);
    }

    #[test]
    fn only_what_differs_is_shown_with_its_place() {
        check(json!({"a": {"b": 1, "c": 2.0}}), json!({"a": {"b": 3, "c": 2}}), &["/a/b", "- 1", "+ 3"]);
        check(json!({"a": 1}), json!({"b/c": null}), &["/a", "- 1", "/b~1c", "+ null"]);
        check(json!([1]), json!({}), &["(the whole)", "- [", "-   1", "- ]", "+ {}"]);
    }

    #[test]
    fn an_item_put_in_leaves_the_others_alone() {
        check(json!(["a", "c", "d"]), json!(["a", "b", "c", "d"]), &["/1", "+ \"b\""]);
    }

    #[test]
    fn long_texts_are_compared_by_line() {
        let expected = ["(the whole)", "  \"one\"", "- \"two\"", "+ \"2\"", "  \"three\""];
        check(json!("one\ntwo\nthree\n"), json!("one\n2\nthree\n"), &expected);
    }

    #[test]
    fn a_flood_of_differences_is_cut() {
        let many = |from: usize| Value::from((from..from + 1000).collect::<Vec<_>>());
        assert!(in_lines(&differences(&many(0), &many(5000))).last().unwrap().contains("first 200"));
    }
}
