//! Prior versions without a struct: their tables, and the upgraders that lead to them.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::checks::{
    OF_ITS_VERSION, THE_FIELD_CAN_BE_AN_ATTRIBUTE, WHEN_CAN_HOLD, called_as_stored, proven,
};
use super::field::item_of;
use super::object::{flag_bits, local, module_read};
use super::operators::{self, Ends, Owner, operators_ident};
use super::variants::{self, changes_ident};
use super::{facts, key, last_segment, locked, option, upgrader};
use crate::model::{
    Blocks, Edit, FactsOf, Flags, Info, PriorObject, PriorVersion, Rekeyed, Resource, Row, Secret,
    ShapeField, Target, module,
};

pub(super) fn table_ident(shape: usize) -> Ident {
    format_ident!("__UPSTATE_TABLE_{shape}")
}

pub(super) fn object_ident(object: usize) -> Ident {
    format_ident!("__UPSTATE_OBJECT_{object}")
}

fn later_ident(object: usize) -> Ident {
    format_ident!("__UPSTATE_LATER_{object}")
}

/// The table of what an upgrader makes.
pub(super) fn later_table(to: Target) -> TokenStream {
    match to {
        Target::Current => quote!(&__UPSTATE_TABLE),
        Target::Shape(shape) => {
            let table = table_ident(shape);
            quote!(#table)
        }
        Target::Object(object) => {
            let later = later_ident(object);
            quote!(#later)
        }
    }
}

pub(super) fn shape_ident(shape: usize) -> Ident {
    format_ident!("__UPSTATE_SHAPE_{shape}")
}

/// All of them. `index` is the first that no upgrader or move has.
pub(super) fn shapes(resource: &Resource, mut index: usize) -> TokenStream {
    let modules = resource
        .upgraders
        .written
        .iter()
        .enumerate()
        .filter_map(|(place, member)| {
            let (name, path) = (module_ident(place), module(member)?);
            let read = module_read(&member.ty, path);
            let module_read = local("module_read", path);
            let info =
                quote_spanned!(last_segment(path)=> __upstate::derived::read_by(#module_read));
            Some(quote! {
                struct #name;
                impl __upstate::Info for #name {
                    const INFO: &'static __upstate::TypeInfo = { #read #info };
                }
            })
        });
    let mut tokens: TokenStream = modules.collect();
    tokens.extend(variants::types(resource));
    for (place, prior) in resource.upgraders.shapes.iter().enumerate() {
        tokens.extend(shape(resource, place, prior, index));
        index += prior.upgraders.len();
    }
    for (place, prior) in resource.upgraders.objects.iter().enumerate() {
        tokens.extend(object(resource, place, prior, index + place));
    }
    tokens
}

/// The call that makes a prior shape one of a document, if it is.
fn before_document(resource: &Resource, later: &impl ToTokens) -> Option<TokenStream> {
    resource
        .object
        .document
        .as_ref()
        .map(|_| quote!(.of_document_before(#later)))
}

/// Nested objects of a prior version.
fn object(resource: &Resource, place: usize, prior: &PriorObject, index: usize) -> TokenStream {
    let PriorObject {
        name,
        info,
        field,
        edits,
        declared,
        holder,
        gone,
        rekeyed,
    } = prior;
    let ident = &resource.object.ident;
    let [all, rows, schema] = ["EDITS", "OBJECT_ROWS", "OBJECT_SCHEMA"]
        .map(|name| format_ident!("__UPSTATE_{name}_{place}"));
    let (table, later, this) = (object_ident(place), later_ident(place), around_ident(place));
    let info = info_of(ident, info);
    let holds = field.as_ref().map(|field| {
        let name = field.unraw().to_string();
        proven(
            "THE_FIELD_HOLDS_OBJECTS",
            &quote_spanned!(field.span()=> __upstate::derived::check_objects(#info, #name)),
            field.span(),
        )
    });
    // Other names than those of documents have no rules.
    let gone = gone.iter().filter(|_| resource.object.document.is_some());
    let gone: Vec<_> = gone
        .filter_map(|place| called_as_stored(&quote!(#later), place))
        .collect();
    let own = edits.iter().filter_map(|edit| match edit {
        Edit::Replace { with: field, .. } | Edit::Put(field) | Edit::Add(field) => Some(field),
        Edit::Remove(_)
        | Edit::Rename { .. }
        | Edit::Retype { .. }
        | Edit::Reshape { .. }
        | Edit::Revalue { .. } => None,
    });
    let proofs: Vec<_> = own
        .clone()
        .filter_map(|field| placed(resource, field, &quote!(#table), holder.as_ref()))
        .collect();
    let edits = edits
        .iter()
        .map(|edit| edit_of(resource, edit, &quote!(#later)));
    let ends = Ends {
        owner: Owner::Object,
        ident,
        to: Target::Object(place),
        shapes: &[],
    };
    let beside = declared
        .as_ref()
        .map(|declared| operators::table(ends, declared, index));
    let onward = beside.as_ref().map(|_| {
        let operators = operators_ident(index);
        quote!(__upstate::ObjectUpgrader::onward(#later, || #operators))
    });
    let rekeyed = rekeyed.as_ref().map(|Rekeyed { others, key, is_earlier }| {
        let [left_over, upgraders] = ["LEFT_OVER", "ONWARD"].map(|name| format_ident!("__UPSTATE_{name}_{index}"));
        let (shape, later, operators) = (object_ident(*others), later_ident(*others), operators_ident(index - place + others));
        let items = quote! {
            static #left_over: __upstate::LeftOver = __upstate::key_left_over(#shape, #key, #is_earlier);
            const #upgraders: &[__upstate::ObjectUpgrader] =
                &[__upstate::ObjectUpgrader::onward(#later, || #operators).leaving(&#left_over)];
        };
        (items, upgraders)
    });
    let (rekeyed, upgraders) = match rekeyed {
        Some((items, upgraders)) => (Some(items), upgraders.into_token_stream()),
        None => (None, quote!(&[#onward])),
    };
    let before_document = before_document(resource, &later);
    let facts = written_facts(resource, own.clone());
    quote! {
        #facts
        const #later: &'static __upstate::Table = __upstate::derived::objects_in(#info);
        const #all: &[__upstate::Edit] = &[#(#edits),*];
        const #rows: &[__upstate::Row; __upstate::derived::edited_len(#later, #all)] = &__upstate::derived::edited(#later, #all);
        static #schema: __upstate::LazySchema = __upstate::LazySchema::new();
        #rekeyed
        const #table: &__upstate::Table = &__upstate::Table::object_shape(
            #name,
            #rows,
            &#schema,
            #upgraders,
        )#before_document;
        #holds
        #(#gone)*
        #(#proofs)*
        struct #this;
        impl __upstate::Shape for #this {
            const SHAPE: &'static __upstate::Table = #table;
        }
        #beside
    }
}

fn around_ident(object: usize) -> Ident {
    format_ident!("__UpstateObject{object}")
}

/// The proof that a prior field is in the right place: blocks are objects and only in blocks, and
/// objects that have blocks are blocks.
fn placed(
    resource: &Resource,
    field: &ShapeField,
    table: &TokenStream,
    holder: Option<&(Target, String)>,
) -> Option<TokenStream> {
    let is_document = resource.object.document.is_some();
    let ShapeField {
        rust_name,
        name,
        row,
        ..
    } = field;
    let stored = key(name);
    let holder = option(holder.map(|(later, holder)| {
        let (later, number) = (later_table(*later), key(holder));
        quote!((#later, #number, #holder))
    }));
    if let (Blocks::Written(place), Row::New(_)) = (&field.blocks, row) {
        let call = quote_spanned!(*place=> __upstate::derived::check_block(#table, #stored, #rust_name, #holder));
        return Some(proven("BLOCKS_ARE_OBJECTS_IN_BLOCKS", &call, *place));
    }
    let (place, written) = field.typed.as_ref()?;
    let call = quote_spanned!(*place=> __upstate::derived::check_placed(#table, #stored, (#rust_name, #is_document), #written, #holder));
    Some(proven(THE_FIELD_CAN_BE_AN_ATTRIBUTE, &call, *place))
}

fn edit_of(resource: &Resource, edit: &Edit, later: &TokenStream) -> TokenStream {
    let ident = &resource.object.ident;
    let edit = match edit {
        Edit::Remove(field) => {
            let field = key(field);
            quote!(Remove { field: #field })
        }
        Edit::Rename { field, name } => {
            let (field, number) = (key(field), key(name));
            quote!(Rename { field: #field, name: #name, key: #number })
        }
        Edit::Retype { field, info } => {
            let (field, info) = (key(field), info_of(ident, info));
            quote!(Retype { field: #field, info: #info })
        }
        Edit::Reshape { field, info } => {
            let (field, info) = (key(field), info_of(ident, info));
            quote!(Reshape { field: #field, info: #info })
        }
        Edit::Revalue { field } => {
            let field = key(field);
            quote!(Revalue { field: #field })
        }
        Edit::Replace { field, with } => {
            let keeps = with.name == with.rust_name;
            let (field, with) = (key(field), new_row(resource, with, keeps, later));
            quote!(Replace { field: #field, with: #with })
        }
        Edit::Put(field) => {
            let row = new_row(resource, field, false, later);
            quote!(Put(#row))
        }
        Edit::Add(field) => {
            let row = new_row(resource, field, false, later);
            quote!(Add(#row))
        }
    };
    quote!(__upstate::Edit::#edit)
}

/// The flags that a field has because what it is now has them.
fn flags_of_later(ident: &Ident, field: &ShapeField) -> Option<TokenStream> {
    let own = match field.secrecy.secret {
        Secret::No => None,
        Secret::InPart => Some(quote!(
            __upstate::flags::SENSITIVE | __upstate::flags::IN_PART
        )),
        Secret::Whole => Some(quote!(__upstate::flags::SENSITIVE)),
    };
    let members = field.secrecy.members.iter().map(|(info, name, is_part)| {
        let (info, key) = (info_of(ident, info), key(name));
        if *is_part {
            quote!(__upstate::derived::member_flags_in_part(#info, #key))
        } else {
            quote!(__upstate::derived::member_flags(#info, #key))
        }
    });
    own.into_iter()
        .chain(members)
        .reduce(|one, other| quote!(__upstate::derived::joined(#one, #other)))
}

/// The flags, with the one of values that the facts of the field are not about.
fn with_other_values(field: &ShapeField, flags: TokenStream) -> TokenStream {
    if field.other_values {
        quote!(#flags | __upstate::flags::OTHER_VALUES)
    } else {
        flags
    }
}

/// The facts beside a prior field that is a row of its own.
fn facts_of(resource: &Resource, field: &ShapeField, later: &TokenStream) -> Option<TokenStream> {
    let of = |table: TokenStream, name: &str| {
        let key = key(name);
        quote!(__upstate::derived::facts(#table, #key))
    };
    match &field.facts {
        FactsOf::Row => None,
        FactsOf::Written(place) => {
            let facts = facts_ident(*place);
            Some(quote!(#facts))
        }
        FactsOf::Later(name) => Some(of(later.clone(), name)),
        FactsOf::Field(to, name) => Some(of(later_table(*to), name)),
        FactsOf::Member(info, name) => {
            let info = info_of(&resource.object.ident, info);
            Some(of(quote!(__upstate::derived::objects_in(#info)), name))
        }
    }
}

fn facts_ident(place: usize) -> Ident {
    format_ident!("__UPSTATE_WRITTEN_FACTS_{place}")
}

/// The facts that are written beside prior fields, and the proofs that their types are those that
/// the facts are for.
fn written_facts<'a>(
    resource: &Resource,
    fields: impl Iterator<Item = &'a ShapeField>,
) -> TokenStream {
    let made = fields.filter_map(|field| {
        let FactsOf::Written(place) = field.facts else {
            return None;
        };
        let member = resource.upgraders.written.get(place)?;
        // Their functions have numbers that no field of the struct has.
        let index = resource.object.members.len() + place;
        let (name, facts) = (facts_ident(place), facts::of_member(index, member)?);
        let checks = facts::checks(index, member, &info_of(&resource.object.ident, &field.info));
        Some(quote!(static #name: &[__upstate::Fact] = #facts; #(#checks)*))
    });
    made.collect()
}

/// A row that the later version has not; without a name if it `keeps` the one that is there.
fn new_row(
    resource: &Resource,
    field: &ShapeField,
    keeps: bool,
    later: &TokenStream,
) -> TokenStream {
    let ident = &resource.object.ident;
    let ShapeField {
        name,
        rust_name,
        info,
        row,
        ..
    } = field;
    let flags = if let Row::New(flags) = row {
        *flags
    } else {
        Flags::default()
    };
    let (flags, info, number) = (
        flags_of(ident, flags, field, later),
        info_of(ident, info),
        key(name),
    );
    let flags = match flags_of_later(ident, field) {
        Some(more) if flags.to_string() == "0" => more,
        Some(more) => quote!(__upstate::derived::joined(#flags, #more)),
        None => flags,
    };
    let flags = with_other_values(field, flags);
    let mut entries = Vec::new();
    if rust_name != name {
        let key = key(rust_name);
        entries.push(quote!(field: __upstate::Some((#rust_name, #key))));
    }
    if field.items != (0, 0) {
        let (min, max) = field.items;
        let (min, max) = (Literal::u64_unsuffixed(min), Literal::u64_unsuffixed(max));
        entries.push(quote!(items: (#min, #max)));
    }
    let has_any = !entries.is_empty();
    let own = quote!(__upstate::Beside { #(#entries,)* ..__upstate::Beside::NOTHING });
    let beside = match facts_of(resource, field, later) {
        Some(facts) => {
            // The name of the Rust field is that of the later one where this row takes its place.
            let place = key(if keeps { rust_name } else { name });
            option(Some(
                quote!(&const { __upstate::derived::beside(#later, #place, #own, #facts) }),
            ))
        }
        None => option(has_any.then(|| quote!(&#own))),
    };
    let name = if keeps { "" } else { name };
    quote! {
        __upstate::Row { name: #name, key: #number, flags: #flags, description: "", info: #info, beside: #beside }
    }
}

fn shape(resource: &Resource, place: usize, prior: &PriorVersion, index: usize) -> TokenStream {
    let PriorVersion {
        version,
        to,
        shape,
        upgraders,
        ..
    } = prior;
    let is_pinned = locked::is_pinned(&resource.type_name, &prior.versions);
    let ident = &resource.object.ident;
    let of = later_table(*to);
    let parts = parts(resource, &shape.fields, &of);
    let [count, runs] = [shape.fields.len(), parts.len()].map(Literal::usize_unsuffixed);
    let [rows, schema, steps, routes, list] = ["ROWS", "SCHEMA", "STEPS", "ROUTES", "UPGRADERS"]
        .map(|name| format_ident!("__UPSTATE_{name}_{place}"));
    let (table, this) = (table_ident(place), shape_ident(place));
    let name = format!("{} (version {version})", ident.unraw());
    let number = Literal::u64_unsuffixed(*version);
    let Resource {
        type_name,
        type_name_is_given,
        oldest,
        ..
    } = resource;
    let type_key = key(type_name);

    let ends = Ends {
        owner: Owner::Resource,
        ident,
        to: Target::Shape(place),
        shapes: &resource.upgraders.shapes,
    };
    let beside = upgraders
        .iter()
        .enumerate()
        .map(|(own, leads)| upgrader::beside(ends, &leads.kind, index + own));
    let leading: Vec<_> = upgraders
        .iter()
        .enumerate()
        .map(|(own, leads)| upgrader::upgrader(ident, leads, index + own))
        .collect();
    let reached = (!leading.is_empty()).then(|| {
        let oldest = Literal::u64_unsuffixed(*oldest);
        quote!(.reached(#oldest, &#list, &#steps, &#routes))
    });
    let leads = (!leading.is_empty()).then(|| {
        let count = Literal::usize_unsuffixed(leading.len());
        let reached = Literal::u64_unsuffixed(version.saturating_sub(*oldest));
        let proofs = upgraders.iter().enumerate().filter_map(|(own, leads)| {
            let (span, own) = (
                last_segment(leads.kind.model()?),
                Literal::usize_unsuffixed(own),
            );
            Some(proven(
                OF_ITS_VERSION,
                &quote_spanned!(span=> __upstate::check_model_version(#this.history(), #own)),
                span,
            ))
        });
        // Not constants: the compiler would validate each with everything behind it, which is all
        // versions below. It stops at statics only if it begins at one.
        quote! {
            static #list: [__upstate::Upgrader<__upstate::NoModel>; #count] = [#(#leading),*];
            static #steps: [__upstate::Step; #count] = __upstate::steps(&#list);
            static #routes: [u16; #reached] = __upstate::routes(#this.history());
            #(#proofs)*
        }
    });
    let conditions = upgraders.iter().enumerate().filter_map(|(own, leads)| {
        let (name, own) = (leads.when.as_ref()?.name()?, Literal::usize_unsuffixed(own));
        Some(proven(
            WHEN_CAN_HOLD,
            &quote_spanned!(name.span()=> __upstate::check_when(#this.history(), #own)),
            name.span(),
        ))
    });
    // A field that is as it is now needs no proof here, because that of the current model is
    // enough.
    let own = shape.fields.iter().filter(|field| match field.row {
        Row::Same(_) | Row::Renamed { retyped: false, .. } => false,
        Row::Renamed { retyped: true, .. } | Row::Retyped(_) | Row::New(_) => true,
    });
    let proofs = own.filter_map(|field| placed(resource, field, &quote!(#table), None));
    let before_document = before_document(resource, &of);
    let facts = written_facts(resource, shape.fields.iter());
    quote! {
        #facts
        const #rows: &[__upstate::Row] = &__upstate::derived::rows::<#count, #runs>(#of, [#(#parts),*]);
        static #schema: __upstate::LazySchema = __upstate::LazySchema::new();
        const #table: &__upstate::Table = &__upstate::Table::shape(#name, #number, #rows, &#schema)#before_document;
        static #this: __upstate::PriorShape = __upstate::PriorShape::new(#table, (#type_name, #type_key), #type_name_is_given, #is_pinned)#reached;
        #(#proofs)*
        #(#beside)*
        #leads
        #(#conditions)*
    }
}

/// The rows, those that are the same in runs.
fn parts(resource: &Resource, fields: &[ShapeField], later: &TokenStream) -> Vec<TokenStream> {
    let ident = &resource.object.ident;
    let mut parts = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let end = |run: &mut Option<(usize, usize)>, parts: &mut Vec<TokenStream>| {
        if let Some((first, end)) = run.take() {
            let (first, end) = (
                Literal::usize_unsuffixed(first),
                Literal::usize_unsuffixed(end),
            );
            parts.push(quote!(__upstate::derived::Part::Same(#first, #end)));
        }
    };
    for field in fields {
        let ShapeField { name, info, .. } = field;
        let of_info = || info_of(ident, info);
        let more = flags_of_later(ident, field).unwrap_or_else(|| quote!(0));
        let more = with_other_values(field, more);
        let part = match &field.row {
            Row::Same(row) => {
                run = match run {
                    Some((first, end)) if end == *row => Some((first, row + 1)),
                    _ => {
                        end(&mut run, &mut parts);
                        Some((*row, row + 1))
                    }
                };
                continue;
            }
            Row::Renamed { row, retyped } => {
                let (row, key, info) = (
                    Literal::usize_unsuffixed(*row),
                    key(name),
                    option(retyped.then(of_info)),
                );
                quote!(Renamed { row: #row, name: #name, key: #key, info: #info, flags: #more })
            }
            Row::Retyped(row) => {
                let (row, info) = (Literal::usize_unsuffixed(*row), of_info());
                quote!(Retyped { row: #row, info: #info, flags: #more })
            }
            Row::New(_) => {
                let row = new_row(resource, field, false, later);
                quote!(New(#row))
            }
        };
        end(&mut run, &mut parts);
        parts.push(quote!(__upstate::derived::Part::#part));
    }
    end(&mut run, &mut parts);
    parts
}

fn flags_of(ident: &Ident, flags: Flags, field: &ShapeField, later: &TokenStream) -> TokenStream {
    match &field.blocks {
        Blocks::No => flag_bits(flags),
        Blocks::Written(_) => quote!(__upstate::flags::BLOCK),
        Blocks::As(now) => {
            let (flags, now) = (flag_bits(flags), key(now));
            quote!(#flags | __upstate::derived::block_flag(#later, #now))
        }
        Blocks::AsMember(info, name) => {
            let (flags, info, name) = (flag_bits(flags), info_of(ident, info), key(name));
            quote!(#flags | __upstate::derived::block_flag(__upstate::derived::objects_in(#info), #name))
        }
    }
}

/// The type of the values that a field stores.
fn info_of(ident: &Ident, info: &Info) -> TokenStream {
    if let Info::Type(ty) = info {
        return item_of(ty, "INFO");
    }
    let ty = type_of(ident, info);
    quote!(<#ty as __upstate::Info>::INFO)
}

/// The type that means those values.
fn type_of(ident: &Ident, info: &Info) -> TokenStream {
    let inner = |info: &Info| type_of(ident, info);
    let of_one = |name: TokenStream, of: &Info| {
        let of = inner(of);
        quote!(#name<#of>)
    };
    let of_two = |name: TokenStream, of: &Info, other: &Info| {
        let (of, other) = (inner(of), inner(other));
        quote!(#name<#of, #other>)
    };
    let made = match info {
        Info::Type(ty) => return quote!(#ty),
        Info::String => return quote!(__upstate::String),
        Info::Bool => return quote!(bool),
        Info::Number => return quote!(__upstate::Number),
        Info::Module(place) => {
            let name = module_ident(*place);
            return quote!(#name);
        }
        Info::OwnText => quote!(OwnText),
        Info::Field(name) => {
            let key = key(name);
            quote!(FieldOf<#ident, #key>)
        }
        Info::OrNull(of) => of_one(quote!(OrNull), of),
        Info::NotNull(of) => of_one(quote!(NotNull), of),
        Info::ListOf(of) => of_one(quote!(ListOf), of),
        Info::SetOf(of) => of_one(quote!(SetOf), of),
        Info::ElementOf(of) => of_one(quote!(ElementOf), of),
        Info::MapOf(of) => of_one(quote!(MapOf), of),
        Info::NullAs(of, other) => of_two(quote!(NullAs), of, other),
        Info::EachOf(of, other) => of_two(quote!(EachOf), of, other),
        Info::MemberOf(of, name) => {
            let (of, key) = (inner(of), key(name));
            quote!(MemberOf<#of, #key>)
        }
        Info::ObjectOf(object) => {
            let object = around_ident(*object);
            quote!(ObjectOf<#object>)
        }
        Info::Variants(of, changes) => {
            let (of, changes) = (inner(of), changes_ident(changes));
            return quote!(__upstate::Variants<#of, #changes>);
        }
        Info::IfMap(of) => {
            let of = of.iter().map(inner);
            quote!(IfMap<#(#of),*>)
        }
        Info::Around(of, object) => {
            let (of, object) = (inner(of), around_ident(*object));
            quote!(Around<#of, #object>)
        }
    };
    quote!(__upstate::derived::#made)
}

fn module_ident(place: usize) -> Ident {
    format_ident!("__UpstateWritten{place}")
}
