//! Patterns, which take text apart, and templates, which put it together.

use syn::LitStr;

use super::{FieldPath, Letters, Pattern, Piece, Segment, Template};

/// A part between braces, or the text between two of them.
enum Part {
    Text(String),
    Braces(String),
}

/// Takes the text of a pattern or template apart. `{{` and `}}` are braces.
fn parts(literal: &LitStr) -> syn::Result<Vec<Part>> {
    let text = literal.value();
    let mut parts = Vec::new();
    let mut fixed = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '{' | '}' if chars.peek() == Some(&char) => {
                chars.next();
                fixed.push(char);
            }
            '{' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(char) if char != '{' => name.push(char),
                        _ => {
                            let message =
                                "a `{` is never closed\nhelp: write `{{` for the brace itself";
                            return Err(syn::Error::new_spanned(literal, message));
                        }
                    }
                }
                if !fixed.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut fixed)));
                }
                parts.push(Part::Braces(name.trim().to_owned()));
            }
            '}' => {
                let message = "a `}` closes nothing\nhelp: write `}}` for the brace itself";
                return Err(syn::Error::new_spanned(literal, message));
            }
            char => fixed.push(char),
        }
    }
    if !fixed.is_empty() {
        parts.push(Part::Text(fixed));
    }
    Ok(parts)
}

/// True if there is anything in braces in `literal`.
pub(super) fn has_parts(literal: &LitStr) -> bool {
    !matches!(parts(literal), Ok(parts) if parts.iter().all(|part| matches!(part, Part::Text(_))))
}

pub(super) fn pattern(literal: &LitStr) -> syn::Result<Pattern> {
    let error = |message: String| Err(syn::Error::new_spanned(literal, message));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for part in parts(literal)? {
        let written = match part {
            Part::Text(text) => {
                match pieces.last_mut() {
                    Some(Piece::Optional {
                        sign, leads: true, ..
                    }) if sign.is_empty() => *sign = text,
                    Some(
                        Piece::Optional { .. } | Piece::Part(_) | Piece::Rest(_) | Piece::Text(_),
                    )
                    | None => {
                        pieces.push(Piece::Text(text));
                    }
                }
                continue;
            }
            Part::Braces(written) => written,
        };
        let (part, default) = written
            .split_once('|')
            .map_or((written.as_str(), None), |(part, default)| {
                (part, Some(default))
            });
        let (name, is_rest) = part
            .strip_suffix("..")
            .map_or((part, false), |name| (name, true));
        if name.is_empty() {
            return error(
                "`{}` has no name\nhelp: write `{_}` for a part that is not kept".to_owned(),
            );
        }
        if let Some((name, _)) = name.split_once(':') {
            return error(format!(
                "a pattern matches upper and lower case as written, so it takes no `{{{written}}}`\nhelp: write `{{{name}}}` here and `{{{written}}}` to the right of `=>`"
            ));
        }
        if !is_name(name) {
            return error(format!(
                "`{{{written}}}` is not a piece of a pattern\nhelp: write `{{name}}` for what comes before a `/`, `{{name..}}` for anything"
            ));
        }
        if name != "_" && names.iter().any(|other| other == name) {
            return error(format!(
                "`{{{name}}}` is in the pattern twice\nhelp: give the second another name, or write `{{_}}` if it is not kept"
            ));
        }
        let before = match pieces.last() {
            Some(Piece::Part(before) | Piece::Rest(before)) => Some(before),
            Some(Piece::Optional {
                name: before,
                leads,
                sign,
                ..
            }) if !leads || sign.is_empty() => Some(before),
            Some(Piece::Optional { .. } | Piece::Text(_)) | None => None,
        };
        if let Some(before) = before {
            return error(format!(
                "nothing between `{{{before}}}` and `{{{name}}}` says where the one ends and the other starts\nhelp: put fixed letters between them, such as `{{{before}}}/{{{name}}}`"
            ));
        }
        names.push(name.to_owned());
        if let Some(default) = default {
            let sign = sign_before(&mut pieces, &written, literal)?;
            let (leads, sign) = (sign.is_none(), sign.unwrap_or_default());
            if name == "_" && !default.is_empty() {
                return error(format!(
                    "`{{{written}}}` is not kept, so nothing takes its default\nhelp: write `{{_|}}`"
                ));
            }
            pieces.push(Piece::Optional {
                name: name.to_owned(),
                rest: is_rest,
                sign,
                leads,
                default: default.to_owned(),
            });
            continue;
        }
        pieces.push(if is_rest {
            Piece::Rest(name.to_owned())
        } else {
            Piece::Part(name.to_owned())
        });
    }
    if pieces.is_empty() {
        return error("the pattern is empty, so it would fit an empty string only\nhelp: say what the string looks like, such as `\"{project}/{name}\"`".to_owned());
    }
    check_optional(&pieces, literal)?;
    Ok(Pattern {
        pieces,
        ignore_case: false,
        span: literal.span(),
    })
}

