//! `derive(AnyOf)`: an enum whose variants each hold one model.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields, Ident, Type};

/// The impl, or the mistakes.
pub(crate) fn any_of(input: &DeriveInput) -> TokenStream {
    match variants(input) {
        Ok(variants) => expanded(&input.ident, &variants),
        Err(error) => error.into_compile_error(),
    }
}

fn variants(input: &DeriveInput) -> syn::Result<Vec<(&Ident, &Type)>> {
    const FORM: &str = "help: write each variant with one model in parentheses: `Opened(Opened)`";
    let Data::Enum(data) = &input.data else {
        let message = format!("`AnyOf` is for an enum whose variants each hold one model\n{FORM}");
        return Err(syn::Error::new_spanned(&input.ident, message));
    };
    if !input.generics.params.is_empty() {
        return Err(syn::Error::new_spanned(
            &input.generics,
            "`AnyOf` is for an enum without type parameters",
        ));
    }
    let mut errors: Option<syn::Error> = None;
    let mut found = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                found.extend(
                    fields
                        .unnamed
                        .first()
                        .map(|field| (&variant.ident, &field.ty)),
                );
            }
            Fields::Unnamed(_) | Fields::Named(_) | Fields::Unit => {
                let message = format!(
                    "variant `{}` does not hold one model\n{FORM}",
                    variant.ident
                );
                let error = syn::Error::new_spanned(variant, message);
                match &mut errors {
                    Some(errors) => errors.combine(error),
                    None => errors = Some(error),
                }
            }
        }
    }
    if found.is_empty() && errors.is_none() {
        return Err(syn::Error::new_spanned(
            &input.ident,
            format!("an enum without variants is none of its models\n{FORM}"),
        ));
    }
    errors.map_or(Ok(found), Err)
}

fn expanded(name: &Ident, variants: &[(&Ident, &Type)]) -> TokenStream {
    let (names, types): (Vec<_>, Vec<_>) = variants.iter().copied().unzip();
    let texts = names.iter().map(|name| name.unraw().to_string());
    let checks = names.iter().enumerate().map(|(nth, name)| {
        let nth = Literal::usize_unsuffixed(nth);
        quote_spanned!(name.span()=> private::check_type_names(TYPE_NAMES, #nth);)
    });
    quote! {
        #[allow(dead_code)]
        const _: () = {
            use ::upstate::__private as private;

            const TYPE_NAMES: &[(&str, &str)] = &[#((#texts, <#types as ::upstate::Resource>::TYPE_NAME)),*];
            const TYPE_NAMES_DIFFER: () = { #(#checks)* };

            #[automatically_derived]
            impl ::upstate::AnyOf for #name {
                fn register(registry: ::upstate::Registry) -> ::upstate::Registry {
                    registry #(.with::<#types>())*
                }

                fn from_current(
                    type_name: &str,
                    attributes: &[u8],
                ) -> private::Option<private::Result<Self, ::upstate::DecodeError>> {
                    #(
                        if type_name == <#types as ::upstate::Resource>::TYPE_NAME {
                            return private::Some(::upstate::from_json::<#types>(attributes).map(Self::#names));
                        }
                    )*
                    private::None
                }

                fn definition(&self) -> &'static private::ResourceDefinition {
                    match self {
                        #(Self::#names(_) => <#types as ::upstate::Resource>::DEFINITION,)*
                    }
                }

                fn to_json(&self) -> private::Result<private::Vec<u8>, ::upstate::EncodeError> {
                    match self {
                        #(Self::#names(model) => ::upstate::to_json(model),)*
                    }
                }
            }
        };
    }
}
