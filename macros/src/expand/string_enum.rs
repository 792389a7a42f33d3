//! Enums that are stored as text.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::block;
use crate::model::StringEnum;
use upstate_words::hash::key_of_set;

/// The whole of `#[derive(StringEnum)]`.
pub(crate) fn string_enum(string_enum: &StringEnum) -> TokenStream {
    let StringEnum {
        ident,
        crate_path,
        variants,
    } = string_enum;
    let texts: Vec<_> = variants.iter().map(|(_, text)| text).collect();
    let texts_key =
        Literal::u64_unsuffixed(key_of_set(variants.iter().map(|(_, text)| text.as_str())));
    let idents: Vec<_> = variants.iter().map(|(ident, _)| ident).collect();
    let positions: Vec<_> = (0..variants.len()).map(Literal::usize_unsuffixed).collect();
    let items = quote! {
        impl __upstate::StringEnum for #ident {
            const TEXTS: &'static [&'static str] = &[#(#texts),*];
            fn from_position(position: usize) -> __upstate::Option<Self> {
                match position {
                    #(#positions => __upstate::Some(Self::#idents),)*
                    _ => __upstate::None,
                }
            }
            fn position(&self) -> usize {
                match self {
                    #(Self::#idents => #positions,)*
                }
            }
        }
        impl __upstate::AttributeType for #ident {
            const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::texts(&[#(#texts),*], #texts_key);
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::read_string_enum(reader)
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                __upstate::write_string_enum(self, writer);
            }
        }
    };
    block(crate_path.as_ref(), items)
}
