//! Catalogs and requests made from a seed, for benches: as large as wanted, and the same on every machine.

use mcpproof_retrieval::eval::SplitMix;
use mcpproof_retrieval::{Entry, Kind};
use serde_json::{Map, Value, json};

/// How many tools a server has.
const TOOLS: usize = 12;
/// How many made words there are; with Zipf's law over them as in language.
const WORDS: usize = 20_000;
const SYLLABLES: [&str; 20] = [
    "ba", "cor", "de", "fin", "gra", "hu", "in", "jo", "ker", "lo", "mar", "net", "or", "pre", "qui", "ra",
    "sto", "ti", "ver", "za",
];
const VERBS: [&str; 12] = [
    "get", "list", "create", "update", "delete", "search", "send", "read", "write", "convert", "run", "check",
];

/// Makes `count` tools, one at a time; those of a smaller catalog are the first ones of a larger one.
pub(crate) fn tools(count: usize) -> impl Iterator<Item = Entry> {
    let mut random = SplitMix::new(42);
    (0..count).map(move |at| tool(at, &mut random))
}

/// Makes a request out of words of some of the descriptions, as many as people say.
pub(crate) fn requests(descriptions: &[&str], count: usize) -> Vec<String> {
    let mut random = SplitMix::new(7);
    let request = |_| {
        let description = descriptions[random.below(descriptions.len())];
        let words: Vec<&str> = description.split_whitespace().collect();
        let picked = (0..9).map(|_| words[random.below(words.len())]);
        format!("please {} that", picked.collect::<Vec<_>>().join(" "))
    };
    (0..count).map(request).collect()
}

fn tool(at: usize, random: &mut SplitMix) -> Entry {
    let verb = VERBS[random.below(VERBS.len())];
    let properties: Map<String, Value> =
        (0..4).map(|_| (word(random), json!({"type": "string", "description": text(random, 8)}))).collect();
    Entry {
        source: format!("server-{}", at / TOOLS),
        kind: Kind::Tool,
        name: format!("{verb}_{}_{}", word(random), word(random)),
        title: None,
        description: format!("{verb} {}. {}", text(random, 12), text(random, 16)),
        input: json!({"type": "object", "properties": properties}),
        source_description: String::new(),
    }
}

fn text(random: &mut SplitMix, words: usize) -> String {
    (0..words).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

/// Draws a word; the rank is WORDS to the power of an even number from 0 to 1, so that each order of magnitude of
/// ranks is as frequent as the others.
fn word(random: &mut SplitMix) -> String {
    let share = random.below(1 << 20) as f64 / f64::from(1 << 20);
    let rank = libm::pow(WORDS as f64, share) as usize;
    let mut rest = rank;
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
        if rest == 0 {
            return word;
        }
    }
}
