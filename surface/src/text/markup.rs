//! Finds markup of prompts in a text. Emphasis alone is none.

use super::commands::MARKUP;
use super::injection::{Order, at_place};
use super::phrase::words;

/// Markup that is none of a description's business, whatever stands around it.
const MARKS: &[&str] = &[
    "<!--",
    "<|im_start|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "[/inst]",
    "<<sys>>",
    "[system]",
    "<system-reminder",
    "<function_calls",
    "<tool_result",
];

/// Tags that may also be placeholders, as in `Authorization: <secret>`. With an end they are none.
const TAGS: &[&str] = &["system", "secret", "hidden", "admin", "override", "assistant", "developer"];

/// Tags that stress what stands in them.
const STRESS: &[&str] = &["<important", "<critical", "<instructions", "<instruction", "</important"];

/// Words that stressed text has no honest use for in a description.
const LOADED: &[&str] = &[
    "ignore",
    "disregard",
    "bypass",
    "secretly",
    "silently",
    "quietly",
    "hide",
    "conceal",
    "unaware",
    "transcript",
    "credentials",
    "credential",
    "passwords",
    "ssh",
    "id_rsa",
    "bcc",
    "exfiltrate",
    "curl",
    "wget",
    "sidenote",
];
/// So many words after a tag are looked at.
const STRESSED: usize = 200;

/// Finds markup in `text`; `given` says whether the text gives orders besides.
pub(super) fn marks(text: &str, given: bool) -> Vec<Order> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains(['<', '[']) {
        return Vec::new();
    }
    let whole = MARKS.iter().filter_map(|mark| Some((*mark, lower.find(mark)?)));
    let tags = TAGS.iter().filter_map(|tag| {
        let start = lower.find(&format!("<{tag}>"))?;
        lower[start..].contains(&format!("</{tag}>")).then_some((*tag, start))
    });
    let stress = STRESS.iter().filter_map(|mark| Some((*mark, lower.find(mark)?)));
    let stress = stress.filter(|(mark, start)| given || is_loaded(&lower[start + mark.len()..]));
    let order = |(mark, start): (&str, usize)| Order {
        words: mark.to_owned(),
        ..at_place(MARKUP, text, start, start + mark.len())
    };
    whole.chain(tags).chain(stress).map(order).collect()
}

/// Emphasis is no order; what is stressed may be one that no phrase is known for.
fn is_loaded(stressed: &str) -> bool {
    let end = stressed.find("</").unwrap_or(stressed.len());
    words(&stressed[..end]).iter().take(STRESSED).any(|word| LOADED.contains(&word.text.as_str()))
}
