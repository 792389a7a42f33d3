//! The facts of a custom resource, and the proof that Kubernetes can store its fields.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt;

use super::checks::proven;
use super::field::{ends, info_of_field, item};
use super::{aimed, block, last_segment};
use crate::attr::kube::{Kube, Scale};
use crate::model::document::Shape;
use crate::model::{Codec, Member, Resource, Role};

const STRUCTURAL: &str = "KUBERNETES_CAN_STORE_THE_TYPE";

/// The impl of `CustomResource`.
pub(crate) fn custom_resource(kube: &Kube, resource: &Resource) -> TokenStream {
    let ident = &resource.object.ident;
    // A type with a reader of its own is a string, or any JSON, which Kubernetes stores; others are
    // checked when the definition is written.
    let is_own = |member: &&Member| {
        !member.opaque
            && matches!(
                member.role,
                Role::Attribute {
                    codec: Codec::Own,
                    ..
                }
            )
    };
    let checks = resource.object.members.iter().filter(is_own).map(|member| {
        let info = info_of_field(&member.ty);
        let span = ends(&member.ty).0;
        proven(
            STRUCTURAL,
            &quote_spanned!(span=> __upstate::check_structural(#info)),
            span,
        )
    });
    let shapes = resource.object.document.iter();
    let parts = shapes.flat_map(Shape::known_parts).map(|entry| {
        let table = item(&entry.ty, &quote!(__upstate::Members), "TABLE");
        let span = ends(&entry.ty).0;
        let call = quote_spanned!(span=> if let __upstate::Some(table) = #table {
            __upstate::check_structural(&__upstate::TypeInfo::document(table));
        });
        proven(STRUCTURAL, &call, span)
    });
    let checks = block(
        resource.object.crate_path.as_ref(),
        quote!(#(#checks)* #(#parts)*),
    );
    let status = kube.status.as_ref().map(|path| {
        let ident = aimed(ident, last_segment(path));
        // All tokens of the call are at the status, so that the compiler points there.
        let kube_path: TokenStream = crate_path(kube)
            .into_iter()
            .map(|mut token| {
                token.set_span(token.span().located_at(last_segment(path)));
                token
            })
            .collect();
        let span = last_segment(path);
        let call = quote_spanned!(span=> #kube_path::__private::check_status(
            <#ident as #kube_path::CustomResource>::STATUS_VERSION,
            <#ident as #kube_path::__private::Resource>::VERSION,
        ));
        let proven = proven("THE_STATUS_IS_OF_THE_SAME_VERSION", &call, span);
        // No code asks for the check, which the compiler evaluates all the same.
        quote!(#[allow(dead_code)] const _: () = { #proven };)
    });
    let facts = facts(kube, ident, &resource.description);
    quote!(#facts #checks #status)
}

/// The path to the crate of the attribute.
pub(crate) fn crate_path(kube: &Kube) -> TokenStream {
    kube.crate_path
        .as_ref()
        .map_or_else(|| quote!(::upstate_kube), ToTokens::to_token_stream)
}

fn optional(text: Option<&LitStr>) -> TokenStream {
    text.map_or_else(
        || quote!(::core::option::Option::None),
        |text| quote!(::core::option::Option::Some(#text)),
    )
}

/// The impl, or that of a struct with mistakes.
pub(crate) fn facts(kube: &Kube, ident: &Ident, description: &str) -> TokenStream {
    let kube_path = crate_path(kube);
    let text = |text: &Option<LitStr>| text.as_ref().map(LitStr::value).unwrap_or_default();
    let (group, kind) = (text(&kube.group), text(&kube.kind));
    let singular = kube
        .singular
        .as_ref()
        .map_or_else(|| kind.to_lowercase(), LitStr::value);
    let plural = kube
        .plural
        .as_ref()
        .map_or_else(|| plural_of(&kind.to_lowercase()), LitStr::value);
    let scope = if kube.is_cluster_wide {
        quote!(Cluster)
    } else {
        quote!(Namespaced)
    };
    let versions = kube.versions.iter().map(|version| {
        let number = Literal::u64_unsuffixed(version.number);
        let (name, served, storage) = (&version.name, version.served, version.storage.is_some());
        let deprecated = match (&version.warning, version.is_deprecated) {
            (Some(warning), _) => quote!(Warning(#warning)),
            (None, true) => quote!(Yes),
            (None, false) => quote!(No),
        };
        quote! {
            #kube_path::Version {
                number: #number,
                name: #name,
                served: #served,
                storage: #storage,
                deprecated: #kube_path::Deprecated::#deprecated,
            }
        }
    });
    let columns = kube.columns.iter().map(|column| {
        let (name, path, ty) = (&column.name, &column.path, &column.ty);
        let [format, description] =
            [&column.format, &column.description].map(|text| optional(text.as_ref()));
        let priority = column
            .priority
            .as_ref()
            .map_or_else(|| quote!(0), ToTokens::to_token_stream);
        quote! {
            #kube_path::Column {
                name: #name,
                path: #path,
                ty: #ty,
                format: #format,
                description: #description,
                priority: #priority,
            }
        }
    });
    let scale = kube.scale.as_ref().map_or_else(
        || quote!(::core::option::Option::None),
        |Scale { spec, status, selector }| {
            let selector = optional(selector.as_ref());
            quote!(::core::option::Option::Some(#kube_path::Scale { spec: #spec, status: #status, selector: #selector }))
        },
    );
    let rules = kube
        .rules
        .iter()
        .map(|(rule, message)| quote!(#kube_path::Rule { rule: #rule, message: #message }));
    let has_status = kube.status.is_some();
    let status_type = kube.status.as_ref().map_or_else(
        || quote!(#kube_path::NoStatus),
        |path| quote_spanned!(last_segment(path)=> #path),
    );
    let (short_names, categories, selectable) =
        (&kube.short_names, &kube.categories, &kube.selectable);
    let rust_name = ident.unraw().to_string();
    quote! {
        #[automatically_derived]
        impl #kube_path::CustomResource for #ident {
            const FACTS: &'static #kube_path::Facts = &#kube_path::Facts {
                rust_name: #rust_name,
                group: #group,
                kind: #kind,
                plural: #plural,
                singular: #singular,
                short_names: &[#(#short_names),*],
                categories: &[#(#categories),*],
                scope: #kube_path::Scope::#scope,
                description: #description,
                versions: &[#(#versions),*],
                columns: &[#(#columns),*],
                selectable: &[#(#selectable),*],
                scale: #scale,
                rules: &[#(#rules),*],
                status: #has_status,
            };
            type Status = #status_type;
            type Scope = #kube_path::scope::#scope;
        }
    }
}

/// The plural as kube-rs guesses it; `plural = "…"` says another.
fn plural_of(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let before_y = word
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match before_y {
        Some(stem) => format!("{stem}ies"),
        None if ends(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        None => format!("{word}s"),
    }
}
