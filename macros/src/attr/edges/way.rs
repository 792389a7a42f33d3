//! What makes the model: which options go together.

use quote::ToTokens;
use syn::Path;

use super::RawVia;
use crate::attr::operators::{self, Call};
use crate::attr::options::UpgradeFromOptions;
use crate::attr::value::{Flag, Given, ItemPath};
use crate::errors::Errors;

/// How the model is made. `missing` says that there is no model.
pub(super) fn way(
    options: UpgradeFromOptions,
    calls: Vec<Call>,
    complete: bool,
    missing: impl FnOnce(&mut Errors),
    errors: &mut Errors,
) -> Option<RawVia> {
    let carry = options.carry.map(|given| (given.key, given.value));
    let (is_async, async_key) = match options.is_async {
        None => (Some(false), None),
        Some(Given { key, value }) => (errors.take(value).map(|Flag| true), Some(key)),
    };
    let first_call = calls.first().map(|call| call.word.clone());
    let (operators, all_read) = operators::read(calls, errors);

    if let Some(unsupported) = options.unsupported {
        let others = [
            options.model.map(|given| given.key.to_token_stream()),
            options.with.map(|given| given.key.to_token_stream()),
            options.raw.map(|given| given.key.to_token_stream()),
            async_key.map(ToTokens::into_token_stream),
            carry.map(|(key, _)| key.into_token_stream()),
            first_call.map(ToTokens::into_token_stream),
        ];
        let text = errors.take(unsupported.value);
        if let Some(text) = &text
            && text.value().trim().is_empty()
        {
            errors.push(text, "this says nothing to the people whose state it is\nhelp: say what to do instead, such as \"upgrade with release 2.x first\"");
        }
        if let Some(other) = others.into_iter().flatten().next() {
            let word = other.to_string();
            errors.push(
                other,
                format_args!("`unsupported` refuses every state, so `{word}` would never be used\nhelp: keep one of the two"),
            );
            return None;
        }
        return text.map(|text| RawVia::Unsupported { text });
    }

    if let Some(raw) = options.raw {
        if let Some(Given { key, .. }) = options.model {
            errors.push(
                key,
                "`raw` takes the state as it is stored, so there is no prior model\nhelp: remove `model`, or write `with = path` in place of `raw = path`",
            );
        }
        if let Some(Given { key, .. }) = options.with {
            errors.push(key, "`raw` and `with` exclude each other\nhelp: keep `with` if the function takes the prior model, `raw` if it takes the stored state");
        }
        exclusive("raw", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(raw.value).map(|ItemPath(function)| function);
        return function.zip(is_async).map(|(function, is_async)| RawVia::Raw { function, is_async });
    }

    if options.model.is_none() && complete {
        missing(errors);
    }
    let model = options.model.and_then(|model| errors.take(model.value)).map(|ItemPath(model)| model);
    if let Some(with) = options.with {
        exclusive("with", carry.map(|(key, _)| key), first_call, errors);
        let function = errors.take(with.value).map(|ItemPath(function)| function);
        return match (model, function, is_async) {
            (Some(model), Some(function), Some(is_async)) => Some(RawVia::Function { model, function, is_async }),
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
                errors.push(
                    key,
                    format_args!(
                        "`carry` stands alone, but `{word}` is beside it\nhelp: remove `carry`; what no operator names is carried anyway"
                    ),
                );
            }
            true
        }
        None => first_call.is_some(),
    };
    model
        .filter(|_| all_read)
        .map(|model| if carries { RawVia::Declared { model, operators } } else { RawVia::Conversion { model } })
}

/// Refuses operators beside a function.
fn exclusive(option: &str, carry: Option<Path>, call: Option<syn::Ident>, errors: &mut Errors) {
    if let Some(word) = call {
        errors.push(
            &word,
            format_args!(
                "`{word}` and `{option}` exclude each other\nhelp: do all of it in the function, or all of it with operators; `convert(field, with = path)` calls a function for one field"
            ),
        );
    } else if let Some(carry) = carry {
        errors.push(carry, format_args!("`carry` and `{option}` exclude each other\nhelp: keep one of the two"));
    }
}
