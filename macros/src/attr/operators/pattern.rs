//! Patterns, which take text apart, and templates, which put it together.

use syn::LitStr;

use super::{FieldPath, Letters, Pattern, Piece, Segment, Template};

/// What is between braces, or between those.
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
                            let message = "a `{` is never closed\nhelp: write `{{` for the brace itself";
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

/// Whether there is anything in braces in `literal`.
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
                pieces.push(Piece::Text(text));
                continue;
            }
            Part::Braces(written) => written,
        };
        let (name, is_rest) = written.strip_suffix("..").map_or((written.as_str(), false), |name| (name, true));
        if name.is_empty() {
            return error("`{}` has no name\nhelp: write `{_}` for a part that is not kept".to_owned());
        }
        if let Some((name, _)) = name.split_once(':') {
            return error(format!(
                "a pattern finds letters as they are, so it takes no `{{{written}}}`\nhelp: write `{{{name}}}` here and `{{{written}}}` to the right of `=>`"
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
        if let Some(Piece::Part(before) | Piece::Rest(before)) = pieces.last() {
            return error(format!(
                "nothing between `{{{before}}}` and `{{{name}}}` says where the one ends and the other starts\nhelp: put fixed letters between them"
            ));
        }
        names.push(name.to_owned());
        pieces.push(if is_rest { Piece::Rest(name.to_owned()) } else { Piece::Part(name.to_owned()) });
    }
    if pieces.is_empty() {
        return error("the pattern is empty, so it would fit an empty string only\nhelp: say what the string looks like, such as `\"{project}/{name}\"`".to_owned());
    }
    Ok(Pattern { pieces, ignore_case: false, span: literal.span() })
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
    });
    Ok((pattern.clone(), segments.collect::<syn::Result<_>>()?))
}

impl Pattern {
    /// The names of what it finds and keeps.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Part(name) | Piece::Rest(name) if name != "_" => Some(name.as_str()),
            _ => None,
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
        let (path, letters) = match written.split_once(':') {
            None => (written.as_str(), Letters::AsIs),
            Some((path, "lower")) => (path, Letters::Lower),
            Some((path, "upper")) => (path, Letters::Upper),
            Some((path, other)) => {
                return error(format!(
                    "`:{other}` is not a way to write a string\nhelp: write `{{{path}:lower}}`, `{{{path}:upper}}`, or `{{{path}}}` to leave it as it is"
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
            return error(format!("`{{{written}}}` belongs in a pattern\nhelp: write `{{{name}}}` here"));
        }
        if !path.split('.').all(|name| is_name(name) && name != "_") {
            return error(format!("`{{{written}}}` is not the name of a field"));
        }
        segments.push(match pattern {
            Some(pattern) if pattern.names().any(|name| name == path) => Segment::Found(path.to_owned(), letters),
            _ => Segment::Prior(FieldPath::in_text(path, literal), letters),
        });
    }
    // What is found and goes nowhere would be lost silently.
    let unused = pattern.and_then(|pattern| {
        pattern.names().find(|name| !segments.iter().any(|segment| matches!(segment, Segment::Found(found, _) if found == name)))
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
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
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
    fn what_a_pattern_did_not_find_is_a_prior_field() {
        let pattern = pattern(&parse_quote!("{name}")).unwrap();
        let segments = template(&parse_quote!("{name:upper}/{settings.type:lower}/{{}}"), Some(&pattern)).unwrap();
        let described: Vec<String> = segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.clone(),
                Segment::Found(name, letters) => format!("found {name} {letters:?}"),
                Segment::Prior(path, letters) => format!("prior {} {letters:?}", path.spelt()),
            })
            .collect();
        assert_eq!(described, ["found name Upper", "/", "prior settings.type Lower", "/{}"]);
    }
}