/// The largest number of parts of a pattern that may be missing: a string is tried with and without
/// each.
const MOST_OPTIONAL: usize = 4;

/// A pattern of keys, of which nothing is kept.
pub(super) fn key_pattern(literal: &LitStr) -> syn::Result<Pattern> {
    let pattern = pattern(literal)?;
    if let Some(name) = pattern.names().next() {
        let mut unnamed = literal.value();
        for name in pattern.names() {
            unnamed = unnamed
                .replace(&format!("{{{name}}}"), "{_}")
                .replace(&format!("{{{name}.."), "{_..");
        }
        let message = format!(
            "nothing takes `{name}`, since the entries of these keys are left out\nhelp: write `{unnamed:?}`"
        );
        return Err(syn::Error::new_spanned(literal, message));
    }
    if matches!(&*pattern.pieces, [Piece::Rest(_)]) {
        let message = "every key has this form, so no entry would be left\nhelp: write the text that these keys begin with before it, such as `\"aws:{_..}\"`";
        return Err(syn::Error::new_spanned(literal, message));
    }
    Ok(pattern)
}

/// Takes the fixed text before an optional part, which is missing with it; nothing if the part
/// begins the pattern.
fn sign_before(
    pieces: &mut Vec<Piece>,
    written: &str,
    literal: &LitStr,
) -> syn::Result<Option<String>> {
    match (pieces.pop(), pieces.is_empty()) {
        (Some(Piece::Text(sign)), false) => Ok(Some(sign)),
        (None, _) => Ok(None),
        (Some(Piece::Text(_)), true)
        | (Some(Piece::Part(_) | Piece::Rest(_) | Piece::Optional { .. }), _) => {
            Err(syn::Error::new_spanned(
                literal,
                format_args!(
                    "`{{{written}}}` may be missing, and it is not clear which fixed text is missing with it\nhelp: begin the pattern with it, or put it behind another part, as in `\"{{host}}:{{port|443}}\"`"
                ),
            ))
        }
    }
}

/// Checks that a string tells which of its optional parts it has.
fn check_optional(pieces: &[Piece], literal: &LitStr) -> syn::Result<()> {
    let error = |message: String| Err(syn::Error::new_spanned(literal, message));
    let mut count = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Optional {
            name, sign, leads, ..
        } = piece
        else {
            continue;
        };
        count += 1;
        let next = pieces.get(index + 1);
        if *leads && !matches!(next, Some(Piece::Part(_) | Piece::Rest(_))) {
            return error(format!(
                "`{{{name}|…}}` begins the pattern and may be missing, so a part that is never missing has to follow it\nhelp: put fixed text and a part behind it, as in `\"{{project|main}}/{{name}}\"`"
            ));
        }
        if sign.starts_with(char::is_alphanumeric) {
            return error(format!(
                "nothing tells whether a string has `{{{name}|…}}`: {sign:?}, which is missing with it, may be part of its neighbor\nhelp: begin that fixed text with a sign, such as `:` or `/`"
            ));
        }
    }
    if count > MOST_OPTIONAL {
        return error(format!(
            "{count} parts may be missing, and a pattern has at most {MOST_OPTIONAL} of them\nhelp: write several patterns: `reformat(field, \"…\" => \"…\", \"…\" => \"…\")`"
        ));
    }
    Ok(())
}

/// A pattern that is its own template.
pub(super) fn same_form(literal: &LitStr) -> syn::Result<(Pattern, Template)> {
    let pattern = pattern(literal)?;
    let segments = pattern.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => Ok(Segment::Text(text.clone())),
        Piece::Part(name) | Piece::Rest(name) if name != "_" => Ok(Segment::Found(name.clone(), Letters::AsIs)),
        Piece::Part(_) | Piece::Rest(_) => {
            let message = "`{_}` would be lost\nhelp: give it a name, or write the new form after `=>`";
            Err(syn::Error::new_spanned(literal, message))
        }
        Piece::Optional { name, .. } => Err(syn::Error::new_spanned(
            literal,
            format_args!(
                "`{{{name}|…}}` may be missing, so the pattern does not say what the new string is\nhelp: write the new form after `=>`"
            ),
        )),
    });
    Ok((pattern.clone(), segments.collect::<syn::Result<_>>()?))
}

impl Pattern {
    /// The names of what it finds and keeps.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Part(name) | Piece::Rest(name) | Piece::Optional { name, .. } if name != "_" => {
                Some(name.as_str())
            }
            Piece::Part(_) | Piece::Rest(_) | Piece::Optional { .. } | Piece::Text(_) => None,
        })
    }
}

