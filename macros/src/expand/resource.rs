//! The versions of a resource: its schema, its upgraders, and the proofs that they fit together.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::checks::{OF_ITS_VERSION, WHEN_CAN_HOLD, proven};
use super::object::About;
use super::operators::{Ends, Owner};
use super::{
    aimed, block, call_by, difference, facts, key, last_segment, locked, object, plan, runtime,
    upgrader,
};
use crate::model::{Derive, PriorStruct, Resource, StructField, Target, UpgraderKind};

/// The whole of `#[derive(Resource)]`.
pub(crate) fn resource(resource: &Resource) -> TokenStream {
    let ident = &resource.object.ident;
    let rust_name = ident.unraw().to_string();
    let Resource {
        type_name,
        type_name_is_given,
        description,
        version,
        oldest,
        ..
    } = resource;
    let (upgraders, shapes) = (&resource.upgraders.current, &resource.upgraders.shapes);
    // Without upgraders there is nothing to route.
    let routes = if upgraders.is_empty() {
        0
    } else {
        version.saturating_sub(*oldest)
    };
    let [version, oldest, routes] = [*version, *oldest, routes].map(Literal::u64_unsuffixed);
    let steps = Literal::usize_unsuffixed(upgraders.len());

    let facts = facts::of_resource(resource);
    let about = About {
        version: resource.version,
        description,
        deprecated: resource.deprecated.as_ref(),
        facts: (!facts.is_empty()).then(|| quote!(__UPSTATE_FACTS)),
    };
    let facts = (!facts.is_empty())
        .then(|| quote!(static __UPSTATE_FACTS: &[__upstate::Fact] = &[#(#facts),*];));
    let object = object::items(&resource.object, &about);
    let ways = upgraders
        .iter()
        .map(|upgrader| &upgrader.kind)
        .chain(resource.moves.iter().map(|from| &from.kind));
    let ends = Ends {
        owner: Owner::Resource,
        ident,
        to: Target::Current,
        shapes,
    };
    let beside = ways
        .enumerate()
        .map(|(index, kind)| upgrader::beside(ends, kind, index));
    let shapes = difference::shapes(resource, upgraders.len() + resource.moves.len());
    let tables = upgraders.iter().enumerate().map(|(index, upgrader)| {
        let made = upgrader::upgrader(ident, upgrader, index);
        let unchanged = resource
            .upgraders
            .unchanged
            .iter()
            .find(|unchanged| unchanged.versions.first.number == upgrader.from);
        let is_pinned = matches!(upgrader.kind, UpgraderKind::Unchanged)
            && unchanged.is_some_and(|unchanged| locked::is_pinned(type_name, &unchanged.versions));
        let pin = is_pinned.then(|| quote!(.pinned()));
        quote!(#made #pin)
    });
    let proofs = upgraders.iter().enumerate().filter_map(|(index, upgrader)| {
        let place = last_segment(upgrader.kind.model()?);
        let (ident, index) = (aimed(ident, place), Literal::usize_unsuffixed(index));
        let call = quote_spanned!(place=> __upstate::check_model_version(<#ident as __upstate::Resource>::HISTORY, #index));
        Some(proven(OF_ITS_VERSION, &call, place))
    });
    let conditions = upgraders.iter().enumerate().filter_map(|(index, upgrader)| {
        let name = upgrader.when.as_ref()?.name()?;
        let (ident, index) = (aimed(ident, name.span()), Literal::usize_unsuffixed(index));
        let call = quote_spanned!(name.span()=> __upstate::check_when(<#ident as __upstate::Resource>::HISTORY, #index));
        Some(proven(WHEN_CAN_HOLD, &call, name.span()))
    });
    let conditions_of_moves = resource
        .moves
        .iter()
        .enumerate()
        .filter_map(|(index, from)| {
            let name = from.when.as_ref()?.name()?;
            let (ident, index) = (aimed(ident, name.span()), Literal::usize_unsuffixed(index));
            let call = quote_spanned!(name.span()=> __upstate::check_move_when::<#ident>(#index));
            Some(proven(WHEN_CAN_HOLD, &call, name.span()))
        });
    let moves = (!resource.moves.is_empty()).then(|| {
        let moves = resource
            .moves
            .iter()
            .enumerate()
            .map(|(index, from)| upgrader::move_from(ident, from, upgraders.len() + index));
        quote!(const MOVES: &'static [__upstate::Move<Self>] = &[#(#moves),*];)
    });
    let identity = resource.identity.as_ref().map(|identity| {
        let definition = quote_spanned!(last_segment(identity)=> <#identity as __upstate::IsIdentity>::AS_IDENTITY);
        quote! {
            const IDENTITY: __upstate::Option<&'static __upstate::ResourceDefinition> =
                __upstate::Some(#definition);
        }
    });
    let since = (!resource.since.is_empty()).then(|| {
        let releases = resource.since.iter().map(|(release, version)| {
            let version = Literal::u64_unsuffixed(*version);
            quote!((#release, #version))
        });
        quote!(.since(&[#(#releases),*]))
    });
    let migrated = resource.migrate_state.as_ref().map(|function| {
        let call = call_by("MigrateFunction", &quote!(_), function, &["at", "it", "cx"]);
        quote_spanned! {last_segment(function)=>
            .migrated_by(__upstate::MigrateState(|at, it, cx| #call))
        }
    });
    // A model that only others use need not be reached, and below the oldest version there is
    // nothing to reach.
    let chain = (!resource.is_prior && resource.version > resource.oldest).then(|| {
        let place = resource.version_literal.span();
        let ident = aimed(ident, place);
        let is_document = resource.object.document.is_some();
        let check = if is_document {
            "check_every_document_is_reached"
        } else {
            "check_every_version_is_reached"
        };
        let check = Ident::new(check, place);
        quote_spanned! {place=>
            __upstate::#check(<#ident as __upstate::Resource>::HISTORY);
        }
    });
    let (is_prior, type_key) = (resource.is_prior, key(type_name));
    let current = (!resource.is_prior).then(|| plan::current(&resource.object));
    let stateless = resource.is_stateless.then(|| {
        quote!(
            const STATELESS: bool = true;
        )
    });
    let compared = (!resource.is_stateless).then(locked::compared_with);
    let locked = (!resource.is_stateless).then(|| locked::check(resource));
    let proofs_of_facts = facts::proofs(resource);
    let of_releases = quote!(#chain #locked);
    let of_releases = (!of_releases.is_empty()).then(|| {
        proven(
            "EARLIER_STATE_CAN_BE_READ",
            &quote!({ #of_releases }),
            proc_macro2::Span::call_site(),
        )
    });
    let items = quote! {
        #facts
        #object
        #(#beside)*
        #shapes
        impl __upstate::Resource for #ident {
            const TYPE_NAME: &'static str = #type_name;
            const VERSION: u64 = #version;
            #stateless
            const UPGRADERS: &'static [__upstate::Upgrader<Self>] = &[#(#tables),*];
            const HISTORY: &'static __upstate::History = &__upstate::History::new(
                #rust_name,
                (#type_name, #type_key),
                #type_name_is_given,
                #is_prior,
                #oldest,
                &__UPSTATE_TABLE,
                &__upstate::steps::<Self, #steps>(<Self as __upstate::Resource>::UPGRADERS),
            )#since #migrated #compared;
            const ROUTES: &'static [u16] = &__upstate::routes::<#routes>(<Self as __upstate::Resource>::HISTORY);
            #moves
            #identity
        }
        #current
        #(#proofs)*
        #(#conditions)*
        #(#conditions_of_moves)*
        #(#proofs_of_facts)*
        #of_releases
    };
    let mut tokens = block(resource.object.crate_path.as_ref(), items);
    tokens.extend(plan::of(&resource.object, Derive::Resource));
    tokens.extend(
        resource
            .upgraders
            .structs
            .iter()
            .map(|made| prior_struct(resource, made)),
    );
    tokens
}

/// The struct of a version that operators describe: a prior model like one that is written.
fn prior_struct(resource: &Resource, made: &PriorStruct) -> TokenStream {
    let PriorStruct {
        ident,
        derives,
        version,
        fields,
        upgraders,
    } = made;
    let Resource {
        object,
        visibility,
        type_name,
        oldest,
        ..
    } = resource;
    let runtime = runtime(object.crate_path.as_ref());
    let crate_path = object
        .crate_path
        .as_ref()
        .map(|path| quote!(, crate = #path));
    let fields = fields.iter().map(
        |StructField {
             ident,
             ty,
             attributes,
         }| quote!(#(#attributes)* #visibility #ident: #ty),
    );
    let oldest = (!upgraders.is_empty() && (1..=*version).contains(oldest)).then(|| {
        let oldest = Literal::u64_unsuffixed(*oldest);
        quote!(, oldest = #oldest)
    });
    let about = format!("Version {version} of [`{}`].", object.ident.unraw());
    let number = Literal::u64_unsuffixed(*version);
    quote! {
        #[doc = #about]
        #[allow(missing_docs, dead_code)]
        #[derive(#runtime::Resource #(, #derives)*)]
        #[resource(type_name = #type_name, version = #number, prior #oldest #crate_path)]
        #(#upgraders)*
        #visibility struct #ident { #(#fields),* }
    }
}
