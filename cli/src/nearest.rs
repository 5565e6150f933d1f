//! Finds what somebody may have meant.

/// The candidate most like `word`, where one is like it at all.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let score = |candidate: &str| {
        let whole = strsim::jaro_winkler(&word, &candidate.to_lowercase());
        // `ping` should lead to `ping-answered` although most of it is missing.
        if word.len() >= 3 && candidate.contains(&*word) { whole.max(0.9) } else { whole }
    };
    let scored = candidates.into_iter().map(|candidate| (score(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.75).then_some(best.1)
}

/// A sentence that names the nearest candidate, or tells where all of them are listed.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    nearest(word, candidates).map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_leads_to_the_name_and_nonsense_to_none() {
        let names = ["ping-answered", "tool-name-unique", "stdout-banner"];
        assert_eq!(nearest("ping-anwered", names), Some("ping-answered"));
        assert_eq!(nearest("banner", names), Some("stdout-banner"));
        assert_eq!(nearest("xyzzy", names), None);
        assert_eq!(did_you_mean("xyzzy", names, "see `mcpproof list`"), "see `mcpproof list`");
    }
}
