//! Prior fields whose types operators write.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericArgument, Path, PathArguments, Type, parse_quote};

use super::super::{Codec, Flags, Member, Role, is_container, may_hold_objects, members};
use super::prior::{Aside, Edit, PriorObject, unique};
use super::shape::{Blocks, FactsOf, Field, Info, Secrecy};
use crate::attr::BLOCK;
use crate::attr::operators::{Written, identifier, name_of};
use crate::errors::{Errors, position};
use crate::model::Derive;

/// A field whose type is written. Where nothing else is, it takes over what its later self says of
/// how it is stored; it is sensitive in any case if what it became is. Where no options of
/// Kubernetes are written, it has those of its later self.
pub(super) fn written_field(
    of: &Written,
    place: &Ident,
    now: Option<&Field>,
    secrecy: Secrecy,
    aside: &mut Aside<'_, '_>,
) -> Option<Field> {
    let Written { attributes, ty, .. } = of;
    let (ident, own) = (
        identifier(place),
        attributes
            .iter()
            .all(|attribute| attribute.path().is_ident("kube")),
    );
    let (set, block) = now
        .filter(|_| own)
        .map_or((false, false), |now| now.takes_over(ty));
    // A stored name may be one that no field can have.
    let is_field = syn::parse2::<Ident>(ident.to_token_stream()).is_ok();
    let name = if is_field {
        ident.clone()
    } else {
        Ident::new_raw(&format!("{ident}_"), ident.span())
    };
    let field: syn::Field = if set {
        parse_quote!(#[attribute(set)] #(#attributes)* #name: #ty)
    } else {
        parse_quote!(#(#attributes)* #name: #ty)
    };
    let mut member = members::member(
        aside.later.derive,
        aside.later.ident,
        &ident,
        &field,
        aside.errors,
    )?
    .0;
    no_state(&member, place, aside.errors);
    #[cfg(feature = "kube")]
    if let (Derive::Document, Role::Attribute { codec, .. }) = (aside.later.derive, &member.role) {
        member.facts.structural(&field, codec, aside.errors);
    }
    let is_quoted = ident != *place;
    if is_quoted {
        member.name = name_of(place);
    }
    if let (Some(now), Role::Attribute { flags, .. }) = (now, &mut member.role) {
        flags.sensitive |= own && now.sensitive;
    }
    // A field that has the same name in Rust has the same name in state, too.
    if let Some(now) =
        now.filter(|now| name_of(place) == now.rust_name && member.name == now.rust_name)
    {
        member.name.clone_from(&now.name);
    }
    let info = if of.has_objects() {
        in_place(of, ty, place, &secrecy, aside)?
    } else {
        Info::Type(Box::new(ty.clone()))
    };
    let mut field = Field::written(&member, aside.written.len(), &info).hidden(secrecy);
    if is_quoted {
        field.rust_name.clone_from(&field.name);
    }
    if let (true, Some(now)) = (block, now) {
        field.blocks = Blocks::As(now.rust_name.clone());
    }
    if let Blocks::Written(place) = &mut field.blocks {
        let block = attributes
            .iter()
            .find(|attribute| attribute.path().is_ident(BLOCK.name));
        *place = block.map_or(*place, |attribute| attribute.path().span());
    }
    field.facts = match now {
        _ if aside.later.derive != Derive::Document => FactsOf::Row,
        _ if !member.facts.is_empty() => FactsOf::Written(aside.written.len()),
        Some(now) if now.has_facts => FactsOf::Later(now.rust_name.clone()),
        Some(_) | None => FactsOf::Row,
    };
    field.has_facts |= now.is_some_and(|now| now.has_facts);
    if of.has_objects() || may_hold_objects(ty) {
        let last = ty
            .to_token_stream()
            .into_iter()
            .last()
            .map_or_else(|| place.span(), |token| token.span());
        field.typed = Some((
            last,
            format!("#[block] {}: {}", name_of(place), as_blocks(of)),
        ));
    }
    aside.written.push(member);
    Some(field)
}

/// A type as a field of blocks has it: of one object that is an `Option`.
fn as_blocks(of: &Written) -> String {
    let spelt = of.spelt();
    if is_container(&of.ty) {
        spelt
    } else {
        format!("Option<{spelt}>")
    }
}

/// The values of a type in which objects are written.
fn in_place(
    of: &Written,
    ty: &Type,
    place: &Ident,
    secrecy: &Secrecy,
    aside: &mut Aside<'_, '_>,
) -> Option<Info> {
    let Type::Path(path) = ty else {
        return Some(Info::Type(Box::new(ty.clone())));
    };
    let last = path.path.segments.last()?;
    if let Some(fields) = of.object(&last.ident) {
        let mut edits = Vec::new();
        for (name, written) in fields {
            let secrecy = secrecy.part(&name_of(name));
            edits.push(Edit::Put(written_field(
                written, name, None, secrecy, aside,
            )?));
        }
        let number = aside.objects.len();
        let name = format!(
            "{}.{} (of version {})",
            aside.later.ident.unraw(),
            name_of(place),
            aside.prior
        );
        aside.objects.push(PriorObject {
            name: unique(aside.objects, name),
            info: Info::Bool,
            field: None,
            edits,
            declared: None,
            holder: None,
            gone: Vec::new(),
            rekeyed: None,
        });
        return Some(Info::ObjectOf(number));
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return Some(Info::Type(Box::new(ty.clone())));
    };
    let inner = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    });
    let inner = in_place(of, inner.last()?, place, secrecy, aside)?;
    match last.ident.to_string().as_str() {
        "Option" => Some(inner.or_null()),
        "Box" => Some(inner),
        "Vec" => Some(inner.list()),
        "BTreeSet" | "HashSet" => Some(Info::SetOf(Box::new(inner))),
        "BTreeMap" | "HashMap" => Some(Info::MapOf(Box::new(inner))),
        other => {
            aside.errors.push(
                &last.ident,
                format_args!("an object cannot be written inside of `{other}`\nhelp: write it in an `Option`, `Vec`, `Box`, set or map; elsewhere it needs a struct that derives `Object`"),
            );
            None
        }
    }
}

/// Refuses what says nothing about state that is there already.
fn no_state(member: &Member, place: &Ident, errors: &mut Errors) {
    let option = match &member.role {
        Role::Attribute {
            default: Some(_), ..
        } => "default",
        Role::Attribute {
            flags: Flags {
                requires_replace: true,
                ..
            },
            ..
        } => "requires_replace",
        _ if member.deprecated.is_some() => "deprecated",
        _ => return,
    };
    errors.push(
        place,
        format_args!("`{option}` says nothing about state that is there already\nhelp: remove it; a prior field has its type and how it is stored"),
    );
}

pub(super) fn position_of(written: &Written) -> (usize, usize) {
    position(written.ty.span())
}

/// The codec of a written field that is stored by a module, which is a type of its own.
pub(crate) fn module(member: &Member) -> Option<&Path> {
    match &member.role {
        Role::Attribute {
            codec: Codec::Module(module),
            ..
        } => Some(module),
        _ => None,
    }
}
