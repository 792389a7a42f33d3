//! The operators that take strings apart and put them together.

use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token, token};
use upstate_words::operators as words;

use super::pattern::{has_parts, pattern, same_form, template};
use super::read::Reader;
use super::reading::{Reading, at_end, once, otherwise, rest_of_piece};
use super::url::once_url;
use super::{Apart, Argument, FieldPath, Operation, Otherwise, UrlPart};

impl Reader<'_> {
    pub(super) fn reformat(&mut self, reading: Reading<'_>) {
        let mut forms = Vec::new();
        let mut other = None;
        let mut ignore_case = false;
        let mut composed = None;
        let mut same = None;
        let mut first = true;
        let mut target = None;
        let mut failed = false;
        let mut read = |input: ParseStream<'_>| {
            if std::mem::take(&mut first) {
                let fields = reading.fields(input)?;
                if input.peek(Token![=]) && !input.peek(Token![=>]) {
                    input.parse::<Token![=]>()?;
                    let text = reading.text(input, "the template")?;
                    let segments = template(&text, None)?;
                    if segments
                        .iter()
                        .all(|segment| matches!(segment, super::Segment::Text(_)))
                    {
                        let message = format!(
                            "this string takes nothing from the prior state\nhelp: write `set({} = {})`",
                            FieldPath::all_typed(&fields),
                            text.to_token_stream()
                        );
                        return Err(syn::Error::new_spanned(text, message));
                    }
                    composed = Some(segments);
                }
                target = Some(fields);
                return Ok(());
            }
            if composed.is_some() {
                let rest = rest_of_piece(input)?;
                let message = "`reformat(field = \"…\")` puts one string together\nhelp: write a `reformat(…)` for each field";
                return Err(syn::Error::new_spanned(rest, message));
            }
            if input.peek(Token![_]) {
                let found = otherwise(reading, input)?;
                return once(&mut other, found);
            }
            if input.peek(Ident) {
                let word: Ident = input.parse()?;
                if word != "ignore_case" {
                    let message = format!(
                        "`reformat` has no option `{word}` [U0010]\nhelp: its options are `ignore_case` and `_ => …`"
                    );
                    return Err(syn::Error::new_spanned(word, message));
                }
                ignore_case = true;
                return Ok(());
            }
            let left = reading.text(input, "the pattern")?;
            if at_end(input) {
                forms.push(same_form(&left)?);
                same = Some(left);
                return Ok(());
            }
            reading.arrow(input, &left, "the pattern and the new form")?;
            let right = reading.text(input, "the new form")?;
            let pattern = pattern(&left)?;
            let template = template(&right, Some(&pattern))?;
            forms.push((pattern, template));
            Ok(())
        };
        self.pieces(reading, |_, input| {
            read(input).inspect_err(|_| failed = true)
        });
        let Some(target) = target.filter(|_| !failed) else {
            return;
        };
        if let Some(template) = composed {
            self.stages(
                reading,
                target,
                &Operation::new(&words::reformat::COMPOSE, [Argument::Template(template)]),
            );
            return;
        }
        if forms.is_empty() {
            self.mistake(reading.misuse(target.last(), "`reformat` has no pattern"));
            return;
        }
        for (pattern, _) in &mut forms {
            pattern.ignore_case = ignore_case;
        }
        if let (false, Some(text)) = (ignore_case, same) {
            let message = "a string that fits this pattern has this form already\nhelp: add `ignore_case` to bring its fixed parts into these letters, or the new form after `=>`";
            self.mistake(syn::Error::new_spanned(text, message));
            return;
        }
        let other = other.map_or(Otherwise::Refuse, |(_, other)| other);
        let arguments = [Argument::Forms(forms), Argument::Otherwise(other)];
        self.stages(
            reading,
            target,
            &Operation::new(&words::reformat::REFORMAT, arguments),
        );
    }

    pub(super) fn split(&mut self, reading: Reading<'_>) {
        let (mut text, mut url) = (None, None);
        let field = self.first_field(reading, |_, input| {
            if input.peek(Ident) && input.peek2(token::Paren) {
                return once_url(reading, &mut url, input);
            }
            one_text(
                reading,
                &mut text,
                input,
                "the pattern, the separator or `url(…)`",
            )
        });
        if let Some((word, parts)) = url {
            return self.split_url(reading, field, (&word, parts));
        }
        let Some((fields, text)) = self.with_text(reading, field, text, "the pattern or separator")
        else {
            return;
        };
        if !has_parts(&text) {
            self.stages(
                reading,
                fields,
                &Operation::new(&words::split::SPLIT, [Argument::Text(text.value())]),
            );
            return;
        }
        let pattern = match pattern(&text) {
            Ok(pattern) => pattern,
            Err(error) => return self.mistake(error),
        };
        let names: Vec<String> = pattern.names().map(str::to_owned).collect();
        if names.is_empty() {
            let message = "the pattern keeps nothing\nhelp: give a piece the name of the field it becomes, such as `{host}`";
            self.mistake(syn::Error::new_spanned(&text, message));
        }
        let Ok([field]) = <[FieldPath; 1]>::try_from(fields) else {
            self.mistake(reading.misuse(text, "a pattern takes one field apart"));
            return;
        };
        for name in names {
            let target = FieldPath::in_text(&name, &text);
            self.stage(
                reading,
                target,
                extracted(&field, Apart::Pattern(pattern.clone()), name),
            );
        }
    }

    fn split_url(
        &mut self,
        reading: Reading<'_>,
        fields: Option<Vec<FieldPath>>,
        (word, parts): (&Ident, Vec<UrlPart>),
    ) {
        let Some(fields) = fields else { return };
        let Ok([field]) = <[FieldPath; 1]>::try_from(fields) else {
            self.mistake(reading.misuse(word, "`url(…)` takes one field apart"));
            return;
        };
        for UrlPart {
            name,
            field: target,
            ..
        } in &parts
        {
            if let Some(target) = target {
                let apart = Apart::Url(parts.clone());
                self.stage(
                    reading,
                    target.clone(),
                    extracted(&field, apart, name.clone()),
                );
            }
        }
    }

    pub(super) fn join(&mut self, reading: Reading<'_>) {
        let mut text = None;
        let field = self.first_field(reading, |_, input| {
            one_text(reading, &mut text, input, "the separator")
        });
        if let Some((fields, text)) = self.with_text(reading, field, text, "the separator") {
            self.stages(
                reading,
                fields,
                &Operation::new(&words::join::JOIN, [Argument::Text(text.value())]),
            );
        }
    }

    fn with_text(
        &mut self,
        reading: Reading<'_>,
        fields: Option<Vec<FieldPath>>,
        text: Option<LitStr>,
        what: &str,
    ) -> Option<(Vec<FieldPath>, LitStr)> {
        let fields = fields?;
        let Some(text) = text else {
            let name = reading.word.name;
            let message = format!(
                "`{name}` is missing {what}\nhelp: write `{name}({}, \",\")`",
                FieldPath::all_typed(&fields)
            );
            self.mistake(syn::Error::new_spanned(fields.last(), message));
            return None;
        };
        if text.value().is_empty() {
            self.mistake(reading.misuse(text, format_args!("{what} is empty")));
            return None;
        }
        Some((fields, text))
    }
}

/// The part called `name` of a prior field.
fn extracted(from: &FieldPath, apart: Apart, name: String) -> Operation {
    Operation::new(
        &words::split::EXTRACT,
        [
            Argument::Prior(from.clone()),
            Argument::Apart(apart),
            Argument::Text(name),
        ],
    )
}

/// The text after a field, of which there is one.
fn one_text(
    reading: Reading<'_>,
    text: &mut Option<LitStr>,
    input: ParseStream<'_>,
    what: &str,
) -> syn::Result<()> {
    let found = reading.text(input, what)?;
    if text.is_some() {
        let name = reading.word.name;
        let message =
            format!("`{name}` takes one string\nhelp: write a `{name}(…)` for each field");
        return Err(syn::Error::new_spanned(found, message));
    }
    *text = Some(found);
    Ok(())
}
