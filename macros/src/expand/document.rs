//! Structs of documents: members in the order of the fields, parts beside them, and what is stored
//! in their place.

#![expect(clippy::single_match_else, reason = "the cases are read side by side")]

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Type, parse_quote};

use super::checks::proven;
use super::field::item_of;
use super::members::Coded;
use super::object::{self, About};
use super::{block, members};
use crate::attr::document::Absent;
use crate::model::document::{Body, Position, Structure};
use crate::model::{Codec, Resource};

/// The whole of `#[derive(Document)]` on a struct that can be a root.
pub(crate) fn root(resource: &Resource) -> TokenStream {
    let ident = &resource.object.ident;
    let tokens = super::resource::resource(resource);
    let names = resource
        .object
        .document
        .as_ref()
        .map_or_else(|| quote!(&__upstate::Names::NONE), members::names);
    let nested = nested(ident, &Generics::default(), &names);
    let nested = block(resource.object.crate_path.as_ref(), nested);
    quote!(#tokens #nested)
}

/// The whole of `#[derive(Document)]` on a struct that is only part of others.
pub(crate) fn structure(structure: &Structure) -> TokenStream {
    let Structure {
        ident,
        generics,
        crate_path,
        body,
    } = structure;
    let items = match body {
        Body::Named(object) => {
            let items = object::items(object, &About::default());
            let shape = object.document.as_ref();
            let names = shape.map_or_else(|| quote!(&__upstate::Names::NONE), members::names);
            let nested = nested(
                ident,
                &shape.map_or_else(Generics::default, members::of_shape),
                &names,
            );
            quote!(#items #nested)
        }
        Body::Newtype {
            ty,
            field,
            is_transparent,
            recursive,
            codec,
            skipped,
        } => {
            let inner = Inner {
                field,
                is_transparent: *is_transparent,
                recursive: *recursive,
                codec,
                skipped,
            };
            newtype(ident, generics, ty, &inner)
        }
        Body::Tuple(types) => tuple(ident, generics, types),
        Body::Unit => unit(ident, generics),
        Body::Converted {
            from,
            can_fail,
            into,
        } => converted(ident, generics, from, *can_fail, into),
    };
    block(crate_path.as_ref(), items)
}

/// An object as a value, and as a part of another.
fn nested(ident: &Ident, generics: &Generics, names: &TokenStream) -> TokenStream {
    let (impls, types, clause) = generics.split_for_impl();
    let table = quote!(<Self as __upstate::Object>::TABLE);
    quote! {
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::document(#table);
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::read_object(reader)
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                __upstate::write_object(self, writer);
            }
        }
        impl #impls __upstate::Members for #ident #types #clause {
            const TABLE: __upstate::Option<&'static __upstate::Table> = __upstate::Some(#table);
            const NAMES: &'static __upstate::Names = #names;
            fn read_members(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                __upstate::read_part(object)
            }
            fn is_there(object: &__upstate::ObjectReader<'_, '_>) -> bool {
                __upstate::is_part_there::<Self>(object)
            }
            fn write_members(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
                __upstate::write_part(self, object);
            }
        }
    }
}

/// The one field of a newtype.
struct Inner<'a> {
    field: &'a TokenStream,
    is_transparent: bool,
    /// It holds the newtype itself.
    recursive: bool,
    codec: &'a Codec,
    /// Fields that are not stored, and their values, if those are not their types' own.
    skipped: &'a [(TokenStream, Option<Absent>)],
}

