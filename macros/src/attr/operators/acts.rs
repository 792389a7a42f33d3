//! The operators that give a field its value, or change it.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, Token};
use upstate_words::operators as words;

use super::calling::{self, Calling, function_of};
use super::pattern::key_pattern;
use super::read::Reader;
use super::reading::{Reading, at_end, once, otherwise, rest_of_piece};
use super::{
    Argument, Constant, FieldPath, FunctionKind, Literal, Match, MemberChange, Operation,
    Otherwise, Pattern,
};

impl Reader<'_> {
    pub(super) fn default(&mut self, reading: Reading<'_>) {
        let mut values = Vec::new();
        let mut when: Option<Vec<Match>> = None;
        self.pieces(reading, |_, input| {
            if let Some(option) = Reading::option(input, &["when"]) {
                when = Some(matches_after(reading, &option, input)?);
                return Ok(());
            }
            values.push(assigned(reading, input)?);
            Ok(())
        });
        let of_null = when.is_none() && !reading.place.each;
        let when =
            when.unwrap_or_else(|| vec![Match::Literal(Literal::null(reading.call.word.span()))]);
        for (targets, value) in values {
            let targets = if of_null {
                self.outside_variants(reading, targets, &value, |name, value| {
                    MemberChange::Default { name, value }
                })
            } else {
                targets
            };
            let arguments = [Argument::Constant(value), Argument::Matches(when.clone())];
            self.stages(
                reading,
                targets,
                &Operation::new(&words::default::DEFAULT, arguments),
            );
        }
    }

    pub(super) fn set(&mut self, reading: Reading<'_>) {
        self.pieces(reading, |reader, input| {
            let (targets, value) = assigned(reading, input)?;
            let targets = reader.outside_variants(reading, targets, &value, |name, value| {
                MemberChange::Set { name, value }
            });
            reader.stages(
                reading,
                targets,
                &Operation::new(&words::set::SET, [Argument::Constant(value)]),
            );
            Ok(())
        });
    }

    /// `null_if`: a field, and which values of it.
    pub(super) fn null_if(&mut self, reading: Reading<'_>) {
        let mut matches = Vec::new();
        let target = self.first_field(reading, |_, input| {
            matches.push(Match::read(&reading.expr(input, "the value")?)?);
            Ok(())
        });
        let Some(target) = target else { return };
        if matches.is_empty() {
            return self.without_values(reading, &target, "");
        }
        self.stages(
            reading,
            target,
            &Operation::new(&words::null_if::NULL_IF, [Argument::Matches(matches)]),
        );
    }

    /// A collection, and which values or keys of it.
    pub(super) fn filter(&mut self, reading: Reading<'_>) {
        let (mut matches, mut keys) = (Vec::new(), Vec::new());
        let mut failed = false;
        let target = self.first_field(reading, |_, input| {
            let mut read = || {
                match Reading::option(input, &["key"]) {
                    Some(option) => keys.extend(keys_after(&option, input)?),
                    None => matches.push(Match::read(&reading.expr(input, "the value")?)?),
                }
                Ok(())
            };
            read().inspect_err(|_| failed = true)
        });
        let Some(target) = target.filter(|_| !failed) else {
            return;
        };
        if matches.is_empty() && keys.is_empty() {
            let field = FieldPath::all_typed(&target);
            return self.without_values(
                reading,
                &target,
                &format!(", or `filter({field}, key = \"…\")` for entries of a map"),
            );
        }
        if !matches.is_empty() {
            let operation = Operation::new(&words::filter::FILTER, [Argument::Matches(matches)]);
            self.stages(reading, target.clone(), &operation);
        }
        if !keys.is_empty() {
            self.stages(
                reading,
                target,
                &Operation::new(&words::filter::FILTER_KEYS, [Argument::Patterns(keys)]),
            );
        }
    }

    fn without_values(&mut self, reading: Reading<'_>, target: &[FieldPath], more: &str) {
        let (of, field) = (FieldPath::all_spelt(target), FieldPath::all_typed(target));
        let name = reading.word.name;
        let message = format!(
            "`{name}` does not say which values of `{of}` it means\nhelp: write `{name}({field}, empty)`, or `{name}({field}, …)` with the values{more}"
        );
        self.mistake(syn::Error::new_spanned(target.last(), message));
    }

    pub(super) fn convert(&mut self, reading: Reading<'_>) {
        if calling::has_arrow(reading) {
            return self.made_of_others(reading);
        }
        let mut operation = None;
        let mut calling = Calling::default();
        let targets = self.first_field(reading, |_, input| {
            let start = input.fork();
            if calling.option(reading, input)? {
                return Ok(());
            }
            let found = conversion(reading, input)?;
            if operation.is_some() {
                let message = "`convert` takes one option\nhelp: keep the one that says what the new value is";
                return Err(syn::Error::new_spanned(rest_of_piece(&start)?, message));
            }
            operation = Some(found);
            Ok(())
        });
        let operation = if let Some((path, ..)) = operation.as_ref().and_then(Operation::function) {
            calling.of_one(path.clone())
        } else {
            if let Some(mistake) = calling.without_function(targets.as_deref().unwrap_or_default())
            {
                if targets.is_some() {
                    self.mistake(mistake);
                }
                return;
            }
            operation.unwrap_or_else(|| converted(words::convert::EMPTY_TEXT.unsaid))
        };
        let mut targets = targets.unwrap_or_default();
        if let [Argument::Choice(choice, empty)] = operation.arguments.as_slice()
            && **choice == words::convert::EMPTY_TEXT
            && !reading.place.each
        {
            targets.retain(|target| !self.converted_in_variant(reading, target, empty));
        }
        self.stages(reading, targets, &operation);
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
            let new = reading
                .expr(input, "the new value")
                .and_then(|new| Literal::read(&new));
            match (old, new) {
                (Ok(old), Ok(new)) => {
                    if table.iter().any(|(before, _)| *before == old) {
                        let message = format!(
                            "`{}` is in the table twice\nhelp: keep one of the two",
                            old.spelt()
                        );
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
            let message = format!(
                "the table of `values` has no values\nhelp: write `values({}, \"old\" => \"new\")`",
                FieldPath::all_typed(&target)
            );
            self.mistake(syn::Error::new_spanned(target.last(), message));
            return;
        }
        let other = other.map_or(Otherwise::Refuse, |(_, other)| other);
        let arguments = [Argument::Table(table), Argument::Otherwise(other)];
        self.stages(
            reading,
            target,
            &Operation::new(&words::values::VALUES, arguments),
        );
    }
}

/// `field = value`
fn assigned(
    reading: Reading<'_>,
    input: ParseStream<'_>,
) -> syn::Result<(Vec<FieldPath>, Constant)> {
    let targets = reading.fields(input)?;
    if !input.peek(Token![=]) || input.peek(Token![=>]) || input.peek(Token![==]) {
        let name = reading.word.name;
        let field = FieldPath::all_typed(&targets);
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
        let inside = reading.call.group.stream();
        let commas = inside.into_iter().filter(is_comma).count();
        // `default(size, 3)` is one mistake, because a value is not another field.
        let behind = input.fork();
        if commas == 1
            && behind.parse::<Token![,]>().is_ok()
            && let Ok(value) = behind.parse::<Lit>()
            && behind.is_empty()
        {
            input.parse::<TokenStream>()?;
            let message = format!(
                "`{name}` takes `=` between the field and its value\nhelp: write `{name}({field} = {})`",
                value.to_token_stream()
            );
            return Err(syn::Error::new_spanned(value, message));
        }
        let place = if at_end(input) {
            targets.last().to_token_stream()
        } else {
            rest_of_piece(input)?
        };
        // The operator as a whole only where nothing else is in it, which would be lost.
        let help = match (behind_another_sign(place.clone()), targets.as_slice()) {
            (Some(value), [_]) if commas > 0 => format!("{field} = {value}"),
            (Some(value), _) if commas == 0 => format!("{name}({field} = {value})"),
            (Some(_) | None, _) => format!("{name}({field} = …)"),
        };
        return Err(syn::Error::new_spanned(
            place,
            format_args!(
                "`{name}` takes `=` between the field and its value\nhelp: write `{help}`"
            ),
        ));
    }
    let equals = input.parse::<Token![=]>()?;
    if at_end(input) {
        return Err(reading.misuse(
            equals,
            format_args!(
                "`{}` has no value after this",
                FieldPath::all_spelt(&targets)
            ),
        ));
    }
    Ok((targets, Constant::read(reading.expr(input, "the value")?)?))
}

/// The value behind a sign that is written in place of `=`.
fn behind_another_sign(rest: TokenStream) -> Option<String> {
    let value = |input: ParseStream<'_>| {
        if input.parse::<Token![=>]>().is_err() && input.parse::<Token![->]>().is_err() {
            input.parse::<Token![==]>()?;
        }
        input.parse::<Lit>()
    };
    let value = value.parse2(rest).ok()?;
    Some(value.to_token_stream().to_string())
}

