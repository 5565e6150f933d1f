//! Phrases with alternatives and gaps, and the words of a text they are looked for in. Which phrases are looked for stands in `injection`.

use super::confusable::latin_word;
use super::hidden::is_hidden;
use unicode_normalization::char::is_combining_mark;

/// A word of a text, in lower case and with Latin letters where lookalikes stood.
#[derive(Debug)]
pub(super) struct Word {
    /// How it is compared.
    pub(super) text: String,
    /// Where it starts in the text, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Whether a sentence begins with it.
    pub(super) begins: bool,
    /// Whether it is written as the name of a function or tool: `send_mail`, `sendMail`, `send-mail`.
    pub(super) is_name: bool,
}

/// Splits `text` into words. `don't` gives two.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut at = 0;
    while let Some(length) = text[at..].find(is_in_word) {
        let start = at + length;
        let begins = at == 0 || ends_sentence(&text[at..start]);
        let end = text[start..].find(|char| !is_in_word(char)).map_or(text.len(), |length| start + length);
        let written = &text[start..end];
        let is_name = is_identifier(written) || is_camel_call(written);
        for (idx, part) in parts(written).into_iter().enumerate() {
            out.push(Word { text: part, start, end, begins: begins && idx == 0, is_name });
        }
        at = end;
    }
    out
}

fn is_in_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '\'' | '’') || is_hidden(char) || is_combining_mark(char)
}

fn ends_sentence(between: &str) -> bool {
    let stops = |(at, char): (usize, char)| {
        matches!(char, '.' | '!' | '?' | ';')
            && between[at + char.len_utf8()..].starts_with(|next: char| next.is_whitespace() || next == '"')
            || char == '。'
    };
    between.char_indices().any(stops)
        || between.contains("\n\n")
        || between.contains("\n-")
        || between.contains("\n*")
}

fn parts(word: &str) -> Vec<String> {
    let shown: String = word.chars().filter(|char| !is_hidden(*char)).collect();
    let shown = shown.replace('’', "'").to_lowercase();
    let word = latin_word(&shown).unwrap_or(shown);
    let word = word.trim_matches('\'');
    match word {
        "cannot" | "can't" => vec!["can".to_owned(), "not".to_owned()],
        "dont" => vec!["do".to_owned(), "not".to_owned()],
        _ => match word.strip_suffix("n't") {
            Some(verb) => vec![verb.to_owned(), "not".to_owned()],
            None => vec![word.to_owned()],
        },
    }
}

/// Whose name a word of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Another listed tool than the one that the text belongs to.
    Sibling,
    /// Any other name of the server.
    Own,
    /// None, but close to one of an item: misspelt, or with another prefix.
    Kin,
    /// Nobody the server knows.
    Foreign,
}

/// What stands for the opener of a phrase that begins with a name.
pub(super) const ANY_NAME: &str = "$";

fn is_elsewhere(owner: Owner) -> bool {
    matches!(owner, Owner::Foreign | Owner::Kin)
}

#[derive(Debug)]
enum Step {
    OneOf(Vec<&'static str>),
    Perhaps(Vec<&'static str>),
    Gap(u32),
    Foreign,
    ForeignCall,
    Sibling,
}

/// A sequence of words: `a|b` is one of them, `?a|b` one or none, `~3` at most three others, `@` a name with underscores that is not the server's own, `$` such a name however its words are joined, `#` that of another tool of the server.
#[derive(Debug)]
pub(super) struct Phrase(Vec<Step>);

impl Phrase {
    /// Reads the spelling of a phrase.
    pub(super) fn parse(spelling: &'static str) -> Self {
        let one_of = |words: &'static str| words.split('|').collect();
        let step = |part: &'static str| match part.as_bytes()[0] {
            b'?' => Step::Perhaps(one_of(&part[1..])),
            b'~' => Step::Gap(part[1..].parse().expect("the number of a gap is ours")),
            b'@' => Step::Foreign,
            b'$' => Step::ForeignCall,
            b'#' => Step::Sibling,
            _ => Step::OneOf(one_of(part)),
        };
        Self(spelling.split_whitespace().map(step).collect())
    }

    /// The words with which it can begin.
    pub(super) fn openers(&self) -> &[&'static str] {
        match self.0.first() {
            Some(Step::OneOf(words)) => words,
            Some(Step::ForeignCall) => &[ANY_NAME],
            _ => &[],
        }
    }

    /// Whether a name that is not the server's is part of it.
    pub(super) fn names_a_foreign_tool(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::Foreign | Step::ForeignCall))
    }

    fn longest(&self) -> usize {
        let most = |step: &Step| if let Step::Gap(most) = step { *most as usize } else { 1 };
        self.0.iter().map(most).sum()
    }

    /// How many words of `words` it takes from their start, all within one sentence.
    pub(super) fn length_in(&self, words: &[Word], owner: &dyn Fn(&str) -> Owner) -> Option<usize> {
        // One bit for each number of words that the steps so far can have taken.
        let mut reached = 1_u64;
        let longest = self.longest().min(62);
        let sentence = words.iter().skip(1).take(longest).take_while(|word| !word.begins).count() + 1;
        let sentence = sentence.min(words.len());
        for step in &self.0 {
            let those = |fits: &dyn Fn(&Word) -> bool| {
                let fitting = (0..sentence).filter(|at| reached & (1 << at) != 0 && fits(&words[*at]));
                fitting.fold(0, |bits, at| bits | 1 << (at + 1))
            };
            let taken = |fits: &dyn Fn(&str) -> bool| those(&|word| fits(&word.text));
            reached = match step {
                Step::OneOf(options) => taken(&|word| options.contains(&word)),
                Step::Perhaps(options) => reached | taken(&|word| options.contains(&word)),
                Step::Gap(most) => (0..=*most).fold(0, |bits, skipped| bits | reached << skipped),
                Step::Foreign => taken(&|word| is_identifier(word) && is_elsewhere(owner(word))),
                Step::ForeignCall => those(&|word| word.is_name && is_elsewhere(owner(&word.text))),
                Step::Sibling => taken(&|word| owner(word) == Owner::Sibling),
            };
            if reached == 0 {
                return None;
            }
        }
        Some(reached.trailing_zeros() as usize).filter(|length| *length <= sentence)
    }
}

