//! Enums with data: their variants, and how a stored value tells which it is.

#![expect(clippy::single_match_else, reason = "the cases are read side by side")]

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Generics, LitStr, Path, Type};

use super::document::{self, Body, Position};
use super::types::{is_called, may_hold_objects, names_type};
use super::{Codec, Object, inside};
use crate::attr::document::{Absent, Container, Part, container, part};
use crate::errors::{Errors, line};

/// An enum that derives `Union`.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) crate_path: Option<Path>,
    pub(crate) tagging: Tagging,
    pub(crate) denies_unknown: bool,
    pub(crate) variants: Vec<Variant>,
    /// The values of another type, by conversion.
    pub(crate) converted: Option<Body>,
}

/// The way a stored value tells its variant.
#[derive(Debug, Clone)]
pub(crate) enum Tagging {
    /// Its name is a string, or the one member of an object.
    External,
    /// Its name is a member beside the content's.
    Internal(LitStr),
    /// Its name is one member, its content another.
    Adjacent(LitStr, LitStr),
    /// By what fits it: the first that loses nothing, else the first that fits.
    Untagged,
}

impl Tagging {
    /// The text of the lock.
    pub(crate) fn text(&self) -> String {
        let tagging = match self {
            Self::External => upstate_words::Tagging::External,
            Self::Internal(tag) => upstate_words::Tagging::Internal(tag.value().into()),
            Self::Adjacent(tag, content) => {
                upstate_words::Tagging::Adjacent(tag.value().into(), content.value().into())
            }
            Self::Untagged => upstate_words::Tagging::Untagged,
        };
        tagging.to_string()
    }
}

/// A variant.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) content: Content,
    /// The variant for names that are not known.
    pub(crate) is_other: bool,
    /// It is read where no tag fits.
    pub(crate) is_untagged: bool,
    /// The value that it is read with, if it holds one that is not stored.
    pub(crate) skipped: Option<Absent>,
}

/// The data of a variant.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are a few for each derive")]
pub(crate) enum Content {
    Unit,
    Newtype {
        ty: Type,
        recursive: bool,
        codec: Codec,
    },
    Tuple {
        fields: Vec<Position>,
        recursive: bool,
    },
    /// A struct of its own, which the derive makes.
    Struct(Box<Object>),
}

