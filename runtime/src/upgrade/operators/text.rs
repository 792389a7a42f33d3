//! Taking strings apart and putting them together.

use super::table::{Letters, OptionalPart, Pattern, Piece};

/// The parts of a string that the names of a pattern stand for; `None` if the text does not fit.
pub(super) fn take_apart<'t>(
    pattern: &Pattern,
    text: &'t str,
) -> Option<Vec<(&'static str, &'t str)>> {
    take_apart_by(pattern.pieces, pattern.ignore_case, text)
}

/// Takes a string apart by the pieces of a pattern; what is found is in their order.
pub(super) fn take_apart_by<'t>(
    pieces: &[Piece],
    ignore_case: bool,
    text: &'t str,
) -> Option<Vec<(&'static str, &'t str)>> {
    match pieces
        .iter()
        .filter(|piece| matches!(piece, Piece::Optional(_)))
        .count()
    {
        0 => search(pieces, ignore_case, text),
        // From the left, each part is found rather than missing.
        optional => (0..1_u32.checked_shl(u32::try_from(optional).ok()?)?)
            .find_map(|missing| search(&without(pieces, optional, missing), ignore_case, text)),
    }
}

/// The pieces with each optional part either as one that is there, or as it is, which means that it
/// is missing. Of `missing`, the lowest bit is for the last one.
fn without(pieces: &[Piece], optional: usize, missing: u32) -> Vec<Piece> {
    let mut left = optional;
    let mut found = Vec::with_capacity(pieces.len() + optional);
    for piece in pieces {
        let Piece::Optional(part @ OptionalPart { sign, leads, .. }) = piece else {
            found.push(*piece);
            continue;
        };
        left = left.saturating_sub(1);
        if missing >> left & 1 == 1 {
            found.push(*piece);
        } else if *leads {
            found.extend([part.part(), Piece::Text(sign)]);
        } else {
            found.extend([Piece::Text(sign), part.part()]);
        }
    }
    found
}

/// Takes a string apart where all optional parts are missing.
fn search<'t>(
    pieces: &[Piece],
    ignore_case: bool,
    text: &'t str,
) -> Option<Vec<(&'static str, &'t str)>> {
    let names = pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Text(_)))
        .count();
    let mut search = Search {
        text,
        ignore_case,
        found: Vec::with_capacity(names),
        failed: Vec::new(),
    };
    search
        .matches(pieces, Before::default(), 0)
        .then_some(search.found)
}

/// The part of a string that one name of a pattern matches: `None` if the string does not fit,
/// `None` inside if the pattern has no such name.
#[expect(clippy::option_option, reason = "the two are refused differently")]
pub(super) fn part<'t>(pattern: &Pattern, name: &str, text: &'t str) -> Option<Option<&'t str>> {
    let mut found = None;
    let fits = without_search(pattern, text, |known, part| {
        if found.is_none() && known == name {
            found = Some(part);
        }
    });
    match fits {
        Some(fits) => fits.then_some(found),
        None => Some(
            take_apart(pattern, text)?
                .into_iter()
                .find(|(known, _)| *known == name)
                .map(|(_, part)| part),
        ),
    }
}

/// Hands over each part, and says whether the string fits, for patterns that leave nothing to be
/// searched: each part ends at a separator, or with the string. `None` for others.
#[inline]
pub(super) fn without_search<'t>(
    pattern: &Pattern,
    text: &'t str,
    mut each: impl FnMut(&'static str, &'t str),
) -> Option<bool> {
    let (mut left, mut before) = (text, Before::default());
    let mut pieces = pattern.pieces;
    while let [piece, rest @ ..] = pieces {
        pieces = rest;
        let (known, end) = match (piece, rest) {
            (Piece::Text(fixed), _) => {
                let Some(behind) = strip(left, fixed, pattern.ignore_case) else {
                    return Some(false);
                };
                (left, before) = (behind, before.fixed(fixed));
                continue;
            }
            (Piece::Rest(known), []) => (known, left.len()),
            (Piece::Part(known), []) => (known, separated(left, before, None)),
            (Piece::Part(known), [Piece::Text(fixed), ..]) => {
                let after = fixed
                    .chars()
                    .next()
                    .filter(|after| !after.is_alphanumeric())?;
                (known, separated(left, before, Some(after)))
            }
            (Piece::Part(_) | Piece::Rest(_) | Piece::Optional(_), _) => return None,
        };
        let (part, behind) = left.split_at_checked(end)?;
        if part.is_empty() && matches!(piece, Piece::Part(_)) {
            return Some(false);
        }
        each(known, part);
        (left, before) = (behind, before.part());
    }
    Some(left.is_empty())
}

