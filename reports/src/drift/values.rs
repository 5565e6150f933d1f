//! Decides what is worth to be shown of the values of a change, and how its message reads then.

use super::spell::value;
use super::worddiff::{self, Part};
use serde_json::Value;
use surface::{Area, Change};

/// What to show of the values of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The message says it all, or they are too long to be read.
    Nothing,
    /// A text whose words are the same.
    Layout,
    /// The words of a text that went and came.
    Words(Vec<Part>),
    /// The values as they were and are, where there was and is one.
    Values(Option<String>, Option<String>),
}

/// Says what to show of `change`; values of more than `limit` characters are not.
pub(crate) fn shown(change: &Change, limit: usize) -> Shown {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    if let (Some(Value::String(old)), Some(Value::String(new))) = (before, after) {
        if is_quoted(change) {
            return Shown::Nothing;
        }
        let is_text = change.rule.area == Area::Text || has_words(change);
        if is_text || old.len() + new.len() > limit {
            let parts = worddiff::diff(old, new);
            return if worddiff::is_same(&parts) { Shown::Layout } else { Shown::Words(parts) };
        }
    }
    // What is cut says so at its end, and counts as too long.
    let spelled = |it: &Value| value(it, limit.saturating_add(1));
    let (old, new) = (before.map(spelled), after.map(spelled));
    let all = || old.iter().chain(&new);
    let is_long = all().any(|it| it.chars().count() > limit);
    if is_long || all().all(|it| is_told(&change.message, it)) {
        return Shown::Nothing;
    }
    Shown::Values(old, new)
}

/// The message of `change` without the words that went and came, where these are shown beside it.
pub(crate) fn message(change: &Change) -> &str {
    match change.message.find(": \"") {
        Some(at) if has_words(change) => &change.message[..at],
        _ => &change.message,
    }
}

/// Tells whether the message shows words that went and came of two texts.
fn has_words(change: &Change) -> bool {
    let texts = matches!((&change.before, &change.after), (Some(Value::String(_)), Some(Value::String(_))));
    let marked = |rest: &str| rest.contains("[-") || rest.contains("{+");
    texts && change.message.split_once(": \"").is_some_and(|(_, rest)| marked(rest))
}

/// Tells whether the message quotes what matters of a text: the order to a model, not the text around it.
fn is_quoted(change: &Change) -> bool {
    change.rule.area == Area::Text && change.message.contains(": \"") && !has_words(change)
}

/// Tells whether `message` has `value` in it as a word of its own.
fn is_told(message: &str, value: &str) -> bool {
    let bare = value.trim_matches('"');
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '-');
    !bare.is_empty()
        && message.match_indices(bare).any(|(at, _)| {
            !is_part(message[..at].chars().next_back()) && !is_part(message[at + bare.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples::{DESCRIPTION, REQUIRED};
    use serde_json::json;
    use surface::Rule;

    fn change(rule: &'static Rule, message: &str, before: Value, after: Value) -> Change {
        let given = |value: Value| Some(value).filter(|value| !value.is_null());
        Change::of(rule, "/tools/a", message).from_to(given(before).as_ref(), given(after).as_ref())
    }

    fn values(old: &str, new: &str) -> Shown {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Shown::Values(given(old), given(new))
    }

    #[test]
    fn values_are_shown_where_they_are_short_and_the_message_lacks_them() {
        let of = |message: &str, before, after| shown(&change(&REQUIRED, message, before, after), 20);
        assert_eq!(of("`x` is new", Value::Null, json!({ "a": 1 })), values("", r#"{"a":1}"#));
        assert_eq!(of("another limit", json!(1), json!(10)), values("1", "10"));
        assert_eq!(of("`x10` was 1 and is 10", json!(1), json!(10)), Shown::Nothing);
        assert_eq!(of("`x10` was 1", json!(1), json!(10)), values("1", "10"));
        assert_eq!(of("`a` is now `b`", json!("a"), json!("b")), Shown::Nothing);
        assert_eq!(of("it grew", json!("a"), json!(["x".repeat(30)])), Shown::Nothing);
        assert_eq!(of("gone", Value::Null, Value::Null), Shown::Nothing);
    }

    #[test]
    fn of_texts_the_words_are_shown_once() {
        let of = |message: &str, old: &str, new: &str| {
            let change = change(&DESCRIPTION, message, json!(old), json!(new));
            (message_of(&change), shown(&change, 20))
        };
        let words =
            |text: &str| vec![Part::Same("a".into()), Part::Gone("b".into()), Part::Come(text.into())];
        let told = of("the words of `t` changed: \"a [-b-] {+c …+}\"", "a b", "a c d");
        assert_eq!(told, ("the words of `t` changed".into(), Shown::Words(words("c d"))));
        assert_eq!(of("other words", "a b", "a c").1, Shown::Words(words("c")));
        assert_eq!(of("the layout changed", "a b", "a\nb").1, Shown::Layout);
        let quoted = "it gives an order: \"do c\"";
        assert_eq!(of(quoted, "a b", "a b do c"), (quoted.into(), Shown::Nothing));
    }

    fn message_of(change: &Change) -> String {
        message(change).to_owned()
    }
}