fn is_identifier(word: &str) -> bool {
    word.trim_matches('_').contains('_')
}

/// Verbs with which names of tools begin.
const VERBS: &[&str] = &[
    "add", "create", "delete", "download", "edit", "execute", "fetch", "find", "get", "list", "move", "post",
    "query", "read", "remove", "run", "search", "send", "update", "upload", "write",
];

/// What makes an adjective or a noun of a verb and a hyphen: `read-only`, `run-time`, `search-engine`.
const NO_OBJECTS: &[&str] = &[
    "able",
    "ahead",
    "back",
    "based",
    "driven",
    "engine",
    "engines",
    "free",
    "heavy",
    "in",
    "intensive",
    "item",
    "items",
    "like",
    "many",
    "modify",
    "off",
    "on",
    "once",
    "only",
    "optimized",
    "out",
    "protected",
    "replace",
    "replica",
    "safe",
    "side",
    "style",
    "through",
    "time",
    "together",
    "up",
    "update",
    "write",
    "writes",
];

/// Tells whether a word is written like `sendMail`: a verb, and what it is done to.
fn is_camel_call(word: &str) -> bool {
    let Some(end) = word.find(|char: char| !char.is_ascii_lowercase()) else { return false };
    let mut rest = word[end..].chars();
    let object = rest.next().is_some_and(char::is_uppercase) && rest.next().is_some_and(char::is_lowercase);
    object && VERBS.contains(&&word[..end])
}

/// Tells whether words with hyphens, in lower case, are written like `send-mail`.
pub(super) fn is_hyphened_call(name: &str) -> bool {
    let mut parts = name.split('-');
    let verb = parts.next().is_some_and(|verb| VERBS.contains(&verb));
    verb && parts.next().is_some_and(|object| object.len() > 2 && !NO_OBJECTS.contains(&object))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &'static str, text: &str) -> bool {
        let owner = |word: &str| match word {
            "send_mail" | "sendmail" | "openapi" | "iphone" | "getmail" => Owner::Foreign,
            "search" => Owner::Sibling,
            _ => Owner::Own,
        };
        Phrase::parse(phrase).length_in(&words(text), &owner).is_some()
    }

    #[test]
    fn phrases_have_alternatives_gaps_and_options() {
        for (phrase, text, fits) in [
            ("ignore ~2 rules|orders", "Ignore all the rules", true),
            ("ignore ~2 rules|orders", "Ignore all of the rules", false),
            ("ignore ~2 rules|orders", "ignore orders", true),
            ("do not tell", "Don’t tell", true),
            ("not tell ?the user", "not tell user", true),
            ("ignore ~3 rules", "Ignore it. The rules", false),
            ("before @", "before send_mail", true),
            ("before @", "before get_mail", false),
            ("before #", "before search", true),
            ("before #", "before send_mail", false),
            ("ignore rules", "іgn\u{200b}ore rules", true),
            ("before $", "before send_mail", true),
            ("before $", "before sendMail", true),
            ("before $", "before openAPI", false),
            ("before $", "before iPhone", false),
            ("before $", "before GetMail", false),
        ] {
            assert_eq!(found(phrase, text), fits, "{phrase} / {text}");
        }
    }
}
