//! Taking texts apart and putting them together.

use super::table::{Letters, Pattern, Piece};

/// What the names of a pattern stand for in a text; `None` if the text does not fit.
pub(super) fn take_apart<'t>(pattern: &Pattern, text: &'t str) -> Option<Vec<(&'static str, &'t str)>> {
    let mut found = Vec::new();
    matches(pattern.pieces, None, text, pattern.ignore_case, &mut found).then_some(found)
}

/// Tries the shortest stretch for each name first, and goes back for a longer one if the rest does not fit.
fn matches<'t>(
    pieces: &[Piece],
    before: Option<char>,
    text: &'t str,
    ignore_case: bool,
    found: &mut Vec<(&'static str, &'t str)>,
) -> bool {
    let Some((piece, rest)) = pieces.split_first() else { return text.is_empty() };
    let (name, shortest, crosses) = match piece {
        Piece::Text(fixed) => {
            let last = fixed.chars().next_back();
            return strip(text, fixed, ignore_case).is_some_and(|text| matches(rest, last, text, ignore_case, found));
        }
        Piece::Part(name) => (*name, 1, false),
        Piece::Rest(name) => (*name, 0, true),
    };
    let after = match rest.first() {
        Some(Piece::Text(fixed)) => fixed.chars().next(),
        _ => None,
    };
    // What separates a part from its neighbours is not in it: `a|b|c` has not the form `{x}|{y}`.
    let separates = |c: char| !crosses && !c.is_alphanumeric() && (Some(c) == before || Some(c) == after);
    let separates = |c: char| separates(c) || (!crosses && c == '/');
    // The last name takes all that is left: no search.
    if rest.is_empty() {
        let fits = crosses || (!text.is_empty() && !text.contains(separates));
        if fits {
            found.push((name, text));
        }
        return fits;
    }
    let depth = found.len();
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for end in ends.skip(shortest) {
        let (stretch, left) = text.split_at(end);
        if stretch.contains(separates) {
            return false;
        }
        found.push((name, stretch));
        if matches(rest, None, left, ignore_case, found) {
            return true;
        }
        found.truncate(depth);
    }
    false
}

fn strip<'t>(text: &'t str, fixed: &str, ignore_case: bool) -> Option<&'t str> {
    if !ignore_case {
        return text.strip_prefix(fixed);
    }
    let (start, rest) = text.split_at_checked(fixed.len())?;
    start.eq_ignore_ascii_case(fixed).then_some(rest)
}

/// Appends `text` in this case of letters.
pub(super) fn put(out: &mut String, text: &str, letters: Letters) {
    match letters {
        Letters::AsIs => out.push_str(text),
        Letters::Lower => out.push_str(&text.to_lowercase()),
        Letters::Upper => out.push_str(&text.to_uppercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: Pattern = Pattern {
        pieces: &[Piece::Text("projects/"), Piece::Part("project"), Piece::Text("/"), Piece::Rest("name")],
        ignore_case: false,
    };

    #[test]
    fn names_stand_for_the_shortest_stretch_that_fits() {
        assert_eq!(take_apart(&ID, "projects/p/a/b"), Some(vec![("project", "p"), ("name", "a/b")]));
        assert_eq!(take_apart(&ID, "projects//a"), None, "a part is not empty");
        assert_eq!(take_apart(&ID, "Projects/p/a"), None);
        let either = Pattern { ignore_case: true, ..ID };
        assert_eq!(take_apart(&either, "PROJECTS/P/a"), Some(vec![("project", "P"), ("name", "a")]));
        assert_eq!(take_apart(&ID, "projects/ü/é"), Some(vec![("project", "ü"), ("name", "é")]));
    }

    #[test]
    fn a_name_may_hold_what_follows_it() {
        let pattern = Pattern { pieces: &[Piece::Rest("start"), Piece::Text(":"), Piece::Part("end")], ignore_case: false };
        assert_eq!(take_apart(&pattern, "a:b:c"), Some(vec![("start", "a:b"), ("end", "c")]));
        let pair = Pattern { pieces: &[Piece::Part("x"), Piece::Text("|"), Piece::Part("y")], ignore_case: false };
        assert_eq!(take_apart(&pair, "a|b"), Some(vec![("x", "a"), ("y", "b")]));
        assert_eq!(take_apart(&pair, "a|b|c"), None, "it could be parted in two ways");
        let last = Pattern { pieces: &[Piece::Rest("_"), Piece::Text("/"), Piece::Part("last")], ignore_case: false };
        assert_eq!(take_apart(&last, "a/b/c"), Some(vec![("_", "a/b"), ("last", "c")]));
        assert_eq!(take_apart(&last, "c"), None);
        let short = Pattern { pieces: &[Piece::Text("ß")], ignore_case: true };
        assert_eq!(take_apart(&short, "a"), None);
        assert_eq!(take_apart(&short, "aé"), None);
    }
}
