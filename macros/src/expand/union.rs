//! Enums with data.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Generics, Type, WhereClause, parse_quote};
use upstate_words::hash::key_of_set;

use super::checks::{NO_NAME_IS_READ_TWICE, numbered};
use super::field::item;
use super::members::Coded;
use super::object::{self, About};
use super::{block, document, key, members};
use crate::model::Codec;
use crate::model::document::Body;
use crate::model::union::{Content, Tagging, Union, Variant};

/// The whole of `#[derive(Union)]`.
pub(crate) fn union(union: &Union) -> TokenStream {
    let Union {
        ident,
        generics,
        crate_path,
        ..
    } = union;
    let items = match &union.converted {
        Some(Body::Converted {
            from,
            can_fail,
            into,
        }) => document::converted(ident, generics, from, *can_fail, into),
        Some(Body::Named(_) | Body::Newtype { .. } | Body::Tuple(_) | Body::Unit) | None => {
            items(union)
        }
    };
    block(crate_path.as_ref(), items)
}

fn items(union: &Union) -> TokenStream {
    let Union {
        ident,
        generics,
        tagging,
        denies_unknown,
        variants,
        ..
    } = union;
    let generics = members::bounded(generics);
    let (impls, types, clause) = generics.split_for_impl();
    let types_of = &types;
    let structs = variants.iter().filter_map(of_struct);
    let mut stored: Vec<&Variant> = variants
        .iter()
        .filter(|variant| !variant.is_other)
        .collect();
    if !matches!(tagging, Tagging::Untagged) {
        // The order of tagged variants means nothing, because the tag decides. Those without one
        // are tried in their order, after the others.
        stored.sort_by(|one, other| {
            let by_name = if one.is_untagged {
                std::cmp::Ordering::Equal
            } else {
                one.name.cmp(&other.name)
            };
            one.is_untagged.cmp(&other.is_untagged).then(by_name)
        });
    }
    let rows = stored.into_iter().map(row);
    let words = tagging.text();
    let rust_name = format!("::{}", ident.unraw());
    let known = variants
        .iter()
        .filter(|variant| !variant.is_other && !variant.is_untagged)
        .map(|variant| read(tagging, variant));
    let untagged = variants
        .iter()
        .filter(|variant| variant.is_untagged)
        .map(|variant| read(&Tagging::Untagged, variant));
    let (other, other_name) = match variants.iter().find(|variant| variant.is_other) {
        Some(Variant {
            ident,
            name,
            aliases,
            ..
        }) => (
            quote! {
                __upstate::Some(__upstate::union::Other { name: #name, aliases: &[#(#aliases),*], make: || Self::#ident })
            },
            quote!(__upstate::Some(#name)),
        ),
        None => (quote!(__upstate::None), quote!(__upstate::None)),
    };
    let nullable = nullable(union);
    let (mut own, mut parts) = (Vec::new(), Vec::new());
    for [of_members, of_parts] in variants
        .iter()
        .map(|variant| stored_types(&variant.content))
    {
        own.extend(of_members);
        parts.extend(of_parts);
    }
    let instance = members::instance(&generics, &[own, parts]);
    let reads = match tagging {
        Tagging::External => quote!(__upstate::union::read_external(
            reader,
            &Self::__UPSTATE_VARIANTS
        )),
        Tagging::Internal(tag) => {
            quote!(__upstate::union::read_internal(reader, #denies_unknown, #tag, &Self::__UPSTATE_VARIANTS))
        }
        Tagging::Adjacent(tag, content) => {
            quote!(__upstate::union::read_adjacent(reader, #denies_unknown, (#tag, #content), &Self::__UPSTATE_VARIANTS))
        }
        Tagging::Untagged => quote!(__upstate::union::read_untagged(
            reader,
            &Self::__UPSTATE_VARIANTS
        )),
    };
    let (takes, is_there, of_members) = (takes(union), is_there(union), names_taken(union));
    let bounds = bounds_of_members(union, &generics);
    let opaque = variants.iter().filter_map(|variant| {
        let types = match &variant.content {
            Content::Newtype {
                recursive: true,
                codec: Codec::Own,
                ty,
            } => vec![ty],
            Content::Tuple {
                recursive: true,
                fields,
            } => {
                let stored = fields
                    .iter()
                    .filter(|field| !field.is_skipped && matches!(field.codec, Codec::Own));
                stored.map(|field| &field.ty).collect()
            }
            Content::Tuple {
                recursive: false,
                fields,
            } => document::opaque_positions(fields)?,
            Content::Newtype { .. } | Content::Unit | Content::Struct(_) => return None,
        };
        let around = quote!(<#ident #types_of as __upstate::AttributeType>::INFO);
        Some(members::positions(
            &generics,
            &types,
            &around,
            &variant.ident,
        ))
    });
    let proofs: Vec<_> = tag_checks(union).into_iter().chain(opaque).collect();
    let (proofs, proofs_inside) = if generics.params.is_empty() {
        (proofs, Vec::new())
    } else {
        (Vec::new(), proofs)
    };
    let has_bounds = !untagged_parts(union).is_empty();
    let encodes = variants
        .iter()
        .map(|variant| encode(tagging, variant, has_bounds));
    let members = variants
        .iter()
        .map(|variant| write_members(tagging, variant));
    let has_fields = variants
        .iter()
        .any(|variant| !matches!(variant.content, Content::Unit));
    let nothing = variants.is_empty().then(|| quote!(_ => {}));
    // Only an enum without data can be the key of a map, and only by names: a variant without a tag
    // is null.
    let is_named = variants.iter().all(|variant| !variant.is_untagged);
    let is_key =
        matches!(tagging, Tagging::External) && is_named && !has_fields && !variants.is_empty();
    let as_key = is_key.then(|| {
        let texts: Vec<_> = variants.iter().map(|variant| &variant.name).collect();
        let patterns = variants.iter().map(pattern_alone);
        let arms = variants.iter().map(|variant| {
            let Variant { name, aliases, .. } = variant;
            let value = alone(variant);
            quote!(#name #(| #aliases)* => __upstate::Some(#value),)
        });
        let unknown = variants.iter().find(|variant| variant.is_other).map(alone);
        let leaves_out = unknown.as_ref().map(|_| {
            let names = variants
                .iter()
                .flat_map(|variant| std::iter::once(&variant.name).chain(&variant.aliases));
            quote! {
                fn leaves_out(text: &str) -> bool {
                    !::core::matches!(text, #(#names)|*)
                }
            }
        });
        let unknown = unknown.map_or_else(
            || quote!(__upstate::None),
            |value| quote!(__upstate::Some(#value)),
        );
        let texts_key = Literal::u64_unsuffixed(key_of_set(texts.iter().map(|text| text.as_str())));
        quote! {
            impl #impls __upstate::Key for #ident #types #clause {
                const WORD: u64 = 5;
                const READS: __upstate::Option<&'static __upstate::TypeInfo> =
                    __upstate::Some(const { &__upstate::TypeInfo::texts(&[#(#texts),*], #texts_key) });
                const NOUN: &'static str = "the name of a variant";
                const IS_VARIANT: bool = true;
                fn read(text: __upstate::Cow<'_, str>) -> __upstate::Option<Self> {
                    match &*text {
                        #(#arms)*
                        _ => #unknown,
                    }
                }
                fn text(&self) -> __upstate::Cow<'_, str> {
                    __upstate::Cow::Borrowed(match self { #(#patterns => #texts,)* })
                }
                #leaves_out
            }
        }
    });
    quote! {
        #(#structs)*
        #(#proofs)*
        impl #impls #ident #types #clause {
            #[doc(hidden)]
            const __UPSTATE_VARIANTS: __upstate::union::Variants<Self> =
                __upstate::union::Variants { all: &[#(#known),*], other: #other, untagged: &[#(#untagged),*] };
        }
        impl #impls __upstate::AttributeType for #ident #types #clause {
            const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::union(
                &__upstate::UnionTable {
                    rust_name: __upstate::concat!(__upstate::module_path!(), #rust_name),
                    instance: #instance,
                    tagging: #words,
                    variants: &[#(#rows),*],
                    other: #other_name,
                },
                #nullable,
            );
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                #(#proofs_inside)*
                #reads
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                match self {
                    #(#encodes)*
                    #nothing
                }
            }
        }
        impl #impls __upstate::Members for #ident #types #bounds {
            const TABLE: __upstate::Option<&'static __upstate::Table> = __upstate::None;
            const VALUES: __upstate::Option<&'static __upstate::TypeInfo> = __upstate::Some(<Self as __upstate::AttributeType>::INFO);
            const NAMES: &'static __upstate::Names = #of_members;
            fn read_members(object: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                #takes
            }
            fn is_there(object: &__upstate::ObjectReader<'_, '_>) -> bool {
                #is_there
            }
            fn write_members(&self, object: &mut __upstate::ObjectWriter<'_, '_>) {
                match self {
                    #(#members)*
                    #nothing
                }
            }
        }
        #as_key
    }
}

/// The types of variants without a tag, whose members are next to others where the enum is
/// flattened.
fn untagged_parts(union: &Union) -> Vec<&Type> {
    let is_untagged =
        |variant: &&Variant| matches!(union.tagging, Tagging::Untagged) || variant.is_untagged;
    let types = union
        .variants
        .iter()
        .filter(is_untagged)
        .filter_map(|variant| match &variant.content {
            Content::Newtype {
                ty,
                recursive: false,
                codec: Codec::Own,
            } => Some(ty),
            Content::Newtype { .. }
            | Content::Unit
            | Content::Tuple { .. }
            | Content::Struct(_) => None,
        });
    types.collect()
}

/// The bounds of an enum that is flattened: each variant without a tag has members. They are ones
/// that the compiler leaves for later, because an enum that is not flattened may hold scalars.
fn bounds_of_members(union: &Union, generics: &Generics) -> Option<WhereClause> {
    let mut generics = generics.clone();
    for ty in untagged_parts(union) {
        generics
            .make_where_clause()
            .predicates
            .push(parse_quote!(for<'__upstate> #ty: __upstate::Members));
    }
    generics.where_clause
}

/// The expression that takes a value's members out of an object.
fn takes(union: &Union) -> TokenStream {
    let of_untagged =
        |variant: &&Variant| matches!(union.tagging, Tagging::Untagged) || variant.is_untagged;
    let untagged: Vec<_> = union
        .variants
        .iter()
        .filter(of_untagged)
        .map(take)
        .collect();
    let names = quote!(<Self as __upstate::Members>::NAMES);
    let (tag, take) = match &union.tagging {
        Tagging::External => (
            quote!(__upstate::None),
            quote!(__upstate::union::take_external(
                object,
                &Self::__UPSTATE_VARIANTS
            )),
        ),
        Tagging::Internal(tag) => (
            quote!(__upstate::Some(#tag)),
            quote!(__upstate::union::take_internal(object, #tag, &Self::__UPSTATE_VARIANTS)),
        ),
        Tagging::Adjacent(tag, content) => (
            quote!(__upstate::Some(#tag)),
            quote!(__upstate::union::take_adjacent(object, #tag, #content, &Self::__UPSTATE_VARIANTS)),
        ),
        Tagging::Untagged => {
            return quote!(__upstate::union::take_untagged(object, #names, &[#(#untagged),*]));
        }
    };
    if untagged.is_empty() {
        return take;
    }
    quote! {
        __upstate::union::take_or_untagged(
            object,
            #tag,
            #names,
            &Self::__UPSTATE_VARIANTS,
            |object| #take,
            &[#(#untagged),*],
        )
    }
}

/// The value of a variant that is stored by its name alone, as an expression.
fn alone(variant: &Variant) -> TokenStream {
    let ident = &variant.ident;
    if let Some(value) = &variant.skipped {
        quote!(Self::#ident(#value))
    } else {
        quote!(Self::#ident)
    }
}

/// The pattern of such a variant.
fn pattern_alone(variant: &Variant) -> TokenStream {
    let ident = &variant.ident;
    if variant.skipped.is_some() {
        quote!(Self::#ident(_))
    } else {
        quote!(Self::#ident)
    }
}

/// A function that takes the members of a variant without a tag.
fn take(variant: &Variant) -> TokenStream {
    let Variant { ident, content, .. } = variant;
    match content {
        Content::Newtype {
            ty,
            recursive: false,
            codec: Codec::Own,
        } => {
            quote!(|object| <#ty as __upstate::Members>::read_members(object).map(Self::#ident))
        }
        Content::Struct(object) => take_struct(ident, object),
        // The proof of names refuses this one if no variant has a tag.
        Content::Unit if !variant.is_untagged => {
            let value = alone(variant);
            quote!(|_| __upstate::Some(#value))
        }
        Content::Unit | Content::Newtype { .. } | Content::Tuple { .. } => {
            quote!(__upstate::no_members)
        }
    }
}

/// True if one of a value's members is there, as an expression.
fn is_there(union: &Union) -> TokenStream {
    let variants = union.variants.iter();
    let is_tagged = match &union.tagging {
        Tagging::External => {
            let known = variants.clone().filter(|variant| !variant.is_untagged);
            let names =
                known.flat_map(|variant| std::iter::once(&variant.name).chain(&variant.aliases));
            quote!(object.has_any(|name| [#(#names),*].contains(&name)))
        }
        Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => {
            quote!(object.has_any(|name| name == #tag))
        }
        Tagging::Untagged => {
            return quote!(__upstate::is_variant_there(
                object,
                <Self as __upstate::Members>::NAMES
            ));
        }
    };
    let parts: Vec<_> = variants
        .filter(|variant| variant.is_untagged)
        .filter_map(names_of)
        .collect();
    if parts.is_empty() {
        return is_tagged;
    }
    let names = quote!(&__upstate::Names { parts: &[#(#parts),*], ..__upstate::Names::NONE });
    quote!(#is_tagged || __upstate::is_variant_there(object, const { #names }))
}

/// True if a value may be null, as an expression: a variant that no tag tells may be stored as
/// null.
fn nullable(union: &Union) -> TokenStream {
    let is_untagged = matches!(union.tagging, Tagging::Untagged);
    let of_variants = union
        .variants
        .iter()
        .filter(|variant| is_untagged || variant.is_untagged)
        .filter_map(|variant| match &variant.content {
            Content::Unit => Some(quote!(true)),
            Content::Newtype { .. } => {
                let info = info(&variant.content);
                Some(quote!(#info.is_nullable()))
            }
            Content::Tuple { .. } | Content::Struct(_) => None,
        });
    quote!(false #(|| #of_variants)*)
}

/// The names of the members that an enum takes out of an object, as an expression.
fn names_taken(union: &Union) -> TokenStream {
    // The name of a variant without a tag is not stored; its members are.
    let variants = union.variants.iter().filter(|variant| !variant.is_untagged);
    let untagged = union
        .variants
        .iter()
        .filter(|variant| variant.is_untagged)
        .filter_map(names_of);
    let parts = |is_beside: fn(&Content) -> bool| {
        let parts = union
            .variants
            .iter()
            .filter(move |variant| is_beside(&variant.content))
            .filter_map(names_of);
        parts.collect::<Vec<_>>()
    };
    let (own, parts) = match &union.tagging {
        Tagging::External => {
            let names =
                variants.flat_map(|variant| std::iter::once(&variant.name).chain(&variant.aliases));
            (quote!(#(#names),*), untagged.collect())
        }
        Tagging::Internal(tag) => (
            quote!(#tag),
            parts(|content| !matches!(content, Content::Unit)),
        ),
        Tagging::Adjacent(tag, content) => {
            let content = quote!(&__upstate::Names { own: &[#content], ..__upstate::Names::NONE });
            (
                quote!(#tag),
                std::iter::once(content).chain(untagged).collect(),
            )
        }
        Tagging::Untagged => (
            TokenStream::new(),
            parts(|content| matches!(content, Content::Struct(_) | Content::Newtype { .. })),
        ),
    };
    let is_empty = |variant: &Variant| matches!(variant.content, Content::Unit);
    let has_empty =
        matches!(union.tagging, Tagging::Untagged) && union.variants.iter().any(is_empty);
    quote!(&__upstate::Names {
        own: &[#own],
        parts: &[#(#parts),*],
        is_enum: true,
        takes_rest: false,
        has_empty_variant: #has_empty,
    })
}

/// The names of the members of a variant, if it does not hold the enum itself.
fn names_of(variant: &Variant) -> Option<TokenStream> {
    match &variant.content {
        Content::Struct(object) => object.document.as_ref().map(members::names),
        Content::Newtype {
            ty,
            recursive: false,
            codec: Codec::Own,
        } => Some(item(ty, &quote!(__upstate::Members), "NAMES")),
        Content::Newtype { .. } | Content::Tuple { .. } | Content::Unit => None,
    }
}

/// The proofs that no content has a member of the tag's name. As items, or as statements where
/// parameters are in them.
fn tag_checks(union: &Union) -> Vec<TokenStream> {
    let Tagging::Internal(tag) = &union.tagging else {
        return Vec::new();
    };
    let contents = union
        .variants
        .iter()
        .filter(|variant| !variant.is_untagged)
        .filter_map(|variant| {
            let names = match &variant.content {
                Content::Newtype { .. } => names_of(variant)?,
                Content::Struct(object) => object.document.as_ref().map(members::names)?,
                Content::Unit | Content::Tuple { .. } => return None,
            };
            let name = variant.ident.unraw().to_string();
            let span = variant.ident.span();
            let check = quote_spanned!(span=> __upstate::check_tag(#names, #tag, #name));
            Some(members::proof(
                NO_NAME_IS_READ_TWICE,
                &union.generics,
                &check,
                span,
            ))
        });
    contents.collect()
}

/// The struct of a variant whose fields have names.
fn of_struct(variant: &Variant) -> Option<TokenStream> {
    let Content::Struct(object) = &variant.content else {
        return None;
    };
    let made = &object.ident;
    let shape = object.document.as_ref()?;
    let fields: Vec<_> = shape.entries.iter().map(|entry| &entry.ident).collect();
    let types = shape.entries.iter().map(|entry| &entry.ty);
    let items = object::items(object, &About::default());
    let (generics, items) = (&shape.generics, numbered(items));
    Some(quote! {
        #[allow(non_camel_case_types, dead_code)]
        struct #made #generics { #(#fields: #types),* }
        const _: () = { #items };
    })
}

/// The struct of a variant, with the parameters that it has.
fn made(object: &crate::model::Object) -> TokenStream {
    let ident = &object.ident;
    let generics = object
        .document
        .as_ref()
        .map(|shape| shape.generics.clone())
        .unwrap_or_default();
    let (_, types, _) = generics.split_for_impl();
    quote!(#ident #types)
}

fn info(content: &Content) -> TokenStream {
    match content {
        Content::Unit => quote!(__upstate::TypeInfo::NOTHING),
        Content::Tuple {
            recursive: true, ..
        } => quote!(__upstate::TypeInfo::JSON),
        Content::Newtype {
            recursive: true,
            ty,
            ..
        } => members::any_json(ty),
        Content::Newtype { ty, codec, .. } => {
            let own = || quote!(<#ty as __upstate::AttributeType>::INFO);
            members::coded(ty, codec).map_or_else(own, |other| other.info)
        }
        Content::Tuple { fields, .. } => document::tuple_info(fields),
        Content::Struct(object) => {
            let made = made(object);
            quote!(&__upstate::TypeInfo::object(<#made as __upstate::Object>::TABLE))
        }
    }
}

/// The types of what is stored of a content, as far as its table tells of them.
fn stored_types(content: &Content) -> [Vec<&Type>; 2] {
    match content {
        Content::Newtype {
            recursive: false,
            codec: Codec::Own,
            ty,
        } => [vec![ty], Vec::new()],
        Content::Unit
        | Content::Newtype { .. }
        | Content::Tuple {
            recursive: true, ..
        } => [Vec::new(), Vec::new()],
        Content::Tuple { fields, .. } => {
            let stored = fields
                .iter()
                .filter(|field| !field.is_skipped && matches!(field.codec, Codec::Own));
            [stored.map(|field| &field.ty).collect(), Vec::new()]
        }
        Content::Struct(object) => members::stored_types(object),
    }
}

fn row(variant: &Variant) -> TokenStream {
    let (name, key, info) = (&variant.name, key(&variant.name), info(&variant.content));
    let rust_name = variant.ident.unraw().to_string();
    let Variant {
        aliases,
        is_untagged,
        ..
    } = variant;
    quote! {
        __upstate::VariantRow {
            name: #name,
            rust_name: #rust_name,
            key: #key,
            aliases: &[#(#aliases),*],
            is_untagged: #is_untagged,
            info: #info,
        }
    }
}

/// A variant, as it is read.
fn read(tagging: &Tagging, variant: &Variant) -> TokenStream {
    let Variant {
        ident,
        name,
        aliases,
        content,
        ..
    } = variant;
    let is_unit = matches!(content, Content::Unit);
    let (decode, members, absent) = match content {
        Content::Unit => {
            let value = alone(variant);
            let null =
                quote!(|reader| <() as __upstate::AttributeType>::decode(reader).map(|()| #value));
            (
                null,
                quote!(|_| __upstate::Some(#value)),
                quote!(|| __upstate::Some(#value)),
            )
        }
        Content::Newtype { ty, codec, .. } => {
            if let Some(Coded { read, .. }) = members::coded(ty, codec) {
                (
                    quote!(|reader| #read.map(Self::#ident)),
                    quote!(__upstate::no_members),
                    quote!(|| __upstate::None),
                )
            } else {
                let members = match tagging {
                    Tagging::Internal(_) => {
                        quote!(|object| <#ty as __upstate::Members>::read_members(object).map(Self::#ident))
                    }
                    Tagging::External | Tagging::Adjacent(..) | Tagging::Untagged => {
                        quote!(__upstate::no_members)
                    }
                };
                (
                    quote!(|reader| <#ty as __upstate::AttributeType>::decode(reader).map(Self::#ident)),
                    members,
                    quote!(|| <#ty as __upstate::AttributeType>::absent().map(Self::#ident)),
                )
            }
        }
        Content::Tuple { fields, .. } => {
            let reads = document::elements(fields, &quote!(Self::#ident));
            (
                quote!(|reader| #reads),
                quote!(__upstate::no_members),
                quote!(|| __upstate::None),
            )
        }
        Content::Struct(object) => {
            let (made, variant) = (made(object), of_made(ident, object));
            let members = match tagging {
                Tagging::Internal(_) => take_struct(ident, object),
                Tagging::External | Tagging::Adjacent(..) | Tagging::Untagged => {
                    quote!(__upstate::no_members)
                }
            };
            (
                quote!(|reader| __upstate::read_object::<#made>(reader).map(#variant)),
                members,
                quote!(|| __upstate::None),
            )
        }
    };
    quote! {
        __upstate::union::Variant {
            name: #name,
            aliases: &[#(#aliases),*],
            is_unit: #is_unit,
            decode: #decode,
            members: #members,
            absent: #absent,
        }
    }
}

/// A function that makes a variant of the struct that the derive made for it.
fn of_made(variant: &Ident, object: &crate::model::Object) -> TokenStream {
    let (name, made) = (&object.ident, made(object));
    let fields: Vec<_> = object
        .document
        .iter()
        .flat_map(|shape| &shape.entries)
        .map(|entry| &entry.ident)
        .collect();
    let locals: Vec<Ident> = fields.iter().map(|field| members::local(field)).collect();
    quote!(|made: #made| { let #name { #(#fields: #locals),* } = made; Self::#variant { #(#fields: #locals),* } })
}

/// A function that takes the fields of a variant out of an object.
fn take_struct(variant: &Ident, object: &crate::model::Object) -> TokenStream {
    let (made, variant) = (made(object), of_made(variant, object));
    quote!(|object| __upstate::read_part::<#made>(object).map(#variant))
}

/// The pattern of a variant, and statements that write its content.
fn content(variant: &Variant) -> (TokenStream, TokenStream) {
    let ident = &variant.ident;
    match &variant.content {
        Content::Unit => (
            pattern_alone(variant),
            quote!(<() as __upstate::AttributeType>::encode(&(), writer);),
        ),
        Content::Newtype { ty, codec, .. } => {
            let own = || quote!(<#ty as __upstate::AttributeType>::encode(content, writer););
            let other = |Coded { write, .. }| quote!(let value = content; #write;);
            (
                quote!(Self::#ident(content)),
                members::coded(ty, codec).map_or_else(own, other),
            )
        }
        Content::Tuple { fields, .. } => {
            let name = |index| format_ident!("content_{index}");
            let names: Vec<Ident> = (0..fields.len()).map(name).collect();
            let writes = document::write_elements(fields, &|index| {
                let name = name(index);
                quote!(#name)
            });
            (
                quote!(Self::#ident(#(#names),*)),
                quote!(#(let _ = #names;)* #writes),
            )
        }
        Content::Struct(object) => {
            let writes = of_fields(object);
            let made = made(object);
            let table = quote!(<#made as __upstate::Object>::TABLE);
            let pattern = struct_pattern(ident, object);
            (
                pattern,
                quote!(__upstate::write_fields(#table, writer, &|object| { let _ = &object; #writes });),
            )
        }
    }
}

fn struct_pattern(ident: &Ident, object: &crate::model::Object) -> TokenStream {
    let fields = object
        .document
        .iter()
        .flat_map(|shape| &shape.entries)
        .map(|entry| {
            let (field, local) = (&entry.ident, members::local(&entry.ident));
            quote!(#field: #local)
        });
    quote!(Self::#ident { #(#fields),* })
}

/// Statements that write the fields of a variant, which its pattern named.
fn of_fields(object: &crate::model::Object) -> TokenStream {
    let Some(shape) = &object.document else {
        return TokenStream::new();
    };
    let used = shape
        .entries
        .iter()
        .map(|entry| members::local(&entry.ident));
    let functions = members::functions(object, shape);
    let slots = object::slots(object);
    let writes = members::writes(object, shape, &|ident| {
        let local = members::local(ident);
        quote!(#local)
    });
    quote!(#functions #slots #(let _ = #used;)* #writes)
}

/// The arm that writes a variant as a value. The members of an object are written by the impl of
/// `Members`, unless that one `has_bounds`, because these hold only where the enum is flattened.
fn encode(tagging: &Tagging, variant: &Variant, has_bounds: bool) -> TokenStream {
    let tagging = if variant.is_untagged {
        &Tagging::Untagged
    } else {
        tagging
    };
    let name = &variant.name;
    let (pattern, writes) = match tagging {
        Tagging::External | Tagging::Untagged => content(variant),
        Tagging::Internal(_) | Tagging::Adjacent(..) if has_bounds => beside(tagging, variant),
        Tagging::Internal(_) | Tagging::Adjacent(..) => {
            let ident = &variant.ident;
            (
                quote!(Self::#ident { .. }),
                quote!(<Self as __upstate::Members>::write_members(self, object)),
            )
        }
    };
    let write = match tagging {
        Tagging::External if matches!(variant.content, Content::Unit) => {
            quote!(__upstate::union::write_name(#name, writer);)
        }
        Tagging::External => {
            quote!(__upstate::union::write_external(#name, writer, |writer| { #writes });)
        }
        Tagging::Untagged => writes,
        Tagging::Internal(_) | Tagging::Adjacent(..) => {
            quote!(__upstate::union::write_object_of(writer, &|object| { #writes });)
        }
    };
    quote!(#pattern => { #write })
}

fn write_members(tagging: &Tagging, variant: &Variant) -> TokenStream {
    let (pattern, write) = beside(tagging, variant);
    quote!(#pattern => { #write })
}

/// The pattern of a variant, and statements that write its members next to others.
fn beside(tagging: &Tagging, variant: &Variant) -> (TokenStream, TokenStream) {
    let tagging = if variant.is_untagged {
        &Tagging::Untagged
    } else {
        tagging
    };
    let name = &variant.name;
    let (pattern, writes) = content(variant);
    let members = || match &variant.content {
        Content::Struct(object) => {
            let writes = of_fields(object);
            let made = made(object);
            let table = quote!(<#made as __upstate::Object>::TABLE);
            quote!(__upstate::write_fields_beside(#table, object, |object| { let _ = &object; #writes });)
        }
        Content::Newtype { ty, .. } => {
            quote!(<#ty as __upstate::Members>::write_members(content, object);)
        }
        Content::Unit | Content::Tuple { .. } => TokenStream::new(),
    };
    let write = match (tagging, &variant.content) {
        (Tagging::External, _) => {
            quote!(__upstate::union::write_content(#name, object, |writer| { #writes });)
        }
        (Tagging::Internal(tag), _) => {
            let members = members();
            quote!(__upstate::union::write_tag(#tag, #name, object); #members)
        }
        (Tagging::Adjacent(tag, member), Content::Unit) => {
            quote!(__upstate::union::write_tag_alone((#tag, #member), #name, object);)
        }
        (Tagging::Adjacent(tag, member), _) => quote! {
            __upstate::union::write_tag(#tag, #name, object);
            __upstate::union::write_content(#member, object, |writer| { #writes });
        },
        (
            Tagging::Untagged,
            Content::Struct(_)
            | Content::Newtype {
                recursive: false,
                codec: Codec::Own,
                ..
            },
        ) => members(),
        (Tagging::Untagged, Content::Unit | Content::Newtype { .. } | Content::Tuple { .. }) => {
            let ident = &variant.ident;
            return (
                quote!(Self::#ident { .. }),
                quote!(__upstate::write_no_members(object);),
            );
        }
    };
    (pattern, write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Derive;

    #[test]
    fn no_member_has_the_name_of_the_tag_of_an_enum_with_parameters() {
        let input = quote! {
            #[union(tag = "kind")]
            enum Event<T> {
                Made(Inner),
                Grown { size: T },
            }
        };
        let expanded = crate::derive(Derive::Union, input).to_string();
        let checks = expanded
            .replace(' ', "")
            .matches("const{__upstate::check_tag(")
            .count();
        assert_eq!(checks, 2, "{expanded}");
    }
}
