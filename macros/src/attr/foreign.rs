//! Attributes of serde, which a struct may derive beside a model, and what says the same here.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Ident, LitStr, Token};

/// An attribute that is not for upstate.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) span: Span,
    /// As far as a message shows it.
    pub(crate) written: String,
    pub(crate) help: String,
}

/// The kind of item that has the attributes.
#[derive(Clone, Copy)]
enum On {
    Container,
    Field,
    Variant,
}

/// All of serde's attributes in a struct or enum.
pub(crate) fn foreign(input: &DeriveInput) -> Vec<Foreign> {
    let mut found = of(&input.attrs, On::Container);
    match &input.data {
        Data::Struct(data) => found.extend(
            data.fields
                .iter()
                .flat_map(|field| of(&field.attrs, On::Field)),
        ),
        Data::Enum(data) => found.extend(
            data.variants
                .iter()
                .flat_map(|variant| of(&variant.attrs, On::Variant)),
        ),
        Data::Union(_) => {}
    }
    found
}

fn of(attributes: &[Attribute], on: On) -> Vec<Foreign> {
    let serde = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"));
    serde.map(|attribute| read(attribute, on)).collect()
}

fn read(attribute: &Attribute, on: On) -> Foreign {
    let first = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
        let option: Ident = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            input.parse::<LitStr>().ok().map(|value| value.value())
        } else {
            None
        };
        input.parse::<proc_macro2::TokenStream>()?;
        Ok((option.to_string(), value))
    });
    let (option, value) = first.unwrap_or_default();
    let help = match (on, option.as_str(), value) {
        (On::Field, "rename", Some(name)) => format!("write `#[attribute(name = {name:?})]`"),
        (On::Variant, "rename", Some(name)) => format!("write `#[value(name = {name:?})]`"),
        (On::Field, "default", _) => {
            "remove it, and let a field that may be missing be an `Option`".to_owned()
        }
        (On::Field, "with", _) => "write `#[attribute(with = module)]`".to_owned(),
        (On::Field | On::Variant | On::Container, ..) => {
            "remove it, or derive `serde::Serialize`, too".to_owned()
        }
    };
    let written = if option.is_empty() {
        "serde".to_owned()
    } else {
        format!("serde({option})")
    };
    Foreign {
        span: attribute.path().span(),
        written,
        help,
    }
}