/// The model of an enum that derives `Union`. `None` if something is wrong, which is then recorded.
pub(crate) fn union(input: &DeriveInput, errors: &mut Errors) -> Option<Union> {
    let ident = &input.ident;
    let Data::Enum(data) = &input.data else {
        errors.push(
            ident,
            format_args!("`derive(Union)` is for enums; `{ident}` is not one\nhelp: derive `Document` for a struct"),
        );
        return None;
    };
    let options = container(&input.attrs, errors);
    let tagging = tagging(&options, errors);
    document::lifetimes(&input.generics, ident, errors);
    if let Some(span) = options.default_at {
        let message = "the variants of an enum have no defaults in common\nhelp: write `default` on the field that holds the enum";
        errors.push(Ident::new("default", span), message);
    }
    let converted = if options.from.is_some() || options.into.is_some() {
        Some(document::converted(&options, ident, errors)?)
    } else {
        None
    };
    let mut stored = document::Claims::new();
    let mut variants = Vec::new();
    let mut seen = Seen::default();
    for (index, variant) in data.variants.iter().enumerate() {
        let own = part(&variant.attrs, None, errors);
        let words = [
            "with",
            "deserialize_with",
            "serialize_with",
            "json",
            "as_string",
            "sensitive",
        ];
        document::unread(&own, "a variant", &words, errors);
        document::of_fields(&own, errors);
        let last = data
            .variants
            .iter()
            .rposition(|variant| !part(&variant.attrs, None, &mut Errors::default()).untagged)
            .map_or(0, |last| last + 1);
        let name = match &own.name {
            Some(name) => name.value(),
            None => {
                let own = variant.ident.unraw().to_string();
                options
                    .rename_all
                    .map_or_else(|| own.clone(), |case| case.of_variant(&own))
            }
        };
        if let Some(span) = own.skip {
            errors.push(
                Ident::new("skip", span),
                format_args!(
                    "`{}` could be made, and not be written\nhelp: remove `skip`, or the variant",
                    variant.ident
                ),
            );
        }
        let aliases: Vec<String> = own
            .aliases
            .iter()
            .map(LitStr::value)
            .filter(|alias| *alias != name)
            .collect();
        if !matches!(tagging, Tagging::Untagged) && !own.untagged {
            let aliases = aliases.iter().map(|alias| (alias, true));
            for (name, is_alias) in std::iter::once((&name, false)).chain(aliases) {
                let claimed = (variant.ident.to_string(), line(&variant.ident), is_alias);
                if let Some((other, first, was_alias)) = stored.insert(name.clone(), claimed) {
                    let help = document::renamed_or_removed(is_alias || was_alias);
                    errors.push(
                        &variant.ident,
                        format_args!("two variants are stored or read as `{name}`\nnote: the other is `{other}` on line {first}\nhelp: {help}"),
                    );
                }
            }
        }
        refuse_with(variant, &own, errors);
        if let Some(span) = own.other {
            refuse_other(
                variant,
                Ident::new("other", span),
                &tagging,
                index + 1 == last,
                errors,
            );
        }
        if (matches!(tagging, Tagging::Untagged) || own.untagged) && !own.shadowed {
            seen.add(variant, hides_its_value(variant, &own), errors);
        }
        let mut skipped = None;
        let recursive = |ty: &Type| names_type(ident, ty.to_token_stream());
        let content = match &variant.fields {
            Fields::Unit => Content::Unit,
            // As serde stores it: by its name alone, as a variant that holds nothing.
            Fields::Unnamed(fields) if hides_its_value(variant, &own) => {
                let of_field = document::positions(&fields.unnamed, errors)
                    .into_iter()
                    .next()?;
                let of_type = Absent::Default(variant.ident.span());
                skipped = Some(of_field.default.unwrap_or(of_type));
                Content::Unit
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                let of_field = document::positions(&fields.unnamed, errors)
                    .into_iter()
                    .next()?;
                let codec = own.with.clone().map_or(of_field.codec, Codec::SerdeModule);
                let by_functions = !matches!(codec, Codec::Own);
                if let Tagging::Internal(tag) = &tagging
                    && !own.untagged
                    && (by_functions || !has_members(&of_field.ty))
                {
                    let reason = if by_functions {
                        "is stored by functions, as one value"
                    } else {
                        "holds no object"
                    };
                    let (name, written) = (
                        &variant.ident,
                        of_field.ty.to_token_stream().to_string().replace(' ', ""),
                    );
                    errors.push(
                        &of_field.ty,
                        format_args!(
                            "`{name}` {reason}, so nothing can be next to the tag `{}`\nhelp: give it a name: `{name} {{ value: {written} }}`; or add `content = \"value\"` behind `tag`",
                            tag.value(),
                        ),
                    );
                }
                Content::Newtype {
                    recursive: recursive(&of_field.ty),
                    ty: of_field.ty,
                    codec,
                }
            }
            Fields::Unnamed(fields) => {
                let positions = document::positions(&fields.unnamed, errors);
                if let Tagging::Internal(tag) = &tagging {
                    errors.push(
                        &variant.fields,
                        format_args!("the fields of `{}` have no names, so they cannot be next to `{}`\nhelp: give them names, or add `content = \"…\"`", variant.ident, tag.value()),
                    );
                }
                Content::Tuple {
                    recursive: positions.iter().any(|field| recursive(&field.ty)),
                    fields: positions,
                }
            }
            Fields::Named(fields) => {
                let of_variant = Container {
                    rename_all: own
                        .rename_all
                        .or(options.rename_all_fields.map(|(case, _)| case)),
                    denies_unknown: options.denies_unknown,
                    ..Container::default()
                };
                let made = format_ident!("__UpstateVariant{index}", span = variant.ident.span());
                let (members, shape) = document::named(
                    ident,
                    &fields.named,
                    &of_variant,
                    &used(&input.generics, &fields.named),
                    !matches!(tagging, Tagging::External | Tagging::Internal(_)),
                    errors,
                );
                if let Tagging::Internal(tag) = &tagging
                    && let Some(member) = members.iter().find(|member| member.name == tag.value())
                {
                    errors.push(
                        &member.ident,
                        format_args!(
                            "`{}` is stored as `{}`, which is the tag\nhelp: rename one of them",
                            member.ident, member.name
                        ),
                    );
                }
                Content::Struct(Box::new(Object {
                    plan: None,
                    paths: None,
                    ident: made,
                    crate_path: None,
                    members,
                    upgraders: Vec::new(),
                    document: Some(shape),
                }))
            }
        };
        variants.push(Variant {
            ident: variant.ident.clone(),
            name,
            aliases,
            content,
            is_other: own.other.is_some(),
            is_untagged: own.untagged,
            skipped,
        });
    }
    errors.is_empty().then(|| Union {
        ident: ident.clone(),
        generics: input.generics.clone(),
        crate_path: options.crate_path,
        tagging,
        denies_unknown: options.denies_unknown.is_some(),
        variants,
        converted,
    })
}

