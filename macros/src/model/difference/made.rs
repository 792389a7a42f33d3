//! `as = ThingV1`: a struct of the version that operators describe, for functions that want one.

use proc_macro2::{Ident, Span};
use syn::{Attribute, GenericArgument, Path, PathArguments, Type, parse_quote};

use super::super::{Member, inside, is_container};
use super::shape::{Blocks, Field, Info, Shape, StoredAs};
use crate::attr::{MadeStruct, Versions};
use crate::errors::Errors;

/// A struct to be made.
#[derive(Debug)]
pub(crate) struct PriorStruct {
    pub(crate) ident: Ident,
    pub(crate) derives: Vec<Path>,
    pub(crate) version: u64,
    pub(crate) fields: Vec<StructField>,
    /// The upgraders that lead to its version, as they are written on the later struct.
    pub(crate) upgraders: Vec<Attribute>,
}

/// A field of it.
#[derive(Debug)]
pub(crate) struct StructField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) attributes: Vec<Attribute>,
}

/// Sources of types: the fields of the struct of today, and those that operators write.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) members: &'a [Member],
    pub(super) written: &'a [Member],
}

/// The struct of a shape, and the upgraders that lead to it. A field without a type of its own is
/// recorded.
pub(super) fn prior_struct(
    made: &MadeStruct,
    from: &Versions,
    shape: &Shape,
    known: Known<'_>,
    upgraders: Vec<Attribute>,
    errors: &mut Errors,
) -> PriorStruct {
    let version = from.last.number;
    let mut fields = Vec::new();
    for field in &shape.fields {
        match field.made(known) {
            Some(field) => fields.push(field),
            None => no_type(made, version, &field.rust_name, errors),
        }
    }
    PriorStruct {
        ident: made.ident.clone(),
        derives: made.derives.clone(),
        version,
        fields,
        upgraders,
    }
}

/// Says that a field of the struct has no type that can be named.
pub(super) fn no_type(made: &MadeStruct, version: u64, field: &str, errors: &mut Errors) {
    let ident = &made.ident;
    errors.push(
        ident,
        format_args!(
            "no type says what `{ident}` has as `{field}`: its values differ from those of the later version\nhelp: write the type of version {version} where an operator names `{field}`, or `carry({field}: …)` in place of operators inside of it; nested objects that differ need a struct that derives `Object`, and an upgrader of their own"
        ),
    );
}

impl Field {
    fn made(&self, known: Known<'_>) -> Option<StructField> {
        let ty = match (&self.ty, &self.info) {
            (Some(ty), _) => ty.clone(),
            (None, info) => info.ty(known)?,
        };
        // In a collection that is nested, and in place of objects, a type would have to be made up.
        // A string may name what Rust cannot.
        let mut rust_name = self.rust_name.replace(
            |letter: char| !letter.is_alphanumeric() && letter != '_',
            "_",
        );
        if rust_name.starts_with(|first: char| first.is_numeric()) || rust_name.is_empty() {
            rust_name.insert(0, '_');
        }
        let ident = syn::parse_str(&rust_name)
            .unwrap_or_else(|_| Ident::new_raw(&rust_name, Span::call_site()));
        let mut attributes: Vec<Attribute> = Vec::new();
        let name = (rust_name != self.name).then_some(&self.name);
        if self.is_block() && (matches!(self.blocks, Blocks::Written(_)) || is_container(&ty)) {
            let (min, max) = self.items;
            let name = name.map(|name| quote::quote!(name = #name,));
            let [min, max] = [("min", min), ("max", max)].map(|(word, count)| {
                let (word, count) = (
                    Ident::new(word, Span::call_site()),
                    proc_macro2::Literal::u64_unsuffixed(count),
                );
                (count.to_string() != "0").then(|| quote::quote!(#word = #count,))
            });
            let set = self.set.then(|| quote::quote!(set,));
            attributes.push(parse_quote!(#[block(#name #min #max #set)]));
            return Some(StructField {
                ident,
                ty,
                attributes,
            });
        }
        if let Some(name) = name {
            attributes.push(parse_quote!(#[attribute(name = #name)]));
        }
        for (holds, word) in [
            (self.sensitive, "sensitive"),
            (self.write_only, "write_only"),
        ] {
            let word = Ident::new(word, Span::call_site());
            attributes.extend(holds.then(|| -> Attribute { parse_quote!(#[attribute(#word)]) }));
        }
        if self.set && inside("Vec", inside("Option", &ty).unwrap_or(&ty)).is_some() {
            attributes.push(parse_quote!(#[attribute(set)]));
        }
        match &self.stored {
            StoredAs::Own => {}
            StoredAs::Text => attributes.push(parse_quote!(#[attribute(as_string)])),
            StoredAs::Module(path) => attributes.push(parse_quote!(#[attribute(with = #path)])),
        }
        Some(StructField {
            ident,
            ty,
            attributes,
        })
    }
}

impl Info {
    /// The type of these values, if their names are enough to write it.
    fn ty(&self, known: Known<'_>) -> Option<Type> {
        Some(match self {
            Self::Type(ty) => Type::clone(ty),
            Self::Field(name) => {
                let member = known
                    .members
                    .iter()
                    .find(|member| syn::ext::IdentExt::unraw(&member.ident) == name)?;
                member.ty.clone()
            }
            Self::Module(place) => known.written.get(*place)?.ty.clone(),
            Self::String => parse_quote!(::std::string::String),
            Self::Bool => parse_quote!(bool),
            Self::OrNull(of) => {
                let of = of.ty(known)?;
                if inside("Option", &of).is_some() {
                    of
                } else {
                    parse_quote!(::core::option::Option<#of>)
                }
            }
            Self::NotNull(of) => {
                let of = of.ty(known)?;
                inside("Option", &of).cloned().unwrap_or(of)
            }
            Self::ListOf(of) => {
                let of = of.ty(known)?;
                parse_quote!(::std::vec::Vec<#of>)
            }
            Self::MapOf(of) => {
                let of = of.ty(known)?;
                parse_quote!(::std::collections::BTreeMap<::std::string::String, #of>)
            }
            Self::ElementOf(of) => {
                let of = of.ty(known)?;
                element(inside("Option", &of).unwrap_or(&of))?
            }
            Self::NullAs(of, other) => {
                let (of, other) = (of.ty(known)?, other.ty(known)?);
                let plain = inside("Option", &of).cloned().unwrap_or(of);
                if inside("Option", &other).is_some() {
                    parse_quote!(::core::option::Option<#plain>)
                } else {
                    plain
                }
            }
            Self::Number
            | Self::OwnText
            | Self::SetOf(_)
            | Self::EachOf(..)
            | Self::MemberOf(..)
            | Self::Around(..)
            | Self::Variants(..)
            | Self::ObjectOf(_)
            | Self::IfMap(_) => return None,
        })
    }
}

/// The elements of a collection.
fn element(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if !["Vec", "BTreeSet", "HashSet", "BTreeMap", "HashMap"]
        .iter()
        .any(|name| last.ident == name)
    {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments
        .args
        .iter()
        .rev()
        .find_map(|argument| match argument {
            GenericArgument::Type(inner) => Some(inner.clone()),
            _ => None,
        })
}
