//! Impls of a struct with mistakes: enough that its uses make no other errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Path};

use super::block;
use crate::model::Derive;

/// Impls that hold nothing. The parameters are kept although a model must not have any.
pub(crate) fn stub(derive: Derive, input: &DeriveInput, crate_path: Option<&Path>) -> TokenStream {
    let ident = &input.ident;
    let (impls, types, clause) = input.generics.split_for_impl();
    let object = quote! {
        static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::LazySchema::new();
        static __UPSTATE_TABLE: __upstate::Table = __upstate::Table::stub(&__UPSTATE_SCHEMA);
        impl #impls __upstate::Object for #ident #types #clause {
            const TABLE: &'static __upstate::Table = &__UPSTATE_TABLE;
            fn decode(_object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                __upstate::None
            }
            fn encode(&self, _object: &mut __upstate::ObjectWriter<'_, '_>) {}
        }
    };
    let attribute_type = quote! {
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = __upstate::TypeInfo::STUB;
            fn decode(_reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::Err(__upstate::DecodeError::stub())
            }
            fn encode(&self, _writer: &mut __upstate::Writer<'_>) {}
        }
    };
    let impls = match derive {
        Derive::Object => quote!(#object #attribute_type),
        Derive::StringEnum => quote! {
            #attribute_type
            impl #impls __upstate::StringEnum for #ident #types #clause {
                const TEXTS: &'static [&'static str] = &[];
                fn from_position(_position: usize) -> __upstate::Option<Self> {
                    __upstate::None
                }
                fn position(&self) -> usize {
                    0
                }
            }
        },
        Derive::Union => attribute_type,
        Derive::Resource | Derive::Document => {
            // A `Resource` is `'static`, which a struct with parameters is not always.
            let mut generics = input.generics.clone();
            if !generics.params.is_empty() {
                generics
                    .make_where_clause()
                    .predicates
                    .push(syn::parse_quote!(Self: 'static));
            }
            let (_, _, clause) = generics.split_for_impl();
            let as_value = (derive == Derive::Document).then_some(attribute_type);
            quote! {
                #object
                impl #impls __upstate::Resource for #ident #types #clause {
                    const TYPE_NAME: &'static str = "";
                    const VERSION: u64 = 0;
                    const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[];
                    const HISTORY: &'static __upstate::History = &__upstate::History::stub();
                    const ROUTES: &'static [u16] = &[];
                }
                impl #impls __upstate::CurrentModel for #ident #types #clause {
                    type Plan = Self;
                    type Values = __upstate::TerraformValues;
                }
                #as_value
            }
        }
    };
    block(crate_path, impls)
}
