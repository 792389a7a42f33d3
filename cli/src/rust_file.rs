//! A file of Rust in which some places change and every other byte stays.

use std::ops::Range;

use proc_macro2::{Span, TokenStream, TokenTree};

/// Bytes that are replaced, and by what.
pub(crate) type Change = (Range<usize>, String);

/// A file that was read as Rust.
pub(crate) struct RustFile<'t> {
    pub(crate) text: &'t str,
    /// The number of bytes before the parsed ones.
    offset: usize,
    pub(crate) line_end: &'static str,
    pub(crate) syntax: syn::File,
}

impl<'t> RustFile<'t> {
    /// # Errors
    /// It is not Rust.
    pub(crate) fn parse(text: &'t str) -> Result<Self, String> {
        let mut offset = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let rest = text.get(offset..).unwrap_or_default();
        if rest.starts_with("#!") && !rest.starts_with("#![") {
            offset += rest.find('\n').unwrap_or(rest.len());
        }
        let parsed: TokenStream = text
            .get(offset..)
            .unwrap_or_default()
            .parse()
            .map_err(|error| format!("not read as Rust: {error}"))?;
        let syntax: syn::File =
            syn::parse2(parsed).map_err(|error| format!("not read as Rust: {error}"))?;
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Ok(Self {
            text,
            offset,
            line_end,
            syntax,
        })
    }

    /// The number of lines that are not parsed.
    pub(crate) fn skipped_lines(&self) -> usize {
        self.text
            .get(..self.offset)
            .unwrap_or_default()
            .matches('\n')
            .count()
    }

    pub(crate) fn range(&self, span: Span) -> Range<usize> {
        let range = span.byte_range();
        range.start + self.offset..range.end + self.offset
    }

    /// The line, from 1.
    pub(crate) fn line(&self, span: Span) -> usize {
        span.start().line + self.skipped_lines()
    }

    /// The whole line or lines of it, if nothing else is there.
    pub(crate) fn line_of(&self, span: Span) -> Range<usize> {
        let Range { start, end } = self.range(span);
        let (before, after) = (
            self.text.get(..start).unwrap_or_default(),
            self.text.get(end..).unwrap_or_default(),
        );
        let first = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = after.find('\n').map_or(after.len(), |at| at + 1);
        let is_alone = |text: Option<&str>| text.is_some_and(|text| text.trim().is_empty());
        if is_alone(before.get(first..)) && is_alone(after.get(..rest)) {
            first..end + rest
        } else {
            start..end
        }
    }

    /// The comments between these tokens, line by line.
    pub(crate) fn comments(&self, tokens: TokenStream) -> Vec<&'t str> {
        let mut places = Vec::new();
        self.gather_places(tokens, &mut places);
        let between = places
            .iter()
            .zip(places.iter().skip(1))
            .filter_map(|(one, next)| self.text.get(one.end..next.start));
        between
            .flat_map(str::lines)
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect()
    }

    /// The places of tokens in their order; of a group, those of its brackets and of what is
    /// between them.
    fn gather_places(&self, tokens: TokenStream, places: &mut Vec<Range<usize>>) {
        for token in tokens {
            match &token {
                TokenTree::Group(group) => {
                    places.push(self.range(group.span_open()));
                    self.gather_places(group.stream(), places);
                    places.push(self.range(group.span_close()));
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    places.push(self.range(token.span()));
                }
            }
        }
    }

    /// The text with the changes in it.
    pub(crate) fn with(&self, mut changes: Vec<Change>) -> String {
        changes.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.text.len());
        let mut done = 0;
        for (Range { start, end }, text) in changes {
            out.push_str(self.text.get(done..start).unwrap_or_default());
            out.push_str(&text);
            done = end;
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        out
    }
}
