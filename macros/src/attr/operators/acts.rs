//! The operators that give a field its value, or change it.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Path, Token, token};

use super::pattern::{has_parts, pattern, template};
use super::read::{Reader, Reading, at_end, rest_of_piece};
use super::{Constant, FieldPath, Literal, Match, Operation, Otherwise};

impl Reader<'_> {
    pub(super) fn rename(&mut self, reading: Reading<'_>) {
        let mut moves = Vec::new();
        let mut existing = "Unsaid";
        self.pieces(reading, |_, input| {
            if let Some(option) = reading.option(input, &["existing"]) {
                existing = reading.choice(input, &option, &[("keep", "Keep"), ("replace", "Replace"), ("refuse", "Refuse")])?;
                return Ok(());
            }
            moves.push(mapped(reading, input)?);
            Ok(())
        });
        for (from, target) in moves {
            if from.is_same(&target) {
                self.mistake(syn::Error::new_spanned(
                    &target,
                    format_args!(
                        "`{}` is renamed to itself\nhelp: leave it out; a field of the same name is carried",
                        from.spelt()
                    ),
                ));
            }
            self.stage(reading, target, Operation::Take { from, existing });
        }
    }

    pub(super) fn copy(&mut self, reading: Reading<'_>) {
        self.pieces(reading, |reader, input| {
            let (from, target) = mapped(reading, input)?;
            if from.is_same(&target) {
                let message =
                    format!("`{}` is copied to itself\nhelp: leave it out; a field of the same name is carried", from.spelt());
                return Err(syn::Error::new_spanned(target, message));
            }
            reader.stage(reading, target, Operation::Copy { from });
            Ok(())
        });
    }

    pub(super) fn default(&mut self, reading: Reading<'_>) {
        let mut values = Vec::new();
        let mut when: Option<Vec<Match>> = None;
        self.pieces(reading, |_, input| {
            if let Some(option) = reading.option(input, &["when"]) {
                when = Some(matches_after(reading, &option, input)?);
                return Ok(());
            }
            values.push(assigned(reading, input)?);
            Ok(())
        });
        let when = when.unwrap_or_else(|| vec![Match::Literal(Literal::Null)]);
        for (target, value) in values {
            self.stage(reading, target, Operation::Default { value, when: when.clone() });
        }
    }

    pub(super) fn set(&mut self, reading: Reading<'_>) {
        self.pieces(reading, |reader, input| {
            let (target, value) = assigned(reading, input)?;
            reader.stage(reading, target, Operation::Set(value));
            Ok(())
        });
    }

    /// `null_if` and `filter`: a field, and which values of it.
    pub(super) fn matching(&mut self, reading: Reading<'_>, operation: fn(Vec<Match>) -> Operation) {
        let mut matches = Vec::new();
        let target = self.first_field(reading, |_, input| {
            matches.push(Match::read(&reading.expr(input, "the value")?)?);
            Ok(())
        });
        let Some(target) = target else { return };
        if matches.is_empty() {
            let field = target.spelt();
            let name = reading.word.name;
            let message = format!(
                "`{name}` does not say which values of `{field}` it means\nhelp: write `{name}({field}, empty)` or `{name}({field}, \"\", 0)`"
            );
            self.mistake(syn::Error::new_spanned(&target, message));
            return;
        }
        self.stage(reading, target, operation(matches));
    }

    pub(super) fn convert(&mut self, reading: Reading<'_>) {
        let mut operation = None;
        let target = self.first_field(reading, |_, input| {
            let start = input.fork();
            let found = if let Some(option) = reading.option(input, &["empty"]) {
                let choices = [("null", "Null"), ("zero", "Zero"), ("refuse", "Refuse")];
                Operation::Convert { empty: reading.choice(input, &option, &choices)? }
            } else if reading.option(input, &["with"]).is_some() {
                let rest = rest_of_piece(&input.fork())?;
                let path: Path = input.parse().map_err(|_| {
                    let message = "`with` takes the path of a function\nhelp: write `convert(field, with = path)`, where `path` is `fn(A) -> Result<B, E>`";
                    let place = if rest.is_empty() { reading.call.word.to_token_stream() } else { rest.clone() };
                    syn::Error::new_spanned(place, message)
                })?;
                if !at_end(input) {
                    let message = "`with` takes the path of a function\nhelp: give the closure a name of its own: `fn path(value: A) -> Result<B, E>`";
                    return Err(syn::Error::new_spanned(rest, message));
                }
                Operation::Function(path)
            } else {
                let word = input.call(Ident::parse_any);
                match word {
                    Ok(word) if word == "json" && at_end(input) => Operation::Json,
                    Ok(word) if at_end(input) => {
                        let message = format!("`convert` takes one field\nhelp: write `convert({word})` beside it");
                        return Err(syn::Error::new_spanned(word, message));
                    }
                    _ => {
                        let rest = rest_of_piece(&start)?;
                        let message = "`convert` has no such option\nhelp: its options are `empty = null`, `empty = zero`, `empty = refuse`, `json`, `with = path`";
                        return Err(syn::Error::new_spanned(rest, message));
                    }
                }
            };
            if operation.is_some() {
                let rest = rest_of_piece(&start)?;
                let message = "`convert` takes one option\nhelp: keep the one that says what the new value is";
                return Err(syn::Error::new_spanned(rest, message));
            }
            operation = Some(found);
            Ok(())
        });
        if let Some(target) = target {
            self.stage(reading, target, operation.unwrap_or(Operation::Convert { empty: "Unsaid" }));
        }
    }

    pub(super) fn values(&mut self, reading: Reading<'_>) {
        let mut table: Vec<(Literal, Literal)> = Vec::new();
        let mut other = None;
        let target = self.first_field(reading, |_, input| {
            if input.peek(Token![_]) {
                let found = otherwise(reading, input)?;
                return once(&mut other, found);
            }
            let old_expr = reading.expr(input, "the old value")?;
            reading.arrow(input, &old_expr, "the old value and the new one")?;
            let old = Literal::read(&old_expr);
            let new = reading.expr(input, "the new value").and_then(|new| Literal::read(&new));
            match (old, new) {
                (Ok(old), Ok(new)) => {
                    if table.iter().any(|(before, _)| *before == old) {
                        let message = format!("`{}` is in the table twice\nhelp: keep one of the two", old.spelt());
                        return Err(syn::Error::new_spanned(old_expr, message));
                    }
                    table.push((old, new));
                }
                (Err(mut old), Err(new)) => {
                    old.combine(new);
                    return Err(old);
                }
                (Err(error), Ok(_)) | (Ok(_), Err(error)) => return Err(error),
            }
            Ok(())
        });
        let Some(target) = target else { return };
        if table.is_empty() {
            let message =
                format!("the table of `values` has no values\nhelp: write `values({}, \"old\" => \"new\")`", target.spelt());
            self.mistake(syn::Error::new_spanned(&target, message));
            return;
        }
        let other = other.map_or(Otherwise::Refuse, |(_, other)| other);
        self.stage(reading, target, Operation::Values { table, other });
    }

    pub(super) fn reformat(&mut self, reading: Reading<'_>) {
        let mut forms = Vec::new();
        let mut other = None;
        let mut ignore_case = false;
        let mut composed = None;
        let mut first = true;
        let mut target = None;
        let mut failed = false;
        let mut read = |input: ParseStream<'_>| {
            if std::mem::take(&mut first) {
                let field = reading.field(input)?;
                if input.peek(Token![=]) && !input.peek(Token![=>]) {
                    input.parse::<Token![=]>()?;
                    let text = reading.text(input, "the template")?;
                    let segments = template(&text, None)?;
                    if segments.iter().all(|segment| matches!(segment, super::Segment::Text(_))) {
                        let message = format!(
                            "this text takes nothing from the prior state\nhelp: write `set({} = {})`",
                            field.spelt(),
                            text.to_token_stream()
                        );
                        return Err(syn::Error::new_spanned(text, message));
                    }
                    composed = Some(segments);
                }
                target = Some(field);
                return Ok(());
            }
            if composed.is_some() {
                let rest = rest_of_piece(input)?;
                let message = "`reformat(field = \"…\")` puts one text together\nhelp: write a `reformat(…)` for each field";
                return Err(syn::Error::new_spanned(rest, message));
            }
            if input.peek(Token![_]) {
                let found = otherwise(reading, input)?;
                return once(&mut other, found);
            }
            if input.peek(Ident) {
                let word: Ident = input.parse()?;
                if word != "ignore_case" {
                    let message = format!("`reformat` has no option `{word}`\nhelp: its options are `ignore_case` and `_ => …`");
                    return Err(syn::Error::new_spanned(word, message));
                }
                ignore_case = true;
                return Ok(());
            }
            let left = reading.text(input, "the pattern")?;
            reading.arrow(input, &left, "the pattern and the new text")?;
            let right = reading.text(input, "the new text")?;
            let pattern = pattern(&left)?;
            let template = template(&right, Some(&pattern))?;
            forms.push((pattern, template));
            Ok(())
        };
        self.pieces(reading, |_, input| read(input).inspect_err(|_| failed = true));
        let Some(target) = target.filter(|_| !failed) else { return };
        if let Some(template) = composed {
            self.stage(reading, target, Operation::Compose(template));
            return;
        }
        if forms.is_empty() {
            self.mistake(reading.misuse(&target, "`reformat` has no pattern"));
            return;
        }
        for (pattern, _) in &mut forms {
            pattern.ignore_case = ignore_case;
        }
        let other = other.map_or(Otherwise::Refuse, |(_, other)| other);
        self.stage(reading, target, Operation::Reformat { forms, other });
    }

    pub(super) fn split(&mut self, reading: Reading<'_>) {
        let mut text = None;
        let field = self.first_field(reading, |_, input| one_text(reading, &mut text, input, "the pattern or separator"));
        let Some((field, text)) = self.with_text(reading, field, text, "the pattern or separator") else { return };
        if !has_parts(&text) {
            self.stage(reading, field, Operation::Split(text));
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
        for name in names {
            let target = FieldPath::in_text(&name, &text);
            self.stage(reading, target, Operation::Extract { from: field.clone(), pattern: pattern.clone(), name });
        }
    }

    pub(super) fn join(&mut self, reading: Reading<'_>) {
        let mut text = None;
        let field = self.first_field(reading, |_, input| one_text(reading, &mut text, input, "the separator"));
        if let Some((field, text)) = self.with_text(reading, field, text, "the separator") {
            self.stage(reading, field, Operation::Join(text));
        }
    }

    fn with_text(
        &mut self,
        reading: Reading<'_>,
        field: Option<FieldPath>,
        text: Option<LitStr>,
        what: &str,
    ) -> Option<(FieldPath, LitStr)> {
        let field = field?;
        let Some(text) = text else {
            let name = reading.word.name;
            let message = format!("`{name}` is missing {what}\nhelp: write `{name}({}, \",\")`", field.spelt());
            self.mistake(syn::Error::new_spanned(field, message));
            return None;
        };
        if text.value().is_empty() {
            self.mistake(reading.misuse(text, format_args!("{what} is empty")));
            return None;
        }
        Some((field, text))
    }

    pub(super) fn merge(&mut self, reading: Reading<'_>) {
        let Some((from, target, _)) = self.many_to_one(reading) else { return };
        match target {
            Some(target) if from.len() > 1 => self.stage(reading, target, Operation::Merge(from)),
            Some(target) => {
                let from = from.iter().map(FieldPath::spelt).collect::<String>();
                let to = target.spelt();
                let message = format!(
                    "there is only one field to merge\nhelp: write `rename({from} => {to}), merge({to})` if it is a list of maps"
                );
                self.mistake(syn::Error::new_spanned(target, message));
            }
            None => match <[FieldPath; 1]>::try_from(from) {
                Ok([field]) => self.stage(reading, field.clone(), Operation::Merge(vec![field])),
                Err(from) => {
                    let fields: Vec<String> = from.iter().map(FieldPath::spelt).collect();
                    let message =
                        format!("`merge` does not say into which field\nhelp: write `merge({} => field)`", fields.join(", "));
                    let place = from.last().map(ToTokens::to_token_stream).unwrap_or_default();
                    self.mistake(syn::Error::new_spanned(place, message));
                }
            },
        }
    }

    pub(super) fn nest(&mut self, reading: Reading<'_>) {
        let Some((from, target, _)) = self.many_to_one(reading) else { return };
        let Some(target) = target else {
            self.mistake(reading.misuse(TokenStream::new(), "`nest` does not say into which object"));
            return;
        };
        for from in from {
            let Some(last) = from.last() else { continue };
            let inside = target.below(last);
            self.stage(reading, inside, Operation::Take { from, existing: "Unsaid" });
        }
    }

    pub(super) fn unnest(&mut self, reading: Reading<'_>) {
        let Some((from, target, rest)) = self.many_to_one(reading) else { return };
        match (<[FieldPath; 1]>::try_from(from), target) {
            (Ok([object]), Some(first)) => {
                for target in std::iter::once(first).chain(rest) {
                    let Some(last) = target.last() else { continue };
                    let from = object.below(last);
                    self.stage(reading, target, Operation::Take { from, existing: "Unsaid" });
                }
            }
            (Ok(_), None) => {
                self.mistake(reading.misuse(TokenStream::new(), "`unnest` does not say which fields come out of the object"))
            }
            (Err(from), _) => {
                let place = from.get(1).map(ToTokens::to_token_stream).unwrap_or_default();
                self.mistake(reading.misuse(place, "`unnest` takes one object before `=>`"));
            }
        }
    }

    /// `a, b => c` and what comes after that.
    fn many_to_one(&mut self, reading: Reading<'_>) -> Option<(Vec<FieldPath>, Option<FieldPath>, Vec<FieldPath>)> {
        let (mut from, mut target, mut rest) = (Vec::new(), None, Vec::new());
        let mut failed = false;
        let is_unnest = reading.word.name == "unnest";
        self.pieces(reading, |_, input| {
            let mut read = || {
                let field = reading.field(input)?;
                if target.is_some() {
                    if !is_unnest || input.peek(Token![=>]) {
                        let name = reading.word.name;
                        return Err(reading.misuse(field, format_args!("one `{name}` has one arrow, and one field after it")));
                    }
                    rest.push(field);
                    return Ok(());
                }
                from.push(field);
                if !at_end(input) {
                    reading.arrow(input, from.last(), "what was and what is")?;
                    target = Some(reading.field(input)?);
                }
                Ok(())
            };
            read().inspect_err(|_| failed = true)
        });
        (!failed).then_some((from, target, rest))
    }

    pub(super) fn unwrap(&mut self, reading: Reading<'_>) {
        let (mut many, mut empty) = ("Refuse", "Null");
        let mut targets = Vec::new();
        self.pieces(reading, |_, input| {
            if let Some(option) = reading.option(input, &["many"]) {
                many = reading.choice(input, &option, &[("refuse", "Refuse"), ("first", "First")])?;
            } else if let Some(option) = reading.option(input, &["empty"]) {
                empty = reading.choice(input, &option, &[("null", "Null"), ("object", "Object")])?;
            } else {
                targets.push(reading.field(input)?);
            }
            Ok(())
        });
        for target in targets {
            self.stage(reading, target, Operation::Unwrap { many, empty });
        }
    }

    pub(super) fn wrap(&mut self, reading: Reading<'_>) {
        self.pieces(reading, |reader, input| {
            let target = reading.field(input)?;
            reader.stage(reading, target, Operation::Wrap);
            Ok(())
        });
    }

    pub(super) fn rekey(&mut self, reading: Reading<'_>) {
        let (mut key, mut value): (Option<String>, Option<String>) = (None, None);
        let mut by = None;
        let mut failed = false;
        let target = self.first_field(reading, |_, input| {
            let Some(option) = reading.option(input, &["by", "key", "value"]) else {
                failed = true;
                let rest = rest_of_piece(input)?;
                return Err(reading.misuse(rest, "`rekey` has no such option; they are `by`, `key` and `value`"));
            };
            let member = member(reading, &option, input).inspect_err(|_| failed = true)?;
            match option.to_string().as_str() {
                "by" => {
                    by = Some(option);
                    key = Some(member);
                }
                "key" => key = Some(member),
                _ => value = Some(member),
            }
            Ok(())
        });
        let Some(target) = target.filter(|_| !failed) else { return };
        match (key, value) {
            (Some(_), Some(_)) if by.is_some() => {
                let message = "`by` and `value` exclude each other\nhelp: write `key = \"…\", value = \"…\"` for objects of just those two members, `by = member` for others";
                self.mistake(syn::Error::new_spanned(by, message));
            }
            (Some(key), value) => self.stage(reading, target, Operation::Rekey { key, value }),
            (None, _) => {
                let message =
                    format!("`rekey` does not say which member is the key\nhelp: write `rekey({}, by = member)`", target.spelt());
                self.mistake(syn::Error::new_spanned(target, message));
            }
        }
    }

    /// Reads a first piece that is a field, and the others as `read` says.
    fn first_field(
        &mut self,
        reading: Reading<'_>,
        mut read: impl FnMut(&mut Self, ParseStream<'_>) -> syn::Result<()>,
    ) -> Option<FieldPath> {
        let mut target = None;
        let mut first = true;
        let mut failed = false;
        self.pieces(reading, |reader, input| {
            if std::mem::take(&mut first) {
                target = Some(reading.field(input)?);
                return Ok(());
            }
            read(reader, input).inspect_err(|_| failed = true)
        });
        target.filter(|_| !failed)
    }
}

/// `old => new`
fn mapped(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<(FieldPath, FieldPath)> {
    let from = reading.field(input)?;
    reading.arrow(input, &from, "the prior field and the current one")?;
    Ok((from, reading.field(input)?))
}

/// `field = value`
fn assigned(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<(FieldPath, Constant)> {
    let target = reading.field(input)?;
    if !input.peek(Token![=]) || input.peek(Token![=>]) || input.peek(Token![==]) {
        let name = reading.word.name;
        let place = if at_end(input) { target.to_token_stream() } else { rest_of_piece(input)? };
        let field = target.spelt();
        return Err(syn::Error::new_spanned(
            place,
            format_args!("`{name}` takes `=` between the field and its value\nhelp: write `{name}({field} = …)`"),
        ));
    }
    let equals = input.parse::<Token![=]>()?;
    if at_end(input) {
        return Err(reading.misuse(equals, format_args!("`{}` has no value after this", target.spelt())));
    }
    Ok((target, Constant::read(reading.expr(input, "the value")?)?))
}

/// One match, or several in parentheses.
fn matches_after(reading: Reading<'_>, option: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Match>> {
    if at_end(input) {
        let message =
            format!("`{option}` has no value\nhelp: write `{option} = null`, `{option} = empty` or `{option} = (null, \"\")`");
        return Err(syn::Error::new_spanned(option, message));
    }
    match reading.expr(input, "what is replaced")? {
        Expr::Tuple(tuple) if !tuple.elems.is_empty() => tuple.elems.iter().map(Match::read).collect(),
        Expr::Paren(inner) => Ok(vec![Match::read(&inner.expr)?]),
        other => Ok(vec![Match::read(&other)?]),
    }
}

/// `_ => …`
fn otherwise(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<(Token![_], Otherwise)> {
    let underscore = input.parse::<Token![_]>()?;
    reading.arrow(input, underscore, "`_` and what happens to other values")?;
    let word = input.fork().parse::<Ident>().ok();
    let other = match word {
        Some(word) if word == "keep" => Some(Otherwise::Keep),
        Some(word) if word == "refuse" => Some(Otherwise::Refuse),
        _ => None,
    };
    if let Some(other) = other {
        input.parse::<Ident>()?;
        return Ok((underscore, other));
    }
    let expr = reading.expr(input, "what other values become")?;
    let literal = Literal::read(&expr).map_err(|_| {
        syn::Error::new_spanned(
            &expr,
            "this is not what other values can become\nhelp: write `_ => keep`, `_ => refuse` or a literal such as `_ => null`",
        )
    })?;
    if reading.word.name == "reformat" && !matches!(literal, Literal::Null | Literal::String(_)) {
        let message = "other texts cannot become this\nhelp: write `_ => keep`, `_ => refuse`, `_ => null` or a text";
        return Err(syn::Error::new_spanned(expr, message));
    }
    Ok((underscore, Otherwise::Become(literal)))
}

fn once(place: &mut Option<(Token![_], Otherwise)>, found: (Token![_], Otherwise)) -> syn::Result<()> {
    if place.is_some() {
        return Err(syn::Error::new_spanned(found.0, "`_` is there twice\nhelp: keep one of the two"));
    }
    *place = Some(found);
    Ok(())
}

/// The text after a field, of which there is one.
fn one_text(reading: Reading<'_>, text: &mut Option<LitStr>, input: ParseStream<'_>, what: &str) -> syn::Result<()> {
    let found = reading.text(input, what)?;
    if text.is_some() {
        let name = reading.word.name;
        let message = format!("`{name}` takes one text\nhelp: write a `{name}(…)` for each field");
        return Err(syn::Error::new_spanned(found, message));
    }
    *text = Some(found);
    Ok(())
}

/// The name of a member in state, as text or as an identifier.
fn member(reading: Reading<'_>, option: &Ident, input: ParseStream<'_>) -> syn::Result<String> {
    if input.peek(LitStr) {
        return Ok(input.parse::<LitStr>()?.value());
    }
    if input.peek(Ident::peek_any) && !input.peek2(token::Paren) {
        return Ok(input.call(Ident::parse_any)?.unraw().to_string());
    }
    let rest = rest_of_piece(input)?;
    let place = if rest.is_empty() { option.to_token_stream() } else { rest };
    Err(reading.misuse(place, format_args!("`{option}` takes the name of a member")))
}
