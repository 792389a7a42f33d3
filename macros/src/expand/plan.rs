//! A struct's plan and the paths of its fields, where it asks for both or for the paths alone:
//! `ThingPlan`, `ThingPaths`, `Thing::PATHS`.
//!
//! Both are beside the struct, so that users can name them; what makes a plan of a model is out of
//! their way.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericArgument, Path, PathArguments, Type, Visibility};

use super::checks::proven;
use super::field::{ends, info_of_field};
use super::object;
use super::{block, runtime};
use crate::model::{Codec, Derive, Flags, Member, Object, Role, may_hold_objects};

/// The whole of `#[derive(Object)]`.
pub(crate) fn nested_object(object: &Object) -> TokenStream {
    let mut tokens = object::nested_object(object);
    tokens.extend(of(object, Derive::Object));
    tokens
}

/// The impl by which a current model names its plan: itself, or the struct that is made here.
pub(super) fn current(object: &Object) -> TokenStream {
    let ident = &object.ident;
    let plan = if object.plan.is_some() {
        plan_ident(ident)
    } else {
        format_ident!("Self")
    };
    let values = format_ident!(
        "{}",
        if object.document.is_some() {
            "DocumentValues"
        } else {
            "TerraformValues"
        }
    );
    quote!(impl __upstate::CurrentModel for #ident { type Plan = #plan; type Values = __upstate::#values; })
}

/// The plan and the paths of a struct that asks for them.
pub(super) fn of(object: &Object, derive: Derive) -> Option<TokenStream> {
    let visibility = object.paths.as_ref()?;
    let mut tokens = object
        .plan
        .as_ref()
        .map(|visibility| plan_struct(object, visibility))
        .unwrap_or_default();
    tokens.extend(paths_struct(object, visibility));
    tokens.extend(block(
        object.crate_path.as_ref(),
        impls(object, visibility, derive),
    ));
    Some(tokens)
}

fn plan_ident(ident: &Ident) -> Ident {
    format_ident!("{}Plan", ident.unraw(), span = ident.span())
}

fn paths_ident(ident: &Ident) -> Ident {
    format_ident!("{}Paths", ident.unraw(), span = ident.span())
}

fn plan_struct(object: &Object, visibility: &Visibility) -> TokenStream {
    let (ident, name) = (plan_ident(&object.ident), object.ident.unraw());
    let runtime = runtime(object.crate_path.as_ref());
    let fields = object.members.iter().map(|member| {
        let (field, about) = (&member.ident, &member.description);
        let ty = planned_type(member);
        let ty = if is_computed(member) {
            quote!(#runtime::Computed<#ty>)
        } else {
            ty
        };
        quote!(#[doc = #about] #visibility #field: #ty)
    });
    let about = format!(
        "A planned [`{name}`]: its fields as far as they are known before a change is applied."
    );
    quote! {
        #[doc = #about]
        #[allow(dead_code, deprecated)]
        #visibility struct #ident { #(#fields),* }
    }
}

/// The field's type, with the plan of its struct in place of that.
fn planned_type(member: &Member) -> TokenStream {
    let ty = &member.ty;
    match member.planned() {
        None => quote!(#ty),
        Some(nested) => {
            let mut ty = ty.clone();
            replace(&mut ty, &nested.path, &nested.beside("Plan"));
            quote!(#ty)
        }
    }
}

/// Puts another struct in the place of one, inside of containers.
fn replace(ty: &mut Type, one: &Path, other: &Path) {
    let Type::Path(path) = ty else { return };
    if path.path == *one {
        path.path = other.clone();
        return;
    }
    for segment in &mut path.path.segments {
        let PathArguments::AngleBracketed(arguments) = &mut segment.arguments else {
            continue;
        };
        for argument in &mut arguments.args {
            if let GenericArgument::Type(ty) = argument {
                replace(ty, one, other);
            }
        }
    }
}

/// True if the provider says the field, or may.
fn is_computed(member: &Member) -> bool {
    matches!(
        member.role,
        Role::Attribute {
            flags: Flags { computed: true, .. },
            ..
        }
    )
}

/// The struct of paths. `D` says into how many collections they lead, `W` that of the struct's own
/// field, which may be a collection.
fn paths_struct(object: &Object, visibility: &Visibility) -> TokenStream {
    let (ident, name) = (paths_ident(&object.ident), object.ident.unraw());
    let runtime = runtime(object.crate_path.as_ref());
    let private = quote!(#runtime::__private);
    let fields = object.members.iter().map(|member| {
        let (field, about) = (&member.ident, &member.description);
        let ty = match &member.nested {
            None => quote!(#private::TypedPath<D>),
            Some(nested) => {
                let (paths, depth) = (
                    nested.beside("Paths"),
                    depth(&private, nested.is_collection),
                );
                quote!(#paths<#depth, D>)
            }
        };
        quote!(#[doc = #about] #visibility #field: #ty)
    });
    let about = format!("The paths of the fields of a [`{name}`].");
    quote! {
        #[doc = #about]
        #[allow(dead_code, deprecated)]
        #visibility struct #ident<D = #private::Closed, W = #private::Closed> {
            #[doc(hidden)]
            __whole: #private::TypedPath<W>,
            #(#fields),*
        }
    }
}

fn depth(private: &TokenStream, is_collection: bool) -> TokenStream {
    if is_collection {
        quote!(#private::Open<D>)
    } else {
        quote!(D)
    }
}

fn impls(object: &Object, visibility: &Visibility, derive: Derive) -> TokenStream {
    let (ident, paths) = (&object.ident, paths_ident(&object.ident));
    let planning = object.plan.is_some().then(|| planning(object, derive));
    let constant = (derive == Derive::Resource).then(|| {
        quote! {
            impl #ident {
                /// The paths of the fields.
                #[allow(dead_code)]
                #visibility const PATHS: #paths = #paths::in_object(__upstate::TypedPath::ROOT);
            }
        }
    });
    let paths_impls = paths_impls(object, visibility);
    let proofs = object
        .plan
        .is_some()
        .then(|| proofs(object))
        .into_iter()
        .flatten();
    quote! {
        #planning
        #constant
        #paths_impls
        #(#proofs)*
    }
}

/// The impls by which a model becomes its plan.
fn planning(object: &Object, derive: Derive) -> TokenStream {
    let (ident, plan) = (&object.ident, plan_ident(&object.ident));
    let fields: Vec<_> = object.members.iter().map(|member| &member.ident).collect();
    let values = object.members.iter().map(|member| {
        let (field, name) = (&member.ident, &member.name);
        let method = match (is_computed(member), member.planned()) {
            (false, None) => return quote!(self.#field),
            (true, None) => "computed",
            (false, Some(_)) => "inside",
            (true, Some(_)) => "computed_inside",
        };
        let (_, last) = ends(&member.ty);
        let method = Ident::new(method, last);
        quote_spanned!(last=> unknowns.#method(#name, self.#field))
    });
    let of_resource = (derive == Derive::Resource).then(|| {
        quote! {
            impl __upstate::PlanOf<#ident> for #plan {
                const IS_APART: bool = true;
                fn of(model: #ident, unknowns: __upstate::Unknowns<'_>) -> Self {
                    __upstate::HasPlan::into_plan(model, unknowns)
                }
            }
        }
    });
    // A struct without fields uses no unknowns, so that they are not named.
    let unknowns = if fields.is_empty() {
        format_ident!("_unknowns")
    } else {
        format_ident!("unknowns")
    };
    quote! {
        impl __upstate::HasPlan for #ident {
            type Plan = #plan;
            #[allow(unused_variables)]
            fn into_plan(self, #unknowns: __upstate::Unknowns<'_>) -> #plan {
                #plan { #(#fields: #values),* }
            }
        }
        #of_resource
    }
}

/// The paths of a struct's fields, where the struct is an object and where it is the element of a
/// collection.
fn paths_impls(object: &Object, visibility: &Visibility) -> TokenStream {
    let paths = paths_ident(&object.ident);
    let fields: Vec<_> = object.members.iter().map(|member| &member.ident).collect();
    let places = |method: &str| -> Vec<TokenStream> {
        let method = format_ident!("{method}");
        let place = |member: &Member| {
            let name = &member.name;
            let place = quote!(at.#method(#name));
            match &member.nested {
                None => place,
                Some(nested) => {
                    let paths = nested.beside("Paths");
                    let inside = if nested.is_collection {
                        quote!(in_elements)
                    } else {
                        quote!(in_object)
                    };
                    // A type in brackets, so that a struct without paths is the same error here as
                    // at the field, which the compiler prints once.
                    quote_spanned!(nested.path.span()=> <#paths<_, _>>::#inside(#place))
                }
            }
        };
        object.members.iter().map(place).collect()
    };
    let (in_object, in_elements) = (places("attribute"), places("in_elements"));
    quote! {
        impl<D> #paths<D, D> {
            #[allow(dead_code)]
            #[doc(hidden)]
            #visibility const fn in_object(at: __upstate::TypedPath<D>) -> Self {
                Self { __whole: at, #(#fields: #in_object),* }
            }
        }
        impl<W> #paths<__upstate::Open<W>, W> {
            #[allow(dead_code)]
            #[doc(hidden)]
            #visibility const fn in_elements(at: __upstate::TypedPath<W>) -> Self {
                Self { __whole: at, #(#fields: #in_elements),* }
            }
        }
        impl<D, W> #paths<D, W> {
            /// The names of the field itself.
            #[allow(dead_code)]
            #visibility const fn names(&self) -> __upstate::AttributeNames {
                self.__whole.names()
            }
        }
        impl<D> ::core::convert::From<#paths<D, __upstate::Closed>> for __upstate::AttributePath {
            fn from(paths: #paths<D, __upstate::Closed>) -> Self {
                paths.__whole.into()
            }
        }
    }
}

/// The proofs that no field holds something computed that a plan would not show as such.
fn proofs(object: &Object) -> impl Iterator<Item = TokenStream> {
    let is_open = |member: &&Member| {
        let may_be = match &member.role {
            Role::Attribute { flags, codec, .. } => {
                let only_computed = flags.computed && !flags.optional;
                !only_computed
                    && !matches!(codec, Codec::Text | Codec::OptionalText | Codec::Module(_))
            }
            Role::Block { .. } => true,
        };
        may_be && member.planned().is_none() && may_hold_objects(&member.ty)
    };
    object.members.iter().filter(is_open).map(|member| {
        let (_, last) = ends(&member.ty);
        let info = info_of_field(&member.ty);
        proven(
            "THE_PLAN_SHOWS_WHAT_IS_SAID",
            &quote_spanned!(last=> __upstate::check_planned(#info)),
            last,
        )
    })
}
