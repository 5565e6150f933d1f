//! Small pieces of wording that findings share.

use std::time::Duration;

/// Shortens `text` to `width` characters with an ellipsis.
pub(crate) fn short(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let cut: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{cut}...")
}

/// Quotes a foreign string, shortened, with control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", short(text, 80))
}

/// Prints a duration as people say it: `120 ms`, `3 s`, `2.5 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    let ms = duration.as_millis();
    match ms {
        0..1000 => format!("{ms} ms"),
        _ if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

/// Picks the singular or plural form: `1 tool`, `2 tools`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// Lists a few items with commas and says how many were left out.
pub(crate) fn listed<T: ToString>(items: &[T]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<_> = items.iter().take(SHOWN).map(ToString::to_string).collect();
    if items.len() > SHOWN {
        words.push(format!("and {} more", items.len() - SHOWN));
    }
    words.join(", ")
}
