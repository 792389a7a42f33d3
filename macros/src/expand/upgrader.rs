//! Upgraders and moves, whatever makes the model.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::operators::{self, Ends, operators_ident, prior, prior_ident};
use super::{aimed, call_by, last_segment, of_model, option};
use crate::attr::When;
use crate::model::{Move, Upgrader, UpgraderKind};

/// One entry of `UPGRADERS`.
pub(super) fn upgrader(ident: &Ident, upgrader: &Upgrader, index: usize) -> TokenStream {
    let from = Literal::u64_unsuffixed(upgrader.from);
    let made = made(ident, &upgrader.kind, &quote!(#from), index);
    let through = (upgrader.through != upgrader.from).then(|| {
        let through = Literal::u64_unsuffixed(upgrader.through);
        quote!(.through(#through))
    });
    let when = upgrader.when.as_ref().map(when);
    let downgrade =
        upgrader
            .downgrade
            .as_ref()
            .zip(upgrader.kind.model())
            .map(|(function, model)| {
                let call = call_by(
                    "DowngradeFunction",
                    &quote!(Self, #model, _),
                    function,
                    &["it"],
                );
                quote_spanned!(last_segment(function)=>
                    .downgraded_by(&__upstate::DowngradeWith(|it| #call))
                )
            });
    let reason = upgrader
        .reason
        .as_ref()
        .map(|reason| quote!(.because(#reason)));
    quote!(#made #through #when #downgrade #reason)
}

/// One entry of `MOVES`.
pub(super) fn move_from(ident: &Ident, from: &Move, index: usize) -> TokenStream {
    let Move {
        type_name,
        provider,
        kind,
        when,
    } = from;
    let version = match kind {
        // The only place that names the model.
        UpgraderKind::Declared(_) => {
            let prior = prior_ident(index);
            quote!(#prior.version())
        }
        UpgraderKind::Conversion { model } | UpgraderKind::Function { model, .. } => {
            quote_spanned!(last_segment(model)=> <#model as __upstate::Resource>::VERSION)
        }
        UpgraderKind::Raw { .. }
        | UpgraderKind::Unsupported { .. }
        | UpgraderKind::NeverReleased
        | UpgraderKind::Unchanged => {
            quote!(0)
        }
    };
    let upgrader = made(ident, kind, &version, index);
    let when = when.as_ref().map(self::when);
    let provider = option(provider.as_ref());
    quote!(__upstate::Move::new(#type_name, #provider, #upgrader #when))
}

/// An upgrader from `from` on. The bounds on the current model point at the prior one, which is
/// where the upgrader is declared.
fn made(ident: &Ident, kind: &UpgraderKind, from: &TokenStream, index: usize) -> TokenStream {
    match kind {
        UpgraderKind::Conversion { model } => {
            let place = last_segment(model);
            let this = aimed(ident, place);
            let way = quote_spanned! {place=>
                <#this as __upstate::UpgradeFrom<#model>>::upgrade_from
            };
            let made = quote! {
                let _ = #way;
                __upstate::Upgrader::<#this>::convert::<#model>(#from)
            };
            of_model(model, &made)
        }
        UpgraderKind::Function {
            model,
            function,
            is_async: false,
        } => {
            let call = call_by(
                "ModelFunction",
                &quote!(#model, Self, _),
                function,
                &["it", "cx"],
            );
            quote_spanned! {last_segment(function)=>
                __upstate::Upgrader::with(#from, &__upstate::With(|it, cx| #call))
            }
        }
        UpgraderKind::Function {
            model,
            is_async: true,
            ..
        } => {
            let function = async_ident(index);
            let made = quote! {
                __upstate::Upgrader::with_async::<#model>(#from, &__upstate::WithAsync(#function))
            };
            of_model(model, &made)
        }
        UpgraderKind::Raw {
            function,
            is_async: false,
        } => {
            let call = call_by("RawFunction", &quote!(Self, _), function, &["it", "cx"]);
            quote_spanned! {last_segment(function)=>
                __upstate::Upgrader::raw(#from, &__upstate::Raw(|it, cx| #call))
            }
        }
        UpgraderKind::Raw { is_async: true, .. } => {
            let function = async_ident(index);
            quote!(__upstate::Upgrader::raw_async(#from, &__upstate::RawAsync(#function)))
        }
        UpgraderKind::Declared(declared) => {
            let (prior, operators) = (prior(declared, index), operators_ident(index));
            let declared = format_ident!(
                "{}",
                if declared.awaits() {
                    "declared_async"
                } else {
                    "declared"
                }
            );
            quote!(__upstate::Upgrader::#declared(#from, #prior, #operators))
        }
        UpgraderKind::Unchanged => quote!(__upstate::Upgrader::unchanged(#from)),
        UpgraderKind::Unsupported { text } => {
            quote!(__upstate::Upgrader::unsupported(#from, #text))
        }
        UpgraderKind::NeverReleased => quote!(__upstate::Upgrader::never_released(#from)),
    }
}

/// Items that an upgrader or move needs next to its entry.
pub(super) fn beside(ends: Ends<'_>, kind: &UpgraderKind, index: usize) -> TokenStream {
    let ident = ends.ident;
    match kind {
        UpgraderKind::Declared(declared) => operators::table(ends, declared, index),
        UpgraderKind::Function {
            model,
            function,
            is_async: true,
        } => {
            let call = call_by(
                "AsyncModelFunction",
                &quote!(#model, #ident, _, _),
                function,
                &["prior", "context"],
            );
            let call = quote_spanned!(last_segment(function)=> __upstate::boxed(__upstate::AsyncAnswer::awaited(#call)));
            boxed(ident, &call, &quote!(#model), index)
        }
        UpgraderKind::Raw {
            function,
            is_async: true,
        } => {
            let call = quote_spanned! {last_segment(function)=>
                __upstate::boxed(async move {
                    __upstate::RawAnswer::<#ident>::into_model(__upstate::AsyncAnswer::awaited(#function(prior, &mut *context)).await, context)
                })
            };
            boxed(ident, &call, &quote!(__upstate::RawState<'a>), index)
        }
        UpgraderKind::Conversion { .. }
        | UpgraderKind::Function { .. }
        | UpgraderKind::Raw { .. }
        | UpgraderKind::Unsupported { .. }
        | UpgraderKind::NeverReleased
        | UpgraderKind::Unchanged => TokenStream::new(),
    }
}

/// The function that puts an `async fn`'s future into a box, so that a table can name it.
fn boxed(ident: &Ident, call: &TokenStream, prior: &TokenStream, index: usize) -> TokenStream {
    let name = async_ident(index);
    quote! {
        fn #name<'a>(
            prior: #prior,
            context: &'a mut __upstate::UpgradeContext<'_>,
        ) -> __upstate::BoxFuture<'a, __upstate::Result<#ident, __upstate::Diagnostics>> {
            #call
        }
    }
}

fn async_ident(index: usize) -> Ident {
    format_ident!("__upstate_async_{index}")
}

fn when(when: &When) -> TokenStream {
    match when {
        When::Has(name) => quote!(.when(__upstate::When::Has(#name))),
        When::Lacks(name) => quote!(.when(__upstate::When::Lacks(#name))),
        When::Is(function) => {
            let call = call_by("StateTest", &quote!(_), function, &["it"]);
            quote!(.when(__upstate::When::Is(|it| #call)))
        }
    }
}
