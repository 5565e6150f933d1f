//! Words that say nothing about what is wanted: the little words of English, and what wraps a request in politeness.

/// Sorted, so that a word is found by halving.
const STOP: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "could", "d", "did", "do", "does", "doing", "don", "down", "during", "each", "few", "for", "from",
    "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "itself", "just", "let", "ll", "me", "mine", "more", "most", "my",
    "myself", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "out",
    "over", "own", "re", "s", "same", "she", "should", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "ve", "very", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "whom", "why", "will", "with", "would", "you", "your", "yours",
];

/// Tells whether `word`, in small letters, is passed over.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// What people say around a request, after stemming and sorted. In an entry each of these may mean something.
const FILLER: &[&str] = &[
    "abl", "actual", "anyth", "bit", "current", "etc", "give", "good", "got", "hello", "help", "hey", "hi",
    "interest", "kind", "know", "like", "look", "lot", "made", "mani", "may", "mayb", "might", "much",
    "need", "one", "perhap", "pleas", "provid", "realli", "right", "someon", "someth", "sure", "tell",
    "thank", "thing", "tri", "us", "want", "way", "well", "wonder",
];

/// Forms of words that only wrap a request, while their stems (`go`, `use`) may name what is wanted.
const FILLER_FORMS: &[&str] = &["going", "using", "used", "trying"];

/// Tells whether a word only wraps a request; `term` is its stem.
pub(super) fn is_filler(word: &str, term: &str) -> bool {
    FILLER.binary_search(&term).is_ok() || FILLER_FORMS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_every_word_is_found() {
        assert!(STOP.is_sorted() && FILLER.is_sorted());
        assert!(STOP.iter().all(|word| is_stop(word)));
        assert!(!is_stop("search"));
    }
}