/// True if a variant holds one value, which is not stored.
fn hides_its_value(variant: &syn::Variant, own: &Part) -> bool {
    let Fields::Unnamed(fields) = &variant.fields else {
        return false;
    };
    let mut fields = fields.unnamed.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return false;
    };
    // A module of the variant gets the value all the same, as serde gives it.
    let is_skipped = || {
        part(&field.attrs, None, &mut Errors::default())
            .skip
            .is_some()
    };
    own.with.is_none() && is_skipped()
}

/// True unless a type says by its name that it is stored as a scalar or a list.
fn has_members(ty: &Type) -> bool {
    if let Some(ty) = ["Box", "Option"]
        .iter()
        .find_map(|wrapper| inside(wrapper, ty))
    {
        return has_members(ty);
    }
    // A struct of the author's may be called `Number` or `Dynamic`.
    let is_any = |names: &[&str]| names.iter().any(|name| is_called(name, ty));
    if is_any(&["BTreeMap", "HashMap", "Number", "Dynamic"]) {
        return true;
    }
    may_hold_objects(ty) && !is_any(&["Vec", "BTreeSet", "HashSet"])
}

/// Refuses a module on a variant without one value to give it: serde stores what the module writes,
/// in place of the fields.
fn refuse_with(variant: &syn::Variant, own: &Part, errors: &mut Errors) {
    let ident = &variant.ident;
    let found = match &variant.fields {
        Fields::Unit => format!("`{ident}` holds none"),
        Fields::Named(_) => format!("the fields of `{ident}` have names"),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => return,
        Fields::Unnamed(fields) => format!("`{ident}` holds {}", fields.unnamed.len()),
    };
    let help = match &variant.fields {
        Fields::Unit => "remove `with`".to_owned(),
        Fields::Named(_) | Fields::Unnamed(_) => {
            format!("make a struct of the fields, which `{ident}` holds; or remove `with`")
        }
    };
    for (word, span) in own
        .words
        .iter()
        .filter(|(word, _)| word == "with" && own.with.is_some())
    {
        errors.push(
            Ident::new(word, *span),
            format_args!("`with` is for a variant that holds one value; {found}\nhelp: {help}"),
        );
    }
}

