//! Names and items that the code of a field is made of.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;

use crate::model::{Codec, Member, Role, may_hold_objects};

/// An item of any type as an attribute.
pub(super) fn item_of(ty: &Type, name: &str) -> TokenStream {
    item(ty, &quote!(__upstate::AttributeType), name)
}

/// An item of a field's type. One without others between angle brackets is asked for by a trait of
/// which the compiler lists no implementations below an error.
pub(super) fn item_of_field(ty: &Type, name: &str) -> TokenStream {
    let is_alone = matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.arguments.is_empty()));
    if is_alone && may_hold_objects(ty) {
        item(ty, &quote!(__upstate::FieldType), name)
    } else {
        item_of(ty, name)
    }
}

/// An item that a type has of a trait.
pub(super) fn item(ty: &Type, of: &TokenStream, name: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let name = Ident::new(name, last);
    let open = quote_spanned!(first=> <);
    quote_spanned!(last=> #open #ty as #of>::#name)
}

pub(super) fn ends(ty: &Type) -> (Span, Span) {
    let mut tokens = ty.to_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    (first, last)
}

/// True if the field is read and written in another way than its type's own.
pub(super) fn has_slot(member: &Member) -> bool {
    match &member.role {
        Role::Attribute { flags, codec, .. } => match codec {
            Codec::Own | Codec::Serde | Codec::SerdeModule(_) | Codec::SerdeFunctions(..) => {
                flags.write_only
            }
            Codec::Set
            | Codec::OptionalSet
            | Codec::Text
            | Codec::OptionalText
            | Codec::Module(_) => true,
        },
        Role::Block { .. } => true,
    }
}

/// The slot that this constructor makes, or the constant of a trait: the bound of a constructor
/// would be shown with our source.
pub(super) fn slot_of(ty: &Type, constructor: &str) -> TokenStream {
    let own = match constructor {
        "block" => quote!(__upstate::BlockType),
        "as_string" => quote!(__upstate::StringForm),
        _ => {
            let (first, last) = ends(ty);
            let name = Ident::new(constructor, last);
            let path = quote_spanned!(first=> __upstate::Slot::<#ty>::#name);
            return quote_spanned!(last=> #path());
        }
    };
    item(ty, &own, "SLOT")
}

pub(super) fn slot_ident(index: usize) -> Ident {
    format_ident!("__UPSTATE_SLOT_{index}")
}
