//! One operator after the other: what is in its parentheses.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token, token};
use upstate_words::operators::{acting, find, listed};

use super::reading::{Reading, at_end, rest_of_piece};
use super::words;
use super::{Call, Condition, Entry, FieldPath, Literal, Operation, Operators, Stage, condition};
use crate::errors::Errors;

/// The surroundings of an operator.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The condition it depends on.
    pub(super) only_if: Option<usize>,
    /// True if it is done to each element.
    pub(super) each: bool,
}

pub(super) struct Reader<'e> {
    pub(super) errors: &'e mut Errors,
    pub(super) operators: Operators,
    /// True if a model says what the fields were.
    has_model: bool,
    complete: bool,
    /// The reason for which the operator that is being read shows sensitive values.
    declassified: Option<LitStr>,
}

impl<'e> Reader<'e> {
    pub(super) fn new(has_model: bool, errors: &'e mut Errors) -> Self {
        Self {
            errors,
            operators: Operators::default(),
            has_model,
            complete: true,
            declassified: None,
        }
    }

    pub(super) fn finish(self) -> (Operators, bool) {
        (self.operators, self.complete)
    }

    /// Records a mistake.
    pub(super) fn mistake(&mut self, error: syn::Error) {
        self.complete = false;
        self.errors.absorb(error);
    }

    /// Reads one operator.
    pub(super) fn operator(&mut self, call: &Call, place: Place) {
        let name = call.word.to_string();
        let Some(word) = find(&name) else {
            let help = match words::nearest(&name) {
                _ if words::OTHERWISE.contains(&name.as_str()) => {
                    "the other states need their own condition: write `only_if(not(…), …)` next to `only_if(…)`".to_owned()
                }
                Some(nearest) => format!("did you mean `{}`? It is written `{}`", nearest.name, nearest.form),
                None => format!("the operators are {}", listed()),
            };
            self.mistake(syn::Error::new_spanned(
                &call.word,
                format_args!("there is no operator `{name}`\nhelp: {help}"),
            ));
            return;
        };
        let reading = Reading { call, word, place };
        if call.group.stream().is_empty() {
            self.mistake(
                reading.misuse(call, format_args!("the parentheses of `{name}` are empty")),
            );
            return;
        }
        let (before, outer) = (self.operators.entries.len(), self.declassified.take());
        if let Some(read) = words::reader(word) {
            read(self, reading);
        }
        if let Some(reason) = std::mem::replace(&mut self.declassified, outer) {
            self.declassify(before, &reason);
        }
    }

    /// Gives the entries from the place `first` on the reason of their operator.
    fn declassify(&mut self, first: usize, reason: &LitStr) {
        for entry in self.operators.entries.iter_mut().skip(first) {
            match entry {
                Entry::Stage(stage) => stage.declassified = Some(reason.clone()),
                Entry::Carry { declassified, .. } => *declassified = Some(reason.clone()),
                Entry::Drop { .. } | Entry::Notice { .. } => {}
            }
        }
    }

