//! How sure an answer is: signs of a good answer, weighed into one number from 0 to 1. The weights are those of a logistic regression on public data, see the README of this room.

/// What can be seen of an answer without knowing the right one. None of it depends on how the other entries score:
/// something is always furthest above the mean, also where nothing fits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// Tells whether the request names the first hit.
    pub(crate) named: bool,
    /// The highest lexical score, as a number of rarest words that match in full; nothing where words were not asked.
    pub(crate) words: Option<f64>,
    /// The highest cosine.
    pub(crate) cosine: Option<f64>,
    /// What the cosine is worth.
    pub(crate) scale: Scale,
}

/// What a cosine is worth: each embedder has its own idea of near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scale {
    /// That of the built-in table of words, whose cosines tell less than those of a model.
    Table,
    /// That of MiniLM.
    #[default]
    MiniLm,
    /// That of an embedder which was never measured; it is taken for MiniLM's, and decides nothing alone.
    Unknown,
}

impl Scale {
    /// The scale of the embedder of that name.
    pub(crate) fn of(embedder: &str) -> Self {
        match embedder {
            "minilm" => Self::MiniLm,
            name if name.starts_with("static") => Self::Table,
            _ => Self::Unknown,
        }
    }
}

/// Below these nothing seems to fit: by a model, by the table, and by words alone. Chosen so that few who would have
/// been served are sent away, by the table about one of a hundred among tools of MCP servers.
const ABSTAIN_BELOW: f64 = 0.08;
const ABSTAIN_BELOW_BY_TABLE: f64 = 0.15;
const ABSTAIN_BELOW_BY_WORDS: f64 = 0.1;

/// The confidence, 0 to 1; 1 for a hit that the request names.
pub(crate) fn of(signs: &Signs) -> f64 {
    if signs.named {
        return 1.0;
    }
    let words = signs.words.unwrap_or_default();
    let sum = match (signs.cosine, signs.scale) {
        (Some(cosine), Scale::Table) if signs.words.is_none() => 8.7 * cosine - 4.5,
        (Some(cosine), Scale::Table) => 4.0 * cosine + 2.5 * words - 4.3,
        (Some(cosine), _) => 8.54 * cosine + 1.41 * words - 5.89,
        (None, _) => 2.78 * words - 3.5,
    };
    1.0 / (1.0 + libm::exp(-sum))
}

/// Tells whether nothing in the catalog seems to fit. Where the scale of the cosine is unknown, the words have to say so, too.
pub(crate) fn abstains(signs: &Signs) -> bool {
    let limit = match (signs.cosine, signs.scale) {
        (None, _) => ABSTAIN_BELOW_BY_WORDS,
        (Some(_), Scale::Table) => ABSTAIN_BELOW_BY_TABLE,
        (Some(_), Scale::MiniLm) => ABSTAIN_BELOW,
        (Some(_), Scale::Unknown) if !abstains(&Signs { cosine: None, ..*signs }) => return false,
        (Some(_), Scale::Unknown) => ABSTAIN_BELOW,
    };
    of(signs) < limit
}

/// Tells whether the confidence was held against data for answers of this kind.
pub(crate) fn is_calibrated(signs: &Signs) -> bool {
    signs.named || signs.cosine.is_none() || signs.scale != Scale::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_any_sign_is_never_less_sure() {
        let scales = [Scale::Table, Scale::MiniLm, Scale::Unknown].map(|scale| (Some(0.3), scale));
        for (cosine, scale) in scales.into_iter().chain([(None, Scale::default())]) {
            let less = Signs { named: false, words: Some(0.5), cosine, scale };
            let more = Signs { words: Some(1.0), cosine: cosine.map(|cosine| cosine + 0.2), ..less };
            assert!(of(&less) < of(&more));
            assert!(of(&Signs { named: true, ..less }) >= of(&more));
        }
    }

    #[test]
    fn nothing_at_all_abstains() {
        assert!(abstains(&Signs::default()));
        for scale in [Scale::Table, Scale::MiniLm, Scale::Unknown] {
            for words in [None, Some(0.0)] {
                assert!(abstains(&Signs { cosine: Some(0.0), scale, words, ..Signs::default() }));
            }
        }
    }

    #[test]
    fn who_does_not_ask_for_words_is_not_told_that_none_match() {
        let near = Signs { cosine: Some(0.5), scale: Scale::Table, ..Signs::default() };
        assert!(!abstains(&near) && of(&near) > of(&Signs { words: Some(0.0), ..near }));
        assert!(abstains(&Signs { cosine: Some(0.25), ..near }));
    }

    #[test]
    fn a_cosine_of_unknown_scale_sends_nobody_away_alone() {
        let signs = Signs { words: Some(0.6), cosine: Some(0.0), ..Signs::default() };
        assert!(abstains(&signs) && is_calibrated(&signs));
        let signs = Signs { scale: Scale::of("ollama:m"), ..signs };
        assert!(!abstains(&signs) && !is_calibrated(&signs));
        assert!(is_calibrated(&Signs { cosine: None, ..signs }), "words have a scale of their own");
    }
}