/// One match, or several in parentheses.
fn matches_after(
    reading: Reading<'_>,
    option: &Ident,
    input: ParseStream<'_>,
) -> syn::Result<Vec<Match>> {
    if at_end(input) {
        let message = format!(
            "`{option}` has no value\nhelp: write `{option} = null`, `{option} = empty` or `{option} = (null, \"\")`"
        );
        return Err(syn::Error::new_spanned(option, message));
    }
    match reading.expr(input, "the replaced value")? {
        Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().map(Match::read).collect()
        }
        Expr::Paren(inner) => Ok(vec![Match::read(&inner.expr)?]),
        other => Ok(vec![Match::read(&other)?]),
    }
}

/// One pattern of keys, or several in parentheses.
fn keys_after(option: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Pattern>> {
    if at_end(input) {
        let message =
            "`key` has no value\nhelp: write the key, or a pattern of keys: `key = \"aws:{_..}\"`";
        return Err(syn::Error::new_spanned(option, message));
    }
    let rest = rest_of_piece(&input.fork())?;
    let wrong = |at: &dyn ToTokens| {
        let message = "a key is a string in quotes\nhelp: write `key = \"aws:{_..}\"`, or several: `key = (\"a\", \"b\")`";
        syn::Error::new_spanned(at.to_token_stream(), message)
    };
    let text = |expr: &Expr| match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => key_pattern(text),
        other => Err(wrong(other)),
    };
    match input.parse::<Expr>().map_err(|_| wrong(&rest))? {
        Expr::Tuple(tuple) if !tuple.elems.is_empty() => tuple.elems.iter().map(text).collect(),
        Expr::Paren(inner) => Ok(vec![text(&inner.expr)?]),
        other => Ok(vec![text(&other)?]),
    }
}

