//! Attributes, blocks, decoding and encoding: what both kinds of struct have.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Index, Path, Type};

use super::operators::{self, Owner};
use super::{block, deprecation, facts, key};
use crate::model::{Codec, Flags, Member, Object, Role, inside};

/// The whole of `#[derive(Object)]`.
pub(crate) fn nested_object(object: &Object) -> TokenStream {
    let ident = &object.ident;
    let items = items(object);
    let tables = object.edges.iter().enumerate().map(|(index, declared)| operators::table(Owner::Object, ident, declared, index));
    let items = quote! {
        #items
        #(#tables)*
        impl __upstate::AttributeType for #ident {
            const TYPE: &'static __upstate::Type = <Self as __upstate::Object>::OBJECT_TYPE;
            const NESTED: __upstate::Option<__upstate::Nested> = __upstate::Option::Some(__upstate::Nested::single::<Self>());
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::read_object(reader)
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                __upstate::write_object(self, writer);
            }
        }
    };
    block(object.crate_path.as_ref(), &items)
}

/// The slots and the `Object` impl.
pub(super) fn items(object: &Object) -> TokenStream {
    let Object { ident, members, edges, .. } = object;
    let rust_name = format!("::{}", ident.unraw());
    let edges = (!edges.is_empty()).then(|| {
        let edges = (0..edges.len()).map(|index| {
            let (prior, operators) = (operators::prior_ident(index), operators::operators_ident(index));
            quote!(__upstate::ObjectEdge::new(&#prior, #operators))
        });
        quote!(const OBJECT_EDGES: &'static [__upstate::ObjectEdge] = &[#(#edges),*];)
    });
    let field_table = indices(object).map(|index| quote!(__UPSTATE_SLOTS.#index.field()));
    let types = members.iter().map(|member| &member.ty);
    let slots = members.iter().enumerate().map(|(index, member)| slot(index, member));
    let modules = members.iter().enumerate().filter_map(|(index, member)| module_functions(index, member));
    let defaults = members.iter().enumerate().flat_map(|(index, member)| default_functions(index, member));
    let rules = members.iter().flat_map(|member| facts::rules(&member.facts));
    let slots = if members.is_empty() {
        TokenStream::new()
    } else {
        quote! {
            #(#modules)*
            #(#defaults)*
            #(#rules)*
            const __UPSTATE_SLOTS: (#(__upstate::Slot<#types>,)*) = (#(#slots,)*);
        }
    };

    let names = members.iter().map(|member| &member.name);
    let attributes = members.iter().enumerate().filter_map(|(position, member)| {
        let Role::Attribute { flags, default, .. } = &member.role else { return None };
        let index = Index::from(position);
        let (key, field, facts) = (key(&member.name), renamed(member), facts::of_member(position, member));
        let (flags, description, deprecated) = (flag_bits(*flags), &member.description, deprecation(member.deprecated.as_ref()));
        Some(if default.is_some() {
            let default = format_ident!("__upstate_default_{position}");
            quote! {
                __UPSTATE_SLOTS.#index.attribute_with_default(
                    #key, #flags, #description, #deprecated, __upstate::Option::Some(#default),
                )#field #facts
            }
        } else {
            quote!(__UPSTATE_SLOTS.#index.attribute(#key, #flags, #description, #deprecated)#field #facts)
        })
    });
    let mut blocks = members
        .iter()
        .enumerate()
        .filter_map(|(position, member)| {
            let Role::Block { min, max } = member.role else { return None };
            let (min, max) = (Literal::u64_unsuffixed(min), Literal::u64_unsuffixed(max));
            let (description, deprecated) = (&member.description, deprecation(member.deprecated.as_ref()));
            let (index, key) = (Index::from(position), key(&member.name));
            let (field, facts) = (renamed(member), facts::of_member(position, member));
            Some(quote!(__UPSTATE_SLOTS.#index.block(#key, #min, #max, #description, #deprecated)#field #facts))
        })
        .peekable();
    let blocks = blocks.peek().is_some().then(|| quote!(const BLOCKS: &'static [__upstate::NestedBlock] = &[#(#blocks),*];));

    let fields: Vec<_> = members.iter().map(|member| &member.ident).collect();
    let (reads, writes) = (indices(object), indices(object));
    let argument = if members.is_empty() { format_ident!("_object") } else { format_ident!("object") };
    quote! {
        #slots
        const __UPSTATE_FIELDS: &[__upstate::Field] = &[#(#field_table),*];
        impl __upstate::Object for #ident {
            const NAMES: &'static [&'static str] = &[#(#names),*];
            const ATTRIBUTES: &'static [__upstate::Attribute] = &[#(#attributes),*];
            #blocks
            const OBJECT_TYPE: &'static __upstate::Type = &__upstate::Type::object_of(__UPSTATE_FIELDS);
            const RUST_NAME: &'static str = __upstate::concat!(__upstate::module_path!(), #rust_name);
            const DEFINED_AT: __upstate::DefinedAt = __upstate::here();
            #edges
            fn decode(#argument: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::Result::Ok(Self { #(#fields: #argument.read(&__UPSTATE_SLOTS.#reads)?,)* })
            }
            fn encode(&self, #argument: &mut __upstate::ObjectWriter<'_, '_>) {
                #(#argument.write(&__UPSTATE_SLOTS.#writes, &self.#fields);)*
            }
        }
    }
}

/// The field's name, where it is another in state.
fn renamed(member: &Member) -> Option<TokenStream> {
    let field = member.ident.unraw().to_string();
    let key = key(&field);
    (field != member.name).then(|| quote!(.of_field(#field, #key)))
}

fn indices(object: &Object) -> impl Iterator<Item = Index> {
    (0..object.members.len()).map(Index::from)
}

/// The one place where a field's type has a bound. It is aimed at the whole type: from its first token to its last.
fn slot(index: usize, member: &Member) -> TokenStream {
    let Member { ty, name, .. } = member;
    let (constructor, flags, codec) = match &member.role {
        Role::Block { .. } => ("new_block", Flags::default(), &Codec::Own),
        Role::Attribute { flags, codec, .. } => {
            let constructor = match codec {
                Codec::Own => "new",
                Codec::Set => "set",
                Codec::OptionalSet => "optional_set",
                Codec::Text => "as_string",
                Codec::OptionalText => "as_optional_string",
                Codec::Module(_) => "with",
            };
            (constructor, *flags, codec)
        }
    };
    let mut tokens = ty.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let constructor = Ident::new(constructor, last);
    let path = quote_spanned!(first=> __upstate::Slot::<#ty>::#constructor);
    let slot = if let Codec::Module(module) = codec {
        let module_read = module_read(ty, module);
        let [read, absent, write] = module_function_names(index);
        quote!({ #module_read #path(#name, module_read, #read, #absent, #write) })
    } else {
        quote_spanned!(last=> #path(#name))
    };
    if flags.write_only { quote!(#slot.write_only()) } else { slot }
}

/// The functions that put a module's `read` and `write` between the stored form and the field.
fn module_functions(index: usize, member: &Member) -> Option<TokenStream> {
    let Role::Attribute { codec: Codec::Module(module), .. } = &member.role else { return None };
    let ty = &member.ty;
    let [read, absent, write] = module_function_names(index);
    let module_read = module_read(ty, module);
    let writes = quote_spanned!(module.span()=> __upstate::write_with(value, writer, #module::write));
    Some(quote! {
        fn #read(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<#ty, __upstate::DecodeError> {
            #module_read
            __upstate::read_with(reader, module_read)
        }
        fn #absent() -> __upstate::Option<#ty> {
            #module_read
            __upstate::absent_with(module_read)
        }
        fn #write(value: &#ty, writer: &mut __upstate::Writer<'_>) { #writes; }
    })
}

/// A module's `read` as a local. Wherever it stands it is the same code at the same place, so that the compiler speaks only once of
/// one that does not fit.
fn module_read(ty: &Type, module: &Path) -> TokenStream {
    quote_spanned!(module.span()=> let module_read: fn(_) -> __upstate::Result<#ty, _> = #module::read;)
}

fn module_function_names(index: usize) -> [Ident; 3] {
    ["read", "absent", "write"].map(|verb| format_ident!("__upstate_{verb}_{index}"))
}

/// The functions that write what an attribute holds if the user sets nothing, and what the API takes then.
fn default_functions(index: usize, member: &Member) -> Vec<TokenStream> {
    let Role::Attribute { default, .. } = &member.role else { return Vec::new() };
    let ty = inside("Option", &member.ty).unwrap_or(&member.ty);
    let default = default.as_ref().map(|default| (default, format_ident!("__upstate_default_{index}")));
    let api_default = member.facts.api_default.as_ref().map(|default| (default, facts::api_default(index)));
    let functions = default.into_iter().chain(api_default).map(|(default, name)| {
        // The parameter is ours, whoever wrote the expression.
        let writer = Ident::new("writer", Span::call_site());
        let write = quote_spanned!(default.span()=> __upstate::write_default::<#ty>(#default, #writer));
        quote!(fn #name(#writer: &mut __upstate::Writer<'_>) { #write; })
    });
    functions.collect()
}

/// The flags as one constant expression.
fn flag_bits(flags: Flags) -> TokenStream {
    let names: Vec<_> = [
        (flags.required, "REQUIRED"),
        (flags.optional, "OPTIONAL"),
        (flags.computed, "COMPUTED"),
        (flags.sensitive, "SENSITIVE"),
        (flags.write_only, "WRITE_ONLY"),
        (flags.requires_replace, "REQUIRES_REPLACE"),
    ]
    .into_iter()
    .filter(|(given, _)| *given)
    .map(|(_, name)| format_ident!("{name}"))
    .collect();
    if names.is_empty() { quote!(0) } else { quote!(#(__upstate::flags::#names)|*) }
}
