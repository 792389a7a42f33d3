//! The versions of a resource: its schema, its edges, and the proofs that they fit together.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::{aimed, block, deprecation, object};
use crate::model::{Edge, Resource, Via};

/// The whole of `#[derive(Resource)]`.
pub(crate) fn resource(resource: &Resource) -> TokenStream {
    let ident = &resource.object.ident;
    let rust_name = ident.unraw().to_string();
    let Resource { type_name, description, version, oldest, edges, .. } = resource;
    let deprecated = deprecation(resource.deprecated.as_ref());
    // Without edges there is nothing to route.
    let routes = if edges.is_empty() { 0 } else { version.saturating_sub(*oldest) };
    let [version, oldest, routes] = [*version, *oldest, routes].map(Literal::u64_unsuffixed);
    let steps = Literal::usize_unsuffixed(edges.len());

    let object = object::items(&resource.object);
    let tables = edges.iter().map(|edge| edge_table(resource, edge));
    let proofs = edges.iter().enumerate().map(|(index, edge)| {
        let place = last_segment(&edge.model);
        let (ident, index) = (aimed(ident, place), Literal::usize_unsuffixed(index));
        quote_spanned! {place=>
            const _: () = __upstate::check_model_version(<#ident as __upstate::Resource>::HISTORY, #index);
        }
    });
    let chain = (!edges.is_empty()).then(|| {
        let place = resource.version_literal.span();
        let ident = aimed(ident, place);
        quote_spanned! {place=>
            const _: () = __upstate::check_every_version_is_reached(<#ident as __upstate::Resource>::HISTORY);
        }
    });
    let items = quote! {
        #object
        impl __upstate::Resource for #ident {
            const TYPE_NAME: &'static str = #type_name;
            const VERSION: u64 = #version;
            const SCHEMA: &'static __upstate::Schema = &__upstate::Schema::of::<Self>(#version, #description, #deprecated);
            const EDGES: &'static [__upstate::Edge<Self>] = &[#(#tables),*];
            const HISTORY: &'static __upstate::History = &__upstate::History::new(
                #rust_name,
                #version,
                #oldest,
                <Self as __upstate::Resource>::SCHEMA,
                &__upstate::steps::<Self, #steps>(<Self as __upstate::Resource>::EDGES),
            );
            const ROUTES: &'static [u16] = &__upstate::routes::<#routes>(<Self as __upstate::Resource>::HISTORY);
        }
        #(#proofs)*
        #chain
    };
    block(resource.object.crate_path.as_ref(), &items)
}

/// One entry of `EDGES`. The bounds on the current model point at the prior one, which is where the edge is declared.
fn edge_table(resource: &Resource, edge: &Edge) -> TokenStream {
    let Edge { from, model, via } = edge;
    let from = Literal::u64_unsuffixed(*from);
    let this = aimed(&resource.object.ident, last_segment(model));
    match via {
        Via::Conversion => quote!(__upstate::Edge::<#this>::convert::<#model>(#from)),
        Via::Function(function) => {
            let place = last_segment(function);
            quote_spanned!(place=> __upstate::Edge::with(#from, &__upstate::With::<Self, #model, _>(#function)))
        }
    }
}

fn last_segment(path: &Path) -> Span {
    path.segments.last().map_or_else(|| path.span(), |segment| segment.ident.span())
}