/// Tries the shortest stretch for each name first, and goes back for a longer one if the rest does
/// not fit.
struct Search<'t> {
    text: &'t str,
    ignore_case: bool,
    found: Vec<(&'static str, &'t str)>,
    /// For each piece, counted from the last, from where to where it is known not to begin. That
    /// keeps a search over a string of any length about as long as the text.
    failed: Vec<Option<(usize, usize)>>,
}

impl Search<'_> {
    fn matches(&mut self, pieces: &[Piece], before: Before, at: usize) -> bool {
        let Some(text) = self.text.get(at..) else {
            return false;
        };
        let Some((piece, rest)) = pieces.split_first() else {
            return text.is_empty();
        };
        let (name, crosses) = match piece {
            Piece::Text(fixed) => {
                let left = strip(text, fixed, self.ignore_case);
                return left.is_some_and(|left| {
                    self.matches(rest, before.fixed(fixed), self.text.len() - left.len())
                });
            }
            Piece::Part(name) => (*name, false),
            Piece::Rest(name) => (*name, true),
            Piece::Optional(OptionalPart {
                name,
                sign,
                leads,
                default,
                ..
            }) => {
                self.found.push((*name, *default));
                let before = if *leads { before.missing(sign) } else { before };
                let matches = self.matches(rest, before, at);
                if !matches {
                    self.found.pop();
                }
                return matches;
            }
        };
        if self
            .failed
            .get(rest.len())
            .copied()
            .flatten()
            .is_some_and(|(from, to)| from <= at && at <= to)
        {
            return false;
        }
        let signs = rest.iter().map_while(|piece| match piece {
            Piece::Optional(OptionalPart { sign, .. }) => Some(sign.chars().next()),
            Piece::Text(_) | Piece::Part(_) | Piece::Rest(_) => None,
        });
        let behind = rest.get(signs.clone().count()..).unwrap_or_default();
        let follows = match behind.first() {
            Some(Piece::Text(fixed)) => Some(*fixed),
            _ => None,
        };
        let after = follows.and_then(|fixed| fixed.chars().next());
        // A part does not have the text that separates it: `a|b|c` does not fit the form `{x}|{y}`.
        // A neighbour may be missing.
        let longest = if crosses {
            text.len()
        } else {
            signs.fold(separated(text, before, after), |longest, sign| {
                longest.min(separated(text, before.part(), sign))
            })
        };
        // The last name takes all that is left, and a part that ends at a separator ends at the
        // first one: no search.
        let ends = if behind.is_empty() {
            text.len()..=longest
        } else if !crosses && after.is_some_and(|c| c == '/' || !c.is_alphanumeric()) {
            longest..=longest
        } else {
            0..=longest
        };
        let depth = self.found.len();
        let first = follows.and_then(|fixed| fixed.bytes().next());
        for end in ends {
            // The rest fits nowhere but where the fixed text is that it begins with.
            if let Some(first) = first
                && text
                    .as_bytes()
                    .get(end)
                    .is_none_or(|byte| !byte.eq_ignore_ascii_case(&first))
            {
                continue;
            }
            let Some(stretch) = text.get(..end) else {
                continue;
            };
            if stretch.is_empty() && !crosses {
                continue;
            }
            self.found.push((name, stretch));
            if self.matches(rest, before.part(), at + end) {
                return true;
            }
            self.found.truncate(depth);
        }
        // A later start would leave a part of what was tried.
        if self.failed.len() <= rest.len() {
            self.failed.resize(rest.len() + 1, None);
        }
        if let Some(failed) = self.failed.get_mut(rest.len()) {
            *failed = Some((at, at + longest));
        }
        false
    }
}

/// The text before a part of a string, as far as it matters to the part.
#[derive(Clone, Copy, Default)]
struct Before {
    /// The sign that separates it from the part.
    sign: Option<char>,
    /// True if `://` is before the part, without a `/` since: then it is the place that a URL leads
    /// to, in which `?`, `#` and `@` begin or end something else.
    is_host: bool,
}

