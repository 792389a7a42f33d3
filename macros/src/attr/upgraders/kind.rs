//! The kind of an upgrader: options that go together.

use quote::ToTokens;
use syn::Path;
use syn::spanned::Spanned;

use super::RawKind;
use crate::attr::operators::{self, Call};
use crate::attr::options::UpgradeFromOptions;
use crate::attr::value::{Flag, Given, ItemPath};
use crate::errors::Errors;

/// The kind of an upgrader, by its options. `missing` says that there is no model; where the
/// upgrader `may_differ`, operators need none.
pub(super) fn kind_of(
    mut options: UpgradeFromOptions,
    calls: Vec<Call>,
    complete: bool,
    may_differ: bool,
    missing: impl FnOnce(&mut Errors),
    errors: &mut Errors,
) -> Option<RawKind> {
    let carry = options.carry.take().map(|given| (given.key, given.value));
    let (is_async, async_key) = match options.is_async.take() {
        None => (Some(false), None),
        Some(Given { key, value }) => (errors.take(value).map(|Flag| true), Some(key)),
    };
    let first_call = calls.first().map(|call| call.word.clone());
    let (mut operators, all_read) = operators::read(calls, options.model.is_some(), errors);

    if options.never_released.is_some() || options.unsupported.is_some() {
        return refusing(
            options,
            [async_key, carry.map(|(key, _)| key)],
            first_call,
            errors,
        );
    }

    if let Some(raw) = options.raw {
        if let Some(Given { key, .. }) = options.model {
            errors.push(
                key,
                "`raw` takes the stored state, so there is no prior model\nhelp: remove `model`, or write `with = path` in place of `raw = path`",
            );
        }
        if let Some(Given { key, .. }) = options.with {
            errors.push(key, "`raw` and `with` exclude each other [U0015]\nhelp: keep `with` if the function takes the prior model, `raw` if it takes the stored state");
        }
        exclusive("raw", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(raw.value).map(|ItemPath(function)| function);
        return function
            .zip(is_async)
            .map(|(function, is_async)| RawKind::Raw { function, is_async });
    }

    let differs =
        may_differ && options.model.is_none() && options.with.is_none() && async_key.is_none();
    if differs && (carry.is_some() || first_call.is_some()) {
        if let (Some((key, _)), Some(word)) = (&carry, &first_call) {
            carry_beside(key, word, errors);
        }
        return all_read.then_some(RawKind::Difference { operators });
    }
    if options.model.is_none() && complete {
        missing(errors);
    }
    let model = options
        .model
        .and_then(|model| errors.take(model.value))
        .map(|ItemPath(model)| model);
    if let Some(with) = options.with {
        exclusive("with", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(with.value).map(|ItemPath(function)| function);
        return match (model, function, is_async) {
            (Some(model), Some(function), Some(is_async)) => Some(RawKind::Function {
                model,
                function,
                is_async,
            }),
            _ => None,
        };
    }
    if let Some(key) = async_key {
        errors.push(
            key,
            "`async` is for a function, and there is none here\nhelp: write `with = path, async` with an `async fn`, or remove `async`",
        );
        return None;
    }
    let carries = match carry {
        Some((key, value)) => {
            errors.take(value)?;
            if let Some(word) = &first_call {
                carry_beside(&key, word, errors);
            }
            operators.carry = Some(key.span());
            true
        }
        None => first_call.is_some(),
    };
    model.filter(|_| all_read).map(|model| {
        if carries {
            RawKind::Declared { model, operators }
        } else {
            RawKind::Conversion { model }
        }
    })
}

fn carry_beside(key: &Path, word: &syn::Ident, errors: &mut Errors) {
    let message = format!(
        "`carry` is alone in its upgrader, and this one also has `{word}`\nhelp: remove `carry`; what no operator names is carried anyway"
    );
    errors.push(key, message);
}

/// An upgrader that refuses every state: nothing beside it would be used.
fn refusing(
    options: UpgradeFromOptions,
    flags: [Option<Path>; 2],
    call: Option<syn::Ident>,
    errors: &mut Errors,
) -> Option<RawKind> {
    let UpgradeFromOptions {
        model,
        with,
        raw,
        unsupported,
        never_released,
        ..
    } = options;
    let is_never = never_released.is_some();
    let beside = if is_never {
        unsupported.as_ref().map(|given| given.key.clone())
    } else {
        None
    };
    let keys = [
        model.map(|given| given.key),
        with.map(|given| given.key),
        raw.map(|given| given.key),
        beside,
    ];
    let mut others = keys
        .into_iter()
        .chain(flags)
        .flatten()
        .map(ToTokens::into_token_stream)
        .chain(call.map(ToTokens::into_token_stream));
    let refused = match (never_released, unsupported) {
        (Some(given), _) => errors.take(given.value).map(|Flag| RawKind::NeverReleased),
        (None, Some(given)) => errors.take(given.value).map(|text| {
            if text.value().trim().is_empty() {
                errors.push(
                    &text,
                    "this reason is empty\nhelp: say what to do instead, such as \"upgrade with release 2.x first\"",
                );
            }
            RawKind::Unsupported { text }
        }),
        (None, None) => None,
    };
    let Some(other) = others.next() else {
        return refused;
    };
    let word = other.to_string();
    let why = if is_never {
        "`never_released` says that no state has this version"
    } else {
        "`unsupported` refuses every state"
    };
    errors.push(
        other,
        format_args!("{why}, so `{word}` would never be used\nhelp: keep one of the two"),
    );
    None
}

/// Refuses operators beside a function.
fn exclusive(option: &str, carry: Option<Path>, call: Option<syn::Ident>, errors: &mut Errors) {
    if let Some(word) = call {
        errors.push(
            &word,
            format_args!(
                "`{word}` and `{option}` exclude each other [U0015]\nhelp: do all of it in the function, or all of it with operators; `convert(field, with = path)` calls a function for one field"
            ),
        );
    } else if let Some(carry) = carry {
        errors.push(
            carry,
            format_args!(
                "`carry` and `{option}` exclude each other [U0015]\nhelp: keep one of the two"
            ),
        );
    }
}

/// The function of the downgrade. Only upgraders by a function or conversion have one.
pub(super) fn downgrade_of(
    given: Option<Given<ItemPath>>,
    kind: Option<&RawKind>,
    errors: &mut Errors,
) -> Result<Option<Path>, ()> {
    let Some(Given { key, value }) = given else {
        return Ok(None);
    };
    let function = errors.take(value).map(|ItemPath(function)| function);
    let message = match kind {
        None | Some(RawKind::Conversion { .. } | RawKind::Function { .. }) => {
            return function.map(Some).ok_or(());
        }
        Some(RawKind::Raw { .. }) => {
            "`downgrade` makes the prior model, and `raw` has none\nhelp: write `model = …, with = path` in place of `raw = path`"
        }
        Some(RawKind::Declared { .. } | RawKind::Difference { .. } | RawKind::Unchanged) => {
            "operators need no function for a downgrade\nhelp: remove `downgrade`; `drop(field, \"…\", back = value)` and `convert(field, with = f, back = g)` say what the operators cannot tell"
        }
        Some(RawKind::Unsupported { .. } | RawKind::NeverReleased) => {
            "state of this version is refused, so none goes back to it\nhelp: remove `downgrade`"
        }
    };
    errors.push(key, message);
    Err(())
}