/// Reads a template. What it has in braces is what `pattern` found, or else a prior field.
pub(super) fn template(literal: &LitStr, pattern: Option<&Pattern>) -> syn::Result<Template> {
    let error = |message: String| Err(syn::Error::new_spanned(literal, message));
    let mut segments = Vec::new();
    for part in parts(literal)? {
        let written = match part {
            Part::Text(text) => {
                segments.push(Segment::Text(text));
                continue;
            }
            Part::Braces(written) => written,
        };
        if let Some((name, _)) = written.split_once('|') {
            return error(format!(
                "a default belongs in a pattern\nhelp: write `{{{name}}}` here, and `{{{written}}}` to the left of `=>`"
            ));
        }
        let (path, letters) = match written.split_once(':') {
            None => (written.as_str(), Letters::AsIs),
            Some((path, "lower")) => (path, Letters::Lower),
            Some((path, "upper")) => (path, Letters::Upper),
            Some((path, other)) => {
                return error(format!(
                    "`:{other}` is not a way to write a string\nhelp: write `{{{path}:lower}}`, `{{{path}:upper}}`, or `{{{path}}}` to leave it unchanged"
                ));
            }
        };
        if path == "_" || path.is_empty() {
            return error(format!(
                "`{{{written}}}` names nothing that there is\nhelp: name a piece of the pattern or a field of the prior model"
            ));
        }
        if path.ends_with("..") {
            let name = path.trim_end_matches('.');
            return error(format!(
                "`{{{written}}}` belongs in a pattern\nhelp: write `{{{name}}}` here"
            ));
        }
        if !path.split('.').all(|name| is_name(name) && name != "_") {
            return error(format!("`{{{written}}}` is not the name of a field"));
        }
        segments.push(match pattern {
            Some(pattern) if pattern.names().any(|name| name == path) => {
                Segment::Found(path.to_owned(), letters)
            }
            _ => Segment::Prior(FieldPath::in_text(path, literal), letters),
        });
    }
    // A part that is found and goes nowhere would be lost silently.
    let unused = pattern.and_then(|pattern| {
        pattern.names().find(|name| {
            !segments
                .iter()
                .any(|segment| matches!(segment, Segment::Found(found, _) if found == name))
        })
    });
    if let Some(unused) = unused {
        return error(format!(
            "`{{{unused}}}` is found in the old string but has no place in the new one\nhelp: write `{{_}}` to the left of `=>` if it is meant to go"
        ));
    }
    Ok(segments)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn patterns_are_texts_and_pieces() {
        let pattern = pattern(&parse_quote!("a{{b}}/{name}:{_}-{rest..}")).unwrap();
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            pattern.pieces,
            [
                text("a{b}/"),
                Piece::Part("name".into()),
                text(":"),
                Piece::Part("_".into()),
                text("-"),
                Piece::Rest("rest".into())
            ]
        );
        assert_eq!(pattern.names().collect::<Vec<_>>(), ["name", "rest"]);
    }

    #[test]
    fn an_optional_part_has_the_text_that_is_missing_with_it() {
        let optional = |name: &str, sign: &str, leads, default: &str| Piece::Optional {
            name: name.to_owned(),
            rest: name == "path",
            sign: sign.to_owned(),
            leads,
            default: default.to_owned(),
        };
        let url = pattern(&parse_quote!(
            "{scheme|https}://{host}:{port|443}/{path..|}"
        ))
        .unwrap();
        assert_eq!(
            url.pieces,
            [
                optional("scheme", "://", true, "https"),
                Piece::Part("host".into()),
                optional("port", ":", false, "443"),
                optional("path", "/", false, "")
            ]
        );
        assert_eq!(
            url.names().collect::<Vec<_>>(),
            ["scheme", "host", "port", "path"]
        );
        let first = |literal: LitStr| {
            pattern(&literal)
                .unwrap_err()
                .to_string()
                .lines()
                .next()
                .unwrap()
                .to_owned()
        };
        assert_eq!(
            first(parse_quote!("{a|x}")),
            "`{a|…}` begins the pattern and may be missing, so a part that is never missing has to follow it"
        );
        assert_eq!(first(parse_quote!("{a|x}/")), first(parse_quote!("{a|x}")));
        let unclear =
            "`{b|y}` may be missing, and it is not clear which fixed text is missing with it";
        assert_eq!(first(parse_quote!("{a|x}/{b|y}")), unclear);
        assert_eq!(first(parse_quote!("a/{b|y}")), unclear);
    }

    #[test]
    fn what_a_pattern_did_not_find_is_a_prior_field() {
        let pattern = pattern(&parse_quote!("{name}")).unwrap();
        let segments = template(
            &parse_quote!("{name:upper}/{settings.type:lower}/{{}}"),
            Some(&pattern),
        )
        .unwrap();
        let described: Vec<String> = segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.clone(),
                Segment::Found(name, letters) => format!("found {name} {letters:?}"),
                Segment::Prior(path, letters) => format!("prior {} {letters:?}", path.spelt()),
            })
            .collect();
        assert_eq!(
            described,
            ["found name Upper", "/", "prior settings.type Lower", "/{}"]
        );
    }
}
