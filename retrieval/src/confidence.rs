//! How sure an answer is: signs of a good first hit, weighed into one number from 0 to 1.

/// What can be seen of an answer without knowing the right one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signs {
    /// Tells whether the request names the first hit.
    pub(crate) named: bool,
    /// The share of what the request says that the first hit has in so many words.
    pub(crate) coverage: f64,
    /// The lexical score of the first hit, in standard deviations.
    pub(crate) lexical_z: Option<f64>,
    /// The cosine of the first hit.
    pub(crate) dense: Option<f64>,
    /// By how much the first hit leads.
    pub(crate) margin: f64,
}

/// Below this confidence nothing seems to fit.
const ABSTAIN_BELOW: f64 = 0.25;

/// The confidence, 0 to 1; 1 for a hit that the request names.
pub(crate) fn of(signs: &Signs) -> f64 {
    if signs.named {
        return 1.0;
    }
    let lexical = signs.lexical_z.unwrap_or(0.0).clamp(0.0, 12.0);
    let sum = match signs.dense {
        Some(dense) => -4.0 + 5.0 * dense + 2.0 * signs.coverage + 0.1 * lexical,
        None => -2.5 + 4.0 * signs.coverage + 0.1 * lexical,
    };
    1.0 / (1.0 + libm::exp(-sum))
}

/// Tells whether nothing in the catalog seems to fit.
pub(crate) fn abstains(signs: &Signs) -> bool {
    of(signs) < ABSTAIN_BELOW
}
