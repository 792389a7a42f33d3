//! Changes of the variants of enums with data: the types by which const evaluation knows the prior
//! enums, and the operators' arguments.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Type;
use syn::ext::IdentExt;

use super::checks::called_as_stored;
use super::field::item_of;
use super::{key, literal};
use crate::attr::operators::{MemberChange, VariantChange, name_of};
use crate::model::{Declared, Resource, UpgraderKind};

/// The type of the changes whose name ends so.
pub(super) fn changes_ident(name: &str) -> Ident {
    format_ident!("__UpstateVariants_{name}")
}

/// The types of all changes, each once.
pub(super) fn types(resource: &Resource) -> TokenStream {
    let upgraders = resource.upgraders.current.iter().chain(
        resource
            .upgraders
            .shapes
            .iter()
            .flat_map(|shape| &shape.upgraders),
    );
    let kinds = upgraders
        .map(|upgrader| &upgrader.kind)
        .chain(resource.moves.iter().map(|from| &from.kind));
    let declared = kinds.filter_map(|kind| {
        if let UpgraderKind::Declared(declared) = kind {
            Some(declared)
        } else {
            None
        }
    });
    let declared = declared.chain(
        resource
            .upgraders
            .objects
            .iter()
            .filter_map(|object| object.declared.as_ref()),
    );
    let mut types = BTreeMap::new();
    for stage in declared.flat_map(Declared::stages) {
        if let Some((changes, name)) = stage.variants() {
            types
                .entry(name.clone())
                .or_insert_with(|| of_changes(&resource.object.ident, changes, &name));
        }
    }
    types.into_values().collect()
}