/// The conversion without a name, with the result for an empty string.
fn converted(empty: &'static str) -> Operation {
    Operation::new(
        &words::convert::CONVERT,
        [Argument::Choice(&words::convert::EMPTY_TEXT, empty)],
    )
}

/// The conversions that have a name, for a sentence.
fn listed() -> String {
    let quoted: Vec<String> = words::convert::CONVERSION
        .options
        .iter()
        .map(|(word, _)| format!("`{word}`"))
        .collect();
    quoted.join(", ")
}

/// An option of `convert`, which says what the new value is.
fn conversion(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<Operation> {
    if let Some(option) = Reading::option(input, &["empty"]) {
        return Ok(converted(Reading::choice(
            input,
            &option,
            words::convert::EMPTY_TEXT.options,
        )?));
    }
    if let Some(option) = Reading::option(input, &["with"]) {
        let path = function_of(reading, &option, input)?;
        if ["str::parse", "String::parse", "FromStr::from_str"]
            .contains(&crate::attr::spelt(&path).as_str())
        {
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
            let field: TokenStream = reading
                .call
                .group
                .stream()
                .into_iter()
                .take_while(|token| !is_comma(token))
                .collect();
            let field = field.to_string().replace(" :", ":");
            let message = format!(
                "`with` calls a function with a `String`, and this one takes a `&str`\nhelp: write `convert({field})`, which reads numbers and bools from strings"
            );
            return Err(syn::Error::new_spanned(path, message));
        }
        let function = Argument::Function {
            path,
            kind: FunctionKind::Plain,
            back: None,
        };
        return Ok(Operation::new(&words::convert::FUNCTION, [function]));
    }
    let start = input.fork();
    match input.call(Ident::parse_any) {
        Ok(word) if word == "json" && at_end(input) => {
            Ok(Operation::new(&words::convert::JSON, []))
        }
        Ok(word) if at_end(input) => {
            let named = words::convert::CONVERSION
                .options
                .iter()
                .zip(words::convert::EFFECTS);
            if let Some(((_, variant), effect)) =
                named.into_iter().find(|((name, _), _)| word == *name)
            {
                return Ok(Operation::new(
                    effect,
                    [Argument::Choice(&words::convert::CONVERSION, variant)],
                ));
            }
            let (named, first) = (listed(), reading.field_or_any());
            let message = format!(
                "`convert` has no option `{word}` [U0010]\nhelp: its options are `empty = …`, `json`, {named}, `with = path`, `back = path`, `context` and `async`; write several fields in parentheses: `convert(({first}, {word}))`"
            );
            Err(syn::Error::new_spanned(word, message))
        }
        _ => {
            let named = listed();
            let message = format!(
                "`convert` has no such option\nhelp: its options are `empty = null`, `empty = zero`, `empty = refuse`, `json`, {named}, `with = path`, `back = path`, `context` and `async`"
            );
            Err(syn::Error::new_spanned(rest_of_piece(&start)?, message))
        }
    }
}