impl Before {
    /// Behind this fixed text.
    fn fixed(self, text: &str) -> Self {
        Self {
            sign: text.chars().next_back(),
            is_host: self.is_host_behind(text),
        }
    }

    /// Behind the place where this fixed text is missing, with the part before it.
    fn missing(self, text: &str) -> Self {
        Self {
            sign: text.chars().next(),
            is_host: self.is_host_behind(text),
        }
    }

    /// Behind a part.
    const fn part(self) -> Self {
        Self { sign: None, ..self }
    }

    fn is_host_behind(self, text: &str) -> bool {
        text.ends_with("://") || (self.is_host && !text.contains('/'))
    }
}

/// The place of the first character that is not in a part between these two, or where the text
/// ends.
fn separated(
    text: &str,
    Before {
        sign: before,
        is_host,
    }: Before,
    after: Option<char>,
) -> usize {
    let separates = |c: char| {
        (!c.is_alphanumeric() && (Some(c) == before || Some(c) == after))
            || (is_host && matches!(c, '?' | '#' | '@'))
    };
    let found = match [before, after].map(|c| u8::try_from(c.unwrap_or('/'))) {
        // Each byte is compared by itself, because both signs are ASCII and no byte of a longer
        // character is.
        [Ok(before), Ok(after)] if !is_host && before.is_ascii() && after.is_ascii() => {
            let mut bytes = text.bytes();
            bytes.position(|byte| {
                byte == b'/' || ((byte == before || byte == after) && !byte.is_ascii_alphanumeric())
            })
        }
        _ => text.find(|c| c == '/' || separates(c)),
    };
    found.unwrap_or(text.len())
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
        pieces: &[
            Piece::Text("projects/"),
            Piece::Part("project"),
            Piece::Text("/"),
            Piece::Rest("name"),
        ],
        ignore_case: false,
    };

    #[test]
    fn names_stand_for_the_shortest_stretch_that_fits() {
        assert_eq!(
            take_apart(&ID, "projects/p/a/b"),
            Some(vec![("project", "p"), ("name", "a/b")])
        );
        assert_eq!(take_apart(&ID, "projects//a"), None, "a part is not empty");
        assert_eq!(take_apart(&ID, "Projects/p/a"), None);
        let either = Pattern {
            ignore_case: true,
            ..ID
        };
        assert_eq!(
            take_apart(&either, "PROJECTS/P/a"),
            Some(vec![("project", "P"), ("name", "a")])
        );
        assert_eq!(
            take_apart(&ID, "projects/ü/é"),
            Some(vec![("project", "ü"), ("name", "é")])
        );
    }

    /// Each of these would take long if all the ways to part it were tried.
    #[test]
    fn the_longest_text_is_taken_apart_in_no_time() {
        const PAIR: &[Piece] = &[Piece::Part("a"), Piece::Text("|"), Piece::Part("b")];
        const MANY: &[Piece] = &[
            Piece::Rest("a"),
            Piece::Text("x"),
            Piece::Part("b"),
            Piece::Text("x"),
            Piece::Rest("c"),
            Piece::Text("x"),
            Piece::Part("d"),
            Piece::Text("y"),
        ];
        let long = "x".repeat(1 << 18);
        assert_eq!(
            take_apart(
                &Pattern {
                    pieces: PAIR,
                    ignore_case: false
                },
                &long
            ),
            None
        );
        assert_eq!(
            take_apart(
                &Pattern {
                    pieces: MANY,
                    ignore_case: true
                },
                &long
            ),
            None
        );
        let (start, end) = (format!("{long}|x"), format!("{long}y"));
        assert_eq!(
            take_apart(
                &Pattern {
                    pieces: PAIR,
                    ignore_case: false
                },
                &start
            ),
            Some(vec![("a", &*long), ("b", "x")])
        );
        let found = take_apart(
            &Pattern {
                pieces: MANY,
                ignore_case: false,
            },
            &end,
        )
        .unwrap();
        assert_eq!(found[..3], [("a", ""), ("b", "x"), ("c", "")]);
        assert_eq!(found[3].1.len(), long.len() - 4);
    }

    /// Takes a string apart without remembering anything.
    fn naive<'t>(
        pieces: &[Piece],
        before: Option<char>,
        text: &'t str,
        found: &mut Vec<(&'static str, &'t str)>,
    ) -> bool {
        let Some((piece, rest)) = pieces.split_first() else {
            return text.is_empty();
        };
        let (name, crosses) = match piece {
            Piece::Text(fixed) => {
                return text
                    .strip_prefix(fixed)
                    .is_some_and(|text| naive(rest, fixed.chars().next_back(), text, found));
            }
            Piece::Part(name) => (*name, false),
            Piece::Rest(name) => (*name, true),
            Piece::Optional(_) => return false,
        };
        let after = match rest.first() {
            Some(Piece::Text(fixed)) => fixed.chars().next(),
            _ => None,
        };
        let separates =
            |c: char| c == '/' || (!c.is_alphanumeric() && (Some(c) == before || Some(c) == after));
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let (stretch, left) = text.split_at(end);
            if !crosses && (stretch.is_empty() || stretch.contains(separates)) {
                continue;
            }
            found.push((name, stretch));
            if naive(rest, None, left, found) {
                return true;
            }
            found.pop();
        }
        false
    }

    #[test]
    fn what_is_remembered_changes_no_answer() {
        const FORMS: &[&[Piece]] = &[
            &[
                Piece::Rest("a"),
                Piece::Text("-"),
                Piece::Part("b"),
                Piece::Text("/"),
                Piece::Part("c"),
            ],
            &[
                Piece::Part("a"),
                Piece::Text("b"),
                Piece::Part("b"),
                Piece::Text("b-"),
                Piece::Rest("c"),
            ],
            &[
                Piece::Rest("a"),
                Piece::Text("ü"),
                Piece::Rest("b"),
                Piece::Text("-b"),
                Piece::Part("c"),
                Piece::Text("ü"),
            ],
            &[
                Piece::Text("b"),
                Piece::Part("a"),
                Piece::Text("-"),
                Piece::Part("b"),
                Piece::Text("-"),
                Piece::Rest("c"),
            ],
            &[
                Piece::Part("a"),
                Piece::Part("b"),
                Piece::Text("/"),
                Piece::Rest("c"),
                Piece::Rest("d"),
            ],
            &[Piece::Part("a"), Piece::Text("-"), Piece::Part("b")],
            &[
                Piece::Text("b"),
                Piece::Part("a"),
                Piece::Text("/"),
                Piece::Part("b"),
                Piece::Text("-b/"),
                Piece::Rest("c"),
            ],
            &[
                Piece::Text("-"),
                Piece::Part("a"),
                Piece::Text("--"),
                Piece::Part("a"),
                Piece::Text("-"),
            ],
            &[Piece::Part("a"), Piece::Text("ü"), Piece::Rest("b")],
            &[Piece::Part("a"), Piece::Text(""), Piece::Part("b")],
        ];
        for number in 0..4_usize.pow(8) {
            let text: String = (0..8)
                .map(|digit| ['b', '-', '/', 'ü'][number / 4_usize.pow(digit) % 4])
                .collect();
            for pieces in FORMS {
                let mut found = Vec::new();
                let expected = naive(pieces, None, &text, &mut found).then_some(found);
                let pattern = Pattern {
                    pieces,
                    ignore_case: false,
                };
                assert_eq!(take_apart(&pattern, &text), expected, "{text:?} {pieces:?}");
                for name in ["a", "b", "c", "d"] {
                    let one = |found: &Vec<(&'static str, &str)>| {
                        found
                            .iter()
                            .find(|(known, _)| *known == name)
                            .map(|(_, part)| (*part).to_owned())
                    };
                    let found = part(&pattern, name, &text).map(|part| part.map(str::to_owned));
                    assert_eq!(
                        found,
                        expected.as_ref().map(one),
                        "{name} of {text:?} {pieces:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_part_may_be_missing_with_its_sign() {
        const fn optional(
            name: &'static str,
            sign: &'static str,
            default: &'static str,
        ) -> OptionalPart {
            OptionalPart {
                name,
                rest: false,
                sign,
                leads: false,
                default,
            }
        }
        const URL: Pattern = Pattern {
            pieces: &[
                Piece::Optional(OptionalPart {
                    leads: true,
                    ..optional("scheme", "://", "https")
                }),
                Piece::Part("host"),
                Piece::Optional(optional("port", ":", "443")),
                Piece::Optional(OptionalPart {
                    rest: true,
                    ..optional("path", "/", "")
                }),
            ],
            ignore_case: false,
        };
        assert_eq!(
            URL.to_string(),
            r#""{scheme|https}://{host}:{port|443}/{path..|}""#
        );
        let names = ["scheme", "host", "port", "path"];
        let all = |text: &'static str| {
            let found = take_apart(&URL, text)?;
            for (name, stretch) in &found {
                assert_eq!(
                    part(&URL, name, text),
                    Some(Some(*stretch)),
                    "{name} of {text}"
                );
            }
            assert_eq!(
                found.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
                names,
                "{text}"
            );
            Some(
                found
                    .into_iter()
                    .map(|(_, stretch)| stretch)
                    .collect::<Vec<_>>(),
            )
        };
        for (text, expected) in [
            ("http://a:80/b/c", ["http", "a", "80", "b/c"]),
            ("http://a/b:c", ["http", "a", "443", "b:c"]),
            ("a:80", ["https", "a", "80", ""]),
            ("a/b://c", ["https", "a", "443", "b://c"]),
            ("ü", ["https", "ü", "443", ""]),
            ("a/", ["https", "a", "443", ""]),
        ] {
            assert_eq!(all(text), Some(expected.to_vec()), "{text}");
        }
        // A sign that has nothing behind it, or is there once too often, is part of no neighbour.
        let wrong = [
            "",
            "a:",
            ":80",
            "a:80:90",
            "http://a:80:90/b",
            "[::1]:80",
            "http:/a",
            "http://",
            "http:///b",
        ];
        // A host has nothing before it and nothing behind it, so that it does not have these.
        let not_hosts = [
            "https://a?b=c",
            "https://u@a",
            "https://a#b",
            "https://a?b/c",
            "a?b",
            "u@a:80/b",
            "https://u:p@a/b",
        ];
        for text in wrong.into_iter().chain(not_hosts) {
            assert_eq!(all(text), None, "{text}");
        }
        // A part that is there once is the first of the two, because parts are found from the left.
        let two = [
            Piece::Part("a"),
            Piece::Optional(optional("b", "-", "x")),
            Piece::Optional(optional("c", "-", "y")),
        ];
        let two = |text| {
            take_apart_by(&two, false, text)
                .map(|found| found.into_iter().map(|(_, part)| part).collect::<Vec<_>>())
        };
        assert_eq!(two("1-2"), Some(vec!["1", "2", "y"]));
        assert_eq!(two("1-2-3"), Some(vec!["1", "2", "3"]));
        assert_eq!(two("1-2-3-4"), None);
        let between = [
            Piece::Part("a"),
            Piece::Optional(optional("b", "/", "x")),
            Piece::Text("/"),
            Piece::Part("c"),
        ];
        let between = |text| {
            take_apart_by(&between, false, text)
                .map(|found| found.into_iter().map(|(_, part)| part).collect::<Vec<_>>())
        };
        assert_eq!(between("1/2"), Some(vec!["1", "x", "2"]));
        assert_eq!(between("1/2/3"), Some(vec!["1", "2", "3"]));
    }

    #[test]
    fn a_name_may_hold_what_follows_it() {
        let pattern = Pattern {
            pieces: &[Piece::Rest("start"), Piece::Text(":"), Piece::Part("end")],
            ignore_case: false,
        };
        assert_eq!(
            take_apart(&pattern, "a:b:c"),
            Some(vec![("start", "a:b"), ("end", "c")])
        );
        let pair = Pattern {
            pieces: &[Piece::Part("x"), Piece::Text("|"), Piece::Part("y")],
            ignore_case: false,
        };
        assert_eq!(take_apart(&pair, "a|b"), Some(vec![("x", "a"), ("y", "b")]));
        assert_eq!(
            take_apart(&pair, "a|b|c"),
            None,
            "it could be parted in two ways"
        );
        let last = Pattern {
            pieces: &[Piece::Rest("_"), Piece::Text("/"), Piece::Part("last")],
            ignore_case: false,
        };
        assert_eq!(
            take_apart(&last, "a/b/c"),
            Some(vec![("_", "a/b"), ("last", "c")])
        );
        assert_eq!(take_apart(&last, "c"), None);
        let short = Pattern {
            pieces: &[Piece::Text("ß")],
            ignore_case: true,
        };
        assert_eq!(take_apart(&short, "a"), None);
        assert_eq!(take_apart(&short, "aé"), None);
    }
}
