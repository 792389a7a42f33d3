//! Attributes, blocks, decoding and encoding: what both kinds of struct have.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Path, Type};

use super::checks::{THE_FIELD_CAN_BE_AN_ATTRIBUTE, THE_OPTION_HAS_ONE_NULL, proven};
use super::field::{ends, has_slot, info_of_field, item_of_field, one_null, slot_ident, slot_of};
use super::operators::{self, Ends, Owner};
use super::{block, facts, key, members, option, proofs};
use crate::model::{
    Codec, Flags, Member, Object, Role, innermost, inside, may_hold_objects, of_no_terraform,
};

/// The impls of `#[derive(Object)]`.
pub(super) fn nested_object(object: &Object) -> TokenStream {
    let ident = &object.ident;
    let items = items(object, &About::default());
    let tables = object
        .upgraders
        .iter()
        .enumerate()
        .map(|(index, declared)| {
            operators::table(Ends::of_struct(Owner::Object, ident), declared, index)
        });
    let items = quote! {
        #items
        #(#tables)*
        impl __upstate::AttributeType for #ident {
            const INFO: &'static __upstate::TypeInfo = &__upstate::TypeInfo::object(&__UPSTATE_TABLE);
            fn decode(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<Self, __upstate::DecodeError> {
                __upstate::read_object(reader)
            }
            fn encode(&self, writer: &mut __upstate::Writer<'_>) {
                __upstate::write_object(self, writer);
            }
        }
    };
    block(object.crate_path.as_ref(), items)
}

/// The parts of a table other than its rows; the default is that of nested objects.
#[derive(Default)]
pub(super) struct About<'a> {
    pub(super) version: u64,
    pub(super) description: &'a str,
    pub(super) deprecated: Option<&'a LitStr>,
    /// The name of the facts, if there are any.
    pub(super) facts: Option<TokenStream>,
}