/// Refuses a variant for unknown names that would not get them.
fn refuse_other(
    variant: &syn::Variant,
    word: Ident,
    tagging: &Tagging,
    is_last: bool,
    errors: &mut Errors,
) {
    let ident = &variant.ident;
    if matches!(tagging, Tagging::Untagged) {
        errors.push(
            word,
            format_args!("no variant of an untagged enum has a stored name, so `{ident}` could not tell an unknown one\nhelp: remove `other`, or add `tag = \"…\"`"),
        );
    } else if !matches!(variant.fields, Fields::Unit) {
        errors.push(
            word,
            format_args!(
                "`{ident}` is read for names that are not known, whose content is not known either\nhelp: remove its fields"
            ),
        );
    } else if !is_last {
        errors.push(
            word,
            format_args!("`{ident}` is read for every other name\nhelp: make it the last variant, and the only one with `other`"),
        );
    }
}

/// The untagged variants so far: of those that fit equally well the first is read, so a later one
/// may never be.
#[derive(Default)]
struct Seen<'a> {
    types: BTreeMap<String, &'a Ident>,
    tuple: Option<&'a Ident>,
    unit: Option<&'a Ident>,
}

impl<'a> Seen<'a> {
    fn add(&mut self, variant: &'a syn::Variant, is_alone: bool, errors: &mut Errors) {
        let ident = &variant.ident;
        let earlier = match &variant.fields {
            Fields::Unnamed(_) if is_alone => self.unit.replace(ident),
            Fields::Unit => self.unit.replace(ident),
            Fields::Unnamed(fields) => {
                match fields.unnamed.first().filter(|_| fields.unnamed.len() == 1) {
                    Some(field) => {
                        let earlier = self
                            .types
                            .insert(field.ty.to_token_stream().to_string(), ident);
                        earlier.or(self.tuple.filter(|_| inside("Vec", &field.ty).is_some()))
                    }
                    None => {
                        self.tuple = Some(ident);
                        None
                    }
                }
            }
            Fields::Named(_) => None,
        };
        if let Some(earlier) = earlier {
            errors.push(
                ident,
                format_args!("the first of variants that fit equally well is read: values of `{ident}` can be read back as `{earlier}`\nnote: `{earlier}` is on line {}\nhelp: add a `tag`; or write `#[union(shadowed)]` on `{ident}` if that loses nothing", line(earlier)),
            );
        }
    }
}

/// The parameters of an enum that the fields of a variant name: a struct must name all that it has.
fn used(
    generics: &Generics,
    fields: &syn::punctuated::Punctuated<syn::Field, syn::Token![,]>,
) -> Generics {
    let names = |ident: &Ident| {
        fields
            .iter()
            .any(|field| names_type(ident, field.ty.to_token_stream()))
    };
    let params = generics.params.iter().filter(|param| match param {
        syn::GenericParam::Type(param) => names(&param.ident),
        syn::GenericParam::Const(param) => names(&param.ident),
        syn::GenericParam::Lifetime(_) => true,
    });
    let params: syn::punctuated::Punctuated<syn::GenericParam, syn::Token![,]> =
        params.cloned().collect();
    if params.is_empty() {
        Generics::default()
    } else {
        Generics {
            params,
            where_clause: None,
            ..generics.clone()
        }
    }
}

fn tagging(options: &Container, errors: &mut Errors) -> Tagging {
    match (&options.tag, &options.content, options.untagged) {
        (None, None, None) => Tagging::External,
        (Some(tag), None, None) => Tagging::Internal(tag.clone()),
        (Some(tag), Some(content), None) if tag.value() == content.value() => {
            errors.push(
                content,
                format_args!("the tag and the content are both stored as `{}`\nhelp: give one of them another name", tag.value()),
            );
            Tagging::Adjacent(tag.clone(), content.clone())
        }
        (Some(tag), Some(content), None) => Tagging::Adjacent(tag.clone(), content.clone()),
        (None, None, Some(_)) => Tagging::Untagged,
        (None, Some(content), _) => {
            errors.push(content, "`content` needs a `tag`\nhelp: add `tag = \"…\"`");
            Tagging::External
        }
        (Some(_), _, Some(span)) => {
            errors.push(
                Ident::new("untagged", span),
                "an enum has a `tag` or is `untagged`\nhelp: remove one of them",
            );
            Tagging::Untagged
        }
    }
}
