//! How sure an answer is: signs of a good answer, weighed into one number from 0 to 1. The weights are those of a logistic regression on public data, see the README of this room.

/// What can be seen of an answer without knowing the right one. None of it depends on how the other entries score:
/// something is always furthest above the mean, also where nothing fits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// Tells whether the request names the first hit.
    pub(crate) named: bool,
    /// The highest lexical score, as a number of rarest words that match in full.
    pub(crate) words: f64,
    /// The highest cosine.
    pub(crate) cosine: Option<f64>,
    /// Tells whether the vectors come from a table of words, whose cosines are higher than those of a model.
    pub(crate) by_table: bool,
}

/// Below these nothing seems to fit: by a model, by the table, and by words alone. Chosen so that few who would have
/// been served are sent away, since what is abstained on is mostly still found.
const ABSTAIN_BELOW: f64 = 0.08;
const ABSTAIN_BELOW_BY_TABLE: f64 = 0.04;
const ABSTAIN_BELOW_BY_WORDS: f64 = 0.1;

/// The confidence, 0 to 1; 1 for a hit that the request names.
pub(crate) fn of(signs: &Signs) -> f64 {
    if signs.named {
        return 1.0;
    }
    let sum = match signs.cosine {
        Some(cosine) if signs.by_table => 7.0 * cosine + 1.73 * signs.words - 6.63,
        Some(cosine) => 8.54 * cosine + 1.41 * signs.words - 5.89,
        None => 2.78 * signs.words - 3.5,
    };
    1.0 / (1.0 + libm::exp(-sum))
}

/// Tells whether nothing in the catalog seems to fit.
pub(crate) fn abstains(signs: &Signs) -> bool {
    let limit = match signs.cosine {
        Some(_) if signs.by_table => ABSTAIN_BELOW_BY_TABLE,
        Some(_) => ABSTAIN_BELOW,
        None => ABSTAIN_BELOW_BY_WORDS,
    };
    of(signs) < limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_any_sign_is_never_less_sure() {
        for (cosine, by_table) in [(None, false), (Some(0.3), false), (Some(0.3), true)] {
            let less = Signs { named: false, words: 0.5, cosine, by_table };
            let more = Signs { words: 1.0, cosine: cosine.map(|cosine| cosine + 0.2), ..less };
            assert!(of(&less) < of(&more));
            assert!(of(&Signs { named: true, ..less }) >= of(&more));
        }
    }

    #[test]
    fn nothing_at_all_abstains() {
        assert!(abstains(&Signs::default()));
        assert!(abstains(&Signs { cosine: Some(0.0), ..Signs::default() }));
    }
}
