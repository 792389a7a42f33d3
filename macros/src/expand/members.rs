//! Members of structs of documents: read and written in the order of the fields, with parts next to
//! them.

#![expect(clippy::single_match_else, reason = "the cases are read side by side")]

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Generics, Path, Type, parse_quote};

use super::checks::{NO_NAME_IS_READ_TWICE, THE_OPTION_HAS_ONE_NULL, proven};
use super::field::{ends, has_slot, item, item_of_field, one_null, slot_ident, slot_of};
use crate::attr::Case;
use crate::attr::document::Absent;
use crate::model::document::{Entry, EntryKind, Shape, keeps_rest};
use crate::model::{Codec, Member, Object, Role};

/// The generics with what every type parameter needs.
pub(super) fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(__upstate::AttributeType));
        param.bounds.push(parse_quote!('static));
    }
    generics
}

/// The generics of a struct, with what its fields need.
pub(super) fn of_shape(shape: &Shape) -> Generics {
    let mut generics = bounded(&shape.generics);
    if !generics.params.is_empty() {
        let clause = generics.make_where_clause();
        for ty in parts(shape) {
            clause
                .predicates
                .push(parse_quote!(#ty: __upstate::Members));
        }
    }
    generics
}

/// The types of what is stored of an object, as far as its table tells of them: those of its
/// members, and of the parts beside them.
pub(super) fn stored_types(object: &Object) -> [Vec<&Type>; 2] {
    let own = object
        .members
        .iter()
        .filter(|member| info(member).is_none())
        .map(|member| &member.ty);
    let parts = object
        .document
        .iter()
        .flat_map(Shape::known_parts)
        .map(|entry| &entry.ty);
    [own.collect(), parts.collect()]
}

/// The number of what the parameters of a struct or enum stand for, as an expression; 0 if there
/// are none. A type that is not stored does not count, because its own table might need the one
/// that this is for.
pub(super) fn instance(generics: &Generics, [own, parts]: &[Vec<&Type>; 2]) -> TokenStream {
    let params = || generics.type_params().map(|param| &param.ident);
    // The rows need the types of members anyway; a parameter may stand for the type that holds the
    // one that this is for.
    let own = own
        .iter()
        .map(ToTokens::to_token_stream)
        .filter(|ty| params().any(|param| occurs(param, ty.clone())));
    let of_parts =
        params().filter(|param| parts.iter().any(|ty| occurs(param, ty.to_token_stream())));
    let types: Vec<TokenStream> = own.chain(of_parts.map(ToTokens::to_token_stream)).collect();
    let numbers = generics.const_params().map(|param| {
        // Otherwise lints take the cast for one that the author wrote.
        let mut number = param.ident.clone();
        number.set_span(Span::call_site());
        number
    });
    let numbers: Vec<Ident> = numbers.collect();
    if types.is_empty() && numbers.is_empty() {
        return quote!(0);
    }
    quote!(__upstate::instance(&[#(<#types as __upstate::AttributeType>::INFO),*], &[#(#numbers as u64),*]))
}

fn occurs(name: &Ident, tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => occurs(name, group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The members of the shape in the order of the fields.
fn stored<'s>(
    object: &'s Object,
    shape: &'s Shape,
) -> impl Iterator<Item = (usize, &'s Member, &'s Entry)> {
    shape.entries.iter().filter_map(|entry| {
        let EntryKind::Member { name, .. } = &entry.kind else {
            return None;
        };
        let index = object
            .members
            .iter()
            .position(|member| member.name == *name)?;
        Some((index, object.members.get(index)?, entry))
    })
}

fn parts(shape: &Shape) -> impl Iterator<Item = &Type> {
    shape
        .entries
        .iter()
        .filter_map(|entry| matches!(entry.kind, EntryKind::Flatten { .. }).then_some(&entry.ty))
}

/// The fields of the struct.
pub(super) fn fields(shape: &Shape) -> impl Iterator<Item = &Ident> {
    shape
        .entries
        .iter()
        .filter(|entry| !matches!(entry.kind, EntryKind::Name { .. }))
        .map(|entry| &entry.ident)
}

/// The table's part of a document.
pub(super) fn table(object: &Object, shape: &Shape) -> TokenStream {
    let mut names = Vec::new();
    let mut aliases = Vec::new();
    for (position, (_, member, entry)) in stored(object, shape).enumerate() {
        let name = &member.name;
        names.push(name);
        if let EntryKind::Member { aliases: more, .. } = &entry.kind {
            aliases.extend(more.iter().map(|alias| quote!((#alias, #position))));
        }
    }
    let is_part = |entry: &Entry| {
        matches!(
            entry.kind,
            EntryKind::Flatten { .. } | EntryKind::Name { .. }
        )
    };
    let has_parts = shape.entries.iter().any(is_part);
    let Shape {
        denies_unknown,
        lenient,
        is_variant,
        rename_all,
        ..
    } = shape;
    let rename_all = rename_all.map_or("", Case::word);
    let parts = if has_parts {
        names_of_parts(shape)
    } else {
        quote!(&__upstate::Names::NONE)
    };
    quote! {
        &__upstate::DocumentTable {
            names: &[#(#names),*],
            aliases: &[#(#aliases),*],
            has_parts: #has_parts,
            denies_unknown: #denies_unknown,
            lenient: #lenient,
            is_variant: #is_variant,
            rename_all: #rename_all,
            parts: #parts,
        }
    }
}

/// The names that are taken beside those of the fields, as an expression.
fn names_of_parts(shape: &Shape) -> TokenStream {
    let tags = shape.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Name { tag, .. } => Some(tag),
        EntryKind::Member { .. } | EntryKind::Flatten { .. } | EntryKind::Skip { .. } => None,
    });
    let parts = shape.known_parts().map(|entry| names_of(&entry.ty));
    quote!(&__upstate::Names { own: &[#(#tags),*], parts: &[#(#parts),*], ..__upstate::Names::NONE })
}

/// The table's flattened fields. One that holds the struct itself is left out, since its members
/// would never end.
pub(super) fn flattened(shape: &Shape) -> Option<TokenStream> {
    let fields: Vec<_> = shape
        .known_parts()
        .map(|entry| {
            let flattened = item(&entry.ty, &quote!(__upstate::Members), "FLATTENED");
            let hidden = matches!(
                entry.kind,
                EntryKind::Flatten {
                    sensitive: true,
                    ..
                }
            )
            .then(|| quote!(.hidden()));
            quote!(#flattened #hidden)
        })
        .collect();
    (!fields.is_empty()).then(|| quote!(flattened: &[#(#fields),*],))
}

/// The function that writes what is filled in where the member at `index` is not there. A variant's
/// content is part of a type, which has no defaults.
pub(super) fn absent(object: &Object, shape: &Shape, index: usize) -> Option<TokenStream> {
    let (ident, (_, types, _)) = (&object.ident, shape.generics.split_for_impl());
    default_of(object, shape, index)?;
    Some(quote!(<#ident #types as __upstate::Absent<#index>>::write))
}

/// The impls of those functions. They are of the struct, so that a default may name `Self` and the
/// struct's parameters.
pub(super) fn absents(object: &Object, shape: &Shape) -> TokenStream {
    let generics = of_shape(shape);
    let (ident, (impls, types, clause)) = (&object.ident, generics.split_for_impl());
    let writer = Ident::new("writer", Span::mixed_site());
    let of = |index| {
        let (member, entry, default) = default_of(object, shape, index)?;
        let ty = &entry.ty;
        let write = if is_by_serde(member) {
            let [_, write] = function_names(index);
            quote!(#write(&value, #writer))
        } else if has_slot(member) {
            let slot = slot_ident(index);
            quote!(#slot.encode(&value, #writer))
        } else {
            let encode = item_of_field(ty, "encode");
            quote!(#encode(&value, #writer))
        };
        Some(quote! {
            impl #impls __upstate::Absent<#index> for #ident #types #clause {
                fn write(#writer: &mut __upstate::Writer<'_>) {
                    let value = (|| -> #ty { #default })();
                    #write;
                }
            }
        })
    };
    (0..object.members.len()).filter_map(of).collect()
}

fn default_of<'s>(
    object: &'s Object,
    shape: &'s Shape,
    index: usize,
) -> Option<(&'s Member, &'s Entry, &'s Absent)> {
    stored(object, shape).find_map(|(at, member, entry)| match &entry.kind {
        EntryKind::Member {
            default: Some(default),
            ..
        } if at == index && !shape.is_variant => Some((member, entry, default)),
        EntryKind::Member { .. }
        | EntryKind::Flatten { .. }
        | EntryKind::Skip { .. }
        | EntryKind::Name { .. } => None,
    })
}

/// The names that the fields are read by.
fn own_names(shape: &Shape) -> Vec<&String> {
    let names = shape.entries.iter().flat_map(|entry| match &entry.kind {
        EntryKind::Member { name, aliases, .. } => std::iter::once(name).chain(aliases).collect(),
        EntryKind::Name { tag, .. } => vec![tag],
        EntryKind::Flatten { .. } | EntryKind::Skip { .. } => Vec::new(),
    });
    names.collect()
}

/// The members' names, as an expression, and those of the parts that are known here.
pub(super) fn names(shape: &Shape) -> TokenStream {
    let own = own_names(shape);
    let parts = shape.known_parts().map(|entry| names_of(&entry.ty));
    quote!(&__upstate::Names { own: &[#(#own),*], parts: &[#(#parts),*], ..__upstate::Names::NONE })
}

fn names_of(ty: &Type) -> TokenStream {
    item(ty, &quote!(__upstate::Members), "NAMES")
}

/// The proofs that no part takes what another one takes, and that what holds the struct itself
/// hides what is sensitive. Those of a struct with parameters are for a function's body.
pub(super) fn checks(object: &Object, shape: &Shape) -> TokenStream {
    let own = own_names(shape);
    let mut before: Vec<TokenStream> = Vec::new();
    let mut checks = TokenStream::new();
    // In the order in which they are read, since a part takes what the ones before it left.
    let mut parts: Vec<&Entry> = shape.known_parts().collect();
    parts.sort_by_key(|entry| keeps_rest(&entry.ty));
    for entry in parts {
        let (names, field) = (names_of(&entry.ty), entry.ident.unraw().to_string());
        let span = ends(&entry.ty).0;
        let others = quote!(&__upstate::Names { own: &[#(#own),*], parts: &[#(#before),*], ..__upstate::Names::NONE });
        let check = quote_spanned!(span=> __upstate::check_part(#names, #others, #field));
        checks.extend(proof(NO_NAME_IS_READ_TWICE, &shape.generics, &check, span));
        if matches!(
            entry.kind,
            EntryKind::Flatten {
                sensitive: true,
                ..
            }
        ) {
            let table = item(&entry.ty, &quote!(__upstate::Members), "TABLE");
            let check = quote_spanned!(span=> __upstate::check_hidden_part(#table, #field));
            checks.extend(proof(SECRETS_ARE_HIDDEN, &shape.generics, &check, span));
        }
        before.push(names);
    }
    if shape.generics.params.is_empty() {
        for (call, place) in object.members.iter().filter_map(one_null) {
            checks.extend(proven(THE_OPTION_HAS_ONE_NULL, &call, place));
        }
    }
    let holds_itself = stored(object, shape)
        .filter(|(_, member, _)| member.opaque && !is_by_serde(member) && !member.is_sensitive());
    for (_, Member { ident, ty, .. }, _) in holds_itself {
        let (info, field) = (item_of_field(ty, "INFO"), ident.unraw().to_string());
        let span = ends(ty).0;
        let call = quote_spanned!(span=> __upstate::check_recursive(#info, #field));
        checks.extend(proof(SECRETS_ARE_HIDDEN, &shape.generics, &call, span));
    }
    checks
}

const SECRETS_ARE_HIDDEN: &str = "SECRETS_ARE_HIDDEN";

/// A proof as an item, or as a statement where parameters are in it.
pub(super) fn proof(
    holds: &str,
    generics: &Generics,
    call: &TokenStream,
    span: Span,
) -> TokenStream {
    if generics.params.is_empty() {
        proven(holds, call, span)
    } else {
        quote!(const { #call })
    }
}

/// The proof that fields without names, of which a schema tells nothing, hide what is sensitive;
/// `around` is the type that has them. As an item, or as a statement where parameters are in it.
pub(super) fn positions(
    generics: &Generics,
    types: &[&Type],
    around: &TokenStream,
    name: &Ident,
) -> TokenStream {
    let infos = types
        .iter()
        .map(|ty| item(ty, &quote!(__upstate::AttributeType), "INFO"));
    let (span, name) = (name.span(), name.unraw().to_string());
    let call = quote_spanned!(span=> __upstate::check_positions(&[#(#infos),*], #around, #name));
    proof(SECRETS_ARE_HIDDEN, generics, &call, span)
}

/// The functions by which serde reads and writes a field.
pub(super) fn functions(object: &Object, shape: &Shape) -> TokenStream {
    stored(object, shape)
        .filter_map(|(index, member, _)| {
            let Role::Attribute { codec, .. } = &member.role else { return None };
            let ty = &member.ty;
            let [read, write] = function_names(index);
            let (reads, writes) = match codec {
                Codec::Serde => (quote!(__upstate::read_serde(reader, #write)), quote!(__upstate::write_serde(value, writer))),
                Codec::SerdeModule(module) => of_serde(&quote!(#module::deserialize), &quote!(#module::serialize), &write),
                Codec::SerdeFunctions(reads, writes) => of_serde(&reads.to_token_stream(), &writes.to_token_stream(), &write),
                Codec::Own | Codec::Set | Codec::OptionalSet | Codec::Text | Codec::OptionalText | Codec::Module(_) => {
                    return None;
                }
            };
            Some(quote! {
                fn #read(reader: &mut __upstate::Reader<'_>) -> __upstate::Result<#ty, __upstate::DecodeError> { #reads }
                fn #write(value: &#ty, writer: &mut __upstate::Writer<'_>) { #writes }
            })
        })
        .collect()
}

/// The bodies of the functions around two of serde's; `write` is the name of the one that writes.
fn of_serde(
    read: &TokenStream,
    written: &TokenStream,
    write: &Ident,
) -> (TokenStream, TokenStream) {
    (
        quote!(__upstate::read_with_serde(reader, |deserializer| #read(deserializer), #write)),
        quote!(__upstate::write_with_serde(writer, |serializer| #written(value, serializer))),
    )
}

/// A field without a name that is not stored as its type is.
pub(super) struct Coded {
    /// The type of its values.
    pub(super) info: TokenStream,
    /// An expression that reads it by `reader`.
    pub(super) read: TokenStream,
    /// An expression that writes by `writer` what `value` refers to.
    pub(super) write: TokenStream,
}

/// `None` if a field without a name is stored as its type is.
pub(super) fn coded(ty: &Type, codec: &Codec) -> Option<Coded> {
    let (read, write) = match codec {
        Codec::Own | Codec::Set | Codec::OptionalSet | Codec::Module(_) => return None,
        Codec::Text => return Some(as_string(ty, "as_string")),
        Codec::OptionalText => return Some(as_string(ty, "as_optional_string")),
        Codec::Serde => (
            quote!(__upstate::read_serde::<#ty>(reader, __upstate::write_serde)),
            quote!(__upstate::write_serde::<#ty>(value, writer)),
        ),
        Codec::SerdeModule(module) => by_serde(
            ty,
            &quote!(#module::deserialize),
            &quote!(#module::serialize),
        ),
        Codec::SerdeFunctions(read, write) => {
            by_serde(ty, &read.to_token_stream(), &write.to_token_stream())
        }
    };
    Some(Coded {
        info: any_json(ty),
        read,
        write,
    })
}

/// `constructor` is that of the slot of a field with a name.
fn as_string(ty: &Type, constructor: &str) -> Coded {
    let slot = slot_of(ty, constructor);
    Coded {
        info: quote!(#slot.info),
        read: quote!(#slot.decode(reader)),
        write: quote!(#slot.encode(value, writer)),
    }
}

/// The expressions that read and write by these functions of serde.
fn by_serde(ty: &Type, read: &TokenStream, write: &TokenStream) -> (TokenStream, TokenStream) {
    let write = quote!(__upstate::write_with_serde(writer, |serializer| #write(value, serializer)));
    let read = quote!(__upstate::read_with_serde::<#ty>(reader, |deserializer| #read(deserializer), |value, writer| #write));
    (read, write)
}

fn function_names(index: usize) -> [Ident; 2] {
    ["read", "write"].map(|verb| format_ident!("__upstate_serde_{verb}_{index}"))
}

fn is_by_serde(member: &Member) -> bool {
    let Role::Attribute { codec, .. } = &member.role else {
        return false;
    };
    match codec {
        Codec::Serde | Codec::SerdeModule(_) | Codec::SerdeFunctions(..) => true,
        Codec::Own
        | Codec::Set
        | Codec::OptionalSet
        | Codec::Text
        | Codec::OptionalText
        | Codec::Module(_) => false,
    }
}

/// True for an `Option` that serde would read without a function of its author, because serde takes
/// absence for `None` there alone.
fn is_absent_as_none(member: &Member) -> bool {
    let is_json = matches!(
        member.role,
        Role::Attribute {
            codec: Codec::Serde,
            ..
        }
    );
    is_json && crate::model::inside("Option", &member.ty).is_some()
}

/// The flag of the member at `index` where null is another value than none. What a default fills in
/// tells it by itself.
pub(super) fn null_differs(object: &Object, shape: &Shape, index: usize) -> Option<TokenStream> {
    let (_, member, entry) = stored(object, shape).find(|(at, ..)| *at == index)?;
    let (EntryKind::Member { default, .. }, Role::Attribute { codec, .. }) =
        (&entry.kind, &member.role)
    else {
        return None;
    };
    match default {
        None => {}
        // The members of a variant have no default beside their rows.
        Some(Absent::Value(_) | Absent::Function(_)) if shape.is_variant => {
            return Some(quote!(__upstate::flags::NULL_DIFFERS));
        }
        Some(_) => return None,
    }
    match codec {
        Codec::Own if is_absent_as_null(&member.ty) => None,
        Codec::Own => {
            let absent_is_null = item_of_field(&member.ty, "ABSENT_IS_NULL");
            Some(quote!(__upstate::flags::null_differs(#absent_is_null)))
        }
        Codec::Serde if is_absent_as_none(member) => None,
        Codec::Serde | Codec::SerdeModule(_) | Codec::SerdeFunctions(..) => {
            Some(quote!(__upstate::flags::NULL_DIFFERS))
        }
        // An upstate module is given null where nothing is stored, and the other forms have no null
        // or are absent as null.
        Codec::Set | Codec::OptionalSet | Codec::Text | Codec::OptionalText | Codec::Module(_) => {
            None
        }
    }
}

/// True for types of which the tokens tell that null is the same as none, or is not stored.
fn is_absent_as_null(ty: &Type) -> bool {
    const NEVER_NULL: [&str; 22] = [
        "BTreeMap", "BTreeSet", "HashMap", "HashSet", "PathBuf", "String", "Vec", "bool", "char",
        "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32", "u64",
        "u8",
    ];
    let is_plain = match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| NEVER_NULL.iter().any(|name| last.ident == name)),
        _ => false,
    };
    is_plain || crate::model::inside("Option", ty).is_some()
}

/// The statements that read the fields, each into a local of its name with an underscore before it,
/// and those locals.
pub(super) fn reads(object: &Object, shape: &Shape) -> TokenStream {
    let mut statements = Vec::new();
    let mut of_parts = Vec::new();
    for entry in &shape.entries {
        let (local, ty) = (local(&entry.ident), &entry.ty);
        let value = match &entry.kind {
            EntryKind::Flatten { .. } => {
                let read = quote!(<#ty as __upstate::Members>::read_members(object));
                of_parts.push((
                    keeps_rest(ty),
                    quote!(let __upstate::Some(#local) = #read else { return __upstate::None; };),
                ));
                continue;
            }
            EntryKind::Name { tag, name } => {
                statements
                    .push(quote!(let __upstate::Some(()) = object.skip_name(#tag, #name) else { return __upstate::None; };));
                continue;
            }
            EntryKind::Skip { default: None } => {
                quote!(__upstate::Some(<#ty as ::core::default::Default>::default()))
            }
            EntryKind::Skip {
                default: Some(default),
            } => quote!(__upstate::Some::<#ty>(#default)),
            EntryKind::Member { name, default, .. } => {
                let Some(index) = object
                    .members
                    .iter()
                    .position(|member| member.name == *name)
                else {
                    continue;
                };
                let Some(member) = object.members.get(index) else {
                    continue;
                };
                let default = default
                    .as_ref()
                    .map(|default| quote!(|| -> #ty { #default }));
                if is_by_serde(member) {
                    let [read, _] = function_names(index);
                    match default {
                        Some(default) => quote!(object.read_or(#read, #default)),
                        None if is_absent_as_none(member) => {
                            quote!(object.read(#read, || __upstate::Some(__upstate::None)))
                        }
                        None => quote!(object.read(#read, || __upstate::None)),
                    }
                } else if has_slot(member) {
                    let slot = slot_ident(index);
                    match default {
                        Some(default) => quote!(#slot.read_or(object, #default)),
                        None => quote!(#slot.read(object)),
                    }
                } else {
                    match default {
                        Some(default) => {
                            let decode = item_of_field(ty, "decode");
                            quote!(object.read_or(#decode, #default))
                        }
                        None => {
                            let read = item_of_field(ty, "read");
                            quote!(#read(object))
                        }
                    }
                }
            }
        };
        statements
            .push(quote!(let __upstate::Some(#local) = #value else { return __upstate::None; };));
    }
    // A map takes what is left, so it comes last.
    of_parts.sort_by_key(|(takes_rest, _)| *takes_rest);
    let of_parts = of_parts.into_iter().map(|(_, statement)| statement);
    quote!(#(#statements)* #(#of_parts)*)
}

/// The local that a field is read into.
pub(super) fn local(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string();
    let bare = name.trim_start_matches('_');
    // Two underscores in a row would be a warning in the author's code.
    match name.len() - bare.len() {
        0 => format_ident!("__field_{bare}", span = ident.span()),
        count => format_ident!("__field{count}_{bare}", span = ident.span()),
    }
}

/// The statements that write the fields; `place` gives a reference to one.
pub(super) fn writes(
    object: &Object,
    shape: &Shape,
    place: &dyn Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let statements = shape.entries.iter().filter_map(|entry| {
        let (ty, place) = (&entry.ty, place(&entry.ident));
        Some(match &entry.kind {
            EntryKind::Skip { .. } => return None,
            EntryKind::Name { tag, name } => quote!(__upstate::union::write_tag(#tag, #name, object);),
            EntryKind::Flatten { .. } => quote!(<#ty as __upstate::Members>::write_members(#place, object);),
            EntryKind::Member { name, default, skip_if, .. } => {
                let index = object.members.iter().position(|member| member.name == *name)?;
                let member = object.members.get(index)?;
                let (write, encode) = if is_by_serde(member) {
                    let [_, write] = function_names(index);
                    (quote!(object.write(#place, #write)), write.to_token_stream())
                } else if has_slot(member) {
                    let slot = slot_ident(index);
                    (quote!(#slot.write(#place, object)), quote!(|value, writer| #slot.encode(value, writer)))
                } else {
                    let write = item_of_field(ty, "write");
                    (quote!(#write(#place, object)), item_of_field(ty, "encode"))
                };
                match skip_if {
                    Some(condition) if leaves_out_absent(member, default.as_ref(), condition) => {
                        quote!(if #condition(#place) { object.leave_out() } else { #write })
                    }
                    Some(condition) => {
                        let absent = absent_value(index, member, default.as_ref());
                        quote!(if #condition(#place) { object.write_unless_absent(#place, #encode, #absent) } else { #write })
                    }
                    None => quote!(#write;),
                }
            }
        })
    });
    statements.collect()
}

/// True if the tokens tell that the condition leaves out nothing but the value that is read where
/// the member is not stored.
fn leaves_out_absent(member: &Member, default: Option<&Absent>, condition: &Path) -> bool {
    const EMPTY: [(&str, &str); 10] = [
        ("BTreeMap", "is_empty"),
        ("BTreeSet", "is_empty"),
        ("BinaryHeap", "is_empty"),
        ("HashMap", "is_empty"),
        ("HashSet", "is_empty"),
        ("LinkedList", "is_empty"),
        ("Option", "is_none"),
        ("String", "is_empty"),
        ("Vec", "is_empty"),
        ("VecDeque", "is_empty"),
    ];
    let (Type::Path(ty), Role::Attribute { codec, .. }) = (&member.ty, &member.role) else {
        return false;
    };
    let mut segments = condition.segments.iter().rev();
    let (Some(test), Some(owner), Some(last)) =
        (segments.next(), segments.next(), ty.path.segments.last())
    else {
        return false;
    };
    if owner.ident != last.ident
        || !EMPTY
            .iter()
            .any(|(name, empty)| owner.ident == name && test.ident == empty)
    {
        return false;
    }
    match (default, codec) {
        (Some(Absent::Default(_)), _)
        | (
            None,
            Codec::Own
            | Codec::Serde
            | Codec::Set
            | Codec::OptionalSet
            | Codec::Text
            | Codec::OptionalText,
        ) => true,
        // An author's own functions may have no value for what is not stored.
        (Some(Absent::Value(_) | Absent::Function(_)), _)
        | (None, Codec::SerdeModule(_) | Codec::SerdeFunctions(..) | Codec::Module(_)) => false,
    }
}

/// The function that gives the value which is read where the member is not stored; there may be
/// none.
fn absent_value(index: usize, member: &Member, default: Option<&Absent>) -> TokenStream {
    let ty = &member.ty;
    match default {
        Some(default) => quote!(|| -> __upstate::Option<#ty> { __upstate::Some(#default) }),
        None if is_by_serde(member) && is_absent_as_none(member) => {
            quote!(|| __upstate::Some(__upstate::None))
        }
        None if is_by_serde(member) => quote!(|| __upstate::None),
        None if has_slot(member) => {
            let slot = slot_ident(index);
            quote!(|| #slot.absent())
        }
        None => item_of_field(ty, "absent"),
    }
}

/// The type of the values of a member, if that is not its Rust type's own.
pub(super) fn info(member: &Member) -> Option<TokenStream> {
    (member.opaque || is_by_serde(member)).then(|| any_json(&member.ty))
}

/// The type of the values of `ty` where the schema does not look into them.
pub(super) fn any_json(ty: &Type) -> TokenStream {
    if crate::model::inside("Option", ty).is_some() {
        quote!(__upstate::TypeInfo::JSON_OR_NULL)
    } else {
        quote!(__upstate::TypeInfo::JSON)
    }
}