    /// Reads why a sensitive value may end in a field that is not sensitive, if that is what comes.
    fn declassified(&mut self, reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<bool> {
        // The field that `set` gives a value may have that name.
        if reading.word.name == "set" {
            return Ok(false);
        }
        let Some(option) = Reading::option(input, &["declassified"]) else {
            return Ok(false);
        };
        if !reading.word.moves {
            rest_of_piece(input)?;
            let name = reading.word.name;
            let help = match name {
                "each" | "within" | "only_if" => "write it in the operator that moves the value",
                _ => "remove it",
            };
            let message = format!(
                "`{name}` itself shows no value, so there is nothing to declassify\nhelp: {help}"
            );
            return Err(syn::Error::new_spanned(option, message));
        }
        let wrong = "`declassified` gives the reason in quotes\nhelp: write `declassified = \"why the value need not be hidden any more\"`";
        let place = if at_end(input) {
            option.to_token_stream()
        } else {
            rest_of_piece(&input.fork())?
        };
        let reason = input
            .parse::<LitStr>()
            .map_err(|_| syn::Error::new_spanned(&place, wrong))?;
        if reason.value().trim().is_empty() {
            return Err(syn::Error::new_spanned(reason, wrong));
        }
        if self.declassified.replace(reason).is_some() {
            return Err(syn::Error::new_spanned(
                option,
                "`declassified` is there twice\nhelp: keep one of the two",
            ));
        }
        Ok(true)
    }

    pub(super) fn stage(&mut self, reading: Reading<'_>, target: FieldPath, operation: Operation) {
        if self.refuses_variant(reading, &target) {
            return;
        }
        let Place { only_if, each } = reading.place;
        let word = reading.call.word.clone();
        let stage = Stage {
            word,
            target,
            operation,
            each,
            only_if,
            declassified: None,
        };
        self.operators.entries.push(Entry::Stage(Box::new(stage)));
    }

    pub(super) fn stages(
        &mut self,
        reading: Reading<'_>,
        targets: Vec<FieldPath>,
        operation: &Operation,
    ) {
        for target in targets {
            self.stage(reading, target, operation.clone());
        }
    }

    /// Reads a first piece that is a field, or several in parentheses, and the others as `read`
    /// says. `None` after a mistake.
    pub(super) fn first_field(
        &mut self,
        reading: Reading<'_>,
        mut read: impl FnMut(&mut Self, ParseStream<'_>) -> syn::Result<()>,
    ) -> Option<Vec<FieldPath>> {
        let mut target = None;
        let mut first = true;
        let mut failed = false;
        self.pieces(reading, |reader, input| {
            if std::mem::take(&mut first) {
                target = Some(reading.fields(input)?);
                return Ok(());
            }
            read(reader, input).inspect_err(|_| failed = true)
        });
        target.filter(|_| !failed)
    }

    /// Reads the pieces between commas one by one. A mistake in one of them hides none in another.
    pub(super) fn pieces(
        &mut self,
        reading: Reading<'_>,
        mut read: impl FnMut(&mut Self, ParseStream<'_>) -> syn::Result<()>,
    ) {
        // A mistake that each piece has is reported only once.
        let mut last = String::new();
        let read_all = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Ok(comma) = input.parse::<Token![,]>() {
                    self.mistake(syn::Error::new_spanned(
                        comma,
                        "this comma has nothing before it\nhelp: remove it",
                    ));
                    continue;
                }
                let found = match self.declassified(reading, input) {
                    Ok(true) => Ok(()),
                    Ok(false) => read(self, input),
                    Err(error) => Err(error),
                };
                match found.and_then(|()| reading.end(input)) {
                    Ok(()) => {}
                    Err(error) => {
                        let message = error.to_string();
                        if message != last {
                            self.mistake(error);
                            last = message;
                        }
                        rest_of_piece(input)?;
                    }
                }
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        if let Err(error) = read_all.parse2(reading.call.group.stream()) {
            self.mistake(error);
        }
    }

    pub(super) fn drop(&mut self, reading: Reading<'_>) {
        let mut paths = Vec::new();
        let mut reason: Option<LitStr> = None;
        let mut back: Option<Literal> = None;
        let mut failed = false;
        self.pieces(reading, |reader, input| {
            if let Some(option) = Reading::option(input, &["back"]) {
                return put_back(reading, &option, &mut back, input).inspect_err(|_| failed = true);
            }
            // Not a reason but a name in quotes, if a type or another name is behind it.
            if !input.peek(LitStr) || input.peek2(Token![:]) || input.peek2(Token![.]) {
                let path = reading.field(input).inspect_err(|_| failed = true)?;
                if let Some(reason) = &reason {
                    let is_whole = path.1.as_ref().is_none_or(|written| {
                        written.attributes.is_empty() && !written.has_objects()
                    });
                    let help = if !paths.is_empty() || !input.is_empty() {
                        "give fields with different reasons a `drop(…)` each".to_owned()
                    } else if is_whole && back.is_none() {
                        format!("write `drop({}, {})`", path.typed(), reason.token())
                    } else {
                        // A help would leave out the attributes, by which it may be sensitive.
                        "put it behind the others".to_owned()
                    };
                    reader.mistake(syn::Error::new_spanned(
                        reason,
                        format_args!("the reason comes last\nhelp: {help}"),
                    ));
                    failed = true;
                }
                paths.push(path);
                return Ok(());
            }
            let text = input.parse::<LitStr>()?;
            if text.value().trim().is_empty() {
                reader.mistake(syn::Error::new_spanned(
                    &text,
                    "the reason is empty\nhelp: say it to users, such as \"the API no longer has it\"",
                ));
            }
            match &reason {
                Some(_) => reader.mistake(syn::Error::new_spanned(
                    text,
                    "one `drop` has one reason\nhelp: give fields with different reasons a `drop(…)` each",
                )),
                None => reason = Some(text),
            }
            Ok(())
        });
        if failed {
            return;
        }
        match (reason, paths.first()) {
            (Some(reason), Some(_)) => {
                if reading.place.only_if.is_some() {
                    self.mistake(syn::Error::new_spanned(
                        &reading.call.word,
                        "`drop` cannot depend on a condition\nhelp: write it next to `only_if(…)`; a field that is used under a condition may be dropped as well",
                    ));
                    return;
                }
                let paths: Vec<_> = paths
                    .into_iter()
                    .filter(|path| !self.dropped_in_variant(reading, path, &reason))
                    .collect();
                let dropped = paths.into_iter().map(|path| Entry::Drop {
                    path,
                    reason: reason.clone(),
                    back: back.clone(),
                });
                self.operators.entries.extend(dropped);
            }
            (Some(_), None) => {
                self.mistake(reading.misuse(TokenStream::new(), "`drop` names no field"));
            }
            (None, Some(first)) => {
                let fields: Vec<String> = paths.iter().map(FieldPath::typed).collect();
                let message = format!(
                    "`drop` does not say why\nhelp: end it with the reason: `drop({}, \"…\")`\nnote: plans and the upgrade guide show it to users",
                    fields.join(", ")
                );
                self.mistake(syn::Error::new_spanned(
                    paths.last().unwrap_or(first),
                    message,
                ));
            }
            (None, None) => {}
        }
    }

    pub(super) fn notice(&mut self, reading: Reading<'_>) {
        let Place { only_if, each } = reading.place;
        let refuse = reading.word.name == "refuse";
        let word = &reading.call.word;
        if refuse && only_if.is_none() {
            self.mistake(syn::Error::new_spanned(
                word,
                "`refuse` outside `only_if` would refuse every state\nhelp: write `unsupported = \"…\"` in place of `model` and operators, or `only_if(…, refuse(\"…\"))`",
            ));
            return;
        }
        debug_assert!(!each, "`each` takes operators that act only");
        let name = reading.word.name;
        let mut at = None;
        let mut message = None;
        let mut failed = false;
        self.pieces(reading, |_, input| {
            let mut read = || {
                let more = || {
                    Err(reading.misuse(
                        rest_of_piece(input)?,
                        format_args!("one `{name}` has one message"),
                    ))
                };
                if message.is_some() {
                    return more();
                }
                if input.peek(LitStr) {
                    let text = input.parse::<LitStr>()?;
                    if text.value().trim().is_empty() {
                        return Err(reading.misuse(text, "this message is empty"));
                    }
                    message = Some(text);
                } else if at.is_some() {
                    return more();
                } else {
                    at = Some(reading.field(input)?);
                }
                Ok(())
            };
            read().inspect_err(|_| failed = true)
        });
        match message {
            Some(text) => self.operators.entries.push(Entry::Notice {
                text,
                at,
                refuse,
                only_if,
            }),
            None if failed => {}
            None => {
                let message = match &at {
                    Some(field) => {
                        format!(
                            "`{name}` has no message\nhelp: write `{name}({}, \"text\")`",
                            field.spelt()
                        )
                    }
                    None => format!("`{name}` has no message\nhelp: write `{name}(\"text\")`"),
                };
                let place = at.map_or_else(|| word.to_token_stream(), ToTokens::into_token_stream);
                self.mistake(syn::Error::new_spanned(place, message));
            }
        }
    }

    pub(super) fn each(&mut self, reading: Reading<'_>) {
        if reading.place.each {
            let message = "`each` cannot be inside `each`\nhelp: let the elements' own struct declare how it comes from its prior one";
            self.mistake(syn::Error::new_spanned(&reading.call.word, message));
            return;
        }
        let place = Place {
            each: true,
            ..reading.place
        };
        self.pieces(reading, |reader, input| {
            let call = Self::call(reading, input)?;
            match find(&call.word.to_string()) {
                Some(word) if word.name == "each" => reader.operator(&call, place),
                Some(word) if !word.acts => {
                    let name = word.name;
                    let help = match name {
                        "only_if" => "write `only_if(…, each(…))`".to_owned(),
                        "warn" | "refuse" | "drop" | "filter" => {
                            format!("write `{name}(…)` next to it")
                        }
                        _ => format!("write `{name}(…)` next to it; `each` takes {}", acting()),
                    };
                    reader.mistake(syn::Error::new_spanned(
                        &call.word,
                        format_args!("`{name}` does not act on elements\nhelp: {help}"),
                    ));
                }
                _ => reader.operator(&call, place),
            }
            Ok(())
        });
    }

    pub(super) fn only_if(&mut self, reading: Reading<'_>) {
        let mut place = reading.place;
        let mut first = true;
        let mut has_any = false;
        let mut failed = false;
        self.pieces(reading, |reader, input| {
            if std::mem::take(&mut first) {
                let condition = condition::condition(input).inspect_err(|_| failed = true)?;
                let condition = match place
                    .only_if
                    .and_then(|outer| reader.operators.conditions.get(outer))
                {
                    Some(outer) => Condition::All(vec![outer.clone(), condition]),
                    None => condition,
                };
                place.only_if = Some(reader.operators.conditions.len());
                reader.operators.conditions.push(condition);
                return Ok(());
            }
            has_any = true;
            let call = Self::call(reading, input)?;
            // After a mistake in the condition, what it is for is still read.
            if place.only_if.is_none() {
                place.only_if = Some(0);
            }
            reader.operator(&call, place);
            Ok(())
        });
        if !has_any && !failed {
            let message = "`only_if` has a condition, but nothing to do";
            self.mistake(reading.misuse(TokenStream::new(), message));
        }
    }

    /// Fields that are carried, each with the type that it had.
    pub(super) fn carry(&mut self, reading: Reading<'_>) {
        if reading.place.only_if.is_some() {
            self.mistake(syn::Error::new_spanned(
                &reading.call.word,
                "the shape of a version does not depend on its values\nhelp: write `carry` outside of `only_if`",
            ));
            return;
        }
        let mut paths = Vec::new();
        self.pieces(reading, |_, input| {
            paths.push(reading.field(input)?);
            Ok(())
        });
        for path in paths {
            if path.1.is_none() && self.declassified.is_none() {
                let name = path.spelt();
                let message = if self.has_model {
                    format!(
                        "`carry` takes no fields here, because the `model` says what `{name}` was\nhelp: write `carry`"
                    )
                } else {
                    format!(
                        "`carry` does not say what `{name}` was\nhelp: write its type, such as `{name}: Option<String>`; what no operator names is carried unchanged"
                    )
                };
                self.mistake(syn::Error::new_spanned(path, message));
                continue;
            }
            self.operators.entries.push(Entry::Carry {
                path,
                declassified: None,
            });
        }
    }

    /// Operators on what is inside of one field, or of each of several; they leave out its name.
    pub(super) fn within(&mut self, reading: Reading<'_>) {
        let Place {
            only_if: outer,
            each,
        } = reading.place;
        debug_assert!(!each, "`each` takes operators that act only");
        let (entries, conditions) = (
            self.operators.entries.len(),
            self.operators.conditions.len(),
        );
        let mut prefixes = Vec::new();
        let mut first = true;
        let mut failed = false;
        self.pieces(reading, |reader, input| {
            if std::mem::take(&mut first) {
                for path in reading.fields(input).inspect_err(|_| failed = true)? {
                    if let Some(written) = &path.1 {
                        reader.mistake(syn::Error::new_spanned(
                            &written.ty,
                            "`within` changes existing objects\nhelp: remove the type; the operators declare the changes inside",
                        ));
                    }
                    prefixes.push(path.0);
                }
                return Ok(());
            }
            let call = Self::call(reading, input)?;
            reader.operator(&call, Place::default());
            Ok(())
        });
        if prefixes.is_empty() {
            return;
        }
        if self.operators.entries.len() == entries && !failed && self.complete {
            self.mistake(reading.misuse(
                TokenStream::new(),
                "`within` names an object, but nothing to do in it",
            ));
        }
        let inside = self.operators.entries.split_off(entries);
        let inner = self.operators.conditions.split_off(conditions);
        for prefix in prefixes {
            self.put_within(&prefix, outer, (inside.clone(), inner.clone(), conditions));
        }
    }

    /// Puts operators into the objects of a field. Their conditions were read from the place
    /// `first` on.
    fn put_within(
        &mut self,
        prefix: &[Ident],
        outer: Option<usize>,
        (entries, inner, first): (Vec<Entry>, Vec<Condition>, usize),
    ) {
        let Operators {
            entries: all,
            conditions,
            ..
        } = &mut self.operators;
        let moved = conditions.len().saturating_sub(first);
        for mut condition in inner {
            condition.for_each(&mut |path| path.put_before(prefix));
            conditions.push(condition);
        }
        for mut entry in entries {
            entry.for_each(&mut |path| path.put_before(prefix));
            let own = entry.only_if().map(|own| own + moved);
            if let Some(own) = own {
                entry.depend_on(own);
            }
            // Both conditions, because `within` may have one of its own.
            if let Some(outer) = outer {
                let both = own.and_then(|own| {
                    Some(vec![
                        conditions.get(outer)?.clone(),
                        conditions.get(own)?.clone(),
                    ])
                });
                entry.depend_on(if both.is_some() {
                    conditions.len()
                } else {
                    outer
                });
                conditions.extend(both.map(Condition::All));
            }
            all.push(entry);
        }
    }

    /// An operator inside another.
    fn call(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<Call> {
        let outer = reading.word.name;
        if !input.peek(Ident::peek_any) {
            let rest = rest_of_piece(input)?;
            return Err(reading.misuse(
                rest,
                format_args!("this is not an operator that `{outer}` could do"),
            ));
        }
        let word = input.call(Ident::parse_any)?;
        if !input.peek(token::Paren) {
            let rest = rest_of_piece(input)?;
            let message = match find(&word.to_string()) {
                Some(known) if known.name != "carry" => {
                    format!(
                        "`{word}` takes its arguments in parentheses\nhelp: write `{}`",
                        known.form
                    )
                }
                _ => format!(
                    "`{word}` is not an operator that `{outer}` could do\nhelp: write `{}`",
                    reading.form()
                ),
            };
            return Err(syn::Error::new_spanned(quote!(#word #rest), message));
        }
        Ok(Call {
            word,
            group: input.parse()?,
        })
    }
}

/// Reads what a downgrade puts where a field was dropped.
fn put_back(
    reading: Reading<'_>,
    option: &Ident,
    back: &mut Option<Literal>,
    input: ParseStream<'_>,
) -> syn::Result<()> {
    if back.is_some() {
        rest_of_piece(input)?;
        return Err(syn::Error::new_spanned(
            option,
            "`back` is there twice\nhelp: keep one of the two",
        ));
    }
    if at_end(input) {
        let message =
            "`back` has no value\nhelp: write the value that a downgrade puts there: `back = \"\"`";
        return Err(syn::Error::new_spanned(option, message));
    }
    *back = Some(Literal::read(
        &reading.expr(input, "what a downgrade puts there")?,
    )?);
    Ok(())
}