fn of_changes(ident: &Ident, changes: &[VariantChange], name: &str) -> TokenStream {
    let this = changes_ident(name);
    let mut contents: BTreeMap<String, Vec<TokenStream>> = BTreeMap::new();
    let mut variants = Vec::new();
    for change in changes {
        match change {
            VariantChange::Renamed { from, to } => {
                variants.push(quote!(Rename { from: #from, to: #to }));
            }
            VariantChange::Dropped { name, ty, .. } => {
                let held = held(ty.as_deref());
                variants.push(quote!(Insert { name: #name, held: #held }));
            }
            VariantChange::Added(name) => variants.push(quote!(Remove { name: #name })),
            // Left out, because the conversion writes the type that it had.
            VariantChange::Member {
                variant,
                change: MemberChange::Default { name, .. },
            } if is_converted(changes, variant, name) => {}
            VariantChange::Member { variant, change } => contents
                .entry(name_of(variant))
                .or_default()
                .push(edit(change)),
        }
    }
    let edited = contents.iter().enumerate().map(|(nth, (variant, all))| {
        let edits = format_ident!("{this}_{nth}");
        let number = key(variant);
        let held = quote!(<__upstate::Edited<__upstate::ContentOf<X, #number>, #edits> as __upstate::Info>::INFO);
        variants.push(quote!(Retype { name: #variant, held: #held }));
        quote! {
            struct #edits;
            impl<__UpstateContent: __upstate::Info> __upstate::Edits<__UpstateContent> for #edits {
                const EDITS: &'static [__upstate::Edit] = &[#(__upstate::Edit::#all),*];
            }
        }
    });
    let edited: TokenStream = edited.collect();
    let unique = format!("::{}::{name}", ident.unraw());
    quote! {
        #edited
        struct #this;
        impl<X: __upstate::Info> __upstate::VariantEdits<X> for #this {
            const NAME: &'static str = __upstate::concat!(__upstate::module_path!(), #unique);
            const EDITS: &'static [__upstate::VariantEdit] = &[#(__upstate::VariantEdit::#variants),*];
        }
    }
}

/// True if a change makes the member of a variant a scalar of another type.
fn is_converted(changes: &[VariantChange], of: &Ident, member: &Ident) -> bool {
    changes.iter().any(|change| {
        matches!(
            change,
            VariantChange::Member { variant, change: MemberChange::Converted { name, .. } }
                if name_of(variant) == name_of(of) && name_of(name) == name_of(member)
        )
    })
}

/// The difference of a prior member.
fn edit(change: &MemberChange) -> TokenStream {
    match change {
        MemberChange::Renamed { from, to } => {
            let (field, from) = (key(&name_of(to)), name_of(from));
            let number = key(&from);
            quote!(Rename { field: #field, name: #from, key: #number })
        }
        MemberChange::Dropped { name, ty, .. } => {
            let (name, info) = (name_of(name), item_of(ty, "INFO"));
            let number = key(&name);
            quote! {
                Insert(__upstate::Row { name: #name, key: #number, flags: 0, description: "", info: #info, beside: __upstate::None })
            }
        }
        MemberChange::Set { name, .. } => {
            let field = key(&name_of(name));
            quote!(Remove { field: #field })
        }
        MemberChange::Default { name, .. } => {
            let field = key(&name_of(name));
            let now = quote!(__upstate::derived::MemberOf<__UpstateContent, #field>);
            quote! {
                Retype { field: #field, info: <__upstate::derived::OrNull<#now> as __upstate::Info>::INFO }
            }
        }
        MemberChange::Converted { name, ty, .. } => {
            let (field, info) = (key(&name_of(name)), item_of(ty, "INFO"));
            quote!(Retype { field: #field, info: #info })
        }
    }
}

/// The proofs that members which are gone are called as they were stored.
pub(super) fn gone(changes: &[VariantChange], info: &TokenStream) -> TokenStream {
    let proofs = changes.iter().filter_map(|change| match change {
        VariantChange::Member {
            variant,
            change: MemberChange::Renamed { from: name, .. } | MemberChange::Dropped { name, .. },
        } => {
            let variant = name_of(variant);
            let table = quote!(__upstate::derived::content_in(#info, #variant));
            called_as_stored(&table, name)
        }
        VariantChange::Renamed { .. }
        | VariantChange::Dropped { .. }
        | VariantChange::Added(_)
        | VariantChange::Member { .. } => None,
    });
    proofs.collect()
}

/// The argument of the operator, with stored names. `info` is what the later field holds.
pub(super) fn argument(changes: &[VariantChange], info: &TokenStream) -> TokenStream {
    let changes = changes.iter().map(|change| match change {
        VariantChange::Renamed { from, to } => quote!(Renamed { from: #from, to: #to }),
        VariantChange::Dropped { name, reason, becomes, ty: _ } => {
            quote!(Dropped { name: #name, reason: #reason, becomes: #becomes })
        }
        VariantChange::Added(name) => quote!(Added { name: #name }),
        VariantChange::Member { variant, change } => {
            let variant = name_of(variant);
            let now = |name: &Ident| {
                let name = name_of(name);
                quote!(__upstate::stored_member(#info, #variant, #name))
            };
            let change = match change {
                MemberChange::Renamed { from, to } => {
                    let (from, to) = (name_of(from), now(to));
                    quote!(Renamed { from: #from, to: #to })
                }
                MemberChange::Dropped { name, reason, ty: _ } => {
                    let name = name_of(name);
                    quote!(Dropped { name: #name, reason: #reason })
                }
                MemberChange::Set { name, value } => {
                    let (name, value) = (now(name), literal(value));
                    quote!(Set { name: #name, value: #value })
                }
                MemberChange::Default { name, value } => {
                    let (name, value) = (now(name), literal(value));
                    quote!(Default { name: #name, value: #value })
                }
                MemberChange::Converted { name, ty, empty } => {
                    let (from, empty) = (item_of(ty, "INFO"), format_ident!("{empty}"));
                    let rust_name = name_of(name);
                    let to = quote!(__upstate::member_info(#info, #variant, #rust_name));
                    let name = now(name);
                    quote!(Converted { name: #name, from: #from, to: #to, empty: __upstate::EmptyText::#empty })
                }
            };
            quote!(Member { variant: __upstate::stored_variant(#info, #variant), change: __upstate::MemberChange::#change })
        }
    });
    quote!(&[#(__upstate::VariantChange::#changes),*])
}

fn held(ty: Option<&Type>) -> TokenStream {
    ty.map_or_else(
        || quote!(__upstate::TypeInfo::NOTHING),
        |ty| item_of(ty, "INFO").to_token_stream(),
    )
}
