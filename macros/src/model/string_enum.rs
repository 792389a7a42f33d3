//! Enums that are stored as text.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{DeriveInput, Path, Variant};

use super::{Derive, names, placement, shape};
use crate::attr::{self, STRING_ENUM, StringEnumOptions, VALUE, ValueOptions, value_of};
use crate::errors::{Errors, line};

/// An enum that derives `StringEnum`.
#[derive(Debug)]
pub(crate) struct StringEnum {
    pub(crate) ident: Ident,
    /// The runtime crate; `None` for `::upstate`.
    pub(crate) crate_path: Option<Path>,
    /// With their strings.
    pub(crate) variants: Vec<(Ident, String)>,
}

/// The model of an enum that derives `StringEnum`. `None` if something is wrong, which is then
/// recorded.
pub(crate) fn string_enum(input: &DeriveInput, errors: &mut Errors) -> Option<StringEnum> {
    let variants = shape::variants(input, errors)?;
    placement::container(Derive::StringEnum, input, errors);
    let read = attr::options::<StringEnumOptions>(&STRING_ENUM, &input.attrs, errors);
    let crate_path = value_of(read.given.crate_path, errors).map(|path| path.0);

    let ident = &input.ident;
    if variants.is_empty() {
        errors.push(
            ident,
            format_args!("`{ident}` has no variants, so nothing could be stored\nhelp: add a variant for each string"),
        );
    }
    let mut stored: BTreeMap<String, &Ident> = BTreeMap::new();
    let mut texts = Vec::new();
    for variant in variants {
        placement::variant(&variant.attrs, errors);
        let (text, place) = text(variant, errors);
        if let Some(other) = stored.insert(text.clone(), &variant.ident) {
            let line = line(other);
            errors.push(place, format_args!("two variants are stored as `{text}`\nhelp: give one of the two another name\nnote: the other is `{other}` on line {line}"));
        }
        texts.push((variant.ident.clone(), text));
    }
    errors.is_empty().then(|| StringEnum {
        ident: ident.clone(),
        crate_path,
        variants: texts,
    })
}

/// The text of a variant, and the tokens that it comes from.
fn text(variant: &Variant, errors: &mut Errors) -> (String, proc_macro2::TokenStream) {
    let ident = &variant.ident;
    let options = attr::options::<ValueOptions>(&VALUE, &variant.attrs, errors);
    // An option of serde's says what the data is for, and is reported already.
    if !variant.fields.is_empty() && options.complete {
        errors.push(
            &variant.fields,
            format_args!(
                "`{ident}` has data, but a string enum is stored as one string\nhelp: remove the data, or make the attribute a `String`"
            ),
        );
    }
    match value_of(options.given.name, errors) {
        Some(literal) => (literal.value(), literal.to_token_stream()),
        None => (
            names::snake_case(&ident.unraw().to_string()),
            ident.to_token_stream(),
        ),
    }
}
