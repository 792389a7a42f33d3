//! The kinds of item that can be a model.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Field, Fields, GenericParam, Generics, Token, Type, Variant};

use super::Derive;
use crate::errors::Errors;

/// The fields of a struct. `None`, and nothing else to be said, if `input` is something else.
pub(super) fn fields<'a>(
    derive: Derive,
    input: &'a DeriveInput,
    errors: &mut Errors,
) -> Option<&'a Punctuated<Field, Token![,]>> {
    let name = &input.ident;
    let (place, found, help) = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                generics(derive, input, errors);
                return Some(&fields.named);
            }
            Fields::Unnamed(fields) => {
                let place = fields.to_token_stream();
                let help = match fields.unnamed.iter().collect::<Vec<_>>().as_slice() {
                    [Field { ty, .. }]
                        if input.generics.params.is_empty()
                            && !matches!(ty, Type::Reference(_)) =>
                    {
                        let ty = ty.to_token_stream().to_string().replace(' ', "");
                        format!(
                            "write `struct {name} {{ value: {ty} }}`: the name of a field becomes the attribute's"
                        )
                    }
                    _ => "give each field a name; it becomes the attribute's".to_owned(),
                };
                (place, "a tuple struct", help)
            }
            Fields::Unit => (
                name.to_token_stream(),
                "a unit struct",
                format!("write `struct {name} {{}}` if it has no attributes"),
            ),
        },
        Data::Enum(data) => {
            let help = match derive {
                Derive::Resource => "store the enum as one attribute of a struct",
                _ => {
                    "derive `StringEnum` if no variant has data, or write a struct with an `Option` for each variant"
                }
            };
            (
                data.enum_token.to_token_stream(),
                "an enum",
                help.to_owned(),
            )
        }
        Data::Union(data) => (
            data.union_token.to_token_stream(),
            "a union",
            format!("write `struct {name}`"),
        ),
    };
    let noun = derive.noun();
    errors.push(
        place,
        format_args!(
            "{noun} is a struct with named fields; `{name}` is {found} [U0016]\nhelp: {help}"
        ),
    );
    None
}

/// The variants of an enum. `None`, and nothing else to be said, if `input` is something else.
pub(super) fn variants<'a>(
    input: &'a DeriveInput,
    errors: &mut Errors,
) -> Option<&'a Punctuated<Variant, Token![,]>> {
    let (place, found) = match &input.data {
        Data::Enum(data) => {
            generics(Derive::StringEnum, input, errors);
            return Some(&data.variants);
        }
        Data::Struct(data) => (data.struct_token.to_token_stream(), "a struct"),
        Data::Union(data) => (data.union_token.to_token_stream(), "a union"),
    };
    let name = &input.ident;
    errors.push(
        place,
        format_args!(
            "a string enum is an enum without data; `{name}` is {found}\nhelp: derive `Object` for a struct whose fields are attributes"
        ),
    );
    None
}

/// A model is one concrete shape that owns its values.
fn generics(derive: Derive, input: &DeriveInput, errors: &mut Errors) {
    let Generics {
        params,
        where_clause,
        ..
    } = &input.generics;
    let name = &input.ident;
    let noun = derive.noun();
    let kind_of = |param: &GenericParam| match param {
        GenericParam::Lifetime(_) => "lifetime",
        GenericParam::Type(_) => "type",
        GenericParam::Const(_) => "const",
    };
    for kind in ["lifetime", "type", "const"] {
        let found = tokens(params.iter().filter(|param| kind_of(param) == kind));
        if found.is_empty() {
            continue;
        }
        let (why, help) = if kind == "lifetime" {
            let help = "use `String` in place of `&str`, `Vec` in place of a slice";
            ("owns its values", help)
        } else {
            ("has one stored shape", "write it with concrete types")
        };
        errors.push(
            found,
            format_args!(
                "{noun} {why}, so `{name}` cannot have {kind} parameters [U0016]\nhelp: {help}"
            ),
        );
    }
    if let Some(clause) = where_clause
        && params.is_empty()
    {
        errors.push(
            clause,
            format_args!("{noun} has one stored shape, so `{name}` cannot have a `where` clause [U0016]\nhelp: remove it"),
        );
    }
}

/// Several parameters as one piece of source.
fn tokens<'a>(params: impl Iterator<Item = &'a GenericParam>) -> TokenStream {
    params.map(ToTokens::to_token_stream).collect()
}
