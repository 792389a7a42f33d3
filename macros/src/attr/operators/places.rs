//! The operators that put values into other places: under other names, into and out of objects and
//! collections.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, LitStr, Token, token};
use upstate_words::operators::rename::EXISTING;
use upstate_words::operators::unwrap::{MANY, NO_ELEMENT};
use upstate_words::operators::{self as words, Kind};

use super::read::Reader;
use super::reading::{Reading, at_end, rest_of_piece};
use super::words::listed;
use super::{Argument, FieldPath, Member, Operation};

impl Reader<'_> {
    pub(super) fn rename(&mut self, reading: Reading<'_>) {
        let mut moves = Vec::new();
        let mut existing = EXISTING.unsaid;
        self.pieces(reading, |_, input| {
            if let Some(option) = Reading::option(input, &["existing"]) {
                existing = Reading::choice(input, &option, EXISTING.options)?;
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
            if !self.renamed_in_variant(reading, &from, &target) {
                self.stage(reading, target, renamed(from, existing));
            }
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
            reader.stage(reading, target, Operation::new(&words::copy::COPY, [Argument::Prior(from)]));
            Ok(())
        });
    }

    pub(super) fn merge(&mut self, reading: Reading<'_>) {
        let Some((from, target, _)) = self.many_to_one(reading) else {
            return;
        };
        match target {
            Some(target) if from.len() > 1 => {
                self.stage(
                    reading,
                    target,
                    Operation::new(&words::merge::MERGE, [Argument::Priors(from)]),
                );
            }
            Some(target) => {
                let from = from.iter().map(FieldPath::spelt).collect::<String>();
                let to = target.spelt();
                let message = format!(
                    "there is only one field to merge\nhelp: write `rename({from} => {to}), merge({to})` if it is a list of maps"
                );
                self.mistake(syn::Error::new_spanned(target, message));
            }
            None => match <[FieldPath; 1]>::try_from(from) {
                Ok([field]) => {
                    self.stage(reading, field, Operation::new(&words::merge::ENTRIES, []));
                }
                Err(from) => self.goes_nowhere("merge", "field", &from),
            },
        }
    }

    /// A word with prior fields before an arrow, if that is the argument of its effect.
    pub(super) fn as_listed(&mut self, reading: Reading<'_>) {
        let Some(effect) = listed(reading.word)
            .filter(|effect| matches!(effect.arguments, [one] if one.kind == Kind::Priors))
        else {
            return self
                .mistake(reading.misuse(TokenStream::new(), "this operator has another form"));
        };
        let name = reading.word.name;
        match self.many_to_one(reading) {
            None => {}
            Some((from, Some(target), _)) if from.len() > 1 => {
                self.stage(
                    reading,
                    target,
                    Operation::new(effect, [Argument::Priors(from)]),
                );
            }
            Some((_, Some(target), _)) => {
                self.mistake(reading.misuse(
                    target,
                    format_args!("`{name}` takes several fields, and there is only one"),
                ));
            }
            Some((from, None, _)) => self.goes_nowhere(name, "field", &from),
        }
    }

    fn goes_nowhere(&mut self, name: &str, what: &str, from: &[FieldPath]) {
        let fields: Vec<String> = from.iter().map(FieldPath::spelt).collect();
        let message = format!(
            "`{name}` does not say into which {what}\nhelp: write `{name}({} => {what})`",
            fields.join(", ")
        );
        let place = from
            .last()
            .map(ToTokens::to_token_stream)
            .unwrap_or_default();
        self.mistake(syn::Error::new_spanned(place, message));
    }

    pub(super) fn nest(&mut self, reading: Reading<'_>) {
        let Some((from, target, _)) = self.many_to_one(reading) else {
            return;
        };
        let Some(target) = target else {
            self.goes_nowhere("nest", "object", &from);
            return;
        };
        for from in from {
            let Some(last) = from.last() else { continue };
            let inside = target.below(last);
            self.stage(reading, inside, renamed(from, EXISTING.unsaid));
        }
    }

    pub(super) fn unnest(&mut self, reading: Reading<'_>) {
        let Some((from, target, rest)) = self.many_to_one(reading) else {
            return;
        };
        match (<[FieldPath; 1]>::try_from(from), target) {
            (Ok([object]), Some(first)) => {
                for target in std::iter::once(first).chain(rest) {
                    let Some(last) = target.last() else { continue };
                    let from = object.below(last);
                    self.stage(reading, target, renamed(from, EXISTING.unsaid));
                }
            }
            (Ok([object]), None) => {
                let message = format!(
                    "`unnest` does not say which fields come out of the object\nhelp: write `unnest({} => field)`",
                    object.spelt()
                );
                self.mistake(syn::Error::new_spanned(&reading.call.word, message));
            }
            (Err(from), _) => {
                let place = from
                    .get(1)
                    .map(ToTokens::to_token_stream)
                    .unwrap_or_default();
                self.mistake(reading.misuse(place, "`unnest` takes one object before `=>`"));
            }
        }
    }

    /// `a, b => c` and what comes after that.
    fn many_to_one(
        &mut self,
        reading: Reading<'_>,
    ) -> Option<(Vec<FieldPath>, Option<FieldPath>, Vec<FieldPath>)> {
        let (mut from, mut target, mut rest) = (Vec::new(), None, Vec::new());
        let mut failed = false;
        let is_unnest = reading.word.name == "unnest";
        self.pieces(reading, |_, input| {
            let mut read = || {
                let field = reading.field(input)?;
                if target.is_some() {
                    if !is_unnest || input.peek(Token![=>]) {
                        let name = reading.word.name;
                        return Err(reading.misuse(
                            field,
                            format_args!("one `{name}` has one arrow, and one field after it"),
                        ));
                    }
                    rest.push(field);
                    return Ok(());
                }
                from.push(field);
                if !at_end(input) {
                    reading.arrow(input, from.last(), "the prior fields and the current one")?;
                    target = Some(reading.field(input)?);
                }
                Ok(())
            };
            read().inspect_err(|_| failed = true)
        });
        (!failed).then_some((from, target, rest))
    }

    pub(super) fn unwrap(&mut self, reading: Reading<'_>) {
        let (mut many, mut empty, mut inner) = (None, None, None);
        let mut targets = Vec::new();
        self.pieces(reading, |_, input| {
            if let Some(option) = Reading::option(input, &["many", "empty", "member"]) {
                match option.to_string().as_str() {
                    "many" => {
                        let found = Reading::choice(input, &option, MANY.options)?;
                        many = Some((option, found));
                    }
                    "empty" => {
                        let found = Reading::choice(input, &option, NO_ELEMENT.options)?;
                        empty = Some((option, found));
                    }
                    _ => inner = Some(member(reading, &option, input)?.name),
                }
            } else {
                targets.extend(reading.fields(input)?);
            }
            Ok(())
        });
        let operation = match (inner, many, empty) {
            (None, many, empty) => {
                let many = many.map_or(MANY.unsaid, |(_, many)| many);
                let empty = empty.map_or(NO_ELEMENT.unsaid, |(_, empty)| empty);
                let arguments = [
                    Argument::Choice(&MANY, many),
                    Argument::Choice(&NO_ELEMENT, empty),
                ];
                Operation::new(words::unwrap::effect(many), arguments)
            }
            (Some(member), None, None) => {
                Operation::new(&words::unwrap::MEMBER, [Argument::Text(member)])
            }
            (Some(_), Some((option, _)), _) | (Some(_), None, Some((option, _))) => {
                let message = format!(
                    "`{option}` is for lists, `member` for objects\nhelp: keep one of the two, or write two `unwrap(…)`"
                );
                self.mistake(syn::Error::new_spanned(option, message));
                return;
            }
        };
        self.stages(reading, targets, &operation);
    }

    pub(super) fn wrap(&mut self, reading: Reading<'_>) {
        let (mut empty, mut inner) = (None, None);
        let mut targets = Vec::new();
        self.pieces(reading, |_, input| {
            if let Some(option) = Reading::option(input, &["empty", "as"]) {
                if option == "as" {
                    inner = Some(member(reading, &option, input)?.name);
                } else {
                    let found = Reading::choice(input, &option, &[("null", "null")])?;
                    empty = Some((option, found));
                }
            } else {
                targets.extend(reading.fields(input)?);
            }
            Ok(())
        });
        let operation = match (inner, empty) {
            (None, empty) => Operation::new(&words::wrap::WRAP, [Argument::Flag(empty.is_some())]),
            (Some(member), None) => Operation::new(&words::wrap::ENCLOSE, [Argument::Text(member)]),
            (Some(_), Some((option, _))) => {
                let message = "`empty` is for lists; null stays null in place of an object, too\nhelp: remove it, or write two `wrap(…)`";
                self.mistake(syn::Error::new_spanned(option, message));
                return;
            }
        };
        self.stages(reading, targets, &operation);
    }

    pub(super) fn rekey(&mut self, reading: Reading<'_>) {
        let (mut key, mut value): (Option<Member>, Option<Member>) = (None, None);
        let mut by = None;
        let mut failed = false;
        let target = self.first_field(reading, |_, input| {
            let Some(option) = Reading::option(input, &["by", "key", "value"]) else {
                failed = true;
                let rest = rest_of_piece(input)?;
                return Err(reading.misuse(
                    rest,
                    "`rekey` has no such option; they are `by`, `key` and `value`",
                ));
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
        let Some(target) = target.filter(|_| !failed) else {
            return;
        };
        match (key, value) {
            (Some(_), Some(_)) if by.is_some() => {
                let message = "`by` and `value` exclude each other [U0015]\nhelp: write `key = \"…\", value = \"…\"` for objects of just those two members, `by = member` for others";
                self.mistake(syn::Error::new_spanned(by, message));
            }
            (Some(key), value) => {
                let effect = if value.is_some() {
                    &words::rekey::REKEY_VALUE
                } else {
                    &words::rekey::REKEY
                };
                let arguments = [Argument::Member(key), Argument::OptionalMember(value)];
                self.stages(reading, target, &Operation::new(effect, arguments));
            }
            (None, _) => {
                let message = format!(
                    "`rekey` does not say which member is the key\nhelp: write `rekey({}, by = member)`",
                    FieldPath::all_typed(&target)
                );
                self.mistake(syn::Error::new_spanned(target.last(), message));
            }
        }
    }
}

/// A value that goes by another name.
fn renamed(from: FieldPath, existing: &'static str) -> Operation {
    let arguments = [Argument::Prior(from), Argument::Choice(&EXISTING, existing)];
    Operation::new(words::rename::effect(existing), arguments)
}

/// `old => new`
fn mapped(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<(FieldPath, FieldPath)> {
    let from = reading.field(input)?;
    let between = "the prior field and the current one";
    reading.arrow_behind(input, &from, Some(&from), between)?;
    Ok((from, reading.field(input)?))
}

/// The name of a member in state, as text or as an identifier; that of a key may have a type.
fn member(reading: Reading<'_>, option: &Ident, input: ParseStream<'_>) -> syn::Result<Member> {
    let typed = |name: String, span, input: ParseStream<'_>| {
        let has_type = input.parse::<Option<Token![:]>>()?.is_some();
        if has_type && option != "by" {
            let message =
                format!("the type of the field says what `{name}` is\nhelp: remove the type");
            return Err(syn::Error::new_spanned(rest_of_piece(input)?, message));
        }
        Ok(Member {
            name,
            span,
            ty: has_type.then(|| input.parse()).transpose()?.map(Box::new),
        })
    };
    if input.peek(LitStr) {
        let text = input.parse::<LitStr>()?;
        return typed(text.value(), text.span(), input);
    }
    if input.peek(Ident::peek_any) && !input.peek2(token::Paren) {
        let ident = input.call(Ident::parse_any)?;
        return typed(ident.unraw().to_string(), ident.span(), input);
    }
    let rest = rest_of_piece(input)?;
    let place = if rest.is_empty() {
        option.to_token_stream()
    } else {
        rest
    };
    Err(reading.misuse(place, format_args!("`{option}` takes the name of a member")))
}