/// One value that is stored as it is.
fn newtype(ident: &Ident, generics: &Generics, ty: &Type, inner: &Inner<'_>) -> TokenStream {
    let Inner {
        field,
        is_transparent,
        recursive,
        codec,
        skipped,
    } = inner;
    let generics = members::bounded(generics);
    let (impls, types, clause) = generics.split_for_impl();
    let skipped = skipped.iter().map(|(field, default)| match default {
        Some(default) => quote!(#field: #default),
        None => quote!(#field: ::core::default::Default::default()),
    });
    let made = quote!(|value| Self { #field: value #(, #skipped)* });
    let absent = is_transparent.then(|| {
        quote! {
            const ABSENT_IS_NULL: bool = <#ty as __upstate::AttributeType>::ABSENT_IS_NULL;
            fn absent() -> __upstate::Option<Self> {
                <#ty as __upstate::AttributeType>::absent().map(#made)
            }
        }
    });
    if let Some(Coded { info, read, write }) = members::coded(ty, codec) {
        return quote! {
            impl #impls __upstate::AttributeType for #ident #types #clause {
                const INFO: &'static __upstate::TypeInfo = #info;
                fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                    #read.map(#made)
                }
                fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                    let value = &self.#field;
                    #write;
                }
            }
        };
    }
    let check = recursive
        .then(|| members::positions(&generics, &[ty], &quote!(__upstate::TypeInfo::JSON), ident));
    let (before, inside) = if generics.params.is_empty() {
        (check, None)
    } else {
        (None, check)
    };
    let info = if *recursive {
        members::any_json(ty)
    } else {
        quote!(<#ty as __upstate::AttributeType>::INFO)
    };
    // The bound is one that the compiler leaves for later: what is inside need not be a key, as
    // long as nobody takes it for one.
    let when = |of: TokenStream| {
        let mut generics = generics.clone();
        generics
            .make_where_clause()
            .predicates
            .push(parse_quote!(for<'__upstate> #ty: #of));
        generics.where_clause
    };
    let (is_key, has_members) = (
        when(quote!(__upstate::Key)),
        when(quote!(__upstate::Members)),
    );
    quote! {
        #before
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = #info;
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                #inside
                <#ty as __upstate::AttributeType>::decode(reader).map(#made)
            }
            #absent
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                <#ty as __upstate::AttributeType>::encode(&self.#field, writer);
            }
        }
        impl #impls __upstate::Key for #ident #types #is_key {
            const WORD: u64 = <#ty as __upstate::Key>::WORD;
            const READS: __upstate::Option<&'static __upstate::TypeInfo> = <#ty as __upstate::Key>::READS;
            const NOUN: &'static str = <#ty as __upstate::Key>::NOUN;
            const IS_VARIANT: bool = <#ty as __upstate::Key>::IS_VARIANT;
            fn read(text: __upstate::Cow<'_, str>) -> __upstate::Option<Self> {
                <#ty as __upstate::Key>::read(text).map(#made)
            }
            fn text(&self) -> __upstate::Cow<'_, str> {
                <#ty as __upstate::Key>::text(&self.#field)
            }
            fn leaves_out(text: &str) -> bool {
                <#ty as __upstate::Key>::leaves_out(text)
            }
        }
        impl #impls __upstate::Members for #ident #types #has_members {
            const TABLE: __upstate::Option<&'static __upstate::Table> = <#ty as __upstate::Members>::TABLE;
            const VALUES: __upstate::Option<&'static __upstate::TypeInfo> = <#ty as __upstate::Members>::VALUES;
            const IS_OPTIONAL: bool = <#ty as __upstate::Members>::IS_OPTIONAL;
            const NAMES: &'static __upstate::Names = <#ty as __upstate::Members>::NAMES;
            fn read_members(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                <#ty as __upstate::Members>::read_members(object).map(#made)
            }
            fn is_there(object: &__upstate::ObjectReader<'_, '_>) -> bool {
                <#ty as __upstate::Members>::is_there(object)
            }
            fn write_members(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
                <#ty as __upstate::Members>::write_members(&self.#field, object);
            }
        }
    }
}

