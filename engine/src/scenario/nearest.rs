//! What somebody may have meant.

/// The candidate nearest to `word`, where one is near enough to be meant: at most a third of the letters wrong, swapped
/// letters counting once.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are not typing mistakes, and comparing them takes time that grows with the square.
    if word.len() > 100 {
        return None;
    }
    let word = word.to_lowercase().replace('-', "_");
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The label beside a caret: what may have been meant, or `otherwise`.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(word, candidates).map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}