/// The table and the `Object` impl.
pub(super) fn items(object: &Object, about: &About<'_>) -> TokenStream {
    let Object {
        ident,
        members,
        upgraders,
        ..
    } = object;
    let rust_name = format!("::{}", ident.unraw());
    let is_concrete = object
        .document
        .as_ref()
        .is_none_or(|shape| shape.generics.params.is_empty());
    let upgraders = list_of_upgraders(upgraders.len());
    let modules = members
        .iter()
        .enumerate()
        .filter_map(|(index, member)| module_functions(index, member));
    let defaults = members
        .iter()
        .enumerate()
        .flat_map(|(index, member)| default_functions(index, member));
    let rules = members
        .iter()
        .flat_map(|member| facts::rules(&member.facts));
    let checks = members.iter().enumerate().flat_map(|(index, member)| {
        facts::checks(index, member, &info(index, member, is_concrete))
    });
    let slots = members
        .iter()
        .enumerate()
        .filter_map(|(index, member)| slot(index, member));
    let rows = members.iter().enumerate().map(|(index, member)| {
        let absent = object
            .document
            .as_ref()
            .and_then(|shape| members::absent(object, shape, index));
        let null_differs = object
            .document
            .as_ref()
            .and_then(|shape| members::null_differs(object, shape, index));
        row((index, member), is_concrete, absent, null_differs)
    });
    let absent = object
        .document
        .as_ref()
        .map(|shape| members::absents(object, shape));
    // A document may hold what Terraform cannot, and has no blocks.
    let of_terraform: &[Member] = if object.document.is_none() {
        members
    } else {
        &[]
    };
    let placed = of_terraform.iter().filter_map(placed);
    // Not of a document, whose checks have them.
    let nulls = of_terraform
        .iter()
        .filter_map(one_null)
        .map(|(call, place)| proven(THE_OPTION_HAS_ONE_NULL, &call, place));
    let About {
        version,
        description,
        deprecated,
        facts,
    } = about;
    let version = Literal::u64_unsuffixed(*version);
    let deprecated = deprecated.map(|message| quote!(deprecated: __upstate::Some(#message),));
    let facts = facts
        .as_ref()
        .map(|facts| quote!(facts: __upstate::Some(|| #facts),));
    let flattened = object.document.as_ref().and_then(members::flattened);
    let form = object.document.as_ref().map(|shape| {
        let form = members::table(object, shape);
        quote!(document: __upstate::Some(#form),)
    });

    let is_empty = members.is_empty()
        && object
            .document
            .as_ref()
            .is_none_or(|shape| shape.entries.is_empty());
    let argument = if is_empty {
        format_ident!("_object")
    } else {
        format_ident!("object")
    };
    let (functions, reads, writes) = match &object.document {
        None => {
            let fields: Vec<_> = members.iter().map(|member| &member.ident).collect();
            let locals: Vec<_> = (0..members.len())
                .map(|index| format_ident!("field_{index}"))
                .collect();
            let reads = members
                .iter()
                .enumerate()
                .map(|(index, member)| read(index, member));
            let reads = quote! {
                #(let __upstate::Some(#locals) = #reads else { return __upstate::None; };)*
                __upstate::Some(Self { #(#fields: #locals),* })
            };
            let writes = members
                .iter()
                .enumerate()
                .map(|(index, member)| write(index, member));
            (TokenStream::new(), reads, quote!(#(#writes;)*))
        }
        Some(shape) => {
            let fields: Vec<_> = members::fields(shape).collect();
            let locals = fields.iter().map(|field| members::local(field));
            let reads = members::reads(object, shape);
            let reads = quote!(#reads __upstate::Some(Self { #(#fields: #locals),* }));
            let writes = members::writes(object, shape, &|field| quote!(&self.#field));
            let (functions, checks) = (
                members::functions(object, shape),
                members::checks(object, shape),
            );
            let (functions, reads) = if shape.generics.params.is_empty() {
                (quote!(#functions #checks), reads)
            } else {
                (functions, quote!(#checks #reads))
            };
            (functions, reads, writes)
        }
    };
    // A struct with parameters has a table for each use of it, which no static can be.
    let generics = object
        .document
        .as_ref()
        .map(members::of_shape)
        .unwrap_or_default();
    let instance =
        (!is_concrete).then(|| members::instance(&generics, &members::stored_types(object)));
    let instance = instance.map(|instance| quote!(instance: #instance,));
    let made = quote! {
        __upstate::Table {
            rust_name: __upstate::concat!(__upstate::module_path!(), #rust_name),
            #instance
            defined_at: __upstate::here(),
            version: #version,
            description: #description,
            #deprecated
            #facts
            rows: &[#(#rows),*],
            #flattened
            #upgraders
            #form
            ..__upstate::Table::stub(&__UPSTATE_SCHEMA)
        }
    };
    let table = if is_concrete {
        quote!(&__UPSTATE_TABLE)
    } else {
        quote!(&#made)
    };
    let schema = if is_concrete {
        quote!(LazySchema::new())
    } else {
        quote!(LazySchema::of_many())
    };
    let of_all = is_concrete.then(|| quote!(static __UPSTATE_TABLE: __upstate::Table = #made;));
    let (impls, types, clause) = generics.split_for_impl();
    quote! {
        #(#modules)*
        #functions
        #(#defaults)*
        #(#rules)*
        #(#slots)*
        #(#checks)*
        #absent
        static __UPSTATE_SCHEMA: __upstate::LazySchema = __upstate::#schema;
        #of_all
        #(#nulls)*
        #(#placed)*
        impl #impls __upstate::Object for #ident #types #clause {
            const TABLE: &'static __upstate::Table = #table;
            #[inline]
            fn decode(#argument: &mut __upstate::ObjectReader<'_, '_>) -> __upstate::Option<Self> {
                #reads
            }
            #[inline]
            fn encode(&self, #argument: &mut __upstate::ObjectWriter<'_, '_>) {
                #writes
            }
        }
    }
}

/// The table's upgraders of nested objects, if there are any.
fn list_of_upgraders(count: usize) -> Option<TokenStream> {
    let upgraders = (0..count).map(|index| {
        let (prior, operators) = (
            operators::prior_ident(index),
            operators::operators_ident(index),
        );
        let left_over = proofs::left_over_ident(index);
        quote!(__upstate::ObjectUpgrader::new(#prior, || #operators).leaving(&#left_over))
    });
    (count > 0).then(|| quote!(upgraders: &[#(#upgraders),*],))
}

/// The codecs and functions of fields whose types have none of their own.
pub(super) fn slots(object: &Object) -> TokenStream {
    let members = object.members.iter().enumerate();
    let modules = members
        .clone()
        .filter_map(|(index, member)| module_functions(index, member));
    let slots = members.filter_map(|(index, member)| slot(index, member));
    quote!(#(#modules)* #(#slots)*)
}

/// One row of the table; `absent` is the function that writes what a document fills in, and
/// `null_differs` one more flag.
fn row(
    (index, member): (usize, &Member),
    is_concrete: bool,
    absent: Option<TokenStream>,
    null_differs: Option<TokenStream>,
) -> TokenStream {
    let Member {
        name, description, ..
    } = member;
    let key = key(name);
    let flags = match &member.role {
        Role::Attribute { flags, .. } => flag_bits(*flags),
        Role::Block { .. } => quote!(__upstate::flags::BLOCK),
    };
    let flags = match null_differs {
        Some(differs) => quote!(#flags | #differs),
        None => flags,
    };
    let info = info(index, member, is_concrete);
    let beside = option(beside(index, member, absent));
    quote! {
        __upstate::Row { name: #name, key: #key, flags: #flags, description: #description, info: #info, beside: #beside }
    }
}

/// The type of the values that a field stores. A struct with parameters has no constants beside it
/// that could judge the types in them.
fn info(index: usize, member: &Member, is_concrete: bool) -> TokenStream {
    if let Some(info) = members::info(member) {
        return info;
    }
    if has_slot(member) {
        let slot = slot_ident(index);
        return quote!(#slot.info);
    }
    if is_concrete {
        info_of_field(&member.ty)
    } else {
        of_type(member, "INFO")
    }
}

/// Parts of a row that few fields have.
fn beside(index: usize, member: &Member, absent: Option<TokenStream>) -> Option<TokenStream> {
    let mut entries = Vec::new();
    entries.extend(absent.map(|absent| quote!(default: __upstate::Some(#absent))));
    let field = member.ident.unraw().to_string();
    if field != member.name {
        let key = key(&field);
        entries.push(quote!(field: __upstate::Some((#field, #key))));
    }
    if let Some(deprecated) = &member.deprecated {
        entries.push(quote!(deprecated: __upstate::Some(#deprecated)));
    }
    match &member.role {
        Role::Attribute {
            default: Some(_), ..
        } => {
            let default = format_ident!("__upstate_default_{index}");
            entries.push(quote!(default: __upstate::Some(#default)));
        }
        Role::Attribute { .. } | Role::Block { min: 0, max: 0, .. } => {}
        Role::Block { min, max, .. } => {
            let (min, max) = (Literal::u64_unsuffixed(*min), Literal::u64_unsuffixed(*max));
            entries.push(quote!(items: (#min, #max)));
        }
    }
    if let Some(facts) = facts::of_member(index, member) {
        entries.push(quote!(facts: #facts));
    }
    (!entries.is_empty())
        .then(|| quote!(&__upstate::Beside { #(#entries,)* ..__upstate::Beside::NOTHING }))
}

/// An item of a field's type as an attribute. Wherever it is, it is the same code at the same
/// place, so that the compiler speaks only once of a type that is none. It is aimed at the whole
/// type: from its first token to its last.
fn of_type(member: &Member, item: &str) -> TokenStream {
    item_of_field(&member.ty, item)
}

fn read(index: usize, member: &Member) -> TokenStream {
    if has_slot(member) {
        let slot = slot_ident(index);
        return quote!(#slot.read(object));
    }
    let read = of_type(member, "read");
    quote!(#read(object))
}

fn write(index: usize, member: &Member) -> TokenStream {
    let field = &member.ident;
    if has_slot(member) {
        let slot = slot_ident(index);
        return quote!(#slot.write(&self.#field, object));
    }
    let write = of_type(member, "write");
    quote!(#write(&self.#field, object))
}

/// The proof that nested objects which have blocks are blocks themselves. Types of which the tokens
/// tell that there are none need none.
fn placed(member: &Member) -> Option<TokenStream> {
    let is_attribute = matches!(
        member.role,
        Role::Attribute {
            codec: Codec::Own,
            ..
        }
    ) && !member.opaque;
    if !is_attribute || !may_hold_objects(&member.ty) {
        return None;
    }
    let info = info_of_field(&member.ty);
    if let Some((part, name, help)) = of_no_terraform(&member.ty) {
        let last = ends(part).1;
        let call = quote_spanned!(last=> __upstate::check_attribute_of(#info, #name, #help));
        return Some(proven(THE_FIELD_CAN_BE_AN_ATTRIBUTE, &call, last));
    }
    let last = ends(innermost(&member.ty)).1;
    Some(proven(
        THE_FIELD_CAN_BE_AN_ATTRIBUTE,
        &quote_spanned!(last=> __upstate::check_attribute(#info)),
        last,
    ))
}

/// The codec of a field, if that is not its type's own.
fn slot(index: usize, member: &Member) -> Option<TokenStream> {
    let ty = &member.ty;
    let (constructor, flags, codec) = match &member.role {
        _ if !has_slot(member) => return None,
        Role::Block { set, .. } => (
            if *set { "block_set" } else { "block" },
            Flags::default(),
            &Codec::Own,
        ),
        Role::Attribute { flags, codec, .. } => {
            let constructor = match codec {
                Codec::Own | Codec::Serde | Codec::SerdeModule(_) | Codec::SerdeFunctions(..) => {
                    "new"
                }
                Codec::Set => "set",
                Codec::OptionalSet => "optional_set",
                Codec::Text => "as_string",
                Codec::OptionalText => "as_optional_string",
                Codec::Module(_) => "with",
            };
            (constructor, *flags, codec)
        }
    };
    let slot = if let Codec::Module(module) = codec {
        let (first, last) = ends(ty);
        let constructor = Ident::new(constructor, last);
        let path = quote_spanned!(first=> __upstate::Slot::<#ty>::#constructor);
        let module_read = module_read(ty, module);
        let [read, absent, write] = module_function_names(index);
        quote!({ #module_read #path(module_read, #read, #absent, #write) })
    } else {
        slot_of(ty, constructor)
    };
    let slot = if flags.write_only {
        quote!(#slot.write_only())
    } else {
        slot
    };
    let name = slot_ident(index);
    Some(quote!(static #name: __upstate::Slot<#ty> = #slot;))
}

/// The functions that put a module's `read` and `write` between the stored form and the field.
fn module_functions(index: usize, member: &Member) -> Option<TokenStream> {
    let Role::Attribute {
        codec: Codec::Module(module),
        ..
    } = &member.role
    else {
        return None;
    };
    let ty = &member.ty;
    let [read, absent, write] = module_function_names(index);
    let module_read = module_read(ty, module);
    let call = module_call(ty, module, "write", "value");
    let [value, writer] = ["value", "writer"].map(|name| local(name, module));
    let written =
        quote_spanned!(module.span()=> __upstate::write_with(#value, #writer, |value| #call));
    Some(quote! {
        fn #read(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<#ty, __upstate::DecodeError> {
            #module_read
            __upstate::read_with(reader, module_read)
        }
        fn #absent() -> __upstate::Option<#ty> {
            #module_read
            __upstate::absent_with(module_read)
        }
        fn #write(value: &#ty, writer: &mut __upstate::Writer<'_>) { #written; }
    })
}

/// A module's `read` as a local. Wherever it is, it is the same code at the same place, so that the
/// compiler speaks only once of one that does not fit.
pub(super) fn module_read(ty: &Type, module: &Path) -> TokenStream {
    let (call, name) = (
        module_call(ty, module, "read", "stored"),
        local("module_read", module),
    );
    quote_spanned!(module.span()=> let #name: fn(_) -> __upstate::Result<#ty, _> = |stored| #call;)
}

/// A name that is not the module's own, so that it is found also where the module's path comes from
/// elsewhere than the derive: through a macro.
pub(super) fn local(name: &str, module: &Path) -> Ident {
    Ident::new(name, Span::call_site().located_at(module.span()))
}

/// A call of one of the functions of a module. The trait is of both, so that a module in which
/// neither fits is one mistake; and they are imported, so that one which lacks both is.
fn module_call(ty: &Type, module: &Path, verb: &str, argument: &str) -> TokenStream {
    let [verb, argument] = [verb, argument].map(|name| Ident::new(name, module.span()));
    quote_spanned! {module.span()=> {
        use #module::{read, write};
        __upstate::Module::<#ty, _, _, _>::#verb((read, write), #argument)
    }}
}

fn module_function_names(index: usize) -> [Ident; 3] {
    ["read", "absent", "write"].map(|verb| format_ident!("__upstate_{verb}_{index}"))
}

/// The functions that write what an attribute holds if the user sets nothing, and what the API
/// takes then.
fn default_functions(index: usize, member: &Member) -> Vec<TokenStream> {
    let Role::Attribute { default, .. } = &member.role else {
        return Vec::new();
    };
    let ty = inside("Option", &member.ty).unwrap_or(&member.ty);
    let default = default
        .as_ref()
        .map(|default| (default, format_ident!("__upstate_default_{index}")));
    let api_default = member
        .facts
        .api_default
        .as_ref()
        .map(|default| (default, facts::api_default(index)));
    let functions = default
        .into_iter()
        .chain(api_default)
        .map(|(default, name)| {
            // The parameter is ours; the expression may be the author's.
            let writer = Ident::new("writer", Span::call_site());
            let write = write_value(ty, default, &writer);
            quote!(fn #name(#writer: &mut __upstate::Writer<'_>) { #write; })
        });
    functions.collect()
}

/// A call that writes an author's value for a field of this type. A value of another type is
/// reported by the method of a trait, since a bound of a function would be shown with its source.
pub(super) fn write_value(ty: &Type, value: &Expr, writer: &Ident) -> TokenStream {
    quote_spanned!(value.span()=>
        <#ty as __upstate::AttributeType>::encode(&__upstate::FieldValue::<#ty>::value(#value), #writer)
    )
}

/// The flags as one constant expression.
pub(super) fn flag_bits(flags: Flags) -> TokenStream {
    let names: Vec<_> = [
        (flags.required, "REQUIRED"),
        (flags.optional, "OPTIONAL"),
        (flags.computed, "COMPUTED"),
        (flags.sensitive, "SENSITIVE"),
        (flags.write_only, "WRITE_ONLY"),
        (flags.requires_replace, "REQUIRES_REPLACE"),
        (flags.filled_in, "FILLED_IN"),
    ]
    .into_iter()
    .filter(|(given, _)| *given)
    .map(|(_, name)| format_ident!("{name}"))
    .collect();
    if names.is_empty() {
        quote!(0)
    } else {
        quote!(#(__upstate::flags::#names)|*)
    }
}
