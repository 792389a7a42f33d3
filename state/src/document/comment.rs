//! Comments of a stored document that the rewritten one lacks.

use std::collections::HashMap;

use upstate::{AttributePath, Diagnostic, DiagnosticCode};

/// The greatest number of comments whose places are named; the others are counted.
const MOST: usize = 10;

/// A comment of a document.
pub(super) struct Comment {
    /// The path of the value that it is about.
    pub(super) path: AttributePath,
    /// Its text without the marks around it, because an edit may put it between others.
    pub(super) text: String,
    pub(super) line: usize,
}

/// The offsets at which lines end.
#[cfg(any(feature = "jsonc", feature = "toml"))]
pub(super) struct LineEnds(Vec<usize>);

#[cfg(any(feature = "jsonc", feature = "toml"))]
impl LineEnds {
    pub(super) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(offset, _)| offset).collect())
    }

    /// The number of the line with this offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

/// The comments of a stored document that the new one, which has those `after` it, lacks. Of several
/// with one text, those that are about the same values in both stay.
pub(super) fn lost(before: Vec<Comment>, after: &[Comment]) -> Vec<Comment> {
    let mut there: HashMap<(&str, &AttributePath), usize> = HashMap::new();
    let mut texts: HashMap<&str, usize> = HashMap::new();
    for comment in after {
        *there
            .entry((comment.text.as_str(), &comment.path))
            .or_default() += 1;
        *texts.entry(&comment.text).or_default() += 1;
    }
    let stays: Vec<bool> = before
        .iter()
        .map(|comment| {
            take(there.get_mut(&(comment.text.as_str(), &comment.path)))
                && take(texts.get_mut(comment.text.as_str()))
        })
        .collect();
    before
        .into_iter()
        .zip(stays)
        .filter(|(comment, stays)| !stays && !take(texts.get_mut(comment.text.as_str())))
        .map(|(comment, _)| comment)
        .collect()
}

/// Takes one of so many; false if there is none.
fn take(count: Option<&mut usize>) -> bool {
    match count {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        Some(_) | None => false,
    }
}

/// The warning of comments that are lost for a reason, whose paths are `shown` as far as they may
/// be.
pub(super) fn warning(
    lost: &[Comment],
    reason: &str,
    shown: impl Fn(&AttributePath) -> AttributePath,
) -> Diagnostic {
    let place = |comment: &Comment| {
        let path = shown(&comment.path);
        if path.steps().is_empty() {
            format!("line {}", comment.line)
        } else {
            format!("`{path}` (line {})", comment.line)
        }
    };
    let named: Vec<String> = lost.iter().take(MOST).map(place).collect();
    let more = match lost.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let detail = format!(
        "The new document lacks comments, because {reason}: {}{more}.",
        named.join(", ")
    );
    Diagnostic::warning("Comment Lost", detail)
        .coded(DiagnosticCode::Unwritable)
        .with_remedy("Copy them from the old document, if they still hold.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comment_that_is_gone_is_named_and_the_eleventh_is_counted() {
        let comment = |index: usize, text: &str| Comment {
            path: AttributePath::new().attribute("items").index(index as u64),
            text: text.to_owned(),
            line: index + 1,
        };
        let before: Vec<Comment> = (0..12).map(|index| comment(index, "x")).collect();
        let lost = lost(before, &[comment(4, "x"), comment(0, "y")]);
        assert_eq!(lost.len(), 11);
        let warning = warning(&lost, "it is so", AttributePath::clone).to_string();
        assert!(
            warning.contains("because it is so: `items[0]` (line 1), ")
                && warning.contains("`items[3]` (line 4), `items[5]` (line 6), ")
                && warning.contains("`items[10]` (line 11) and 1 more."),
            "{warning}"
        );
    }

    #[cfg(any(feature = "jsonc", feature = "toml"))]
    #[test]
    fn a_line_ends_with_its_line_feed() {
        let ends = LineEnds::of("a\n\nb");
        assert_eq!([0, 1, 2, 3].map(|offset| ends.line(offset)), [1, 1, 2, 3]);
    }
}
