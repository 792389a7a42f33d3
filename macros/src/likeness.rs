//! Words that were probably meant.

use upstate_words::likeness::LEAST;

/// Words below this length are too short to be misspellings: most others resemble them as much.
const SHORTEST: usize = 3;

/// The similarity of two words, from 0 to 1; 0 for words that are not misspellings of each other.
pub(crate) fn likeness(written: &str, known: &str) -> f64 {
    let likeness = strsim::jaro_winkler(written, known);
    if likeness < LEAST || written.chars().count() < SHORTEST {
        0.0
    } else {
        likeness
    }
}

/// The known word of which `written` is most probably a misspelling.
pub(crate) fn nearest<K: AsRef<str>>(
    written: &str,
    known: impl IntoIterator<Item = K>,
) -> Option<K> {
    let scored = known
        .into_iter()
        .map(|known| (likeness(written, known.as_ref()), known));
    scored
        .filter(|(score, _)| *score > 0.0)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_of_three_letters_are_found() {
        assert_eq!(nearest("label_", ["size", "label"]), Some("label"));
        assert_eq!(nearest("typ", ["size", "type"]), Some("type"));
        assert_eq!(nearest("idd", ["name", "id"]), Some("id"));
        assert_eq!(
            nearest("rename_al", ["rename", "rename_all"]),
            Some("rename_all")
        );
        assert_eq!(nearest("name", ["size", "title"]), None);
        for (written, known) in [("d", "e"), ("id", "ip"), ("a", "ab"), ("x", "x1")] {
            assert_eq!(nearest(written, [known]), None, "{written}");
        }
    }
}
