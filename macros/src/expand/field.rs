//! Names and items that the code of a field is made of.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;

use crate::model::{Codec, Member, Role, inside, may_hold_objects, spelt};

/// An item of any type as an attribute.
pub(super) fn item_of(ty: &Type, name: &str) -> TokenStream {
    item(ty, &quote!(__upstate::AttributeType), name)
}

/// An item of a field's type. One without others between angle brackets is asked for by a trait of
/// which the compiler lists no implementations below an error.
pub(super) fn item_of_field(ty: &Type, name: &str) -> TokenStream {
    if is_alone(ty) && may_hold_objects(ty) {
        item(ty, &quote!(__upstate::FieldType), name)
    } else {
        item_of(ty, name)
    }
}

fn is_alone(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.arguments.is_empty()))
}

/// The values of a field's type. Whether null is two of them is another check where the type in an
/// `Option` is known by its name alone, because the compiler would point at our source.
pub(super) fn info_of_field(ty: &Type) -> TokenStream {
    if in_option(ty).is_some() {
        item_of(ty, "UNCHECKED_INFO")
    } else {
        item_of_field(ty, "INFO")
    }
}

/// The type in an `Option`, if it is known by its name alone.
fn in_option(ty: &Type) -> Option<&Type> {
    inside("Option", ty).filter(|inner| is_alone(inner) && may_hold_objects(inner))
}

/// The call that proves that null is one value of the member's type, and its place; `None` if the
/// codec or the tokens of the type tell.
pub(super) fn one_null(member: &Member) -> Option<(TokenStream, Span)> {
    let is_own = matches!(
        member.role,
        Role::Attribute {
            codec: Codec::Own,
            ..
        }
    );
    let inner = in_option(&member.ty).filter(|_| is_own && !member.opaque && !has_slot(member))?;
    let (first, last) = ends(&member.ty);
    let (has_two, inner) = (item_of(&member.ty, "HAS_TWO_NULLS"), spelt(inner));
    let check = quote_spanned!(first=> __upstate::check_one_null);
    Some((quote_spanned!(last=> #check(#has_two, #inner)), first))
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