/// An array with an element for each field.
fn tuple(ident: &Ident, generics: &Generics, all: &[Position]) -> TokenStream {
    let generics = members::bounded(generics);
    let (impls, types, clause) = generics.split_for_impl();
    let (info, reads) = (tuple_info(all), elements(all, &quote!(Self)));
    let writes = write_elements(all, &|index| {
        let index = syn::Index::from(index);
        quote!(&self.#index)
    });
    let check = opaque_positions(all).map(|types| {
        members::positions(&generics, &types, &quote!(__upstate::TypeInfo::JSON), ident)
    });
    let (before, inside) = if generics.params.is_empty() {
        (check, None)
    } else {
        (None, check)
    };
    quote! {
        #before
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = #info;
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                #inside
                #reads
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                #writes
            }
        }
    }
}

fn stored_types(fields: &[Position]) -> Vec<&Type> {
    fields
        .iter()
        .filter(|field| !field.is_skipped)
        .map(|field| &field.ty)
        .collect()
}

/// The type of an array with an element for each field. Tuples have up to six; a longer one is any
/// JSON in the schema.
pub(super) fn tuple_info(fields: &[Position]) -> TokenStream {
    let types = stored_types(fields);
    match types.len() {
        _ if fields
            .iter()
            .any(|field| !matches!(field.codec, Codec::Own)) =>
        {
            quote!(__upstate::TypeInfo::JSON)
        }
        0 => quote!(__upstate::TypeInfo::NOTHING),
        1..=6 => quote!(<(#(#types,)*) as __upstate::AttributeType>::INFO),
        _ => quote!(__upstate::TypeInfo::JSON),
    }
}

/// The types of fields whose array is any JSON in the schema, but for those that are not read as
/// their types are.
pub(super) fn opaque_positions(fields: &[Position]) -> Option<Vec<&Type>> {
    let is_any = stored_types(fields).len() > 6
        || fields
            .iter()
            .any(|field| !matches!(field.codec, Codec::Own));
    let types = fields
        .iter()
        .filter(|field| !field.is_skipped && matches!(field.codec, Codec::Own))
        .map(|field| &field.ty);
    is_any.then(|| types.collect())
}

/// An expression that reads an array and makes `of` of its elements.
pub(super) fn elements(fields: &[Position], of: &TokenStream) -> TokenStream {
    let reads = fields.iter().map(
        |Position {
             ty,
             is_skipped,
             default,
             codec,
         }| {
            let decode = match members::coded(ty, codec) {
                Some(Coded { read, .. }) => quote!(|reader| #read),
                None => quote!(<#ty as __upstate::AttributeType>::decode),
            };
            match (is_skipped, default) {
                (true, None) => quote!(<#ty as ::core::default::Default>::default()),
                (true, Some(default)) => quote!(#default),
                (false, None) => quote!(elements.next::<#ty>(#decode)?),
                (false, Some(default)) => {
                    quote!(elements.next_or::<#ty>(#decode, || -> #ty { #default })?)
                }
            }
        },
    );
    let count = stored_types(fields).len();
    quote! {
        __upstate::read_elements(reader, #count, |elements| {
            let _ = &elements;
            __upstate::Ok(#of(#(#reads),*))
        })
    }
}

/// Statements that write an array; `place` gives a reference to a field.
pub(super) fn write_elements(
    fields: &[Position],
    place: &dyn Fn(usize) -> TokenStream,
) -> TokenStream {
    let count = stored_types(fields).len();
    let writes = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.is_skipped)
        .map(|(index, Position { ty, codec, .. })| {
            let place = place(index);
            let write = match members::coded(ty, codec) {
                Some(Coded { write, .. }) => quote!({ let value = #place; #write }),
                None => quote!(<#ty as __upstate::AttributeType>::encode(#place, writer)),
            };
            quote!(elements.next(|writer| #write);)
        });
    quote! {
        __upstate::write_elements(writer, #count, |elements| {
            let _ = &elements;
            #(#writes)*
        });
    }
}

fn unit(ident: &Ident, generics: &Generics) -> TokenStream {
    let generics = members::bounded(generics);
    let (impls, types, clause) = generics.split_for_impl();
    quote! {
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = <() as __upstate::AttributeType>::INFO;
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                <() as __upstate::AttributeType>::decode(reader).map(|()| Self)
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                <() as __upstate::AttributeType>::encode(&(), writer);
            }
        }
        impl #impls __upstate::Members for #ident #types #clause {
            const TABLE: __upstate::Option<&'static __upstate::Table> = __upstate::None;
            const NAMES: &'static __upstate::Names = &__upstate::Names::NONE;
            fn read_members(_: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                __upstate::Some(Self)
            }
            fn is_there(_: &__upstate::ObjectReader<'_, '_>) -> bool {
                false
            }
            fn write_members(&self, _: &mut __upstate::ObjectWriter<'_, '_>) {}
        }
    }
}

/// The values of another type, which is what is stored.
pub(super) fn converted(
    ident: &Ident,
    generics: &Generics,
    from: &Type,
    can_fail: bool,
    into: &Type,
) -> TokenStream {
    let generics = members::bounded(generics);
    let (impls, types, clause) = generics.split_for_impl();
    let convert = if can_fail {
        quote!(<Self as ::core::convert::TryFrom<#from>>::try_from(value).map_err(|error| __upstate::refused_by_author(error, start)))
    } else {
        quote!({
            let _ = start;
            __upstate::Ok(<Self as ::core::convert::From<#from>>::from(value))
        })
    };
    let is_key = {
        let mut generics = generics.clone();
        let clause = generics.make_where_clause();
        clause
            .predicates
            .push(parse_quote!(for<'__upstate> #from: __upstate::Key));
        clause
            .predicates
            .push(parse_quote!(for<'__upstate> #into: __upstate::Key));
        generics.where_clause
    };
    let key = if can_fail {
        quote!(<Self as ::core::convert::TryFrom<#from>>::try_from(value).ok())
    } else {
        quote!(__upstate::Some(<Self as ::core::convert::From<#from>>::from(value)))
    };
    let check = (generics.params.is_empty()
        && quote!(#from).to_string() != quote!(#into).to_string())
    .then(|| {
        let span = from.span();
        let (from, into) = (item_of(from, "OWN_INFO"), item_of(into, "OWN_INFO"));
        proven(
            "WHAT_IS_WRITTEN_CAN_BE_READ",
            &quote_spanned!(span=> __upstate::check_conversion(#from, #into)),
            span,
        )
    });
    quote! {
        #check
        impl #impls __upstate::Key for #ident #types #is_key {
            const WORD: u64 = 6;
            const NOUN: &'static str = "one that its type reads";
            fn read(text: __upstate::Cow<'_, str>) -> __upstate::Option<Self> {
                let value = <#from as __upstate::Key>::read(text)?;
                #key
            }
            fn text(&self) -> __upstate::Cow<'_, str> {
                let stored: #into = ::core::clone::Clone::clone(self).into();
                __upstate::Cow::Owned(<#into as __upstate::Key>::text(&stored).into_owned())
            }
            fn leaves_out(text: &str) -> bool {
                <#from as __upstate::Key>::leaves_out(text)
            }
        }
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = <#from as __upstate::AttributeType>::OWN_INFO;
            const ABSENT_IS_NULL: bool = <#from as __upstate::AttributeType>::ABSENT_IS_NULL;
            fn absent() -> __upstate::Option<Self> {
                let value = <#from as __upstate::AttributeType>::absent()?;
                #key
            }
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                let _ = reader.peek()?;
                let start = reader.position();
                let value = <#from as __upstate::AttributeType>::decode(reader)?;
                #convert
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                let stored: #into = ::core::clone::Clone::clone(self).into();
                <#into as __upstate::AttributeType>::encode(&stored, writer);
            }
        }
    }
}
